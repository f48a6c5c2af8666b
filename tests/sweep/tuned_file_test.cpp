// Tests the file of tuned launches: concurrent processes, damaged files and other versions.
#include "sweep/tuned_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/message_of.h"
#include "base/scratch_folder.h"
#include "base/shared_file.h"
#include "storage/notices.h"

namespace gridstride::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class TunedFileTest : public testing::Test {
 protected:
    /// Returns a tuned launch with this many elements.
    static TunedLaunch make_tuned(std::uint64_t elements, std::uint64_t workgroup_size = 256) {
        TunedLaunch one;
        one.experiment = default_experiment(*find_lesson("reduction"));
        one.experiment.variant = "tree_sequential";
        one.experiment.values.set("elements", elements);
        one.experiment.values.set("workgroup_size", workgroup_size);
        one.parameters = {"workgroup_size", "workgroup_count"};
        one.device = "A device";
        one.driver = "A driver 1.0";
        one.when = "2026-11-22T14:03:00.123Z";
        one.kernel_ns = {1000, 990, 1020};
        one.ties = 3;
        one.default_over_best = Estimate{1.5, 1.4, 1.6};
        return one;
    }

    test::ScratchFolder folder_;
    std::filesystem::path file_ = folder_ / "config/tuned.json";
};

TEST_F(TunedFileTest, RoundTrips) {
    EXPECT_THAT(read_tuned(file_), IsEmpty()) << "the file does not exist yet";
    write_tuned(file_, {make_tuned(1000)});
    const std::vector<TunedLaunch> launches = read_tuned(file_);
    ASSERT_THAT(launches, SizeIs(1));
    const TunedLaunch expected = make_tuned(1000);
    EXPECT_EQ(launches[0].experiment, expected.experiment);
    EXPECT_EQ(launches[0].parameters, expected.parameters);
    EXPECT_EQ(launches[0].device, expected.device);
    EXPECT_EQ(launches[0].driver, expected.driver);
    EXPECT_EQ(launches[0].when, expected.when);
    EXPECT_EQ(launches[0].ties, expected.ties);
    EXPECT_EQ(launches[0].kernel_ns.low, 990);
    ASSERT_TRUE(launches[0].default_over_best);
    EXPECT_EQ(launches[0].default_over_best->high, 1.6);
}

TEST_F(TunedFileTest, AnEquivalentLaunchReplacesTheOldOne) {
    write_tuned(file_, {make_tuned(1000, 64), make_tuned(100000, 64)});
    TunedLaunch other_driver_launch = make_tuned(1024, 128);
    other_driver_launch.driver = "A driver 2.0";
    write_tuned(file_, {other_driver_launch});
    const std::vector<TunedLaunch> launches = read_tuned(file_);
    ASSERT_THAT(launches, SizeIs(2));
    EXPECT_EQ(launches[0].experiment.values[key::elements], 100000U);
    EXPECT_EQ(launches[1].experiment.values[key::workgroup_size], 128U);
    EXPECT_EQ(launches[1].driver, "A driver 2.0");
}

TEST_F(TunedFileTest, UnknownEntriesStayInTheFile) {
    write_tuned(file_, {make_tuned(1000), make_tuned(100000)});
    auto json = nlohmann::json::parse(read_file(file_));
    json["tuned"][0]["lesson"] = "of_tomorrow";
    write_file(file_, json.dump());
    take_notices();
    EXPECT_THAT(read_tuned(file_), SizeIs(1));
    EXPECT_THAT(take_notices(), ElementsAre(HasSubstr("1 stored launch in " + file_.string())));
    write_tuned(file_, {make_tuned(10)});
    EXPECT_THAT(read_tuned(file_), SizeIs(2));
    EXPECT_THAT(read_file(file_), HasSubstr("of_tomorrow"));
}

TEST_F(TunedFileTest, SetsADamagedFileAside) {
    write_tuned(file_, {make_tuned(1000)});
    const std::string original = read_file(file_);
    const std::vector<std::string> damaged = {"",
                                              "{",
                                              "[]",
                                              original.substr(0, original.size() / 2),
                                              R"({"schema_version":1,"tuned":)" + std::string(100'000, '['),
                                              R"({"schema_version":1,"tuned":{}})",
                                              R"({"schema_version":1,"tuned":[7]})",
                                              R"({"schema_version":1,"tuned":[{"lesson":"reduction"}]})"};
    for (const std::string& text : damaged) {
        write_file(file_, text);
        EXPECT_THAT(read_tuned(file_), IsEmpty()) << text;
        EXPECT_FALSE(std::filesystem::exists(file_)) << text;
        EXPECT_EQ(read_file(file_.string() + ".damaged"), text);
        write_file(file_, text);
        write_tuned(file_, {make_tuned(1000)});
        EXPECT_THAT(read_tuned(file_), SizeIs(1)) << "a new launch replaces the damaged file: " << text;
    }
    auto json = nlohmann::json::parse(original);
    json["tuned"][0]["kernel_ns"]["low"] = 5000;
    write_file(file_, json.dump());
    EXPECT_THAT(read_tuned(file_), IsEmpty()) << "its median is outside its interval";
}

TEST_F(TunedFileTest, LeavesAFileOfAnotherVersionUnchanged) {
    const std::string other_text = R"({"schema_version":2,"best":"of another kind"})";
    std::filesystem::create_directories(file_.parent_path());
    write_file(file_, other_text);
    EXPECT_THAT(test::message_of<FileError>([&] { read_tuned(file_); }), HasSubstr("version 2"));
    EXPECT_THAT(test::message_of<FileError>([&] { write_tuned(file_, {make_tuned(1000)}); }),
                HasSubstr("reads version 1"));
    EXPECT_EQ(read_file(file_), other_text);
}

TEST_F(TunedFileTest, ConcurrentWritersLoseNothing) {
    constexpr int processes = 4, writes_per_process = 6;
    std::vector<pid_t> children;
    for (int child = 0; child < processes; ++child) {
        const pid_t pid = ::fork();
        ASSERT_GE(pid, 0);
        if (pid == 0) {
            try {
                for (int i = 0; i < writes_per_process; ++i)
                    write_tuned(file_, {make_tuned(std::uint64_t{1} << (child * writes_per_process + i))});
            } catch (...) {
                ::_exit(1);
            }
            ::_exit(0);
        }
        children.push_back(pid);
    }
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    EXPECT_THAT(read_tuned(file_), SizeIs(processes * writes_per_process));
}

TEST_F(TunedFileTest, OnlyOneHolderCanLockTheFile) {
    std::filesystem::create_directories(file_.parent_path());
    std::optional<Descriptor> lock = lock_file(file_, std::chrono::milliseconds(0));
    ASSERT_TRUE(lock);
    EXPECT_FALSE(lock_file(file_, std::chrono::milliseconds(20)));
    lock.reset();
    EXPECT_TRUE(lock_file(file_, std::chrono::milliseconds(0)));
}

}  // namespace
}  // namespace gridstride::tests
