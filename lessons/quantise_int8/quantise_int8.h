// What the files of this lesson share: its parameters, how numbers become bytes, and its pictures.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "launch/row_team.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::quantise_int8 {

enum class Scheme { one_step_and_zero, symmetric, by_row };
enum class Dot { automatic, instruction, shifts };

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> columns{"columns"}, rows{"rows"}, vectors{"vectors"};
inline constexpr Key<double> mean{"mean"}, outlier{"outlier"};
inline constexpr Key<Scheme> scheme{"scheme"};
inline constexpr Key<Dot> dot{"dot"};
}  // namespace key

/// With more a sum of products could leave 32 bits: 65 536 * 255 * 127 is less than 2^31.
constexpr std::uint64_t most_columns = 1 << 16;

/// Rows of bytes begin with a word: what stands between the end of a row and the next is 0.
constexpr std::uint64_t padded(std::uint64_t columns) {
    return divide_up(columns, 4) * 4;
}

/// A byte q stands for (q - zero_point) * step.
struct Places {
    float step = 1;
    std::int32_t zero_point = 0;

    double number_at(std::int8_t q) const { return double{step} * (q - zero_point); }
};
/// For numbers of this range; 0 is always among them.
Places places_for(Scheme scheme, float smallest, float largest);
/// The nearest place's byte; from the middle between two the one that is an even number of steps from 0.
std::int8_t byte_of(float number, const Places& places);

/// A matrix as bytes, rows of padded(columns).
struct Quantised {
    ArrayRef bytes, steps, zero_points;  ///< i8; f32 and i32, one for all or one for each row
};
Quantised quantise(const Array& numbers, std::uint64_t columns, Scheme scheme);
/// Of a row, where the lesson's input holds them.
Places places_of_row(const Input& input, std::uint64_t row);

// What is right. Of the products each result is judged twice: by what it is with numbers that were rounded,
// and by how far that may be from the product of those that were not.
std::vector<Expected> round_trip(const Input& input, const Prepared& asked);
std::vector<Expected> product_of_f32(const Input& input, const Prepared& asked);
std::vector<Expected> product_of_int8_weights(const Input& input, const Prepared& asked);
std::vector<Expected> product_of_int8(const Input& input, const Prepared& asked);
std::vector<Expected> squared_distances(const Input& input, const Prepared& asked);

/// Row `row` times vector `vector` as they were before any was rounded.
double exact_result(const Input& input, const Values& values, std::uint64_t row, std::uint64_t vector);

/// Who does a row: see shaders/common/row_team.glsl.
RowTeam team_of(const Values& values, const Limits& limits);

/// "weights", before; "places", how many weights stand at each; "errors", in steps, along the weights;
/// "steps", those of rows; "schemes", bytes and error of each; "words", the first of a row and what comes of
/// them; "results", how far each is from what it was before, and may be. Those of the weights are computed
/// before the first run.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::quantise_int8
