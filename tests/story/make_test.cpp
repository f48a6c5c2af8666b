// Tests exercises: reading their fence, and judging a requirement by runs.

#include "story/story.h"

#include "test_includes.h"

namespace gridstride::make_test {

MakeBlock parse_make_block(const std::string& name, const std::string& lines) {
    const Story story =
        parse_story(fmt::format("# T\n## S\n```make {}\n{}\n```\n", name, lines), "story.en.md");
    const MakeBlock* const block = find_make_block(story.steps.front());
    EXPECT_NE(block, nullptr);
    return block ? *block : MakeBlock{};
}

MakeRequirement make_requirement(const std::string& condition) {
    return parse_make_block("maximum", fmt::format("require: {} | It is so", condition)).requirements.front();
}

/// Returns a run whose trace has this metric; nullopt: the value is unknown.
Report make_traced_run(const std::string& metric, std::optional<Estimate> value,
                       std::string sentence = "found") {
    Report report;
    report.status = Status::ok;
    report.trace_metrics = {{metric, value, std::move(sentence)}};
    return report;
}
/// Returns a run whose kernel samples lie `spread` below or above kernel_ns.
Report make_timed_run(double kernel_ns, double spread) {
    Report report;
    report.status = Status::ok;
    for (int i = 0; i < 10; ++i)
        report.timings.kernel.samples.push_back(kernel_ns + (i % 2 == 0 ? spread : -spread));
    return report;
}

TEST(Make, ReadsHintsAndRequirements) {
    const MakeBlock block = parse_make_block("maximum", R"(id: largest
hint: Look at two of them.
hint: Keep the larger one.
require: matches
require: races = 0 | No two invocations race
require: kernel_ns / kernel_ns(variant = tree_first_add) < 0.5 | Half as long | at elements = 4194304, seed = 7)");
    EXPECT_EQ(block.exercise, "maximum");
    EXPECT_EQ(block.id, "largest");
    EXPECT_THAT(block.hints, ElementsAre("Look at two of them.", "Keep the larger one."));
    ASSERT_EQ(block.requirements.size(), 3U);
    EXPECT_FALSE(block.requirements[0].what);
    EXPECT_THAT(block.requirements[0].sentence, Mentions("Equal"));
    EXPECT_TRUE(block.requirements[1].uses_trace());
    EXPECT_EQ(block.requirements[1].bound, 0);
    const MakeRequirement& time = block.requirements[2];
    ASSERT_EQ(time.against.size(), 1U);
    EXPECT_EQ(time.against[0].name, "variant");
    EXPECT_EQ(time.against[0].value, "tree_first_add");
    EXPECT_EQ(time.what->value.metric, "kernel_ns");
    EXPECT_EQ(time.what->divided_by->run, 2U);
    EXPECT_EQ(time.relation, MakeRequirement::Relation::below);
    EXPECT_EQ(time.sentence, "Half as long");
    ASSERT_EQ(time.settings.size(), 2U);
    EXPECT_EQ(time.settings[0].name, "elements");
    EXPECT_EQ(time.settings[1].value, "7");
}

TEST(Make, ReadsTheParametersToFind) {
    const MakeBlock block =
        parse_make_block("", "find: elements, variant\nrequire: wall_ns / cpu_ns < 1 | Faster than the CPU");
    EXPECT_THAT(block.exercise, IsEmpty());
    EXPECT_THAT(block.parameters_to_find, ElementsAre("elements", "variant"));
    EXPECT_EQ(block.id, "unnamed_1_0");
    EXPECT_THAT(block.requirements[0].against, IsEmpty());
    EXPECT_EQ(block.requirements[0].what->divided_by->run, 1U);
}

TEST(Make, ReportsMistakesInItsFence) {
    const auto complaint = [](const std::string& name, const std::string& lines) -> std::string {
        return message_of<StoryError>([&] { parse_make_block(name, lines); });
    };
    EXPECT_THAT(complaint("", "require: matches"), Mentions("exercise"));
    EXPECT_THAT(complaint("a", "find: elements\nrequire: matches"), HasSubstr("not both"));
    EXPECT_THAT(complaint("a", "hint: h"), HasSubstr("no requirement"));
    EXPECT_THAT(complaint("a", "id: Big\nrequire: matches"), HasSubstr("Big"));
    EXPECT_THAT(complaint("a", "id: b\nid: c\nrequire: matches"), Mentions("second"));
    EXPECT_THAT(complaint("a", "require: races = 0"), HasSubstr("describe"));
    EXPECT_THAT(complaint("a", "require: faster | Faster"), Mentions("matches"));
    EXPECT_THAT(complaint("a", "require: races = none | No races"), Mentions("finite"));
    EXPECT_THAT(complaint("a", "require: races / atomics < 2 | Few"), Mentions("divides"));
    EXPECT_THAT(complaint("a", "require: kernel_ns(2) < 2 | Fast"), HasSubstr("names a run"));
    EXPECT_THAT(complaint("a", "require: kernel_ns(variant = b) / kernel_ns < 2 | F"),
                HasSubstr("only the divisor"));
    EXPECT_THAT(complaint("a", "require: races = 0 | R | elements = 4"), HasSubstr("at NAME = VALUE"));
    EXPECT_THAT(complaint("a", "require: matches\nwish: more"), HasSubstr("story.en.md:5"));
}

TEST(Make, ARequirementHoldsFailsOrIsUndecided) {
    using Result = RequirementJudgement::Result;
    const auto judge = [](const Report& report, const std::string& condition) {
        return judge_requirement(make_requirement(condition), {&report});
    };
    const Report few = make_traced_run("sectors_per_request", Estimate{4, 4, 4});
    EXPECT_EQ(judge(few, "sectors_per_request < 5").result, Result::ok);
    EXPECT_EQ(judge(few, "sectors_per_request <= 4").result, Result::ok);
    EXPECT_EQ(judge(few, "sectors_per_request < 4").result, Result::failed);
    EXPECT_EQ(judge(few, "sectors_per_request = 4").result, Result::ok);
    EXPECT_EQ(judge(few, "sectors_per_request > 4").result, Result::failed);
    EXPECT_EQ(judge(few, "sectors_per_request >= 4").result, Result::ok);
    EXPECT_EQ(judge(few, "sectors_per_request < 5").sentence, "found");
    // The trace has at least two races, and records are missing.
    const Report more = make_traced_run("races", Estimate{2, 2, std::numeric_limits<double>::infinity()});
    EXPECT_EQ(judge(more, "races = 0").result, Result::failed);
    EXPECT_EQ(judge(more, "races <= 3").result, Result::undecided);
    const Report unknown = make_traced_run("races", std::nullopt, "only workgroups 0 to 7");
    EXPECT_EQ(judge(unknown, "races = 0").result, Result::undecided);
    EXPECT_EQ(judge(unknown, "races = 0").sentence, "only workgroups 0 to 7");
    EXPECT_EQ(judge(few, "kernel_ns < 5").result, Result::undecided) << "the run did not measure the kernel";
    Report over_limit = make_timed_run(40, 0.5);
    over_limit.uploaded_bytes = 120;
    EXPECT_EQ(judge(over_limit, "transferred_bytes <= 100").result, Result::failed);
    EXPECT_THAT(judge(over_limit, "transferred_bytes <= 100").sentence, HasSubstr("120 (computed)"));
}

TEST(Make, DividesByTheRunOfTheNamedVariant) {
    using Result = RequirementJudgement::Result;
    const MakeRequirement half = make_requirement("kernel_ns / kernel_ns(variant = other) < 0.5");
    const Report user_run = make_timed_run(40, 0.5), other = make_timed_run(100, 0.5),
                 slower = make_timed_run(51, 0.5), noisy = make_timed_run(100, 60);
    const RequirementJudgement faster = judge_requirement(half, {&user_run, &other});
    EXPECT_EQ(faster.result, Result::ok);
    EXPECT_NEAR(faster.value->value, 0.4, 0.02);
    EXPECT_THAT(faster.sentence, HasSubstr("2.5 times as fast (measured)"));
    EXPECT_EQ(judge_requirement(half, {&other, &user_run}).result, Result::failed);
    EXPECT_THAT(judge_requirement(half, {&slower, &other}).sentence,
                HasSubstr("1.96 times as fast (measured)"))
        << "the ratio has enough digits to differ from the required 2";
    EXPECT_EQ(judge_requirement(half, {&user_run, &noisy}).result, Result::undecided);
}

}  // namespace gridstride::make_test
