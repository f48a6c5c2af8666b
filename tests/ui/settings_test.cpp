#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "../base/scratch_folder.h"
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

TEST(Settings, TwoWindowsDoNotOverwriteEachOthersPredictions) {
    const test::ScratchFolder scratch;
    const std::filesystem::path file = scratch / "settings.json";
    const std::string before = format_settings({});
    const auto with = [](std::size_t step, std::size_t choice, const std::string& lesson) {
        Settings settings;
        settings.lesson = lesson;
        settings.predictions[{"reduction", step, 4}].choice = choice;
        return settings;
    };
    write_settings(file, before, format_settings(with(1, 0, "reduction")));
    Settings second = with(2, 1, "histogram");
    second.layout.show_bench = false;
    write_settings(file, before, format_settings(second));
    // The first again: what it has not changed since stays as the second wrote it.
    Settings first = with(1, 2, "reduction");
    first.mode = Mode::light;
    write_settings(file, format_settings(with(1, 0, "reduction")), format_settings(first));
    const Settings both = load_settings(file);
    ASSERT_EQ(both.predictions.size(), 2U);
    EXPECT_EQ(both.predictions.at({"reduction", 1, 4}).choice, 2U);
    EXPECT_EQ(both.predictions.at({"reduction", 2, 4}).choice, 1U);
    EXPECT_EQ(both.lesson, "histogram");
    EXPECT_FALSE(both.layout.show_bench);
    EXPECT_EQ(both.mode, Mode::light);
}

}  // namespace
}  // namespace gridstride::ui
