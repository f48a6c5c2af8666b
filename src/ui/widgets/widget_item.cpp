#include "ui/widgets/widget_item.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr double tooltip_delay_s = 0.35;

/// The widgets and texts of a frame, and the values that scripts requested for widgets.
struct FrameRecord {
    std::vector<WidgetRect> widgets;
    std::map<std::string, std::string, std::less<>> requested;
    std::set<std::string, std::less<>> to_reveal;
    std::vector<DrawnText> texts;
    std::optional<Rect> ring;
    bool records_texts = false;
};
FrameRecord& record() {
    static FrameRecord the_record;
    return the_record;
}

/// The keyboard users among the widgets of one frame.
struct KeyboardUse {
    std::vector<ImGuiID> order;  ///< Tab order
    std::vector<ImGuiID> first;  ///< widgets before it in the Tab order
    bool arrows = false;         ///< a focused widget uses the arrow keys
    bool text = false;           ///< a focused widget takes text
    ImGuiID dialog = 0;          ///< the window with exclusive keyboard focus; 0: none
};

/// The keyboard focus. ImGui 1.86 tabs through text fields only, and its arrow-key navigation would take the
/// keys that turn the story's pages, so the Tab order is kept here.
struct Focus {
    ImGuiID id = 0;
    bool ring = false;        ///< reached by keyboard, or always shown: keys act on it
    bool scroll = false;      ///< scroll it into view when it is next drawn
    KeyboardUse drawn, last;  ///< of this frame and of the previous one
    double redraw_within = std::numeric_limits<double>::infinity();
    double frame_cost = 0;  ///< seconds
    bool was_popup_open = false;
    bool is_tabbed = false;                ///< Tab was pressed in this frame
    bool goes_first_in_tab_order = false;  ///< TabOrderFirst
    int frame = 0;                         ///< ImGui's count
};
Focus& focus() {
    static Focus the_focus;
    return the_focus;
}

/// The state of the window's widgets while a WidgetScope exists.
std::vector<std::pair<FrameRecord, Focus>>& saved_states() {
    static std::vector<std::pair<FrameRecord, Focus>> all;
    return all;
}

/// An open popup has the keyboard, else an open dialog.
bool keyboard_reaches_this_window() {
    const ImGuiID dialog = focus().drawn.dialog != 0 ? focus().drawn.dialog : focus().last.dialog;
    if (const auto popup = top_popup()) return root_window() == *popup;
    return dialog == 0 || root_window() == dialog;
}

void add_to_tab_order(ImGuiID id) {
    Focus& now = focus();
    (now.goes_first_in_tab_order ? now.drawn.first : now.drawn.order).push_back(id);
}

}  // namespace

const std::vector<WidgetRect>& widget_map() {
    return record().widgets;
}

void begin_widgets() {
    record().widgets.clear();
    record().ring.reset();
    record().texts.clear();
    Focus& now = focus();
    if (ImGui::GetFrameCount() < now.frame) now = {};
    now.frame = ImGui::GetFrameCount();

    now.last = std::exchange(now.drawn, {});
    now.last.order.insert(now.last.order.begin(), now.last.first.begin(), now.last.first.end());
    now.redraw_within = std::numeric_limits<double>::infinity();
    now.was_popup_open = top_popup().has_value();
    now.is_tabbed = false;

    const ImGuiIO& io = ImGui::GetIO();
    if (io.MouseClicked[0] || io.MouseClicked[1]) now.ring = false;

    const Modifiers modifiers = modifiers_down();
    const auto& order = now.last.order;
    if (now.last.text || !is_key_pressed(Key::tab, true) || modifiers.ctrl || modifiers.alt || order.empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(order.size());
    const auto found = std::find(order.begin(), order.end(), now.id);
    std::ptrdiff_t next = modifiers.shift ? count - 1 : 0;
    if (found != order.end()) next = (found - order.begin() + (modifiers.shift ? count - 1 : 1)) % count;
    now.id = order[static_cast<std::size_t>(next)];
    now.ring = true;
    now.scroll = true;
    now.is_tabbed = true;
}

void register_widget(std::string_view id, std::string_view kind, glm::vec2 min, glm::vec2 max,
                     std::string_view value) {
    FrameRecord& now = record();
    const Rect whole{min, max};
    const Rect visible_area = whole.clipped_to(window_clip_rect());
    // A sliver at a panel's edge cannot be clicked.
    const glm::vec2 min_size(std::min(4.0F, max.x - min.x), std::min(4.0F, max.y - min.y));
    const bool visible =
        !is_window_hidden() && visible_area.width() >= min_size.x && visible_area.height() >= min_size.y;
    if (const auto reveal = now.to_reveal.find(id); reveal != now.to_reveal.end()) {
        if (!window_clip_rect().contains(whole)) scroll_into_view(whole);
        now.to_reveal.erase(reveal);
    }
    if (visible) {
        min = visible_area.min;
        max = visible_area.max;
    }
    now.widgets.push_back({std::string(id), std::string(kind), std::string(value), min, max, visible,
                           visible && window_clip_rect().contains(whole)});
}

Item interact(std::string_view id, const WidgetMapEntry& entry, const Rect& whole, const Rect& active,
              const ItemTraits& traits) {
    register_widget(id, entry.kind, whole.min, whole.max, entry.value);
    return interact(make_widget_id(id), whole, active, traits);
}

Press handle_press(std::string_view id, const WidgetMapEntry& entry, const Rect& rect) {
    register_widget(id, entry.kind, rect.min, rect.max, entry.value);
    return handle_press(rect, make_widget_id(id));
}

TabOrderFirst::TabOrderFirst() : previous_(std::exchange(focus().goes_first_in_tab_order, true)) {}
TabOrderFirst::~TabOrderFirst() {
    focus().goes_first_in_tab_order = previous_;
}

WidgetScope::WidgetScope() {
    saved_states().emplace_back(std::exchange(record(), {}), std::exchange(focus(), {}));
}
WidgetScope::~WidgetScope() {
    std::tie(record(), focus()) = std::move(saved_states().back());
    saved_states().pop_back();
}

namespace {

nlohmann::json visible_widgets() {
    nlohmann::json all = nlohmann::json::array();
    for (const WidgetRect& widget : record().widgets) {
        if (!widget.is_visible) continue;
        all.push_back({{"id", widget.id},
                       {"kind", widget.kind},
                       {"value", widget.value},
                       {"x", widget.min.x},
                       {"y", widget.min.y},
                       {"width", widget.max.x - widget.min.x},
                       {"height", widget.max.y - widget.min.y},
                       {"whole", widget.is_whole}});
    }
    return all;
}

std::string json_text(const nlohmann::json& json) {
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string widget_map_json() {
    return json_text(visible_widgets());
}

const std::vector<DrawnText>& drawn_texts() {
    return record().texts;
}
void record_drawn_texts(bool keep) {
    record().records_texts = keep;
}
bool records_drawn_texts() {
    return record().records_texts;
}
void add_drawn_text(std::string_view text, const Rect& rect, const Rect& clip) {
    record().texts.push_back({std::string(text), rect, rect.clipped_to(clip)});
}

std::string window_map_json() {
    nlohmann::json texts = nlohmann::json::array();
    for (const DrawnText& one : record().texts) {
        if (one.visible_area.width() <= 0 || one.visible_area.height() <= 0) continue;
        texts.push_back({{"text", one.text},
                         {"x", one.rect.min.x},
                         {"y", one.rect.min.y},
                         {"width", one.rect.width()},
                         {"height", one.rect.height()},
                         {"seen_width", one.visible_area.width()},
                         {"seen_height", one.visible_area.height()}});
    }
    return json_text({{"widgets", visible_widgets()}, {"texts", texts}});
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

bool has_requested_value(std::string_view id) {
    return record().requested.contains(id);
}

void set_modal_window() {
    Focus& now = focus();
    now.drawn.dialog = root_window();
    // Widgets drawn earlier lie below the dialog.
    now.drawn.order.clear();
    now.drawn.first.clear();
    if (now.drawn.dialog == now.last.dialog) return;
    now.ring = false;
    now.drawn.text = false;
    now.drawn.arrows = false;
}

FieldFocus field_focus(ImGuiID id, bool is_typing, bool is_enabled) {
    Focus& now = focus();
    FieldFocus field;
    field.is_reachable = is_enabled && keyboard_reaches_this_window();
    if (!field.is_reachable) return field;
    add_to_tab_order(id);
    if (!is_typing) {
        field.take = now.id == id && now.scroll;
    } else if (now.is_tabbed && now.id != id) {
        field.leave = true;
    } else {
        now.id = id;
        now.ring = false;
        now.scroll = false;
    }
    return field;
}

Item interact(ImGuiID id, const Rect& whole, const Rect& active, const ItemTraits& traits) {
    Focus& now = focus();
    Item item;
    item.rect = active;
    const bool reachable = traits.is_enabled && keyboard_reaches_this_window();
    if (reachable) {
        add_to_tab_order(id);
        if (now.id == id && now.scroll) {
            scroll_into_view(whole.expanded(glm::vec2(theme().px(12))));
            now.scroll = false;
        }
        item.is_focused = now.id == id && now.ring;
        now.drawn.arrows = now.drawn.arrows || (item.is_focused && traits.takes_arrows);
        if (item.is_focused && traits.takes_text) {
            now.drawn.text = true;
            request_text_input();
        }
    }
    item.is_visible = add_item(whole, id);
    if (!traits.is_enabled) {
        item.is_hovered = item.is_visible && is_hovered(active, id);
        return item;
    }
    // A slider that is dragged while it scrolls out of view must still receive the release of the button.
    if (item.is_visible || active_item() == id)
        static_cast<Press&>(item) = handle_press(active, id, traits.press_on_down);
    if (item.is_held && ImGui::IsMouseClicked(0)) {
        now.id = id;
        now.ring = traits.ring_after_click;
    }
    if (item.is_focused && (is_plain_key_pressed(Key::enter) || is_plain_key_pressed(Key::space)))
        item.was_clicked = true;
    return item;
}

bool is_plain_key_pressed(Key key, bool repeat) {
    const Modifiers modifiers = modifiers_down();
    return !ImGui::GetIO().WantTextInput && !modifiers.ctrl && !modifiers.alt && is_key_pressed(key, repeat);
}

void scroll_by_keys(bool by_pages) {
    const float line = 3 * theme().line_height(TextStyle::body), page = window_inner_rect().height() - line;
    const auto by = [](Key key, float distance) {
        if (is_plain_key_pressed(key, true))
            ImGui::SetScrollY(std::max(0.0F, ImGui::GetScrollY() + distance));
    };
    by(Key::down, line);
    by(Key::up, -line);
    if (by_pages) by(Key::page_down, page);
    if (by_pages) by(Key::page_up, -page);
    if (is_plain_key_pressed(Key::home)) ImGui::SetScrollY(0);
    if (is_plain_key_pressed(Key::end)) ImGui::SetScrollY(ImGui::GetScrollMaxY());
}

bool is_key_used(Key key) {
    const Focus& now = focus();
    const bool typing = ImGui::GetIO().WantTextInput || now.last.text || now.drawn.text;
    const bool popup = now.was_popup_open || top_popup().has_value();
    switch (key) {
        case Key::left:
        case Key::right:
        case Key::up:
        case Key::down:
        case Key::home:
        case Key::end:
            return typing || popup || now.drawn.arrows || now.last.arrows;
        case Key::page_up:
        case Key::page_down:
        case Key::escape:
            return typing || popup;
        case Key::enter:
        case Key::space:
            return typing || popup || now.ring;
        case Key::tab:
            return true;
        default:
            // Function keys and Ctrl shortcuts work while the user types.
            return typing && key < Key::f1 && !modifiers_down().ctrl;
    }
}

void focus_widget(std::string_view id) {
    Focus& now = focus();
    now.id = make_widget_id(id);
    now.ring = true;
    now.scroll = true;
}

bool has_keyboard(std::string_view id) {
    return focus().ring && focus().id == make_widget_id(id);
}

void release_keyboard() {
    focus().ring = false;
}
void clear_focus() {
    focus().id = 0;
    focus().ring = false;
}
void set_focus(ImGuiID id) {
    focus().id = id;
    focus().ring = true;
}

double widgets_redraw_delay() {
    return focus().redraw_within;
}
void set_frame_cost(double seconds) {
    focus().frame_cost = seconds;
}
double animation_frame_pause() {
    return std::clamp(4 * focus().frame_cost, 1.0 / 30, 1.0 / 5);
}
void request_redraw_within(double seconds) {
    focus().redraw_within = std::min(focus().redraw_within, std::max(0.0, seconds));
}

void draw_focus_ring(const Rect& rect, float rounding) {
    const float away = theme().px(2) + 1;
    ImDrawList* list = ImGui::GetWindowDrawList();
    // The action colour inside a paler line, so that one of them is visible on any background.
    const Rect inner = rect.expanded(glm::vec2(away)), outer = inner.expanded(glm::vec2(1));
    list->AddRect(inner.min, inner.max, with_style_alpha(theme().palette().action), rounding + away, 0,
                  std::max(2.0F, theme().px(2)));
    list->AddRect(outer.min, outer.max, with_style_alpha(with_alpha(theme().palette().upload, 0.6F)),
                  rounding + away + 1, 0, 1);
    record().ring = outer.clipped_to(window_clip_rect());
}

std::optional<Rect> focus_ring() {
    return record().ring;
}

void draw_knob(glm::vec2 centre, float radius, const Item& item) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (item.is_hovered || item.is_held)
        list->AddCircleFilled(centre, radius + t.px(4),
                              with_style_alpha(with_alpha(p.upload, item.is_held ? 0.35F : 0.2F)), 32);
    list->AddCircleFilled(centre, radius, with_style_alpha(t.mode() == Mode::dark ? p.text : p.panel), 32);
    // A white knob on a white panel needs an edge.
    if (t.mode() == Mode::light)
        list->AddCircle(centre, radius - 0.5F, with_style_alpha(mix(p.line, p.text, 0.35F)), 32, 1.5F);
    if (item.is_focused) draw_focus_ring({centre - glm::vec2(radius), centre + glm::vec2(radius)}, radius);
}

void draw_hatch(ImDrawList* list, const Rect& rect, ImU32 color) {
    const float step = std::max(3.0F, std::round(theme().px(6))), height = rect.height();
    // Aligned to a fixed origin, so that the lines continue through adjacent cells.
    for (float x = std::floor((rect.min.x - height) / step) * step; x < rect.max.x; x += step) {
        const float from = std::max(x, rect.min.x), to = std::min(x + height, rect.max.x);
        if (from < to)
            list->AddLine({from, rect.max.y - (from - x)}, {to, rect.max.y - (to - x)},
                          with_style_alpha(color), std::max(1.0F, theme().scale()));
    }
}

void draw_frame(ImDrawList* list, const Rect& rect, ImU32 color, float thickness) {
    const Rect inner = rect.expanded(glm::vec2(-std::floor(thickness / 2)));
    list->AddRect(inner.min, inner.max, with_style_alpha(color), 0, 0, thickness);
}

void show_delayed_tooltip(const Item& item, ImGuiID id, std::string_view words) {
    if (!item.is_hovered || words.empty() || item.is_held) return;
    static ImGuiID resting_on = 0;
    static double since_s = 0;
    static int last_frame = 0;
    const int frame = ImGui::GetFrameCount();
    if (resting_on != id || last_frame + 1 < frame) since_s = ImGui::GetTime();
    resting_on = id;
    last_frame = frame;
    const double rested_s = ImGui::GetTime() - since_s;
    if (rested_s < tooltip_delay_s) {
        request_redraw_within(tooltip_delay_s - rested_s);
        return;
    }
    show_tooltip(item.rect, words);
}

void register_place(std::string_view id, const Rect& place, std::string_view value, std::string_view tip) {
    register_widget(id, "text", place.min, place.max, value);
    if (tip.empty()) return;
    Item item;
    item.rect = place;
    item.is_hovered = ImGui::IsWindowHovered() && place.contains(glm::vec2(ImGui::GetIO().MousePos));
    show_delayed_tooltip(item, make_widget_id(id), tip);
}

void show_tooltip(const Rect& under, std::string_view words) {
    const Theme& t = theme();
    const glm::vec2 padding(t.px(12), t.px(8));
    const float width = std::ceil(std::min(t.px(320), text_size(TextStyle::note, words).x + 1));
    // Below the item, because at the mouse it would cover the item.
    const glm::vec2 display = ImGui::GetIO().DisplaySize;
    const float lines = std::ceil(text_size(TextStyle::note, words).x / width);
    const float height = lines * t.line_height(TextStyle::note) + 2 * padding.y;
    glm::vec2 position(under.min.x, under.max.y + t.px(6));
    position.x = std::max(t.px(4), std::min(position.x, display.x - width - 2 * padding.x - t.px(4)));
    if (position.y + height > display.y) position.y = under.min.y - t.px(6) - height;
    ImGui::SetNextWindowPos(glm::floor(position));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, t.px(6));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::BeginTooltip();
    text_wrapped(TextStyle::note, t.palette().text, words, width);
    ImGui::EndTooltip();
    ImGui::PopStyleVar(3);
}

ImU32 with_style_alpha(ImU32 color) {
    return ImGui::GetColorU32(color);
}
float baseline(TextStyle type) {
    const float above = std::ceil((theme().line_height(type) - theme().font_size(type)) / 2);
    return above + std::round(font_ascent(*theme().font(type)));
}
glm::vec2 cursor() {
    return glm::floor(glm::vec2(ImGui::GetCursorScreenPos()));
}
float content_width() {
    return std::max(1.0F, ImGui::GetContentRegionAvail().x);
}

}  // namespace gridstride::ui
