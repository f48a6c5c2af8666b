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
SweepView& sweep_view_of(Workspace& workspace) {
    SweepView& view = workspace.sweep_view;
    const Session& session = workspace.session;
    const std::uint64_t revision = session.sweeps().revision();
    const bool other_sweep = revision >> 32 != view.revision >> 32;
    const bool waits = session.sweeps().state() == SweepState::running && !other_sweep &&
                       ImGui::GetTime() - view.made_at < seconds_between_pictures;
    if (revision == view.revision || waits) return view;
    const Sweep& sweep = *session.sweeps().newest();
    if (other_sweep) view = {};
    view.revision = revision;
    view.made_at = ImGui::GetTime();
    if (sweep.spec().axes.size() == 1)
        view.lines = sweep_lines(sweep);
    else
        view.map = sweep_map(sweep, view.variant);
    view.found = sweep.best();
    view.best = best_words(sweep);
    view.without_time = cells_without_time(sweep, "point at a cell to read it");
    view.advice = weigh_advice(sweep);
    return view;
}

void read_out_cell(const Sweep& sweep, std::size_t cell, glm::vec2 at) {
    const CellWords words = cell_words(sweep, cell);
    std::vector<ReadoutLine> lines = {{0, words.title, {}}};
    for (const auto& [name, value] : words.lines) {
        if (!name.empty()) {
            lines.push_back({0, name, value});
            continue;
        }
        for (std::string& line : lines_of(value, readout_columns))
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
        if (paint.hidden(s)) continue;
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
            register_widget(fmt::format("sweep.cell.{}.{}", cell.at[0], cell.variant), "cell", rect.min,
                            rect.max, cost_text(sweep, sweep.cost(cell).median));
            if (view.found && view.found->cell == index)
                register_widget("sweep.best", "cell", rect.min, rect.max, view.best.best);
        }
    }
}

/// Draws the reason why a value could not be measured when the mouse is over its cross on the axis.
void read_out_refused(const Sweep& sweep, const SweepLines& lines, const PlotArea& area, const Axis& axis) {
    for (const SweepCell& cell : sweep.cells()) {
        const bool none = cell.state == CellState::refused || cell.state == CellState::failed;
        const double x = to_axis(axis.scale, lines.x[cell.at[0]]);
        if (!none || !(x >= area.x.low && x <= area.x.high)) continue;
        const Rect rect = cross_corners(area, x);
        register_widget(fmt::format("sweep.cell.{}.{}", cell.at[0], cell.variant), "cell", rect.min, rect.max,
                        "refused");
        if (rect.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
            read_out_cell(sweep, sweep.index(cell.variant, cell.at[0], 0), ImGui::GetIO().MousePos);
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
        draw_text(ImGui::GetWindowDrawList(), Type::note, state.area.min + glm::vec2(t.px(8)),
                  t.palette().quiet, "The picture appears with the first measured cell.");
    register_cells(sweep, view, plot_view);
    read_out_refused(sweep, lines, state.area, figure.x);
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
        if (choice("sweep.shown", "Variant in the map", options, &view.variant))
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
        const Rect rect = cell_corners(state.area, i / columns, i % columns);
        const bool best = view.found && view.found->cell == map.cells[i];
        const std::string cost =
            cell.state == CellState::done ? cost_text(sweep, sweep.cost(cell).median) : std::string();
        register_widget(fmt::format("sweep.cell.{}.{}", cell.at[0], cell.at[1]), "cell", rect.min, rect.max,
                        best ? "best " + cost : cost);
        if (best) register_widget("sweep.best", "cell", rect.min, rect.max, view.best.best);
    }
    if (!state.hit) return;
    const std::size_t pointed = map.cells[state.hit->series * columns + state.hit->index];
    read_out_cell(sweep, pointed, state.hit_at);
    if (state.hit_clicked) workspace.session.use_cell(pointed);
}

void draw_advice(const SweepView& view, bool still) {
    const Theme& t = theme();
    section_label(still ? "The usual advice, checked against the running sweep"
                        : "The usual advice, checked against this sweep");
    gap(4);
    for (const Advice& advice : view.advice) {
        const Ink ink = !advice.holds ? Ink::quiet : *advice.holds ? Ink::right : Ink::wrong;
        const char* mark = !advice.holds ? "?" : *advice.holds ? "✓" : "✗";
        const NamedBlock block("sweep.advice." + advice.id, fmt::format("{} {}", mark, advice.sentence));
        draw_text(ImGui::GetWindowDrawList(), Type::body_strong, ImGui::GetCursorScreenPos(), t.as_text(ink),
                  mark);
        ImGui::Indent(t.px(20));
        text_wrapped(Type::body, t.palette().text, advice.title);
        note_text(advice.sentence);
        ImGui::Unindent(t.px(20));
        gap(8);
    }
}

void draw_buttons(Workspace& workspace, const SweepView& view, SweepDraft& draft) {
    Session& session = workspace.session;
    ButtonRows row(ImGui::GetContentRegionAvail().x, std::round(theme().px(4)));
    const SweepState state = session.sweeps().state();
    if (state == SweepState::running && row.add("sweep.stop", "Stop", {.emphasis = Emphasis::primary}))
        session.stop_sweep();
    if (state == SweepState::stopped && row.add("sweep.resume", "Resume", {.emphasis = Emphasis::primary}))
        session.resume_sweep();
    if (row.add("sweep.use_best", "Use the best",
                {.enabled = view.found.has_value(),
                 .tooltip = "Puts the best cell's values and variant on the bench"}))
        session.use_cell(view.found->cell);
    if (row.add(
            "sweep.export", "Export CSV",
            {.enabled = session.sweeps().has_reports(), .tooltip = "The rows of this sweep, one per sample"}))
        open_export(workspace, ExportWhat::sweep);
    if (!draft.open && row.add("sweep.another", "Another sweep", {.emphasis = Emphasis::quiet}))
        draft.open = true;
}

/// While the sweep runs, the top bar shows its progress; the line stays reserved.
void draw_end(const Session& session) {
    if (session.sweeps().state() == SweepState::running)
        text(Type::note, theme().palette().quiet, "");
    else
        named_text("sweep.progress", Type::note, theme().palette().quiet,
                   sweep_progress_words(*session.sweeps().newest(), false));
    gap(4);
}

void draw_sweep(Workspace& workspace, SweepDraft& draft) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    SweepView& view = sweep_view_of(workspace);
    text_wrapped(Type::panel_title, t.palette().text, sweep_title(*session.sweeps().newest()));
    gap(4);
    draw_end(session);
    gap(8);
    draw_buttons(workspace, view, draft);
    gap(12);
    if (view.lines)
        draw_lines(workspace, view);
    else
        draw_map(workspace, view);
    gap(12);
    if (!view.best.best.empty())
        named_text("sweep.words", Type::body_strong, t.palette().text, view.best.best);
    if (!view.best.sure.empty()) named_text("sweep.sure", Type::note, t.palette().quiet, view.best.sure);
    for (const std::string& reason : view.without_time)
        note_text(reason);
    if (const std::vector<std::string>& remembered = session.tuned_launches().remembered();
        !remembered.empty())
        named_text("sweep.remembered", Type::note, t.palette().quiet, joined(remembered, " "));
    gap(16);
    if (view.found) draw_advice(view, session.sweeps().state() == SweepState::running);
}

}  // namespace

void draw_sweep_panel(Workspace& workspace) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    if (!session.device()) {
        text_wrapped(Type::body, t.palette().quiet,
                     session.no_device().empty()
                         ? "Opening the device …"
                         : "There is no device to measure on. The Picture tab says why.");
        return;
    }
    const auto [found, is_new] = workspace.sweep_drafts.try_emplace(session.lesson().id);
    SweepDraft& draft = found->second;
    if (is_new) draft.form = first_form(*session.bench().prepared());
    const bool any = session.sweeps().newest() != nullptr;
    const bool ours = any && session.sweeps().newest()->spec().lesson == &session.lesson();
    if (!ours || draft.open) {
        text(Type::panel_title, t.palette().text, ours ? "Another sweep" : "Sweep");
        gap(4);
        note_text(
            "Measures one combination after another and draws each result. Runs that you start on the bench "
            "have priority.");
        gap(12);
        draw_sweep_form(workspace, draft);
        gap(20);
    }
    if (any && !ours)
        named_text("sweep.elsewhere", Type::note, t.palette().quiet,
                   fmt::format("The last sweep is of {}. Open that lesson to see or resume it. It is kept "
                               "until another sweep starts.",
                               session.sweeps().newest()->spec().lesson->title));
    if (ours) draw_sweep(workspace, draft);
}

}  // namespace gridstride::ui
