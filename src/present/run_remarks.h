// What there is to say of a run beside its verdict, one list for the window, the terminal and JSON.
#pragma once

#include <string>
#include <vector>

#include "lesson/remark.h"
#include "lesson/report.h"

namespace gridstride {

/// Of its values and its result: those beside the controls, then the verdict's notes.
std::vector<Remark> remarks_of(const Report& report);

/// Of how it was measured: batched, cut into slices, warm or cold, beyond a ceiling, noisy, on a software
/// device. Empty where nothing was measured.
std::vector<Remark> measuring_remarks(const Report& report);

/// Why a rate is beyond 100 % of what it is compared with, in sentences. Empty where none is.
std::string why_over_ceiling(const Report& report);

/// Both.
std::vector<Remark> all_remarks(const Report& report);

/// "--element-type: The sum of your numbers …", as the command line names the control that it stands beside.
std::string remark_in_words(const Remark& remark);

}  // namespace gridstride
