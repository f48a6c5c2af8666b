#include <cmath>
#include <cstring>

#include "base/text.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr const char* value_label = "##value";
constexpr std::size_t max_field_bytes = 1024;  // of a text field, including the terminating zero

ClipboardReader original_clipboard;  // the original function while input_single_line() replaces it

/// ImGui's single-line field would join pasted lines: a column of 1 and 2 would become 12. This field takes
/// only the first line.
bool input_single_line(const char* label, char* buffer, std::size_t size, ImGuiInputTextFlags flags) {
    original_clipboard = clipboard_reader();
    clipboard_reader() = [](auto* user_data) -> const char* {
        static std::string first_line;
        const char* const all = original_clipboard(user_data);
        if (!all) return nullptr;
        first_line.assign(all, std::strcspn(all, "\r\n"));
        return first_line.c_str();
    };
    const bool entered = ImGui::InputText(label, buffer, size, flags);
    clipboard_reader() = original_clipboard;
    return entered;
}

/// The value being edited; at most one.
struct TextEdit {
    ImGuiID slider = 0;
    char buffer[256] = {};
    std::string before;
    bool has_focus = false;
    ImVector<ImWchar>
        early_characters;  ///< typed before the field has the keyboard, which takes one or two frames
    int frames = 0;
    int last_frame = 0;  ///< when it was last drawn; a field that misses a frame is closed
};
TextEdit& text_edit() {
    static TextEdit the_edit;
    return the_edit;
}

void start_edit(ImGuiID slider, std::string_view value) {
    TextEdit& edit = text_edit();
    edit = {.slider = slider, .last_frame = ImGui::GetFrameCount()};
    remove_spaces(value).copy(edit.buffer, sizeof(edit.buffer) - 1);
    edit.before = edit.buffer;
}

/// Draws the text field over the value. Returns true if a value was entered.
bool draw_edit(ImGuiID slider, const Rect& row) {
    const Theme& t = theme();
    TextEdit& edit = text_edit();
    const glm::vec2 cursor = ImGui::GetCursorScreenPos();
    const float height = t.font_size(TextStyle::mono) + 2 * std::round(t.px(4));
    const float width =
        glm::clamp(text_size(TextStyle::mono, edit.buffer).x + t.px(32), t.px(104), row.width());
    const glm::vec2 at(row.max.x - width, std::floor(row.centre().y - height / 2));
    set_cursor(at);
    ImGui::PushFont(t.font(TextStyle::mono));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, glm::vec2(t.px(8), std::round(t.px(4))));
    ImGui::PushID(static_cast<int>(slider));
    ImGui::SetNextItemWidth(width);
    ++edit.frames;
    edit.last_frame = ImGui::GetFrameCount();
    ImVector<ImWchar>& typed = ImGui::GetIO().InputQueueCharacters;
    if (!edit.has_focus) {
        focus_next_field(value_label);
        for (const ImWchar character : typed)
            edit.early_characters.push_back(character);
    } else if (!edit.early_characters.empty()) {
        for (const ImWchar character : typed)
            edit.early_characters.push_back(character);
        typed.swap(edit.early_characters);
        edit.early_characters.clear();
    }
    const bool entered =
        input_single_line(value_label, edit.buffer, sizeof(edit.buffer),
                          ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue);
    const bool active = ImGui::IsItemActive();
    const Rect box{ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
    ImGui::PopID();
    ImGui::PopStyleVar();
    ImGui::PopFont();
    ImGui::GetWindowDrawList()->AddRect(box.min, box.max, with_style_alpha(t.palette().action), t.px(6), 0,
                                        std::max(2.0F, t.px(2)));
    set_cursor(cursor);

    const bool left = edit.has_focus && !active;
    // Another window may keep the focus; a field without it must not stay open.
    const bool focus_failed = !edit.has_focus && edit.frames > 10;
    edit.has_focus = edit.has_focus || active;
    if (!entered && !left && !focus_failed) return false;
    const bool is_cancelled = focus_failed || is_key_pressed(Key::escape);
    edit.slider = 0;
    return entered || (!is_cancelled && edit.before != edit.buffer);
}

struct Geometry {
    Rect whole, row, track;
    float knob_radius;
    float knob_x(float position) const {
        return track.min.x + knob_radius +
               glm::clamp(position, 0.0F, 1.0F) * std::max(0.0F, track.width() - 2 * knob_radius);
    }
    float position_at(float x) const {
        return glm::clamp((x - track.min.x - knob_radius) / std::max(1.0F, track.width() - 2 * knob_radius),
                          0.0F, 1.0F);
    }
};

Geometry layout() {
    const Theme& t = theme();
    const glm::vec2 start = cursor();
    const float width = std::floor(content_width());
    const float row = t.line_height(TextStyle::body);
    const float track = std::round(t.px(22));
    const glm::vec2 end = start + glm::vec2(width, row + track);
    return {.whole = {start, end},
            .row = {start, {end.x, start.y + row}},
            .track = {{start.x, start.y + row}, end},
            .knob_radius = std::round(t.px(8))};
}

void draw_track(const Geometry& g, float position, const Item& item) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float half = t.px(2);
    const glm::vec2 knob(std::round(g.knob_x(position)), g.track.max.y - std::round(t.px(10)));
    list->AddRectFilled({g.track.min.x, knob.y - half}, {g.track.max.x, knob.y + half},
                        with_style_alpha(p.line), half);
    list->AddRectFilled({g.track.min.x, knob.y - half}, {knob.x, knob.y + half}, with_style_alpha(p.upload),
                        half);
    draw_knob(knob, g.knob_radius, item);
}

void step_by_keys(float* position, int steps) {
    const float step = 1.0F / static_cast<float>(std::max(1, steps));
    if (is_plain_key_pressed(Key::right, true) || is_plain_key_pressed(Key::up, true)) *position += step;
    if (is_plain_key_pressed(Key::left, true) || is_plain_key_pressed(Key::down, true)) *position -= step;
    if (is_plain_key_pressed(Key::home)) *position = 0;
    if (is_plain_key_pressed(Key::end)) *position = 1;
    *position = glm::clamp(*position, 0.0F, 1.0F);
}

constexpr float value_gap = 12;  // design pixels

float get_suffix_width(std::string_view suffix) {
    return suffix.empty() ? 0 : text_size(TextStyle::mono, suffix).x + std::round(theme().px(8));
}
float get_value_width(std::string_view text, std::string_view suffix) {
    return text_size(TextStyle::mono, text).x + get_suffix_width(suffix);
}

}  // namespace

bool text_field(std::string_view id, std::string* value, const FieldOptions& options) {
    const Theme& t = theme();
    const std::string label = "##" + std::string(id);
    const bool typing = active_item() == ImGui::GetID(label.c_str());
    const auto requested = options.is_enabled ? take_requested_value(id) : std::nullopt;
    if (requested) *value = *requested;
    const FieldFocus focus = field_focus(make_widget_id(id), typing, options.is_enabled);
    // While a field is edited, ImGui keeps its own copy of the text. A field that a script has set, or that a
    // dialog covers, releases the keyboard.
    if (typing && (requested || !focus.is_reachable || focus.leave)) release_active_item();
    char buffer[max_field_bytes] = {};
    value->copy(buffer, sizeof buffer - 1);
    ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue;
    if (options.decimal) flags |= ImGuiInputTextFlags_CharsDecimal;
    if (!options.is_enabled) flags |= ImGuiInputTextFlags_ReadOnly;

    ImGui::PushFont(t.font(TextStyle::mono));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {t.px(8), t.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, t.palette().ground);
    ImGui::PushStyleColor(ImGuiCol_Border, t.palette().line);
    if (options.focus || focus.take) focus_next_field(label.c_str());
    ImGui::SetNextItemWidth(options.width > 0 ? options.width : ImGui::GetContentRegionAvail().x);
    const bool entered = input_single_line(label.c_str(), buffer, sizeof buffer, flags);
    if (focus.take && !ImGui::IsItemVisible())
        scroll_into_view({ImGui::GetItemRectMin(), ImGui::GetItemRectMax()});
    if (ImGui::IsItemActive() && options.is_enabled)
        ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
                                            t.palette().action, t.px(6), 0, t.px(1.5F));
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(2);
    if (buffer[0] == 0 && !options.hint.empty())
        ImGui::GetWindowDrawList()->AddText(glm::vec2(ImGui::GetItemRectMin()) + t.px(8), t.palette().quiet,
                                            options.hint.data(), options.hint.data() + options.hint.size());
    ImGui::PopFont();
    if (options.is_enabled) *value = buffer;
    register_widget(id, "text", ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), *value);
    return entered && options.is_enabled;
}

float slider_width(std::string_view label, std::string_view value_text, std::string_view value_suffix) {
    return std::ceil(text_size(TextStyle::body, label).x + get_value_width(value_text, value_suffix) +
                     theme().px(value_gap));
}

SliderResult slider(std::string_view id, std::string_view label, std::string_view value_text,
                    std::string_view value_suffix, float* position, int steps, std::string_view tip) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const ImGuiID key = make_widget_id(id);
    const Geometry g = layout();
    SliderResult result;
    if (std::optional<std::string> requested = take_requested_value(id)) {
        result.was_text_entered = true;
        result.text = std::move(*requested);
    }
    register_widget(id, "slider", g.whole.min, g.whole.max, value_text);
    advance_cursor(g.whole.size());

    const float before = *position;
    const int frame = ImGui::GetFrameCount();
    if (text_edit().last_frame + 1 < frame || text_edit().last_frame > frame) text_edit().slider = 0;
    const bool editing = text_edit().slider == key;
    Item track = interact(key, g.whole, g.track,
                          {.takes_arrows = true, .ring_after_click = true, .press_on_down = true});
    const bool by_keyboard = track.was_clicked && !track.is_held;
    if (track.is_held) *position = g.position_at(ImGui::GetIO().MousePos.x);
    if (track.is_focused && !editing) step_by_keys(position, steps);
    result.has_moved = *position != before;

    const float suffix_width = get_suffix_width(value_suffix);
    const float value_width = get_value_width(value_text, value_suffix);
    Rect value{{g.row.max.x - std::max(value_width, t.px(44)), g.row.min.y}, g.row.max};
    value = value.expanded({std::round(t.px(6)), 0});
    value.max.x = std::min(value.max.x, g.row.max.x + std::round(t.px(6)));
    const std::string value_id = std::string(id) + ".value";
    const ImGuiID value_key = make_widget_id(value_id);
    Press value_press;
    if (track.is_visible && !editing) {
        register_widget(value_id, "value", value.min, value.max, value_text);
        add_item(value, value_key);
        value_press = handle_press(value, value_key);
        if (value_press.is_hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
        if (value_press.was_clicked || by_keyboard) start_edit(key, value_text);
    }
    if (text_edit().slider == key && draw_edit(key, g.row)) {
        result.was_text_entered = true;
        result.text = text_edit().buffer;
        focus_widget(id);
    }
    if (!track.is_visible) return result;

    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 corner(g.row.max.x, g.row.min.y + baseline(TextStyle::body) - baseline(TextStyle::mono));
    const bool shows_edit = text_edit().slider == key;
    const float room = g.row.width() - (shows_edit ? t.px(112) : value_width + t.px(value_gap));
    draw_text(list, TextStyle::body, g.row.min, p.text, elide(TextStyle::body, label, room));
    if (!shows_edit) {
        if (value_press.is_hovered)
            list->AddRectFilled(value.min, value.max, with_style_alpha(p.line), t.px(4));
        draw_text_right(list, TextStyle::mono, corner, p.quiet, value_suffix);
        draw_text_right(list, TextStyle::mono, corner - glm::vec2(suffix_width, 0), p.text, value_text);
    }
    draw_track(g, *position, track);
    track.is_hovered = !shows_edit && !value_press.is_hovered && is_hovered(g.row, key);
    track.rect = g.whole;
    show_delayed_tooltip(track, key, tip);
    return result;
}

}  // namespace gridstride::ui
