// The cards of the course page: a button with a title, text and a progress bar.
#pragma once

#include "ui/widgets/rect.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

// Design pixels.
inline constexpr float card_spacing = 16;
inline constexpr float card_padding = 12;
inline constexpr float progress_bar_height = 4;

/// Draws the background and border of a card, and a ring around the focused one.
void draw_card_frame(const Item& item, const Rect& rect, ImU32 border);
/// Draws a bar of which a part, between 0 and 1, is filled. at: its upper left corner, in pixels.
void draw_progress_bar(glm::vec2 at, float width, float part);

}  // namespace gridstride::ui
