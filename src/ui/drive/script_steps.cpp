#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "storage/json.h"
#include "ui/drive/script.h"

namespace gridstride::ui {
namespace {

/// The error of a step, without its number, which the caller adds.
struct StepError {
    std::string reason;
};

std::string shortened(std::string text) {
    constexpr std::size_t max_bytes = 100;
    if (text.size() <= max_bytes) return text;
    std::size_t cut = max_bytes;
    while (cut > 0 && is_continuation_byte(text[cut]))
        --cut;
    return text.substr(0, cut) + "…";
}

std::string dump(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

const nlohmann::json& member(const nlohmann::json& step, const char* name) {
    const auto found = step.find(name);
    if (found == step.end()) throw StepError{fmt::format("also needs \"{}\"", name)};
    return *found;
}

std::string text_member(const nlohmann::json& step, const char* name) {
    const nlohmann::json& value = member(step, name);
    if (!value.is_string()) throw StepError{fmt::format("\"{}\" must be a string in quotes", name)};
    return value.get<std::string>();
}

double number_member(const nlohmann::json& step, const char* name, double low, double high) {
    const nlohmann::json& value = member(step, name);
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(number >= low && number <= high))
        throw StepError{fmt::format("\"{}\" must be a number from {} to {}", name, low, high)};
    return number;
}

struct StepWord {
    const char* word;
    StepKind kind;
    bool has_text = true;  ///< its value is the id of a widget or another string
    std::vector<std::string_view> other_members = {};
};
const StepWord step_words[] = {
    {"click", StepKind::click},
    {"hover", StepKind::hover},
    {"set", StepKind::set, true, {"value"}},
    {"drag", StepKind::drag, true, {"from", "to", "seconds"}},
    {"wheel", StepKind::wheel, true, {"by"}},
    {"key", StepKind::key},
    {"type", StepKind::type},
    {"drop", StepKind::drop},
    {"wait", StepKind::wait, false},
    {"patience", StepKind::patience, false},
    {"samples", StepKind::samples, false},
    {"screenshot", StepKind::screenshot},
    {"map", StepKind::map},
    {"expect", StepKind::expect, false},
    {"lose", StepKind::lose, false},
};

ScriptStep parse_step(const nlohmann::json& json) {
    if (!json.is_object()) throw StepError{"is not an object in braces, such as {\"click\":\"top.view\"}"};
    const auto word =
        std::ranges::find_if(step_words, [&](const StepWord& w) { return json.contains(w.word); });
    if (word == std::end(step_words))
        throw StepError{
            fmt::format("has none of {}", join(step_words | std::views::transform(&StepWord::word), ", "))};
    for (const auto& [name, value] : json.items())
        if (name != word->word && std::ranges::count(word->other_members, name) == 0)
            throw StepError{fmt::format("\"{}\" is not a member of this step", name)};
    const nlohmann::json& value = json[word->word];
    ScriptStep step{.kind = word->kind};
    if (word->has_text) step.text = text_member(json, word->word);
    switch (step.kind) {
        case StepKind::set: {
            const nlohmann::json& expected = member(json, "value");
            if (expected.is_structured() || expected.is_null())
                throw StepError{"\"value\" must be a string, a number, true or false"};
            step.value = expected.is_string() ? expected.get<std::string>() : dump(expected);
            break;
        }
        case StepKind::drag:
            step.from = number_member(json, "from", 0, 1);
            step.to = number_member(json, "to", 0, 1);
            if (json.contains("seconds")) step.seconds = number_member(json, "seconds", 0, 600);
            break;
        case StepKind::wheel:
            step.by = number_member(json, "by", -1000, 1000);
            break;
        case StepKind::key:
            if (const auto press = parse_key_press(step.text))
                step.press = *press;
            else
                throw StepError{fmt::format(
                    "\"{}\" is not a key; keys are F1 to F12, A to Z, 0, +, -, Left, Right, Up, Down, "
                    "PageUp, PageDown, Home, End, Tab, Enter, Escape, Space, Backspace, Delete, "
                    "Insert, with Ctrl+, Shift+ or Alt+ before them",
                    step.text)};
            break;
        case StepKind::wait:
            if (value == "idle")
                step.kind = StepKind::wait_idle;
            else if (value.is_number())
                step.seconds = number_member(json, "wait", 0, 3600);
            else
                throw StepError{"\"wait\" must be \"idle\" or a number of seconds"};
            break;
        case StepKind::patience:
            step.seconds = number_member(json, "patience", 0, 3600);
            break;
        case StepKind::samples:
            step.samples = static_cast<std::uint32_t>(number_member(json, "samples", 1, 10000));
            break;
        case StepKind::expect:
            if (!value.is_object()) throw StepError{"\"expect\" must be an object in braces"};
            step.expected = value;
            break;
        case StepKind::lose:
            if (value != "device" && value != "surface")
                throw StepError{"\"lose\" must be \"device\" or \"surface\""};
            step.loss = value == "device" ? Loss::device : Loss::surface;
            break;
        default:
            break;
    }
    return step;
}

}  // namespace

std::optional<KeyPress> parse_key_press(const std::string& text) {
    KeyPress press;
    std::string_view rest = text;
    for (std::size_t plus = rest.find('+');
         plus != std::string_view::npos && plus > 0 && plus + 1 < rest.size(); plus = rest.find('+')) {
        const std::string_view modifier = rest.substr(0, plus);
        if (modifier == "Ctrl" || modifier == "ctrl" || modifier == "Control")
            press.modifiers.ctrl = true;
        else if (modifier == "Shift" || modifier == "shift")
            press.modifiers.shift = true;
        else if (modifier == "Alt" || modifier == "alt")
            press.modifiers.alt = true;
        else
            return std::nullopt;
        rest.remove_prefix(plus + 1);
    }
    const auto key = key_from_name(rest);
    if (!key) return std::nullopt;
    press.key = *key;
    return press;
}

std::vector<ScriptStep> parse_script(const std::string& text, const std::filesystem::path& file) {
    const std::string where = quote_path(file);
    nlohmann::json document;
    try {
        document = parse_json(text);
    } catch (const FileError& error) {
        throw FileError(fmt::format("{}: {}.", where, error.what()));
    }
    const nlohmann::json& list =
        document.is_object() && document.contains("steps") ? document["steps"] : document;
    if (!list.is_array())
        throw FileError(
            fmt::format("{} is not a script: it must be an array of steps, or {{\"steps\":[…]}}.", where));
    std::vector<ScriptStep> script;
    for (const nlohmann::json& entry : list) {
        const std::string name = fmt::format("step {} {}", script.size() + 1, shortened(dump(entry)));
        try {
            script.push_back(parse_step(entry));
        } catch (const StepError& error) {
            throw FileError(fmt::format("{}, {}: {}.", where, name, error.reason));
        }
        script.back().name = name;
    }
    return script;
}

std::string find_mismatch(const nlohmann::json& expected, const nlohmann::json& actual,
                          const std::string& path) {
    const std::string here = path.empty() ? "the state" : path;
    if (expected.is_object()) {
        if (!actual.is_object()) return fmt::format("{} is {}, not an object", here, shortened(dump(actual)));
        for (const auto& [name, value] : expected.items()) {
            const std::string inner = path.empty() ? name : path + "." + name;
            if (!actual.contains(name)) {
                const auto names = actual.get_ref<const nlohmann::json::object_t&>() | std::views::keys;
                return fmt::format("there is no {}; there are {}", inner, shortened(join(names, ", ")));
            }
            if (std::string reason = find_mismatch(value, actual[name], inner); !reason.empty())
                return reason;
        }
        return {};
    }
    if (expected.is_array()) {
        if (!actual.is_array() || actual.size() != expected.size())
            return fmt::format("{} is {}, not {}", here, shortened(dump(actual)), shortened(dump(expected)));
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (std::string reason = find_mismatch(expected[i], actual[i], fmt::format("{}[{}]", here, i));
                !reason.empty())
                return reason;
        }
        return {};
    }
    if (expected.is_string() && expected.get_ref<const std::string&>().starts_with('~')) {
        const std::string part = expected.get_ref<const std::string&>().substr(1);
        if (actual.is_string() && actual.get_ref<const std::string&>().find(part) != std::string::npos)
            return {};
        return fmt::format("{} is {}, which does not contain \"{}\"", here, shortened(dump(actual)), part);
    }
    if (expected == actual) return {};
    // A value that went through a float still counts as equal.
    if (expected.is_number_float() && actual.is_number()) {
        const double difference_allowed = 1e-6 * std::abs(expected.get<double>());
        if (std::abs(expected.get<double>() - actual.get<double>()) <= difference_allowed) return {};
    }
    return fmt::format("{} is {}, not {}", here, shortened(dump(actual)), shortened(dump(expected)));
}

}  // namespace gridstride::ui
