#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ui/panels/panels.h"
#include "ui/plot/draw_plot.h"
#include "ui/plot/plot_state.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

constexpr float lines_height = 300;
/// How often a running sweep's picture is rebuilt; a cell can take a millisecond.
constexpr double seconds_between_pictures = 0.15;
constexpr std::size_t readout_columns = 56;

/// Returns the sweep's pictures and sentences, rebuilt if the sweep changed.
SweepView& get_sweep_view(Workspace& workspace) {
    SweepView& view = workspace.sweep_view;
    const Session& session = workspace.session;
    const std::uint64_t revision = session.sweeps().revision();
    const bool other_sweep = revision >> 32 != view.revision >> 32;
    const bool is_too_early = session.sweeps().state() == SweepState::running && !other_sweep &&
                              ImGui::GetTime() - view.rebuilt_at < seconds_between_pictures;
    if (revision == view.revision || is_too_early) return view;
    const Sweep& sweep = *session.sweeps().newest();
    if (other_sweep) view = {};
    view.revision = revision;
    view.rebuilt_at = ImGui::GetTime();
    if (sweep.spec().axes.size() == 1)
        view.lines = sweep_lines(sweep);
    else
        view.map = sweep_map(sweep, view.variant);
    view.found = sweep.best();
    view.best = describe_best(sweep);
    view.untimed_reasons = missing_time_reasons(sweep, tr("point at a cell to read it"));
    view.advice = evaluate_advice(sweep);
    return view;
}

void draw_cell_readout(const Sweep& sweep, std::size_t cell, glm::vec2 at) {
    const CellTooltip words = cell_tooltip(sweep, cell);
    std::vector<ReadoutLine> lines = {{0, words.title, {}}};
    for (const auto& [name, value] : words.lines) {
        if (!name.empty()) {
            lines.push_back({0, name, value});
            continue;
        }
        for (std::string& line : wrap_words(value, readout_columns))
            lines.push_back({0, std::move(line), {}});
    }
    draw_readout(lines, at);
}

bool clicked_in_place(const PlotArea& area) {
    const ImGuiIO& io = ImGui::GetIO();
    const float still = theme().px(4);
    return ImGui::IsMouseReleased(0) && io.MouseDragMaxDistanceSqr[0] <= still * still &&
           area.contains(io.MouseClickedPos[0]);
}

void register_cells(const Sweep& sweep, const SweepView& view, const PlotView& plot_view) {
    const auto& figure = std::get<Figure>(view.lines->plot.content);
    PlotState& state = *plot_view.state;
    const FigurePaint paint{figure, plot_view, state, state.area, ImGui::GetWindowDrawList(), {}};
    for (std::size_t s = 0; s < view.lines->cells.size(); ++s) {
        if (paint.is_hidden(s)) continue;
        const Series& series = figure.series[s];
        const double offset = is_bar(series.mark) ? bar_slot(paint, s).offset : 0;
        for (std::size_t i = 0; i < view.lines->cells[s].size(); ++i) {
            const std::size_t index = view.lines->cells[s][i];
            const double x = to_axis(figure.x.scale, series.x[i]) + offset;
            const double y = to_axis(figure.y.scale, series.y[i]);
            if (std::isnan(x) || std::isnan(y)) continue;
            const glm::vec2 at = state.area.at(x, y);
            const Rect rect = Rect{at, at}.expanded(glm::vec2(theme().px(6)));
            const SweepCell& cell = sweep.cells()[index];
            register_widget(fmt::format("sweep.cell.{}.{}", cell.axis_index[0], cell.variant), "cell",
                            rect.min, rect.max, cost_text(sweep, sweep.cost(cell).median));
            if (view.found && view.found->cell == index)
                register_widget("sweep.best", "cell", rect.min, rect.max, view.best.best);
        }
    }
}

/// Draws the reason why a value could not be measured when the mouse is over its cross on the axis.
void draw_refused_readout(const Sweep& sweep, const SweepLines& lines, const PlotArea& area,
                          const Axis& axis) {
    for (const SweepCell& cell : sweep.cells()) {
        const bool none = cell.state == CellState::refused || cell.state == CellState::failed;
        const double x = to_axis(axis.scale, lines.x[cell.axis_index[0]]);
        if (!none || !(x >= area.x.low && x <= area.x.high)) continue;
        const Rect rect = cross_rect(area, x);
        register_widget(fmt::format("sweep.cell.{}.{}", cell.axis_index[0], cell.variant), "cell", rect.min,
                        rect.max, "refused");
        if (rect.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
            draw_cell_readout(sweep, sweep.index(cell.variant, cell.axis_index[0], 0),
                              ImGui::GetIO().MousePos);
    }
}

void draw_lines(Workspace& workspace, const SweepView& view) {
    const Theme& t = theme();
    const Sweep& sweep = *workspace.session.sweeps().newest();
    const SweepLines& lines = *view.lines;
    const auto& figure = std::get<Figure>(lines.plot.content);
    PlotView& plot_view = workspace.plot_views[fmt::format("sweep.plot.{}", view.revision >> 32)];
    // Show the x range of the whole sweep from its start.
    plot_view.x_values = figure.x.categories.empty() ? lines.x : std::vector<double>();
    plot_view.rings = lines.rings;
    plot_view.crosses = lines.crosses;
    draw_plot("sweep.plot", lines.plot, plot_view, {ImGui::GetContentRegionAvail().x, t.px(lines_height)});
    const PlotState& state = *plot_view.state;
    if (std::ranges::all_of(lines.cells, [](const auto& cells) { return cells.empty(); }))
        draw_text(ImGui::GetWindowDrawList(), TextStyle::note, state.area.min + glm::vec2(t.px(8)),
                  t.palette().quiet, tr("The picture appears with the first measured cell."));
    register_cells(sweep, view, plot_view);
    draw_refused_readout(sweep, lines, state.area, figure.x);
    if (!state.hit || !clicked_in_place(state.area)) return;
    const Hit& hit = *state.hit;
    if (hit.series < lines.cells.size() && hit.index < lines.cells[hit.series].size())
        workspace.session.use_cell(lines.cells[hit.series][hit.index]);
}

void draw_map(Workspace& workspace, SweepView& view) {
    const Sweep& sweep = *workspace.session.sweeps().newest();
    const std::vector<std::string>& variants = sweep.spec().variants;
    if (variants.size() > 1) {
        std::vector<Option> options;
        for (const std::string& variant : variants)
            options.push_back({variant, find_variant(*sweep.spec().lesson, variant)->title});
        if (choice("sweep.shown", tr("Variant in the map"), options, &view.variant))
            view.map = sweep_map(sweep, view.variant);
        gap(8);
    }
    const SweepMap& map = *view.map;
    PlotView& plot_view = workspace.plot_views["sweep.map"];
    plot_view.rings = map.rings;
    draw_plot("sweep.map", map.plot, plot_view, {ImGui::GetContentRegionAvail().x, 0});
    const PlotState& state = *plot_view.state;
    const std::size_t columns = sweep.spec().axes[0].values.size();
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const SweepCell& cell = sweep.cells()[map.cells[i]];
        const Rect rect = cell_rect(state.area, i / columns, i % columns);
        const bool best = view.found && view.found->cell == map.cells[i];
        const std::string cost =
            cell.state == CellState::done ? cost_text(sweep, sweep.cost(cell).median) : std::string();
        register_widget(fmt::format("sweep.cell.{}.{}", cell.axis_index[0], cell.axis_index[1]), "cell",
                        rect.min, rect.max, best ? tr("best {}", cost) : cost);
        if (best) register_widget("sweep.best", "cell", rect.min, rect.max, view.best.best);
    }
    if (!state.hit) return;
    const std::size_t hovered = map.cells[state.hit->series * columns + state.hit->index];
    draw_cell_readout(sweep, hovered, state.hit_position);
    if (state.was_hit_clicked) workspace.session.use_cell(hovered);
}

void draw_advice(const SweepView& view, bool still) {
    const Theme& t = theme();
    section_label(still ? tr("The usual advice, checked against the running sweep")
                        : tr("The usual advice, checked against this sweep"));
    gap(4);
    for (const Advice& advice : view.advice) {
        const ColorRole color_role = !advice.holds   ? ColorRole::quiet
                                     : *advice.holds ? ColorRole::right
                                                     : ColorRole::wrong;
        const char* mark = !advice.holds ? "?" : *advice.holds ? "✓" : "✗";
        const NamedBlock block("sweep.advice." + advice.id, fmt::format("{} {}", mark, advice.sentence));
        draw_text(ImGui::GetWindowDrawList(), TextStyle::body_strong, ImGui::GetCursorScreenPos(),
                  t.text_color(color_role), mark);
        ImGui::Indent(t.px(20));
        text_wrapped(TextStyle::body, t.palette().text, advice.title);
        note_text(advice.sentence);
        ImGui::Unindent(t.px(20));
        gap(8);
    }
}

void draw_buttons(Workspace& workspace, const SweepView& view, SweepDraft& draft) {
    Session& session = workspace.session;
    ButtonRows row(ImGui::GetContentRegionAvail().x, std::round(theme().px(4)));
    const SweepState state = session.sweeps().state();
    if (state == SweepState::running && row.add("sweep.stop", tr("Stop"), {.emphasis = Emphasis::primary}))
        session.stop_sweep();
    if (state == SweepState::stopped &&
        row.add("sweep.resume", tr("Resume"), {.emphasis = Emphasis::primary}))
        session.resume_sweep();
    if (row.add("sweep.use_best", tr("Use the best"),
                {.is_enabled = view.found.has_value(),
                 .tooltip = tr("Puts the best cell's values and variant on the bench")}))
        session.use_cell(view.found->cell);
    if (row.add("sweep.export", tr("Export CSV"),
                {.is_enabled = session.sweeps().has_reports(),
                 .tooltip = tr("The rows of this sweep, one per sample")}))
        open_export(workspace, ExportSource::sweep);
    if (!draft.open && row.add("sweep.another", tr("Another sweep"), {.emphasis = Emphasis::quiet}))
        draft.open = true;
}

/// While the sweep runs, the top bar shows its progress; the line stays reserved.
void draw_sweep_status(const Session& session) {
    if (session.sweeps().state() == SweepState::running)
        text(TextStyle::note, theme().palette().quiet, "");
    else
        named_text("sweep.progress", TextStyle::note, theme().palette().quiet,
                   describe_sweep_progress(*session.sweeps().newest(), false));
    gap(4);
}

void draw_sweep(Workspace& workspace, SweepDraft& draft) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    SweepView& view = get_sweep_view(workspace);
    text_wrapped(TextStyle::panel_title, t.palette().text, sweep_title(*session.sweeps().newest()));
    gap(4);
    draw_sweep_status(session);
    gap(8);
    draw_buttons(workspace, view, draft);
    gap(12);
    if (view.lines)
        draw_lines(workspace, view);
    else
        draw_map(workspace, view);
    gap(12);
    if (!view.best.best.empty())
        named_text("sweep.words", TextStyle::body_strong, t.palette().text, view.best.best);
    if (!view.best.confidence_sentence.empty())
        named_text("sweep.sure", TextStyle::note, t.palette().quiet, view.best.confidence_sentence);
    for (const std::string& reason : view.untimed_reasons)
        note_text(reason);
    if (const std::vector<std::string>& store_messages = session.tuned_launches().store_messages();
        !store_messages.empty())
        named_text("sweep.remembered", TextStyle::note, t.palette().quiet, join(store_messages, " "));
    gap(16);
    if (view.found) draw_advice(view, session.sweeps().state() == SweepState::running);
}

}  // namespace

void draw_sweep_panel(Workspace& workspace) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    if (!session.device()) {
        text_wrapped(TextStyle::body, t.palette().quiet,
                     session.device_problem().empty()
                         ? tr("Opening the device …")
                         : tr("There is no device to measure on. The Picture tab says why."));
        return;
    }
    const auto [found, is_new] = workspace.sweep_drafts.try_emplace(session.lesson().id);
    SweepDraft& draft = found->second;
    if (is_new) draft.form = default_form(*session.bench().prepared());
    const bool any = session.sweeps().newest() != nullptr;
    const bool is_this_lesson = any && session.sweeps().newest()->spec().lesson == &session.lesson();
    if (!is_this_lesson || draft.open) {
        text(TextStyle::panel_title, t.palette().text, is_this_lesson ? tr("Another sweep") : tr("Sweep"));
        gap(4);
        note_text(tr("Measures each combination. Runs that you start on the bench have priority."));
        gap(12);
        draw_sweep_form(workspace, draft);
        gap(20);
    }
    if (any && !is_this_lesson)
        named_text("sweep.elsewhere", TextStyle::note, t.palette().quiet,
                   tr("The last sweep is of {}. Open that lesson to see or resume it. It is kept "
                      "until another sweep starts.",
                      session.sweeps().newest()->spec().lesson->title));
    if (is_this_lesson) draw_sweep(workspace, draft);
}

}  // namespace gridstride::ui
