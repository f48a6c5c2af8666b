#include "lesson/user_data.h"

#include "lesson/input_remarks.h"

#include <sys/stat.h>

#include "base/units.h"
#include "readers/npy.h"
#include "test_includes.h"

namespace gridstride::user_data_test {

TEST(UserData, ChecksumIdentifiesTheNumbers) {
    const ScratchFolder scratch;
    const Lesson& lesson = *find_lesson("histogram");
    const auto checksum = [&](const std::string& name, const std::string& text) {
        write_file(scratch / name, text);
        return read_user_data(scratch / name, lesson).checksum;
    };
    // The expected value is Python's zlib.crc32(numpy.array([1, 2.5, -3], "<f8").tobytes()).
    EXPECT_EQ(checksum("a;b.csv", "1\n2.5\n-3\n"), "bf76cb7e");
    EXPECT_EQ(checksum("c.txt", "x;\n1,0;\n2,5;\n-3;\n"), "bf76cb7e");
    EXPECT_NE(checksum("a;b.csv", "1\n2.5\n-4\n"), "bf76cb7e");
}

TEST(UserData, ComparesByChecksumAfterTheNumbersAreReleased) {
    const ScratchFolder scratch;
    write_file(scratch / "a.csv", "1\n2\n3\n");
    const UserData own = read_user_data(scratch / "a.csv", *find_lesson("histogram"));
    UserData user_data = own;
    user_data.numbers.reset();
    EXPECT_EQ(user_data, own);
    write_file(scratch / "a.csv", "1\n2\n4\n");
    EXPECT_FALSE(read_user_data(scratch / "a.csv", *find_lesson("histogram")) == own);
    user_data.name = "b.csv";
    EXPECT_FALSE(user_data == own) << "tables contain the file's name";
    EXPECT_FALSE(UserData{} == own) << "the lesson's own input";
}

TEST(UserData, MatrixSetsColumnsAndRows) {
    const ScratchFolder scratch;
    const Array six = Array::of<float>(std::vector<float>{1, 2, 3, 4, 5, 6});
    write_file(scratch / "line.npy", format_npy(six));
    write_file(scratch / "matrix.npy", format_npy(six, 3));
    const Lesson& histogram = *find_lesson("histogram");
    const UserData line = read_user_data(scratch / "line.npy", histogram);
    const UserData matrix = read_user_data(scratch / "matrix.npy", histogram);
    EXPECT_EQ(line.width, 0u);
    EXPECT_EQ(matrix.width, 3u);
    EXPECT_EQ(matrix.checksum, line.checksum) << "the same numbers";

    // This lesson over columns and rows accepts such files.
    Lesson row_lesson = *find_lesson("thread_index");
    row_lesson.input_files = {".npy"};
    const auto shape_of = [&](const Lesson& lesson, const UserData& data) {
        Experiment experiment = default_experiment(lesson);
        experiment.input = data;
        apply_input_extent(lesson, experiment);
        return lesson.domain_extent(experiment.values);
    };
    EXPECT_EQ(shape_of(row_lesson, read_user_data(scratch / "matrix.npy", row_lesson)), (Extent{3, 2}));
    EXPECT_EQ(shape_of(row_lesson, line), (Extent{6, 1}));
    EXPECT_EQ(shape_of(histogram, matrix), Extent{6}) << "in one dimension it is its numbers, row by row";
}

TEST(UserData, CsvColumnsGiveAMatrixOrOneColumn) {
    const ScratchFolder scratch;
    write_file(scratch / "m.csv", "a,b,c\n1,2,3\n4,5,6\n");
    write_file(scratch / "row.csv", "1,2,3,4,5\n");
    const Lesson& softmax = *find_lesson("softmax");
    const auto read = [&](const char* name, const FileChoice& choice = {}) {
        return read_user_data(scratch / name, softmax, choice);
    };
    EXPECT_THROW(read("m.csv"), NeedsChoice);
    EXPECT_EQ(read("m.csv", {.column = "all"}).width, 3u);
    EXPECT_EQ(read("m.csv", {.column = "b"}).width, 0u);
    EXPECT_EQ(read("m.csv", {.column = "b"}).numbers->count(), 2u);
    EXPECT_EQ(read("m.csv", {.column = "b"}).selection, "column `b`, " + counted(2, "row"));
    EXPECT_EQ(read("row.csv").numbers->count(), 5u);
    EXPECT_EQ(read("row.csv").width, 0u);
}

TEST(UserData, RefusesOptionsThatDoNotApplyToTheFile) {
    const ScratchFolder scratch;
    write_file(scratch / "a.csv", "1\n2\n");
    write_file(scratch / "a.npy", format_npy(Array::of<std::int16_t>(std::vector<std::int16_t>{1})));
    const Lesson& lesson = *find_lesson("zero_suppression");
    const auto refusal = [&](const char* name, const FileChoice& choice) {
        return message_of<Refusal>([&] { read_user_data(scratch / name, lesson, choice); });
    };
    EXPECT_THAT(refusal("a.npy", {.column = "all"}), HasSubstr("--column applies to .csv"));
    EXPECT_THAT(refusal("a.npy", {.has_header = true}), HasSubstr("--header applies to .csv"));
    EXPECT_THAT(refusal("a.csv", {.channel = 1}), HasSubstr("--channel applies to .wav"));
    EXPECT_THAT(refusal("a.csv", {.wav_counts = true}), HasSubstr("--wav-scale applies to .wav files"));
}

TEST(UserData, ConvertedNumbersHaveARemark) {
    const auto remarks = [](const char* stored, ElementType type) {
        return conversion_remarks({.name = "a.npy", .stored_type = stored}, type);
    };
    EXPECT_THAT(remarks("u16", ElementType::f32), ElementsAre(Mentions("a.npy", "converted")));
    EXPECT_THAT(remarks("big-endian f32", ElementType::f32),
                ElementsAre(HasSubstr("were converted exactly from big-endian f32 to f32")));
    EXPECT_THAT(remarks("f64", ElementType::f32), ElementsAre(HasSubstr("were rounded from f64 to f32")));
    EXPECT_THAT(remarks("f32", ElementType::f32), IsEmpty());
    EXPECT_THAT(remarks("", ElementType::f32), IsEmpty()) << "not an .npy file";
    // A text file has no element type: 2^24 + 1 is not an f32, and a fraction is not an integer.
    const std::vector<double> numbers = {0.1, 16777217, 16777216, 1e300, 16777219};
    const UserData text{.numbers = share(Array::of<double>(numbers)), .name = "a.csv"};
    EXPECT_THAT(conversion_remarks(text, ElementType::f32),
                ElementsAre(Mentions("a.csv", 3, 2, 16777217, 16777216)));
    EXPECT_THAT(conversion_remarks(text, ElementType::u32), IsEmpty());
    EXPECT_THAT(conversion_remarks({.name = "a.csv", .remarks = {"One.", "Two."}}, ElementType::f32),
                ElementsAre("a.csv: One.", "a.csv: Two."));
}

/// The lessons cover each kind of element type: f32, i16 and u32.
TEST(UserData, RefusalNamesTheFirstNumberThatDoesNotFit) {
    const auto refusal = [](const char* lesson, Array numbers, const char* stored) {
        Experiment experiment = default_experiment(*find_lesson(lesson));
        experiment.input = {.numbers = share(std::move(numbers)), .name = "a.npy", .stored_type = stored};
        apply_input_extent(*find_lesson(lesson), experiment);
        return message_of<Refusal>(
            [&] { find_lesson(lesson)->input_from_user(experiment.input, experiment.values); });
    };
    const auto f64 = [](std::vector<double> numbers) { return Array::of<double>(numbers); };
    using testing::AllOf, testing::HasSubstr;
    EXPECT_THAT(refusal("histogram", f64({1, 16777217, 16777219}), "i64"),
                Mentions(2, 16777217, "16777216", "astype"));
    EXPECT_THAT(
        refusal("histogram", Array::of<std::uint32_t>(std::vector<std::uint32_t>{1, 4294967295u}), "u32"),
        Mentions(2, "4294967295"));
    EXPECT_THAT(refusal("histogram", f64({1, 1e39}), "f64"), HasSubstr("Row 2: 1e+39"));
    EXPECT_THAT(
        refusal("zero_suppression", Array::of<std::uint32_t>(std::vector<std::uint32_t>{7, 32768}), "u16"),
        Mentions(2, 32768, -32768, 32767, "Scale"));
    EXPECT_THAT(refusal("zero_suppression", Array::of<float>(std::vector<float>{7, NAN}), "f16"),
                Mentions("Row 2: nan", "replace"));
    EXPECT_THAT(refusal("reduction", f64({7, -1}), "i64"),
                Mentions(2, -1, 0, "4294967295", "element_type = f32"));
    EXPECT_THAT(refusal("reduction", f64({7, 4294967297}), "i64"), Mentions("Row 2: 4294967297", "exactly"));
    EXPECT_THAT(refusal("reduction", f64({7, INFINITY}), "f64"), Mentions("replace"));
}

TEST(UserData, RefusesPipesAndDevicesAtOnce) {
    const ScratchFolder scratch;
    ASSERT_EQ(::mkfifo((scratch / "pipe.csv").c_str(), 0600), 0);
    std::filesystem::create_symlink("/dev/zero", scratch / "zero.npy");
    const auto complaint_about = [&](const char* name) {
        return message_of<FileError>([&] { read_user_data(scratch / name, *find_lesson("histogram")); });
    };
    EXPECT_THAT(complaint_about("pipe.csv"), Mentions("a pipe"));
    EXPECT_THAT(complaint_about("zero.npy"), HasSubstr("it is a device"));
}

TEST(UserData, CanBeCancelled) {
    const ScratchFolder scratch;
    write_file(scratch / "a.csv", "1\n2\n3\n");
    FileProgress progress;
    read_user_data(scratch / "a.csv", *find_lesson("histogram"), {}, &progress);
    EXPECT_EQ(progress.total, 6u);
    EXPECT_EQ(progress.done, 6u);
    progress.is_cancelled = true;
    EXPECT_THROW(read_user_data(scratch / "a.csv", *find_lesson("histogram"), {}, &progress), Cancelled);
}

class ReadFileInFolder : public testing::Test {
 protected:
    ReadFileInFolder() {
        std::filesystem::create_directories(scratch_ / "mine/below");
        write_file(scratch_ / "outside.csv", "7\n");
        write_file(scratch_ / "mine/below/a.csv", "1\n2\n");
    }
    std::string folder() const { return (scratch_ / "mine").string(); }
    std::string refusal_of(const std::string& file) const {
        return message_of<FileError>([&] { resolve_path_in_folder(folder(), file); });
    }
    ScratchFolder scratch_;
};

TEST_F(ReadFileInFolder, ReadsNumbersByFileExtension) {
    write_file(scratch_ / "mine/matrix.npy", format_npy(Array::of<float>(std::vector<float>{1, 2, 3, 4}), 2));
    const UserData matrix = read_file_in_folder(folder(), "matrix.npy");
    EXPECT_EQ(matrix.width, 2u);
    EXPECT_EQ(matrix.numbers->number(3), 4);
    EXPECT_EQ(read_file_in_folder(folder(), "below/../below/a.csv").numbers->count(), 2u);
    const auto complaint_about = [&](const char* file) {
        return message_of<FileError>([&] { read_file_in_folder(folder(), file); });
    };
    EXPECT_THAT(complaint_about("gone.npy"), Mentions("no such"));
    EXPECT_THAT(complaint_about("a.bin"), Mentions("a.bin", "read"));
}

TEST_F(ReadFileInFolder, RefusesAmbiguousFiles) {
    write_file(scratch_ / "mine/matrix.csv", "1,2\n3,4\n");
    write_file(scratch_ / "mine/pandas.csv", ",0\n0,5\n");
    EXPECT_EQ(read_file_in_folder(folder(), "matrix.csv").width, 2u) << "all columns";
    EXPECT_THAT(message_of<FileError>([&] { read_file_in_folder(folder(), "pandas.csv"); }),
                AllOf(Mentions(1, "empty"), Mentions("save"), Not(HasSubstr("--header"))));
}

TEST_F(ReadFileInFolder, RefusesPathsOutsideTheFolder) {
    std::filesystem::create_symlink("../outside.csv", scratch_ / "mine/link.csv");
    std::filesystem::create_symlink("..", scratch_ / "mine/up");
    std::filesystem::create_symlink("../new.npy", scratch_ / "mine/dangling.npy");
    std::filesystem::create_symlink("below/a.csv", scratch_ / "mine/inner.csv");
    for (const std::string file :
         {"../outside.csv", "below/../../outside.csv", "gone/../../outside.csv", "link.csv", "up/outside.csv",
          "up/new.npy", "dangling.npy", "/etc/passwd", "", ".", ".."}) {
        EXPECT_THAT(refusal_of(file), HasSubstr("is outside \"" + folder() + "\"")) << file;
        EXPECT_THROW(read_file_in_folder(folder(), file), FileError) << file;
    }
    EXPECT_EQ(read_file_in_folder(folder(), "inner.csv").numbers->count(), 2u) << "a link may stay inside";
    // The path to the folder itself may contain a symbolic link.
    std::filesystem::create_symlink("mine", scratch_ / "yours");
    EXPECT_EQ(read_file_in_folder((scratch_ / "yours").string(), "below/a.csv").numbers->count(), 2u);
}

TEST_F(ReadFileInFolder, ResolvesAFileThatDoesNotExistYet) {
    EXPECT_EQ(resolve_path_in_folder(folder(), "new.npy"),
              std::filesystem::canonical(scratch_ / "mine") / "new.npy");
    ASSERT_EQ(::mkfifo((scratch_ / "mine/pipe.npy").c_str(), 0600), 0);
    EXPECT_THAT(refusal_of("pipe.npy"), Mentions("a pipe"));
    EXPECT_THAT(refusal_of("below"), Mentions("a pipe"));
    EXPECT_THAT(message_of<FileError>([] { resolve_path_in_folder("", "new.npy"); }), Mentions("Save"));
    EXPECT_THAT(message_of<FileError>([] { resolve_path_in_folder("/", "new.npy"); }), Mentions("root"));
}

}  // namespace gridstride::user_data_test
