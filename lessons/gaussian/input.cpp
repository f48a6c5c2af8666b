#include "gaussian/input.h"

#include "base/parallel_for.h"
#include "base/random.h"

namespace gridstride::lessons::gaussian {

Input input(const Values& values) {
    Array x(ElementType::f32, values[key::elements]);
    const auto numbers = x.as<float>();
    fill_uniform_f32(numbers, values[key::seed], 0);
    parallel_for(numbers.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            numbers[i] = static_cast<float>(lowest_x + (highest_x - lowest_x) * double{numbers[i]});
    });
    return {{"x", std::make_shared<const Array>(std::move(x))}};
}

}  // namespace gridstride::lessons::gaussian
