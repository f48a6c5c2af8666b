// What a person fills in to sweep: parameters, values, variants, samples. A value; sweep_form_view.cpp draws
// it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobs/sweep.h"
#include "lesson/lesson.h"

namespace gridstride {

enum class SweptVariants : std::size_t { bench, all, some };

struct SweepForm {
    std::array<std::string, max_sweep_axes> parameters;  ///< ids; the second may be empty
    std::map<std::string, std::string> texts;            ///< by parameter, as written
    SweptVariants variants = SweptVariants::bench;
    std::set<std::string> ticked;  ///< of some
    std::string samples = "auto";
    bool operator==(const SweepForm&) const = default;
};

/// The form as it is first shown: over the workgroup size, where the lesson has one.
SweepForm first_form(const Prepared& bench);

/// Values worth a try, as parse_values() reads them: powers of two or decades around what the bench holds,
/// within the device's limits, every choice of a choice; about eight of them. of_input: where the input gives
/// the parameter a range, over that.
std::string suggested_values(const Parameter& parameter, const Value& at_bench, const Limits& device,
                             std::optional<ValueRange> of_input = std::nullopt);

/// What is to be said of a form before its sweep starts.
struct ExaminedForm {
    struct Line {
        std::string text;
        bool bad = false;
    };
    std::array<Line, max_sweep_axes> axes;  ///< "8 values, from 8 to 1 024", or why not
    std::string samples_problem;            ///< empty: none
    std::vector<std::string> problems;      ///< why it cannot start, beside what stands above
    std::string cells;                      ///< "24 cells: 8 values × 3 variants."
    std::string refused;                    ///< "2 of them are refused …"; empty: none
    std::optional<SweepSpec> spec;          ///< nullopt: it cannot start
};
/// Examines every combination: not for every frame.
ExaminedForm examine_form(const SweepForm& form, const Prepared& bench);

}  // namespace gridstride
