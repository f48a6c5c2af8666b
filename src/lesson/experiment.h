// The settings of a run, and its input and output arrays on the host. An Experiment is a plain value: the
// bench sends it to the lab, and the report returns it.
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

/// Numbers from a user's file, which replace the lesson's own input.
struct UserData {
    /// Samples of a .wav (i16), grey levels of a .png (u8), columns of a .csv (f64), or an .npy.
    ArrayRef numbers;
    std::uint32_t width = 0;       ///< numbers per row of a picture or matrix; 0: one dimension
    std::string name = {};         ///< the file's name, for display
    std::string checksum = {};     ///< of the numbers, hexadecimal: identifies the input whatever its name is
    std::string selection = {};    ///< the selection, for display: "column `value`, 1 204 rows"
    std::string stored_type = {};  ///< Numbers::stored_type
    std::vector<std::string> remarks = {};  ///< sentences: what reading changed or left out

    /// Compares checksums, if there are any, instead of the numbers.
    bool operator==(const UserData& other) const {
        const bool same_numbers = checksum.empty() ? numbers == other.numbers : checksum == other.checksum;
        return same_numbers && name == other.name && width == other.width;
    }
};

struct Experiment {
    std::string lesson;   ///< its id
    std::string variant;  ///< its id
    Values values;        ///< of all the lesson's parameters, including the seed
    UserData input;       ///< the user's input; without numbers, the lesson's own is used
    /// The user's own kernel or program; nullopt: the variant's.
    std::optional<KernelSource> kernel;
    std::string lesson_version = {};  ///< Lesson::version
    bool operator==(const Experiment&) const = default;
};
/// Compares all members but the kernel.
inline bool same_settings(const Experiment& a, const Experiment& b) {
    return a.lesson == b.lesson && a.lesson_version == b.lesson_version && a.variant == b.variant &&
           a.values == b.values && a.input == b.input;
}

struct NamedArray {
    std::string name;
    ArrayRef array;
    /// Elements per row of a picture or matrix, whose first row is at the top; 0: one dimension.
    std::uint32_t width = 0;
    std::vector<std::string> remarks = {};  ///< of an array read from a file: see conversion_remarks()
};

/// Returns null if no array has this name.
inline const Array* find(const std::vector<NamedArray>& arrays, std::string_view name) {
    for (const NamedArray& named : arrays)
        if (named.name == name) return named.array.get();
    return nullptr;
}
/// Throws std::out_of_range if no array has this name.
inline const Array& get(const std::vector<NamedArray>& arrays, std::string_view name) {
    if (const Array* array = find(arrays, name)) return *array;
    throw std::out_of_range("no array named " + std::string(name));
}

/// Returns the array for shared ownership, or null if no array has this name.
inline ArrayRef find_ref(const std::vector<NamedArray>& arrays, std::string_view name) {
    for (const NamedArray& named : arrays)
        if (named.name == name) return named.array;
    return nullptr;
}

using Input = std::vector<NamedArray>;
using Outputs = std::vector<NamedArray>;

struct Expected;

/// Freivalds' check of a matrix that would take too long to compute again: each row is multiplied by a random
/// vector, and the products are compared. A wrong row rarely has the right product (R. Freivalds,
/// "Probabilistic machines can use less running time", IFIP Congress 1977). The sampled rows, and the rows
/// whose product differs, are then compared element by element; that comparison gives the verdict.
struct FreivaldsCheck {
    ArrayRef vector;  ///< f64, with one number per column
    /// If not 0, a row with an element that is not a whole multiple of this counts as differing.
    double step = 0;
    std::vector<std::uint64_t> sampled;              ///< rows that are always compared element by element
    std::function<Expected(std::uint64_t row)> row;  ///< computes the reference of one row
};

/// A reference that a kernel computes, on a software device and in a process of its own.
struct ReferenceKernel {
    std::string variant;  ///< in Lesson::references; it has the output whose reference it computes
    /// Returns the reference of these numbers, with its tolerance. Throws Refusal if they do not fit the
    /// output.
    std::function<Expected(const ArrayRef& numbers)> expect;
};

/// The reference of one output.
struct Expected {
    std::string output;  ///< the name of the buffer that holds it
    /// Has the output's type, or f64 for an output of f32. If null, the output is not judged; the note says
    /// why.
    ArrayRef reference;
    Tolerance tolerance = {};  ///< exact by default
    ArrayRef scale = {};       ///< f64 or f32, with an element for each of the reference; null: |reference|
    /// For an output of f32: u8, with an element for each of the reference. 1 accepts NaN as well. Null: NaN
    /// is never accepted.
    ArrayRef nan_allowed = {};
    /// If the id is not empty, the report gets a fact with the largest distance of the output from its
    /// reference.
    std::string distance_id = {}, distance_label = {};
    bool distance_in_scale = false;  ///< the distance is in units of `scale`
    /// If set, reference, tolerance and scale are those of the rows' products.
    std::optional<FreivaldsCheck> row_check = {};
    /// If not empty, reference, tolerance and scale are those of these rows only, in this order. The other
    /// elements of a floating-point output must have been written.
    std::vector<std::uint64_t> rows = {};
    /// Returns whether the reference has all elements of the output.
    bool is_whole() const { return reference && !row_check && rows.empty(); }
    std::string source = {};  ///< what the reference is, for messages; empty: the lesson's own
    std::string note = {};    ///< a sentence shown with the verdict; empty: none
    /// If set, the kernel has not run yet, and `reference` is null.
    std::optional<ReferenceKernel> kernel = {};
    /// A sentence that says why the reference could not be computed, so that the run is unjudged; `reference`
    /// is null then. Empty: it was computed, or the output has no expectation.
    std::string failure = {};
};

}  // namespace gridstride
