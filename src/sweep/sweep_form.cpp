#include "sweep/sweep_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/error.h"
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "sweep/sweep_values.h"

namespace gridstride {

namespace {

constexpr int suggested_steps = 7;  ///< yields about eight values

/// Whole numbers are written without an exponent: a count cannot be 1e+12.
std::string number_text(double value) {
    const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.12g}", value);
}

std::string range_text(double first, double last, const std::string& step) {
    return fmt::format("{}:{}:{}", number_text(first), number_text(last), step);
}

double power_of_two_below(double value) {
    return std::exp2(std::floor(std::log2(std::max(1.0, value))));
}

/// Returns the smallest of 1, 2 or 5 times a power of ten that is not below `least`.
double nice_step(double min_value) {
    const double decade = std::pow(10.0, std::floor(std::log10(min_value)));
    for (const double part : {1.0, 2.0, 5.0})
        if (decade * part >= min_value * (1 - 1e-9)) return decade * part;
    return decade * 10;
}

/// Returns a geometric range with this factor up to the allowed maximum. If there is room for more than eight
/// values, the range is chosen around the current value.
std::string format_power_range(const Parameter& parameter, double current_value, double factor,
                               double max_value) {
    const double steps = std::pow(factor, suggested_steps);
    const double min_value = std::max(parameter.minimum, 1.0);
    const double top = power_of_two_below(std::min(max_value, std::max(current_value, min_value) * steps));
    const double bottom = std::max(power_of_two_below(min_value), top / steps);
    return range_text(bottom, top, fmt::format("×{:.0f}", factor));
}

std::string suggest_counts(const Parameter& parameter, double current_value, const Limits& device) {
    const double max_value = maximum(parameter, device);
    if (parameter.id == key::workgroup_size.id) return format_power_range(parameter, max_value, 2, max_value);
    if (parameter.id == key::workgroup_count.id) {
        // From a quarter of one workgroup per multiprocessor to 128 times that.
        const double low =
            device.multiprocessors > 0 ? std::max(1.0, std::floor(device.multiprocessors / 4.0)) : 4;
        return range_text(low, std::min(max_value, low * 128), "×2");
    }
    if (parameter.id == key::elements.id) {
        // Larger sizes take too long to wait for; a software device takes hundreds of times as long.
        const double far = std::max(current_value, device.is_cpu ? 0x1p20 : 0x1p26);
        return range_text(1024, power_of_two_below(std::min(max_value, far)), device.is_cpu ? "×4" : "×8");
    }
    if (parameter.scale != Scale::linear) return format_power_range(parameter, current_value, 2, max_value);
    const double first = parameter.minimum;
    const double last = std::min(max_value, std::max(current_value * 2, first + suggested_steps));
    return range_text(first, last, number_text(std::max(1.0, nice_step((last - first) / suggested_steps))));
}

std::string suggest_reals(const Parameter& parameter, double current_value, const Limits& device) {
    const double max_value = maximum(parameter, device);
    const double size = current_value == 0 ? 1 : std::abs(current_value);
    if (parameter.minimum > 0 || parameter.scale == Scale::logarithmic) {
        std::string text;
        for (const double part : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0}) {
            const double value = size * part;
            if (value < parameter.minimum || value > max_value) continue;
            text += (text.empty() ? "" : ",") + number_text(value);
        }
        return text;
    }
    const double first = std::max(parameter.minimum, current_value - size);
    const double last = std::min(max_value, current_value + size);
    return range_text(first, last, number_text(nice_step((last - first) / suggested_steps)));
}

std::string describe_values(const Parameter& parameter, const std::vector<Value>& values) {
    if (values.size() == 1) return tr("One value: {}.", format(parameter, values.front()));
    return tr("{} values, from {} to {}.", values.size(), format(parameter, values.front()),
              format(parameter, values.back()));
}

std::vector<std::string> variants_of(const SweepForm& form, const PreparedExperiment& bench) {
    std::vector<std::string> variants;
    for (const Variant& variant : bench.lesson->variants) {
        const bool is_selected = form.variants == SweptVariants::all ||
                                 (form.variants == SweptVariants::bench && &variant == bench.variant) ||
                                 (form.variants == SweptVariants::some && form.selected.contains(variant.id));
        if (is_selected) variants.push_back(variant.id);
    }
    return variants;
}

std::string describe_cells(const SweepSpec& spec, std::size_t cells) {
    std::string factors;
    for (const SweepAxis& axis : spec.axes)
        factors += (factors.empty() ? "" : " × ") + counted(axis.values.size(), "value", "values");
    return tr("{}: {} × {}.", counted(cells, "cell", "cells"), factors,
              counted(spec.variants.size(), "variant", "variants"));
}

std::string describe_refused(const Sweep& sweep) {
    std::size_t refused = 0;
    std::string first;
    for (const SweepCell& cell : sweep.cells()) {
        if (cell.state != CellState::refused) continue;
        if (refused++ == 0 && !cell.reasons.empty()) first = cell.reasons.front();
    }
    if (refused == 0) return {};
    return tr("{} refused and left out: {}",
              refused == 1 ? tr("One of them is") : tr("{} of them are", refused), first);
}

void read_axes(const SweepForm& form, const PreparedExperiment& bench, SweepSpec& spec,
               ExaminedForm& result) {
    for (std::size_t i = 0; i < form.parameters.size(); ++i) {
        const Parameter* parameter = find(bench.lesson->parameters, form.parameters[i]);
        if (!parameter) continue;
        const auto text = form.texts.find(parameter->id);
        try {
            if (bench.experiment.input.numbers && bench.lesson->is_set_by_input(parameter->id))
                throw Refusal(
                    tr("{} is set by your input file. Choose another parameter, or use the lesson's input.",
                       parameter->label));
            std::vector<Value> values = parse_values(
                *parameter, text == form.texts.end() ? std::string() : text->second, &bench.limits);
            result.axes[i].text = describe_values(*parameter, values);
            spec.axes.push_back({parameter->id, std::move(values)});
        } catch (const Refusal& refused) {
            result.axes[i] = {refused.what(), true};
        }
    }
}

std::string suggest_sequences(const Parameter& parameter, const Sequence& sequence) {
    std::vector<std::string> all = {format(parameter, sequence)};
    for (std::size_t left_out = 0; left_out < sequence.choices.size(); ++left_out) {
        Sequence fewer = sequence;
        fewer.choices.erase(fewer.choices.begin() + static_cast<std::ptrdiff_t>(left_out));
        if (std::string text = format(parameter, fewer); std::ranges::find(all, text) == all.end())
            all.push_back(std::move(text));
    }
    if (all.size() == 1) all.push_back(format(parameter, parameter.default_value));
    return join(all, ",");
}

}  // namespace

SweepForm default_form(const PreparedExperiment& bench) {
    SweepForm form;
    const Parameter* size = find(bench.lesson->parameters, key::workgroup_size.id);
    if (!size) size = find(bench.lesson->parameters, key::workgroup.id);
    const Parameter& first = size ? *size : bench.lesson->parameters.front();
    form.parameters[0] = first.id;
    form.texts[first.id] = suggest_values(first, bench.values().at(first.id), bench.limits);
    return form;
}

std::string suggest_values(const Parameter& parameter, const Value& current_value, const Limits& device,
                           std::optional<ValueRange> input_range) {
    if (input_range && input_range->high > input_range->low) {
        double step = nice_step((input_range->high - input_range->low) / suggested_steps);
        if (std::holds_alternative<std::uint64_t>(current_value)) step = std::max(1.0, step);
        const double last =
            input_range->low + std::floor((input_range->high - input_range->low) / step) * step;
        return range_text(input_range->low, last, number_text(step));
    }
    if (const auto* sequence = std::get_if<Sequence>(&current_value))
        return suggest_sequences(parameter, *sequence);
    if (parameter.is_choice())
        return fmt::format("{}",
                           join(parameter.choices | std::views::transform(&Parameter::Choice::id), ","));
    if (const auto* extent = std::get_if<Extent>(&current_value))
        return parameter.is_automatic ? extent->z > 0 ? "auto,1x1x1,2x2x2,4x4x4" : "auto,1x1,2x2,4x4,8x8"
               : extent->z > 0        ? "2x2x2:8x8x8:×2"
                                      : "4x4:16x16:×2";
    if (const auto* real = std::get_if<double>(&current_value))
        return suggest_reals(parameter, *real, device);
    return suggest_counts(parameter, static_cast<double>(std::get<std::uint64_t>(current_value)), device);
}

ExaminedForm examine_form(const SweepForm& form, const PreparedExperiment& bench) {
    ExaminedForm result;
    SweepSpec spec;
    spec.lesson = bench.lesson;
    spec.base = bench.experiment;
    spec.variants = variants_of(form, bench);
    read_axes(form, bench, spec, result);
    try {
        spec.sampling = parse_sampling(form.samples);
    } catch (const Refusal& refused) {
        result.samples_problem = refused.what();
    }
    if (spec.variants.empty()) result.problems.emplace_back(tr("Select at least one variant."));
    const bool bad = !result.samples_problem.empty() || !result.problems.empty() ||
                     std::any_of(result.axes.begin(), result.axes.end(),
                                 [](const ExaminedForm::Line& line) { return line.is_bad; });
    if (bad) return result;
    try {
        const Sweep sweep(spec, bench.limits);
        result.cells = describe_cells(spec, sweep.cells().size());
        result.refused = describe_refused(sweep);
        result.spec = std::move(spec);
    } catch (const Refusal& refused) {
        result.problems = refused.reasons;
    }
    return result;
}

}  // namespace gridstride
