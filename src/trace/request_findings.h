// Findings about how efficiently memory requests use the hardware: activity, sectors, banks and atomics. Each
// site gets at most one finding of each kind.
#pragma once

#include <span>
#include <vector>

#include "trace/finding.h"
#include "trace/trace.h"

namespace gridstride::trace {

void add_request_findings(const Trace& trace, std::span<const Record> records,
                          std::vector<Finding>& findings);

}  // namespace gridstride::trace
