#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "../base/scratch_folder.h"
#include "base/file.h"
#include "ui/panels/workspace.h"

namespace gridstride::ui {
namespace {

TEST(Settings, APipeInTheirPlaceIsSetAside) {
    const test::ScratchFolder scratch;
    const std::filesystem::path file = scratch / "settings.json";
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_EQ(format_settings(load_settings(file)), format_settings({}));
    EXPECT_FALSE(std::filesystem::exists(file)) << "the next ones are kept again";
    EXPECT_TRUE(std::filesystem::is_fifo(scratch / "settings.json.damaged"));
}

TEST(Settings, WhatOneWindowForgetsIsGoneAndTheOthersStays) {
    const test::ScratchFolder scratch;
    const std::filesystem::path file = scratch / "settings.json";
    Settings both;
    for (const char* lesson : {"reduction", "histogram"}) {
        both.learned.seen.insert({"GPU", lesson, 0});
        both.learned.predictions[{{"GPU", lesson, 0}, 4}].skipped = true;
    }
    std::string known = format_settings({});
    write_settings(file, known, both);
    Settings forgets = both;
    forgets.learned.forget("GPU", "reduction");
    write_settings(file, known, forgets);
    const Learned left = load_settings(file).learned;
    EXPECT_EQ(left.seen, (std::set<StepKey>{{"GPU", "histogram", 0}}));
    ASSERT_EQ(left.predictions.size(), 1U);
    EXPECT_EQ(left.predictions.begin()->first.lesson, "histogram");
}

/// As the version before wrote them.
TEST(Settings, EarlierOnesAreRead) {
    const test::ScratchFolder scratch;
    const std::filesystem::path file = scratch / "settings.json";
    write_file(file, R"({"schema_version":1,"theme":"light","lesson":"reduction","step":3,"predictions":[)"
                     R"({"lesson":"reduction","step":1,"block":4,"choice":2,"outcome":{"value":0.5,)"
                     R"("right_choice":1,"guess_right":false,"afterwards":"No."}}]})");
    Learned learned = load_settings(file).learned;
    EXPECT_EQ(learned.lesson, "reduction");
    learned.belongs_to("GPU");
    EXPECT_EQ(learned.left.at({"GPU", "reduction"}).step, 3U);
    const Prediction& prediction = learned.predictions.at({{"GPU", "reduction", 1}, 4});
    EXPECT_EQ(prediction.answer.choice, 2U);
    EXPECT_EQ(prediction.outcome->result, Outcome::Result::wrong);
    write_file(file, R"({"schema_version":1,"predictions":[{"lesson":"reduction"}]})");
    EXPECT_TRUE(load_settings(file).learned.predictions.empty());
    EXPECT_TRUE(std::filesystem::exists(scratch / "settings.json.damaged"));
}

TEST(Settings, TwoWindowsDoNotOverwriteEachOthersPredictions) {
    const test::ScratchFolder scratch;
    const std::filesystem::path file = scratch / "settings.json";
    std::string known_to_first = format_settings({}), known_to_second = known_to_first;
    const auto with = [](std::size_t step, std::size_t choice, const std::string& lesson) {
        Settings settings;
        settings.learned.lesson = lesson;
        settings.learned.seen.insert({"GPU", "reduction", step});
        settings.learned.left[{"GPU", "reduction"}].step = step;
        settings.learned.predictions[{{"GPU", "reduction", step}, 4}].answer.choice = choice;
        return settings;
    };
    write_settings(file, known_to_first, with(1, 0, "reduction"));
    Settings second = with(2, 1, "histogram");
    second.layout.arrangement = Arrangement::bench;
    second.layout.runs_open_in_bench = false;
    write_settings(file, known_to_second, second);
    // The first again: what it has not changed since stays as the second wrote it.
    Settings first = with(1, 2, "reduction");
    first.mode = Mode::light;
    write_settings(file, known_to_first, first);
    const Settings both = load_settings(file);
    const Learned& learned = both.learned;
    ASSERT_EQ(learned.predictions.size(), 2U);
    EXPECT_EQ(learned.predictions.at({{"GPU", "reduction", 1}, 4}).answer.choice, 2U);
    EXPECT_EQ(learned.predictions.at({{"GPU", "reduction", 2}, 4}).answer.choice, 1U);
    EXPECT_EQ(learned.seen.size(), 2U) << "what either has seen";
    EXPECT_EQ(learned.left.at({"GPU", "reduction"}).step, 2U) << "one entry a lesson, the newest";
    EXPECT_EQ(learned.lesson, "histogram");
    EXPECT_EQ(both.layout.arrangement, Arrangement::bench);
    EXPECT_FALSE(both.layout.runs_open_in_bench);
    EXPECT_FALSE(both.layout.runs_open_in_learn);
    EXPECT_EQ(both.mode, Mode::light);
}

}  // namespace
}  // namespace gridstride::ui
