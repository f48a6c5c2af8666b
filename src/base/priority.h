// Who goes first where processors are few. What draws the window keeps the priority that the program was
// started with.
#pragma once

namespace gridstride {

/// For a thread that the window wakes, and those that it starts: it waits for its turn (SCHED_BATCH,
/// sched(7)) and has a little less of the processor. It would otherwise take the place of the window's thread
/// in the middle of a frame.
void work_beside_the_window();

/// For the process that computes: less of the processor than what draws, and its turn as everybody's.
void work_behind_the_window();

}  // namespace gridstride
