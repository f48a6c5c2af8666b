// The banks of workgroup memory: how many different words of each bank a request needs. Each word takes a
// turn of its own.
#pragma once

#include <span>

#include "figures/trace_pictures.h"

namespace gridstride {

/// Draws the first requests to workgroup memory of the first traced subgroup: a row per request, a cell per
/// bank. The turns are modelled.
TraceCells draw_bank_turns(const trace::Trace& trace, std::span<const trace::Record> records);

}  // namespace gridstride
