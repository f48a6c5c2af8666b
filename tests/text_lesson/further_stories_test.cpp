// Tests lessons with several stories: their entries of the course, their ids, and what belongs to which.

#include "progress/story_progress.h"
#include "story/story.h"
#include "story/story_errors.h"
#include "test_includes.h"
#include "text_lesson/lesson_folder.h"
#include "text_lesson/lesson_folders.h"

namespace gridstride::text_lesson::further_stories_test {

using testing_lessons::LessonFolder;

constexpr const char* toml = R"TOML(format = 1
title = "Parity"
elements = 100

[output.results]
type = "u32"

[[variant]]
id = "loop"
title = "Loop"
summary = "Writes each index."
kernel = "loop.comp"
expect.results = "iota(n)"
)TOML";
constexpr const char* kernel = R"GLSL(void main() {
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += grid_size()) results[i] = i;
}
)GLSL";

std::string story(const std::string& title, const std::string& place, const std::string& id) {
    return fmt::format(
        "---\nchapter: 9 Further\nplace: {}\nquestion: q?\nminutes: 1\npicture: results\n---\n# {}\n"
        "## One\n<!-- id: {} -->\n```predict\nid: {}_guess\nquestion: How many?\nvalue: elements\n"
        "guess: numbers | within 0\n```\n## Two\n<!-- id: {}_end -->\nWords.\n",
        place, title, id, id, id);
}

class FurtherStories : public ::testing::Test {
 protected:
    FurtherStories() {
        // Two folders cannot have lessons of one id.
        for (const auto& file : std::filesystem::directory_iterator(folder().path()))
            if (file.path().extension() == ".md") std::filesystem::remove(file);
        folder().write("story.en.md", story("Parity", "1", "first"));
        folder().write("story.faster.en.md", story("Faster parity", "3", "second"));
    }
    static LessonFolder& folder() {
        static LessonFolder folder(toml, kernel);
        return folder;
    }
    const Lesson& load() {
        register_lessons(load_lessons(folder().path()));
        return *find_lesson("parity");
    }
};

TEST_F(FurtherStories, AreEntriesOfTheCourse) {
    const Lesson& lesson = load();
    const auto entries = course_entries(lesson);
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0]->id, "parity");
    EXPECT_EQ(entries[0]->title, "Parity");
    EXPECT_EQ(entries[1]->id, "parity/faster");
    EXPECT_EQ(entries[1]->title, "Faster parity");
    EXPECT_EQ(find_course_entry("parity/faster"), entries[1]);
    EXPECT_EQ(find_step(*entries[1], "second_end"), 1U);
    EXPECT_THROW(find_step(*entries[1], "first_end"), Refusal);
    EXPECT_EQ(load_story(lesson, "fr", "faster").title, "Faster parity") << "the English one";
    EXPECT_THAT(find_missing_stories(lesson), IsEmpty());
    EXPECT_THAT(find_shared_ids(lesson), IsEmpty());
}

TEST_F(FurtherStories, ShowKernelsAsTheyWereLoaded) {
    const Lesson& lesson = load();
    const Story story = load_story(lesson, "en");
    const KernelBlock whole{.file = "loop.comp"};
    folder().write("loop.comp", "void main() { changed }");
    EXPECT_EQ(kernel_excerpt(lesson, story, story.steps[0], whole), kernel);
    std::filesystem::remove(folder().path() / "loop.comp");
    EXPECT_EQ(kernel_excerpt(lesson, story, story.steps[0], whole), kernel);
    folder().write("loop.comp", kernel);
}

TEST_F(FurtherStories, NeedAnEnglishFileAndIdsOfTheirOwn) {
    folder().write("story.slower.fr.md", story("Plus lent", "4", "third"));
    folder().write("story.again.en.md", story("Again", "5", "second"));
    const Lesson& lesson = load();
    EXPECT_THAT(find_missing_stories(lesson),
                ElementsAre(AllOf(HasSubstr("/parity/story.slower.en.md:1: parity has no story.slower.en.md"),
                                  HasSubstr("Add it."))));
    EXPECT_THAT(find_shared_ids(lesson), ElementsAre(HasSubstr("\"second\""), HasSubstr("\"second_guess\""),
                                                     HasSubstr("\"second_end\"")));
}

TEST_F(FurtherStories, ProgressInOneStoryLeavesTheOthersAlone) {
    const Lesson& lesson = load();
    const CourseEntry &first = *course_entries(lesson)[0], &second = *course_entries(lesson)[1];
    StoryProgress all;
    for (const char* const id : {"first", "second", "gone"}) {
        all.seen_steps.insert({"GPU", "parity", id});
        all.predictions[{"GPU", "parity", std::string(id) + "_guess"}].guess_text = "100";
    }
    all.last_positions[{"GPU", "parity"}] = {"first", false};
    all.last_positions[{"GPU", "parity/faster"}] = {"second", true};

    StoryProgress cleaned = all;
    EXPECT_EQ(remove_stale_predictions(cleaned, first, load_story(lesson, "en")), 1U) << "only gone_guess";
    EXPECT_EQ(remove_stale_predictions(cleaned, second, load_story(lesson, "en", "faster")), 0U);

    all.erase("GPU", &second);
    EXPECT_EQ(all.seen_steps, (std::set<ProgressKey>{{"GPU", "parity", "first"}}));
    EXPECT_EQ(all.predictions.count({"GPU", "parity", "first_guess"}), 1U);
    EXPECT_EQ(all.predictions.count({"GPU", "parity", "second_guess"}), 0U);
    EXPECT_EQ(all.last_positions.size(), 1U);
}

}  // namespace gridstride::text_lesson::further_stories_test
