#include "base/find_in_folders.h"

#include <sys/stat.h>

#include "test_includes.h"

namespace gridstride::find_inside_test {

class FindInside : public testing::Test {
 protected:
    FindInside() {
        fs::create_directories(scratch_ / "shaders/sums");
        write_file(scratch_ / "secret.txt", "secret");
        write_file(scratch_ / "shaders/sums/tree.comp", "tree");
    }
    FolderSearchResult find(const std::string& name) const {
        return find_in_folders(canonical_folders({scratch_ / "shaders"}), {scratch_ / "shaders" / name});
    }
    void link(const std::string& to, const std::string& name) const {
        fs::create_symlink(to, scratch_ / "shaders" / name);
    }
    void expect_outside(const std::string& name) const {
        const FolderSearchResult found = find(name);
        EXPECT_TRUE(found.file.empty() && found.leads_outside) << name << ": " << found.file;
    }
    ScratchFolder scratch_;
};

TEST_F(FindInside, FollowsLinksThatStayInside) {
    const fs::path tree = fs::canonical(scratch_ / "shaders/sums/tree.comp");
    EXPECT_EQ(find("sums/tree.comp").file, tree);
    EXPECT_EQ(find("sums/../sums/./tree.comp").file, tree);
    link("sums/tree.comp", "link.comp");
    EXPECT_EQ(find("link.comp").file, tree);
    EXPECT_FALSE(find("link.comp").leads_outside);
}

TEST_F(FindInside, RefusesPathsOutsideWithoutRevealingThem) {
    link("../secret.txt", "link.comp");
    link("../no such file", "dangling.comp");
    link("..", "up");
    link(fs::canonical(scratch_.path()), "absolute");
    for (const char* name :
         {"../secret.txt", "../no such file", "/etc/passwd", "link.comp", "dangling.comp", "up/secret.txt",
          "up/no such file", "absolute/secret.txt", "sums/../../secret.txt"})
        expect_outside(name);
}

TEST_F(FindInside, IgnoresFoldersAndPipes) {
    ASSERT_EQ(::mkfifo((scratch_ / "shaders/pipe").c_str(), 0600), 0);
    for (const char* name : {"sums", "pipe", "nothing.comp"}) {
        EXPECT_TRUE(find(name).file.empty()) << name;
        EXPECT_FALSE(find(name).leads_outside) << name;
    }
}

TEST_F(FindInside, IgnoresTheRootOfTheFileSystem) {
    EXPECT_TRUE(canonical_folders({"/", scratch_ / "nowhere"}).empty());
}

}  // namespace gridstride::find_inside_test
