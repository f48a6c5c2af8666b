#include "sweep/sweep_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace gridstride {

namespace {

Refusal make_refusal(const Parameter& parameter, std::string_view text, std::string_view reason) {
    return Refusal(fmt::format("{} = {}: {}", parameter.id, text, reason));
}

struct Step {
    bool factor = false;
    double by = 0;
};

Step parse_step(const Parameter& parameter, std::string_view full_text, std::string_view text) {
    Step step;
    for (const std::string_view sign : {"×", "x", "*"}) {
        if (!text.starts_with(sign)) continue;
        step.factor = true;
        text.remove_prefix(sign.size());
        break;
    }
    const std::optional<double> by = parse_number<double>(text);
    const double minimum = step.factor ? 1 : 0;
    if (!by || !std::isfinite(*by) || !(*by > minimum))
        throw make_refusal(parameter, full_text,
                           step.factor
                               ? "the factor must be a number above 1. Write for instance 1000:1000000:×10."
                               : "the step must be a number above 0, or a factor such as ×2.");
    step.by = *by;
    if (!step.factor && std::holds_alternative<std::uint64_t>(parameter.default_value) &&
        step.by != std::floor(step.by))
        throw make_refusal(parameter, full_text, "the step between whole numbers must be a whole number.");
    return step;
}

double parse_range_end(const Parameter& parameter, std::string_view full_text, std::string_view text,
                       const Limits* limits) {
    const Value value = parse(parameter, text, limits);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (text == "auto")
        throw make_refusal(parameter, full_text, "auto cannot be an end of a range. Give a number.");
    return static_cast<double>(std::get<std::uint64_t>(value));
}

/// Rounds to 12 digits: 0:1:0.1 must contain 0.3 itself, not 0.30000000000000004.
double round_to_12_digits(double value) {
    return parse_number<double>(fmt::format("{:.12g}", value)).value_or(value);
}

void add_extents(const Parameter& parameter, std::string_view text, const Limits* limits,
                 std::vector<Value>& values) {
    const std::vector<std::string_view> parts = split(text, ':');
    const Step step = parts.size() == 3 ? parse_step(parameter, text, parts[2]) : Step{};
    if (!step.factor || step.by != std::floor(step.by))
        throw make_refusal(parameter, text,
                           "a range of extents is written first:last:×factor, for instance 4x4:32x32:×2.");
    const auto end = [&](std::string_view part) { return std::get<Extent>(parse(parameter, part, limits)); };
    const auto by = static_cast<std::uint64_t>(step.by);
    const Extent last = end(parts[1]);
    const auto beyond = [&](const Extent& at) { return at.x > last.x || at.y > last.y || at.z > last.z; };
    for (Extent at = end(parts[0]); !beyond(at); at = {at.x * by, at.y * by, at.z * by})
        values.emplace_back(at);
    if (values.empty())
        throw make_refusal(parameter, text, "the range goes down. Give the smaller end first.");
}

void add_range(const Parameter& parameter, std::string_view text, const Limits* limits,
               std::vector<Value>& values) {
    const std::vector<std::string_view> parts = split(text, ':');
    if (!parameter.choices.empty())
        throw make_refusal(parameter, text,
                           fmt::format("choices have no ranges. List values separated by commas: {}.",
                                       describe_range(parameter, limits)));
    if (std::holds_alternative<Extent>(parameter.default_value))
        return add_extents(parameter, text, limits, values);
    if (parts.size() != 3)
        throw make_refusal(
            parameter, text,
            "a range is written first:last:step, for instance 0:100:10, or first:last:×factor.");
    const double first = parse_range_end(parameter, text, parts[0], limits);
    const double last = parse_range_end(parameter, text, parts[1], limits);
    const Step step = parse_step(parameter, text, parts[2]);
    if (last < first) throw make_refusal(parameter, text, "the range goes down. Give the smaller end first.");
    if (step.factor && !(first > 0))
        throw make_refusal(parameter, text, "a range with a factor must start above 0. Give a step instead.");

    // The tolerance keeps the last value despite rounding errors.
    const double steps = step.factor ? std::log(last / first) / std::log(step.by) : (last - first) / step.by;
    const double count = std::floor(steps + 1e-9) + 1;
    if (!(count <= static_cast<double>(max_sweep_cells)))
        throw make_refusal(
            parameter, text,
            fmt::format("this range has {:.0f} values; a sweep has at most {} cells. Give a larger step.",
                        count, max_sweep_cells));
    for (double i = 0; i < count; ++i) {
        const double value = step.factor ? first * std::pow(step.by, i) : first + i * step.by;
        if (std::holds_alternative<std::uint64_t>(parameter.default_value))
            values.emplace_back(static_cast<std::uint64_t>(std::llround(value)));
        else
            values.emplace_back(round_to_12_digits(value));
    }
}

}  // namespace

std::vector<Value> parse_values(const Parameter& parameter, std::string_view text, const Limits* limits) {
    std::vector<Value> all;
    for (const std::string_view part : split(text, ',')) {
        if (part.empty())
            throw make_refusal(parameter, text.empty() ? "\"\"" : text,
                               "a value is missing. Write them separated by commas, for instance 32,64,128.");
        if (part.find(':') != std::string_view::npos)
            add_range(parameter, part, limits, all);
        else
            all.push_back(parse(parameter, part, limits));
    }
    std::vector<Value> distinct;
    for (const Value& value : all)
        if (std::find(distinct.begin(), distinct.end(), value) == distinct.end()) distinct.push_back(value);
    return distinct;
}

SweepSpec make_sweep_spec(const Lesson& lesson, std::vector<std::string> variants,
                          const std::vector<ParameterText>& written, const Limits& limits) {
    SweepSpec spec;
    spec.lesson = &lesson;
    spec.variants = std::move(variants);
    spec.base = default_experiment(lesson);
    std::vector<std::string> reasons;
    for (const auto& [parameter, text] : written) {
        try {
            std::vector<Value> values = parse_values(*parameter, text, &limits);
            if (values.size() == 1)
                spec.base.values.set(parameter->id, values.front());
            else
                spec.axes.push_back({parameter->id, std::move(values)});
        } catch (const Refusal& refused) {
            reasons.insert(reasons.end(), refused.reasons.begin(), refused.reasons.end());
        }
    }
    try {
        require_valid(spec);
    } catch (const Refusal& refused) {
        reasons.insert(reasons.end(), refused.reasons.begin(), refused.reasons.end());
    }
    if (!reasons.empty()) throw Refusal(std::move(reasons));
    return spec;
}

lab::Sampling parse_sampling(std::string_view text) {
    constexpr std::uint32_t max_samples = 100000;
    lab::Sampling sampling;
    if (text == "auto") return sampling;
    const std::uint32_t count = parse_number<std::uint32_t>(text).value_or(0);
    if (count < 1 || count > max_samples)
        throw Refusal(fmt::format("samples = {} cannot be used. Give a whole number from 1 to {}, or auto.",
                                  text, max_samples));
    sampling.samples = count;
    return sampling;
}

}  // namespace gridstride
