#include "ui/text/code_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "story/story.h"
#include "ui/text/code_line.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr std::size_t max_registered_bytes = std::size_t{64} << 10;

/// Returns true if the key was pressed with or without Shift, and with Ctrl as given.
bool is_movement_pressed(Key key, bool ctrl) {
    const Modifiers modifiers = modifiers_down();
    return modifiers.ctrl == ctrl && !modifiers.alt && is_key_pressed(key, true);
}

}  // namespace

void CodeEditor::go_to_line(std::size_t line) {
    line = std::min(line, text_.line_count() - 1);
    const std::string_view code = text_.line(line);
    const std::size_t first = std::min(code.find_first_not_of(" \t"), code.size());
    text_.set_caret(text_.line_start(line) + first, false);
    reveal_caret_ = true;
    wants_focus_ = true;
}

void CodeEditor::handle_shortcuts() {
    constexpr Modifiers ctrl{.ctrl = true};
    constexpr Modifiers ctrl_shift{.ctrl = true, .shift = true};
    const bool cut = is_key_pressed_with(Key::x, ctrl);
    if ((cut || is_key_pressed_with(Key::c, ctrl)) && text_.has_selection())
        ImGui::SetClipboardText(std::string(text_.selected()).c_str());
    if (is_key_pressed_with(Key::a, ctrl)) text_.select_all();
    if (read_only_) return;
    if (cut) {
        if (text_.has_selection()) text_.erase_before(false);
    } else if (is_key_pressed_with(Key::v, ctrl, true)) {
        if (const char* clipboard = ImGui::GetClipboardText()) text_.insert(clipboard);
    } else if (is_key_pressed_with(Key::z, ctrl, true)) {
        text_.undo();
    } else if (is_key_pressed_with(Key::y, ctrl, true) || is_key_pressed_with(Key::z, ctrl_shift, true)) {
        text_.redo();
    }
}

template <typename Move>
void CodeEditor::move_caret(Move move) {
    const std::size_t from = text_.line_of(text_.caret());
    std::size_t before = 0, line = 0;
    do {
        before = text_.caret();
        move();
        line = text_.line_of(text_.caret());
    } while (text_.caret() != before && line != from && is_kernel_marker(text_.line(line)));
    reveal_caret_ = true;
}

void CodeEditor::handle_keys() {
    const bool select = modifiers_down().shift;
    struct Movement {
        Key key;
        Motion plain, with_ctrl;
    };
    static constexpr Movement movements[] = {
        {Key::left, Motion::left, Motion::word_left},
        {Key::right, Motion::right, Motion::word_right},
        {Key::up, Motion::up, Motion::up},
        {Key::down, Motion::down, Motion::down},
        {Key::home, Motion::line_start, Motion::text_start},
        {Key::end, Motion::line_end, Motion::text_end},
    };
    for (const Movement& movement : movements) {
        const bool ctrl = is_movement_pressed(movement.key, true);
        if (!ctrl && !is_movement_pressed(movement.key, false)) continue;
        move_caret([&] { text_.move(ctrl ? movement.with_ctrl : movement.plain, select); });
    }
    const auto page = static_cast<std::ptrdiff_t>(std::max<std::size_t>(2, lines_in_view_) - 1);
    for (auto [key, lines] : {std::pair(Key::page_up, -page), std::pair(Key::page_down, page)}) {
        if (!is_movement_pressed(key, false)) continue;
        move_caret([&] {
            text_.move_lines(lines, select);
            lines = lines < 0 ? -1 : 1;
        });
    }
    const Modifiers modifiers = modifiers_down();
    if (read_only_ || modifiers.alt) return;
    if (is_key_pressed(Key::backspace, true)) text_.erase_before(modifiers.ctrl);
    if (is_key_pressed(Key::del, true)) text_.erase_after(modifiers.ctrl);
    if (modifiers.ctrl) return;
    if (is_key_pressed(Key::enter, true)) text_.new_line();
    if (is_key_pressed(Key::tab, true)) {
        if (modifiers.shift)
            text_.unindent();
        else
            text_.indent();
    }
}

void CodeEditor::handle_characters() {
    ImGuiIO& io = ImGui::GetIO();
    const Modifiers modifiers = modifiers_down();
    // On some keyboards AltGr, which types braces, is reported as Ctrl and Alt together.
    const bool typed = !read_only_ && (!modifiers.ctrl || modifiers.alt);
    for (int i = 0; typed && i < io.InputQueueCharacters.Size; ++i) {
        const ImWchar character = io.InputQueueCharacters[i];
        if (character == '}')
            text_.insert_closing_brace();
        else if (character == '\n')
            text_.new_line();
        else if (character == '\t')
            text_.indent();
        else if (character >= ' ' && character != 0x7F)
            text_.insert(utf8(character));
    }
    io.InputQueueCharacters.resize(0);
}

void CodeEditor::handle_mouse(const Metrics& metrics, bool is_pressed, bool is_held) {
    if (!is_pressed && !is_held) return;
    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    const auto last = static_cast<float>(shown_.rows() - 1);
    const float row = std::clamp(std::floor((mouse.y - metrics.origin.y) / metrics.line), 0.0F, last);
    const float column = std::max(0.0F, (mouse.x - metrics.origin.x) / metrics.column + 0.5F);
    const std::size_t offset = text_.offset_at(shown_.line_of(static_cast<std::size_t>(row)),
                                               static_cast<std::size_t>(std::floor(column)));
    if (is_pressed && ImGui::IsMouseDoubleClicked(0)) {
        text_.set_caret(offset, false);
        text_.select_word();
    } else if (is_pressed) {
        text_.set_caret(offset, modifiers_down().shift);
    } else if (ImGui::IsMouseDragging(0)) {
        text_.set_caret(offset, true);
        reveal_caret_ = true;
    }
}

/// Keeps the caret in view if the height changes, for example when a list of errors appears below.
void CodeEditor::keep_caret_in_view(const Metrics& metrics, float height) {
    const float before = std::exchange(height_, height);
    if (height == before || !is_focused_) return;
    const auto row = static_cast<float>(shown_.row_of(text_.line_of(text_.caret())));
    const float top = metrics.padding + row * metrics.line - ImGui::GetScrollY();
    if (top + metrics.line > 0 && top < before) reveal_caret_ = true;
}

void CodeEditor::scroll_to_caret(const Metrics& metrics, glm::vec2 view) {
    if (!reveal_caret_) return;
    reveal_caret_ = false;
    reveal_in_panel_ = true;
    const auto row = static_cast<float>(shown_.row_of(text_.line_of(text_.caret())));
    const float top = metrics.padding + row * metrics.line;
    const float left = metrics.gutter + static_cast<float>(text_.column_of(text_.caret())) * metrics.column;
    // One line above and below the caret stays visible, and four columns beside it, right of the gutter.
    const float y = ImGui::GetScrollY();
    if (top - metrics.line < y) ImGui::SetScrollY(std::max(0.0F, top - metrics.line));
    if (top + 2 * metrics.line > y + view.y) ImGui::SetScrollY(top + 2 * metrics.line - view.y);
    const float x = ImGui::GetScrollX();
    const float room = 4 * metrics.column;
    if (left - room < x + metrics.gutter) ImGui::SetScrollX(std::max(0.0F, left - room - metrics.gutter));
    if (left + room > x + view.x) ImGui::SetScrollX(left + room - view.x);
}

/// Scrolls the panel around the editor, which in a low window shows only a part of it.
void CodeEditor::show_caret_in_panel(const Metrics& metrics, glm::vec2 min, glm::vec2 max) {
    reveal_in_panel_ = false;
    const auto row = static_cast<float>(shown_.row_of(text_.line_of(text_.caret())));
    const float y = metrics.origin.y + row * metrics.line;
    Rect around{{min.x, y - metrics.line}, {max.x, y + 2 * metrics.line}};
    around = around.clipped_to({min, max});
    if (around.height() > 0) scroll_into_view(around);
}

void CodeEditor::draw_selection(const Metrics& metrics, std::size_t line, float y) {
    const std::size_t begin = std::max(text_.selection_begin(), text_.line_start(line));
    const std::size_t end = std::min(text_.selection_end(), text_.line_end(line));
    if (begin > end || text_.selection_end() <= text_.line_start(line)) return;
    // A selected line break is drawn as half a column at the line's end.
    const float extra = text_.selection_end() > text_.line_end(line) ? metrics.column / 2 : 0;
    const float from = metrics.origin.x + static_cast<float>(text_.column_of(begin)) * metrics.column;
    const float to = metrics.origin.x + static_cast<float>(text_.column_of(end)) * metrics.column + extra;
    ImGui::GetWindowDrawList()->AddRectFilled({from, y}, {to, y + metrics.line},
                                              with_alpha(theme().palette().action, 0.35F));
}

void CodeEditor::draw_lines(std::string_view id, const Metrics& metrics, const CodeMarks& marks,
                            glm::vec2 min, glm::vec2 max) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float top = metrics.origin.y;
    const auto first = static_cast<std::size_t>(std::max(0.0F, std::floor((min.y - top) / metrics.line)));
    const auto last = std::min(
        shown_.rows(), static_cast<std::size_t>(std::max(0.0F, std::ceil((max.y - top) / metrics.line))));
    const std::size_t caret_line = text_.line_of(text_.caret());
    const float gutter_end = min.x + metrics.gutter - t.px(8);
    const auto row_y = [&](std::size_t row) {
        return std::round(top + static_cast<float>(row) * metrics.line);
    };

    list->PushClipRect({gutter_end, min.y}, max, true);
    for (std::size_t row = first; row < last; ++row) {
        const std::size_t n = shown_.line_of(row);
        const float y = row_y(row);
        const auto mark = marks.find(n);
        if (mark != marks.end()) {
            const ColorRole color_role =
                mark->second == DiagnosticLevel::error ? ColorRole::wrong : ColorRole::caution;
            list->AddRectFilled({gutter_end, y}, {max.x, y + metrics.line},
                                with_alpha(t.color(color_role), 0.16F));
        } else if (is_focused_ && n == caret_line) {
            list->AddRectFilled({gutter_end, y}, {max.x, y + metrics.line}, with_alpha(palette.text, 0.04F));
        }
        if (text_.has_selection()) draw_selection(metrics, n, y);
        bytes_laid_out_ += draw_code_line(text_, colors_.pieces, n, {metrics.origin.x, y});
    }
    if (is_focused_) {
        const float x = std::round(metrics.origin.x +
                                   static_cast<float>(text_.column_of(text_.caret())) * metrics.column);
        const float y = row_y(shown_.row_of(caret_line));
        list->AddRectFilled({x, y}, {x + std::max(2.0F, t.px(1.5F)), y + metrics.line}, palette.text);
    }
    list->PopClipRect();

    const ImU32 faint = mix(palette.quiet, palette.raised, 0.35F);
    for (std::size_t row = first; row < last; ++row) {
        const std::size_t n = shown_.line_of(row);
        const float y = row_y(row);
        const float numbers_end = gutter_end - t.px(8);
        if (shown_.hides_before(row)) list->AddLine({min.x + t.px(8), y}, {numbers_end, y}, palette.line);
        ImU32 color_role = n == caret_line && is_focused_ ? palette.text : faint;
        if (const auto mark = marks.find(n); mark != marks.end()) {
            const bool error = mark->second == DiagnosticLevel::error;
            color_role = t.text_color(error ? ColorRole::wrong : ColorRole::caution);
            draw_text(list, TextStyle::mono, {min.x + t.px(8), y}, color_role, error ? "✗" : "!");
            register_widget(fmt::format("{}.mark.{}", id, n + 1), "mark", {min.x, y},
                            {max.x, y + metrics.line}, error ? "✗" : "!");
        }
        draw_text_right(list, TextStyle::mono, {numbers_end, y}, color_role, std::to_string(n + 1));
    }
}

bool CodeEditor::draw(std::string_view id, glm::vec2 size, const CodeMarks& marks) {
    const Theme& t = theme();
    const glm::vec2 min = ImGui::GetCursorScreenPos();
    const glm::vec2 max(min.x + size.x, min.y + size.y);
    const std::uint64_t before = text_.revision();
    if (const auto requested = take_requested_value(id); requested && !read_only_)
        text_.replace_all(*requested);
    shown_.update(text_);

    ImGui::GetWindowDrawList()->AddRectFilled(min, max, t.palette().raised, t.px(6));
    // Scripts read the text as the widget's value.
    register_widget(id, "code", min, max, std::string_view(text_.text()).substr(0, max_registered_bytes));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, glm::vec2(0, 0));
    ImGui::PushStyleColor(ImGuiCol_ChildBg, IM_COL32(0, 0, 0, 0));
    ImGui::BeginChild(make_widget_id(id) + 1, size, false,
                      ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();

    const Rect view = window_inner_rect();
    Metrics metrics{};
    metrics.line = t.line_height(TextStyle::mono);
    metrics.column = code_column_width();
    metrics.padding = std::round(t.px(8));
    const auto digits =
        static_cast<float>(std::max<std::size_t>(3, std::to_string(text_.line_count()).size()));
    metrics.gutter = std::round(t.px(8) + 2 * metrics.column + digits * metrics.column + t.px(16));
    metrics.origin = {view.min.x + metrics.gutter - ImGui::GetScrollX(),
                      view.min.y + metrics.padding - ImGui::GetScrollY()};
    lines_in_view_ = static_cast<std::size_t>(std::max(1.0F, view.height() / metrics.line));

    const ImGuiID key = make_widget_id(id);
    if (wants_focus_ ||
        (is_focused_ && ImGui::IsMouseClicked(0) && Rect{min, max}.contains(ImGui::GetIO().MousePos)))
        set_focus(key);
    wants_focus_ = false;
    // Smaller than the view: the margin that the focus scrolls into view must not move the editor.
    const Rect inside = view.expanded(glm::vec2(-t.px(16)));
    const Item item =
        interact(key, inside, view,
                 {.takes_text = true, .takes_arrows = true, .ring_after_click = true, .press_on_down = true});
    if (item.is_hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    const bool pressed = item.is_hovered && ImGui::IsMouseClicked(0);
    is_focused_ = item.is_focused;
    handle_mouse(metrics, pressed, item.is_held && !pressed);
    if (is_focused_) {
        if (is_key_pressed_with(Key::escape, {})) {
            release_keyboard();
        } else {
            const std::uint64_t unchanged = text_.revision();
            const std::size_t caret = text_.caret();
            handle_characters();
            handle_shortcuts();
            handle_keys();
            if (text_.revision() != unchanged || text_.caret() != caret) reveal_caret_ = true;
        }
    }
    shown_.update(text_);
    if (colors_.revision != text_.revision())
        colors_ = {text_.revision(), tokenise_glsl(text_.text()), text_.columns()};
    const glm::vec2 whole(metrics.gutter + static_cast<float>(colors_.columns + 4) * metrics.column,
                          2 * metrics.padding + static_cast<float>(shown_.rows()) * metrics.line);
    ImGui::SetCursorPos({0, 0});
    ImGui::Dummy(whole);
    const bool scrolled_before = reveal_in_panel_;
    keep_caret_in_view(metrics, view.height());
    scroll_to_caret(metrics, view.size());
    bytes_laid_out_ = 0;
    draw_lines(id, metrics, marks, view.min, view.max);
    ImGui::EndChild();
    if (scrolled_before) show_caret_in_panel(metrics, min, max);
    ImGui::GetWindowDrawList()->AddRect(min, max, is_focused_ ? t.palette().action : t.palette().line,
                                        t.px(6), 0, is_focused_ ? std::max(1.5F, t.px(1.5F)) : 1);
    return text_.revision() != before;
}

}  // namespace gridstride::ui
