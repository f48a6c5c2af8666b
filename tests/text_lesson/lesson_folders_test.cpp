// Tests how the lessons of folders are found, loaded and registered, also on a thread of their own.
#include "text_lesson/lesson_folders.h"

#include <atomic>
#include <fstream>
#include <thread>

#include "test_includes.h"
#include "text_lesson/folder_setting.h"
#include "text_lesson/lesson_watcher.h"

namespace gridstride::text_lesson::lesson_folders_test {

namespace fs = std::filesystem;
using State = FolderLoader::State;

constexpr const char* lesson_toml = R"TOML(format = 1
title = "Copies"
[input.x]
type = "u32"
value = "iota(n)"
[output.y]
type = "u32"
[[variant]]
id = "copy"
title = "Copy"
summary = "Each invocation copies one number."
kernel = "copy.comp"
expect.y = "x"
)TOML";

std::string with_title(const std::string& title) {
    std::string toml = lesson_toml;
    return toml.replace(toml.find("Copies"), 6, title);
}

/// A folder of lessons. The registry keeps lessons until the process ends, so each test uses other ids.
class LessonFolders : public testing::Test {
 protected:
    fs::path write_lesson(const std::string& path, const std::string& toml = lesson_toml) const {
        const fs::path folder = scratch_ / path;
        fs::create_directories(folder);
        std::ofstream(folder / "lesson.toml") << toml;
        std::ofstream(folder / "copy.comp") << "void main() { y[0] = x[0]; }";
        return folder;
    }
    void write_story(const fs::path& folder) const {
        std::ofstream(folder / "story.en.md") << "---\nchapter: 9 Own\nplace: 1\nquestion: What is a "
                                                 "copy?\nminutes: 5\npicture: occupancy\n---\n"
                                                 "# Copies\n## One\n<!-- id: one -->\nText.\n";
    }
    /// Waits until the thread has ended.
    static void finish(FolderLoader& loader) {
        while (!loader.pump())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    static void finish(FolderSetting& setting) {
        while (setting.is_busy()) {
            setting.pump();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    ~LessonFolders() override { wait_for_file_threads(std::chrono::seconds(10)); }

    ScratchFolder scratch_;
};

TEST_F(LessonFolders, AreFound) {
    const fs::path second = write_lesson("all/second"), first = write_lesson("all/first");
    fs::create_directories(scratch_ / "all/no_lesson");
    EXPECT_THAT(find_lesson_folders(scratch_ / "all"), ElementsAre(first, second));
    EXPECT_THAT(find_lesson_folders(first), ElementsAre(first));
    EXPECT_THROW(find_lesson_folders(scratch_ / "nowhere"), NotAFolder);
    EXPECT_THROW(find_lesson_folders(first / "lesson.toml"), NotAFolder);
    EXPECT_THAT(message_of<FileError>([&] { find_lesson_folders(scratch_ / "all/no_lesson"); }),
                HasSubstr("has no lesson"));
}

TEST_F(LessonFolders, CanBeNamedByTheirFile) {
    EXPECT_EQ(lesson_folder_of("/a/b/lesson.toml"), "/a/b");
    EXPECT_EQ(lesson_folder_of("/a/b/"), "/a/b");
    EXPECT_EQ(lesson_folder_of("/a/./b"), "/a/b");
    EXPECT_EQ(lesson_folder_of("b"), fs::current_path() / "b");
}

TEST_F(LessonFolders, MistakesOfOneLessonLeaveTheOthersLoaded) {
    write_lesson("some/mistaken", std::string(lesson_toml) + "colour = 1\n");
    write_lesson("some/mistaken_too", std::string(lesson_toml) + "size = 1\n");
    write_lesson("some/right");
    EXPECT_THAT(register_lessons(load_lessons(scratch_ / "some")),
                ElementsAre(Mentions("mistaken/lesson.toml:14:", "colour"),
                            Mentions("mistaken_too/lesson.toml:14:", "size")));
    EXPECT_NE(find_lesson("right"), nullptr);
    EXPECT_EQ(find_lesson("mistaken"), nullptr);
    EXPECT_THAT(*faulty_lessons(),
                Contains(testing::Field(&FolderLesson::folder, (scratch_ / "some/mistaken").string())));

    write_lesson("some/mistaken");
    EXPECT_THAT(reload_lesson((scratch_ / "some/mistaken").string()),
                ElementsAre(HasSubstr("has no story.en.md")))
        << "it is checked as a whole";
}

TEST_F(LessonFolders, RefuseAnIdOfAnotherFolder) {
    register_lessons(load_lessons(write_lesson("a/same_id")));
    const Lesson* const first = find_lesson("same_id");
    ASSERT_NE(first, nullptr);
    EXPECT_THAT(registered_folders(), Contains((scratch_ / "a/same_id").string()));
    register_lessons(load_lessons(scratch_ / "a"));
    EXPECT_EQ(find_lesson("same_id"), first) << "the same folder and version";

    write_lesson("b/beside_same_id");
    write_lesson("b/same_id");
    const auto names_both =
        Mentions("same_id", (scratch_ / "a/same_id").string(), (scratch_ / "b/same_id").string());
    EXPECT_THAT(register_lessons(load_lessons(scratch_ / "b")), ElementsAre(names_both));
    EXPECT_NE(find_lesson("beside_same_id"), nullptr);
    EXPECT_EQ(find_lesson("same_id"), nullptr) << "both are refused";
    EXPECT_EQ(find_lesson(Experiment{.lesson = "same_id", .lesson_version = first->version}), first)
        << "earlier runs stay readable";
    for (const char* const folder : {"a/same_id", "b/same_id"})
        EXPECT_THAT(*faulty_lessons(),
                    Contains(testing::Field(&FolderLesson::folder, (scratch_ / folder).string())));
    EXPECT_THAT(register_lessons(load_lessons(scratch_ / "a")), ElementsAre(names_both));

    fs::remove_all(scratch_ / "b/same_id");
    write_lesson("a/same_id", with_title("Newer"));
    EXPECT_THAT(register_lessons(load_lessons(scratch_ / "a")), IsEmpty());
    EXPECT_EQ(find_lesson("same_id")->title, "Newer");
}

TEST_F(LessonFolders, AreSearchedBeforeTheyAreLoaded) {
    std::atomic<int> wakes = 0;
    const fs::path folder = write_lesson("asked", "This is not TOML.");
    FolderLoader loader(folder.string(), [&] { ++wakes; });
    loader.find();
    finish(loader);
    EXPECT_EQ(loader.state(), State::found) << "no file has been read";
    EXPECT_THAT(loader.lesson_ids(), ElementsAre("asked"));
    EXPECT_GT(wakes, 0);

    loader.load();
    finish(loader);
    EXPECT_EQ(loader.state(), State::failed);
    EXPECT_THAT(loader.errors(), ElementsAre(HasSubstr("asked/lesson.toml:1:")));
    EXPECT_EQ(find_lesson("asked"), nullptr);

    write_lesson("asked");
    loader.load();
    finish(loader);
    EXPECT_EQ(loader.state(), State::loaded);
    EXPECT_THAT(loader.errors(), IsEmpty());
    EXPECT_NE(find_lesson("asked"), nullptr);

    fs::remove_all(folder);
    loader.load();
    finish(loader);
    EXPECT_THAT(loader.errors(), ElementsAre(HasSubstr("There is no folder")));
    EXPECT_NE(find_lesson("asked"), nullptr) << "it is kept";
}

TEST_F(LessonFolders, FileIsRefused) {
    FolderLoader loader((write_lesson("with_file") / "copy.comp").string(), {});
    loader.find();
    finish(loader);
    EXPECT_EQ(loader.state(), State::not_a_folder);
    EXPECT_THAT(loader.errors(), ElementsAre(HasSubstr("is not a folder")));
}

TEST_F(LessonFolders, FailingFolderDoesNotPreventOthersFromLoading) {
    const std::string good = write_lesson("good_at_start").string(), bad = write_lesson("bad", "?").string();
    FolderSetting setting;
    setting.load({bad, good});
    setting.load({good});
    finish(setting);
    EXPECT_THAT(setting.folders(), ElementsAre(bad, good)) << "one that fails stays in the setting";
    EXPECT_NE(find_lesson("good_at_start"), nullptr);
    ASSERT_NE(setting.first_failed(), nullptr);
    EXPECT_EQ(setting.first_failed()->folder(), bad);

    auto loader = std::make_unique<FolderLoader>(bad, nullptr);
    write_lesson("bad");
    loader->load();
    finish(*loader);
    setting.add(std::move(loader));
    EXPECT_THAT(setting.folders(), ElementsAre(bad, good)) << "the same folder is replaced";
    EXPECT_EQ(setting.first_failed(), nullptr);
    setting.remove(0);
    EXPECT_THAT(setting.folders(), ElementsAre(good));
    EXPECT_TRUE(FolderSetting::can_store(good));
    EXPECT_FALSE(FolderSetting::can_store("/tmp/\xff"));
}

TEST_F(LessonFolders, WatchAFolderRegisteredLater) {
    LessonWatcher watcher([] {});
    const fs::path folder = write_lesson("watched_later");
    write_story(folder);
    register_lessons(load_lessons(folder));
    watcher.start();
    std::vector<LessonChange> changes;
    for (int version = 0; changes.empty(); ++version) {
        // The watcher compares with what it saw first, which may be after this change.
        write_lesson("watched_later", with_title(fmt::format("Version {}", version)));
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        changes = watcher.take();
    }
    EXPECT_EQ(changes.front().id, "watched_later");
    EXPECT_FALSE(changes.front().has_errors);
    EXPECT_THAT(find_lesson("watched_later")->title, HasSubstr("Version"));
}

TEST_F(LessonFolders, LoadAFolderAfterTheOtherOfItsIdIsRemoved) {
    const fs::path stays = write_lesson("c/twin"), goes = write_lesson("d/twin");
    write_story(stays);
    register_lessons(load_lessons(stays));
    register_lessons(load_lessons(goes));
    ASSERT_EQ(find_lesson("twin"), nullptr);
    LessonWatcher watcher([] {});
    watcher.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    fs::rename(goes, scratch_ / "d/other");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!find_lesson("twin") && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_NE(find_lesson("twin"), nullptr);
}

}  // namespace gridstride::text_lesson::lesson_folders_test
