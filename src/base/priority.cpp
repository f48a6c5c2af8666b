#include "base/priority.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>

namespace gridstride {

namespace {

/// Lowers the priority of the calling thread; never raises one that the user has lowered further.
void lower_priority(int policy, int niceness) {
    const sched_param none{};
    sched_setscheduler(0, policy, &none);
    setpriority(PRIO_PROCESS, 0, std::max(niceness, getpriority(PRIO_PROCESS, 0)));
}

}  // namespace

void lower_thread_priority() {
    lower_priority(SCHED_BATCH, 5);
}

void lower_process_priority() {
    lower_priority(SCHED_OTHER, 10);
}

}  // namespace gridstride
