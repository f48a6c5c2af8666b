#include "lesson/user_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "../base/message_of.h"
#include "../base/scratch_folder.h"
#include "base/error.h"
#include "base/file.h"

namespace gridstride {
namespace {

TEST(UserData, TellsInputsApartByTheirNumbers) {
    const test::ScratchFolder scratch;
    const Lesson& lesson = *find_lesson("histogram");
    const auto checksum = [&](const std::string& name, const std::string& text) {
        write_file(scratch / name, text);
        return read_user_data(scratch / name, lesson).checksum;
    };
    // Python's zlib.crc32(numpy.array([1, 2.5, -3], "<f8").tobytes())
    EXPECT_EQ(checksum("a;b.csv", "1\n2.5\n-3\n"), "bf76cb7e");
    EXPECT_EQ(checksum("c.txt", "x;y\n1,0;7\n2,5;8\n-3;9\n"), "bf76cb7e");
    EXPECT_NE(checksum("a;b.csv", "1\n2.5\n-4\n"), "bf76cb7e");
}

TEST(UserData, IsTheSameByItsChecksumWhenTheNumbersAreLetGo) {
    const test::ScratchFolder scratch;
    write_file(scratch / "a.csv", "1\n2\n3\n");
    const UserData own = read_user_data(scratch / "a.csv", *find_lesson("histogram"));
    UserData kept = own;
    kept.numbers.reset();
    EXPECT_EQ(kept, own);
    write_file(scratch / "a.csv", "1\n2\n4\n");
    EXPECT_FALSE(read_user_data(scratch / "a.csv", *find_lesson("histogram")) == own);
    kept.name = "b.csv";
    EXPECT_FALSE(kept == own) << "another file's name stands in tables";
    EXPECT_FALSE(UserData{} == own) << "the lesson's own input";
}

TEST(UserData, PipesAndDevicesAreNotWaitedFor) {
    const test::ScratchFolder scratch;
    ASSERT_EQ(::mkfifo((scratch / "pipe.csv").c_str(), 0600), 0);
    std::filesystem::create_symlink("/dev/zero", scratch / "zero.npy");
    const auto complaint_about = [&](const char* name) {
        return test::message_of<FileError>(
            [&] { read_user_data(scratch / name, *find_lesson("histogram")); });
    };
    EXPECT_THAT(complaint_about("pipe.csv"), testing::HasSubstr("it is a pipe"));
    EXPECT_THAT(complaint_about("zero.npy"), testing::HasSubstr("it is a device"));
}

TEST(UserData, CanBeGivenUp) {
    const test::ScratchFolder scratch;
    write_file(scratch / "a.csv", "1\n2\n3\n");
    FileProgress progress;
    read_user_data(scratch / "a.csv", *find_lesson("histogram"), &progress);
    EXPECT_EQ(progress.total, 6u);
    EXPECT_EQ(progress.done, 6u);
    progress.cancelled = true;
    EXPECT_THROW(read_user_data(scratch / "a.csv", *find_lesson("histogram"), &progress), Cancelled);
}

}  // namespace
}  // namespace gridstride
