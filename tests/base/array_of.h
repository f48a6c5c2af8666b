// Makes an Array, as inputs, outputs and pictures hold it, from numbers.
#pragma once

#include <memory>
#include <vector>

#include "base/array.h"

namespace gridstride::test {

template <class T>
ArrayRef array_of(const std::vector<T>& numbers) {
    return std::make_shared<const Array>(Array::of<T>(numbers));
}

}  // namespace gridstride::test
