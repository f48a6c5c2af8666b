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

}  // namespace
}  // namespace gridstride::ui
