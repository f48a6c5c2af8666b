#include "test_includes.h"
#include "ui/panels/panels.h"
#include "ui/step_frames.h"

namespace gridstride::ui::limits_test {

class LimitsTab : public Steps {
 protected:
    /// Shows the limits of a run beside the story.
    void open_limits(glm::vec2 window) {
        resize_window(window);
        open(*find_course_entry("reduction"));
        session_.go_to_step(8);  // without a question
        session_.pump();
        Report report = make_lab_report(0);
        report.ceilings = {.copy_bytes_per_second = 1e10, .empty_dispatch_ns = 1000};
        reply(std::move(report));
        frames();  // the step opens its own tab
        open_tab(workspace_, "limits");
        frames();
    }
};

TEST_F(LimitsTab, ItsFindingsNeedNoScrollingInSmallWindows) {
    for (const glm::vec2& window : {glm::vec2(1366, 768), glm::vec2(1100, 768), glm::vec2(1600, 1000)}) {
        open_limits(window);
        EXPECT_TRUE(is_whole("limits.trace")) << window.x;
    }
}

}  // namespace gridstride::ui::limits_test
