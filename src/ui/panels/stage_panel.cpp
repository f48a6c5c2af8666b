// The middle of the window: the step's controls, the tabs and their contents, and in Learn the strip of the
// newest run.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "present/verdict_text.h"
#include "session/session_text.h"
#include "ui/panels/panels.h"
#include "ui/panels/stage_tabs.h"
#include "ui/plot/plot_view.h"

namespace gridstride::ui {

namespace {

constexpr float stage_inset = 20;

SourceReader shader_reader(Workspace& workspace) {
    return
        [&workspace](const std::string& file) -> const std::string& { return workspace.shader_source(file); };
}

void draw_inside_tab(Workspace& workspace) {
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    draw_inside(workspace.inside, workspace.session, shader_reader(workspace),
                {start, start + glm::vec2(ImGui::GetContentRegionAvail())});
    const InsideAction pending_action = std::exchange(workspace.inside.pending_action, InsideAction::none);
    if (pending_action != InsideAction::none)
        open_trace_dialog(workspace,
                          pending_action == InsideAction::save ? Dialog::save_trace : Dialog::open_trace);
}

void perform(Workspace& workspace, const LimitsAction& action) {
    Session& session = workspace.session;
    if (action.kind == LimitsAction::Kind::show_accesses) return open_tab(workspace, "inside");
    if (action.kind == LimitsAction::Kind::sweep) {
        SweepDraft& draft = workspace.sweep_drafts[session.lesson().id];
        draft.form = default_form(*session.bench().prepared());
        draft.form.parameters = {action.id, ""};
        draft.open = true;
        return open_tab(workspace, "sweep");
    }
    const CourseEntry& entry = *find_course_entry(action.id);
    workspace.is_at_end = false;
    session.open(entry, find_step_by_id(entry, session.progress().last_position(entry).step).value_or(0));
}

void draw_limits_tab(Workspace& workspace) {
    if (const std::optional<LimitsAction> action = draw_limits(workspace.limits, workspace.session))
        perform(workspace, *action);
}

struct StageTab {
    Tab tab;
    void (*draw)(Workspace& workspace);
    const char* hidden_text;  ///< shown while a question is open; null: the tab is not hidden
};
void draw_pictures(Workspace& workspace) {
    draw_picture_tab(workspace,
                     workspace.layout.arrangement == Arrangement::learn ? Pictures::leading : Pictures::all);
}

const StageTab stage_tabs[] = {
    {{"picture", tr_later("Picture")}, draw_pictures, nullptr},
    {{"inside", tr_later("Inside")}, draw_inside_tab, tr_later("Answer the question to see the trace.")},
    {{"timings", tr_later("Time")}, draw_time_tab, tr_later("Answer the question to see the times.")},
    {{"limits", tr_later("Limits")}, draw_limits_tab, tr_later("Answer the question to see the limits.")},
    {{"launch", tr_later("Launch")}, draw_launch_tab, tr_later("Answer the question to see the launch.")},
    {{"sweep", tr_later("Sweep")}, draw_sweep_panel, tr_later("Answer the question to start sweeps.")},
    {{"kernel", tr_later("Kernel")}, draw_kernel_panel, nullptr},
};

std::vector<Tab> tab_names(const Lesson& lesson) {
    std::vector<Tab> names;
    for (const StageTab& one : stage_tabs) {
        names.push_back({one.tab.id, tr(one.tab.label.c_str())});
        if (one.draw == draw_kernel_panel && lesson.has_programs()) names.back().label = tr("Program");
    }
    return names;
}

void draw_verdict_beside_tabs(const Session& session, const Rect& row) {
    const Theme& t = theme();
    const bool results_hidden = session.hides_results();
    const VerdictText verdict = results_hidden ? VerdictText{tr("Answer the question to see the results.")}
                                               : session_verdict(session);
    const TextStyle type = results_hidden ? TextStyle::note : TextStyle::body_strong;
    const ImU32 color_role = t.text_color(verdict.color_role);
    std::vector<std::string> forms = {verdict.whole()};
    if (!results_hidden && session.report()) {
        const std::string word = verdict_word(*session.report());
        if (!verdict.input_text.empty())
            forms.insert(forms.end(),
                         {verdict.text + " · " + verdict.input_text, word + " · " + verdict.input_text});
        forms.insert(forms.end(), {verdict.text, word});
    }
    const std::string fitting = longest_fitting_text(type, forms, row.width());
    const std::string words = fitting.empty() ? verdict.text : fitting;
    const glm::vec2 size = text_size(type, words);
    if (size.x > row.width()) return;
    const glm::vec2 at(row.max.x - size.x, std::floor(row.centre().y - size.y / 2));
    named_line(results_hidden ? "strip.held" : "result.verdict", type, at,
               session.is_dimmed() ? with_alpha(color_role, 0.45F) : color_role, words, verdict.whole());
}

/// Draws the trace's heading and, because the Inside tab has no bench beside it, the button for all
/// parameters.
void draw_inside_row(Workspace& workspace, Rect row) {
    const ButtonOptions options{.is_small = true, .tooltip = tr("Show the whole bench over the stage")};
    const glm::vec2 size = button_size(tr("All parameters"), options);
    if (!workspace.is_drawer_open) {
        row.max.x -= size.x;
        set_cursor({row.max.x, std::floor(row.centre().y - size.y / 2)});
        if (button("stage.all", tr("All parameters"), options)) workspace.is_drawer_open = true;
        row.max.x -= theme().px(8);
    }
    draw_inside_head(workspace.inside, workspace.session, shader_reader(workspace), row);
}

void draw_tabs_row(Workspace& workspace) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    tabs("stage", tab_names(workspace.session.lesson()), &workspace.tab);
    const glm::vec2 end = ImGui::GetItemRectMax();
    const glm::vec2 next = ImGui::GetCursorScreenPos();
    const Rect beside{{end.x + t.px(16), start.y}, {start.x + width, end.y}};
    set_cursor(beside.min);
    if (is_inside_open(workspace)) {
        draw_inside_row(workspace, beside);
    } else if (workspace.layout.arrangement == Arrangement::bench) {
        draw_verdict_beside_tabs(session, beside);
    } else if (stage_tabs[workspace.tab].draw == draw_pictures) {
        draw_other_pictures(workspace, beside.max.x);
    }
    set_cursor(next);
}

/// Draws the progress line while a run is in flight; its space is reserved otherwise.
void draw_run_progress(const Session& session) {
    const glm::vec2 at = ImGui::GetCursorScreenPos();
    if (session.has_active_jobs()) {
        const auto progress = session.jobs().run_progress();
        const bool known = progress && progress->slices > 1;
        progress_line(known ? static_cast<float>(progress->slices_done) / static_cast<float>(progress->slices)
                            : -1);
    }
    set_cursor(at);
    gap(3);
}

void draw_hidden_results(Session& session, const char* words) {
    const Theme& t = theme();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const glm::vec2 room = ImGui::GetContentRegionAvail();
    const std::string_view more = tr("Answer the question, then press F5 to run.");
    const float width =
        std::max(text_size(TextStyle::panel_title, words).x, text_size(TextStyle::note, more).x);
    const glm::vec2 at = glm::floor(
        start + glm::max(glm::vec2(0), (room - glm::vec2(width, t.px(52))) * glm::vec2(0.5F, 0.4F)));
    set_cursor(at);
    named_text("stage.held", TextStyle::panel_title, t.palette().text, words);
    set_cursor({at.x, ImGui::GetCursorScreenPos().y});
    gap(4);
    set_cursor({at.x, ImGui::GetCursorScreenPos().y});
    note_text(more);
    gap(12);
    set_cursor({at.x, ImGui::GetCursorScreenPos().y});
    draw_skip_button("stage.skip", session);
}

}  // namespace

bool is_inside_open(const Workspace& workspace) {
    return stage_tabs[workspace.tab].draw == draw_inside_tab && !workspace.session.hides_results();
}

void open_tab(Workspace& workspace, std::string_view id) {
    const auto* const tab =
        std::ranges::find_if(stage_tabs, [&](const StageTab& one) { return one.tab.id == id; });
    workspace.tab = static_cast<std::size_t>(tab - std::begin(stage_tabs));
}

void draw_stage_panel(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    const bool learn = workspace.layout.arrangement == Arrangement::learn && !is_inside_open(workspace);
    // Releases an outdated trace, whichever tab is open.
    workspace.inside.update(workspace.session, shader_reader(workspace));
    const float inset = std::round(t.px(stage_inset));
    workspace.kernel_has_keyboard = false;

    begin_panel("stage", area.min, area.size(), no_fill, false, 0);
    set_cursor({area.min.x + inset, area.min.y + t.px(12)});
    begin_panel("stage.head", ImGui::GetCursorScreenPos(), {area.width() - 2 * inset, area.height()}, no_fill,
                false, 0);
    // The drawer contains the step's controls.
    if (learn && !workspace.is_drawer_open) {
        draw_step_controls(workspace, area.height() > t.px(560));
        gap(10);
    }
    draw_tabs_row(workspace);
    draw_run_progress(session);
    const float top = ImGui::GetCursorScreenPos().y;
    end_panel();

    const float margin = std::round(t.px(12));
    const float strip = learn ? run_strip_height() + margin : 0;
    const float bottom = std::max(top + 1, area.max.y - strip);
    const StageTab& tab = stage_tabs[workspace.tab];
    begin_panel("stage." + tab.tab.id + ".body", {area.min.x + inset - t.px(16), top},
                {area.width() - 2 * (inset - t.px(16)), bottom - top}, no_fill);
    if (tab.hidden_text && session.hides_results())
        draw_hidden_results(workspace.session, tr(tab.hidden_text));
    else
        tab.draw(workspace);
    end_panel();
    if (learn)
        draw_run_strip(workspace, {{area.min.x + inset, bottom}, {area.max.x - inset, area.max.y - margin}});
    end_panel();
}

}  // namespace gridstride::ui
