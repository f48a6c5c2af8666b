// Findings about how well requests use the hardware: activity, sectors, banks, atomics, one a site.
#pragma once

#include <span>
#include <vector>

#include "trace/finding.h"
#include "trace/trace.h"

namespace gridstride::trace {

void add_request_findings(const Trace& trace, std::span<const Record> records,
                          std::vector<Finding>& findings);

}  // namespace gridstride::trace
