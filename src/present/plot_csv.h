#pragma once

#include <string>

#include "lesson/plot.h"

namespace gridstride {

/// Returns the plot's data as CSV text, one row per point. The plot's menu copies and saves this text.
std::string plot_csv(const Plot& plot);
std::string csv_heading(const std::string& label, const std::string& unit);

}  // namespace gridstride
