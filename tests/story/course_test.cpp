// Tests the order of the lessons and how steps are found.

#include "story/front_matter.h"
#include "story/story.h"
#include "test_includes.h"

namespace gridstride::course_test {

TEST(Course, OrdersLessonsByTheFrontMatterOfTheirStories) {
    std::vector<std::string> ids;
    for (const CourseEntry& entry : course())
        ids.push_back(entry.id);
    EXPECT_THAT(
        ids, ElementsAre("thread_index", "grid_stride", "launch_cost", "gaussian", "transfers", "coalescing",
                         "race_condition", "reduction", "stencil", "histogram", "reduction/fast_sum", "scan",
                         "zero_suppression", "monte_carlo_pi", "divergence", "banks", "occupancy", "roofline",
                         "hidden_layer", "tensor_graph", "matmul", "softmax", "attention", "tensor_cores",
                         "quantise_int8", "playground"));
}

TEST(Course, FindsAStepByItsNumberOrItsId) {
    const CourseEntry& reduction = *find_course_entry("reduction");
    EXPECT_EQ(find_step(reduction, "3"), 2U);
    EXPECT_EQ(find_step(reduction, "workgroup_memory"), 2U);
    EXPECT_EQ(find_step_by_id(reduction, "workgroup_memory"), 2U);
    EXPECT_EQ(find_step_by_id(reduction, "3"), std::nullopt);
    for (const char* const other : {"", "0", "13", "-1", "2.5", "1e9", "Workgroup_memory", "nowhere"}) {
        try {
            find_step(reduction, other);
            ADD_FAILURE() << other;
        } catch (const Refusal& refusal) {
            const std::string words = refusal.what();
            EXPECT_NE(words.find(fmt::format("has no step \"{}\"", other)), std::string::npos) << words;
            EXPECT_NE(words.find("12"), std::string::npos) << words;
            EXPECT_NE(words.find("workgroup_memory"), std::string::npos) << words;
        }
    }
}

TEST(Course, AStoryThatCannotBeReadHasNoSteps) {
    const CourseEntry other;
    EXPECT_EQ(find_step(other, "3"), 0U);
    EXPECT_EQ(find_step_by_id(other, "workgroup_memory"), std::nullopt);
    EXPECT_EQ(find_course_entry("nowhere"), nullptr);
}

TEST(Course, HasEveryLessonOnceWithCompleteFrontMatter) {
    std::set<const Lesson*> lessons;
    for (const CourseEntry& entry : course()) {
        lessons.insert(entry.lesson);
        EXPECT_THAT(missing_fields(entry.head), IsEmpty()) << entry.id;
        std::vector<std::string> ids;
        for (const StoryStep& step : load_story(*entry.lesson, "en", entry.story).steps)
            ids.push_back(step.id);
        EXPECT_EQ(entry.step_ids, ids) << entry.id;
    }
    EXPECT_EQ(lessons.size(), all_lessons().size());
    EXPECT_TRUE(std::ranges::is_sorted(all_lessons(), {}, &Lesson::id));
}

}  // namespace gridstride::course_test
