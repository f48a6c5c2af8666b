// The stage's Picture tab. The step's own picture comes first; while its question is open, pictures that
// would answer it are hidden.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "present/verdict_text.h"
#include "session/session_text.h"
#include "ui/panels/panels.h"
#include "ui/panels/stage_tabs.h"
#include "ui/plot/draw_plot.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

/// A picture that is available and may be shown. The order of all: the step's pictures after its last closed
/// question, the comparison that decided it, the step's other pictures, then the lesson's.
struct Picture {
    const Plot* plot = nullptr;
    std::optional<std::size_t> block = {};  ///< the block of the step that names it
};
std::vector<Picture> available_pictures(Workspace& workspace) {
    Session& session = workspace.session;
    const bool hides_results = session.hides_results();
    std::vector<Picture> pictures;
    const auto add = [&](const Plot* plot, std::optional<std::size_t> block = {}) {
        if (plot && std::ranges::find(pictures, plot, &Picture::plot) == pictures.end())
            pictures.push_back({plot, block});
    };
    const StoryStep& step = session.shown_step();
    std::optional<std::size_t> closed;  ///< the last question that is decided or skipped
    for (const std::size_t block : question_blocks(step))
        if (session.prediction(block).is_closed()) closed = block;
    const std::vector<StepPicture> pictures_of_step = step_pictures(step);
    const auto add_of_step = [&](bool all) {
        for (const StepPicture& picture : pictures_of_step) {
            const Plot* const plot = workspace.find_plot(picture.plot);
            const bool answers = plot && plot->origin == Origin::traced && session.would_trace_answer();
            const bool is_after = closed && picture.block > *closed;
            if ((all || is_after) && picture.block < session.shown_blocks() && !answers)
                add(plot, picture.block);
        }
    };
    if (!hides_results) {
        add_of_step(/*all=*/false);
        add(workspace.comparison());
    }
    add_of_step(/*all=*/true);
    if (!hides_results)
        for (const Plot& plot : workspace.lesson_plots())
            add(&plot);
    return pictures;
}

std::vector<Picture>::const_iterator find_leading_picture(const Workspace& workspace,
                                                          const std::vector<Picture>& pictures) {
    const Workspace::SelectedPicture& chosen = workspace.picture;
    const Session& session = workspace.session;
    if (chosen.entry == &session.entry() && chosen.step == session.step())
        for (auto picture = pictures.begin(); picture != pictures.end(); ++picture)
            if (picture->plot->id == chosen.plot) return picture;
    return pictures.begin();
}

/// Says whose kernel produced the numbers; empty if that is clear.
std::string kernel_origin_note(const Session& session) {
    const Report& report = *session.report();
    const KernelEdit* edit = session.kernel_edit();
    if (!report.kernel_name().empty())
        return tr("Your own {}: {}.", session.lesson().user_source().noun, report.kernel_name());
    if (!edit || edit->state == KernelState::bad) return {};
    return tr("Predictions always use the lesson's {}. Press F5 to run yours.",
              session.lesson().user_source().noun);
}

void draw_run_notes(const Session& session, bool any_picture) {
    const Theme& t = theme();
    if (!session.device_problem().empty()) {
        text_wrapped(TextStyle::body, t.palette().text, session.device_problem());
        gap(8);
    }
    const Report* report = session.report();
    if (!report || session.is_stale() || session.hides_results()) return;
    const float top = ImGui::GetCursorScreenPos().y;
    // If the picture has little room, the message is only in the tooltip of the strip's verdict.
    const bool low = any_picture && ImGui::GetContentRegionAvail().y < t.px(240);
    if (!report->message.empty() && !low)
        named_text("result.message", TextStyle::body, t.palette().text, describe_message(*report));
    const std::string origin_note = kernel_origin_note(session);
    if (!origin_note.empty())
        named_text("result.kernel", TextStyle::note, t.text_color(ColorRole::kernel), origin_note);
    if (const KernelEdit* edit = session.kernel_edit(); edit && edit->state == KernelState::bad)
        draw_kernel_status("result.status", session);
    for (const std::string& note : report->notes)
        note_text(note);
    if (ImGui::GetCursorScreenPos().y > top) gap(8);
}

std::string picture_name(std::string id) {
    std::ranges::replace(id, '_', ' ');
    return id;
}

/// Returns the text in place of a missing picture: what it will show and how to get it.
std::string missing_picture_text(const Workspace& workspace) {
    const Session& session = workspace.session;
    const std::vector<StepPicture> pictures = step_pictures(session.shown_step());
    const Plot* const plot = pictures.empty() ? nullptr : workspace.find_plot(pictures.front().plot);
    // Before the first run, some pictures are unknown.
    const std::string what = plot               ? fmt::format("\"{}\"", plot->title)
                             : pictures.empty() ? tr("what the GPU computed")
                                                : tr("the picture");
    if (session.hides_results()) return tr("Answer the question to see {}.", what);
    if (!session.bench().is_valid()) return tr("These values cannot be run. Change them to see {}.", what);
    if (!session.report())
        return session.has_active_jobs() ? tr("Running …") : tr("Run once to see {}.", what);
    return tr("The newest run produced no picture.");
}

void draw_placeholder(const std::string& words, float height) {
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const glm::vec2 room(ImGui::GetContentRegionAvail().x, height);
    const glm::vec2 size = text_size(TextStyle::body, words);
    if (size.x < room.x && size.y < room.y)
        set_cursor(glm::floor(start + (room - size) * glm::vec2(0.5F, 0.4F)));
    named_text("stage.empty", TextStyle::body, theme().palette().quiet, words);
    advance_cursor({0, std::max(0.0F, start.y + height - ImGui::GetCursorScreenPos().y)});
}

/// Before the answer, the lesson's kernel takes the place of the picture.
void draw_kernel_before_answer(Workspace& workspace) {
    const std::string kernel = kernel_region(workspace.lesson_kernel_text(), "");
    const std::string words = missing_picture_text(workspace);
    if (kernel.empty()) return draw_placeholder(words, ImGui::GetContentRegionAvail().y);
    named_text("stage.empty", TextStyle::body, theme().palette().quiet, words);
    gap(8);
    draw_code("stage.code", workspace.session.lesson_kernel_name(), kernel,
              !workspace.session.lesson().has_programs());
}

/// Draws the title at the left, the origin of the numbers at the right, and the note below.
void draw_plot_heading(const Plot& plot, bool has_note) {
    constexpr TextStyle title = TextStyle::panel_title;
    const Theme& t = theme();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const std::string origin =
        fmt::format("{}{}", tr(name(plot.origin)), plot.is_outdated ? tr(" before") : "");
    const float origin_width = text_size(TextStyle::note, origin).x;
    text_wrapped(title, t.palette().text, plot.title, width - origin_width - t.px(16));
    if (!has_note && !plot.note.empty()) tooltip(plot.note);
    draw_text_right(ImGui::GetWindowDrawList(), TextStyle::note,
                    {start.x + width, start.y + (t.line_height(title) - t.line_height(TextStyle::note)) / 2},
                    t.palette().quiet, origin);
    if (has_note && !plot.note.empty()) note_text(plot.note);
    gap(8);
}

/// Returns why the plot is not drawn; empty if it is drawn. An old trace stays visible until the new one
/// arrives.
std::string placeholder_reason(const Plot& plot, const Session& session) {
    const auto* cells = std::get_if<Cells>(&plot.content);
    const bool nothing =
        plot.origin == Origin::traced && cells && cells->rows.empty() && cells->numbers.empty();
    if (plot.missing_reason.empty() && !plot.is_outdated)
        return nothing ? tr("The trace contains nothing to show here.") : "";
    const std::string reason = trace_delay_reason(session);
    if (plot.missing_reason.empty()) return session.has_active_jobs() ? std::string() : reason;
    return reason.empty() ? plot.missing_reason : reason;
}

/// Requests a trace if the visible picture needs one.
void request_trace(Workspace& workspace, const Plot& plot) {
    const bool needs_trace =
        plot.origin == Origin::traced && (plot.is_outdated || !plot.missing_reason.empty());
    if (needs_trace && !workspace.has_pending_plots()) workspace.session.trace_for_picture(plot.launch);
}

std::string view_id(std::string_view place, const Plot& plot) {
    return fmt::format("{}.{}", place, plot.id);
}

void draw_picture(Workspace& workspace, std::string_view place, const Plot& plot, float height,
                  bool has_note = true, const HighlightIds& highlighted = {}) {
    const bool leads = height <= 0;
    draw_plot_heading(plot, has_note && (!leads || ImGui::GetContentRegionAvail().y > theme().px(220)));
    if (leads) height = std::max(theme().px(120), ImGui::GetContentRegionAvail().y);
    const std::string id = view_id(place, plot);
    PlotView& view = workspace.plot_views[id];
    view.highlighted = highlighted;
    view.hovered.clear();
    if (const std::string words = placeholder_reason(plot, workspace.session); !words.empty())
        return draw_placeholder(words, height);
    const Session& session = workspace.session;
    // For programs, computed values depend on the text, too.
    const bool stale = (plot.origin == Origin::measured && session.is_dimmed()) ||
                       (session.lesson().has_programs() && session.shows_other_source());
    const auto marker_move =
        draw_plot(id, plot, view, {ImGui::GetContentRegionAvail().x, height}, plot.is_outdated || stale);
    if (marker_move) workspace.apply_marker_move(*marker_move);
}

constexpr float stack_gap = 12;

float plot_heading_height(const Plot& plot, float width, bool has_note) {
    const Theme& t = theme();
    const float lines = std::ceil(text_size(TextStyle::note, plot.note).x * 1.05F / width);
    return t.line_height(TextStyle::panel_title) + (has_note ? lines * t.line_height(TextStyle::note) : 0) +
           t.px(8);
}

/// The leading picture, followed by the others of the same `plot` block of the step, as many as fit below it.
struct PictureStack {
    std::vector<const Plot*> plots;
    float left = 0;  ///< height left when each has its minimum height
    bool notes = true;
};
PictureStack choose_stack(Workspace& workspace, const std::vector<Picture>& pictures, glm::vec2 room,
                          bool notes) {
    PictureStack stack{{}, room.y, notes};
    const auto lead = find_leading_picture(workspace, pictures);
    for (auto picture = lead; picture != pictures.end(); ++picture) {
        if (picture != lead && (!lead->block || picture->block != lead->block)) break;
        const Plot& plot = *picture->plot;
        const float height = plot_heading_height(plot, room.x, notes) +
                             min_height(plot, workspace.plot_views[view_id("result", plot)], room.x) +
                             (picture == lead ? 0 : theme().px(stack_gap));
        if (picture != lead && height > stack.left) break;
        stack.left -= height;
        stack.plots.push_back(&plot);
    }
    return stack;
}
/// Drops the notes if another picture then fits.
PictureStack choose_stack(Workspace& workspace, const std::vector<Picture>& pictures, glm::vec2 room) {
    PictureStack with = choose_stack(workspace, pictures, room, true),
                 without = choose_stack(workspace, pictures, room, false);
    return without.plots.size() > with.plots.size() ? without : with;
}

/// Returns the subjects under the mouse in one of the plots, as of the last frame.
HighlightIds hovered_subjects(const Workspace& workspace, const std::vector<const Plot*>& plots) {
    for (const Plot* plot : plots) {
        const auto view = workspace.plot_views.find(view_id("result", *plot));
        if (view != workspace.plot_views.end() && !view->second.hovered.empty()) return view->second.hovered;
    }
    return {};
}

/// Figures share the spare height; other plots have the height of their content.
float stacked_height(Workspace& workspace, const Plot& plot, const PictureStack& stack) {
    const auto is_figure = [](const Plot* one) { return std::holds_alternative<Figure>(one->content); };
    const auto figures = static_cast<float>(std::ranges::count_if(stack.plots, is_figure));
    const float plot_height =
        min_height(plot, workspace.plot_views[view_id("result", plot)], ImGui::GetContentRegionAvail().x);
    return is_figure(&plot) ? plot_height + std::floor(stack.left / figures) : plot_height;
}

}  // namespace

void draw_picture_tab(Workspace& workspace, Pictures which) {
    const Session& session = workspace.session;
    const std::vector<Picture> pictures = available_pictures(workspace);
    draw_run_notes(session, !pictures.empty());
    if (pictures.empty() && session.hides_results()) return draw_kernel_before_answer(workspace);
    if (pictures.empty())
        return draw_placeholder(missing_picture_text(workspace), ImGui::GetContentRegionAvail().y);
    PictureStack stack;
    if (which == Pictures::leading)
        stack = choose_stack(workspace, pictures, ImGui::GetContentRegionAvail());
    else
        for (const Picture& picture : pictures)
            stack.plots.push_back(picture.plot);
    const HighlightIds highlighted = hovered_subjects(workspace, stack.plots);
    std::vector<std::string> shown;
    for (const Plot* plot : stack.plots) {
        if (!shown.empty()) gap(which == Pictures::leading ? stack_gap : 24);
        request_trace(workspace, *plot);
        const float height = which == Pictures::all    ? theme().px(stage_figure_height)
                             : stack.plots.size() == 1 ? 0
                                                       : stacked_height(workspace, *plot, stack);
        draw_picture(workspace, "result", *plot, height, stack.notes, highlighted);
        shown.push_back(plot->id);
    }
    if (hovered_subjects(workspace, stack.plots) != highlighted || shown != workspace.shown_pictures)
        request_redraw_within(0);
    workspace.shown_pictures = std::move(shown);
}

bool draw_common_plot(Workspace& workspace, std::string_view place, std::string_view id, float height) {
    const Plot* plot = workspace.find_plot(id);
    if (!plot) return false;
    draw_picture(workspace, place, *plot, theme().px(height));
    gap(20);
    return true;
}

void draw_other_pictures(Workspace& workspace, float right) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    const ButtonOptions quiet{.emphasis = Emphasis::quiet, .is_small = true};
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float label = text_size(TextStyle::note, tr("also:")).x + t.px(8);
    // As many names as fit, in order, then the number of the others.
    std::vector<const Plot*> others;
    const std::vector<Picture> pictures = available_pictures(workspace);
    const auto lead = find_leading_picture(workspace, pictures);
    for (auto picture = pictures.begin(); picture != pictures.end(); ++picture)
        if (picture != lead && std::ranges::count(workspace.shown_pictures, picture->plot->id) == 0)
            others.push_back(picture->plot);
    float room = right - start.x - label - (others.size() > 1 ? t.px(44) : 0);
    std::size_t shown = 0;
    float width = 0;
    while (shown < others.size()) {
        const float one = button_size(picture_name(others[shown]->id), quiet).x;
        if (width + one > room) break;
        width += one;
        ++shown;
    }
    if (others.empty()) return;
    const auto choose = [&](std::size_t number) {
        ButtonOptions options = quiet;
        options.tooltip = others[number]->title;
        const std::string id = fmt::format("stage.also.{}", number + 1);
        if (button(id, picture_name(others[number]->id), options))
            workspace.picture = {&session.entry(), session.step(), others[number]->id};
    };
    const bool more = shown < others.size();
    const glm::vec2 more_size = button_size(fmt::format("+{}", others.size() - shown), quiet);
    float x = right - width - (more ? more_size.x : 0);
    const float height = more_size.y;
    if (x - label >= start.x)
        draw_text(ImGui::GetWindowDrawList(), TextStyle::note,
                  {x - label, start.y + (height - t.line_height(TextStyle::note)) / 2}, t.palette().quiet,
                  tr("also:"));
    for (std::size_t i = 0; i < shown; ++i) {
        set_cursor({x, start.y});
        choose(i);
        x += button_size(picture_name(others[i]->id), quiet).x;
    }
    if (!more) return;
    set_cursor({x, start.y});
    if (button("stage.also.more", fmt::format("+{}", others.size() - shown), quiet)) ImGui::OpenPopup("also");
    if (!ImGui::BeginPopup("also")) return;
    for (std::size_t i = shown; i < others.size(); ++i)
        choose(i);
    if (is_key_pressed(Key::escape) || ImGui::IsMouseReleased(0)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace gridstride::ui
