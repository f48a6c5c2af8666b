// The whole window at any size and scale that it allows. ImGui asserts in every build, so a size that it
// rejects would end the program and lose the user's work.

#include "jobs/fake_lab.h"
#include "session/skip_questions.h"
#include "test_includes.h"
#include "ui/desktop/draw_desktop.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::sizes_test {

class Sizes : public testing::Test {
 protected:
    Sizes() : session_(lab_, "en"), workspace_(session_) {}

    void open(const CourseEntry& entry) {
        session_.open(entry, 0);
        session_.pump();
        session_.run();
        lab_.answers.push_back(answer_to(lab_.requests.back(), Status::ok));
        session_.pump();
        workspace_.refresh_plots();
    }
    void draw(float width, float height) {
        ImGui::GetIO().DisplaySize = {width, height};
        ImGui::GetIO().DeltaTime = 1.0F / 60;
        ImGui::NewFrame();
        begin_widgets();
        draw_desktop(workspace_, {width, height});
        ImGui::Render();
    }
    /// Sets the arrangement, the open panels, the page and the presentation from these bits.
    void arrange(unsigned bits) {
        Layout& layout = workspace_.layout;
        layout.arrangement = bits % 2 == 0 ? Arrangement::learn : Arrangement::bench;
        layout.runs_open() = bits / 2 % 2 == 0;
        layout.is_story_unfolded = bits / 4 % 2 == 0;
        workspace_.is_drawer_open = layout.arrangement == Arrangement::learn && bits / 8 % 2 == 0;
        workspace_.page = bits / 16 % 8 == 0 ? Page::course : Page::lesson;
        workspace_.is_presenting = bits / 128 % 8 == 0;
        if (bits / 1024 % 2 == 0) skip_questions(session_);
    }
    void show_dialog(int index) {
        constexpr Dialog dialogs[] = {Dialog::keys,    Dialog::export_csv,  Dialog::open_data,
                                      Dialog::compare, Dialog::save_kernel, Dialog::run_unanswered,
                                      Dialog::find};
        workspace_.dialog = index < 7 ? dialogs[index] : Dialog::none;
    }

    FakeLab lab_;
    Session session_;
    Workspace workspace_;
};

TEST_F(Sizes, DrawsASizeThatFailedAnAssertion) {
    const UiFrames ui(Mode::dark, 3);
    open(*find_course_entry("gaussian"));
    for (int frame = 0; frame < 3; ++frame)
        draw(646, 700);
}

TEST_F(Sizes, DrawsFiveHundredSizesAtEveryScale) {
    std::mt19937 random(2026);
    int drawn_count = 0, lesson_count = 0;
    for (const float scale : {0.5F, 0.75F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F}) {
        const UiFrames ui(drawn_count % 2 == 0 ? Mode::dark : Mode::light, scale);
        for (const Lesson* lesson : all_lessons()) {
            // A quarter of the course at each scale, every lesson at one of them.
            if (++lesson_count % sample_of(1, 4) != 0) continue;
            open(*find_course_entry(lesson->id));
            for (std::size_t tab = 0; tab < 6; ++tab) {
                workspace_.tab = tab;
                // Small windows have the least room, and a resize changes the size by single pixels.
                float width = 640 + static_cast<float>(random() % 200);
                float height = 400 + static_cast<float>(random() % 200);
                for (const float growth : {0.0F, 1.0F, 400.0F}) {
                    arrange(static_cast<unsigned>(random()));
                    show_dialog(static_cast<int>(random() % 15));
                    draw(width + growth, height + growth);
                    ++drawn_count;
                }
            }
        }
    }
    EXPECT_GE(drawn_count, 500);
}

}  // namespace gridstride::ui::sizes_test
