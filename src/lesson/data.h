// What goes into a run and what comes out, on the host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"

namespace gridstride {

struct NamedArray {
    std::string name;
    ArrayRef array;
    std::uint32_t width = 0;  ///< of a picture: elements a row, the first row at the top; 0: no picture
};

const Array& get(const std::vector<NamedArray>& arrays, std::string_view name);  ///< throws std::out_of_range
const Array* find(const std::vector<NamedArray>& arrays, std::string_view name);

/// What the user brought in place of the lesson's own input.
struct UserData {
    ArrayRef numbers;  ///< samples of a .wav (i16, first channel), grey levels of a .png (u8), a column of a
                       ///< .csv (f64), a .npy
    std::uint32_t width = 0;  ///< of a picture: elements a row
    std::string name = {};    ///< the file's, for people
    std::string checksum =
        {};  ///< of the numbers, in hexadecimal: tells inputs apart whatever their names are

    /// The checksum stands for the numbers.
    bool operator==(const UserData& other) const {
        const bool same_numbers = checksum.empty() ? numbers == other.numbers : checksum == other.checksum;
        return same_numbers && name == other.name && width == other.width;
    }
};

using Input = std::vector<NamedArray>;
using Outputs = std::vector<NamedArray>;

/// How far a result may be from its reference: |gpu - reference| <= absolute + relative * scale, where scale
/// is |reference| or, where given, the magnitude that the rounding errors grew from. Both zero: exact.
struct Tolerance {
    double absolute = 0;
    double relative = 0;
};

/// What one output must be.
struct Expected {
    std::string output;        ///< the name of the buffer that holds it
    ArrayRef reference;        ///< the output's own type, or f64 for an output of f32
    Tolerance tolerance = {};  ///< exact
    ArrayRef scale = {};       ///< f64, as long as reference; null: |reference|
};

}  // namespace gridstride
