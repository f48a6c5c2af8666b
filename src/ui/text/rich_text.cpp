#include "ui/text/rich_text.h"

#include <algorithm>
#include <cmath>

#include "ui/text/text_layout.h"
#include "ui/widgets/frame_cache.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

float width_here(float width) {
    return width > 0 ? width : std::max(1.0f, ImGui::GetContentRegionAvail().x);
}

/// A cell that is a number: with a unit, a sign, a percentage. Columns of them are set flush right.
bool is_number(const Spans& cell) {
    if (cell.empty()) return false;
    std::string_view text = cell.front().text;
    for (const std::string_view sign : {"-", "\u2212", "+", "\u00b1", "~", "\u2248"})
        if (text.starts_with(sign)) text.remove_prefix(sign.size());
    if (text.empty() || text.front() < '0' || text.front() > '9') return false;
    // "2 or more" is words; "21.4 µs" is a number.
    std::size_t words = 0;
    for (std::size_t i = 1; i < text.size(); ++i)
        if (text[i] == ' ' && i + 1 < text.size() && (text[i + 1] < '0' || text[i + 1] > '9')) ++words;
    return cell.size() == 1 && words <= 1 && text.size() <= 24;
}

struct TablePlan {
    std::vector<float> widths;
    std::vector<bool> right;
};

/// As browsers set tables: each column gets its narrowest width, and a share of what is left by what it would
/// like.
TablePlan plan_table(const TableBlock& table, float width, float between) {
    TablePlan plan;
    std::size_t columns = table.header.size();
    for (const std::vector<Spans>& row : table.rows)
        columns = std::max(columns, row.size());
    if (columns == 0) return plan;
    std::vector<float> least(columns, theme().px(16)), liked(columns, 0);
    plan.right.assign(columns, !table.rows.empty());
    constexpr float unbounded = 1e6f;
    const auto measure = [&](const std::vector<Spans>& row, Type type) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            const TextLayout& layout = layout_of(row[c], type, unbounded);
            // Numbers are not broken at the spaces that part their thousands.
            least[c] = std::max(least[c], std::ceil(is_number(row[c]) ? layout.width : layout.longest));
            liked[c] = std::max(liked[c], std::ceil(layout.width));
        }
    };
    measure(table.header, Type::note_strong);
    for (const std::vector<Spans>& row : table.rows) {
        measure(row, Type::note);
        for (std::size_t c = 0; c < columns; ++c)
            if (c >= row.size() || !is_number(row[c])) plan.right[c] = false;
    }
    const float room = std::max(width - between * static_cast<float>(columns - 1), 1.0f);
    float sum_least = 0, sum_liked = 0;
    for (std::size_t c = 0; c < columns; ++c) {
        liked[c] = std::max(liked[c], least[c]);
        sum_least += least[c];
        sum_liked += liked[c];
    }
    for (std::size_t c = 0; c < columns; ++c) {
        if (sum_liked <= room)
            plan.widths.push_back(liked[c]);
        else if (sum_least >= room)
            plan.widths.push_back(std::floor(room * least[c] / sum_least));
        else
            plan.widths.push_back(
                std::floor(least[c] + (room - sum_least) * (liked[c] - least[c]) / (sum_liked - sum_least)));
    }
    return plan;
}

FrameCache<TablePlan>& table_cache() {
    static FrameCache<TablePlan> plans;
    return plans;
}

std::uint64_t table_hash(const TableBlock& table, float width) {
    std::uint64_t hash = font_hash(Type::note) + static_cast<std::uint64_t>(std::lround(width));
    const auto add = [&hash](const std::vector<Spans>& row) {
        for (const Spans& cell : row) {
            for (const Span& span : cell)
                hash = text_hash(hash + (span.code ? 1 : span.strong ? 2 : 0), span.text);
            hash = hash * 31 + 7;
        }
        hash = hash * 31 + 13;
    };
    add(table.header);
    for (const std::vector<Spans>& row : table.rows)
        add(row);
    return hash;
}

}  // namespace

void draw_spans(const Spans& spans, Type type, float width) {
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const TextLayout& layout = layout_of(spans, type, width_here(width));
    draw_layout(ImGui::GetWindowDrawList(), layout, type, position, theme().palette().text);
    ImGui::Dummy(glm::vec2(std::ceil(layout.width), layout_height(layout, type)));
}

void draw_list(const ListBlock& block) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const float width = width_here(0), line = t.line_height(Type::body), between = t.px(4);
    float indent = t.px(20);
    if (block.ordered)  // as wide as the widest number
        indent = std::max(
            indent, std::ceil(text_size(Type::body, std::to_string(block.items.size()) + ".").x) + t.px(8));
    glm::vec2 at = position;
    for (std::size_t i = 0; i < block.items.size(); ++i) {
        if (i > 0) at.y += between;
        const TextLayout& layout = layout_of(block.items[i], Type::body, std::max(1.0f, width - indent));
        if (block.ordered) {
            const std::string number = std::to_string(i + 1) + ".";
            draw_text_right(list, Type::body, glm::vec2(at.x + indent - t.px(8), at.y), t.palette().quiet,
                            number);
        } else {
            const float r = t.px(2.5f);
            list->AddCircleFilled(glm::vec2(at.x + t.px(8), std::round(at.y + line / 2) + 0.5f), r,
                                  t.palette().quiet, 12);
        }
        draw_layout(list, layout, Type::body, glm::vec2(at.x + indent, at.y), t.palette().text);
        at.y += std::max(line, layout_height(layout, Type::body));
    }
    ImGui::Dummy(glm::vec2(width, at.y - position.y));
}

void draw_table(const TableBlock& table) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const float width = width_here(0), between = t.px(16), padding = t.px(6);
    const TablePlan& plan =
        table_cache().get(table_hash(table, width), [&] { return plan_table(table, width, between); });
    if (plan.widths.empty()) return;
    float full = between * static_cast<float>(plan.widths.size() - 1);
    for (const float w : plan.widths)
        full += w;
    full = std::min(full, width);
    float y = position.y;
    const float thick = std::max(1.0f, std::floor(t.scale()));
    const auto draw_row = [&](const std::vector<Spans>& row, Type type, ImU32 color, bool strong_line) {
        float height = t.line_height(type), x = position.x;
        for (std::size_t c = 0; c < row.size(); ++c)
            height = std::max(height, layout_height(layout_of(row[c], type, plan.widths[c]), type));
        y += padding;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const TextLayout& layout = layout_of(row[c], type, plan.widths[c]);
            const float shift = plan.right[c] ? std::max(0.0f, plan.widths[c] - layout.width) : 0;
            draw_layout(list, layout, type, glm::vec2(x + shift, y), color);
            x += plan.widths[c] + between;
        }
        y += height + padding;
        list->AddRectFilled(glm::vec2(position.x, std::round(y)),
                            glm::vec2(position.x + full, std::round(y) + thick),
                            strong_line ? mix(t.palette().line, t.palette().quiet, 0.45f) : t.palette().line);
        y = std::round(y) + thick;
    };
    if (!table.header.empty()) draw_row(table.header, Type::note_strong, t.palette().quiet, true);
    for (const std::vector<Spans>& row : table.rows)
        draw_row(row, Type::note, t.palette().text, false);
    ImGui::Dummy(glm::vec2(full, y - position.y));
}

}  // namespace gridstride::ui
