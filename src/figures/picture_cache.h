// The pictures of a lesson, updated with each run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lesson/analyzed_trace.h"
#include "lesson/lesson.h"

namespace gridstride {

class PictureCache {
 public:
    /// Returns the pictures, or none if the lesson has none. A trace of a different experiment is ignored:
    /// until the current one has a trace, a picture drawn earlier stays, with Plot::is_outdated set if it
    /// shows another experiment. Pictures of a computed report are marked as computed.
    std::vector<Plot> of(PictureInput input);

 private:
    struct CachedPlot {
        Plot plot;
        Experiment experiment;
    };
    std::map<std::string, CachedPlot> cache_;  ///< by id, of the current lesson
};

/// Returns the pictures that need no run and no device. It assumes a device with all subgroup features.
std::vector<Plot> make_computed_plots(const Lesson& lesson, const Experiment& experiment);

}  // namespace gridstride
