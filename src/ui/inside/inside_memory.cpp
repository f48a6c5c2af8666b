// Memory at the step: cells with their values, highlighted as they are read and written, and the turns of the
// banks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "trace/requests.h"
#include "trace/trace_text.h"
#include "ui/inside/inside_parts.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr float memory_cell_height = 20, memory_cell_width = 30;  // design pixels
constexpr float bank_height = 14;

std::uint64_t count_cells(const ShownWorkgroup& shown, std::size_t number) {
    const trace::Variable& variable = shown.lanes.variables()[number];
    if (variable.cells > 0) return variable.cells;
    const auto accesses_to = shown.lanes.accesses_to(number);
    return accesses_to.empty() ? 1 : accesses_to.back().cell + 1;
}

std::string describe_variable(const ShownWorkgroup& shown, std::size_t number) {
    const trace::Variable& variable = shown.lanes.variables()[number];
    if (variable.cell_bytes == 0) return variable.name;
    const std::uint64_t cells = count_cells(shown, number), each = variable.cells_per_element();
    return fmt::format("{}[{}]{}, {}", variable.name, cells / each, each > 1 ? fmt::format("[{}]", each) : "",
                       format_byte_text(cells * variable.cell_bytes));
}

/// Formats the value with as many digits as fit; the tooltip has all of them.
std::string format_short_value(const trace::Site& site, const trace::Record& record, float room) {
    std::string text = trace::value_text(site, record);
    const bool real = site.value == trace::ValueType::f16 || site.value == trace::ValueType::f32 ||
                      site.value == trace::ValueType::f64;
    const auto number = real && site.components == 1 ? parse_number<double>(text) : std::nullopt;
    for (int digits = 2; number && digits > 0; --digits) {
        text = format_significant(*number, digits);
        if (text_size(TextStyle::note, text).x <= room) return text;
    }
    return elide(TextStyle::note, text, room);
}

struct CellLook {
    ImU32 fill;
    bool is_strong = false;  ///< accessed in this step
    std::string value;
};

class CellGrid {
 public:
    CellGrid(InsideView& view, std::size_t variable, float width)
        : view_(view), shown_(*view.shown), variable_(variable), cells_(count_cells(*view.shown, variable)) {
        const float min_width = theme().px(memory_cell_width);
        columns_ = 32;
        while (columns_ > 4 && width / static_cast<float>(columns_) < min_width)
            columns_ /= 2;
        // An array of arrays has a row per inner array, unless that would leave much of the width empty.
        const std::uint64_t each = shown_.lanes.variables()[variable].cells_per_element();
        if (each >= 8 && width / static_cast<float>(each) >= min_width) columns_ = each;
        cell_ = {width / static_cast<float>(columns_), std::round(theme().px(memory_cell_height))};
    }

    std::uint64_t rows() const { return (cells_ + columns_ - 1) / columns_; }
    std::uint64_t columns() const { return columns_; }
    float row_height() const { return cell_.y; }
    std::uint64_t row_of(std::uint64_t number) const { return number / columns_; }

    /// Draws `count` rows from `first` on at `at`; `id` is the id of the widget.
    void draw(const char* id, glm::vec2 at, std::uint64_t first, std::uint64_t count) {
        origin_ = at;
        first_row_ = first;
        const std::uint64_t end = std::min(cells_, (first + count) * columns_);
        for (std::uint64_t number = first * columns_; number < end; ++number)
            draw_cell(number);
        const std::uint64_t rows_drawn = std::min(count, rows() - std::min(rows(), first));
        const Rect all{at, at + glm::vec2(cell_.x * static_cast<float>(columns_),
                                          cell_.y * static_cast<float>(rows_drawn))};
        const Rect visible_area = all.clipped_to(window_clip_rect());
        if (visible_area.width() <= 0 || visible_area.height() <= 0) return;
        const Item item = interact(id, {"cells", describe_variable(shown_, variable_)}, visible_area,
                                   {.takes_arrows = true, .ring_after_click = true});
        if (item.is_focused) {
            move_by_keys();
            draw_focus_ring(visible_area.expanded(glm::vec2(-theme().px(3))), theme().px(3));
        }
        const auto under = cell_at(ImGui::GetIO().MousePos);
        if (item.is_hovered && under) {
            Item cell = item;
            cell.is_held = false;
            cell.rect = rect_of(*under);
            show_delayed_tooltip(cell, make_widget_id(id), cell_tooltip(*under));
        }
        if (item.was_clicked && item.is_hovered && under) toggle_highlight(*under);
    }

 private:
    Rect rect_of(std::uint64_t number) const {
        const auto column = static_cast<float>(number % columns_);
        const std::uint64_t row_number = number / columns_ - first_row_;
        const auto row = static_cast<float>(row_number);
        const glm::vec2 min = origin_ + glm::vec2(std::round(column * cell_.x), row * cell_.y);
        const glm::vec2 max = origin_ + glm::vec2(std::round((column + 1) * cell_.x), (row + 1) * cell_.y);
        return {min, max - glm::vec2(1)};
    }
    std::optional<std::uint64_t> cell_at(glm::vec2 place) const {
        const glm::vec2 at = (place - origin_) / cell_;
        if (at.x < 0 || at.y < 0 || at.x >= static_cast<float>(columns_)) return std::nullopt;
        const std::uint64_t number =
            (first_row_ + static_cast<std::uint64_t>(at.y)) * columns_ + static_cast<std::uint64_t>(at.x);
        return number < cells_ ? std::optional(number) : std::nullopt;
    }
    void toggle_highlight(std::uint64_t number) {
        InsideFocus new_focus;
        new_focus.variable = variable_;
        new_focus.cell = number;
        view_.toggle_highlight(new_focus);
        view_.is_playing = false;
    }
    void move_by_keys() {
        const bool here = view_.focus.variable == variable_;
        const std::uint64_t now = here ? view_.focus.cell : selected_cell().value_or(0);
        std::uint64_t next = now;
        if (is_plain_key_pressed(Key::right, true)) ++next;
        if (is_plain_key_pressed(Key::left, true) && next > 0) --next;
        if (is_plain_key_pressed(Key::down, true)) next += columns_;
        if (is_plain_key_pressed(Key::up, true) && next >= columns_) next -= columns_;
        if (is_plain_key_pressed(Key::home)) next = 0;
        if (is_plain_key_pressed(Key::end)) next = cells_ - 1;
        if (next == now || next >= cells_) return;
        view_.focus = {};
        toggle_highlight(next);
        view_.reveal_cell = true;
    }
    std::optional<std::uint64_t> selected_cell() const {
        const std::uint32_t record = view_.record();
        if (record == trace::no_record || shown_.analysis->records[record].out_of_bounds_mask != 0)
            return std::nullopt;
        if (shown_.lanes.variable_index(shown_.analysis->records[record].site) != variable_)
            return std::nullopt;
        return shown_.lanes.first_cell(record);
    }
    /// room: pixels for the value.
    CellLook cell_look(std::uint64_t number, float room) const {
        const Theme& t = theme();
        const trace::CellState cell = shown_.lanes.cell(variable_, number, view_.step);
        CellLook look{.fill = t.palette().raised};
        if (cell.writer != trace::no_record) look.fill = mix(t.palette().raised, t.palette().kernel, 0.22F);
        if (cell.now != trace::no_record) {
            AccessMark mark = access_mark(shown_, cell.now);
            const auto now = std::ranges::equal_range(shown_.lanes.accesses_to(variable_, number), view_.step,
                                                      {}, &trace::CellAccess::row);
            for (const trace::CellAccess& touch : now)
                mark = std::max(mark, access_mark(shown_, touch.record));
            look.fill = mark_color(mark);
            look.is_strong = true;
        }
        if (cell.value != trace::no_record && shown_.lanes.first_cell(cell.value) == number)
            look.value =
                format_short_value(shown_.site_of(cell.value), shown_.analysis->records[cell.value], room);
        return look;
    }
    bool is_cell_highlighted(std::uint64_t number) const {
        if (view_.focus.variable) return view_.focus.variable == variable_ && view_.focus.cell == number;
        if (!view_.focus.any()) return false;
        return std::ranges::any_of(
            shown_.lanes.accesses_to(variable_, number),
            [&](const trace::CellAccess& touch) { return view_.is_highlighted(touch.record); });
    }
    void draw_cell(std::uint64_t number) {
        const Theme& t = theme();
        const Rect rect = rect_of(number);
        const CellLook look = cell_look(number, rect.width() - t.px(2));
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddRectFilled(rect.min, rect.max, look.fill, t.px(2));
        if (!look.value.empty()) {
            const glm::vec2 size = text_size(TextStyle::note, look.value);
            draw_text(list, TextStyle::note, glm::floor(rect.centre() - size / 2.0F), text_color_on(look),
                      look.value);
        }
        if (selected_cell() == number)
            list->AddRect(rect.min - glm::vec2(1), rect.max + glm::vec2(1), t.palette().text, t.px(2), 0, 2);
        else if (is_cell_highlighted(number))
            list->AddRect(rect.min, rect.max, t.palette().link, t.px(2), 0, std::max(1.5F, t.px(1.5F)));
    }
    /// Cached by fill colour: readable_on() is slow, and cells have few looks.
    ImU32 text_color_on(const CellLook& look) {
        const Theme& t = theme();
        const auto known = std::ranges::find(text_colors_, look.fill, &std::pair<ImU32, ImU32>::first);
        if (known != text_colors_.end()) return known->second;
        const ImU32 color_role =
            look.is_strong ? t.text_on(look.fill) : t.readable_on(t.palette().quiet, look.fill);
        return text_colors_.emplace_back(look.fill, color_role).second;
    }
    std::string cell_tooltip(std::uint64_t number) const {
        const trace::CellState cell = shown_.lanes.cell(variable_, number, view_.step);
        std::string words = trace::cell_text(shown_.lanes.variables()[variable_], number);
        const bool known = cell.value != trace::no_record && shown_.lanes.first_cell(cell.value) == number;
        const std::string value =
            known ? trace::value_text(shown_.site_of(cell.value), shown_.analysis->records[cell.value])
                  : std::string();
        words += value.empty() ? tr(": unknown until this step") : " = " + value;
        if (cell.writer != trace::no_record)
            words +=
                tr(".\nLast written by {} at {}.",
                   trace::invocation_text(shown_.trace(), shown_.analysis->records[cell.writer].invocation),
                   trace::line_text(shown_.trace(), shown_.site_of(cell.writer)));
        return words;
    }

    InsideView& view_;
    const ShownWorkgroup& shown_;
    std::size_t variable_;
    std::uint64_t cells_;
    std::uint64_t columns_ = 32;
    glm::vec2 cell_, origin_;
    std::uint64_t first_row_ = 0;
    std::vector<std::pair<ImU32, ImU32>> text_colors_;  ///< fill colour and text colour
};

/// Returns the cell of this variable to scroll to: the highlighted one, else the selected record's.
std::optional<std::uint64_t> cell_to_reveal(const InsideView& view, std::size_t variable) {
    if (view.focus.variable == variable) return view.focus.cell;
    const std::uint32_t record = view.record();
    if (record == trace::no_record) return std::nullopt;
    const trace::Record& what = view.shown->analysis->records[record];
    if (view.shown->lanes.variable_index(what.site) != variable || what.out_of_bounds_mask != 0)
        return std::nullopt;
    return view.shown->lanes.first_cell(record);
}

void draw_memory_heading(glm::vec2 at, float width, const char* title, const std::string& words) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, TextStyle::note_strong, at, t.palette().text, title);
    const float title_width = text_size(TextStyle::note_strong, title).x + t.px(10);
    draw_text(list, TextStyle::note, at + glm::vec2(title_width, 0), t.palette().quiet,
              elide(TextStyle::note, words, width - title_width));
}

/// Returns the records of this step in the selected subgroup: one memory request.
std::vector<std::uint32_t> selected_request(const InsideView& view) {
    std::vector<std::uint32_t> request;
    const std::uint32_t record = view.record();
    if (record == trace::no_record) return request;
    const auto& records = view.shown->analysis->records;
    for (const std::uint32_t other : view.shown->lanes.at(view.shown->lanes.rows()[view.step]))
        if (records[other].subgroup == records[record].subgroup) request.push_back(other);
    return request;
}

/// Draws the turns of each bank in this step, below the cells; a sentence if there are none.
void draw_banks(const InsideView& view, const Rect& area) {
    const Theme& t = theme();
    const ShownWorkgroup& shown = *view.shown;
    const std::uint32_t banks = shown.trace().banks;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto say = [&](float y, const std::string& words) {
        draw_text(list, TextStyle::note, {area.min.x, y}, t.palette().quiet,
                  elide(TextStyle::note, words, area.width()));
        register_place("inside.banks", {{area.min.x, y}, area.max}, words);
    };
    if (banks == 0) return say(area.min.y, shown.trace().banks_note);
    const auto& rows = shown.lanes.rows();
    const trace::Site* site = view.step < rows.size() ? &shown.trace().sites[rows[view.step].site] : nullptr;
    if (!site || site->kind == trace::SiteKind::barrier || site->space != trace::MemorySpace::workgroup)
        return say(area.min.y, tr("This step does not access workgroup memory, so it uses no bank."));
    const auto request = selected_request(view);
    const auto bank_turns = trace::count_bank_turns(shown.trace(), *site, shown.analysis->records, request);
    if (!bank_turns) return say(area.min.y, tr("Bank conflicts are not modelled for accesses of this size."));
    const std::span turns = std::span(bank_turns->words).first(banks);
    const std::uint32_t max_turns = bank_turns->turns;
    const float each = area.width() / static_cast<float>(banks), height = t.px(bank_height);
    for (std::uint32_t bank = 0; bank < banks; ++bank) {
        const float x = area.min.x + std::round(static_cast<float>(bank) * each);
        const float right = area.min.x + std::round(static_cast<float>(bank + 1) * each) - t.px(2);
        const float part = static_cast<float>(turns[bank]) / static_cast<float>(std::max(1U, max_turns));
        list->AddRectFilled({x, area.min.y}, {right, area.min.y + height}, t.palette().raised, t.px(2));
        if (turns[bank] > 0)
            list->AddRectFilled({x, area.min.y + height * (1 - part)}, {right, area.min.y + height},
                                max_turns == 1 ? t.palette().right : t.palette().kernel, t.px(2));
    }
    const auto fullest = std::ranges::max_element(turns) - turns.begin();
    say(area.min.y + height + t.px(2),
        max_turns == 1 ? tr("Banks 0 to {}: 1 turn, no bank conflict (modelled).", banks - 1)
                       : tr("Banks 0 to {}: {} turns, bank {} must serve {} words (modelled).", banks - 1,
                            max_turns, fullest, max_turns));
}

void draw_shared_cells(InsideView& view, std::size_t variable, bool reveal, const Rect& area) {
    begin_panel("inside.memory.panel", area.min, area.size(), 0, true, 0);
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    CellGrid grid(view, variable, ImGui::GetContentRegionAvail().x);
    const float height = grid.row_height();
    const Rect clip = window_clip_rect();
    const auto revealed_cell = cell_to_reveal(view, variable);
    if (reveal && revealed_cell) {
        const float y = start.y + static_cast<float>(grid.row_of(*revealed_cell)) * height;
        const Rect cell{{start.x, y}, {start.x + 1, y + height}};
        if (y < clip.min.y || y + height > clip.max.y) scroll_into_view(cell.expanded({0, height}));
    }
    const auto first =
        static_cast<std::uint64_t>(std::max(0.0F, std::floor((clip.min.y - start.y) / height)));
    const auto count = static_cast<std::uint64_t>(std::max(0.0F, clip.max.y - clip.min.y) / height) + 2;
    set_cursor(start);
    ImGui::Dummy({1, static_cast<float>(grid.rows()) * height});
    grid.draw("inside.memory", start + glm::vec2(0, static_cast<float>(first) * height), first, count);
    end_panel();
}

void draw_buffer_cells(InsideView& view, std::size_t variable, const Rect& area) {
    CellGrid grid(view, variable, area.width());
    const auto count = static_cast<std::uint64_t>(std::max(1.0F, area.height() / grid.row_height()));
    const auto accesses_to = view.shown->lanes.accesses_to(variable);
    const std::uint64_t around =
        cell_to_reveal(view, variable).value_or(accesses_to.empty() ? 0 : accesses_to.front().cell);
    const std::uint64_t last = grid.rows() - std::min(grid.rows(), count);
    const std::uint64_t row = grid.row_of(around);
    grid.draw("inside.buffer", area.min, std::min(last, row - std::min(row, count / 2)), count);
}

}  // namespace

void draw_inside_memory(InsideView& view, const Rect& area) {
    const Theme& t = theme();
    const ShownWorkgroup& shown = *view.shown;
    const bool reveal = std::exchange(view.reveal_cell, false);
    const float line = t.line_height(TextStyle::note), space = t.px(4);
    const float cells = std::round(t.px(memory_cell_height));
    glm::vec2 at = area.min;
    const bool both = view.shared_variable && view.buffer_variable;
    const float buffer_rows = area.height() > t.px(240) ? 3 : area.height() > t.px(170) ? 2 : 1;
    const float buffer_height = view.buffer_variable ? line + space + buffer_rows * cells + t.px(8) : 0;
    if (view.shared_variable) {
        draw_memory_heading(at, area.width(), tr("Workgroup memory"),
                            describe_variable(shown, *view.shared_variable));
        at.y += line + space;
        const float banks = line + space + (shown.trace().banks > 0 ? t.px(bank_height) : 0);
        const float bottom = area.max.y - (both ? buffer_height : 0) - banks;
        CellGrid grid(view, *view.shared_variable, area.width() - t.px(14));
        const float grid_height = static_cast<float>(grid.rows()) * grid.row_height();
        const float room = std::floor((bottom - at.y) / grid.row_height()) * grid.row_height();
        const float height = std::max(cells, std::min(room, grid_height));
        draw_shared_cells(view, *view.shared_variable, reveal, {at, {area.max.x, at.y + height}});
        at.y += height + space;
        draw_banks(view, {at, {area.max.x - t.px(14), at.y + banks - space}});
        at.y += banks + t.px(4);
    }
    if (view.buffer_variable) {
        draw_memory_heading(at, area.width(), tr("Buffer"), describe_variable(shown, *view.buffer_variable));
        at.y += line + space;
        draw_buffer_cells(view, *view.buffer_variable, {at, {area.max.x - t.px(14), area.max.y}});
    }
    if (!view.shared_variable && !view.buffer_variable)
        draw_text(ImGui::GetWindowDrawList(), TextStyle::note, at, t.palette().quiet,
                  tr("The trace has no accesses to memory."));
}

}  // namespace gridstride::ui
