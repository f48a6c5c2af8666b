// What a recording shows: races, accesses outside, divergent barriers, who touched what, and how well the
// hardware's requests were used. All of it in time linear in the records.
#pragma once

#include <span>
#include <vector>

#include "trace/finding.h"
#include "trace/races.h"

namespace gridstride::trace {

/// In the order in which a person wants to know them: problems first.
std::vector<Finding> findings_of(const Trace& trace, std::span<const Record> records);

}  // namespace gridstride::trace
