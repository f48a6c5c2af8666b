#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "present/compare.h"
#include "present/run_remarks.h"
#include "present/verdict_text.h"
#include "ui/limits/rates.h"
#include "ui/panels/panels.h"

namespace gridstride::ui {

namespace {

NumberRow make_time_row(const char* label, const Timing& timing) {
    if (timing.samples.empty()) return {label, {"–", ""}};
    const Summary summary = timing.summary();
    const Quantity time = format_time(summary.median);
    return {label, time,
            summary.median_error > 0 ? "±" + format_in_unit(summary.median_error, time.unit, 2) : ""};
}

/// `fraction`: of the device's ceiling, which is a copy within device memory or from or to staging memory.
NumberRow make_rate_row(const char* label, double rate, std::optional<double> fraction) {
    if (rate <= 0) return {label, {"–", ""}};
    return {label, format_bandwidth(rate), fraction ? format_ceiling_percent(*fraction) : ""};
}

void draw_measurements(Session& session) {
    const Report* report = session.report();
    const bool own = report && report->experiment.kernel.has_value();
    section_label(own ? tr("Measured · your own {}", session.lesson().user_source().noun) : tr("Measured"));
    if (session.hides_results()) {
        gap(4);
        note_text(tr("Answer the question to see the results."));
        gap(4);
        draw_skip_button("bench.skip", session);
        return;
    }
    if (!report || report->timings.kernel.samples.empty()) {
        gap(4);
        note_text(report ? no_times_reason(report) : tr("Run once to see the times."));
        return;
    }
    gap(4);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, session.is_dimmed() ? 0.45F : 1.0F);
    const Timings& timings = report->timings;
    draw_number_box({make_time_row(tr("kernel"), timings.kernel), make_time_row(tr("upload"), timings.upload),
                     make_time_row(tr("download"), timings.download),
                     make_time_row(tr("whole run"), timings.wall),
                     make_rate_row(report->cache.from_cache() ? tr("rate from cache") : tr("bandwidth"),
                                   report->bytes_per_second(), report->fraction_of_copy_ceiling()),
                     make_rate_row(tr("upload rate"), report->upload_bytes_per_second(),
                                   report->fraction_of_upload_ceiling()),
                     make_rate_row(tr("download rate"), report->download_bytes_per_second(),
                                   report->fraction_of_download_ceiling())});
    ImGui::PopStyleVar();
    gap(4);
    const Summary kernel = timings.kernel.summary();
    std::string note =
        tr("Medians of {}, ± half the 95 % confidence interval. Kernel: {} to {} (5th and 95th percentile).",
           counted(kernel.count, "sample", "samples"), format_time(kernel.p5).text(),
           format_time(kernel.p95).text());
    if (report->ceilings) note += tr(" Percentages are of this device's best copy rate.");
    std::vector<Remark> cautions;
    for (Remark& remark : measurement_remarks(*report)) {
        if (remark.severity == Severity::note)
            note += " " + remark.text;
        else
            cautions.push_back(std::move(remark));
    }
    note_text(note);
    for (const Remark& remark : cautions)
        note_text(remark.text, remark.severity);
}

/// Two runs made at different times also differ by what else the machine did, so single runs decide nothing.
std::string comparison_sentence(const DifferenceText& words, bool alternating_times) {
    if (words.color_role == ColorRole::quiet) return tr("The two cannot be told apart.");
    if (alternating_times) return tr("The bench is {}: both were measured in turn.", words.verdict);
    return tr("The bench looks {}, but each is a single run. Measure both again in turn to be sure.",
              words.verdict);
}

void draw_pinned_comparison(Session& session) {
    const HistoryEntry* pinned = session.runs().pinned();
    const Report* report = session.report();
    if (session.hides_results() || !pinned || session.hides(pinned->report.experiment) || !report ||
        pinned->report.timings.kernel.samples.empty() || report->timings.kernel.samples.empty())
        return;
    gap(16);
    section_label(tr("Kernel against run {}", pinned->number));
    gap(4);
    if (const auto other = find_work_mismatch(report->experiment, pinned->report.experiment))
        return named_text("bench.not_compared", TextStyle::note, theme().palette().quiet, other->sentence);
    const std::optional<BenchRuns::AlternatingTimes> both = session.alternating_times();
    const DifferenceText words =
        both ? describe_difference(combine_runs(both->bench_times), combine_runs(both->pinned_times))
             : describe_difference(report->timings.kernel.summary(), pinned->report.timings.kernel.summary());
    named_text("bench.against", TextStyle::mono, theme().text_color(words.color_role), words.percent);
    note_text(comparison_sentence(words, both.has_value()));
    gap(4);
    if (!both && !pinned->report.experiment.kernel &&
        button("bench.in_turn", tr("Measure in turn"),
               {.is_enabled = session.can_run(),
                .is_small = true,
                .tooltip = tr("Runs the pinned settings and the bench alternately, three times each")}))
        session.measure_alternately();
}

void draw_bench_title(Workspace& workspace) {
    const Theme& t = theme();
    Session& session = workspace.session;
    const bool running = session.has_active_jobs();
    const ButtonOptions options{
        .emphasis = running ? Emphasis::normal : Emphasis::primary,
        .is_enabled = running || (session.bench().is_valid() && session.device() != nullptr),
        .is_small = true,
        .shortcut = running ? "Esc" : "F5",
        .tooltip = running ? tr("Stop this run") : tr("Measure")};
    const ButtonOptions close{.emphasis = Emphasis::quiet, .is_small = true, .shortcut = "Esc"};
    const std::string_view label = running ? tr("Stop") : tr("Run");
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const glm::vec2 size = button_size(label, options);
    float right = start.x + ImGui::GetContentRegionAvail().x;
    text(TextStyle::panel_title, t.palette().text,
         workspace.is_drawer_open ? tr("All parameters") : tr("Bench"));
    const glm::vec2 next = ImGui::GetCursorScreenPos();
    const float top = std::floor(start.y + (t.line_height(TextStyle::panel_title) - size.y) / 2);
    if (workspace.is_drawer_open) {
        right -= button_size(tr("Close"), close).x;
        set_cursor({right, top});
        if (button("bench.close", tr("Close"), close)) workspace.is_drawer_open = false;
        right -= t.px(8);
    }
    set_cursor({right - size.x, top});
    if (button(running ? "bench.stop" : "bench.run", label, options)) {
        if (running)
            session.stop();
        else
            run_or_ask(workspace);
    }
    set_cursor(next);
}

bool labelled_button(std::string_view words, std::string_view id, std::string_view label,
                     const ButtonOptions& options) {
    const Theme& t = theme();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const glm::vec2 size = button_size(label, options);
    const float right = start.x + ImGui::GetContentRegionAvail().x;
    draw_text(ImGui::GetWindowDrawList(), TextStyle::body,
              {start.x, start.y + (size.y - t.line_height(TextStyle::body)) / 2}, t.palette().quiet, words);
    set_cursor({right - size.x, start.y});
    return button(id, label, options);
}

void draw_input(Workspace& workspace) {
    const UserData& data = workspace.session.bench().experiment().input;
    gap(8);
    const std::string tooltip =
        (data.numbers ? fmt::format("{}: {}\n", data.name, data.selection) : std::string()) +
        tr("Use your own file in place of the lesson's input");
    const ButtonOptions options{.is_small = true, .tooltip = tooltip};
    const std::string label =
        data.numbers ? elide(TextStyle::note, data.name, theme().px(160)) : tr("lesson's input …");
    if (labelled_button(tr("Input"), "bench.input", label, options)) {
        workspace.data_file.clear_problem();
        workspace.dialog = Dialog::open_data;
    }
}

/// Draws the best launch that a sweep found for this variant and size, above the parameters that it would
/// set. Hidden while a question is open, because its time could give the answer away.
void draw_best_launch(Session& session) {
    const TunedLaunch* const best = session.hides(session.bench().experiment()) ? nullptr : session.tuned();
    if (!best) return;
    gap(8);
    if (is_stale(*best, *session.device()))
        return named_text("bench.stale_best", TextStyle::note, theme().palette().quiet,
                          describe_staleness(*best, *session.device()));
    const bool is_there = session.has_tuned_on_bench();
    const std::string tooltip =
        fmt::format("{}. {}", describe_launch(*best), describe_tuned(*best, session.bench().experiment()));
    const ButtonOptions options{.is_enabled = !is_there, .is_small = true, .tooltip = tooltip};
    if (labelled_button(tr("Best launch"), "bench.use_best", is_there ? tr("in use") : tr("Use best"),
                        options))
        session.use_tuned();
}

void draw_parameter(Workspace& workspace, const Parameter& parameter) {
    gap(8);
    draw_parameter_control(workspace, parameter);
}

}  // namespace

void draw_bench_panel(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    Session& session = workspace.session;
    begin_panel("bench", area.min, area.size(), t.palette().panel);
    draw_bench_title(workspace);
    gap(8);

    draw_variant_control(session);
    draw_best_launch(session);
    // The order is workgroup size, workgroup count, elements, then the lesson's own parameters.
    const std::vector<Parameter>& parameters = session.lesson().parameters;
    std::vector<std::string_view> first = {key::workgroup_size.id, key::workgroup.id, key::workgroup_count.id,
                                           key::grid.id};
    first.insert(first.end(), session.lesson().domain.begin(), session.lesson().domain.end());
    for (const std::string_view id : first)
        if (const Parameter* const parameter = find(parameters, id)) draw_parameter(workspace, *parameter);
    for (const Parameter& parameter : parameters)
        if (parameter.id != key::seed.id &&
            std::find(first.begin(), first.end(), parameter.id) == first.end())
            draw_parameter(workspace, parameter);
    if (!session.lesson().input_files.empty()) draw_input(workspace);
    gap(16);
    draw_measurements(session);
    draw_pinned_comparison(session);
    gap(16);
    // The seed is seldom changed, so it comes last.
    draw_parameter(workspace, *find(parameters, key::seed.id));
    end_panel();
}

}  // namespace gridstride::ui
