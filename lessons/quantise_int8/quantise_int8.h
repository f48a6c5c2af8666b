// What the files of this lesson share: its parameters, how numbers become bytes, and its pictures.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lesson/lesson.h"
#include "tensor/bytes.h"

namespace gridstride::lessons::quantise_int8 {

using tensor::padded;
using tensor::Places;
using tensor::places_for;
using tensor::Scheme;
enum class Dot { automatic, instruction, shifts };

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> columns{"columns"}, rows{"rows"}, vectors{"vectors"};
inline constexpr Key<double> mean{"mean"}, outlier{"outlier"};
inline constexpr Key<Scheme> scheme{"scheme"};
inline constexpr Key<Dot> dot{"dot"};
}  // namespace key

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
