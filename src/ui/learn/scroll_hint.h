#pragma once

#include <string>

#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// A scrollable text that, if it continues below its area, fades out above the hint "More below". Per frame,
/// call begin_text(), draw the text, call end_text(), then draw_hint().
class ScrollHint {
 public:
    /// `id` is the panel's id; `area` is for both the text and the hint.
    ScrollHint(std::string id, const Rect& area);

    void begin_text();
    void end_text();
    void draw_hint();

 private:
    std::string id_;
    Rect area_;
    Rect text_;  ///< area_ without the hint's line
    float scroll_ = 0;
    bool has_more_ = false;
};

}  // namespace gridstride::ui
