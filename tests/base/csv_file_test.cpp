#include "base/csv_file.h"

#include <sys/resource.h>

#include <csignal>

#include "base/csv.h"
#include "message_of.h"
#include "scratch_folder.h"
#include "test_includes.h"

namespace gridstride::csv_file_test {

TEST(CsvFile, ReplacesTheOldFileOnlyAtFinish) {
    const ScratchFolder folder;
    const auto path = folder / "out.csv";
    write_file(path, "before");
    CsvFile file(path, "a,b\r\n");
    EXPECT_EQ(read_file(path), "before") << "the old file stays until the new one is complete";
    EXPECT_EQ(folder.entries(), 2u);
    file.append("1,2\r\n");
    file.finish();
    EXPECT_EQ(read_file(path), "a,b\r\n1,2\r\n");
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(CsvFile, LeavesNothingWithoutARow) {
    const ScratchFolder folder;
    write_file(folder / "out.csv", "before");
    { const CsvFile file(folder / "out.csv", "a\r\n"); }
    CsvFile(folder / "out.csv", "a\r\n").finish();
    EXPECT_EQ(read_file(folder / "out.csv"), "before");
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(CsvFile, KeepsItsRowsWithoutFinish) {
    const ScratchFolder folder;
    {
        CsvFile file(folder / "out.csv", "a\r\n");
        file.append("1\r\n");
        EXPECT_THAT(find_abandoned_files(folder.path()), IsEmpty()) << "its process still runs";
    }
    const auto left = find_abandoned_files(folder.path());
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(read_file(left.front()), "a\r\n1\r\n");
}

/// Limits the size of this process's files during its lifetime, as a full disk would.
class FullDisk {
 public:
    explicit FullDisk(rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

 private:
    rlimit before_{};
};

TEST(CsvFile, KeepsWholeRowsWhenTheDiskIsFull) {
    const ScratchFolder folder;
    CsvFile file(folder / "out.csv", "a,b\r\n");
    const FullDisk disk(12);
    file.append("1,2\r\n");
    EXPECT_THAT(message_of<FileError>([&] { file.append("3,4\r\n"); }), Mentions(12));
    EXPECT_THROW(file.append("5,6\r\n"), FileError);
    EXPECT_THAT(message_of<FileError>([&] { file.finish(); }),
                AllOf(Mentions(2, "missing"), HasSubstr("out.csv")));
    EXPECT_EQ(read_file(folder / "out.csv"), "a,b\r\n1,2\r\n") << "no partial row";
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(CsvFile, WritesPendingRowsOnceTheDiskHasSpace) {
    const ScratchFolder folder;
    CsvFile file(folder / "out.csv", "a,b\r\n");
    {
        const FullDisk disk(7);
        EXPECT_THROW(file.append("1,2\r\n"), FileError);
    }
    file.append("3,4\r\n");
    file.finish();
    EXPECT_EQ(read_file(folder / "out.csv"), "a,b\r\n1,2\r\n3,4\r\n");
}

TEST(CsvFile, KeepsTheOldFileIfNoRowFits) {
    const ScratchFolder folder;
    write_file(folder / "out.csv", "before");
    {
        CsvFile file(folder / "out.csv", "a,b\r\n");
        const FullDisk disk(7);
        EXPECT_THROW(file.append("1,2\r\n"), FileError);
        EXPECT_THROW(file.finish(), FileError);
    }
    EXPECT_EQ(read_file(folder / "out.csv"), "before");
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(CsvFile, NamesTheTemporaryFileIfTheNameIsTaken) {
    const ScratchFolder folder;
    CsvFile file(folder / "out.csv", "a\r\n");
    file.append("1\r\n");
    std::filesystem::create_directory(folder / "out.csv");
    const std::string message = message_of<FileError>([&] { file.finish(); });
    const auto left = find_abandoned_files(folder.path());
    ASSERT_EQ(left.size(), 1u);
    EXPECT_THAT(message, HasSubstr("Is a directory"));
    EXPECT_THAT(message, HasSubstr(left.front().string()));
    EXPECT_EQ(read_file(left.front()), "a\r\n1\r\n");
}

TEST(CsvFile, FollowsLinksAndKeepsPermissions) {
    const ScratchFolder folder;
    write_file(folder / "real.csv", "before");
    std::filesystem::permissions(folder / "real.csv", std::filesystem::perms(0600));
    std::filesystem::create_symlink("real.csv", folder / "link.csv");
    CsvFile file(folder / "link.csv", "a\r\n");
    file.append("after\r\n");
    file.finish();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.csv"));
    EXPECT_EQ(read_file(folder / "real.csv"), "a\r\nafter\r\n");
    EXPECT_EQ(std::filesystem::status(folder / "real.csv").permissions(), std::filesystem::perms(0600));
}

TEST(CsvFile, ReportsUnwritablePaths) {
    EXPECT_THROW(CsvFile("/nonexistent/out.csv", "a\r\n"), FileError);
    EXPECT_THROW(CsvFile("/dev/full", "a\r\n"), FileError);
    CsvFile nowhere("/dev/null", "a\r\n");
    nowhere.append("1\r\n");
    nowhere.finish();
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(ForEachCsvRecord, CountsLinesAcrossQuotedLineBreaks) {
    std::vector<std::size_t> lines;
    for_each_csv_record("a,b\r\n\"x\ny\",2\r\n3,4\r\n", ',',
                        [&](std::size_t line, const std::vector<std::string>&) { lines.push_back(line); });
    EXPECT_THAT(lines, ElementsAre(1, 2, 4));
}

}  // namespace gridstride::csv_file_test
