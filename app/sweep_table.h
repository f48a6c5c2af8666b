// A sweep as text for the terminal.
#pragma once

#include <string>

#include "lab/sweep.h"

namespace gridstride::app {

/// One table of kernel times a variant and pair of parameters, or one table of variants for one parameter;
/// the best cell, its ties and the advice as sentences below.
std::string sweep_table(const lab::Sweep& sweep);

/// "[######------]  12 of 64 cells, about 34 s left", no wider than the terminal's columns.
std::string progress_line(const lab::SweepProgress& progress, std::size_t columns);

}  // namespace gridstride::app
