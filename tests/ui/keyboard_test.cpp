// Every panel is usable without a mouse: each stop of Tab shows where it is.
#include "test_includes.h"
#include "ui/panels/panels.h"
#include "ui/step_frames.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui::keyboard_test {

class Keyboard : public Steps {
 protected:
    /// Returns the id of the widget that has the keyboard, or "".
    static std::string focused_id() {
        const auto& widgets = widget_map();
        const auto found =
            std::ranges::find_if(widgets, [](const WidgetRect& widget) { return has_keyboard(widget.id); });
        return found == widgets.end() ? "" : found->id;
    }
    /// Presses Tab until it comes back to its first stop. Returns the number of stops. Adds a problem for
    /// each stop that shows neither a ring nor the caret of a text field.
    std::size_t count_tab_stops() {
        constexpr std::size_t max_stops = 200;
        clear_focus();
        frames();
        std::string first;
        std::size_t stops = 0;
        for (; stops < max_stops; ++stops) {
            press(Key::tab);
            frames();
            const std::optional<Rect> ring = focus_ring();
            const bool is_visible = ring && ring->width() > 2 && ring->height() > 2;
            if (!is_visible && !ImGui::GetIO().WantTextInput)
                add_problem(fmt::format("stop {} of Tab, {}, shows no focus", stops + 1, focused_id()));
            if (ImGui::GetIO().WantTextInput) press(Key::escape);  // Tab indents in an editor
            if (stops > 0 && focused_id() == first) break;
            if (stops == 0) first = focused_id();
        }
        EXPECT_LT(stops, max_stops) << location_ << ": Tab does not come back";
        return stops;
    }
};

TEST_F(Keyboard, EachStopOfTabShowsItsFocus) {
    resize_window({1366, 768});
    open(*find_course_entry("reduction"));
    session_.go_to_step(8);  // without a question
    session_.pump();
    refresh_pictures();
    ASSERT_FALSE(lab_.requests.empty());
    reply(make_lab_report(0));
    for (const Arrangement arrangement : {Arrangement::learn, Arrangement::bench}) {
        workspace_.layout.arrangement = arrangement;
        for (const char* const tab :
             {"picture", "inside", "timings", "limits", "launch", "sweep", "kernel"}) {
            location_ = fmt::format("{}, {}", arrangement == Arrangement::learn ? "Learn" : "Bench", tab);
            open_tab(workspace_, tab);
            frames();
            EXPECT_GT(count_tab_stops(), 8U) << location_;
        }
    }
    location_ = "course";
    workspace_.page = Page::course;
    frames();
    EXPECT_GT(count_tab_stops(), course().size());
    EXPECT_THAT(problems_, testing::IsEmpty());
}

}  // namespace gridstride::ui::keyboard_test
