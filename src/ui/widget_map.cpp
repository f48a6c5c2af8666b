// The frame's record of widgets, and the values that scripts ask them to take.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ui/widget_item.h"
#include "ui/widgets.h"

namespace gridstride::ui {

void begin_focus_frame();  // widget_item.cpp

namespace {

struct Record {
    std::vector<WidgetRect> widgets;
    std::map<std::string, std::string, std::less<>> requested;
    std::set<std::string, std::less<>> to_reveal;
};
Record& record() {
    static Record the_record;
    return the_record;
}

}  // namespace

const std::vector<WidgetRect>& widget_map() {
    return record().widgets;
}

void begin_widgets() {
    record().widgets.clear();
    begin_focus_frame();
}

void register_widget(std::string_view id, std::string_view kind, ImVec2 min, ImVec2 max,
                     std::string_view value) {
    Record& now = record();
    ImGuiWindow* window = ImGui::GetCurrentWindow();
    ImRect seen(min, max);
    seen.ClipWith(window->ClipRect);
    // A sliver at a panel's edge cannot be clicked.
    const ImVec2 least(ImMin(4.0F, max.x - min.x), ImMin(4.0F, max.y - min.y));
    const bool visible = !window->SkipItems && seen.GetWidth() >= least.x && seen.GetHeight() >= least.y;
    if (const auto wanted = now.to_reveal.find(id); wanted != now.to_reveal.end()) {
        if (!window->ClipRect.Contains(ImRect(min, max))) ImGui::ScrollToRect(window, ImRect(min, max));
        now.to_reveal.erase(wanted);
    }
    if (visible) {
        min = seen.Min;
        max = seen.Max;
    }
    now.widgets.push_back({std::string(id), std::string(kind), std::string(value), min, max, visible});
}

std::string widget_map_json() {
    nlohmann::json all = nlohmann::json::array();
    for (const WidgetRect& widget : record().widgets) {
        if (!widget.visible) continue;
        all.push_back({{"id", widget.id},
                       {"kind", widget.kind},
                       {"value", widget.value},
                       {"x", widget.min.x},
                       {"y", widget.min.y},
                       {"width", widget.max.x - widget.min.x},
                       {"height", widget.max.y - widget.min.y}});
    }
    return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void reveal_widget(std::string_view id) {
    record().to_reveal.emplace(id);
}

void request_value(std::string_view id, std::string_view value) {
    record().requested[std::string(id)] = value;
}

std::optional<std::string> take_requested_value(std::string_view id) {
    auto& requested = record().requested;
    const auto found = requested.find(id);
    if (found == requested.end()) return std::nullopt;
    std::string value = std::move(found->second);
    requested.erase(found);
    return value;
}

bool value_is_requested(std::string_view id) {
    return record().requested.contains(id);
}

}  // namespace gridstride::ui
