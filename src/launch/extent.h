// One, two or three numbers: elements, workgroups or invocations along x, y and z.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gridstride {

/// A dimension that is 0 is absent. In a grid that the lesson chooses ("auto"), x is 0 as well.
struct Extent {
    std::uint64_t x = 1, y = 0, z = 0;

    constexpr unsigned dimensions() const { return z > 0 ? 3 : y > 0 ? 2 : 1; }
    /// Returns the size along x (0), y (1) or z (2); 1 if the dimension is absent.
    constexpr std::uint64_t along(unsigned dimension) const {
        const std::uint64_t size = dimension == 0 ? x : dimension == 1 ? y : z;
        return size > 0 ? size : 1;
    }
    constexpr std::uint64_t product() const { return x * along(1) * along(2); }
    constexpr bool operator==(const Extent&) const = default;
};

std::string text_of(const Extent& extent);  ///< "256", "16x16", "8x8x4"
/// Parses digits separated by x, each number at least 1. Returns nullopt for other text, or if a number does
/// not fit 32 bits.
std::optional<Extent> parse_extent(std::string_view text);

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
    return (a + b - 1) / b;
}
/// Returns how many tiles cover `whole` in each dimension.
constexpr Extent divide_up(const Extent& whole, const Extent& tile) {
    return {divide_up(whole.x, tile.x), whole.y > 0 ? divide_up(whole.y, tile.along(1)) : 0,
            whole.z > 0 ? divide_up(whole.z, tile.along(2)) : 0};
}

}  // namespace gridstride
