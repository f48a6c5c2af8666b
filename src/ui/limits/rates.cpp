#include "ui/limits/rates.h"

#include <fmt/format.h>

#include <optional>

#include "base/units.h"
#include "base/utc_time.h"
#include "present/run_remarks.h"
#include "present/run_times.h"
#include "present/verdict_text.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

void quiet_note(std::string_view words) {
    text_wrapped(TextStyle::note, theme().palette().quiet, words);
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
        const std::string of = tr("of {}{}", format_bandwidth(row.ceiling).text(), row.of);
        draw_text(list, TextStyle::note, {at.x + t.px(304), at.y}, t.palette().quiet,
                  elide(TextStyle::note, of, width - t.px(304)));
    }
    ImGui::Dummy({width, line});
}

}  // namespace

std::string format_ceiling_percent(double fraction) {
    const double percent = fraction * 100;
    if (percent < 0.01) return "<0.01 %";
    if (percent > 100) return ">100 %";
    return fmt::format("{} %",
                       percent < 10 ? format_significant(percent, 2) : fmt::format("{:.0f}", percent));
}

void draw_rates(const Report& report, bool is_stale) {
    if (report.timings.kernel.samples.empty()) return;
    section_label(tr("Rates and ceilings"));
    gap(4);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, is_stale ? 0.45F : 1.0F);
    const Ceilings c = report.ceilings.value_or(Ceilings{});
    draw_rate({ColorRole::kernel, report.bytes_per_second(), report.fraction_of_copy_ceiling(),
               c.copy_bytes_per_second, report.cache.from_cache() ? tr(", from cache") : tr(" device copy")});
    draw_rate({ColorRole::upload, report.upload_bytes_per_second(), report.fraction_of_upload_ceiling(),
               c.staged_upload_bytes_per_second, tr(" from staging")});
    draw_rate({ColorRole::download, report.download_bytes_per_second(), report.fraction_of_download_ceiling(),
               c.staged_download_bytes_per_second, tr(" to staging")});
    ImGui::PopStyleVar();
    gap(4);
    std::string words = tr("Cache {}.", describe_cache(report.cache));
    if (report.device.is_cache_assumed)
        words +=
            tr(" Vulkan does not report the size of a GPU's cache, so 128 MiB is assumed, which few GPUs "
               "exceed.");
    quiet_note(words);
    if (const std::string reason = over_ceiling_reason(report); !reason.empty()) quiet_note(reason);
    quiet_note(report.ceilings ? tr("Ceilings measured {}. The device menu at the top shows all of them.",
                                    format_utc_minute(report.ceilings->measured_utc))
                               : std::string(tr("The ceilings of this device have not been measured yet.")));
    gap(20);
}

}  // namespace gridstride::ui
