#include "histogram/parameters.h"

#include <string>

namespace gridstride::lessons::histogram {

namespace {

/// Far enough from the largest f32 (3.4e38) and, for its reciprocal, from the smallest, that no difference
/// and no quotient of range ends overflows.
constexpr double largest_end = 1e30;

}  // namespace

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = common_parameters(10000, 256);
    all.push_back({.id = std::string(key::bins.id),
                   .label = "Bins",
                   .unit = "bins",
                   .help = "Into how many bins of equal width the range is divided.",
                   .fallback = std::uint64_t{10},
                   .minimum = 1,
                   .maximum = 4096,
                   .scale = Scale::logarithmic,
                   .shapes_input = false});
    all.push_back({.id = std::string(key::range_min.id),
                   .label = "Range from",
                   .unit = "",
                   .help = "The least number that is counted; what is below is ignored.",
                   .fallback = -4.0,
                   .minimum = -largest_end,
                   .maximum = largest_end,
                   .shapes_input = false});
    all.push_back({.id = std::string(key::range_max.id),
                   .label = "Range to",
                   .unit = "",
                   .help = "Numbers below it are counted; it and what is above are ignored.",
                   .fallback = 4.0,
                   .minimum = -largest_end,
                   .maximum = largest_end,
                   .shapes_input = false});
    all.push_back(
        {.id = std::string(key::spread.id),
         .label = "Spread",
         .unit = "",
         .help =
             "The standard deviation of the random numbers: the smaller, the more of them meet in one bin.",
         .fallback = 1.0,
         .minimum = 1e-6,
         .maximum = 1000,
         .scale = Scale::logarithmic});
    return all;
}

}  // namespace gridstride::lessons::histogram
