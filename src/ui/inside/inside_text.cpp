#include <fmt/format.h>

#include "base/units.h"
#include "trace/trace_text.h"
#include "ui/inside/inside_parts.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

AccessMark access_mark(const ShownWorkgroup& shown, std::uint32_t record) {
    if (shown.has_race(record)) return AccessMark::race;
    switch (shown.site_of(record).kind) {
        case trace::SiteKind::load:
            return AccessMark::read;
        case trace::SiteKind::store:
            return AccessMark::write;
        case trace::SiteKind::atomic:
            return AccessMark::atomic;
        case trace::SiteKind::barrier:
        case trace::SiteKind::branch:
            break;
    }
    return AccessMark::idle;
}

ImU32 mark_color(AccessMark mark) {
    const Palette& palette = theme().palette();
    switch (mark) {
        case AccessMark::read:
            return palette.upload;
        case AccessMark::write:
            return palette.kernel;
        case AccessMark::atomic:
            return palette.download;
        case AccessMark::race:
            return palette.wrong;
        case AccessMark::idle:
            break;
    }
    return palette.raised;
}

std::string describe_access(const ShownWorkgroup& shown, std::uint32_t record) {
    const trace::Site& site = shown.site_of(record);
    if (site.kind == trace::SiteKind::barrier)
        return site.is_subgroup_barrier ? tr("waits for its subgroup") : tr("waits for its workgroup");
    const trace::Record& what = shown.analysis->records[record];
    const std::string place = trace::element_text(site, what), value = trace::value_text(site, what);
    if (site.kind == trace::SiteKind::atomic)
        return tr("changes {}{} (atomic)", place, value.empty() ? "" : tr(" from ") + value);
    const char* verb = site.kind == trace::SiteKind::load ? tr("reads") : tr("writes");
    return fmt::format("{} {}{}", verb, place, value.empty() ? "" : " = " + value);
}

std::string describe_row(const ShownWorkgroup& shown, const trace::TimelineRow& row) {
    const trace::Site& site = shown.trace().sites[row.site];
    const char* const verbs[] = {tr("read"), tr("write"), tr("change"), tr("barrier")};
    std::string words = verbs[static_cast<std::size_t>(site.kind)];
    if (site.kind != trace::SiteKind::barrier) words += " " + site.variable;
    if (shown.rows_of_site[row.site] > 1) words += fmt::format(" · {}", row.iteration + 1);
    return words;
}

void begin_inside_box(const char* id, const Rect& area, bool scrolls, float padding) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(area.min, area.max, t.palette().panel, t.px(6));
    list->AddRect(area.min, area.max, t.palette().line, t.px(6));
    begin_panel(id, area.min, area.size(), 0, scrolls, padding);
}

}  // namespace gridstride::ui
