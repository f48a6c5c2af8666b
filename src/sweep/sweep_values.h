// What a person writes to sweep over: lists and ranges of a parameter's values.
#pragma once

#include <string_view>
#include <vector>

#include "jobs/sweep.h"
#include "lab/request.h"
#include "lesson/lesson.h"

namespace gridstride {

/// "32,64,96"; "1000:1000000:×10" (also :x10 and :*10), both ends and the factor's steps between; "0:100:10",
/// the same with a difference; "u32,f32"; any of these joined by commas. Each value is read as parse() reads
/// it; equal ones count once, and whole numbers are rounded after a fractional factor. Throws Refusal naming
/// the text and what to write; whether the values are in range is examine()'s to say.
std::vector<Value> parse_values(const Parameter& parameter, std::string_view text,
                                const Limits* limits = nullptr);

/// A parameter and the values that were written for it.
struct WrittenValues {
    const Parameter* parameter = nullptr;
    std::string text;
};

/// Axes from what has several values, base values from what has one; the rest is the lesson's default. Throws
/// Refusal with every complaint at once.
SweepSpec sweep_of(const Lesson& lesson, std::vector<std::string> variants,
                   const std::vector<WrittenValues>& written, const Limits& limits);

/// "auto", or a whole number from 1 to 100000. Throws Refusal.
lab::Sampling parse_sampling(std::string_view text);

}  // namespace gridstride
