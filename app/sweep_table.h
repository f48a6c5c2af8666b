// A sweep as text for the terminal.
#pragma once

#include <string>

#include "session/sweep.h"

namespace gridstride::app {

/// One table of kernel times a variant and pair of parameters, or one table of variants for one parameter;
/// the best cell, its ties and the advice as sentences below.
std::string sweep_table(const Sweep& sweep);

}  // namespace gridstride::app
