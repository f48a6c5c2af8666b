// A lesson's pictures, one set after another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lesson/lesson.h"
#include "lesson/taken_recording.h"

namespace gridstride {

class MadePictures {
 public:
    /// None where the lesson has none. A recording of something else counts for none: until there is one of
    /// what is asked, a picture that could be drawn before stays, Plot::old if it was of something else. What
    /// would be measured, and comes from a computed report, is said to be computed.
    std::vector<Plot> of(PictureInput input);

 private:
    struct Drawn {
        Plot plot;
        Experiment experiment;
    };
    std::map<std::string, Drawn> recorded_;  ///< of the newest lesson, by id
};

}  // namespace gridstride
