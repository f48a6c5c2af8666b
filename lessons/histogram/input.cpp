#include "histogram/input.h"

#include "base/parallel_for.h"
#include "base/strict_math.h"

namespace gridstride::lessons::histogram {

namespace {

Input named(Array numbers, std::uint32_t width) {
    return {{"values", std::make_shared<const Array>(std::move(numbers)), width}};
}

}  // namespace

Input input(const Values& values) {
    Array numbers(ElementType::f32, values[key::elements]);
    fill_normal_f32(numbers.as<float>(), values[key::seed], 0, 0.0, values[key::spread]);
    return named(std::move(numbers), 0);
}

Input input_from_user(const UserData& data, const Values&) {
    const Array& given = *data.numbers;
    Array numbers(ElementType::f32, given.count());
    const auto out = numbers.as<float>();
    parallel_for(out.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            out[i] = static_cast<float>(given.number(i));
    });
    return named(std::move(numbers), data.width);
}

}  // namespace gridstride::lessons::histogram
