// The live blocks that "Writing a lesson" shows are those of a story of the reduction without a mistake.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "story/story.h"
#include "story/story_mistakes.h"

namespace gridstride {
namespace {

TEST(ManualBlocks, AreThoseOfAStory) {
    const std::string page =
        read_file(std::filesystem::path(GRIDSTRIDE_SOURCE_DIR) / "assets/manual/writing_a_lesson.md");
    const std::string fence = "\n````\n";
    std::size_t blocks = 0;
    for (std::size_t begin = page.find(fence); begin != std::string::npos;) {
        const std::size_t end = page.find(fence, begin + fence.size());
        ASSERT_NE(end, std::string::npos);
        const std::string block = page.substr(begin + fence.size(), end - begin - fence.size());
        SCOPED_TRACE(block);
        try {
            const Story story = parse_story(
                fmt::format("---\nchapter: 1 A\nplace: 1\nquestion: q?\nminutes: 1\npicture: tree\n---\n"
                            "# T\n\n## One\n\nWords.\n\n{}\n",
                            block),
                "lessons/reduction/story.en.md");
            EXPECT_THAT(mistakes_of(*find_lesson("reduction"), story), testing::IsEmpty());
        } catch (const StoryError& error) {
            ADD_FAILURE() << error.what();
        }
        ++blocks;
        begin = page.find(fence, end + fence.size() - 1);
    }
    EXPECT_GE(blocks, 10u);
}

}  // namespace
}  // namespace gridstride
