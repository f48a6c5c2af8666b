// What the files of this lesson share: its parameters, its generators, and its pictures.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lesson/lesson.h"

namespace gridstride::lessons::monte_carlo_pi {

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> seeds{"seeds"};
}  // namespace key

/// Four random words for each (number, seed): x and y of points 2 * number and 2 * number + 1, whole numbers
/// of which 2^32 would be the radius.
using Generator = std::array<std::uint32_t, 4> (*)(std::uint32_t number, std::uint32_t seed);

/// A way to find pi: in the square [0, 1)^2 with its quarter of a circle or, as the exercise has it, in the
/// cube with its eighth of a ball.
struct Shape {
    double factor;  ///< pi is so many times the part of the points that hit
    /// Standard deviation of what `count` points say of pi.
    double sigma(std::uint64_t count) const;
};
constexpr Shape circle{4}, ball{6};

/// What a run's hits say of pi, one estimate for each seed.
std::vector<double> estimates_of(const Values& values, const Outputs& outputs, Shape shape);

/// "points", computed: the first points of the generator, in the square with its quarter of a circle;
/// "estimates", what each seed's points say of pi; "error", measured: distance to pi against points, from the
/// runs so far.
std::vector<Plot> pictures(const PictureInput& input);

/// Of one of the lesson's variants.
Generator generator_of(const Variant& variant);

}  // namespace gridstride::lessons::monte_carlo_pi
