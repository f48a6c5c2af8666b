// Shapes, and where their elements stand in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::tensor {

/// Extents, each at least 1, the outermost first: rows, then columns. Empty: a single number.
using Shape = std::vector<std::uint64_t>;
inline constexpr std::size_t max_extents = 4;
/// Of one tensor: kernels count elements in 32 bits.
inline constexpr std::uint64_t max_elements = std::uint64_t{1} << 31;

std::uint64_t elements_of(const Shape& shape);
std::string text_of(const Shape& shape);  ///< "4096 x 256", "a single number"

/// Rows of bytes begin with a word: what stands between the end of a row and the next is 0.
constexpr std::uint64_t padded(std::uint64_t columns) {
    return (columns + 3) / 4 * 4;
}

/// Throws Refusal, naming the shape, for more extents or elements than there may be, and for an extent of 0.
void require_shape(const Shape& shape);

/// The shape of what is made of both element by element, by the rules of NumPy: extents are compared from the
/// innermost out, and one that is 1 or missing goes with any. Throws Refusal, naming what is made and both
/// shapes.
Shape broadcast(std::string_view what, const Shape& a, const Shape& b);

/// The elements of a shape, seen in memory that may lie otherwise: index i along an extent counts stride
/// elements of memory, none where all see the same.
struct View {
    Shape shape;
    std::vector<std::uint64_t> strides;  ///< by extent
    std::uint64_t offset = 0;

    /// Element by element from the beginning of memory.
    static View whole(Shape shape);

    /// Where in memory an element stands, counted row by row.
    std::uint64_t at(std::uint64_t element) const;
    /// It shows memory element by element from its beginning.
    bool is_whole() const;

    // Each throws Refusal, with what is there and what may be asked for.
    View transposed(std::size_t axis, std::size_t other) const;
    View slice(std::size_t axis, std::uint64_t first, std::uint64_t count) const;
    View broadcast_to(const Shape& to) const;
    /// nullopt: strides cannot say it, the elements would have to be copied first.
    std::optional<View> reshaped(const Shape& to) const;

    /// The same elements in the fewest extents: those that follow one another in memory are one.
    View collapsed() const;

    bool operator==(const View&) const = default;
};

}  // namespace gridstride::tensor
