#pragma once

#include <string>

#include "lesson/plot.h"

namespace gridstride {

/// The plot's data as CSV text, one row a point: what its menu copies and saves.
std::string plot_csv(const Plot& plot);
/// "kernel (ns)": how a column of such a CSV is headed.
std::string csv_heading(const std::string& label, const std::string& unit);

}  // namespace gridstride
