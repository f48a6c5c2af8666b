// Matchers for the facts in a message. They do not repeat its wording, which only the product defines.
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

/// Counts the occurrences of `part` as a whole word: 128 does not contain the word 12.
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
    // Long numbers have thin spaces between groups of digits.
    for (std::size_t at = text.find("\u2009"); at != std::string::npos; at = text.find("\u2009", at))
        text.erase(at, std::string_view("\u2009").size());
    for (const std::string& part : parts)
        if (count_of(part, text) < std::ranges::count(parts, part)) {
            *result_listener << "too few times \"" << part << '"';
            return false;
        }
    return true;
}

/// Matches a message with these names, values and limits. A part that is given twice must occur twice.
template <class... Parts>
auto Mentions(const Parts&... parts) {
    return MentionsAll(std::vector<std::string>{fmt::format("{}", parts)...});
}

/// Matches a message with all of these substrings.
template <class... Parts>
auto HasSubstrs(const Parts&... parts) {
    return ::testing::AllOf(::testing::HasSubstr(std::string(parts))...);
}

}  // namespace gridstride::test
