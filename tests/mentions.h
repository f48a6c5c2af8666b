// What a message must hold, whatever words are around it: a message is worded once, in the product.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::test {

/// How often it stands there as a whole word: 12 is not in 128.
inline std::ptrdiff_t count_of(std::string_view part, std::string_view text) {
    const auto goes_on = [&](std::size_t at, char edge) {
        return at < text.size() && std::isalnum(static_cast<unsigned char>(edge)) != 0 &&
               std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    std::ptrdiff_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        if (!goes_on(at - 1, part.front()) && !goes_on(at + part.size(), part.back())) ++count;
    return count;
}

MATCHER_P(MentionsAll, parts, "mentions " + ::testing::PrintToString(parts)) {
    std::string text(arg);
    // The digits of a long number stand in groups.
    for (std::size_t at = text.find("\u2009"); at != std::string::npos; at = text.find("\u2009", at))
        text.erase(at, std::string_view("\u2009").size());
    for (const std::string& part : parts)
        if (count_of(part, text) < std::ranges::count(parts, part)) {
            *result_listener << "too few times \"" << part << '"';
            return false;
        }
    return true;
}

/// The names, values and limits that a message is made of; what is given twice must stand there twice.
template <class... Parts>
auto Mentions(const Parts&... parts) {
    return MentionsAll(std::vector<std::string>{fmt::format("{}", parts)...});
}

/// All of these, as parts of words too.
template <class... Parts>
auto HasSubstrs(const Parts&... parts) {
    return ::testing::AllOf(::testing::HasSubstr(std::string(parts))...);
}

}  // namespace gridstride::test
