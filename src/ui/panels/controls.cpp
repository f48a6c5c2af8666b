// The controls of the bench: each alone in the bench panel, and those of the step in a row above its picture.

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "lesson/nouns.h"
#include "ui/panels/panels.h"

namespace gridstride::ui {

namespace {

/// Rounds to three significant digits, as a person would type the value.
double round_to_three_digits(double value) {
    if (value == 0) return 0;
    const double unit = std::pow(10.0, 2 - std::floor(std::log10(std::abs(value))));
    return std::round(value * unit) / unit;
}

/// Stops of a real parameter: equally spaced, or in equal ratios on a logarithmic scale.
std::vector<Value> real_stops(const Parameter& parameter, double min_value, double max_value) {
    constexpr int pieces = 100;
    const bool by_ratio = parameter.scale == Scale::logarithmic && min_value > 0;
    std::vector<Value> stops;
    for (int i = 0; i <= pieces; ++i) {
        const double part = static_cast<double>(i) / pieces;
        const double stop = by_ratio ? min_value * std::pow(max_value / min_value, part)
                                     : min_value + (max_value - min_value) * part;
        stops.emplace_back(i == pieces ? max_value : round_to_three_digits(stop));
    }
    return stops;
}

/// Stops of a 2-D or 3-D extent: powers of two, doubling one dimension at a time (1 × 1, 2 × 1, 2 × 2, …).
std::vector<Value> extent_stops(const Parameter& parameter, double max_value) {
    const Extent default_value = std::get<Extent>(parameter.default_value);
    const std::uint32_t y = default_value.y > 0 ? 1 : 0, z = default_value.z > 0 ? 1 : 0;
    std::vector<Value> stops;
    if (parameter.is_automatic) stops.emplace_back(Extent{0, y, z});
    for (Extent at{1, 1, z}; static_cast<double>(at.product()) <= max_value;) {
        stops.emplace_back(at);
        (at.x > at.y ? at.y : at.z > 0 && at.y > at.z ? at.z : at.x) *= 2;
    }
    return stops;
}

/// Returns the stops of a parameter's track in ascending order, within the device's limits; "auto" comes
/// first if the parameter has it. Counts stop at powers of two, workgroup sizes also half-way between. Other
/// values can be typed. `input_range`: the range that the input gives the parameter, if any; it narrows the
/// stops.
std::vector<Value> slider_stops(const Parameter& parameter, const Limits& device,
                                std::optional<ValueRange> input_range) {
    const double min_value = std::max(parameter.minimum, input_range ? input_range->low : parameter.minimum);
    const double max_value =
        std::max(min_value, std::min(maximum(parameter, device), input_range ? input_range->high : HUGE_VAL));
    if (std::holds_alternative<double>(parameter.default_value))
        return real_stops(parameter, min_value, max_value);
    if (std::holds_alternative<Extent>(parameter.default_value)) return extent_stops(parameter, max_value);
    std::vector<Value> stops;
    const auto add = [&](double stop) { stops.emplace_back(static_cast<std::uint64_t>(stop)); };
    if (parameter.is_automatic) add(0);
    if (parameter.scale == Scale::linear) {
        constexpr double max_stops = 100;
        const double step = std::max(1.0, std::ceil((max_value - min_value) / max_stops));
        for (double stop = min_value; stop < max_value; stop += step)
            add(stop);
    } else {
        for (double stop = std::max(1.0, min_value); stop < max_value; stop *= 2) {
            add(stop);
            if (parameter.scale == Scale::powers_of_two && stop >= 2 && stop * 1.5 <= max_value)
                add(stop * 1.5);
        }
    }
    add(max_value);
    return stops;
}

double to_number(const Value& value) {
    if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return 0;
}

/// Returns the position of a value among the stops, 0 … 1. A number between two stops is interpolated.
float stop_position(const Value& value, const std::vector<Value>& stops) {
    const auto* extent = std::get_if<Extent>(&value);
    const auto above = std::find_if(stops.begin(), stops.end(), [&](const Value& stop) {
        if (!extent) return to_number(stop) >= to_number(value);
        const Extent& at = std::get<Extent>(stop);
        return at == *extent || (at.x > 0 && extent->x > 0 && at.product() >= extent->product());
    });
    if (above == stops.begin()) return 0;
    if (above == stops.end()) return 1;
    auto index = static_cast<double>(above - stops.begin());
    if (!extent) {
        const double low = to_number(*(above - 1));
        index += (to_number(value) - low) / (to_number(*above) - low) - 1;
    }
    return static_cast<float>(index / static_cast<double>(stops.size() - 1));
}

std::vector<Option> choice_options(const Parameter& parameter) {
    std::vector<Option> options;
    for (const Parameter::Choice& one : parameter.choices)
        options.push_back({one.id, one.label});
    return options;
}

bool is_sequence(const Parameter& parameter) {
    return std::holds_alternative<Sequence>(parameter.default_value);
}

const Sequence& get_sequence(const Session& session, const Parameter& parameter) {
    return std::get<Sequence>(session.bench().values().at(parameter.id));
}

void draw_sequence(Session& session, const Parameter& parameter) {
    text(TextStyle::note, theme().palette().quiet, parameter.label);
    gap(2);
    const std::string id = "bench." + parameter.id;
    Sequence steps = get_sequence(session, parameter);
    if (const auto requested = take_requested_value(id))
        session.set_text(parameter, *requested);
    else if (sequence(id, choice_options(parameter), &steps.choices))
        session.set_value(parameter.id, steps);
}

void draw_choice(Session& session, const Parameter& parameter, std::string_view label) {
    const std::vector<Option> options = choice_options(parameter);
    std::size_t index = std::get<ChoiceIndex>(session.bench().values().at(parameter.id)).index;
    if (choice("bench." + parameter.id, label, options, &index))
        session.set_value(parameter.id, ChoiceIndex{static_cast<std::uint32_t>(index)});
}

/// Returns the value that "auto" resolves to; empty if the plan does not contain it.
std::string resolve_auto(const Plan& plan, std::string_view parameter) {
    if (parameter == key::workgroup_count.id) return format_count(plan.main().workgroup_count());
    if (parameter == key::grid.id) return text_of(plan.main().grid);
    const auto chosen =
        std::ranges::find(plan.auto_values, parameter, &std::pair<std::string, std::string>::first);
    return chosen == plan.auto_values.end() ? std::string() : chosen->second;
}

bool is_auto(const Parameter& parameter, const Value& value) {
    if (const auto* extent = std::get_if<Extent>(&value)) return extent->x == 0;
    const auto* count = std::get_if<std::uint64_t>(&value);
    return parameter.is_automatic && count && *count == 0;
}

std::string format_with_spaces(const Parameter& parameter, const Value& value) {
    const double number = to_number(value);
    const bool is_count =
        !std::holds_alternative<Extent>(value) && number >= 0 && number == std::floor(number);
    return is_count ? format_count(static_cast<std::uint64_t>(number)) : format(parameter, value);
}

/// Returns a unit of at most five letters, which has room in a row of controls; else an empty string.
std::string short_unit(const Parameter& parameter) {
    const std::string unit = unit_beside_label(parameter);
    return unit.size() <= 5 ? unit : "";
}

void draw_slider(Workspace& workspace, const Parameter& parameter, const std::string& unit) {
    Session& session = workspace.session;
    const Value& value = session.bench().values().at(parameter.id);
    const std::vector<Value> stops = slider_stops(parameter, session.device() ? *session.device() : Limits{},
                                                  workspace.slider_range(parameter.id));
    float position = stop_position(value, stops);
    std::string shown = format_with_spaces(parameter, value);
    std::string suffix = shown == "1" ? singular(unit) : unit;
    const bool is_extent = std::holds_alternative<Extent>(value);
    if (is_auto(parameter, value)) {
        suffix = "auto";
        shown = "";
        // The value of "auto" may be the answer to an open question.
        if (session.bench().prepared() && session.bench().prepared()->is_valid() &&
            !session.has_open_question())
            shown = resolve_auto(session.bench().prepared()->plan, parameter.id);
    }
    const auto last = static_cast<int>(stops.size()) - 1;
    const SliderResult result =
        slider("bench." + parameter.id, parameter.label, shown, suffix, &position, last, parameter.help);
    if (result.was_text_entered) {
        session.set_text(parameter, is_extent ? result.text : remove_spaces(result.text));
    } else if (result.has_moved) {
        const Value& moved =
            stops[static_cast<std::size_t>(std::lround(static_cast<double>(position) * last))];
        if (moved != value) session.set_value(parameter.id, moved);
    }
}

void draw_variant(Session& session, std::string_view label) {
    std::vector<Option> options;
    std::size_t index = 0;
    const auto& variants = session.lesson().variants;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        options.push_back({variants[i].id, variants[i].summary});
        if (variants[i].id == session.bench().variant()) index = i;
    }
    if (choice("bench.variant", label, options, &index)) session.set_variant(variants[index].id);
}

// --- The row of controls above a step's picture. Design pixels.
constexpr float parameter_row_height = 56, slider_top_gap = 10, row_gap = 4;
constexpr float control_gap = 24;
constexpr float min_slider_width = 152, max_slider_width = 200;
constexpr float longer_value_margin = 48;  ///< spare width for values longer than the step's
constexpr float max_choice_width = 240;

/// A control of the row: of a parameter, or of the variant if `parameter` is null.
struct RowControl {
    const Parameter* parameter = nullptr;
    enum class Kind { slider, drop_down, sequence } kind = Kind::slider;
    float width = 0, height = 0;  ///< pixels

    std::string_view label() const { return parameter ? std::string_view(parameter->label) : tr("Variant"); }
};

float choice_control_width(const Session& session, const Parameter* parameter) {
    float width = text_size(TextStyle::note, parameter ? parameter->label : tr("Variant")).x;
    // As wide as the widest option, so that the controls beside it do not move when another is chosen.
    if (parameter)
        for (const Parameter::Choice& one : parameter->choices)
            width = std::max(width, choice_width(one.id));
    else
        for (const Variant& variant : session.lesson().variants)
            width = std::max(width, choice_width(variant.id));
    return std::min(width, theme().px(max_choice_width));
}

/// Width of a slider that shows its whole label beside the value of the step. It does not depend on the
/// current value, so nothing moves under the pointer.
float step_slider_width(const Parameter& parameter, const Value& step_value) {
    const bool automatic = is_auto(parameter, step_value);
    return slider_width(parameter.label, automatic ? "000" : format_with_spaces(parameter, step_value),
                        automatic ? "auto" : short_unit(parameter));
}

/// Lays out the step's controls. Sliders share the width of one row; each gets at least what its label needs.
std::vector<RowControl> lay_out_row(const Session& session, float width) {
    const Theme& t = theme();
    std::vector<RowControl> controls;
    const float default_height = t.px(parameter_row_height);
    float choices = 0, sliders = 0;
    for (const std::string& id : step_controls(session.shown_step())) {
        const Parameter* parameter = find(session.lesson().parameters, id);
        if (!parameter && id != "variant") continue;
        RowControl control{parameter, RowControl::Kind::slider, 0, default_height};
        if (!parameter || parameter->is_choice()) {
            control.kind = RowControl::Kind::drop_down;
            choices += control.width = choice_control_width(session, parameter);
        } else if (is_sequence(*parameter)) {
            control.kind = RowControl::Kind::sequence;
            control.width = width;
            control.height =
                t.line_height(TextStyle::note) + t.px(2) +
                sequence_height(choice_options(*parameter), get_sequence(session, *parameter).choices, width);
        } else {
            ++sliders;
        }
        controls.push_back(control);
    }
    const float room = width - choices - t.px(control_gap) * static_cast<float>(controls.size());
    const Experiment step_experiment = experiment_of_step(session.lesson(), session.story(), session.step());
    float spare = room;
    for (RowControl& control : controls)
        if (control.kind == RowControl::Kind::slider) {
            const Parameter& parameter = *control.parameter;
            control.width = std::max(step_slider_width(parameter, step_experiment.values.at(parameter.id)),
                                     t.px(min_slider_width));
            spare -= control.width;
        }
    const float count = std::max(1.0F, sliders);
    for (RowControl& control : controls) {
        if (control.kind != RowControl::Kind::slider) continue;
        const float widest = std::max(t.px(max_slider_width), control.width + t.px(longer_value_margin));
        control.width =
            std::floor(spare < 0 ? std::clamp(room / count, t.px(min_slider_width), t.px(max_slider_width))
                                 : std::min(control.width + spare / count, widest));
    }
    return controls;
}

void draw_row_control(Workspace& workspace, const RowControl& control, glm::vec2 at) {
    Session& session = workspace.session;
    const Theme& t = theme();
    // The panel needs padding for the focus ring.
    constexpr float ring = 6;
    const std::string id = control.parameter ? control.parameter->id : "variant";
    begin_panel("control." + id, at - glm::vec2(t.px(ring)),
                glm::vec2(control.width, control.height) + glm::vec2(2 * t.px(ring)),
                with_alpha(t.palette().ground, 0), false, ring);
    if (control.kind == RowControl::Kind::slider) {
        gap(slider_top_gap);
        draw_slider(workspace, *control.parameter, short_unit(*control.parameter));
    } else if (control.kind == RowControl::Kind::sequence) {
        draw_sequence(session, *control.parameter);
    } else {
        text(TextStyle::note, t.palette().quiet, control.label());
        gap(2);
        if (control.parameter)
            draw_choice(session, *control.parameter, "");
        else
            draw_variant(session, "");
    }
    end_panel();
}

/// Draws refusals always, even while a question is open. Draws cautions only for controls in the row, if
/// there is room and no question is open.
void draw_row_remarks(const Session& session, const std::vector<RowControl>& controls, bool has_room) {
    for (const Remark& remark : session.bench().remarks()) {
        const bool shown =
            remark.parameter.empty() || std::ranges::any_of(controls, [&](const RowControl& control) {
                return control.parameter && control.parameter->id == remark.parameter;
            });
        if (remark.severity == Severity::refusal ||
            (remark.severity == Severity::caution && shown && has_room && !session.has_open_question()))
            note_text(remark.text, remark.severity);
    }
}

}  // namespace

void draw_remarks(const Session& session, std::string_view parameter) {
    for (const Remark& remark : session.bench().remarks())
        if (remark.parameter == parameter &&
            (remark.severity == Severity::refusal || !session.has_open_question()))
            note_text(remark.text, remark.severity);
}

void draw_variant_control(Session& session) {
    draw_variant(session, tr("Variant"));
    draw_remarks(session, "");
}

void draw_parameter_control(Workspace& workspace, const Parameter& parameter) {
    Session& session = workspace.session;
    if (parameter.is_choice())
        draw_choice(session, parameter, parameter.label);
    else if (is_sequence(parameter))
        draw_sequence(session, parameter);
    else
        draw_slider(workspace, parameter, unit_beside_label(parameter));
    draw_remarks(session, parameter.id);
}

void draw_step_controls(Workspace& workspace, bool has_room) {
    const Theme& t = theme();
    Session& session = workspace.session;
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float right = start.x + ImGui::GetContentRegionAvail().x;
    const ButtonOptions quiet{
        .emphasis = Emphasis::quiet, .is_small = true, .tooltip = tr("Show the whole bench")};
    const glm::vec2 button_at = button_size(tr("All parameters ›"), quiet);
    const float end = right - button_at.x;
    const std::vector<RowControl> controls = lay_out_row(session, end - start.x);
    glm::vec2 at = start;
    float bottom = start.y + button_at.y;
    for (const RowControl& control : controls) {
        if (at.x > start.x && at.x + control.width > end) at = {start.x, bottom + t.px(row_gap)};
        draw_row_control(workspace, control, at);
        at.x += control.width + t.px(control_gap);
        bottom = at.y + control.height;
    }
    set_cursor({end, bottom - button_at.y});
    if (button("stage.all", tr("All parameters ›"), quiet)) workspace.is_drawer_open = true;
    set_cursor({start.x, bottom});
    ImGui::Dummy({0, 0});
    draw_row_remarks(session, controls, has_room);
}

}  // namespace gridstride::ui
