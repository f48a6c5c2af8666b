#include "lesson/data.h"

#include <stdexcept>

namespace gridstride {

const Array* find(const std::vector<NamedArray>& arrays, std::string_view name) {
    for (const NamedArray& named : arrays)
        if (named.name == name) return named.array.get();
    return nullptr;
}

const Array& get(const std::vector<NamedArray>& arrays, std::string_view name) {
    if (const Array* array = find(arrays, name)) return *array;
    throw std::out_of_range("no array named " + std::string(name));
}

}  // namespace gridstride
