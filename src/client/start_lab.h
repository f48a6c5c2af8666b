// Starts the lab as a process of its own.
#pragma once

#include <memory>

#include "client/client.h"

namespace gridstride::lab {

/// A lab in a process of its own, at a lower priority. A request that runs past its deadline is reported as
/// timed_out; one that ends the lab is tried again, and reported as lost after the third time. Either way the
/// lab is started anew at once. One that ends three times in a row while nothing runs waits for a request.
std::unique_ptr<Client> start_lab(LabOptions options);

}  // namespace gridstride::lab
