#include "gaussian/parameters.h"

#include <cmath>
#include <numbers>
#include <string>

namespace gridstride::lessons::gaussian {

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = common_parameters(1000000, 256);
    // x lies in [-3, 3): with a mean beyond 10 nearly every bell is out of sight.
    all.push_back({.id = std::string(key::mean.id),
                   .label = "Mean",
                   .unit = "",
                   .help = "Where the bell has its middle; x lies between -3 and 3.",
                   .fallback = 0.0,
                   .minimum = -10,
                   .maximum = 10,
                   .shapes_input = false});
    // Below 0.001 the rounding of x and of the mean to f32 (up to 5e-7) is no longer small beside sigma, and
    // an f32 answer says little about the definition; at 1e-20 its square would overflow. Above 1000 the
    // curve is flat to four digits between -3 and 3.
    all.push_back({.id = std::string(key::sigma.id),
                   .label = "Sigma",
                   .unit = "",
                   .help = "The standard deviation, above 0: how wide the bell is.",
                   .fallback = 1.0,
                   .minimum = 0.001,
                   .maximum = 1000,
                   .scale = Scale::logarithmic,
                   .shapes_input = false});
    return all;
}

template <class T>
Curve<T> curve(const Values& values) {
    const double sigma = values[key::sigma];
    return {static_cast<T>(values[key::mean]), static_cast<T>(1 / sigma),
            static_cast<T>(1 / (sigma * std::sqrt(2 * std::numbers::pi)))};
}
template Curve<float> curve<float>(const Values& values);
template Curve<double> curve<double>(const Values& values);

}  // namespace gridstride::lessons::gaussian
