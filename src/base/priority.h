// Scheduling priorities. The thread that draws the window keeps the priority of the program.
#pragma once

namespace gridstride {

/// For threads that the window wakes, and those that they start: SCHED_BATCH (sched(7)) and a slightly lower
/// priority. They would otherwise preempt the window's thread in the middle of a frame.
void lower_thread_priority();

/// For the process that computes: a lower priority than the window, with the normal scheduling policy.
void lower_process_priority();

}  // namespace gridstride
