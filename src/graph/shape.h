// Shapes of tensors, and views: the positions of their elements in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::tensor {

/// Extents, each at least 1, the outermost first: rows, then columns. An empty shape is a single number.
using Shape = std::vector<std::uint64_t>;
inline constexpr std::size_t max_extents = 4;
/// The maximum number of elements of a tensor. Kernels index elements with 32 bits.
inline constexpr std::uint64_t max_elements = std::uint64_t{1} << 31;

std::uint64_t element_count(const Shape& shape);
std::string text_of(const Shape& shape);  ///< "4096 x 256", "a single number"

/// Returns the row pitch of a matrix of bytes: rows begin at a 32-bit word, and the padding is 0.
constexpr std::uint64_t padded(std::uint64_t columns) {
    return (columns + 3) / 4 * 4;
}

/// Throws Refusal for more than max_extents extents, more than `max_count` elements, or an extent of 0.
void require_shape(const Shape& shape, std::uint64_t max_count = max_elements);

/// Broadcasts two shapes by NumPy's rules: extents are compared from the innermost out; an extent that is 1
/// or missing matches any. Throws Refusal, which names the operation `what` and both shapes.
Shape broadcast(std::string_view what, const Shape& a, const Shape& b);

/// A strided view of memory. Strides are in elements; a stride of 0 repeats the same elements.
struct View {
    Shape shape;
    std::vector<std::uint64_t> strides;  ///< by extent
    std::uint64_t offset = 0;

    /// Returns a contiguous, row-major view from the beginning of memory.
    static View whole(Shape shape);

    /// Returns the index in memory of an element, given by its row-major index.
    std::uint64_t at(std::uint64_t element) const;
    /// Returns whether the view is contiguous, row-major, and begins at offset 0.
    bool is_whole() const;

    // These throw Refusal for invalid arguments.
    View transposed(std::size_t axis, std::size_t other) const;
    View slice(std::size_t axis, std::uint64_t first, std::uint64_t count) const;
    View broadcast_to(const Shape& to) const;
    /// Returns nullopt if strides cannot express the shape, so the elements must be copied first.
    std::optional<View> reshaped(const Shape& to) const;

    /// Returns the same elements with as few extents as possible, by merging contiguous ones.
    View collapsed() const;

    bool operator==(const View&) const = default;
};

/// Throws Refusal, which names the operation, unless the shape has the axis.
void require_axis(std::string_view operation, const Shape& shape, std::size_t axis);

}  // namespace gridstride::tensor
