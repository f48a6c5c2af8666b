#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "launch/occupancy.h"
#include "present/figures.h"
#include "present/verdict_words.h"
#include "session/session_words.h"
#include "ui/panels/panels.h"
#include "ui/plot/plot_view.h"

namespace gridstride::ui {

namespace {

constexpr float figure_height = 264;
constexpr float small_figure_height = 200;

/// A row for the GPU and one for each CPU baseline, with the axis below.
float time_bars_height(const Session& session) {
    return 92 + 36 * static_cast<float>(session.lesson().baselines.size());
}

const std::vector<Tab> tab_names = {{"result", "Result"},
                                    {"launch", "Launch"},
                                    {"timings", "Timings"},
                                    {"sweep", "Sweep"},
                                    {"kernel", "Kernel"}};

/// With its note and, unless the panel's heading says it, its title: at the left, and at the right, in quiet
/// words, how the numbers came about.
void draw_noted_plot(Workspace& workspace, std::string_view place, const Plot& plot, float height,
                     bool titled = true) {
    const Theme& t = theme();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    if (titled) {
        section_label(plot.title);
        draw_text_right(ImGui::GetWindowDrawList(), Type::note, {start.x + width, start.y}, t.palette().quiet,
                        origin_label(plot.origin));
    }
    if (!plot.note.empty()) note_text(plot.note);
    if (titled || !plot.note.empty()) gap(titled ? 4 : 8);
    const std::string id = fmt::format("{}.{}", place, plot.id);
    // Lanes are as high as their rows want.
    const auto* cells = std::get_if<Cells>(&plot.content);
    const bool lanes = cells && !cells->rows.empty();
    draw_plot(id, plot, workspace.plot_views[id], {width, lanes ? 0 : t.px(height)},
              workspace.session.stale() && plot.origin == Origin::measured);
    gap(20);
}

/// One that all lessons have; false while there is none.
bool draw_common_plot(Workspace& workspace, std::string_view place, std::string_view id, float height) {
    const Plot* plot = workspace.find_plot(id);
    if (plot) draw_noted_plot(workspace, place, *plot, height);
    return plot != nullptr;
}

/// Whose kernel the numbers are of, where that is not plain.
std::string whose_kernel(const Session& session) {
    const Report& report = *session.report();
    const KernelEdit* edit = session.kernel_edit();
    if (!report.kernel_name().empty())
        return fmt::format("Your own kernel: {}.{}", report.kernel_name(),
                           edit && edit->state == KernelState::bad ? " " + kernel_status(session) : "");
    if (!edit || session.stale()) return {};
    if (edit->state == KernelState::bad) return kernel_status(session);
    return "The lesson's own kernel, not yours: predictions and their runs always use it. F5 runs yours.";
}

/// The verdict stands at the right of the first title; where both do not fit, under it.
void draw_heading(const Session& session, std::string_view title) {
    const Theme& t = theme();
    const Verdict verdict = verdict_of(session);
    const ImU32 ink = t.as_text(verdict.ink);
    const ImU32 color = session.stale() ? with_alpha(ink, 0.45F) : ink;
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float title_width = text_size(Type::panel_title, title).x;
    const glm::vec2 size = text_size(Type::body_strong, verdict.text);
    text_wrapped(Type::panel_title, t.palette().text, title);
    glm::vec2 at{start.x + width - size.x, start.y + (t.line_height(Type::panel_title) - size.y) / 2};
    if (title_width + size.x + t.px(16) > width) {
        at = ImGui::GetCursorScreenPos();
        text(Type::body_strong, color, verdict.text);
    } else {
        draw_text(ImGui::GetWindowDrawList(), Type::body_strong, at, color, verdict.text);
    }
    register_widget("result.verdict", "text", at, at + size, verdict.text);
    const Report* report = session.report();
    if (report && !session.stale()) {
        if (!report->message.empty()) {
            gap(4);
            named_text("result.message", Type::body, t.palette().text, message_in_words(*report));
            gap(4);
        }
        const std::string whose = whose_kernel(session);
        if (!whose.empty()) named_text("result.kernel", Type::note, t.as_text(Ink::kernel), whose);
        for (const std::string& note : report->notes)
            note_text(note);
    }
    if (!session.no_device().empty()) {
        gap(4);
        text_wrapped(Type::body, t.palette().text, session.no_device());
    }
}

void draw_result(Workspace& workspace) {
    const Session& session = workspace.session;
    const std::vector<Plot>& plots = workspace.lesson_plots();
    draw_heading(session, plots.empty() ? session.lesson().title : plots.front().title);
    gap(8);
    for (const Plot& plot : plots)
        draw_noted_plot(workspace, "result", plot, figure_height, &plot != &plots.front());
    if (!session.report()) {
        note_text(
            session.asks_first()
                ? "Predict first: answer the question at the left, then run it. F5 runs without an answer."
                : "Run once to see what the GPU computed.");
        gap(20);
    }
    draw_common_plot(workspace, "result", "where_the_time_goes", time_bars_height(session));
}

std::string bytes_text(std::uint64_t bytes) {
    return format_bytes(static_cast<double>(bytes)).text();
}

/// One line of the table of steps: what happens, and to how much.
struct StepRow {
    std::string what, subject, size;
    Ink ink = Ink::quiet;
};

StepRow describe(const Step& step, const Plan& plan) {
    const auto buffer_bytes = [&](std::size_t index) { return bytes_text(plan.buffers[index].bytes()); };
    if (const auto* upload = std::get_if<Upload>(&step))
        return {"upload", plan.buffers[upload->buffer].name, buffer_bytes(upload->buffer), Ink::upload};
    if (const auto* fill = std::get_if<Fill>(&step))
        return {fill->beforehand ? "before" : "clear", plan.buffers[fill->buffer].name,
                buffer_bytes(fill->buffer), fill->beforehand ? Ink::quiet : Ink::kernel};
    if (const auto* download = std::get_if<Download>(&step))
        return {"download", plan.buffers[download->buffer].name, buffer_bytes(download->buffer),
                Ink::download};
    if (const auto* host = std::get_if<HostStep>(&step)) return {"CPU", host->label, "", Ink::cpu};
    if (const auto* dispatch = std::get_if<Dispatch>(&step)) {
        const bool one = dispatch->domain.dimensions() == 1;
        const auto told = [&](const Extent& extent) {
            return one ? format_count(extent.x) : text_of(extent);
        };
        std::string size = fmt::format("{} × {}", told(dispatch->grid), told(dispatch->workgroup));
        if (dispatch->shared_bytes > 0)
            size += fmt::format(", {} shared", bytes_text(dispatch->shared_bytes));
        return {"dispatch", dispatch->label, size, Ink::kernel};
    }
    return {"submit", "and wait", "", Ink::wait};
}

void draw_steps(const Plan& plan) {
    const Theme& t = theme();
    section_label("What is asked of the device");
    gap(4);
    const float line = t.line_height(Type::mono) + t.px(4);
    const float left = ImGui::GetCursorScreenPos().x;
    const float right = left + ImGui::GetContentRegionAvail().x;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const StepRow row = describe(plan.steps[i], plan);
        const float y = ImGui::GetCursorScreenPos().y;
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddRectFilled({left, y + t.px(5)}, {left + t.px(8), y + t.px(13)}, t.color(row.ink), t.px(2));
        draw_text(list, Type::mono, {left + t.px(20), y}, t.palette().quiet, row.what);
        draw_text(list, Type::body, {left + t.px(112), y - t.px(1)}, t.palette().text, row.subject);
        draw_text_right(list, Type::mono, {right, y}, t.palette().text, row.size);
        ImGui::Dummy({right - left, line});
    }
    gap(20);
}

/// What the model says, in sentences; where there is no picture, its heading too.
void draw_occupancy_words(const Prepared& asked, std::uint32_t registers) {
    if (!occupancy_picture(asked, 0)) {
        section_label("Occupancy of a multiprocessor");
        gap(4);
    }
    for (const std::string& sentence : occupancy_in_words(asked.plan.main(), registers, asked.limits))
        note_text(sentence);
    gap(20);
}

void draw_launch(Workspace& workspace) {
    const Theme& t = theme();
    const std::shared_ptr<const Prepared>& asked = workspace.session.asked();
    if (!asked || !asked->valid()) {
        text_wrapped(Type::body, t.palette().quiet, "These values cannot be launched: the bench says why.");
        return;
    }
    text(Type::panel_title, t.palette().text,
         fmt::format("{} workgroups of {} invocations", format_count(asked->plan.main().workgroup_count()),
                     format_count(asked->plan.main().workgroup_size())));
    gap(8);
    draw_common_plot(workspace, "launch", "launch", figure_height);
    draw_common_plot(workspace, "launch", "occupancy", figure_height);
    draw_occupancy_words(*asked, workspace.known_registers());
    draw_steps(asked->plan);
}

struct RateRow {
    const char* what;
    Ink ink;
    double rate;
    std::optional<double> fraction;
    double ceiling;
    const char* of;  ///< which ceiling it is
};

void draw_rate(const RateRow& row) {
    const Theme& t = theme();
    const float line = t.line_height(Type::mono) + t.px(4);
    const glm::vec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({at.x, at.y + t.px(5)}, {at.x + t.px(8), at.y + t.px(13)}, t.color(row.ink), t.px(2));
    draw_text(list, Type::mono, {at.x + t.px(20), at.y}, t.palette().quiet, row.what);
    draw_text_right(list, Type::mono, {at.x + t.px(208), at.y}, t.palette().text,
                    row.rate > 0 ? format_bandwidth(row.rate).text() : "–");
    if (row.fraction) {
        draw_text_right(list, Type::mono, {at.x + t.px(288), at.y}, t.palette().text,
                        short_percent(*row.fraction));
        const std::string of = fmt::format("of {}{}", format_bandwidth(row.ceiling).text(), row.of);
        draw_text(list, Type::note, {at.x + t.px(304), at.y}, t.palette().quiet,
                  elide(Type::note, of, width - t.px(304)));
    }
    ImGui::Dummy({width, line});
}

std::string ceilings_in_words(const Ceilings& c) {
    const auto rate = [](double bytes) { return format_bandwidth(bytes).text(); };
    std::string text = fmt::format(
        "From ordinary memory, through staging: up {}, down {}. An empty dispatch takes {}, an empty submit "
        "and its wait {}.",
        rate(c.pageable_upload_bytes_per_second), rate(c.pageable_download_bytes_per_second),
        format_time(c.empty_dispatch_ns).text(), format_time(c.empty_submit_ns).text());
    if (c.mapped_write_bytes_per_second > 0)
        text += fmt::format(" Device memory that the host sees: the host writes {}, a kernel reads {}.",
                            rate(c.mapped_write_bytes_per_second), rate(c.mapped_read_bytes_per_second));
    return text;
}

void draw_timings(Workspace& workspace) {
    Session& session = workspace.session;
    if (!draw_common_plot(workspace, "timings", "where_the_time_goes", time_bars_height(session))) {
        named_text("timings.why_none", Type::body, theme().palette().text, why_no_times(session.report()));
        gap(20);
    }
    if (session.report()) draw_rates(*session.report(), session.stale());
    draw_common_plot(workspace, "timings", "time_per_variant", small_figure_height);
    if (button("timings.all", "Run all variants",
               {.enabled = session.valid() && session.device() != nullptr}))
        session.run_all_variants();
    if (session.kernel_edit()) {
        gap(8);
        const std::string words = fmt::format(
            "{} runs with your kernel, the other variants with the lesson's own.", session.variant());
        named_text("timings.all.said", Type::note, theme().as_text(Ink::kernel), words);
    }
    gap(20);
    draw_common_plot(workspace, "timings", "roofline", figure_height);
    draw_common_plot(workspace, "timings", "kernel_samples", small_figure_height);
    draw_common_plot(workspace, "timings", "time_history", small_figure_height);
}

/// How far the run has come, or how long it has been without a result: at the right of the tabs, where there
/// is room for it.
void draw_progress_words(const Session& session, const Rect& head, float left) {
    const Theme& t = theme();
    const float right = head.max.x - t.px(16);
    const auto progress = session.progress();
    const std::optional<double> waited = session.seconds_without_result();
    // The longest that has room.
    for (const std::string& words :
         {slices_in_words(progress, true), slices_in_words(progress, false),
          waiting_in_words(waited, session.compiling()), waiting_in_few_words(waited)}) {
        const float width = text_size(Type::note, words).x;
        if (words.empty() || left + t.px(16) + width > right) continue;
        const glm::vec2 at(right - width, head.min.y + t.px(16));
        draw_text(ImGui::GetWindowDrawList(), Type::note, at, t.palette().quiet, words);
        register_widget("stage.progress", "text", at, {right, at.y + t.line_height(Type::note)}, words);
        return;
    }
}

}  // namespace

std::string short_percent(double fraction) {
    const double percent = fraction * 100;
    if (percent < 0.01) return "<0.01 %";
    return fmt::format("{} %",
                       percent < 10 ? format_significant(percent, 2) : fmt::format("{:.0f}", percent));
}

void draw_rates(const Report& report, bool stale) {
    if (report.timings.kernel.samples.empty()) return;
    section_label("Rates and ceilings");
    gap(4);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, stale ? 0.45F : 1.0F);
    const Ceilings c = report.ceilings.value_or(Ceilings{});
    draw_rate({"kernel", Ink::kernel, report.bytes_per_second(), report.fraction_of_copy_ceiling(),
               c.copy_bytes_per_second, report.cache.from_cache() ? ", from cache" : " device copy"});
    draw_rate({"upload", Ink::upload, report.upload_bytes_per_second(), report.fraction_of_upload_ceiling(),
               c.staged_upload_bytes_per_second, " from staging"});
    draw_rate({"download", Ink::download, report.download_bytes_per_second(),
               report.fraction_of_download_ceiling(), c.staged_download_bytes_per_second, " to staging"});
    ImGui::PopStyleVar();
    gap(4);
    std::string words = "Cache " + cache_in_words(report.cache) + ".";
    if (report.device.cache_is_assumed)
        words += " Vulkan does not tell a GPU's cache: 128 MiB is assumed, which few exceed.";
    note_text(words);
    note_text(report.ceilings ? ceilings_in_words(*report.ceilings)
                              : "The ceilings of this device are still to be measured.");
    gap(20);
}

void draw_stage_panel(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const float inset = t.px(16);
    // Where the tabs do not fit beside each other they stand in two rows.
    const float tabs_width = area.max.x - area.min.x - 2 * inset;
    const float head_height = std::max(t.px(48), t.px(8) + tabs_height(tab_names, tabs_width) + t.px(4));
    const Rect head{area.min, {area.max.x, area.min.y + head_height}};
    begin_panel("stage.head", head.min, head.size(), t.palette().ground, false, 0);
    ImGui::SetCursorScreenPos({head.min.x + inset, head.min.y + t.px(8)});
    ImGui::BeginChild(
        "stage.tabs", {head.size().x - 2 * inset, head_height - t.px(8)}, false,
        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground);
    workspace.kernel_has_keyboard = false;
    tabs("stage", tab_names, &workspace.tab);
    const float tabs_end = ImGui::GetItemRectMax().x;
    ImGui::EndChild();
    if (workspace.session.in_flight()) {
        draw_progress_words(workspace.session, head, tabs_end);
        ImGui::SetCursorScreenPos({head.min.x + inset, head.max.y - t.px(3)});
        ImGui::BeginChild("stage.progress", {head.size().x - 2 * inset, t.px(3)}, false,
                          ImGuiWindowFlags_NoScrollbar);
        const auto progress = workspace.session.progress();
        const bool known = progress && progress->slices > 1;
        progress_line(known ? static_cast<float>(progress->slices_done) / static_cast<float>(progress->slices)
                            : -1);
        ImGui::EndChild();
    }
    end_panel();

    const Rect body{{area.min.x, head.max.y}, area.max};
    begin_panel("stage." + tab_names[workspace.tab].id + ".body", body.min, body.size(), t.palette().ground);
    constexpr void (*draw_tab[])(Workspace&) = {draw_result, draw_launch, draw_timings, draw_sweep_panel,
                                                draw_kernel_panel};
    draw_tab[workspace.tab](workspace);
    end_panel();
}

}  // namespace gridstride::ui
