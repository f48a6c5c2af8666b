#include "lesson/user_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "../base/message_of.h"
#include "../base/scratch_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "base/npy.h"

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

TEST(UserData, AMatrixBringsItsColumnsAndRows) {
    const test::ScratchFolder scratch;
    const Array six = Array::of<float>(std::vector<float>{1, 2, 3, 4, 5, 6});
    write_file(scratch / "line.npy", format_npy(six));
    write_file(scratch / "matrix.npy", format_npy(six, 3));
    const Lesson& histogram = *find_lesson("histogram");
    const UserData line = read_user_data(scratch / "line.npy", histogram);
    const UserData matrix = read_user_data(scratch / "matrix.npy", histogram);
    EXPECT_EQ(line.width, 0u);
    EXPECT_EQ(matrix.width, 3u);
    EXPECT_EQ(matrix.checksum, line.checksum) << "the same numbers";

    // A lesson over columns and rows that takes such files.
    Lesson over_rows = *find_lesson("thread_index");
    over_rows.input_files = {".npy"};
    const auto shape_of = [&](const Lesson& lesson, const UserData& data) {
        Experiment asked = default_experiment(lesson);
        asked.input = data;
        take_count_of_input(lesson, asked);
        return lesson.domain_of(asked.values);
    };
    EXPECT_EQ(shape_of(over_rows, read_user_data(scratch / "matrix.npy", over_rows)), (Extent{3, 2}));
    EXPECT_EQ(shape_of(over_rows, line), (Extent{6, 1}));
    EXPECT_EQ(shape_of(histogram, matrix), Extent{6}) << "in one dimension it is its numbers, row by row";
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

class WithinAFolder : public testing::Test {
 protected:
    WithinAFolder() {
        std::filesystem::create_directories(scratch_ / "mine/below");
        write_file(scratch_ / "outside.csv", "7\n");
        write_file(scratch_ / "mine/below/a.csv", "1\n2\n");
    }
    std::string folder() const { return (scratch_ / "mine").string(); }
    std::string refusal_of(const std::string& file) const {
        return test::message_of<FileError>([&] { path_within(folder(), file); });
    }
    test::ScratchFolder scratch_;
};

TEST_F(WithinAFolder, NumbersAreReadByTheirEnding) {
    write_file(scratch_ / "mine/matrix.npy", format_npy(Array::of<float>(std::vector<float>{1, 2, 3, 4}), 2));
    const UserData matrix = read_within(folder(), "matrix.npy");
    EXPECT_EQ(matrix.width, 2u);
    EXPECT_EQ(matrix.numbers->number(3), 4);
    EXPECT_EQ(read_within(folder(), "below/../below/a.csv").numbers->count(), 2u);
    const auto complaint_about = [&](const char* file) {
        return test::message_of<FileError>([&] { read_within(folder(), file); });
    };
    EXPECT_THAT(complaint_about("gone.npy"), testing::HasSubstr("there is no such file"));
    EXPECT_THAT(complaint_about("a.bin"), testing::HasSubstr("\"a.bin\" cannot be read as numbers"));
}

TEST_F(WithinAFolder, NothingLeadsOut) {
    std::filesystem::create_symlink("../outside.csv", scratch_ / "mine/link.csv");
    std::filesystem::create_symlink("..", scratch_ / "mine/up");
    std::filesystem::create_symlink("../new.npy", scratch_ / "mine/dangling.npy");
    std::filesystem::create_symlink("below/a.csv", scratch_ / "mine/inner.csv");
    for (const std::string file :
         {"../outside.csv", "below/../../outside.csv", "gone/../../outside.csv", "link.csv", "up/outside.csv",
          "up/new.npy", "dangling.npy", "/etc/passwd", "", ".", ".."}) {
        EXPECT_THAT(refusal_of(file), testing::HasSubstr("leads out of \"" + folder() + "\"")) << file;
        EXPECT_THROW(read_within(folder(), file), FileError) << file;
    }
    EXPECT_EQ(read_within(folder(), "inner.csv").numbers->count(), 2u) << "a link may stay inside";
    // The folder itself may be reached over a link.
    std::filesystem::create_symlink("mine", scratch_ / "yours");
    EXPECT_EQ(read_within((scratch_ / "yours").string(), "below/a.csv").numbers->count(), 2u);
}

TEST_F(WithinAFolder, WhatIsNotThereYetHasItsPlace) {
    EXPECT_EQ(path_within(folder(), "new.npy"), std::filesystem::canonical(scratch_ / "mine") / "new.npy");
    ASSERT_EQ(::mkfifo((scratch_ / "mine/pipe.npy").c_str(), 0600), 0);
    EXPECT_THAT(refusal_of("pipe.npy"), testing::HasSubstr("is a folder, a pipe or a device"));
    EXPECT_THAT(refusal_of("below"), testing::HasSubstr("is a folder, a pipe or a device"));
    EXPECT_THAT(test::message_of<FileError>([] { path_within("", "new.npy"); }),
                testing::HasSubstr("Save the text first"));
    EXPECT_THAT(test::message_of<FileError>([] { path_within("/", "new.npy"); }),
                testing::HasSubstr("the root of all"));
}

}  // namespace
}  // namespace gridstride
