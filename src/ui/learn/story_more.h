// A text that goes on below the fold says so.
#pragma once

#include <string>

#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// A text above its foot: where it goes on below the fold, it fades out there over a line that says
/// so and goes there. One frame's text: begin_text(), the text, end_text(), whatever is drawn under it,
/// draw_hint().
class StoryMore {
 public:
    /// `id` is the panel's, `area` what text and hint have together.
    StoryMore(std::string id, const Rect& area);

    void begin_text();
    void end_text();
    /// "More below", while there is more. A click goes there.
    void draw_hint();

 private:
    std::string id_;
    Rect area_;
    Rect text_;  ///< area_ without the hint's line
    float scroll_ = 0;
    bool more_ = false;
};

}  // namespace gridstride::ui
