// The parts of the Inside tab, and their words.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

#include "ui/inside/inside_view.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

void draw_inside_source(InsideView& view, const Rect& area);
/// "This step": who does what, and who did before.
void draw_inside_step(InsideView& view, const Rect& area);
void draw_inside_lanes(InsideView& view, const Rect& area);
float inside_lanes_height(const InsideView& view);  ///< so that all rows are seen
/// Its buttons, the seek bar, and what the colours mean: as high as player_height().
void draw_inside_player(InsideView& view, const Rect& area);
float inside_player_height();
void draw_inside_memory(InsideView& view, const Rect& area);
void draw_inside_findings(InsideView& view, const Rect& area);

/// What a record is drawn in: read, written, changed by an atomic, part of a race. A larger one hides a
/// smaller where lanes share a column.
enum class InsideMark : std::uint8_t { idle, read, write, atomic, race };
InsideMark mark_of(const InsideShown& shown, std::uint32_t record);
ImU32 color_of(InsideMark mark);

/// The keys that the player, and the lanes beside it, have while they have the keyboard.
void step_by_inside_keys(InsideView& view);

/// "reads sums[67] = 68"
std::string access_in_words(const InsideShown& shown, std::uint32_t record);
/// "read sums · 2"
std::string row_in_words(const InsideShown& shown, const trace::Row& row);
/// The background of a part, and inside of it a panel to draw in.
void begin_inside_box(const char* id, const Rect& area, bool scrolls = true, float padding = 12);

}  // namespace gridstride::ui
