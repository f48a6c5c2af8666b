#include "launch/extent.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"

namespace gridstride {

std::string text_of(const Extent& extent) {
    std::string text = fmt::format("{}", extent.x);
    for (unsigned dimension = 1; dimension < extent.dimensions(); ++dimension)
        text += fmt::format("x{}", extent.along(dimension));
    return text;
}

std::optional<Extent> parse_extent(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, 'x');
    std::array<std::uint64_t, 3> sizes{};
    if (parts.size() > sizes.size()) return std::nullopt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        sizes[i] = parse_number<std::uint32_t>(parts[i]).value_or(0);
        if (sizes[i] == 0) return std::nullopt;
    }
    return Extent{sizes[0], sizes[1], sizes[2]};
}

}  // namespace gridstride
