// The stage's Time tab: where the time goes, rates beside the device's ceilings, and the distribution of the
// samples.
#include <fmt/format.h>

#include "base/units.h"
#include "base/utc_time.h"
#include "present/run_remarks.h"
#include "present/run_times.h"
#include "present/verdict_words.h"
#include "ui/panels/panels.h"
#include "ui/panels/stage_tabs.h"

namespace gridstride::ui {

namespace {

constexpr float sample_height = 200;

/// One row for the GPU and one for each CPU baseline, with the axis below.
float time_bars_height(const Session& session) {
    return 92 + 36 * (session.lesson().baseline ? static_cast<float>(baseline_threads.size()) : 0);
}

struct RateRow {
    ColorRole color_role;
    double rate;
    std::optional<double> fraction;
    double ceiling;
    const char* of;  ///< name of the ceiling
};

void draw_rate(const RateRow& row) {
    const Theme& t = theme();
    const float line = t.line_height(TextStyle::mono) + t.px(4);
    const glm::vec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({at.x, at.y + t.px(5)}, {at.x + t.px(8), at.y + t.px(13)}, t.color(row.color_role),
                        t.px(2));
    draw_text(list, TextStyle::mono, {at.x + t.px(20), at.y}, t.palette().quiet, part_name(row.color_role));
    draw_text_right(list, TextStyle::mono, {at.x + t.px(208), at.y}, t.palette().text,
                    row.rate > 0 ? format_bandwidth(row.rate).text() : "–");
    if (row.fraction) {
        draw_text_right(list, TextStyle::mono, {at.x + t.px(288), at.y}, t.palette().text,
                        format_ceiling_percent(*row.fraction));
        const std::string of = fmt::format("of {}{}", format_bandwidth(row.ceiling).text(), row.of);
        draw_text(list, TextStyle::note, {at.x + t.px(304), at.y}, t.palette().quiet,
                  elide(TextStyle::note, of, width - t.px(304)));
    }
    ImGui::Dummy({width, line});
}

}  // namespace

void draw_time_tab(Workspace& workspace) {
    Session& session = workspace.session;
    if (!draw_common_plot(workspace, "timings", "where_the_time_goes", time_bars_height(session))) {
        named_text("timings.why_none", TextStyle::body, theme().palette().text,
                   no_times_reason(session.report()));
        gap(20);
    }
    if (session.report()) draw_rates(*session.report(), session.is_dimmed());
    draw_common_plot(workspace, "timings", "time_per_variant", sample_height);
    if (button("timings.all", "Run all variants",
               {.enabled = session.bench().valid() && session.device() != nullptr}))
        session.run_all_variants();
    if (session.kernel_edit()) {
        gap(8);
        const std::string words =
            fmt::format("{} runs with your {}, the other variants with the lesson's own.",
                        session.bench().variant(), session.lesson().user_source().noun);
        named_text("timings.all.said", TextStyle::note, theme().text_color(ColorRole::kernel), words);
    }
    gap(20);
    draw_common_plot(workspace, "timings", "roofline", stage_figure_height);
    draw_common_plot(workspace, "timings", "kernel_samples", sample_height);
    draw_common_plot(workspace, "timings", "time_history", sample_height);
}

std::string format_ceiling_percent(double fraction) {
    const double percent = fraction * 100;
    if (percent < 0.01) return "<0.01 %";
    if (percent > 100) return ">100 %";
    return fmt::format("{} %",
                       percent < 10 ? format_significant(percent, 2) : fmt::format("{:.0f}", percent));
}

void draw_rates(const Report& report, bool stale) {
    if (report.timings.kernel.samples.empty()) return;
    section_label("Rates and ceilings");
    gap(4);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, stale ? 0.45F : 1.0F);
    const Ceilings c = report.ceilings.value_or(Ceilings{});
    draw_rate({ColorRole::kernel, report.bytes_per_second(), report.fraction_of_copy_ceiling(),
               c.copy_bytes_per_second, report.cache.from_cache() ? ", from cache" : " device copy"});
    draw_rate({ColorRole::upload, report.upload_bytes_per_second(), report.fraction_of_upload_ceiling(),
               c.staged_upload_bytes_per_second, " from staging"});
    draw_rate({ColorRole::download, report.download_bytes_per_second(), report.fraction_of_download_ceiling(),
               c.staged_download_bytes_per_second, " to staging"});
    ImGui::PopStyleVar();
    gap(4);
    std::string words = "Cache " + describe_cache(report.cache) + ".";
    if (report.device.cache_is_assumed)
        words +=
            " Vulkan does not report the size of a GPU's cache, so 128 MiB is assumed, which few GPUs "
            "exceed.";
    note_text(words);
    if (const std::string why = over_ceiling_reason(report); !why.empty()) note_text(why);
    note_text(report.ceilings
                  ? fmt::format("Ceilings measured {}. The device menu at the top shows all of them.",
                                format_utc_minute(report.ceilings->measured_utc))
                  : std::string("The ceilings of this device have not been measured yet."));
    gap(20);
}

}  // namespace gridstride::ui
