// Archives: what is written comes back, and a damaged one is refused or read in part.
#include "assignment/zip_file.h"

#include "base/mutations.h"
#include "test_includes.h"

namespace gridstride {
namespace {

std::map<std::string, std::string> read_all(const fs::path& path, std::uintmax_t max_entry_bytes = 1 << 20) {
    std::map<std::string, std::string> files;
    read_zip(path, max_entry_bytes,
             [&](const ZipEntry& entry) { files[entry.name] = entry.problem + entry.content; });
    return files;
}

TEST(ZipFile, RoundTrips) {
    const ScratchFolder folder;
    const std::map<std::string, std::string> files = {{"a/Zoë.json", "{}"},
                                                      {"b.npy", std::string("\0\xff\n", 3)},
                                                      {"long", std::string(200'000, 'x')},
                                                      {"none", ""}};
    write_zip(folder / "a.zip", files);
    EXPECT_EQ(read_all(folder / "a.zip"), files);
    EXPECT_THAT(read_all(folder / "a.zip", 1000).at("long"), Mentions("1000"));
}

TEST(ZipFile, DamagedFilesAreRefusedOrReadInPart) {
    const ScratchFolder folder;
    write_zip(folder / "a.zip", {{"a.json", "{\"kind\": 1}"}, {"b.json", std::string(1000, 'x')}});
    const std::string whole = read_file(folder / "a.zip");
    std::mt19937 random(1);
    for (int i = 0; i < sample_of(20'000, 400); ++i) {
        write_file(folder / "b.zip", test::mutated(whole, random));
        try {
            for (const auto& [name, content] : read_all(folder / "b.zip"))
                EXPECT_LE(content.size(), 1u << 20);
        } catch (const FileError& error) {
            EXPECT_THAT(error.what(), HasSubstr("b.zip"));
        }
    }
}

}  // namespace
}  // namespace gridstride
