#include "base/priority.h"

#include <sys/resource.h>

#include <algorithm>

namespace gridstride {

void step_back(int niceness) {
    // On Linux 0 is the thread that asks. Never forward again, where the program was started further back.
    setpriority(PRIO_PROCESS, 0, std::max(niceness, getpriority(PRIO_PROCESS, 0)));
}

}  // namespace gridstride
