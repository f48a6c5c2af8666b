// Tests that a folder's lesson.toml, kernels and stories are checked as a whole.
#include "text_lesson/folder_checker.h"

#include "test_includes.h"
#include "text_lesson/lesson_folder.h"

namespace gridstride::text_lesson::folder_checker_test {

using testing_lessons::LessonFolder;
using testing_lessons::replaced;

constexpr const char* toml = R"TOML(format = 1
title = "Doubles"
elements = 100
[input.x]
type = "u32"
value = "iota(n)"
[output.y]
type = "u32"
[[variant]]
id = "loop"
title = "A loop"
expect.y = { kernel = "plain.comp" }
[[variant]]
id = "shift"
title = "By a shift"
expect.y = "2 * x"
[fact.largest]
label = "Largest"
value = "largest(y)"
)TOML";
constexpr const char* loop =
    "void main() {\n    if (gl_GlobalInvocationID.x < launch.count)\n"
    "        y[gl_GlobalInvocationID.x] = 2 * x[gl_GlobalInvocationID.x];\n}\n";
constexpr const char* shift =
    "void main() {\n    const uint i = gl_GlobalInvocationID.x;\n"
    "    if (i < launch.count) y[i] = x[i] << 1;\n}\n";
constexpr const char* story = R"(---
chapter: 9 Your own
place: 1
question: What is a double?
minutes: 5
picture: occupancy
---
# Doubles
## One each
<!-- id: one_each -->
Text.
)";

class FolderChecker : public testing::Test {
 protected:
    FolderChecker() : folder_(toml, loop) {
        folder_.write("shift.comp", shift);
        folder_.write("plain.comp",
                      "void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x] + "
                      "x[gl_GlobalInvocationID.x]; }");
        folder_.write("story.en.md", story);
    }
    std::vector<std::string> errors() const { return check_folder(folder_.path()).errors; }

    LessonFolder folder_;
};

TEST_F(FolderChecker, AcceptsALessonWithoutMistakes) {
    const CheckedFolder checked = check_folder(folder_.path());
    EXPECT_THAT(checked.errors, IsEmpty());
    ASSERT_NE(checked.lesson, nullptr);
    EXPECT_EQ(checked.lesson->variants.size(), 2U);
}

TEST_F(FolderChecker, FindsTheMistakesOfAllFilesAtOnce) {
    std::string text = replaced(toml, "title = \"Doubles\"", "titel = \"Doubles\"");
    text = replaced(text, "\"iota(n)\"", "\"iota(m)\"");
    text = replaced(text, "\"2 * x\"", "\"2 * z\"");
    text = replaced(text, "\"largest(y)\"", "\"largest(q)\"");
    folder_.write("lesson.toml", text);
    folder_.write("loop.comp", replaced(loop, "2 * x[", "2 * missing["));
    folder_.write("story.en.md", replaced(story, "<!-- id: one_each -->\n", ""));
    folder_.write("story.fr.md", "```predict\n");
    const std::vector<std::string> all = errors();
    for (const char* const expected :
         {"lesson.toml:1: ", "lesson.toml:2: ", "lesson.toml:6: ", "lesson.toml:16: ", "lesson.toml:19: ",
          "loop.comp:3: ", "story.en.md:9: ", "story.fr.md:1: "})
        EXPECT_THAT(all, Contains(HasSubstr(expected)));
    EXPECT_EQ(check_folder(folder_.path()).lesson, nullptr);
}

TEST_F(FolderChecker, ReportsNoMistakeThatFollowsFromAnother) {
    folder_.write("lesson.toml", replaced(toml, "value = \"iota(n)\"", "value = \"iota(m)\""));
    EXPECT_THAT(errors(), ElementsAre(HasSubstr("lesson.toml:6: "))) << "values computed from x add no error";
    folder_.write("lesson.toml", replaced(toml, "value = \"iota(n)\"", ""));
    EXPECT_THAT(errors(), ElementsAre(HasSubstr("lesson.toml:4: ")));
    folder_.write("lesson.toml", replaced(toml, "id = \"shift\"", "id = \"shift\"\nkernel = \"gone.comp\""));
    EXPECT_THAT(errors(), ElementsAre(HasSubstr("gone.comp")));
    folder_.write("story.en.md", story + std::string("\n```kernel gone.comp\n```\n"));
    EXPECT_THAT(errors(), ElementsAre(HasSubstr("lesson.toml"))) << "the story shows the kernel, too";
    folder_.write("lesson.toml", toml);
    EXPECT_THAT(errors(), ElementsAre(AllOf(HasSubstr("story.en.md"), HasSubstr("gone.comp"))));
}

TEST_F(FolderChecker, ASyntaxErrorHidesTheOthers) {
    folder_.write("lesson.toml", replaced(toml, "\"Doubles\"", "\"Doubles"));
    folder_.write("story.en.md", "```predict\n");
    EXPECT_THAT(errors(), ElementsAre(AllOf(HasSubstr("lesson.toml:2: TOML syntax"),
                                            HasSubstr("Check quotes and brackets"))));
}

TEST_F(FolderChecker, ComparesAReferenceWithWhatItJudges) {
    folder_.write("plain.comp", replaced(loop, "2 * x", "2  *  x"));
    EXPECT_THAT(errors(), ElementsAre(AllOf(HasSubstr("plain.comp:1: "), HasSubstr("loop.comp"))));
    folder_.write("plain.comp", shift);
    EXPECT_THAT(errors(), IsEmpty()) << "an expression judges the variant shift";
}

}  // namespace gridstride::text_lesson::folder_checker_test
