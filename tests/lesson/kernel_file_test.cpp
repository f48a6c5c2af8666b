#include "lesson/kernel_file.h"

#include <sys/stat.h>

#include "test_includes.h"

namespace gridstride::kernel_file_test {

TEST(KernelFile, NormalizesLineEndings) {
    const ScratchFolder scratch;
    write_file(scratch / "mine.comp",
               "\xEF\xBB\xBFvoid main() {\r\n}\r");  // line endings of Windows, and of an old Mac
    FileProgress progress;
    EXPECT_EQ(read_kernel(scratch / "mine.comp", &progress),
              (KernelSource{"void main() {\n}\n", "mine.comp", scratch.path().string()}));
    EXPECT_EQ(progress.done, std::filesystem::file_size(scratch / "mine.comp"));
}

TEST(KernelFile, HasItsNameAndFolder) {
    const KernelSource source = make_kernel_source("/a/b/../c/mine.comp", "x");
    EXPECT_EQ(source.name, "mine.comp");
    EXPECT_EQ(source.folder, "/a/c");
}

TEST(KernelFile, RefusesBinaryLargeAndSpecialFiles) {
    const ScratchFolder scratch;
    const auto complaint_about = [&](const char* name) {
        return message_of<FileError>([&] { read_kernel(scratch / name); });
    };
    write_file(scratch / "zero.comp", std::string("void\0main", 9));
    EXPECT_THAT(complaint_about("zero.comp"), HasSubstr("zero bytes"));
    constexpr std::uintmax_t max_bytes = std::uintmax_t{4} << 20;
    std::filesystem::resize_file(scratch / "zero.comp", max_bytes + 1);
    EXPECT_THAT(complaint_about("zero.comp"), Mentions(max_bytes + 1, max_bytes));
    ASSERT_EQ(::mkfifo((scratch / "pipe.comp").c_str(), 0600), 0);
    EXPECT_THAT(complaint_about("pipe.comp"), Mentions("a pipe"));
}

}  // namespace gridstride::kernel_file_test
