#include "launch/extent.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace gridstride {

std::string text_of(const Extent& extent) {
    std::string text = fmt::format("{}", extent.x);
    for (unsigned dimension = 1; dimension < extent.dimensions(); ++dimension)
        text += fmt::format("x{}", extent.along(dimension));
    return text;
}

std::optional<Extent> parse_extent(std::string_view text) {
    std::array<std::uint64_t, 3> sizes{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::uint32_t size = 0;
        const auto [next, error] = std::from_chars(at, end, size);
        if (error != std::errc() || size == 0) return std::nullopt;
        sizes[i] = size;
        if (next == end) return Extent{sizes[0], sizes[1], sizes[2]};
        if (*next != 'x') return std::nullopt;
        at = next + 1;
    }
    return std::nullopt;
}

}  // namespace gridstride
