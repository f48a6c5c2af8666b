// Waiting for the lab to open its device, which a driver may hold up for ever.
#pragma once

#include <functional>
#include <stdexcept>

#include "client/client.h"

namespace gridstride::lab {

/// The lab has no device yet, and nobody waits any longer.
struct NotReady : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The device's limits. Waits for them until interrupted() says so, or for so many seconds (0: as long as the
/// client does). Throws NotReady and NoDevice.
const Limits& limits_in_time(Client& client, double deadline_seconds,
                             const std::function<bool()>& interrupted);

}  // namespace gridstride::lab
