#include "gaussian/reference.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "base/parallel_for.h"
#include "gaussian/ways.h"

namespace gridstride::lessons::gaussian {

namespace {

constexpr double ulp = 0x1p-23;
constexpr double smallest_normal_f32 = std::numeric_limits<float>::min();

constexpr std::size_t grain = std::size_t{1} << 14;

ArrayRef share(Array array) {
    return std::make_shared<const Array>(std::move(array));
}

/// The double kernel's own errors, some 1e-13, vanish beside the one rounding to f32 at its end, whose
/// direction is the device's choice.
Tolerance rounded_once() {
    return {smallest_normal_f32, ulp + 0x1p-40};
}

}  // namespace

double density(double x, double mean, double sigma) {
    const double z = (x - mean) / sigma;
    return std::exp(-0.5 * z * z) / (sigma * std::sqrt(2 * std::numbers::pi));
}

double f32_bound(double z, double mean_shift) {
    const double q = 0.5 * z * z;
    constexpr double products_of_errors = 1.01;  // what the sum of the relative errors leaves out
    const double rounding = products_of_errors * (4.5 + 8 * q) * ulp;
    if (mean_shift == 0) return rounding;
    return rounding + products_of_errors * std::expm1(std::abs(z) * mean_shift + mean_shift * mean_shift / 2);
}

double absolute_bound(double sigma) {
    return (density(0, 0, sigma) + 1) * smallest_normal_f32;
}

std::vector<Expected> reference(const Input& input, const Values& values, const Plan& plan) {
    const auto x = get(input, "x").as<float>();
    const double mean = values[key::mean];
    const double sigma = values[key::sigma];
    Array densities(ElementType::f64, x.size());
    const auto reference = densities.as<double>();
    parallel_for(x.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            reference[i] = density(x[i], mean, sigma);
    });
    if (computes_in_double(way_of_kernel(main_dispatch(plan).kernel)))
        return {{"densities", share(std::move(densities)), rounded_once(), nullptr}};

    const double mean_shift = std::abs(double{static_cast<float>(mean)} - mean) / sigma;
    Array allowed(ElementType::f64, x.size());
    const auto bounds = allowed.as<double>();
    parallel_for(x.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            bounds[i] = reference[i] * f32_bound((x[i] - mean) / sigma, mean_shift);
    });
    return {
        {"densities", share(std::move(densities)), {absolute_bound(sigma), 1}, share(std::move(allowed))}};
}

}  // namespace gridstride::lessons::gaussian
