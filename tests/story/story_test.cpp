#include "story/story.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/scratch_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "story/story_mistakes.h"

namespace gridstride {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* sample = R"(# A title

Words before the first step are for writers.

## First step

Text with `code`, **strong** and *emphasis*.

```set
workgroup_size = 64
variant = tree_sequential
```

- one
- two

## Second step

```predict
question: Is `x` faster?
run: variant = tree_interleaved
run: variant = tree_sequential, workgroup_size = 32
value: kernel_ns(2) / kernel_ns(1)
choice: faster | below 0.95 | It took {value} of the time, {change} apart.
choice: slower | otherwise | Slower.
```

```kernel reduction/tree_sequential.comp#tree
```

```plot partial_sums
```

| a | b |
|---|---|
| 1 | 2 |
)";

template <class T>
const T& only(const StoryStep& step) {
    const T* found = nullptr;
    for (const Block& block : step.blocks)
        if (const auto* match = std::get_if<T>(&block)) {
            EXPECT_EQ(found, nullptr);
            found = match;
        }
    if (!found) throw std::runtime_error("there is no such block");
    return *found;
}

TEST(Story, IsReadIntoStepsAndBlocks) {
    const Story story = parse_story(sample, "story.en.md");
    EXPECT_EQ(story.title, "A title");
    ASSERT_EQ(story.steps.size(), 2u);
    EXPECT_EQ(story.steps[0].title, "First step");
    const Spans& spans = only<Paragraph>(story.steps[0]).spans;
    ASSERT_GE(spans.size(), 6u);
    EXPECT_EQ(spans[1].text, "code");
    EXPECT_TRUE(spans[1].code);
    EXPECT_TRUE(spans[3].strong);
    EXPECT_TRUE(spans[5].emphasis);
    const SetBlock& set = only<SetBlock>(story.steps[0]);
    ASSERT_EQ(set.settings.size(), 2u);
    EXPECT_EQ(set.settings[0].name, "workgroup_size");
    EXPECT_EQ(set.settings[0].value, "64");
    EXPECT_EQ(only<ListBlock>(story.steps[0]).items.size(), 2u);
    EXPECT_EQ(only<KernelBlock>(story.steps[1]).region, "tree");
    EXPECT_EQ(only<PlotBlock>(story.steps[1]).plot, "partial_sums");
    EXPECT_EQ(only<TableBlock>(story.steps[1]).rows.size(), 1u);
    const PredictBlock& predict = only<PredictBlock>(story.steps[1]);
    ASSERT_EQ(predict.runs.size(), 2u);
    EXPECT_EQ(predict.runs[1].size(), 2u);
    EXPECT_EQ(predict.value.run, 2u);
    ASSERT_TRUE(predict.divided_by);
    EXPECT_EQ(predict.choices.size(), 2u);
}

std::string complaint(const std::string& block) {
    try {
        parse_story("# T\n\n## The step\n\n```" + block + "\n```\n", "story.en.md");
    } catch (const StoryError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Story, MistakesNameFileStepAndBlock) {
    const std::string message = complaint("set\nworkgroup_size 64");
    EXPECT_THAT(message, StartsWith("story.en.md:6: step \"The step\": "));
    EXPECT_THAT(message, HasSubstr("set"));
    for (const char* block :
         {"set\n", "kernel", "plot", "predict\nquestion: q\nvalue: kernel_ns",
          "predict\nvalue: kernel_ns\nchoice: a | otherwise | b",
          "predict\nquestion: q\nvalue: kernel_ns\nchoice: a | below x | b",
          "predict\nquestion: q\nvalue: kernel_ns\nchoice: a | below 1 | b",
          "predict\nquestion: q\nvalue: kernel_ns(3)\nchoice: a | otherwise | b", "predict\nnonsense",
          "predict\nquestion: q\nvalue: kernel_ns(1e300)\nchoice: a | otherwise | b",
          "predict\nquestion: q\nvalue: kernel_ns(1.5)\nchoice: a | otherwise | b",
          "predict\nquestion: q\nvalue: kernel_ns\nchoice: a | below nan | b\nchoice: c | otherwise | d",
          "predict\nquestion: q\nvalue: a/b/c\nchoice: a | otherwise | b",
          "predict\nquestion: q\nvalue: v\nguess: u | 3 | t"})
        EXPECT_NE(complaint(block), "accepted") << block;
}

TEST(Story, AByteOrderMarkIsNoPartOfIt) {
    const test::ScratchFolder scratch;
    write_file(scratch / "story.en.md", "\xEF\xBB\xBF# T\n\n## One\n\nWords.\n");
    EXPECT_EQ(read_story_file(scratch / "story.en.md").title, "T");
}

TEST(Story, KernelRegionsAreCutOutAndUnindented) {
    const std::string source = "line 1\n    // [load]\n    a = b;\n      c;\n    // [/load]\nend\n";
    EXPECT_EQ(kernel_region(source, "load"), "a = b;\n  c;\n");
    EXPECT_EQ(kernel_region(source, ""), "line 1\n    a = b;\n      c;\nend\n");
    EXPECT_THROW(kernel_region(source, "store"), StoryError);
}

Report report_of(double kernel_ns) {
    Report report;
    report.status = Status::ok;
    report.timings.kernel.samples = {kernel_ns};
    return report;
}

TEST(Story, APredictionIsDecidedByTheRuns) {
    const Story story = parse_story(sample, "story.en.md");
    const PredictBlock& predict = only<PredictBlock>(story.steps[1]);
    const Report slow = report_of(200), fast = report_of(100);
    const auto faster = decide(predict, {&slow, &fast}, std::nullopt);
    ASSERT_TRUE(faster);
    EXPECT_EQ(faster->right_choice, 0u);
    EXPECT_THAT(faster->afterwards, HasSubstr("0.5"));
    EXPECT_THAT(faster->afterwards, HasSubstr("50"));
    const auto slower = decide(predict, {&fast, &slow}, std::nullopt);
    ASSERT_TRUE(slower);
    EXPECT_EQ(slower->right_choice, 1u);
    Report failed = report_of(1);
    failed.status = Status::failed;
    EXPECT_FALSE(decide(predict, {&fast, &failed}, std::nullopt))
        << "a run that did not happen decides nothing";
    EXPECT_FALSE(decide(predict, {&fast}, std::nullopt));
}

TEST(Story, AGuessIsRightWithinItsTolerance) {
    PredictBlock predict;
    predict.value = {"workgroup_count", 1};
    predict.guess = PredictGuess{"workgroups", 0.1, "There are {value}."};
    Report report = report_of(1);
    report.launch.grid = {100};
    EXPECT_TRUE(decide(predict, {&report}, 95.0)->guess_right);
    EXPECT_FALSE(decide(predict, {&report}, 80.0)->guess_right);
    EXPECT_FALSE(decide(predict, {&report}, std::nullopt)->guess_right);
    EXPECT_EQ(decide(predict, {&report}, 95.0)->afterwards, "There are 100.");
}

// What ships: every step of every story of every lesson in every language.

TEST(Stories, EveryLessonHasOneInEnglish) {
    ASSERT_FALSE(all_lessons().empty());
    for (const Lesson* lesson : all_lessons())
        EXPECT_GE(load_story(*lesson, "en").steps.size(), 8u) << lesson->id;
}

TEST(Stories, AreInTheLanguagesThatThereAreFilesIn) {
    EXPECT_THAT(story_languages(), testing::ElementsAre("en"));
}

TEST(Stories, HaveNoMistakes) {
    for (const Lesson* lesson : all_lessons()) {
        std::size_t predictions = 0;
        ASSERT_FALSE(story_files(*lesson).empty()) << lesson->id;
        for (const auto& file : story_files(*lesson)) {
            const Story story = read_story_file(file);
            EXPECT_THAT(mistakes_of(*lesson, story), IsEmpty());
            EXPECT_NO_THROW(experiment_of_step(*lesson, story, story.steps.size() - 1));
            for (const StoryStep& step : story.steps)
                for (const Block& block : step.blocks)
                    predictions += std::holds_alternative<PredictBlock>(block) ? 1 : 0;
        }
        EXPECT_GE(predictions, 3u) << lesson->id;
    }
}

/// A story of the reduction, its only step with this block at line 7.
Story with_block(const std::string& block) {
    return parse_story("# T\n\n## One\n\nWords.\n\n```" + block + "\n```\n", "lessons/reduction/story.en.md");
}

TEST(Stories, AMistakeIsToldWithItsFileLineAndStep) {
    const Lesson& lesson = *find_lesson("reduction");
    const auto expect = [&](const std::string& block, const std::string& line, const std::string& words) {
        const std::vector<std::string> all = mistakes_of(lesson, with_block(block));
        ASSERT_EQ(all.size(), 1u) << block;
        EXPECT_THAT(all[0], StartsWith("lessons/reduction/story.en.md:" + line + ": step \"One\": "));
        EXPECT_THAT(all[0], HasSubstr(words));
    };
    expect("set\nelements = 8\nfactor = 3", "9", "no parameter named factor");
    expect("set\nvariant = fast", "8", "no variant named fast");
    expect("set\nworkgroup_size = many", "8", "many");
    expect("predict\nquestion: q\nrun: variant = fast\nvalue: total\nchoice: a | otherwise | b", "9", "fast");
    expect("kernel reduction/tree_sequential.comp#nowhere", "7", "nowhere");
    expect("kernel reduction/nothing.comp", "7", "nothing.comp");
    for (const std::string outside :
         {"../../../etc/passwd", "/etc/passwd", "/no such file", "../lessons/histogram/story.en.md", ".."})
        expect("kernel " + outside, "7", "leads out of the shaders that ship and the story's own folder");
    expect("sett\nelements = 8", "7", "sett");
    EXPECT_THAT(mistakes_of(lesson, with_block("\nplain")), IsEmpty());
    EXPECT_THAT(mistakes_of(lesson, with_block("kernel story.en.md")), IsEmpty()) << "beside the story";
}

TEST(Stories, NamesThatNoRunHasAreTold) {
    const RunNames known{{"total"}, {"tree"}};
    for (const char* block : {"plot tree", "plot roofline",
                              "predict\nquestion: q\nvalue: total / kernel_ns\nchoice: a | otherwise | b"})
        EXPECT_THAT(unknown_names(with_block(block), known), IsEmpty()) << block;
    EXPECT_THAT(unknown_names(with_block("plot trees"), known),
                ElementsAre(AllOf(StartsWith("lessons/reduction/story.en.md:7: step \"One\": plot: "),
                                  HasSubstr("trees"))));
    EXPECT_THAT(
        unknown_names(with_block("predict\nquestion: q\nvalue: sum\nchoice: a | otherwise | b"), known),
        ElementsAre(AllOf(StartsWith("lessons/reduction/story.en.md:9: "), HasSubstr("sum"))));
}

TEST(Pages, HaveHeadingsCodeAndLinksAndNoSteps) {
    const Page page = parse_page(
        "# T\n\nBefore, [there](b.md) and on.\n\n## One\n\n```\n./run --json\n```\n\n### Two\n", "a.md");
    EXPECT_EQ(page.title, "T");
    ASSERT_EQ(page.blocks.size(), 4u);
    const Spans& spans = std::get<Paragraph>(page.blocks[0]).spans;
    ASSERT_EQ(spans.size(), 3u);
    EXPECT_EQ(spans[0].link, "");
    EXPECT_EQ(spans[1].text, "there");
    EXPECT_EQ(spans[1].link, "b.md");
    EXPECT_EQ(spans[2].text, " and on.");
    EXPECT_EQ(spans[2].link, "");
    EXPECT_EQ(std::get<Subheading>(page.blocks[1]).level, 2u);
    EXPECT_EQ(std::get<CodeBlock>(page.blocks[2]).text, "./run --json\n");
    EXPECT_EQ(std::get<Subheading>(page.blocks[3]).level, 3u);
    EXPECT_EQ(std::get<CodeBlock>(parse_page("# T\n\n```set\nx = 1\n```\n", "a.md").blocks.at(0)).word, "set")
        << "nothing in a page is live";
    EXPECT_THROW(parse_page("", "a.md"), StoryError);
}

}  // namespace
}  // namespace gridstride
