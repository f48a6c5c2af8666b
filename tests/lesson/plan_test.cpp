// What a lesson's author is told of a plan that cannot be executed.
#include "lesson/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gridstride {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Plan sound() {
    Dispatch dispatch;
    dispatch.label = "add";
    dispatch.bindings = {{0, Access::read}, {1, Access::write}};
    Plan plan;
    plan.buffers = {{"numbers", ElementType::f32, 4}, {"sums", ElementType::f32, 4, true}};
    plan.steps.emplace_back(Upload{0, "numbers"});
    plan.steps.emplace_back(dispatch);
    plan.steps.emplace_back(Download{1});
    return plan;
}

TEST(PlanProblem, NoneInASoundPlan) {
    EXPECT_THAT(problem_of(sound()), IsEmpty());
}

TEST(PlanProblem, ABufferThatIsNotThereIsNamedWithItsStep) {
    Plan plan = sound();
    std::get<Dispatch>(plan.steps[1]).bindings[1].buffer = 7;
    EXPECT_THAT(problem_of(plan), HasSubstr("the dispatch \"add\" names buffer 7, and there are 2"));
    plan = sound();
    std::get<Upload>(plan.steps[0]).buffer = 2;
    EXPECT_THAT(problem_of(plan), HasSubstr("the upload of \"numbers\" names buffer 2"));
    plan = sound();
    plan.steps.emplace_back(Download{2});
    EXPECT_THAT(problem_of(plan), HasSubstr("a download names buffer 2"));
    plan = sound();
    plan.steps.emplace_back(Fill{2, 0});
    EXPECT_THAT(problem_of(plan), HasSubstr("a fill names buffer 2"));
}

TEST(PlanProblem, ALaunchOfNothing) {
    Plan plan = sound();
    std::get<Dispatch>(plan.steps[1]).workgroup_count = 0;
    EXPECT_THAT(problem_of(plan), HasSubstr("\"add\" has workgroups"));
    EXPECT_THAT(problem_of({}), HasSubstr("no dispatch"));
}

}  // namespace
}  // namespace gridstride
