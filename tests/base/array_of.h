// Makes arrays of numbers, for the inputs, outputs and pictures of tests.
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
