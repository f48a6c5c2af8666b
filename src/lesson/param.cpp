#include "lesson/param.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/error.h"
#include "base/language.h"
#include "base/text.h"

namespace gridstride {

namespace {

constexpr std::string_view sequence_separator = "+", empty_sequence = "none";

/// Formats a limit in digits without separators, so that it looks like user input and scripts can find it.
std::string format_limit(const Parameter& parameter, double value) {
    if (!std::holds_alternative<double>(parameter.default_value))
        return fmt::format("{}", static_cast<std::uint64_t>(value));
    return fmt::format("{}", value);
}

std::string join_choices(const Parameter& parameter, std::string_view last = tr(" or ")) {
    std::string all;
    for (std::size_t i = 0; i < parameter.choices.size(); ++i) {
        if (i > 0) all += i + 1 == parameter.choices.size() ? last : ", ";
        all += parameter.choices[i].id;
    }
    return all;
}

Refusal unreadable_refusal(const Parameter& parameter, std::string_view text, std::string_view expected,
                           const Limits* limits) {
    const std::string reason = text.empty() ? tr("{} has no value", parameter.id)
                                            : tr("{} = {} is not {}", parameter.id, text, expected);
    return Refusal(tr("{}. Give {}.", reason, describe_range(parameter, limits)));
}

Refusal range_refusal(const Parameter& parameter, std::string_view text, const Limits* limits) {
    return Refusal(
        tr("{} = {} is out of range. Give {}.", parameter.id, text, describe_range(parameter, limits)));
}

std::optional<std::uint32_t> find_choice(const Parameter& parameter, std::string_view id) {
    const auto found = std::ranges::find(parameter.choices, id, &Parameter::Choice::id);
    if (found == parameter.choices.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - parameter.choices.begin());
}

bool is_integer_text(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Values::Values(std::span<const Parameter> parameters) {
    entries_.reserve(parameters.size());
    for (const Parameter& parameter : parameters)
        entries_.emplace_back(parameter.id, parameter.default_value);
}

const Value& Values::at(std::string_view id) const {
    for (const auto& [name, value] : entries_)
        if (name == id) return value;
    throw std::out_of_range(tr("no parameter named {}", id));
}

bool Values::contains(std::string_view id) const {
    return std::ranges::count(entries_, id, &std::pair<std::string, Value>::first) > 0;
}

void Values::set(std::string_view id, Value value) {
    for (auto& [name, old] : entries_)
        if (name == id) {
            old = std::move(value);
            return;
        }
    entries_.emplace_back(id, std::move(value));
}

const Parameter* find(std::span<const Parameter> parameters, std::string_view id) {
    const auto found = std::ranges::find(parameters, id, &Parameter::id);
    return found == parameters.end() ? nullptr : &*found;
}

double maximum(const Parameter& parameter, const Limits& limits) {
    if (!parameter.limit) return parameter.maximum;
    return std::min(parameter.maximum, static_cast<double>(parameter.limit(limits).value));
}

std::string unit_beside_label(const Parameter& parameter) {
    const std::string unit = tr(parameter.unit.c_str());
    return fold_letters(parameter.label).find(fold_letters(unit)) == std::string::npos ? unit : "";
}

std::string format(const Parameter& parameter, const Value& value) {
    if (const auto* count = std::get_if<std::uint64_t>(&value))
        return parameter.is_automatic && *count == 0 ? "auto" : fmt::format("{}", *count);
    if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
    if (const auto* extent = std::get_if<Extent>(&value))
        return parameter.is_automatic && extent->x == 0 ? "auto" : text_of(*extent);
    if (const auto* sequence = std::get_if<Sequence>(&value)) {
        if (sequence->choices.empty()) return std::string(empty_sequence);
        std::string all;
        for (const std::uint32_t index : sequence->choices)
            all += fmt::format("{}{}", all.empty() ? "" : sequence_separator, parameter.choices.at(index).id);
        return all;
    }
    return parameter.choices.at(std::get<ChoiceIndex>(value).index).id;
}

std::string describe_range(const Parameter& parameter, const Limits* limits) {
    if (std::holds_alternative<Sequence>(parameter.default_value))
        return tr("up to {} of {}, such as {}", format_limit(parameter, parameter.maximum),
                  join_choices(parameter, tr(" and ")), format(parameter, parameter.default_value));
    if (parameter.is_choice()) return join_choices(parameter);
    std::string source;
    double max_value = parameter.maximum;
    if (limits) {
        max_value = maximum(parameter, *limits);
        if (parameter.limit && max_value < parameter.maximum)
            source = tr(" ({} of this device)", parameter.limit(*limits).name);
    }
    std::string range = tr("from {} to {}{}{}{}{}", format_limit(parameter, parameter.minimum),
                           format_limit(parameter, max_value), parameter.unit.empty() ? "" : " ",
                           parameter.unit, source, parameter.is_automatic ? tr(", or auto") : "");
    if (const auto* extent = std::get_if<Extent>(&parameter.default_value))
        return tr("{} numbers joined by x, such as {}, with a product {}",
                  extent->dimensions() == 3 ? "three" : "two", extent->z > 0 ? "8x8x4" : "16x16", range);
    return range;
}

Value parse(const Parameter& parameter, std::string_view text, const Limits* limits) {
    if (parameter.is_choice()) {
        if (const auto index = find_choice(parameter, text)) return ChoiceIndex{*index};
        throw unreadable_refusal(parameter, text, tr("one of its choices"), limits);
    }
    if (std::holds_alternative<Sequence>(parameter.default_value)) {
        Sequence sequence;
        if (text == empty_sequence) return sequence;
        for (const std::string_view id : split(text, sequence_separator.front())) {
            const auto index = find_choice(parameter, trim(id));
            if (!index)
                throw unreadable_refusal(parameter, text, tr("a list of its choices joined by +"), limits);
            sequence.choices.push_back(*index);
        }
        return sequence;
    }
    const auto* const extent = std::get_if<Extent>(&parameter.default_value);
    if (parameter.is_automatic && text == "auto") {
        if (!extent) return std::uint64_t{0};
        return Extent{0, extent->y > 0 ? 1u : 0u, extent->z > 0 ? 1u : 0u};
    }
    if (extent) {
        const std::optional<Extent> read = parse_extent(text);
        if (!read || read->dimensions() != extent->dimensions())
            throw unreadable_refusal(parameter, text, tr("an extent"), limits);
        return *read;
    }

    if (std::holds_alternative<std::uint64_t>(parameter.default_value)) {
        if (const auto count = parse_number<std::uint64_t>(text)) return *count;
        // A whole number that 64 bits cannot hold is out of range; only here is its text known.
        throw is_integer_text(text)
            ? range_refusal(parameter, text, limits)
            : unreadable_refusal(parameter, text, tr("a whole number in plain digits"), limits);
    }
    const auto real = parse_number<double>(text);
    if (!real || !std::isfinite(*real))
        throw unreadable_refusal(parameter, text, tr("a number such as 0.5"), limits);
    return *real;
}

bool matches_type(const Parameter& parameter, const Value& value) {
    if (value.index() != parameter.default_value.index()) return false;
    const auto there = [&](std::uint32_t index) { return index < parameter.choices.size(); };
    if (const auto* choice = std::get_if<ChoiceIndex>(&value)) return there(choice->index);
    const auto* sequence = std::get_if<Sequence>(&value);
    return !sequence || std::ranges::all_of(sequence->choices, there);
}

std::optional<std::string> refusal(const Parameter& parameter, const Value& value, const Limits& limits) {
    if (!matches_type(parameter, value))
        return tr("{} has a value of the wrong type, or a choice that does not exist. Give {}.", parameter.id,
                  describe_range(parameter, &limits));
    if (parameter.is_choice()) return std::nullopt;
    double number = 0;
    if (const auto* sequence = std::get_if<Sequence>(&value)) {
        number = static_cast<double>(sequence->choices.size());
    } else if (const auto* extent = std::get_if<Extent>(&value)) {
        if (parameter.is_automatic && extent->x == 0) return std::nullopt;
        if (extent->dimensions() != std::get<Extent>(parameter.default_value).dimensions())
            return range_refusal(parameter, format(parameter, value), &limits).what();
        number = static_cast<double>(extent->x) * static_cast<double>(extent->along(1)) *
                 static_cast<double>(extent->along(2));
    } else if (const auto* count = std::get_if<std::uint64_t>(&value)) {
        if (parameter.is_automatic && *count == 0) return std::nullopt;
        number = static_cast<double>(*count);
    } else {
        number = std::get<double>(value);
    }
    if (number >= parameter.minimum && number <= maximum(parameter, limits)) return std::nullopt;
    return range_refusal(parameter, format(parameter, value), &limits).what();
}

std::string kebab_case(std::string_view snake) {
    std::string kebab(snake);
    std::replace(kebab.begin(), kebab.end(), '_', '-');
    return kebab;
}

}  // namespace gridstride
