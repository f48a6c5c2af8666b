// The layout of the Inside tab, its text before there is a trace, and its controls beside the tabs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/text.h"
#include "base/units.h"
#include "present/verdict_text.h"
#include "trace/trace_text.h"
#include "ui/inside/inside_parts.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

// Design pixels.
constexpr float min_three_column_width =
    1000;  ///< from this width on the findings have a column of their own
constexpr float step_box_height = 120;

/// Returns why tracing is not possible now; empty if it is.
std::string tracing_refusal_reason(const Session& session) {
    if (!session.device_problem().empty()) return session.device_problem();
    if (!session.device()) return tr("You can trace a run once the device is open.");
    if (!session.bench().is_valid())
        return tr("These values cannot be run, so they cannot be traced. The bench says why.");
    return {};
}

void draw_trace_button(InsideView& view, Session& session, const char* label, bool is_small) {
    const bool possible = tracing_refusal_reason(session).empty() && !session.is_tracing();
    const ButtonOptions options{.emphasis = is_small ? Emphasis::normal : Emphasis::primary,
                                .is_enabled = possible,
                                .is_small = is_small,
                                .tooltip = tr("Runs the bench once more with an instrumented kernel")};
    if (button("inside.record", label, options))
        session.trace_run({.launch = static_cast<std::uint32_t>(view.launch)});
}

void draw_empty_tab(InsideView& view, Session& session, const Rect& area) {
    const Theme& t = theme();
    const float width = std::min(area.width(), t.px(560));
    set_cursor({area.min.x + std::floor((area.width() - width) / 2),
                area.min.y + std::floor(area.height() * 0.16F)});
    ImGui::BeginGroup();
    const std::shared_ptr<const AnalyzedTrace> analysis = session.traces().newest();
    const bool failed = analysis && !analysis->problem.empty() && !session.is_tracing();
    text(TextStyle::panel_title, t.palette().text,
         session.is_tracing() ? tr("Tracing …")
         : failed             ? tr("This run could not be traced")
                              : tr("What the invocations do, traced on this device"));
    gap(8);
    const std::string device = session.device()
                                   ? describe_device(session.device()->device_name, session.device()->is_cpu)
                                   : tr("this device");
    const std::string words =
        failed ? analysis->problem
               : tr("A trace runs the kernel once more on {} and records every access to memory and "
                    "every barrier of each invocation. Then you can step through a workgroup, see which "
                    "invocation reads or writes which element, and find data races. "
                    "Tracing changes the times, so a traced run is never timed.",
                    device);
    const float left = ImGui::GetCursorScreenPos().x;
    named_text("inside.empty", TextStyle::body, failed ? t.text_color(ColorRole::wrong) : t.palette().quiet,
               words, {}, width);
    gap(12);
    if (const std::string reason = tracing_refusal_reason(session); !reason.empty()) {
        text_wrapped(TextStyle::note, t.palette().text, reason, width);
        gap(8);
    }
    draw_trace_button(view, session, failed ? tr("Trace again") : tr("Trace this run"), false);
    set_cursor({left, ImGui::GetCursorScreenPos().y});
    gap(12);
    if (button("inside.open", tr("Open a trace …"), {.emphasis = Emphasis::quiet, .is_small = true}))
        view.pending_action = InsideAction::open;
    ImGui::EndGroup();
}

std::vector<std::string> launch_labels(const Session& session) {
    std::vector<std::string> labels;
    if (!session.bench().prepared()) return labels;
    for (const Step& step : session.bench().prepared()->plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) labels.push_back(dispatch->label);
    return labels;
}

/// Shows the workgroup that was typed if it is in the trace; else traces from it on.
void choose_workgroup(InsideView& view, Session& session) {
    const ShownWorkgroup& shown = *view.shown;
    const auto number = parse_number<std::uint64_t>(trim(view.workgroup_text));
    if (!number || *number >= shown.trace().grid.product()) {
        view.workgroup_text = std::to_string(shown.lanes.workgroup());
        return;
    }
    if (*number >= shown.first_workgroup() && *number <= shown.last_workgroup())
        view.show_workgroup(*number);
    else
        session.trace_run({.launch = static_cast<std::uint32_t>(view.launch), .first_workgroup = *number});
}

void draw_choice_popup(InsideView& view, Session& session, glm::vec2 corner) {
    const Theme& t = theme();
    ImGui::SetNextWindowPos(corner, ImGuiCond_Always, {1, 0});
    if (!ImGui::BeginPopup("inside.choice")) return;
    const ShownWorkgroup& shown = *view.shown;
    const float width = t.px(300);
    const std::uint64_t groups = shown.trace().grid.product();
    text_wrapped(TextStyle::note, t.palette().quiet,
                 tr("Workgroups {} to {} of {} were traced. Enter another number to trace from there on.",
                    shown.first_workgroup(), shown.last_workgroup(), format_count(groups)),
                 width);
    gap(4);
    text_wrapped(TextStyle::note, t.palette().quiet,
                 trace::placement_text(shown.trace(), shown.lanes.workgroup()), width);
    gap(4);
    bool chosen =
        text_field("inside.workgroup.number", &view.workgroup_text, {.width = t.px(96), .decimal = true});
    ImGui::SameLine(0, t.px(8));
    chosen = button("inside.workgroup.show", tr("Show")) || chosen;
    if (chosen) {
        choose_workgroup(view, session);
        ImGui::CloseCurrentPopup();
    }
    gap(8);
    const ButtonOptions small{.is_small = true};
    if (button("inside.save", tr("Save the trace …"), small)) view.pending_action = InsideAction::save;
    ImGui::SameLine(0, t.px(8));
    if (button("inside.open", tr("Open …"), small)) view.pending_action = InsideAction::open;
    if (view.pending_action != InsideAction::none) ImGui::CloseCurrentPopup();
    const std::vector<std::string> launches = launch_labels(session);
    if (launches.size() > 1) {
        gap(8);
        text(TextStyle::note, t.palette().quiet,
             tr("The plan has several launches. Choose the one to trace:"));
        gap(4);
        for (std::size_t i = 0; i < launches.size(); ++i) {
            if (!button(fmt::format("inside.launch.{}", i), launches[i],
                        {.emphasis = Emphasis::quiet, .is_selected = i == view.launch, .is_small = true}))
                continue;
            view.launch = i;
            session.trace_run({.launch = static_cast<std::uint32_t>(i)});
            ImGui::CloseCurrentPopup();
        }
    }
    if (is_key_pressed(Key::escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

void draw_summary(const InsideView& view, const Session& session, const Rect& row) {
    const Theme& t = theme();
    const ShownWorkgroup& shown = *view.shown;
    const trace::Trace& trace = shown.trace();
    const std::uint64_t groups = shown.last_workgroup() - shown.first_workgroup() + 1;
    const bool all = trace.is_whole_launch();
    const std::string what = tr("{} of {}{}", counted(shown.accesses, "access", "accesses"),
                                counted(groups, "workgroup", "workgroups"),
                                all ? "" : tr(" of {}", format_count(trace.grid.product())));
    const std::string verdict = verdict_word(*shown.analysis->report);
    ColorRole color_role = ColorRole::quiet;
    std::vector<std::string> forms;
    const AnalyzedTrace& analysis = *shown.analysis;
    if (!analysis.file.empty()) {
        forms = {tr("{} · Opened from {}: {}, traced on {}.", verdict, analysis.file, what,
                    analysis.report->device.device_name),
                 tr("Opened from {}: {}.", analysis.file, what)};
    } else if (session.is_trace_old()) {
        color_role = ColorRole::caution;
        forms = {tr("! The bench has changed since: trace again. This is a trace of {}.", what),
                 tr("! The bench has changed: trace again."), tr("! Outdated: trace again."), "!"};
    } else if (trace.lost > 0) {
        color_role = ColorRole::caution;
        const std::string lost = counted(trace.lost, "record", "records");
        forms = {tr("! The record buffer overflowed: {} lost, {} kept. Findings that need all of them "
                    "are unknown.",
                    lost, what),
                 tr("! {} lost.", lost), "!"};
    } else {
        forms = {tr("{} · Traced on this device in a separate run: {}. Tracing changes the times, so "
                    "none are shown.",
                    verdict, what),
                 tr("{} · Traced in a separate run: {}. No times: tracing changes them.", verdict, what),
                 tr("{} · Traced: {}; never timed.", verdict, what),
                 tr("{} · {}, never timed.", verdict, what),
                 tr("Traced: {}", what),
                 verdict};
    }
    const glm::vec2 at(row.min.x, std::floor(row.centre().y - t.line_height(TextStyle::note) / 2));
    const std::string words = longest_fitting_text(TextStyle::note, forms, row.width());
    const Rect place{at, {row.max.x, at.y + t.line_height(TextStyle::note)}};
    draw_text(ImGui::GetWindowDrawList(), TextStyle::note, at, t.text_color(color_role), words);
    register_place("inside.said", place, forms.front(), words != forms.front() ? forms.front() : "");
}

}  // namespace

void draw_inside_head(InsideView& view, Session& session, const SourceReader& read, const Rect& row) {
    const Theme& t = theme();
    view.update(session, read);
    if (!view.shown) return;
    const ButtonOptions small{.is_small = true};
    const std::uint64_t now = view.shown->lanes.workgroup();
    const std::string label = tr("Workgroup {}", now);
    const float space = t.px(6);
    const float height = button_size(label, small).y;
    float x = row.max.x;
    const auto place = [&](const char* words) {
        x -= button_size(words, small).x;
        set_cursor({std::floor(x), std::floor(row.centre().y - height / 2)});
        x -= space;
    };
    place(tr("Trace again"));
    draw_trace_button(view, session, tr("Trace again"), true);
    x -= space;
    std::optional<std::uint64_t> target;
    place("›");
    if (button("inside.workgroup.next", "›",
               {.is_enabled = now < view.shown->last_workgroup(),
                .is_small = true,
                .tooltip = tr("The next workgroup")}))
        target = now + 1;
    place(label.c_str());
    const glm::vec2 corner(x + space + button_size(label, small).x, row.max.y);
    if (button("inside.workgroup", label,
               {.is_small = true, .tooltip = tr("Choose a workgroup or a launch")}))
        ImGui::OpenPopup("inside.choice");
    draw_choice_popup(view, session, corner);
    place("‹");
    if (button("inside.workgroup.previous", "‹",
               {.is_enabled = now > view.shown->first_workgroup(),
                .is_small = true,
                .tooltip = tr("The previous workgroup")}))
        target = now - 1;
    if (target) view.show_workgroup(*target);
    draw_summary(view, session, {row.min, {x - t.px(6), row.max.y}});
}

void draw_inside(InsideView& view, Session& session, const SourceReader& read, const Rect& area) {
    const Theme& t = theme();
    view.update(session, read);
    if (!view.shown) return draw_empty_tab(view, session, area);
    const float space = std::round(t.px(12));
    const bool has_three_columns = area.width() >= t.px(min_three_column_width);
    const float left = std::floor(area.width() * (has_three_columns ? 0.28F : 0.38F));
    const float right = has_three_columns ? std::floor(area.width() * 0.21F) : 0;
    const float box = std::round(std::min(t.px(step_box_height), area.height() * 0.28F));
    const Rect column{area.min, {area.min.x + left, area.max.y}};
    const float step_top = column.max.y - box;
    // With two columns, the findings are between the source and the step.
    const float source_bottom =
        has_three_columns ? step_top - space : std::floor(column.min.y + (step_top - column.min.y) * 0.56F);
    draw_inside_source(view, {column.min, {column.max.x, source_bottom}});
    draw_inside_step(view, {{column.min.x, step_top}, column.max});

    const Rect middle{{column.max.x + space, area.min.y},
                      {area.max.x - (has_three_columns ? right + space : 0), area.max.y}};
    // If there are few rows, the memory gets the remaining height.
    const float min_memory_height = std::floor(std::clamp(middle.height() * 0.36F, t.px(120), t.px(320)));
    const float player = inside_player_height();
    const float rows = std::max(t.px(120), inside_lanes_height(view));
    const float player_top = std::floor(
        std::min(middle.max.y - min_memory_height - space - player, middle.min.y + rows + t.px(8)));
    const float memory = middle.max.y - player_top - player - space;
    draw_inside_lanes(view, {middle.min, {middle.max.x, player_top - t.px(8)}});
    draw_inside_player(view, {{middle.min.x, player_top}, {middle.max.x, player_top + player}});
    draw_inside_memory(view, {{middle.min.x, middle.max.y - memory}, middle.max});
    // Drawn last, because a click may switch to another workgroup.
    if (has_three_columns)
        draw_inside_findings(view, {{area.max.x - right, area.min.y}, area.max});
    else
        draw_inside_findings(view, {{column.min.x, source_bottom + space}, {column.max.x, step_top - space}});
}

}  // namespace gridstride::ui
