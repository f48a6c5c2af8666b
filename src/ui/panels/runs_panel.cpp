// The strip of the runs at the bottom of the window, which opens to a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "ui/panels/panels.h"
#include "ui/panels/runs_table.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

constexpr float run_row_height = 28;

/// Draws the last 12 kernel times as bars, scaled to the longest. Returns the x at which they end.
float draw_time_bars(const Session& session, glm::vec2 at, float height) {
    const Theme& t = theme();
    constexpr std::size_t max_bars = 12;
    const auto& history = session.runs().all();
    const std::size_t first = history.size() - std::min(max_bars, history.size());
    double longest = 0;
    for (std::size_t i = first; i < history.size(); ++i)
        longest = std::max(longest, history[i].kernel_ns);
    if (longest <= 0) return at.x;
    const float bar_width = std::round(t.px(5)), space = std::round(t.px(2));
    float x = at.x;
    for (std::size_t i = first; i < history.size(); ++i) {
        const float bar_height =
            std::max(1.0F, std::round(height * static_cast<float>(history[i].kernel_ns / longest)));
        ImGui::GetWindowDrawList()->AddRectFilled({x, at.y + height - bar_height},
                                                  {x + bar_width, at.y + height}, t.palette().quiet, 1);
        x += bar_width + space;
    }
    register_widget("runs.bars", "picture", at, {x, at.y + height});
    return x;
}

/// Returns, for example, "tree_sequential 128 × 8".
std::string format_launch(const Report& report) {
    std::string words = report.experiment.variant;
    if (report.launch.workgroup_count() > 0)
        words += fmt::format(" {} × {}", format_count(report.launch.workgroup_size()),
                             format_count(report.launch.workgroup_count()));
    return words;
}

class StripText {
 public:
    StripText(glm::vec2 at, float right) : at_(at), right_(right) {}
    void move_to(float x) { at_.x = x; }
    float x() const { return at_.x; }
    /// Returns true if the whole text fitted.
    bool add(TextStyle type, ImU32 color, std::string_view words, float gap_after) {
        const Theme& t = theme();
        const std::string shown = elide(type, words, right_ - at_.x);
        const bool whole = shown == words;
        if (!whole && right_ - at_.x < t.px(48)) {
            at_.x = right_;
            return false;
        }
        // Align the baselines of the text face and the mono face.
        const float top =
            at_.y - t.line_height(TextStyle::note) / 2 + baseline(TextStyle::note) - baseline(type);
        draw_text(ImGui::GetWindowDrawList(), type, {at_.x, std::floor(top)}, color, shown);
        at_.x += text_size(type, shown).x + t.px(gap_after);
        return whole;
    }

 private:
    glm::vec2 at_;  ///< y is the middle of the line
    float right_;
};

void draw_strip_text(const Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    const Session& session = workspace.session;
    const bool results_hidden =
        !session.runs().all().empty() && session.hides(session.runs().all().back().report.experiment);
    StripText words({area.min.x, area.centre().y}, area.max.x);
    words.add(TextStyle::note_strong, palette.text,
              session.runs().all().empty() ? tr("Runs") : tr("Runs {}", session.runs().all().size()), 16);
    if (!results_hidden && !session.runs().all().empty()) {
        const float height = std::round(t.px(14));
        words.move_to(draw_time_bars(session, {words.x(), std::floor(area.centre().y - height / 2)}, height) +
                      t.px(16));
    }
    if (!workspace.notice.empty()) {
        const float from = words.x();
        words.add(TextStyle::note, workspace.is_notice_error ? t.text_color(ColorRole::wrong) : palette.quiet,
                  (workspace.is_notice_error ? "✗ " : "✓ ") + workspace.notice, 16);
        register_place("runs.notice", {{from, area.min.y}, {words.x(), area.max.y}}, workspace.notice);
        return;
    }
    if (session.runs().all().empty()) {
        words.add(TextStyle::note, palette.quiet, tr("Every run is kept here."), 0);
        return;
    }
    words.add(TextStyle::note, palette.quiet, tr("last:"), 6);
    // The number of workgroups may be the answer to an open question.
    const auto run_words = [&](const Report& run) {
        return results_hidden ? run.experiment.variant : format_launch(run);
    };
    words.add(TextStyle::mono, palette.text, run_words(session.runs().all().back().report), 20);
    if (const HistoryEntry* pinned = session.runs().pinned()) {
        words.add(TextStyle::note, palette.quiet, tr("pinned:"), 6);
        words.add(TextStyle::mono, palette.text, run_words(pinned->report), results_hidden ? 0 : 8);
        if (results_hidden) words.add(TextStyle::note, palette.quiet, tr(", compared after your answer"), 0);
    }
}

void draw_strip(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    Session& session = workspace.session;
    bool& open = workspace.layout.runs_open();
    ImGui::GetWindowDrawList()->AddLine(area.min, {area.max.x, area.min.y}, palette.line);
    const float inset = t.px(16);
    float x = area.max.x - inset;
    const auto button_from_right = [&](std::string_view id, std::string_view label, ButtonOptions options) {
        options.is_small = true;
        const glm::vec2 size = button_size(label, options);
        x -= size.x;
        set_cursor(glm::floor(glm::vec2(x, area.centre().y - size.y / 2)));
        x -= t.px(8);
        return button(id, label, options);
    };
    // The buttons are placed from the right, but the strip comes first in the Tab order.
    const float right_of_words = [&] {
        float width = inset + t.px(16);
        const auto add = [&](std::string_view label, ButtonOptions options) {
            options.is_small = true;
            width += button_size(label, options).x + t.px(8);
        };
        add(open ? tr("Close ▾") : tr("Open ▴"), {});
        add(tr("Export CSV"), {.shortcut = "Ctrl+S"});
        if (open) {
            add(tr("Pin"), {});
            add(tr("Compare files …"), {});
        }
        return area.max.x - width;
    }();
    const Rect strip{area.min, {std::max(area.min.x + 1, right_of_words), area.max.y}};
    const Item item = interact("runs.strip", {"button", tr("Runs {}", session.runs().all().size())}, strip);
    if (item.was_clicked) open = !open;
    if (item.is_hovered)
        ImGui::GetWindowDrawList()->AddRectFilled({area.min.x, area.min.y + 1}, area.max, palette.raised);
    draw_strip_text(workspace, {{area.min.x + inset, area.min.y}, strip.max});
    if (item.is_focused) draw_focus_ring(strip.expanded(glm::vec2(-t.px(5))), t.px(4));
    if (workspace.notice.empty())
        show_delayed_tooltip(item, make_widget_id("runs.strip"),
                             open ? tr("Close the table: Ctrl+R") : tr("Open the table: Ctrl+R"));

    if (button_from_right("runs.open", open ? tr("Close ▾") : tr("Open ▴"), {.emphasis = Emphasis::quiet}))
        open = !open;
    if (button_from_right("runs.export", tr("Export CSV"),
                          {.is_enabled = session.has_reports(), .shortcut = "Ctrl+S"}))
        open_export(workspace);
    if (!open) return;
    if (button_from_right("runs.pin", tr("Pin"),
                          {.is_enabled = !session.runs().all().empty(),
                           .tooltip = tr("Compare later runs with the selected one: Ctrl+P")}) &&
        session.runs().selected())
        session.runs().pin(session.runs().selected()->number);
    if (button_from_right("runs.compare", tr("Compare files …"),
                          {.tooltip = tr("Compare two CSV files of measurements")}))
        workspace.dialog = Dialog::compare;
}

void draw_runs_table(Session& session, const Rect& area) {
    const Theme& t = theme();
    const float inset = t.px(16), row_height = t.px(run_row_height), head_height = t.px(28);
    // With a scroll bar the rows are narrower, and the headings must match.
    const float rows_height = static_cast<float>(session.runs().all().size()) * row_height;
    const bool scrolls = rows_height > area.height() - head_height;
    const float bar = scrolls ? ImGui::GetStyle().ScrollbarSize : 0;
    const Rect head{{area.min.x + inset, area.min.y}, {area.max.x - inset - bar, area.min.y + head_height}};
    draw_runs_heading(session, head);

    set_cursor({area.min.x, head.max.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {inset, 0});
    ImGui::BeginChild("runs.rows", glm::max(glm::vec2(1), glm::vec2(area.width(), area.max.y - head.max.y)),
                      false, ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    if (session.runs().all().empty()) {
        gap(12);
        text(TextStyle::note, t.palette().quiet,
             tr("Every run is kept here, newest first. Change a control, or press F5."));
    } else if (session.has_open_question()) {
        gap(6);
        named_text("runs.held", TextStyle::note, t.palette().quiet,
                   tr("Answer the question to see the numbers."));
        gap(6);
    }
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    // Newest first, and only the visible rows: a session can have thousands.
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(session.runs().all().size()), row_height);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
            draw_run_row(session,
                         session.runs().all()[session.runs().all().size() - 1 - static_cast<std::size_t>(i)],
                         row_height);
    ImGui::PopStyleVar();
    ImGui::EndChild();
}

}  // namespace

void draw_runs_panel(Workspace& workspace, const Rect& area) {
    begin_panel("runs", area.min, area.size(), theme().palette().panel, false, 0);
    const float strip = std::floor(theme().px(runs_strip_height));
    draw_strip(workspace, {area.min, {area.max.x, area.min.y + strip}});
    if (workspace.layout.runs_open())
        draw_runs_table(workspace.session, {{area.min.x, area.min.y + strip}, area.max});
    end_panel();
}

}  // namespace gridstride::ui
