#include "base/csv_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "scratch_folder.h"

namespace gridstride {
namespace {

TEST(CsvFile, GivesTheNameAtTheEndOnly) {
    const test::ScratchFolder folder;
    const auto path = folder / "out.csv";
    write_file(path, "before");
    CsvFile file(path);
    file.append("a,b\r\n");
    EXPECT_EQ(read_file(path), "before") << "the old file is whole until the new one is";
    EXPECT_EQ(folder.entries(), 2u);
    file.append("1,2\r\n");
    file.finish();
    EXPECT_EQ(read_file(path), "a,b\r\n1,2\r\n");
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(CsvFile, LeavesNothingWithoutFinish) {
    const test::ScratchFolder folder;
    { CsvFile(folder / "out.csv").append("a\r\n"); }
    EXPECT_EQ(folder.entries(), 0u);
}

TEST(CsvFile, FollowsLinksAndKeepsPermissions) {
    const test::ScratchFolder folder;
    write_file(folder / "real.csv", "before");
    std::filesystem::permissions(folder / "real.csv", std::filesystem::perms(0600));
    std::filesystem::create_symlink("real.csv", folder / "link.csv");
    CsvFile file(folder / "link.csv");
    file.append("after");
    file.finish();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.csv"));
    EXPECT_EQ(read_file(folder / "real.csv"), "after");
    EXPECT_EQ(std::filesystem::status(folder / "real.csv").permissions(), std::filesystem::perms(0600));
}

TEST(CsvFile, SaysWhereItCannotWrite) {
    EXPECT_THROW(CsvFile("/nonexistent/out.csv"), FileError);
    CsvFile full("/dev/full");
    EXPECT_THROW(full.append("a\r\n"), FileError);
    CsvFile nowhere("/dev/null");
    nowhere.append("a\r\n");
    nowhere.finish();
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(ForEachCsvRecord, CountsLinesAcrossQuotedLineBreaks) {
    std::vector<std::size_t> lines;
    for_each_csv_record("a,b\r\n\"x\ny\",2\r\n3,4\r\n", ',',
                        [&](std::size_t line, const std::vector<std::string>&) { lines.push_back(line); });
    EXPECT_THAT(lines, testing::ElementsAre(1, 2, 4));
}

}  // namespace
}  // namespace gridstride
