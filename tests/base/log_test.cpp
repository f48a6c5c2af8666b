#include "base/log.h"

#include "test_includes.h"

namespace gridstride::log_test {

std::string logged(const char* level) {
    if (level == nullptr) {
        ::unsetenv("GRIDSTRIDE_LOG");
    } else {
        ::setenv("GRIDSTRIDE_LOG", level, 1);
    }
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    set_up_log();
    log_debug("details");
    log_info("news");
    log_warning("a warning");
    ::unsetenv("GRIDSTRIDE_LOG");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    return testing::internal::GetCapturedStderr();
}

TEST(Log, WritesPlainLinesToStderr) {
    EXPECT_EQ(logged(nullptr), "gridstride: info: news\ngridstride: warning: a warning\n");
}

TEST(Log, TakesItsLevelFromTheEnvironment) {
    EXPECT_EQ(logged("debug"),
              "gridstride: debug: details\ngridstride: info: news\ngridstride: warning: a warning\n");
    EXPECT_EQ(logged("warning"), "gridstride: warning: a warning\n");
    EXPECT_EQ(logged("off"), "");
}

TEST(Log, WarnsOfAnUnknownLevel) {
    EXPECT_TRUE(
        logged("loud").starts_with("gridstride: warning: GRIDSTRIDE_LOG=\"loud\" is not a log level."));
}

}  // namespace gridstride::log_test
