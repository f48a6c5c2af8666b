#include "base/end_signals.h"
#include "commands.h"

namespace gridstride::app {

bool interrupted() {
    static const EndSignals signals;
    return signals.came();
}

}  // namespace gridstride::app
