// Parses the values of a sweep: lists and ranges.
#pragma once

#include <string_view>
#include <vector>

#include "jobs/sweep.h"
#include "lab/request.h"
#include "lesson/lesson.h"

namespace gridstride {

/// Parses the values of a parameter. The text is a comma-separated list of single values ("32,64,96",
/// "u32,f32"), arithmetic ranges ("0:100:10") and geometric ranges ("1000:1000000:×10", also :x10 and :*10).
/// Ranges include both ends. Single values have the syntax of parse(). Duplicates are dropped, and a
/// fractional factor yields rounded whole numbers. Throws Refusal with the text and the expected syntax. Does
/// not check whether the device allows the values; the sweep does.
std::vector<Value> parse_values(const Parameter& parameter, std::string_view text,
                                const Limits* limits = nullptr);

struct ParameterText {
    const Parameter* parameter = nullptr;
    std::string text;
};

/// Parameters with several values become axes, those with one value set the base, and the others keep the
/// lesson's default. Throws Refusal with all errors.
SweepSpec make_sweep_spec(const Lesson& lesson, std::vector<std::string> variants,
                          const std::vector<ParameterText>& written, const Limits& limits);

/// Parses "auto", or a whole number from 1 to 100000. Throws Refusal.
lab::Sampling parse_sampling(std::string_view text);

}  // namespace gridstride
