#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float entry_height = 24;
constexpr float gap_between = 16;

float swatch_width(Swatch swatch) {
    return theme().px(swatch == Swatch::line ? 16.0f : 10.0f);
}

struct EntryPosition {
    float x = 0;
    float width = 0;
    int row = 0;
};

/// Calls use(index, entry) for each entry in order. Returns the number of rows.
template <typename Use>
int lay_out_entries(const std::vector<LegendEntry>& entries, float width, float first_row, const Use& use) {
    const Theme& t = theme();
    EntryPosition at;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const float full =
            swatch_width(entries[i].swatch) + t.px(6) + text_size(TextStyle::note, entries[i].label).x;
        at.width = std::min(full, width);
        if (at.x > 0 && at.x + at.width > (at.row == 0 ? first_row : width)) {
            at.x = 0;
            ++at.row;
        }
        use(i, at);
        at.x += at.width + t.px(gap_between);
    }
    return entries.empty() ? 0 : at.row + 1;
}

void draw_swatch(ImDrawList* list, const LegendEntry& entry, glm::vec2 min, float width) {
    const Theme& t = theme();
    const float size = t.px(10);
    const glm::vec2 max(min.x + width, min.y + size);
    const glm::vec2 middle(std::floor((min.x + max.x) / 2), std::floor((min.y + max.y) / 2));
    const ImU32 color = entry.is_hidden ? with_alpha(entry.color, 0.45f) : entry.color;
    switch (entry.swatch) {
        case Swatch::square:
            if (entry.is_hidden)
                list->AddRect(min, max, color, t.px(2));
            else
                list->AddRectFilled(min, max, color, t.px(2));
            break;
        case Swatch::outline:
            list->AddRect(min, max, color, t.px(2), 0, t.px(1.5f));
            break;
        case Swatch::hatch:
            list->AddRectFilled(min, max, t.palette().raised);
            draw_hatch(list, {min, max}, color);
            break;
        case Swatch::frame:
        case Swatch::thick_frame:
            list->AddRectFilled(min, max, t.palette().raised);
            draw_frame(list, {min, max}, color, ring_width(entry.swatch == Swatch::thick_frame));
            break;
        case Swatch::line:
            list->AddLine(glm::vec2(min.x, middle.y), glm::vec2(max.x, middle.y), color, t.px(2));
            if (!entry.is_hidden) draw_point_shape(list, entry.shape, middle, t.px(3.5f), color);
            break;
        case Swatch::upright:
            list->AddRectFilled({middle.x, min.y - t.px(2)},
                                {middle.x + std::max(1.0F, std::round(t.px(1.5F))), max.y + t.px(2)}, color);
            break;
        case Swatch::dot:
            // A smaller dot shows that the series is hidden, without relying on the colour.
            draw_point_shape(list, entry.shape, middle, t.px(entry.is_hidden ? 2 : 4), color);
            break;
    }
}

}  // namespace

float legend_height(const std::vector<LegendEntry>& entries, float width, float first_row) {
    return static_cast<float>(
               lay_out_entries(entries, width, first_row, [](std::size_t, const EntryPosition&) {})) *
           theme().px(entry_height);
}

std::optional<std::size_t> draw_legend(std::string_view id, const std::vector<LegendEntry>& entries,
                                       glm::vec2 position, float width, float first_row, bool is_clickable) {
    std::optional<std::size_t> clicked;
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float row = t.px(entry_height), swatch = t.px(10);
    lay_out_entries(entries, width, first_row, [&](std::size_t i, const EntryPosition& at) {
        const LegendEntry& entry = entries[i];
        const glm::vec2 min(position.x + at.x, position.y + static_cast<float>(at.row) * row);
        const glm::vec2 max(min.x + at.width, min.y + row);
        bool hovered = false;
        if (is_clickable) {
            const std::string entry_id = std::string(id) + ".legend." + std::to_string(i);
            const Rect rect{min, max};
            const Item item = interact(entry_id, {"button", entry.label}, rect);
            if (item.was_clicked) clicked = i;
            hovered = item.is_hovered;
            if (item.is_focused)
                draw_focus_ring({{min.x - t.px(4), min.y}, {max.x + t.px(4), max.y}}, t.px(4));
        }
        const float w = swatch_width(entry.swatch);
        draw_swatch(list, entry, glm::vec2(min.x, std::floor(min.y + (row - swatch) / 2)), w);
        const ImU32 color = entry.is_hidden ? with_alpha(t.palette().quiet, 0.6f)
                            : hovered       ? t.palette().text
                                            : t.palette().quiet;
        const float x = min.x + w + t.px(6), room = max.x - x;
        const float y = std::floor(min.y + (row - t.font_size(TextStyle::note)) / 2);
        const bool fits = text_size(TextStyle::note, entry.label).x <= room + 1;
        draw_plot_text(list, TextStyle::note, glm::vec2(x, y), color,
                       fits ? std::string(entry.label) : elide(TextStyle::note, entry.label, room));
    });
    return clicked;
}

}  // namespace gridstride::ui
