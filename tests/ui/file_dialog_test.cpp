// The file dialog: navigation through folders, its messages, and its confirmation before it overwrites a
// file.
#include "ui/files/file_dialog.h"

#include <sys/stat.h>

#include "jobs/fake_lab.h"
#include "test_includes.h"
#include "ui/panels/panels.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::file_dialog_test {

class FileDialogTest : public DrawnTest {
 protected:
    FileDialogTest() {
        std::filesystem::create_directories(folder_ / "below");
        for (const auto& [name, text] : {std::pair{"a.csv", "1\n"},
                                         {"answer.csv", "3\n"},  // not listed
                                         {"notes.txt", ""},
                                         {"below/b.csv", "2\n"}})
            write_file(folder_ / name, text);
        name_.path = folder_.string() + "/";
        body_ = [this] { draw(); };
    }
    /// Draws frames until all file work has ended and its result is shown.
    void wait_for_files() {
        do
            frame();
        while (files_.is_busy());
        frames(2);
    }
    void click(const std::string& id) {
        DrawnTest::click(id);
        wait_for_files();
    }
    void type(const std::string& path) { set("test.path", path); }
    void enter() {
        press(Key::enter);
        wait_for_files();
    }
    std::string full_path(const char* name) const { return (folder_ / name).string(); }
    /// Types this path and presses the button.
    void use(const std::string& path) {
        type(path);
        click("test.use");
    }

    FileBrowser files_;
    FileName name_;
    bool writes_ = false;
    bool is_open_ = true;
    std::vector<std::string> used_paths_;
    const ScratchFolder scratch_;
    const std::filesystem::path folder_ = scratch_.path();
    FileWorker::Task work_ = {};  ///< replaces the dialog's normal work
    void draw() {
        if (!is_open_) return;
        const FileDialog dialog{
            .window = "test",
            .id = "test",
            .title = "Test",
            .what = "A test.",
            .extensions = {".csv"},
            .verb_id = "use",
            .verb = "Use it",
            .writes = writes_,
            .hidden_names = {"answer.csv"},
            .work = [this](const std::string& path) -> FileWorker::Task {
                if (work_) return work_;
                return [this, path](FileProgress&) -> FileWorker::Completion {
                    if (!writes_) read_file(path);
                    return [this, path] { used_paths_.push_back(path); };
                };
            },
        };
        is_open_ = files_.draw(dialog, name_, screen);
    }
};

TEST_F(FileDialogTest, ClicksOpenFoldersAndASecondClickUsesAFile) {
    wait_for_files();
    EXPECT_EQ(widget_value("test.folder"), folder_.string());
    EXPECT_EQ(widget_value("test.entry.0"), "below");
    EXPECT_EQ(widget_value("test.entry.1"), "a.csv");
    EXPECT_EQ(widget_value("test.entry.2"), "notes.txt");
    click("test.entry.2");
    EXPECT_EQ(widget_value("test.path"), "") << "its ending does not match";
    click("test.entry.0");
    EXPECT_EQ(widget_value("test.folder"), full_path("below"));
    EXPECT_EQ(widget_value("test.entry.0"), "b.csv");
    click("test.up");
    EXPECT_EQ(widget_value("test.entry.1"), "a.csv");
    click("test.entry.1");
    EXPECT_EQ(widget_value("test.path"), "a.csv");
    EXPECT_TRUE(used_paths_.empty());
    click("test.entry.1");
    EXPECT_THAT(used_paths_, ElementsAre(full_path("a.csv")));
    EXPECT_FALSE(is_open_);
    EXPECT_THAT(files_.places.recent, ElementsAre(full_path("a.csv")));
    EXPECT_EQ(files_.places.last_folder, folder_.string());
}

TEST_F(FileDialogTest, ArrowKeysAndEnterOpenFoldersAndFiles) {
    wait_for_files();
    ui_.click("test.folder", body_);  // the field loses the keyboard
    focus("test.entries");
    enter();
    EXPECT_EQ(widget_value("test.folder"), full_path("below"));
    click("test.up");
    focus("test.entries");
    press(Key::down);
    enter();
    EXPECT_EQ(widget_value("test.path"), "a.csv");
    focus("test.entries");
    enter();
    EXPECT_EQ(used_paths_.size(), 1U);
}

TEST_F(FileDialogTest, AnErrorKeepsTheTextAndTheFocus) {
    wait_for_files();
    use("none.csv");
    EXPECT_THAT(widget_value("test.problem"), HasSubstr("none.csv"));
    EXPECT_EQ(widget_value("test.path"), "none.csv");
    EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "the field keeps the keyboard";
    use(full_path("below"));
    EXPECT_THAT(widget_value("test.problem"), HasSubstr("is a folder"));
    EXPECT_EQ(widget_value("test.entry.0"), "b.csv") << "the dialog opens the folder";
    type(full_path("a.csv"));
    EXPECT_EQ(widget_value("test.problem"), "not there");
    click("test.use");
    EXPECT_EQ(used_paths_.size(), 1U) << "an absolute path works";
}

TEST_F(FileDialogTest, ReplacingAFileNeedsASecondClick) {
    writes_ = true;
    wait_for_files();
    EXPECT_EQ(UiFrames::find("test.place.samples"), nullptr)
        << "the samples folder is not offered for writing";
    use("a.csv");
    EXPECT_THAT(widget_value("test.problem"), HasSubstr("exists already"));
    EXPECT_EQ(widget_value("test.use"), "Replace");
    EXPECT_TRUE(used_paths_.empty());
    type("below/b.csv");
    EXPECT_EQ(widget_value("test.use"), "Use it") << "another name needs its own confirmation";
    click("test.use");
    EXPECT_TRUE(used_paths_.empty());
    click("test.use");
    EXPECT_THAT(used_paths_, ElementsAre(full_path("below/b.csv")));
}

TEST_F(FileDialogTest, ShippedFilesAreNotOverwritten) {
    writes_ = true;
    wait_for_files();
    for (const char* name : {"samples/pulses.csv", "samples/new.csv"}) {
        use((data_directory() / name).string());
        EXPECT_THAT(widget_value("test.problem"), HasSubstr(name)) << name;
    }
    EXPECT_TRUE(used_paths_.empty());
    EXPECT_FALSE(is_shipped(folder_ / "a.csv"));
}

TEST_F(FileDialogTest, NothingIsWrittenToAPipe) {
    writes_ = true;
    ASSERT_EQ(mkfifo((folder_ / "pipe.csv").c_str(), 0600), 0);
    wait_for_files();
    use("pipe.csv");
    EXPECT_THAT(widget_value("test.problem"), HasSubstr("pipe"));
    EXPECT_TRUE(used_paths_.empty());
}

TEST_F(FileDialogTest, CancelStopsTheWorkFirstThenTheDialog) {
    std::atomic<bool> keeps_working = true;
    work_ = [&](FileProgress& progress) -> FileWorker::Completion {
        progress.total = 100;
        progress.advance(25);
        while (keeps_working)
            std::this_thread::yield();
        return [this] { used_paths_.push_back("it came back"); };
    };
    wait_for_files();
    type("a.csv");
    ui_.click("test.use", body_);
    while (widget_value("test.progress").find("100") == std::string::npos)
        frame();
    ui_.click("test.cancel", body_);
    wait_for_files();
    EXPECT_TRUE(is_open_);
    EXPECT_EQ(widget_value("test.path"), "a.csv");
    EXPECT_EQ(widget_value("test.progress"), "not there");
    keeps_working = false;
    EXPECT_TRUE(wait_for_file_threads(patience));
    wait_for_files();
    EXPECT_TRUE(used_paths_.empty()) << "cancelled work does not complete";
    ui_.click("test.cancel", body_);
    EXPECT_FALSE(is_open_);
}

TEST_F(FileDialogTest, RecentFilesHaveTheRightEnding) {
    files_.places.add(full_path("notes.txt"));
    files_.places.add(full_path("below/b.csv"));
    wait_for_files();
    EXPECT_EQ(widget_value("test.recent.0"), "b.csv");
    EXPECT_EQ(UiFrames::find("test.recent.1"), nullptr);
    click("test.recent.0");
    EXPECT_EQ(widget_value("test.folder"), full_path("below"));
    EXPECT_EQ(widget_value("test.path"), "b.csv");
    for (int i = 0; i < 30; ++i)
        files_.places.add(fmt::format("/x/{}.csv", i));
    EXPECT_EQ(files_.places.recent.size(), 10U);
    EXPECT_EQ(files_.places.recent.front(), "/x/29.csv");
}

TEST_F(FileDialogTest, UnreadableFolderShowsItsError) {
    name_.path = (folder_ / "gone" / "x.csv").string();
    wait_for_files();
    EXPECT_THAT(widget_value("test.list.said"), HasSubstr("gone"));
    click("test.place.home");
    EXPECT_THAT(widget_value("test.list.said"), Not(HasSubstr("gone")));
}

/// Files that are dropped on the window.
class DropTest : public FileDialogTest {
 protected:
    DropTest() : session_(lab_, "en"), workspace_(session_) {
        session_.open(*find_course_entry("reduction"), 0);
        session_.pump();
        body_ = [this] { draw_dialogs(workspace_, screen); };
    }
    void drop(const std::vector<std::string>& paths) {
        open_dropped_file(workspace_, paths);
        wait_for_workspace_files();
    }
    void wait_for_workspace_files() {
        do
            frame();
        while (workspace_.files.is_busy());
        frame();
    }

    FakeLab lab_;
    Session session_;
    Workspace workspace_;
};

TEST_F(DropTest, DataAndKernelsAreOpenedByTheirEnding) {
    drop({full_path("a.csv"), full_path("below/b.csv")});
    EXPECT_EQ(session_.bench().experiment().input.name, "a.csv");
    EXPECT_EQ(workspace_.dialog, Dialog::none);
    EXPECT_THAT(workspace_.notice, HasSubstr("2 files"))
        << "only the first file is opened, and the notice says so";
    write_file(folder_ / "mine.comp", "void main() {}\n");
    drop({full_path("mine.comp")});
    ASSERT_NE(session_.kernel_edit(), nullptr);
    EXPECT_EQ(session_.kernel_edit()->source.name, "mine.comp");
}

TEST_F(DropTest, AnotherFileReplacesAnOpenQuestion) {
    write_file(folder_ / "two.csv", "x,y\n1,2\n3,4\n");
    drop({full_path("two.csv")});
    EXPECT_TRUE(workspace_.input_file_state.question);
    write_file(folder_ / "mine.comp", "void main() {}\n");
    drop({full_path("mine.comp")});
    ASSERT_NE(session_.kernel_edit(), nullptr);
    EXPECT_FALSE(workspace_.input_file_state.question);
}

TEST_F(DropTest, AsksOnceAboutAFileUnderAnyPath) {
    write_file(folder_ / "two.csv", "x,y\n1,2\n3,4\n");
    drop({full_path("./two.csv")});
    frame();
    ASSERT_TRUE(workspace_.input_file_state.question);
    click("reading.answer.1");
    wait_for_workspace_files();
    EXPECT_FALSE(workspace_.input_file_state.question);
    EXPECT_EQ(session_.bench().experiment().input.name, "two.csv");
}

TEST_F(DropTest, UnreadableFileOpensTheDialogWithAnError) {
    write_file(folder_ / "words.csv", "one\ntwo\n");
    drop({full_path("words.csv")});
    frame();
    EXPECT_EQ(workspace_.dialog, Dialog::open_data);
    EXPECT_NE(widget_value("open.problem"), "not there");
    EXPECT_FALSE(session_.bench().experiment().input.numbers);
}

TEST_F(DropTest, InputForAnotherLessonIsRejected) {
    const Lesson& before = session_.lesson();
    UserData data = read_input(folder_ / "a.csv", before, session_.bench().values());
    session_.open(*find_course_entry("histogram"), 0);
    EXPECT_THROW(session_.use_input(before, data, ""), Refusal);
    EXPECT_FALSE(session_.bench().experiment().input.numbers);
}

}  // namespace gridstride::ui::file_dialog_test
