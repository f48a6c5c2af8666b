// The frame's record of widgets, and the values that scripts ask them to take.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

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

void register_widget(std::string_view id, std::string_view kind, glm::vec2 min, glm::vec2 max,
                     std::string_view value) {
    Record& now = record();
    const Rect whole{min, max};
    const Rect seen = whole.clipped_to(window_clip());
    // A sliver at a panel's edge cannot be clicked.
    const glm::vec2 least(std::min(4.0F, max.x - min.x), std::min(4.0F, max.y - min.y));
    const bool visible = !window_is_hidden() && seen.width() >= least.x && seen.height() >= least.y;
    if (const auto wanted = now.to_reveal.find(id); wanted != now.to_reveal.end()) {
        if (!window_clip().contains(whole)) scroll_into_view(whole);
        now.to_reveal.erase(wanted);
    }
    if (visible) {
        min = seen.min;
        max = seen.max;
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
