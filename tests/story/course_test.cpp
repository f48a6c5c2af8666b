// The order in which the lessons are offered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "story/front_matter.h"
#include "story/story.h"

namespace gridstride {
namespace {

TEST(Course, FollowsTheHeadsOfTheStories) {
    std::vector<std::string> ids;
    for (const CourseEntry& entry : course())
        ids.push_back(entry.lesson->id);
    EXPECT_THAT(ids, testing::ElementsAre("thread_index", "grid_stride", "gaussian", "transfers",
                                          "race_condition", "reduction", "histogram", "zero_suppression",
                                          "monte_carlo_pi", "coalescing", "hidden_layer", "tensor_graph",
                                          "softmax", "matmul", "quantise_int8", "playground"));
}

TEST(Course, HasEveryLessonOnceWithItsWholeHead) {
    ASSERT_EQ(course().size(), all_lessons().size());
    for (const CourseEntry& entry : course()) {
        EXPECT_THAT(missing_of(entry.head), testing::IsEmpty()) << entry.lesson->id;
        EXPECT_EQ(entry.steps, load_story(*entry.lesson, "en").steps.size()) << entry.lesson->id;
    }
    EXPECT_TRUE(std::is_sorted(all_lessons().begin(), all_lessons().end(),
                               [](const Lesson* a, const Lesson* b) { return a->id < b->id; }));
}

}  // namespace
}  // namespace gridstride
