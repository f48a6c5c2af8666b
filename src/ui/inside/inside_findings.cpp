#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ui/inside/inside_parts.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

struct FindingLook {
    const char* mark;
    ColorRole color_role;
};

FindingLook finding_look(trace::FindingStatus status) {
    switch (status) {
        case trace::FindingStatus::ok:
            return {"✓", ColorRole::right};
        case trace::FindingStatus::warning:
            return {"!", ColorRole::caution};
        case trace::FindingStatus::problem:
            return {"✗", ColorRole::wrong};
        case trace::FindingStatus::unknown:
            break;
    }
    return {"?", ColorRole::quiet};
}

const char* finding_title(trace::FindingKind kind) {
    const char* const titles[] = {tr("Races"),
                                  tr("Out-of-bounds accesses"),
                                  tr("Divergent barriers"),
                                  tr("Coverage of elements"),
                                  tr("Active lanes"),
                                  tr("Sectors (modelled)"),
                                  tr("Banks (modelled)"),
                                  tr("Atomics"),
                                  tr("Uninitialized reads")};
    static_assert(std::size(titles) == static_cast<std::size_t>(last_enumerator(trace::FindingKind())) + 1);
    return titles[static_cast<std::size_t>(kind)];
}

bool draw_finding(const InsideView& view, std::size_t number) {
    const Theme& t = theme();
    const trace::Finding& finding = view.shown->analysis->findings[number];
    const FindingLook look = finding_look(finding.status);
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float inset = t.px(20), width = ImGui::GetContentRegionAvail().x - inset;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, TextStyle::body_strong, start, t.text_color(look.color_role), look.mark);
    set_cursor(start + glm::vec2(inset, 0));
    text(TextStyle::body_strong, t.palette().text, finding_title(finding.kind));
    set_cursor({start.x + inset, ImGui::GetCursorScreenPos().y});
    text_wrapped(TextStyle::note, t.palette().quiet, finding.sentence, width);
    const std::string id = fmt::format("inside.finding.{}", number);
    const float bottom = ImGui::GetCursorScreenPos().y;
    register_place(id + ".said", {start, {start.x + inset + width, bottom}},
                   std::string(look.mark) + " " + finding.sentence);
    bool clicked = false;
    if (finding.first) {
        set_cursor({start.x + inset, bottom + t.px(4)});
        const bool pair = finding.kind == trace::FindingKind::race;
        clicked = button(id, pair ? tr("Show the first pair") : tr("Show the first case"),
                         {.is_selected = view.focus.finding == number, .is_small = true});
    }
    gap(8);
    separator();
    gap(8);
    return clicked;
}

}  // namespace

void draw_inside_findings(InsideView& view, const Rect& area) {
    const Theme& t = theme();
    begin_inside_box("inside.findings", area, true, 12);
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    text(TextStyle::panel_title, t.palette().text, tr("Findings"));
    // The title is a Tab stop for scrolling: not every finding has a button.
    const Rect title{start, start + text_size(TextStyle::panel_title, tr("Findings"))};
    if (interact("inside.found", {"list"}, title, {.takes_arrows = true}).is_focused) {
        scroll_by_keys(false);
        draw_focus_ring(title, t.px(2));
    }
    gap(8);
    const auto& findings = view.shown->analysis->findings;
    std::optional<std::size_t> clicked_finding;
    for (std::size_t i = 0; i < findings.size(); ++i)
        if (draw_finding(view, i)) clicked_finding = i;
    text_wrapped(
        TextStyle::note, t.palette().quiet,
        tr("Addresses, values and the order within each lane are traced on this device. Sectors, banks and "
           "turns are modelled from them. Without a barrier between two lanes, the order of their steps does "
           "not tell which came first. No time is measured here."));
    end_panel();
    if (!clicked_finding) return;
    const trace::Finding& finding = findings[*clicked_finding];
    // The case may be in another workgroup.
    view.go_to_record(static_cast<std::uint32_t>(*finding.first));
    view.focus = {.finding = *clicked_finding};
    for (const auto& site : {finding.site, finding.other_site})
        if (site && !view.is_site_highlighted(*site)) view.focus.sites.push_back(*site);
}

}  // namespace gridstride::ui
