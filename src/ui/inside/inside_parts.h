// The parts of the Inside tab, and the texts that they share.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

#include "ui/inside/inside_view.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

void draw_inside_source(InsideView& view, const Rect& area);
/// Draws "This step": which lanes access what, and which invocation accessed it before.
void draw_inside_step(InsideView& view, const Rect& area);
void draw_inside_lanes(InsideView& view, const Rect& area);
float inside_lanes_height(const InsideView& view);  ///< pixels; enough to show all rows
/// Draws the buttons, the seek bar and the legend, inside_player_height() pixels high.
void draw_inside_player(InsideView& view, const Rect& area);
float inside_player_height();
void draw_inside_memory(InsideView& view, const Rect& area);
void draw_inside_findings(InsideView& view, const Rect& area);

/// The kind of access that a colour shows. If lanes share a column, the largest value is drawn.
enum class AccessMark : std::uint8_t { idle, read, write, atomic, race };
AccessMark access_mark(const ShownWorkgroup& shown, std::uint32_t record);
ImU32 mark_color(AccessMark mark);

/// Handles the player's keys. Called while the player or the lanes have the focus.
void step_by_inside_keys(InsideView& view);

/// Describes an access, for example "reads sums[67] = 68".
std::string describe_access(const ShownWorkgroup& shown, std::uint32_t record);
/// Describes a row, for example "read sums · 2".
std::string describe_row(const ShownWorkgroup& shown, const trace::TimelineRow& row);
/// Draws the background of a part and begins a panel in it.
void begin_inside_box(const char* id, const Rect& area, bool scrolls = true, float padding = 12);

}  // namespace gridstride::ui
