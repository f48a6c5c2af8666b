// What every report says of its request, whoever makes the report: the runner, or the client when the lab was
// lost.
#pragma once

#include <string>

#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// Final and failed until something better is known; started now, with a run id of its own.
Report begin_report(const Request& request, const Limits& device);

/// The same run as failed, for this reason: what was asked for stays, what came out goes.
Report without_results(const Report& report, std::string message);

}  // namespace gridstride::lab
