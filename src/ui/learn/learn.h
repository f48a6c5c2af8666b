// Where a story is read: its text and questions.
#pragma once

#include <optional>
#include <string>

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

void draw_story_panel(Workspace& workspace, const Rect& area);

/// The story's text above its foot: where it goes on below the fold, it fades out there over a line that says
/// so and goes there. One frame's text: begin_text(), the text, end_text(), whatever is drawn under it,
/// draw_hint().
class StoryMore {
 public:
    /// `id` is the panel's, `area` what text and hint have together.
    StoryMore(std::string id, const Rect& area);

    void begin_text();
    /// A question without an answer was drawn between these heights on the screen.
    void add_question(float top, float bottom);
    void end_text();
    /// "The question is below" or "More below", while there is more. A click scrolls there.
    void draw_hint();

 private:
    struct Span {
        float top, bottom;
    };
    std::string id_;
    Rect area_;
    Rect text_;                     ///< area_ without the hint's line
    std::optional<Span> question_;  ///< the first whose end is below the fold
    float scroll_ = 0;
    bool more_ = false;
};

}  // namespace gridstride::ui
