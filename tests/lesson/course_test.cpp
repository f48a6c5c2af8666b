// The order in which the lessons are offered.
#include <gtest/gtest.h>

#include <algorithm>

#include "lesson/lesson.h"

namespace gridstride {
namespace {

std::ptrdiff_t position(std::string_view id) {
    const auto all = all_lessons();
    return std::find_if(all.begin(), all.end(), [&](const Lesson* lesson) { return lesson->id == id; }) -
           all.begin();
}

TEST(Course, BeginsWithReductionAndGoesOnAsItsLessonsBuildOnEachOther) {
    EXPECT_EQ(position("reduction"), 0);
    EXPECT_LT(position("reduction"), position("zero_suppression"));
    EXPECT_LT(position("zero_suppression"), position("gaussian"));
    EXPECT_LT(position("gaussian"), position("histogram"));
    EXPECT_LT(position("histogram"), position("hidden_layer"));
}

TEST(Course, LessonsWithoutAPlaceComeLast) {
    const auto all = all_lessons();
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Lesson* a, const Lesson* b) {
        return a->place < b->place || (a->place == b->place && a->id < b->id);
    }));
}

}  // namespace
}  // namespace gridstride
