#include "ui/drive/script_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace gridstride::ui {
namespace {

/// What is wrong with a step; the caller knows which one it is.
struct StepError {
    std::string reason;
};

std::string shortened(std::string text) {
    constexpr std::size_t most = 100;
    if (text.size() <= most) return text;
    std::size_t cut = most;
    while (cut > 0 && continues_character(text[cut]))
        --cut;
    return text.substr(0, cut) + "…";
}

std::string dump(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

const nlohmann::json& member(const nlohmann::json& step, const char* name) {
    const auto found = step.find(name);
    if (found == step.end()) throw StepError{fmt::format("needs \"{}\" as well", name)};
    return *found;
}

std::string text_member(const nlohmann::json& step, const char* name) {
    const nlohmann::json& value = member(step, name);
    if (!value.is_string()) throw StepError{fmt::format("\"{}\" must be a text in quotes", name)};
    return value.get<std::string>();
}

double number_member(const nlohmann::json& step, const char* name, double low, double high) {
    const nlohmann::json& value = member(step, name);
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(number >= low && number <= high))
        throw StepError{fmt::format("\"{}\" must be a number from {} to {}", name, low, high)};
    return number;
}

void refuse_others(const nlohmann::json& step, std::initializer_list<std::string_view> known) {
    for (const auto& [name, value] : step.items()) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw StepError{fmt::format("\"{}\" does not belong here", name)};
    }
}

template <class Action>
ScriptStep with(Action action) {
    return {std::move(action), {}};
}

ScriptStep parse_step(const nlohmann::json& step) {
    if (!step.is_object()) throw StepError{"is not an object in braces"};
    if (step.contains("click")) {
        refuse_others(step, {"click"});
        return with(steps::Click{text_member(step, "click")});
    }
    if (step.contains("hover")) {
        refuse_others(step, {"hover"});
        return with(steps::Hover{text_member(step, "hover")});
    }
    if (step.contains("set")) {
        refuse_others(step, {"set", "value"});
        const nlohmann::json& value = member(step, "value");
        if (value.is_object() || value.is_array() || value.is_null())
            throw StepError{"\"value\" must be a text, a number, true or false"};
        return with(
            steps::Set{text_member(step, "set"), value.is_string() ? value.get<std::string>() : dump(value)});
    }
    if (step.contains("drag")) {
        refuse_others(step, {"drag", "from", "to", "seconds"});
        steps::Drag drag{.id = text_member(step, "drag")};
        drag.from = number_member(step, "from", 0, 1);
        drag.to = number_member(step, "to", 0, 1);
        if (step.contains("seconds")) drag.seconds = number_member(step, "seconds", 0, 600);
        return with(drag);
    }
    if (step.contains("wheel")) {
        refuse_others(step, {"wheel", "by"});
        return with(steps::Wheel{text_member(step, "wheel"), number_member(step, "by", -1000, 1000)});
    }
    if (step.contains("key")) {
        refuse_others(step, {"key"});
        const std::string name = text_member(step, "key");
        const auto press = parse_key_press(name);
        if (!press)
            throw StepError{
                fmt::format("\"{}\" is no key; keys are F1 to F12, A to Z, 0, +, -, Left, Right, Up, Down, "
                            "PageUp, PageDown, Home, End, Tab, Enter, Escape, Space, Backspace, Delete, "
                            "Insert, with Ctrl+, Shift+ or Alt+ before them",
                            name)};
        return with(steps::Press{*press});
    }
    if (step.contains("type")) {
        refuse_others(step, {"type"});
        return with(steps::TypeText{text_member(step, "type")});
    }
    if (step.contains("wait")) {
        refuse_others(step, {"wait"});
        const nlohmann::json& wait = step["wait"];
        if (wait == "idle") return with(steps::WaitIdle{});
        if (!wait.is_number()) throw StepError{"\"wait\" must be \"idle\" or a number of seconds"};
        return with(steps::WaitSeconds{number_member(step, "wait", 0, 3600)});
    }
    if (step.contains("patience")) {
        refuse_others(step, {"patience"});
        return with(steps::Patience{number_member(step, "patience", 0, 3600)});
    }
    if (step.contains("screenshot")) {
        refuse_others(step, {"screenshot"});
        return with(steps::Screenshot{text_member(step, "screenshot")});
    }
    if (step.contains("expect")) {
        refuse_others(step, {"expect"});
        const nlohmann::json& wanted = step["expect"];
        if (!wanted.is_object()) throw StepError{"\"expect\" must be an object in braces"};
        return with(steps::Expect{wanted});
    }
    if (step.contains("lose")) {
        refuse_others(step, {"lose"});
        const nlohmann::json& lost = step["lose"];
        if (lost == "device") return with(steps::Lose{Loss::device});
        if (lost == "surface") return with(steps::Lose{Loss::surface});
        throw StepError{"\"lose\" must be \"device\" or \"surface\""};
    }
    throw StepError{
        "has none of click, hover, set, drag, wheel, key, type, wait, patience, screenshot, expect, lose"};
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
    const auto key = key_named(rest);
    if (!key) return std::nullopt;
    press.key = *key;
    return press;
}

std::vector<ScriptStep> parse_script(const std::string& text, const std::filesystem::path& file) {
    const std::string where = fmt::format("\"{}\"", file.string());
    nlohmann::json document;
    try {
        document = nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        throw FileError(fmt::format("{} is not JSON: {}.", where, error.what()));
    }
    const nlohmann::json* list = &document;
    if (document.is_object() && document.contains("steps")) list = &document["steps"];
    if (!list->is_array())
        throw FileError(
            fmt::format("{} is not a script: it must be an array of steps, or {{\"steps\":[…]}}.", where));
    std::vector<ScriptStep> script;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const nlohmann::json& entry = (*list)[i];
        const std::string name = fmt::format("step {} {}", i + 1, shortened(dump(entry)));
        try {
            script.push_back(parse_step(entry));
        } catch (const StepError& error) {
            throw FileError(fmt::format("{}, {}: {}.", where, name, error.reason));
        }
        script.back().name = name;
    }
    return script;
}

std::string difference(const nlohmann::json& wanted, const nlohmann::json& actual, const std::string& path) {
    const std::string here = path.empty() ? "the state" : path;
    if (wanted.is_object()) {
        if (!actual.is_object()) return fmt::format("{} is {}, not an object", here, shortened(dump(actual)));
        for (const auto& [name, value] : wanted.items()) {
            const std::string inner = path.empty() ? name : path + "." + name;
            if (!actual.contains(name)) {
                std::string names;
                for (const auto& [there, ignored] : actual.items())
                    names += (names.empty() ? "" : ", ") + there;
                return fmt::format("there is no {}; there are {}", inner, shortened(names));
            }
            if (std::string reason = difference(value, actual[name], inner); !reason.empty()) return reason;
        }
        return {};
    }
    if (wanted.is_array()) {
        if (!actual.is_array() || actual.size() != wanted.size())
            return fmt::format("{} is {}, not {}", here, shortened(dump(actual)), shortened(dump(wanted)));
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (std::string reason = difference(wanted[i], actual[i], fmt::format("{}[{}]", here, i));
                !reason.empty())
                return reason;
        }
        return {};
    }
    if (wanted.is_string() && wanted.get_ref<const std::string&>().starts_with('~')) {
        const std::string part = wanted.get_ref<const std::string&>().substr(1);
        if (actual.is_string() && actual.get_ref<const std::string&>().find(part) != std::string::npos)
            return {};
        return fmt::format("{} is {}, which does not contain \"{}\"", here, shortened(dump(actual)), part);
    }
    if (wanted == actual) return {};
    // What went through a float on its way is still what was meant.
    if (wanted.is_number_float() && actual.is_number()) {
        const double difference_allowed = 1e-6 * std::abs(wanted.get<double>());
        if (std::abs(wanted.get<double>() - actual.get<double>()) <= difference_allowed) return {};
    }
    return fmt::format("{} is {}, not {}", here, shortened(dump(actual)), shortened(dump(wanted)));
}

}  // namespace gridstride::ui
