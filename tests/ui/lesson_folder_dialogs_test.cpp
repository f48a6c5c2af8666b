// Tests the question about a dropped folder and the setting "Lesson folders". No lesson is registered: other
// tests of this program visit all lessons.
#include <fstream>
#include <thread>

#include "ui/learn_frames.h"
#include "ui/panels/panels.h"

namespace gridstride::ui::lesson_folder_dialogs_test {

class LessonFolderDialogs : public LearnFrames {
 protected:
    LessonFolderDialogs() { resize_window({1366, 768}); }

    std::string write_lesson(const std::string& name, const std::string& toml) const {
        const std::filesystem::path folder = scratch_ / name;
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "lesson.toml") << toml;
        return folder.string();
    }
    void drop(const std::string& path) {
        open_dropped_file(workspace_, {path});
        wait_for_folders();
    }
    void wait_for_folders() {
        do {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            workspace_.lesson_folders.pump();
            frame();
        } while (workspace_.folder_question.is_busy() || workspace_.lesson_folders.is_busy());
        frames();
    }

    ScratchFolder scratch_;
};

TEST_F(LessonFolderDialogs, QuestionNamesFolderAndLessons) {
    write_lesson("all/first", "");
    write_lesson("all/second", "");
    for (const glm::vec2& size : {glm::vec2(1366, 768), glm::vec2(960, 540)}) {
        resize_window(size);
        drop((scratch_ / "all").string());
        EXPECT_EQ(widget_value("load_lessons.folder"), (scratch_ / "all").string());
        EXPECT_EQ(widget_value("load_lessons.lessons"), "2 lessons: first, second");
        for (const char* const id :
             {"load_lessons.lessons", "load_lessons.at_start", "load_lessons.yes", "load_lessons.no"})
            EXPECT_TRUE(is_whole(id));
        EXPECT_EQ(widget_value("load_lessons.at_start"), "off");
        click("load_lessons.at_start");
        EXPECT_EQ(widget_value("load_lessons.at_start"), "on");
        click("load_lessons.no");
        EXPECT_EQ(workspace_.dialog, Dialog::none);
        EXPECT_THAT(workspace_.lesson_folders.folders(), IsEmpty());
    }
    EXPECT_EQ(find_lesson("first"), nullptr);
}

TEST_F(LessonFolderDialogs, AnotherFileListsWhatCanBeDropped) {
    drop((scratch_ / "notes.pdf").string());
    EXPECT_TRUE(workspace_.is_notice_error);
    EXPECT_THAT(workspace_.notice, Mentions("notes.pdf", "(.comp, .glsl)", "folder"));
    EXPECT_EQ(workspace_.dialog, Dialog::none);
}

TEST_F(LessonFolderDialogs, ErrorsAreShownAndTheQuestionStays) {
    std::string many = "format = 1\n";
    for (int i = 0; i < 40; ++i)
        many += fmt::format("unknown_key_{} = 1\n", i);
    drop(write_lesson("mistaken", many));
    click("load_lessons.yes");
    wait_for_folders();
    EXPECT_THAT(widget_value("load_lessons.errors"), HasSubstr("mistaken/lesson.toml:2:"));
    for (const char* const id : {"load_lessons.at_start", "load_lessons.yes", "load_lessons.no"})
        EXPECT_TRUE(is_whole(id)) << "a long list of errors scrolls";
    EXPECT_EQ(find_lesson("mistaken"), nullptr);
}

TEST_F(LessonFolderDialogs, SettingListsItsFolders) {
    resize_window({960, 540});
    workspace_.dialog = Dialog::lesson_folders;
    frames();
    EXPECT_TRUE(is_whole("folders.empty"));
    const std::string long_path = scratch_ / std::string(80, 'a') / std::string(80, 'b');
    workspace_.lesson_folders.load({long_path, write_lesson("mistaken", "?")});
    wait_for_folders();
    EXPECT_EQ(widget_value("folders.path.0"), long_path);
    EXPECT_THAT(widget_value("folders.state.0"), HasSubstr("There is no folder"));
    EXPECT_THAT(widget_value("folders.state.1"), HasSubstr("mistaken/lesson.toml:1:"));
    for (const char* const id : {"folders.path.0", "folders.remove.0", "folders.add", "folders.close"})
        EXPECT_TRUE(is_whole(id));
    click("folders.remove.0");
    frames();
    EXPECT_THAT(widget_value("folders.path.0"), HasSubstr("mistaken"));
    EXPECT_EQ(find("folders.path.1"), nullptr);

    workspace_.folder_setting.path = "relative";
    frames();
    click("folders.add");
    frames();
    EXPECT_THAT(widget_value("folders.problem"), HasSubstr("whole path"));
    EXPECT_TRUE(is_whole("folders.problem"));
    workspace_.folder_setting.path = (scratch_ / "nowhere").string();
    click("folders.add");
    wait_for_folders();
    EXPECT_THAT(widget_value("folders.problem"), HasSubstr("There is no folder"));
    EXPECT_EQ(workspace_.folder_setting.path, (scratch_ / "nowhere").string()) << "it can be corrected";
    click("folders.close");
    EXPECT_EQ(workspace_.dialog, Dialog::none);
}

}  // namespace gridstride::ui::lesson_folder_dialogs_test
