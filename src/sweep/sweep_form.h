// The form that defines a sweep: parameters, values, variants, samples. sweep_form_view.cpp draws it.
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
    std::map<std::string, std::string> texts;            ///< the text that the user typed, by parameter id
    SweptVariants variants = SweptVariants::bench;
    std::set<std::string> selected;  ///< for SweptVariants::some
    std::string samples = "auto";
    bool operator==(const SweepForm&) const = default;
};

/// Returns the initial form: a sweep over the workgroup size, or over the first parameter if the lesson has
/// no workgroup size.
SweepForm default_form(const PreparedExperiment& bench);

/// Returns about eight useful values in the syntax of parse_values(): powers of two or decades around the
/// current value within the device's limits, or every choice of a choice parameter. If the input defines a
/// range for the parameter, `input_range`, the values cover that range.
std::string suggest_values(const Parameter& parameter, const Value& current_value, const Limits& device,
                           std::optional<ValueRange> input_range = std::nullopt);

struct ExaminedForm {
    struct Line {
        std::string text;
        bool is_bad = false;
    };
    std::array<Line, max_sweep_axes> axes;  ///< "8 values, from 8 to 1 024", or an error
    std::string samples_problem;            ///< empty if there is none
    std::vector<std::string> problems;      ///< further errors that prevent the start
    std::string cells;                      ///< "24 cells: 8 values × 3 variants."
    std::string refused;                    ///< "2 of them are refused …"; empty if none is
    std::optional<SweepSpec> spec;          ///< nullopt: the sweep cannot start
};
/// Prepares every combination, so do not call it in each frame.
ExaminedForm examine_form(const SweepForm& form, const PreparedExperiment& bench);

}  // namespace gridstride
