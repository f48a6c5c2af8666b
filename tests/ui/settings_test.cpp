#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "storage/notices.h"
#include "test_includes.h"
#include "ui/settings/settings_file.h"

namespace gridstride::ui::settings_test {

std::string step_name(std::size_t number) {
    return "step_" + std::to_string(number);
}

class SettingsTest : public testing::Test {
 protected:
    Settings read() const { return SettingsFile(file).read(); }
    StoryProgress story_progress() const { return read().story_progress; }
    std::set<ProgressKey> read_seen_steps() const { return story_progress().seen_steps; }
    std::filesystem::path sibling_file(const std::string& ending) const {
        return folder_ / ("settings.json" + ending);
    }

    ScratchFolder folder_;
    const std::filesystem::path file = folder_ / "settings.json";
};

TEST_F(SettingsTest, PipeInPlaceOfTheFileIsSetAside) {
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_EQ(format_settings(read()), format_settings({}));
    EXPECT_FALSE(std::filesystem::exists(file)) << "the next settings can be saved";
    EXPECT_TRUE(std::filesystem::is_fifo(sibling_file(".damaged")));
}

TEST_F(SettingsTest, KeepsTheChoiceOfReducedMotion) {
    EXPECT_FALSE(read().reduces_motion);
    SettingsFile(file).write({.reduces_motion = true});
    EXPECT_TRUE(read().reduces_motion);
}

TEST_F(SettingsTest, ForgettingOneLessonKeepsTheOthers) {
    Settings both;
    for (const char* lesson : {"reduction", "histogram"}) {
        both.story_progress.seen_steps.insert({"GPU", lesson, "which_bin"});
        both.story_progress.predictions[{"GPU", lesson, "which_bin_choice"}].is_skipped = true;
    }
    SettingsFile window(file);
    window.write(both);
    Settings reduced_settings = both;
    reduced_settings.story_progress.erase("GPU", find_course_entry("reduction"));
    window.write(reduced_settings);
    const StoryProgress remaining = story_progress();
    EXPECT_EQ(remaining.seen_steps, (std::set<ProgressKey>{{"GPU", "histogram", "which_bin"}}));
    ASSERT_EQ(remaining.predictions.size(), 1U);
    EXPECT_EQ(remaining.predictions.begin()->first.lesson, "histogram");
}

/// The previous version wrote this format.
TEST_F(SettingsTest, ReadsTheEarlierFormat) {
    write_file(file, R"({"schema_version":1,"theme":"light","lesson":"reduction","step":3,"predictions":[)"
                     R"({"lesson":"reduction","step":1,"block":5,"choice":2,"outcome":{"value":0.5,)"
                     R"("right_choice":1,"guess_right":false,"afterwards":"No."}}]})");
    StoryProgress old = story_progress();
    EXPECT_EQ(old.lesson, "reduction");
    old.assign_device("GPU");
    EXPECT_EQ(old.last_positions.at({"GPU", "reduction"}).step, "what_a_barrier_is_for");
    const Prediction& prediction =
        old.predictions.at({"GPU", "reduction", "everyone_adds_to_one_counter_choice"});
    EXPECT_EQ(prediction.answer.choice, 2U);
    EXPECT_EQ(prediction.outcome->result, Outcome::Result::wrong);
    write_file(file, R"({"schema_version":1,"predictions":[{"lesson":"reduction"}]})");
    EXPECT_TRUE(story_progress().predictions.empty());
    EXPECT_TRUE(std::filesystem::exists(sibling_file(".damaged")));
}

TEST_F(SettingsTest, TwoWindowsDoNotOverwriteEachOthersPredictions) {
    SettingsFile first_window(file), second_window(file);
    const auto with = [](std::size_t step, std::size_t choice, const std::string& lesson) {
        Settings settings;
        settings.story_progress.lesson = lesson;
        settings.story_progress.seen_steps.insert({"GPU", "reduction", step_name(step)});
        settings.story_progress.last_positions[{"GPU", "reduction"}].step = step_name(step);
        settings.story_progress.solved_exercises.insert({"GPU", "reduction", std::to_string(step)});
        settings.story_progress.predictions[{"GPU", "reduction", step_name(step)}].answer.choice = choice;
        return settings;
    };
    first_window.write(with(1, 0, "reduction"));
    Settings second = with(2, 1, "histogram");
    second.layout.arrangement = Arrangement::bench;
    second.layout.runs_open_in_bench = false;
    second_window.write(second);
    // The first window writes again: what it has not changed stays as the second wrote it.
    Settings first = with(1, 2, "reduction");
    first.mode = Mode::light;
    first_window.write(first);
    const Settings both = read();
    const StoryProgress& merged_progress = both.story_progress;
    ASSERT_EQ(merged_progress.predictions.size(), 2U);
    EXPECT_EQ(merged_progress.predictions.at({"GPU", "reduction", step_name(1)}).answer.choice, 2U);
    EXPECT_EQ(merged_progress.predictions.at({"GPU", "reduction", step_name(2)}).answer.choice, 1U);
    EXPECT_EQ(merged_progress.seen_steps.size(), 2U) << "the steps seen in either window";
    EXPECT_EQ(merged_progress.solved_exercises.size(), 2U) << "the exercises solved in either window";
    EXPECT_EQ(merged_progress.last_positions.at({"GPU", "reduction"}).step, step_name(2))
        << "one entry per lesson, the newest";
    EXPECT_EQ(merged_progress.lesson, "histogram");
    EXPECT_EQ(both.layout.arrangement, Arrangement::bench);
    EXPECT_FALSE(both.layout.runs_open_in_bench);
    EXPECT_FALSE(both.layout.runs_open_in_learn);
    EXPECT_EQ(both.mode, Mode::light);
}

TEST_F(SettingsTest, LessonFoldersOfTwoWindowsAreMerged) {
    const auto with = [](std::vector<std::string> folders) {
        return Settings{.lesson_folders = std::move(folders)};
    };
    SettingsFile(file).write(with({"/one", "/two"}));
    SettingsFile first_window(file), second_window(file);
    first_window.read();
    second_window.read();
    first_window.write(with({"/two"}));
    second_window.write(with({"/one", "/two", "/three \u00e9"}));
    EXPECT_THAT(read().lesson_folders, ElementsAre("/two", "/three \u00e9"));
    write_file(file, R"({"schema_version":2,"lesson_folders":["/one"]})");
    EXPECT_THAT(read().lesson_folders, IsEmpty());
    EXPECT_TRUE(std::filesystem::exists(sibling_file(".damaged")));
}

Prediction open_answer(std::size_t choice) {
    Prediction prediction;
    prediction.answer.choice = choice;
    return prediction;
}
Prediction decided_answer(std::size_t choice, Outcome::Result result) {
    Prediction prediction = open_answer(choice);
    prediction.outcome = Outcome{.result = result, .values = {{1, 1, 1}}};
    return prediction;
}
Prediction skipped_answer() {
    Prediction prediction;
    prediction.is_skipped = true;
    return prediction;
}

/// The prediction in the file after two windows, which both read `before`, wrote `first` and then `second`.
std::optional<Prediction> write_by_two_windows(const std::optional<Prediction>& before,
                                               const std::optional<Prediction>& first,
                                               const std::optional<Prediction>& second) {
    const ScratchFolder folder;
    const std::filesystem::path file = folder / "settings.json";
    const ProgressKey key{"GPU", "reduction", "everyone_adds_to_one_counter_choice"};
    const auto with = [&](const std::optional<Prediction>& prediction, std::size_t seen_steps) {
        Settings settings;
        settings.story_progress.seen_steps.insert({"GPU", "reduction", step_name(seen_steps)});
        if (prediction) settings.story_progress.predictions[key] = *prediction;
        return settings;
    };
    SettingsFile window(file);
    window.write(with(before, 0));
    SettingsFile one(file), other(file);
    one.read();
    other.read();
    one.write(with(first, 1));
    other.write(with(second, 2));
    const StoryProgress story_progress = SettingsFile(file).read().story_progress;
    const auto found = story_progress.predictions.find(key);
    return found == story_progress.predictions.end() ? std::nullopt : std::optional(found->second);
}

TEST_F(SettingsTest, DecidedAnswerSurvivesAnOlderOneOfAnotherWindow) {
    const auto right = decided_answer(1, Outcome::Result::right),
               wrong = decided_answer(0, Outcome::Result::wrong);
    const auto is_right = [](const std::optional<Prediction>& found) {
        return found && found->outcome && found->outcome->result == Outcome::Result::right &&
               found->answer.choice == 1U;
    };
    for (const std::optional<Prediction>& before :
         {std::optional<Prediction>(), std::optional(open_answer(2))}) {
        for (const auto& [name, other] : {std::pair{"open", std::optional(open_answer(0))},
                                          {"skipped", std::optional(skipped_answer())},
                                          {"decided later", std::optional(wrong)},
                                          {"as before", before},
                                          {"forgets what it never saw", std::optional<Prediction>()}})
            EXPECT_TRUE(is_right(write_by_two_windows(before, right, other))) << name;
        for (const Prediction& first : {open_answer(0), skipped_answer()})
            EXPECT_TRUE(is_right(write_by_two_windows(before, first, right)));
    }
    EXPECT_FALSE(write_by_two_windows(right, std::nullopt, std::nullopt)) << "the prediction was forgotten";
    EXPECT_EQ(write_by_two_windows(right, right, open_answer(0))->outcome, std::nullopt)
        << "the prediction was forgotten and started again";
    EXPECT_TRUE(is_right(write_by_two_windows(open_answer(0), open_answer(0), right)));
}

TEST_F(SettingsTest, OlderLeftoverChangeDoesNotReplaceADecidedAnswer) {
    const ProgressKey key{"GPU", "reduction", "everyone_adds_to_one_counter_choice"};
    Settings decided_settings, open;
    decided_settings.story_progress.predictions[key] = decided_answer(1, Outcome::Result::right);
    open.story_progress.predictions[key] = open_answer(0);
    SettingsFile(file).write(decided_settings);
    write_file(sibling_file(".1-1-1.change"),
               nlohmann::json{{"before", format_settings({})}, {"now", format_settings(open)}}.dump());
    EXPECT_TRUE(story_progress().predictions.at(key).outcome);
    Settings changed = decided_settings;
    changed.story_progress.seen_steps.insert({"GPU", "reduction", step_name(1)});
    SettingsFile(file).write(changed);
    EXPECT_TRUE(story_progress().predictions.at(key).outcome);
}

TEST_F(SettingsTest, UnknownMembersAreKept) {
    write_file(file,
               R"({"schema_version":2,"theme":"light","of_tomorrow":[1],"layout":{"panes":3},"predictions":[)"
               R"({"device":"GPU","lesson":"reduction","id":"who","choice":2,"hint":"yes"}]})");
    SettingsFile window(file);
    Settings settings = window.read();
    settings.layout.bench_width = 400;
    window.write(settings);
    const auto saved = nlohmann::json::parse(read_file(file));
    EXPECT_EQ(saved.at("of_tomorrow"), nlohmann::json::array({1}));
    EXPECT_EQ(saved.at("layout").at("panes"), 3);
    EXPECT_EQ(saved.at("layout").at("bench_width"), 400);
    EXPECT_EQ(saved.at("predictions").at(0).at("hint"), "yes");
    EXPECT_EQ(saved.at("theme"), "light");
}

TEST_F(SettingsTest, NewerFileStaysAndChangesAreKeptBesideIt) {
    const std::string theirs = R"({"schema_version":3,"theme":{"name":"light"}})";
    write_file(file, theirs);
    take_notices();
    const auto add_seen_step = [](Settings settings, std::size_t step) {
        settings.story_progress.seen_steps.insert({"GPU", "reduction", step_name(step)});
        return settings;
    };
    {
        SettingsFile window(file);
        const Settings settings = window.read();
        EXPECT_EQ(format_settings(settings), format_settings({}));
        EXPECT_EQ(take_notices().size(), 1U);
        window.write(add_seen_step(settings, 1));
        window.write(add_seen_step(add_seen_step(settings, 1), 2));
    }
    {
        SettingsFile next(file);
        const Settings settings = next.read();
        EXPECT_EQ(settings.story_progress.seen_steps.size(), 2U)
            << "an older program continues with its own changes";
        next.write(add_seen_step(settings, 3));
    }
    EXPECT_EQ(read_file(file), theirs);
    // Here this version is the newer program.
    write_file(file, R"({"schema_version":2,"theme":"light"})");
    SettingsFile newer(file);
    Settings settings = newer.read();
    EXPECT_EQ(settings.story_progress.seen_steps.size(), 3U);
    EXPECT_EQ(settings.mode, Mode::light);
    newer.write(add_seen_step(settings, 4));
    EXPECT_EQ(folder_.entries(), 2U) << "the file and its lock";
}

TEST_F(SettingsTest, NewerChangeIsLeftForItsVersion) {
    SettingsFile window(file);
    window.write({});
    const std::filesystem::path change = sibling_file(".1-1-1.change");
    write_file(change,
               R"({"before":"{\"schema_version\":3}","now":"{\"schema_version\":3,\"theme\":\"light\"}"})");
    Settings settings = read();
    EXPECT_EQ(settings.mode, Mode::dark);
    settings.layout.bench_width = 400;
    window.write(settings);
    EXPECT_TRUE(std::filesystem::exists(change));
}

TEST_F(SettingsTest, DeepNestingCountsAsDamage) {
    for (const std::string open : {"[", "{\"a\":"})
        for (const std::string begin : {"{\"layout\":", "{\"unknown\":", ""}) {
            std::string deep = begin;
            for (int i = 0; i < 100'000; ++i)
                deep += open;
            write_file(file, deep);
            write_file(sibling_file(".1-1-1.change"), deep);
            EXPECT_EQ(format_settings(read()), format_settings({}));
            EXPECT_FALSE(std::filesystem::exists(file));
        }
}

/// Holds the lock of the file, as a process does that was stopped while it wrote.
class StoppedWindow {
 public:
    explicit StoppedWindow(const std::filesystem::path& file)
        : lock_(::open((file.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        EXPECT_EQ(::flock(lock_.get(), LOCK_EX | LOCK_NB), 0);
    }

 private:
    Descriptor lock_;
};

Settings make_settings(std::initializer_list<std::size_t> steps, Mode mode = Mode::dark) {
    Settings settings{.mode = mode};
    for (const std::size_t step : steps)
        settings.story_progress.seen_steps.insert({"GPU", "reduction", step_name(step)});
    return settings;
}

TEST_F(SettingsTest, StoppedWindowBlocksNoOtherAndLosesNothing) {
    write_file(file, format_settings(make_settings({7})));
    SettingsFile first(file), second(file);
    first.read();
    second.read();
    {
        const StoppedWindow stopped(file);
        first.write(make_settings({7, 1}));
        first.write(make_settings({7, 1, 2}, Mode::light));
        second.write(make_settings({7, 3}));
        EXPECT_EQ(parse_settings(read_file(file)).story_progress.seen_steps,
                  make_settings({7}).story_progress.seen_steps)
            << "the file is unchanged, as the stopped window may still write it";
        EXPECT_EQ(read_seen_steps(), make_settings({7, 1, 2, 3}).story_progress.seen_steps)
            << "a new window reads all changes";
        EXPECT_EQ(read().mode, Mode::light);
        EXPECT_EQ(folder_.entries(), 4U) << "the file, its lock and the newest change of each window";
    }
    // The next write merges the changes that the others left.
    second.write(make_settings({7, 3, 4}));
    EXPECT_EQ(folder_.entries(), 2U);
    EXPECT_EQ(parse_settings(read_file(file)).story_progress.seen_steps,
              make_settings({7, 1, 2, 3, 4}).story_progress.seen_steps);
    // A window does not restore its own change after the merge.
    SettingsFile third(file);
    Settings dark = third.read();
    dark.mode = Mode::dark;
    third.write(dark);
    first.write(make_settings({7, 1, 2, 5}, Mode::light));
    const Settings last = read();
    EXPECT_EQ(last.mode, Mode::dark);
    EXPECT_EQ(last.story_progress.seen_steps, make_settings({7, 1, 2, 3, 4, 5}).story_progress.seen_steps);
}

TEST_F(SettingsTest, DamagedChangeIsSetAsideAndReportedOnce) {
    SettingsFile window(file);
    window.write(make_settings({1}));
    write_file(sibling_file(".1-1-1.change"), "{\"before\":\"{}\",\"now\":1}");
    write_file(sibling_file(".1-1-2.change"), "");
    take_notices();
    EXPECT_EQ(read_seen_steps(), make_settings({1}).story_progress.seen_steps);
    window.write(make_settings({1, 2}));
    EXPECT_EQ(read_seen_steps(), make_settings({1, 2}).story_progress.seen_steps);
    EXPECT_EQ(take_notices().size(), 2U);
    EXPECT_EQ(read_file(sibling_file(".1-1-1.change.damaged")), "{\"before\":\"{}\",\"now\":1}");
    EXPECT_EQ(folder_.entries(), 4U) << "the file, its lock and what was set aside";
}

TEST_F(SettingsTest, UnreadableChangeStaysAndIsReportedOnce) {
    const std::filesystem::path change = sibling_file(".1-1-1.change");
    SettingsFile window(file);
    window.write(make_settings({1}));
    write_file(change, "{}");
    std::filesystem::resize_file(change, settings_format.max_bytes + 1);
    take_notices();
    EXPECT_EQ(read_seen_steps(), make_settings({1}).story_progress.seen_steps);
    window.write(make_settings({1, 2}));
    EXPECT_THAT(take_notices(), ElementsAre(HasSubstr(change.string())));
    EXPECT_TRUE(std::filesystem::exists(change));
}

/// A member that only another version knows does not make a prediction a different one.
TEST_F(SettingsTest, PredictionWithUnknownMembersCanChange) {
    Settings settings;
    Prediction& prediction = settings.story_progress.predictions[{"GPU", "reduction", step_name(1)}];
    prediction = decided_answer(1, Outcome::Result::wrong);
    auto theirs = nlohmann::ordered_json::parse(format_settings(settings));
    theirs["predictions"][0]["confidence"] = 3;
    write_file(file, theirs.dump());
    SettingsFile window(file);
    Settings ours = window.read();
    ours.story_progress.predictions.begin()->second.outcome->result = Outcome::Result::right;
    ours.story_progress.predictions.begin()->second.outcome->explanation = "Measured again.";
    window.write(ours);
    const StoryProgress after = story_progress();
    EXPECT_EQ(after.predictions.begin()->second.outcome->result, Outcome::Result::right);
    EXPECT_THAT(read_file(file), HasSubstr("\"confidence\": 3")) << "the unknown member stays";
}

TEST_F(SettingsTest, UnreadSettingsAreNotOverwritten) {
    write_file(file, format_settings(make_settings({1, 2}, Mode::light)));
    // This window has started without reading them.
    Settings shown = make_settings({9});
    SettingsFile window(file, shown);
    shown.layout.bench_width = 400;
    window.write(shown);
    const Settings now = read();
    EXPECT_EQ(now.story_progress.seen_steps, make_settings({1, 2}).story_progress.seen_steps);
    EXPECT_EQ(now.mode, Mode::light);
    EXPECT_EQ(now.layout.bench_width, 400);
}

TEST_F(SettingsTest, FileWithoutPermissionStaysUnchanged) {
    write_file(file, format_settings(make_settings({1})));
    std::filesystem::permissions(file, std::filesystem::perms::none);
    if (::access(file.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read everything";
    SettingsFile window(file);
    EXPECT_THROW(window.read(), FileError);
    EXPECT_THROW(window.write(make_settings({2})), FileError);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    EXPECT_EQ(read_seen_steps(), make_settings({1}).story_progress.seen_steps);
}

}  // namespace gridstride::ui::settings_test
