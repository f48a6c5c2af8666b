// The dialog that asks for a file: folders to click through, what it says, and what it asks before it writes.
#include "ui/files/file_dialog.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "session/fake_lab.h"
#include "test_environment.h"
#include "ui/panels/panels.h"
#include "ui/ui_frame.h"

namespace gridstride::ui {
namespace {

using testing::HasSubstr;

class FileDialogTest : public testing::Test {
 protected:
    FileDialogTest() {
        folder_ = std::filesystem::temp_directory_path() / ("file_dialog" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_ / "below");
        write_file(folder_ / "a.csv", "1\n");
        write_file(folder_ / "answer.csv", "3\n");  // not listed
        write_file(folder_ / "notes.txt", "");
        write_file(folder_ / "below/b.csv", "2\n");
        name_.path = folder_.string() + "/";
    }
    ~FileDialogTest() override { std::filesystem::remove_all(folder_); }

    void frame() { frames_.frame(body_); }
    /// Until nothing is read or written any more, and what became of it is drawn.
    void settle() {
        do
            frame();
        while (files_.busy());
        frame();
        frame();
    }
    void click(const std::string& id) {
        frames_.click(id, body_);
        settle();
    }
    void type(const std::string& path) {
        request_value("test.path", path);
        frame();
    }
    void enter() {
        frames_.press(Key::enter, body_);
        settle();
    }
    static std::string value(const std::string& id) {
        const WidgetRect* widget = UiFrames::find(id);
        return widget ? widget->value : "(none)";
    }

    UiFrames frames_;
    FileBrowser files_;
    FileName name_;
    bool writes_ = false;
    bool stays_ = true;
    std::vector<std::string> used_;
    std::filesystem::path folder_;
    FileWork::Work work_ = {};  ///< in place of using it
    std::function<void()> body_ = [this] {
        if (!stays_) return;
        const FileDialog dialog{
            .window = "test",
            .id = "test",
            .title = "Test",
            .what = "A test.",
            .endings = {".csv"},
            .verb_id = "use",
            .verb = "Use it",
            .writes = writes_,
            .not_listed = {"answer.csv"},
            .work = [this](const std::string& path) -> FileWork::Work {
                if (work_) return work_;
                return [this, path](FileProgress&) -> FileWork::Then {
                    if (!writes_) read_file(path);
                    return [this, path] { used_.push_back(path); };
                };
            },
        };
        stays_ = files_.draw(dialog, name_, screen);
    };
};

TEST_F(FileDialogTest, FoldersAreClickedThroughAndAFileChosenTwiceIsUsed) {
    settle();
    EXPECT_EQ(value("test.folder"), folder_.string());
    EXPECT_EQ(value("test.entry.0"), "below");
    EXPECT_EQ(value("test.entry.1"), "a.csv");
    EXPECT_EQ(value("test.entry.2"), "notes.txt");
    click("test.entry.2");
    EXPECT_EQ(value("test.path"), "") << "it does not fit";
    click("test.entry.0");
    EXPECT_EQ(value("test.folder"), (folder_ / "below").string());
    EXPECT_EQ(value("test.entry.0"), "b.csv");
    click("test.up");
    EXPECT_EQ(value("test.entry.1"), "a.csv");
    click("test.entry.1");
    EXPECT_EQ(value("test.path"), "a.csv");
    EXPECT_TRUE(used_.empty());
    click("test.entry.1");
    EXPECT_THAT(used_, testing::ElementsAre((folder_ / "a.csv").string()));
    EXPECT_FALSE(stays_);
    EXPECT_THAT(files_.places.recent, testing::ElementsAre((folder_ / "a.csv").string()));
    EXPECT_EQ(files_.places.last_folder, folder_.string());
}

TEST_F(FileDialogTest, ArrowKeysAndEnterDoTheSame) {
    settle();
    frames_.click("test.folder", body_);  // the field lets the keyboard go
    focus_widget("test.entries");
    frame();
    enter();
    EXPECT_EQ(value("test.folder"), (folder_ / "below").string());
    click("test.up");
    focus_widget("test.entries");
    frame();
    frame();
    frames_.press(Key::down, body_);
    enter();
    EXPECT_EQ(value("test.path"), "a.csv");
    focus_widget("test.entries");
    frame();
    enter();
    EXPECT_EQ(used_.size(), 1U);
}

TEST_F(FileDialogTest, AnErrorKeepsTheTextAndTheFocus) {
    settle();
    type("none.csv");
    click("test.use");
    EXPECT_THAT(value("test.problem"), HasSubstr("there is no such file"));
    EXPECT_EQ(value("test.path"), "none.csv");
    EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "what is typed goes on in the field";
    type((folder_ / "below").string());
    click("test.use");
    EXPECT_THAT(value("test.problem"), HasSubstr("is a folder. Choose a file in it"));
    EXPECT_EQ(value("test.entry.0"), "b.csv") << "and it is shown";
    type((folder_ / "a.csv").string());
    EXPECT_EQ(value("test.problem"), "(none)");
    click("test.use");
    EXPECT_EQ(used_.size(), 1U) << "a whole name";
}

TEST_F(FileDialogTest, AFileIsReplacedOnlyWhenAskedTwice) {
    writes_ = true;
    settle();
    EXPECT_EQ(UiFrames::find("test.place.samples"), nullptr) << "nothing is written there";
    type("a.csv");
    click("test.use");
    EXPECT_THAT(value("test.problem"), HasSubstr("There is a file of this name"));
    EXPECT_EQ(value("test.use"), "Replace");
    EXPECT_TRUE(used_.empty());
    type("below/b.csv");
    EXPECT_EQ(value("test.use"), "Use it") << "another name is asked about anew";
    click("test.use");
    EXPECT_TRUE(used_.empty());
    click("test.use");
    EXPECT_THAT(used_, testing::ElementsAre((folder_ / "below/b.csv").string()));
}

TEST_F(FileDialogTest, WhatCameWithGridstrideIsNotWrittenOver) {
    writes_ = true;
    settle();
    for (const char* name : {"samples/pulses.csv", "samples/new.csv"}) {
        type((data_directory() / name).string());
        click("test.use");
        EXPECT_THAT(value("test.problem"), HasSubstr("it is in a folder that came with Gridstride")) << name;
    }
    EXPECT_TRUE(used_.empty());
    EXPECT_FALSE(is_shipped(folder_ / "a.csv"));
}

TEST_F(FileDialogTest, NothingIsWrittenToAPipe) {
    writes_ = true;
    ASSERT_EQ(mkfifo((folder_ / "pipe.csv").c_str(), 0600), 0);
    settle();
    type("pipe.csv");
    click("test.use");
    EXPECT_THAT(value("test.problem"), HasSubstr("it is a pipe or a device"));
    EXPECT_TRUE(used_.empty());
}

TEST_F(FileDialogTest, CancelGivesUpTheWorkFirstThenTheDialog) {
    std::atomic<bool> goes_on = true;
    work_ = [&](FileProgress& progress) -> FileWork::Then {
        progress.total = 100;
        progress.advance(25);
        while (goes_on)
            std::this_thread::yield();
        return [this] { used_.push_back("it came back"); };
    };
    settle();
    type("a.csv");
    frames_.click("test.use", body_);
    while (value("test.progress").find("100") == std::string::npos)
        frame();
    frames_.click("test.cancel", body_);
    settle();
    EXPECT_TRUE(stays_);
    EXPECT_EQ(value("test.path"), "a.csv");
    EXPECT_EQ(value("test.progress"), "(none)");
    goes_on = false;
    EXPECT_TRUE(file_work_ends_within(patience));
    settle();
    EXPECT_TRUE(used_.empty()) << "what it would have done is not done";
    frames_.click("test.cancel", body_);
    EXPECT_FALSE(stays_);
}

TEST_F(FileDialogTest, RecentFilesAreThoseThatFit) {
    files_.places.add((folder_ / "notes.txt").string());
    files_.places.add((folder_ / "below/b.csv").string());
    settle();
    EXPECT_EQ(value("test.recent.0"), "b.csv");
    EXPECT_EQ(UiFrames::find("test.recent.1"), nullptr);
    click("test.recent.0");
    EXPECT_EQ(value("test.folder"), (folder_ / "below").string());
    EXPECT_EQ(value("test.path"), "b.csv");
    for (int i = 0; i < 30; ++i)
        files_.places.add(fmt::format("/x/{}.csv", i));
    EXPECT_EQ(files_.places.recent.size(), 10U);
    EXPECT_EQ(files_.places.recent.front(), "/x/29.csv");
}

TEST_F(FileDialogTest, AFolderThatCannotBeReadSaysSoInItsPlace) {
    name_.path = (folder_ / "gone" / "x.csv").string();
    settle();
    EXPECT_THAT(value("test.list.said"), HasSubstr("Cannot look into"));
    click("test.place.home");
    EXPECT_THAT(value("test.list.said"), testing::Not(HasSubstr("gone")));
}

/// What was dropped on the window goes to the dialog of its kind.
class DropTest : public FileDialogTest {
 protected:
    DropTest() : session_(lab_, "en"), workspace_(session_) {
        session_.open(*find_lesson("reduction"), 0);
        session_.pump();
        body_ = [this] { draw_dialogs(workspace_, screen); };
    }
    void drop(const std::vector<std::string>& paths) {
        open_dropped(workspace_, paths);
        do
            frame();
        while (workspace_.files.busy());
        frame();
    }

    FakeLab lab_;
    Session session_;
    Workspace workspace_;
};

TEST_F(DropTest, DataAndKernelsAreOpenedByTheirEnding) {
    drop({(folder_ / "a.csv").string(), (folder_ / "below/b.csv").string()});
    EXPECT_EQ(session_.experiment().input.name, "a.csv");
    EXPECT_EQ(workspace_.dialog, Dialog::none);
    EXPECT_THAT(workspace_.notice, HasSubstr("2 files")) << "the first, and it is said";
    write_file(folder_ / "mine.comp", "void main() {}\n");
    drop({(folder_ / "mine.comp").string()});
    ASSERT_NE(session_.kernel_edit(), nullptr);
    EXPECT_EQ(session_.kernel_edit()->source.name, "mine.comp");
}

TEST_F(DropTest, AnotherFileTakesThePlaceOfAnOpenQuestion) {
    write_file(folder_ / "two.csv", "x,y\n1,2\n3,4\n");
    drop({(folder_ / "two.csv").string()});
    EXPECT_TRUE(workspace_.data_reading.question);
    write_file(folder_ / "mine.comp", "void main() {}\n");
    drop({(folder_ / "mine.comp").string()});
    ASSERT_NE(session_.kernel_edit(), nullptr);
    EXPECT_FALSE(workspace_.data_reading.question);
}

TEST_F(DropTest, AFileIsAskedAboutOnceHoweverItsPathIsWritten) {
    write_file(folder_ / "two.csv", "x,y\n1,2\n3,4\n");
    drop({(folder_ / "./two.csv").string()});
    frame();
    ASSERT_TRUE(workspace_.data_reading.question);
    click("reading.answer.1");
    do
        frame();
    while (workspace_.files.busy());
    frame();
    EXPECT_FALSE(workspace_.data_reading.question);
    EXPECT_EQ(session_.experiment().input.name, "two.csv");
}

TEST_F(DropTest, OfAnythingElseIsSaidWhatCanBeDropped) {
    drop({(folder_ / "notes.pdf").string()});
    EXPECT_TRUE(workspace_.notice_is_bad);
    EXPECT_THAT(workspace_.notice,
                HasSubstr("Drop a kernel (.comp, .glsl), or data for this lesson (.csv, .txt"));
    EXPECT_EQ(workspace_.dialog, Dialog::none);
}

TEST_F(DropTest, WhatCannotBeReadIsSaidInTheDialog) {
    write_file(folder_ / "words.csv", "one\ntwo\n");
    drop({(folder_ / "words.csv").string()});
    frame();
    EXPECT_EQ(workspace_.dialog, Dialog::open_data);
    EXPECT_NE(value("open.problem"), "(none)");
    EXPECT_FALSE(session_.experiment().input.numbers);
}

TEST_F(DropTest, AResultForALessonThatIsNoLongerOpenIsThrownAway) {
    const Lesson& before = session_.lesson();
    UserData data = read_input(folder_ / "a.csv", before, session_.values());
    session_.open(*find_lesson("histogram"), 0);
    EXPECT_THROW(session_.use_input(before, data, ""), Refusal);
    EXPECT_FALSE(session_.experiment().input.numbers);
}

}  // namespace
}  // namespace gridstride::ui
