// A vector of numbers whose elements are uninitialised until they are assigned.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace gridstride {

template <class T>
struct UninitializedAllocator : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = UninitializedAllocator<U>;
    };
    /// Leaves the element uninitialised if there are no arguments.
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        if constexpr (sizeof...(Args) > 0) std::construct_at(at, std::forward<Args>(args)...);
    }
};

/// Threads that fill their own parts of a large vector also share the work of mapping its memory.
template <class T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace gridstride
