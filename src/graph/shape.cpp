#include "graph/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/units.h"

namespace gridstride::tensor {

std::uint64_t element_count(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

std::string text_of(const Shape& shape) {
    return shape.empty() ? "a single number" : fmt::format("{}", fmt::join(shape, " x "));
}

void require_shape(const Shape& shape, std::uint64_t max_count) {
    if (shape.size() > max_extents)
        throw Refusal(fmt::format("A tensor of {} has {} extents; there can be {} at most. Reshape it.",
                                  text_of(shape), shape.size(), max_extents));
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : shape) {
        if (extent == 0)
            throw Refusal(
                fmt::format("A tensor of {} has no elements. Make each extent 1 or more.", text_of(shape)));
        if (extent > max_count / elements)
            throw Refusal(fmt::format(
                "A tensor of {} is too large: it can have {} elements at most. Use smaller extents.",
                text_of(shape), format_count(max_count)));
        elements *= extent;
    }
}

Shape broadcast(std::string_view what, const Shape& a, const Shape& b) {
    Shape both(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 1; i <= both.size(); ++i) {
        const std::uint64_t extent_a = i <= a.size() ? a[a.size() - i] : 1,
                            extent_b = i <= b.size() ? b[b.size() - i] : 1;
        if (extent_a != extent_b && extent_a != 1 && extent_b != 1)
            throw Refusal(
                fmt::format("{} of {} and {} is not possible: from the right, the extents {} and {} differ "
                            "and neither is 1. Reshape or transpose one of them.",
                            what, text_of(a), text_of(b), extent_a, extent_b));
        both[both.size() - i] = extent_a == 1 ? extent_b : extent_a;
    }
    return both;
}

View View::whole(Shape shape) {
    std::vector<std::uint64_t> strides(shape.size());
    std::uint64_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i])
        strides[i] = stride;
    return {std::move(shape), std::move(strides), 0};
}

std::uint64_t View::at(std::uint64_t element) const {
    std::uint64_t place = offset;
    for (std::size_t i = shape.size(); i-- > 0; element /= shape[i])
        place += element % shape[i] * strides[i];
    return place;
}

bool View::is_whole() const {
    const View same = collapsed();
    return same.offset == 0 && (same.shape.empty() || (same.shape.size() == 1 && same.strides[0] == 1));
}

namespace {
void require_axis(const View& view, std::size_t axis) {
    if (axis >= view.shape.size())
        throw Refusal(fmt::format(
            "A tensor of {} has no axis {}: axes count from 0, and there are {}. Use a smaller number.",
            text_of(view.shape), axis, view.shape.size()));
}
}  // namespace

View View::transposed(std::size_t axis, std::size_t other) const {
    require_axis(*this, axis);
    require_axis(*this, other);
    View view = *this;
    std::swap(view.shape[axis], view.shape[other]);
    std::swap(view.strides[axis], view.strides[other]);
    return view;
}

View View::slice(std::size_t axis, std::uint64_t first, std::uint64_t count) const {
    require_axis(*this, axis);
    if (count == 0 || first >= shape[axis] || count > shape[axis] - first)
        throw Refusal(
            fmt::format("A slice of {} from {} exceeds axis {} of {}, which has {}. Take from 1 to as "
                        "many elements as it has.",
                        count, first, axis, text_of(shape), counted(shape[axis], "element")));
    View view = *this;
    view.offset += first * strides[axis];
    view.shape[axis] = count;
    return view;
}

View View::broadcast_to(const Shape& to) const {
    const auto refuse = [&] {
        throw Refusal(
            fmt::format("{} cannot be broadcast to {}: from the right, each of its extents must be "
                        "1 or the same. Reshape it first.",
                        text_of(shape), text_of(to)));
    };
    require_shape(to, UINT64_MAX);
    if (to.size() < shape.size()) refuse();
    View view{to, std::vector<std::uint64_t>(to.size(), 0), offset};
    const std::size_t missing = to.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] != to[missing + i] && shape[i] != 1) refuse();
        if (shape[i] == to[missing + i]) view.strides[missing + i] = strides[i];
    }
    return view;
}

/// Merges contiguous extents into runs. Each run must be the product of consecutive new extents.
std::optional<View> View::reshaped(const Shape& to) const {
    require_shape(to, UINT64_MAX);
    if (element_count(to) != element_count(shape))
        throw Refusal(
            fmt::format("{} cannot be reshaped to {}: that is {}, but the tensor has {}. Use extents "
                        "with the same product.",
                        text_of(shape), text_of(to), counted(element_count(to), "element"),
                        format_count(element_count(shape))));
    const View runs = collapsed();
    View view{to, std::vector<std::uint64_t>(to.size(), 0), offset};
    std::size_t next = to.size();
    std::uint64_t stride = 1;
    for (std::size_t run = runs.shape.size(); run-- > 0;) {
        stride = runs.strides[run];
        for (std::uint64_t elements = runs.shape[run]; elements > 1;) {
            if (next == 0) return std::nullopt;
            const std::uint64_t extent = to[--next];
            if (elements % extent != 0) return std::nullopt;
            view.strides[next] = stride;
            stride *= extent;
            elements /= extent;
        }
    }
    // Leading extents of 1 get the stride that a contiguous tensor has.
    while (next > 0)
        view.strides[--next] = stride;
    return view;
}

View View::collapsed() const {
    View view{{}, {}, offset};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 1) continue;
        if (!view.shape.empty() && view.strides.back() == shape[i] * strides[i]) {
            view.shape.back() *= shape[i];
            view.strides.back() = strides[i];
        } else {
            view.shape.push_back(shape[i]);
            view.strides.push_back(strides[i]);
        }
    }
    return view;
}

void require_axis(std::string_view operation, const Shape& shape, std::size_t axis) {
    if (axis >= shape.size())
        throw Refusal(
            fmt::format("The {} over axis {} of {} is not possible: axes count from 0, and there are {}.",
                        operation, axis, text_of(shape), shape.size()));
}

}  // namespace gridstride::tensor
