// What a person asks for: a value that travels whole, from the bench to the lab and back inside the report.
// And what goes into a run and what comes out, on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/tolerance.h"
#include "launch/kernel_source.h"
#include "lesson/param.h"

namespace gridstride {

/// What the user brought in place of the lesson's own input.
struct UserData {
    ArrayRef
        numbers;  ///< samples of a .wav (i16), grey levels of a .png (u8), columns of a .csv (f64), a .npy
    std::uint32_t width = 0;  ///< of a picture or a matrix: numbers a row; 0: of one line
    std::string name = {};    ///< the file's, for people
    std::string checksum =
        {};                   ///< of the numbers, in hexadecimal: tells inputs apart whatever their names are
    std::string taken = {};   ///< what of the file, for people: "column `value`, 1 204 rows"
    std::string stored = {};  ///< Numbers::stored
    std::vector<std::string> remarks = {};  ///< sentences: what was changed or left out as it was read

    /// The checksum stands for the numbers.
    bool operator==(const UserData& other) const {
        const bool same_numbers = checksum.empty() ? numbers == other.numbers : checksum == other.checksum;
        return same_numbers && name == other.name && width == other.width;
    }
};

struct Experiment {
    std::string lesson;   ///< its id
    std::string variant;  ///< its id
    Values values;        ///< of all the lesson's parameters, the seed among them
    UserData input;       ///< the user's own; without numbers: the lesson's
    /// Of the person's own, in place of the one that the variant shows; nullopt: the lesson's.
    std::optional<KernelSource> kernel;
    std::string lesson_version = {};  ///< Lesson::version
    bool operator==(const Experiment&) const = default;
};
/// Whichever kernels they have.
inline bool same_settings(const Experiment& a, const Experiment& b) {
    return a.lesson == b.lesson && a.lesson_version == b.lesson_version && a.variant == b.variant &&
           a.values == b.values && a.input == b.input;
}

struct NamedArray {
    std::string name;
    ArrayRef array;
    std::uint32_t width =
        0;  ///< of a picture or matrix: elements a row, the first row at the top; 0: one line
    std::vector<std::string> remarks = {};  ///< of one that was read from a file: see remarks_on()
};

inline const Array* find(const std::vector<NamedArray>& arrays, std::string_view name) {
    for (const NamedArray& named : arrays)
        if (named.name == name) return named.array.get();
    return nullptr;
}
/// Throws std::out_of_range.
inline const Array& get(const std::vector<NamedArray>& arrays, std::string_view name) {
    if (const Array* array = find(arrays, name)) return *array;
    throw std::out_of_range("no array named " + std::string(name));
}

/// The same, to share it; null where there is none.
inline ArrayRef find_ref(const std::vector<NamedArray>& arrays, std::string_view name) {
    for (const NamedArray& named : arrays)
        if (named.name == name) return named.array;
    return nullptr;
}

using Input = std::vector<NamedArray>;
using Outputs = std::vector<NamedArray>;

struct Expected;

/// How a matrix is judged that would take too long to be computed again. Each of its rows is multiplied by a
/// vector of random numbers, and the product compared: a wrong row has the right product by rare chance alone
/// (R. Freivalds, "Probabilistic machines can use less running time", IFIP Congress 1977). Number by number
/// are compared some rows, and those whose product is not right, which decide.
struct ByRows {
    ArrayRef vector;  ///< f64, as long as a row
    double step = 0;  ///< a row whose numbers are not all whole multiples of this has no product; 0: any has
    std::vector<std::uint64_t> sampled;  ///< the rows that are compared number by number in any case
    std::function<Expected(std::uint64_t row)> row;  ///< computes what one must be
};

/// What one output must be.
struct Expected {
    std::string output;  ///< the name of the buffer that holds it
    /// The output's own type, or f64 for an output of f32. Null: nobody knows what is right, as the note
    /// says, and it is not judged.
    ArrayRef reference;
    Tolerance tolerance = {};  ///< exact
    ArrayRef scale = {};       ///< f64 or f32, as long as reference; null: |reference|
    /// u8, as long as the reference, of an output of f32: where it is 1, NaN is right besides. Null: nowhere.
    ArrayRef nan_allowed = {};
    /// The result also tells, as a fact, how far this output came out from its reference, at most; without an
    /// id it does not.
    std::string distance_id = {}, distance_label = {};
    bool distance_in_scale = false;  ///< in units of `scale`
    /// Of a matrix that is judged so, reference, tolerance and scale are those of the products of its rows.
    std::optional<ByRows> by_rows = {};
    std::string by = "the reference";  ///< who says so, as messages name it
    std::string note = {};             ///< a sentence that belongs to the verdict; empty: none
};

}  // namespace gridstride
