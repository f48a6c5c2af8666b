#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "present/figures.h"
#include "present/verdict_text.h"
#include "ui/limits/limits_view.h"
#include "ui/plot/draw_plot.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

// Design pixels.
constexpr float min_two_column_width = 800, column_gap = 32, plot_height = 360;

/// Analyzes the newest run again if it, or its trace, changed.
void update(LimitsView& view, const Session& session) {
    const Report& report = *session.report();
    std::shared_ptr<const AnalyzedTrace> trace = session.traces().newest();
    if (trace && (!trace->problem.empty() || trace->experiment() != report.experiment)) trace.reset();
    const std::string id = fmt::format("{} {}", report.run_id, report.timings.kernel.samples.size());
    if (view.run_id == id && view.trace == trace) return;
    view.run_id = id;
    view.trace = std::move(trace);
    view.limits = find_run_limits(report, view.trace.get());
    view.plot = limits_plot(report, view.limits);
    view.plot_view = {.is_static_image = true};
}

std::string gain_text(const LimitFinding& finding) {
    if (finding.is_unclear) return tr("unclear");
    return std::isfinite(finding.max_speedup) ? tr("up to {} ×", format_significant(finding.max_speedup, 2))
                                              : tr("most of it");
}

/// Draws the part of the time that the finding can account for.
void draw_time_bar(const LimitFinding& finding) {
    const Theme& t = theme();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const glm::vec2 size{ImGui::GetContentRegionAvail().x, t.px(6)};
    const float part = finding.is_unclear ? 0 : static_cast<float>(1 - 1 / finding.max_speedup);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(start, start + size, t.palette().raised, t.px(2));
    if (part > 0)
        list->AddRectFilled(start, {start.x + size.x * part, start.y + size.y}, t.color(ColorRole::kernel),
                            t.px(2));
    ImGui::Dummy(size);
}

std::optional<LimitsAction> draw_finding(const LimitFinding& finding, bool has_trace, const Lesson& lesson) {
    const Theme& t = theme();
    std::optional<LimitsAction> action;
    const std::string id = fmt::format("limits.{}", name(finding.kind));
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const std::string gain = gain_text(finding);
    const float gain_width = text_size(TextStyle::mono, gain).x + t.px(16);
    draw_text_right(ImGui::GetWindowDrawList(), TextStyle::mono, {start.x + width, start.y},
                    t.text_color(finding.is_unclear ? ColorRole::quiet : ColorRole::kernel), gain);
    named_text(id, TextStyle::body_strong, t.palette().text, finding.title, finding.title + " " + gain,
               width - gain_width);
    gap(4);
    draw_time_bar(finding);
    gap(4);
    text_wrapped(TextStyle::body, t.palette().text, finding.evidence);
    for (const Explanation& explanation : finding.explanations)
        text_wrapped(TextStyle::body, t.palette().text, "– " + explanation_text(explanation));
    text(TextStyle::note, t.palette().quiet,
         fmt::format("{}{}", tr(name(finding.origin)), finding.is_of_run() ? tr("; of the whole run") : ""));
    gap(2);
    const ButtonOptions quiet{.emphasis = Emphasis::quiet, .is_small = true};
    bool is_first = true;
    const auto add = [&](std::string_view suffix, const std::string& label, LimitsAction button_action) {
        if (!is_first) ImGui::SameLine(0, t.px(8));
        is_first = false;
        if (button(fmt::format("{}.{}", id, suffix), label, quiet)) action = std::move(button_action);
    };
    if (!finding.lines.empty() && has_trace)
        add("accesses", tr("Show in the trace"), {LimitsAction::Kind::show_accesses, ""});
    if (const Parameter* const swept = find(lesson.parameters, finding.experiment))
        add("sweep", tr("Tell by a sweep of {}", swept->label), {LimitsAction::Kind::sweep, swept->id});
    const std::string teaching_id(teaching_lesson(finding.kind));
    if (const Lesson* const taught = find_lesson(teaching_id))
        add("lesson", tr("Lesson {}", taught->title), {LimitsAction::Kind::open_lesson, teaching_id});
    gap(8);
    separator();
    gap(8);
    return action;
}

void draw_without_gain(const RunLimits& limits) {
    const Theme& t = theme();
    bool has_heading = false;
    for (const LimitFinding& finding : limits.findings) {
        if (finding.max_speedup >= min_speedup) continue;
        if (!has_heading) section_label(tr("Nothing to gain"));
        gap(has_heading ? 4 : 2);
        has_heading = true;
        text_wrapped(TextStyle::note, t.palette().quiet,
                     fmt::format("{}: {}", finding.title, finding.evidence));
    }
}

void draw_trace_request(const LimitsView& view, Session& session) {
    if (view.trace && view.limits.unmeasured_titles.empty()) return;
    text_wrapped(TextStyle::note, theme().palette().quiet,
                 session.is_tracing()
                     ? tr("The kernel runs once more and is traced …")
                     : tr("Accesses, branches and barriers are unknown until the kernel is traced."));
    gap(4);
    const bool can_trace = session.device() && session.bench().is_valid() && !session.is_tracing() &&
                           session.bench().prepared() && !session.is_stale();
    if (button("limits.trace", tr("Trace this run"),
               {.emphasis = Emphasis::primary, .is_enabled = can_trace}))
        session.trace_run(
            {.launch = find_longest_launch(*session.report(), session.bench().prepared()->plan)});
    gap(12);
}

std::optional<LimitsAction> draw_findings(const LimitsView& view, Session& session) {
    std::optional<LimitsAction> action;
    text(TextStyle::panel_title, theme().palette().text, tr("What limits it"));
    text_wrapped(TextStyle::note, theme().palette().quiet, view.limits.floor_text);
    if (!view.limits.traced_launch.empty())
        text_wrapped(TextStyle::note, theme().palette().quiet, view.limits.traced_launch);
    gap(12);
    draw_trace_request(view, session);
    const bool any = std::ranges::any_of(
        view.limits.findings, [](const LimitFinding& finding) { return finding.max_speedup >= min_speedup; });
    if (!any && view.trace)
        named_text("limits.none", TextStyle::body_strong, theme().text_color(ColorRole::right),
                   tr("✓ Nothing to gain: the kernel is as fast as the ceilings allow."));
    for (const LimitFinding& finding : view.limits.findings)
        if (finding.max_speedup >= min_speedup)
            if (auto finding_action = draw_finding(finding, view.trace != nullptr, session.lesson()))
                action = std::move(finding_action);
    draw_without_gain(view.limits);
    if (view.trace && !view.limits.missing.empty())
        text_wrapped(TextStyle::note, theme().text_color(ColorRole::caution), "! " + view.limits.missing);
    return action;
}

void draw_place(LimitsView& view) {
    const Theme& t = theme();
    text(TextStyle::panel_title, t.palette().text, tr("Where this run stands"));
    if (!view.plot) {
        text_wrapped(TextStyle::note, t.palette().quiet,
                     tr("This task has no floating-point operations to count, so there is no roofline."));
        return;
    }
    text_wrapped(TextStyle::note, t.palette().quiet, view.plot->note);
    gap(8);
    draw_plot("limits.roofline", *view.plot, view.plot_view,
              {ImGui::GetContentRegionAvail().x, t.px(plot_height)}, false);
}

}  // namespace

std::optional<LimitsAction> draw_limits(LimitsView& view, Session& session) {
    const Theme& t = theme();
    const Report* const report = session.report();
    if (!report || report->timings.kernel.samples.empty()) {
        named_text("limits.empty", TextStyle::body, t.palette().text,
                   report ? no_times_reason(report) : tr("Run once to see what limits the time."));
        return std::nullopt;
    }
    update(view, session);
    const float width = ImGui::GetContentRegionAvail().x;
    const bool has_columns = width >= t.px(min_two_column_width);
    if (has_columns) {
        const float left = std::floor((width - t.px(column_gap)) * 0.48F);
        ImGui::BeginChild("limits.place", {left, 0}, false, ImGuiWindowFlags_NoNav);
        draw_place(view);
        ImGui::EndChild();
        ImGui::SameLine(0, t.px(column_gap));
    }
    ImGui::BeginChild("limits.findings", {0, 0}, false, ImGuiWindowFlags_NoNav);
    std::optional<LimitsAction> action = draw_findings(view, session);
    if (!has_columns) {
        gap(24);
        draw_place(view);
    }
    ImGui::EndChild();
    return action;
}

}  // namespace gridstride::ui
