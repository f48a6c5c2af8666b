// Something to say beside a control: a note, a caution, or why the run is refused.
#pragma once

#include <string>

namespace gridstride {

enum class Severity { note, caution, refusal };

struct Remark {
    Severity severity = Severity::note;
    std::string parameter;  ///< the control it stands beside; empty: the run as a whole
    std::string text;       ///< a sentence
};

}  // namespace gridstride
