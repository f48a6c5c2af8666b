#pragma once

#include <memory>

#include "client/client.h"

namespace gridstride::lab {

/// Starts the lab as a process of its own, at a lower priority. A request that exceeds its deadline is
/// reported as timed_out. A request that crashes the lab is retried, and reported as lost after the third
/// crash. The lab is restarted at once in both cases; after three consecutive losses while idle, only for the
/// next request.
std::unique_ptr<Client> start_lab(LabOptions options);

}  // namespace gridstride::lab
