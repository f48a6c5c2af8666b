// Parameters. A lesson declares each once; the widget, the command-line flag, the CSV column, the sweep axis
// and the error messages follow from the declaration.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "launch/extent.h"
#include "launch/limits.h"

namespace gridstride {

/// The id of a parameter with the C++ type of its value. T is std::uint64_t (count), double (real), Extent,
/// an enumeration (choice, whose enumerators count from 0) or Sequence.
template <class T>
struct Key {
    std::string_view id;  ///< snake_case
};

struct ChoiceIndex {
    std::uint32_t index = 0;
    bool operator==(const ChoiceIndex&) const = default;
};
/// An ordered list of a parameter's choices, which may repeat: the steps of a plan.
struct Sequence {
    std::vector<std::uint32_t> choices;  ///< indices into Parameter::choices
    bool operator==(const Sequence&) const = default;
};
using Value = std::variant<std::uint64_t, double, ChoiceIndex, Extent, Sequence>;

enum class Scale { linear, powers_of_two, logarithmic };

/// The first result that a change of a parameter invalidates. Everything after it in this order is invalid
/// too.
enum class Invalidates { input, reference, launch };

/// An upper limit of the device, with its name in the Vulkan specification.
struct DeviceLimit {
    std::uint64_t value;
    std::string name;
};

struct Parameter {
    std::string id;         ///< snake_case; the flag is the same in kebab-case
    std::string label;      ///< "Workgroup size"
    std::string unit = {};  ///< "invocations"; empty for none
    std::string help;       ///< one sentence
    Value default_value;    ///< its alternative is the parameter's type
    /// Inclusive bounds of a count or real, of the product of an extent, or of the length of a sequence.
    double minimum = 0;
    double maximum = 0;
    Scale scale = Scale::linear;
    bool is_automatic = false;  ///< 0 means "auto": the plan chooses the count or extent
    Invalidates invalidates = Invalidates::input;
    DeviceLimit (*limit)(const Limits&) = nullptr;  ///< lowers `maximum` to the device's limit
    struct Choice {
        std::string id;
        std::string label;
        bool wrong_on_purpose = false;  ///< makes the result wrong, to show how
    };
    std::vector<Choice> choices = {};  ///< of a choice or a sequence, in the order of the enumeration

    // Setters for declarations: number_parameter(…).logarithmic().with_unit("bins").
    Parameter&& logarithmic() && {
        scale = Scale::logarithmic;
        return std::move(*this);
    }
    Parameter&& in_powers_of_two() && {
        scale = Scale::powers_of_two;
        return std::move(*this);
    }
    Parameter&& up_to(double max_value) && {
        maximum = max_value;
        return std::move(*this);
    }
    template <class E>
    requires std::is_enum_v<E> Parameter && by_default(E choice) && {
        default_value = ChoiceIndex{static_cast<std::uint32_t>(choice)};
        return std::move(*this);
    }
    Parameter&& or_auto() && {
        is_automatic = true;
        return std::move(*this);
    }
    Parameter&& with_unit(std::string_view name) && {
        unit = name;
        return std::move(*this);
    }

    bool is_choice() const { return std::holds_alternative<ChoiceIndex>(default_value); }
};

/// An inclusive range of a parameter's values.
struct ValueRange {
    double low = 0, high = 0;
};

/// The values of one lesson's parameters. A plain value that can be compared, copied and sent between
/// processes.
class Values {
 public:
    Values() = default;
    /// Sets every parameter to its default.
    explicit Values(std::span<const Parameter> parameters);

    std::uint64_t operator[](Key<std::uint64_t> key) const { return std::get<std::uint64_t>(at(key.id)); }
    double operator[](Key<double> key) const { return std::get<double>(at(key.id)); }
    Extent operator[](Key<Extent> key) const { return std::get<Extent>(at(key.id)); }
    const Sequence& operator[](Key<Sequence> key) const { return std::get<Sequence>(at(key.id)); }
    template <class E>
    requires std::is_enum_v<E> E operator[](Key<E> key) const {
        return static_cast<E>(std::get<ChoiceIndex>(at(key.id)).index);
    }

    const Value& at(std::string_view id) const;  ///< throws std::out_of_range
    bool contains(std::string_view id) const;
    void set(std::string_view id, Value value);  ///< adds or replaces
    const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }
    bool operator==(const Values&) const = default;

 private:
    std::vector<std::pair<std::string, Value>> entries_;  ///< in the order of declaration
};

const Parameter* find(std::span<const Parameter> parameters, std::string_view id);  ///< null if unknown

/// Returns the largest value that is allowed on this device.
double maximum(const Parameter& parameter, const Limits& limits);

/// Returns the translated unit, or an empty string if the label says it: "Workgroups", "Bins".
std::string unit_beside_label(const Parameter& parameter);

/// Formats a value for the command line, CSV and stories: "128", "auto", "0.5", "f32", "up+add+down".
std::string format(const Parameter& parameter, const Value& value);

/// Describes the allowed values: "from 1 to 1024 invocations (maxComputeWorkGroupInvocations of this
/// device)", "u32 or f32", "up to 12 of up, add and down, such as up+add+down". If `limits` is null, this is
/// the declared range.
std::string describe_range(const Parameter& parameter, const Limits* limits);

/// Parses a value. Throws Refusal, which names the parameter, the text and the range, if the text cannot be
/// parsed or is a count that 64 bits cannot hold. refusal() checks the range. If `limits` is not null, the
/// message names the device's range.
Value parse(const Parameter& parameter, std::string_view text, const Limits* limits = nullptr);

/// Returns true if the value has the parameter's type and its choice indices are valid, so that it can be
/// formatted.
bool matches_type(const Parameter& parameter, const Value& value);

/// Returns a sentence that says why this value cannot be used on this device, or nullopt if it can.
std::optional<std::string> refusal(const Parameter& parameter, const Value& value, const Limits& limits);

template <class T>
Parameter number_parameter(Key<T> key, std::string label, std::string help,
                           std::type_identity_t<T> default_value, double minimum, double maximum,
                           Invalidates invalidates) {
    return {.id = std::string(key.id),
            .label = std::move(label),
            .help = std::move(help),
            .default_value = default_value,
            .minimum = minimum,
            .maximum = maximum,
            .invalidates = invalidates};
}
/// The first choice is the default.
template <class E>
requires std::is_enum_v<E> Parameter choice_parameter(Key<E> key, std::string label, std::string help,
                                                      Invalidates invalidates,
                                                      std::vector<Parameter::Choice> choices) {
    return {.id = std::string(key.id),
            .label = std::move(label),
            .help = std::move(help),
            .default_value = ChoiceIndex{0},
            .invalidates = invalidates,
            .choices = std::move(choices)};
}

/// Declares a sequence of at most `max_length` choices.
template <class E>
requires std::is_enum_v<E> Parameter sequence_parameter(Key<Sequence> key, std::string label,
                                                        std::string help, std::vector<E> default_value,
                                                        double max_length, Invalidates invalidates,
                                                        std::vector<Parameter::Choice> choices) {
    Sequence sequence;
    for (const E one : default_value)
        sequence.choices.push_back(static_cast<std::uint32_t>(one));
    return {.id = std::string(key.id),
            .label = std::move(label),
            .help = std::move(help),
            .default_value = std::move(sequence),
            .maximum = max_length,
            .invalidates = invalidates,
            .choices = std::move(choices)};
}

std::string kebab_case(std::string_view snake);  ///< "workgroup_size" -> "workgroup-size"

}  // namespace gridstride
