// The dialog that asks for a file: folders to click through, what it says, and what it asks before it writes.
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
    /// Until nothing is read or written any more, and what became of it is drawn.
    void settle() {
        do
            frame();
        while (files_.busy());
        frames(2);
    }
    void click(const std::string& id) {
        DrawnTest::click(id);
        settle();
    }
    void type(const std::string& path) { set("test.path", path); }
    void enter() {
        press(Key::enter);
        settle();
    }
    std::string path_of(const char* name) const { return (folder_ / name).string(); }
    /// Its name is typed and used.
    void use(const std::string& path) {
        type(path);
        click("test.use");
    }

    FileBrowser files_;
    FileName name_;
    bool writes_ = false;
    bool stays_ = true;
    std::vector<std::string> used_;
    const ScratchFolder scratch_;
    const std::filesystem::path folder_ = scratch_.path();
    FileWorker::Task work_ = {};  ///< in place of using it
    void draw() {
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
            .hidden_names = {"answer.csv"},
            .work = [this](const std::string& path) -> FileWorker::Task {
                if (work_) return work_;
                return [this, path](FileProgress&) -> FileWorker::Completion {
                    if (!writes_) read_file(path);
                    return [this, path] { used_.push_back(path); };
                };
            },
        };
        stays_ = files_.draw(dialog, name_, screen);
    }
};

TEST_F(FileDialogTest, FoldersAreClickedThroughAndAFileChosenTwiceIsUsed) {
    settle();
    EXPECT_EQ(value_of("test.folder"), folder_.string());
    EXPECT_EQ(value_of("test.entry.0"), "below");
    EXPECT_EQ(value_of("test.entry.1"), "a.csv");
    EXPECT_EQ(value_of("test.entry.2"), "notes.txt");
    click("test.entry.2");
    EXPECT_EQ(value_of("test.path"), "") << "it does not fit";
    click("test.entry.0");
    EXPECT_EQ(value_of("test.folder"), path_of("below"));
    EXPECT_EQ(value_of("test.entry.0"), "b.csv");
    click("test.up");
    EXPECT_EQ(value_of("test.entry.1"), "a.csv");
    click("test.entry.1");
    EXPECT_EQ(value_of("test.path"), "a.csv");
    EXPECT_TRUE(used_.empty());
    click("test.entry.1");
    EXPECT_THAT(used_, ElementsAre(path_of("a.csv")));
    EXPECT_FALSE(stays_);
    EXPECT_THAT(files_.places.recent, ElementsAre(path_of("a.csv")));
    EXPECT_EQ(files_.places.last_folder, folder_.string());
}

TEST_F(FileDialogTest, ArrowKeysAndEnterDoTheSame) {
    settle();
    ui_.click("test.folder", body_);  // the field lets the keyboard go
    focus("test.entries");
    enter();
    EXPECT_EQ(value_of("test.folder"), path_of("below"));
    click("test.up");
    focus("test.entries");
    press(Key::down);
    enter();
    EXPECT_EQ(value_of("test.path"), "a.csv");
    focus("test.entries");
    enter();
    EXPECT_EQ(used_.size(), 1U);
}

TEST_F(FileDialogTest, AnErrorKeepsTheTextAndTheFocus) {
    settle();
    use("none.csv");
    EXPECT_THAT(value_of("test.problem"), HasSubstr("none.csv"));
    EXPECT_EQ(value_of("test.path"), "none.csv");
    EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "what is typed goes on in the field";
    use(path_of("below"));
    EXPECT_THAT(value_of("test.problem"), HasSubstr("is a folder"));
    EXPECT_EQ(value_of("test.entry.0"), "b.csv") << "and it is shown";
    type(path_of("a.csv"));
    EXPECT_EQ(value_of("test.problem"), "not there");
    click("test.use");
    EXPECT_EQ(used_.size(), 1U) << "a whole name";
}

TEST_F(FileDialogTest, AFileIsReplacedOnlyWhenAskedTwice) {
    writes_ = true;
    settle();
    EXPECT_EQ(UiFrames::find("test.place.samples"), nullptr) << "nothing is written there";
    use("a.csv");
    EXPECT_THAT(value_of("test.problem"), HasSubstr("exists already"));
    EXPECT_EQ(value_of("test.use"), "Replace");
    EXPECT_TRUE(used_.empty());
    type("below/b.csv");
    EXPECT_EQ(value_of("test.use"), "Use it") << "another name is asked about anew";
    click("test.use");
    EXPECT_TRUE(used_.empty());
    click("test.use");
    EXPECT_THAT(used_, ElementsAre(path_of("below/b.csv")));
}

TEST_F(FileDialogTest, WhatCameWithGridstrideIsNotWrittenOver) {
    writes_ = true;
    settle();
    for (const char* name : {"samples/pulses.csv", "samples/new.csv"}) {
        use((data_directory() / name).string());
        EXPECT_THAT(value_of("test.problem"), HasSubstr(name)) << name;
    }
    EXPECT_TRUE(used_.empty());
    EXPECT_FALSE(is_shipped(folder_ / "a.csv"));
}

TEST_F(FileDialogTest, NothingIsWrittenToAPipe) {
    writes_ = true;
    ASSERT_EQ(mkfifo((folder_ / "pipe.csv").c_str(), 0600), 0);
    settle();
    use("pipe.csv");
    EXPECT_THAT(value_of("test.problem"), HasSubstr("pipe"));
    EXPECT_TRUE(used_.empty());
}

TEST_F(FileDialogTest, CancelGivesUpTheWorkFirstThenTheDialog) {
    std::atomic<bool> goes_on = true;
    work_ = [&](FileProgress& progress) -> FileWorker::Completion {
        progress.total = 100;
        progress.advance(25);
        while (goes_on)
            std::this_thread::yield();
        return [this] { used_.push_back("it came back"); };
    };
    settle();
    type("a.csv");
    ui_.click("test.use", body_);
    while (value_of("test.progress").find("100") == std::string::npos)
        frame();
    ui_.click("test.cancel", body_);
    settle();
    EXPECT_TRUE(stays_);
    EXPECT_EQ(value_of("test.path"), "a.csv");
    EXPECT_EQ(value_of("test.progress"), "not there");
    goes_on = false;
    EXPECT_TRUE(wait_for_file_threads(patience));
    settle();
    EXPECT_TRUE(used_.empty()) << "what it would have done is not done";
    ui_.click("test.cancel", body_);
    EXPECT_FALSE(stays_);
}

TEST_F(FileDialogTest, RecentFilesAreThoseThatFit) {
    files_.places.add(path_of("notes.txt"));
    files_.places.add(path_of("below/b.csv"));
    settle();
    EXPECT_EQ(value_of("test.recent.0"), "b.csv");
    EXPECT_EQ(UiFrames::find("test.recent.1"), nullptr);
    click("test.recent.0");
    EXPECT_EQ(value_of("test.folder"), path_of("below"));
    EXPECT_EQ(value_of("test.path"), "b.csv");
    for (int i = 0; i < 30; ++i)
        files_.places.add(fmt::format("/x/{}.csv", i));
    EXPECT_EQ(files_.places.recent.size(), 10U);
    EXPECT_EQ(files_.places.recent.front(), "/x/29.csv");
}

TEST_F(FileDialogTest, AFolderThatCannotBeReadSaysSoInItsPlace) {
    name_.path = (folder_ / "gone" / "x.csv").string();
    settle();
    EXPECT_THAT(value_of("test.list.said"), HasSubstr("gone"));
    click("test.place.home");
    EXPECT_THAT(value_of("test.list.said"), Not(HasSubstr("gone")));
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
        open_dropped_file(workspace_, paths);
        settle_files();
    }
    void settle_files() {
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
    drop({path_of("a.csv"), path_of("below/b.csv")});
    EXPECT_EQ(session_.bench().experiment().input.name, "a.csv");
    EXPECT_EQ(workspace_.dialog, Dialog::none);
    EXPECT_THAT(workspace_.notice, HasSubstr("2 files")) << "the first, and it is said";
    write_file(folder_ / "mine.comp", "void main() {}\n");
    drop({path_of("mine.comp")});
    ASSERT_NE(session_.kernel_edit(), nullptr);
    EXPECT_EQ(session_.kernel_edit()->source.name, "mine.comp");
}

TEST_F(DropTest, AnotherFileTakesThePlaceOfAnOpenQuestion) {
    write_file(folder_ / "two.csv", "x,y\n1,2\n3,4\n");
    drop({path_of("two.csv")});
    EXPECT_TRUE(workspace_.input_file_state.question);
    write_file(folder_ / "mine.comp", "void main() {}\n");
    drop({path_of("mine.comp")});
    ASSERT_NE(session_.kernel_edit(), nullptr);
    EXPECT_FALSE(workspace_.input_file_state.question);
}

TEST_F(DropTest, AFileIsAskedAboutOnceHoweverItsPathIsWritten) {
    write_file(folder_ / "two.csv", "x,y\n1,2\n3,4\n");
    drop({path_of("./two.csv")});
    frame();
    ASSERT_TRUE(workspace_.input_file_state.question);
    click("reading.answer.1");
    settle_files();
    EXPECT_FALSE(workspace_.input_file_state.question);
    EXPECT_EQ(session_.bench().experiment().input.name, "two.csv");
}

TEST_F(DropTest, OfAnythingElseIsSaidWhatCanBeDropped) {
    drop({path_of("notes.pdf")});
    EXPECT_TRUE(workspace_.notice_is_error);
    EXPECT_THAT(workspace_.notice, HasSubstr("(.comp, .glsl)"));
    EXPECT_EQ(workspace_.dialog, Dialog::none);
}

TEST_F(DropTest, WhatCannotBeReadIsSaidInTheDialog) {
    write_file(folder_ / "words.csv", "one\ntwo\n");
    drop({path_of("words.csv")});
    frame();
    EXPECT_EQ(workspace_.dialog, Dialog::open_data);
    EXPECT_NE(value_of("open.problem"), "not there");
    EXPECT_FALSE(session_.bench().experiment().input.numbers);
}

TEST_F(DropTest, AResultForALessonThatIsNoLongerOpenIsThrownAway) {
    const Lesson& before = session_.lesson();
    UserData data = read_input(folder_ / "a.csv", before, session_.bench().values());
    session_.open(*find_lesson("histogram"), 0);
    EXPECT_THROW(session_.use_input(before, data, ""), Refusal);
    EXPECT_FALSE(session_.bench().experiment().input.numbers);
}

}  // namespace gridstride::ui::file_dialog_test
