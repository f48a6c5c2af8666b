// Who goes first where processors are few.
#pragma once

namespace gridstride {

/// Nice values, setpriority(2). What draws the window keeps the one that the program was started with.
inline constexpr int beside_the_window = 5;
inline constexpr int behind_the_window = 10;

/// Of this thread, and of those that it starts from now on. A thread that the window wakes would otherwise
/// take its place in the middle of a frame.
void step_back(int niceness);

}  // namespace gridstride
