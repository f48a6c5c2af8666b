#include "story/story.h"

#include "../base/mutations.h"
#include "story/glossary.h"
#include "story/story_errors.h"
#include "test_includes.h"

namespace gridstride::story_test {

constexpr const char* sample = R"(---
chapter: 2 Working together
place: 3
question: How many? And who?
minutes: 35
picture: tree
---

# A title

Words before the first step are for writers.

## First step

Text with `code`, **strong** and *emphasis*, an [invocation](term) and [what they share](term:workgroup memory).

```set
workgroup_size = 64
variant = tree_sequential
show: elements, variant
```

- one
- two

## Second step

```predict
question: Is `x` faster?
run: variant = tree_interleaved
run: variant = tree_sequential, workgroup_size = 32
value: kernel_ns(2) / kernel_ns(1)
choice: faster: fewer lanes wait | below 0.95 | It {pace}, {change} apart.
why: They wait all the same.
only if: fraction_of_copy(2) > 0.6 | It runs at the rate of memory.
only if: kernel_ns(2) / wall_ns(2) < 0.5 | Most of the run is not the kernel.
else: This run does not say why.
choice: slower: `%` costs more | otherwise | It {pace}.
why: Not here.
after: Both are right.
chance: yes
```

```predict
question: How many groups?
value: workgroup_count
near: 128 | That is the size of one.
guess: workgroups | within 0.1
after: There are {value}.
```

```predict
question: Which is the shortest?
item: the way up | upload_ns
item: the kernel | kernel_ns
item: all of it | wall_ns
after: They took {1}, {2} and {3}.
```

```predict
question: Where do they stand?
ruler: time | 100 to 1e9 | within 3
mark: the kernel | kernel_ns
mark: all of it | wall_ns
```

```predict
question: Where does the curve go?
run: elements = 1024
run: elements = 2048
ruler: time | 100 to 1e9 | within 2 | elements
mark: a few | kernel_ns(1) | at 1024
mark: more | kernel_ns(2) | at 2048
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
const T& find_only(const StoryStep& step) {
    const T* found = nullptr;
    for (const Block& block : step.blocks)
        if (const auto* match = std::get_if<T>(&block)) {
            EXPECT_EQ(found, nullptr);
            found = match;
        }
    if (!found) throw std::runtime_error("there is no such block");
    return *found;
}

TEST(Story, IsParsedIntoStepsAndBlocks) {
    const Story story = parse_story(sample, "story.en.md");
    EXPECT_EQ(story.title, "A title");
    EXPECT_EQ(story.head.chapter_position, 2u);
    EXPECT_EQ(story.head.chapter, "Working together");
    EXPECT_EQ(story.head.position, 3u);
    EXPECT_EQ(story.head.question, "How many? And who?");
    EXPECT_EQ(story.head.minutes, 35u);
    EXPECT_EQ(story.head.picture, "tree");
    ASSERT_EQ(story.steps.size(), 2u);
    EXPECT_EQ(story.steps[0].title, "First step");
    const Spans& spans = find_only<Paragraph>(story.steps[0]).spans;
    ASSERT_GE(spans.size(), 6u);
    EXPECT_EQ(spans[1].text, "code");
    EXPECT_TRUE(spans[1].code);
    EXPECT_TRUE(spans[3].is_strong);
    EXPECT_TRUE(spans[5].emphasis);
    const SetBlock& set = find_only<SetBlock>(story.steps[0]);
    ASSERT_EQ(set.settings.size(), 2u);
    EXPECT_EQ(set.settings[0].name, "workgroup_size");
    EXPECT_EQ(set.settings[0].value, "64");
    EXPECT_EQ(find_only<ListBlock>(story.steps[0]).items.size(), 2u);
    EXPECT_EQ(find_only<KernelBlock>(story.steps[1]).region, "tree");
    EXPECT_THAT(find_only<PlotBlock>(story.steps[1]).plots, ElementsAre("partial_sums"));
    EXPECT_EQ(find_only<TableBlock>(story.steps[1]).rows.size(), 1u);
}

const PredictBlock& get_nth_question(const Story& story, std::size_t which) {
    return get_question(story.steps[1], question_blocks(story.steps[1]).at(which));
}

TEST(Story, BlockCanNameSeveralPlots) {
    const Story story =
        parse_story("# T\n\n## S\n\n```plot graph, memory,commands\n```\n\n```plot alone\n```\n", "t.md");
    std::vector<std::pair<std::string, std::size_t>> pictures;
    for (const StepPicture& picture : step_pictures(story.steps[0]))
        pictures.emplace_back(picture.plot, picture.block);
    EXPECT_THAT(pictures, ElementsAre(std::pair("graph", 0U), std::pair("memory", 0U),
                                      std::pair("commands", 0U), std::pair("alone", 1U)));
    EXPECT_THROW(parse_story("# T\n\n## S\n\n```plot graph,, memory\n```\n", "t.md"), std::exception);
}

TEST(Story, ListKeepsItsFirstNumber) {
    const auto first_of = [](const char* list) {
        const Story story = parse_story(fmt::format("# T\n\n## S\n\n{}", list), "t.md");
        return find_only<ListBlock>(story.steps[0]).first;
    };
    EXPECT_EQ(first_of("3. three\n4. four\n"), 3U);
    EXPECT_EQ(first_of("- one\n- two\n"), std::nullopt);
}

TEST(Story, AQuestionHasChoicesWithFeedbackAndCauses) {
    const Story story = parse_story(sample, "story.en.md");
    const PredictBlock& predict = get_nth_question(story, 0);
    EXPECT_EQ(predict.question, "Is `x` faster?");
    ASSERT_EQ(predict.runs.size(), 2u);
    EXPECT_EQ(predict.runs[1].size(), 2u);
    EXPECT_EQ(predict.value.value.run, 2u);
    ASSERT_TRUE(predict.value.divided_by);
    ASSERT_EQ(predict.choices.size(), 2u);
    const PredictChoice& faster = predict.choices[0];
    EXPECT_EQ(faster.label, "faster: fewer lanes wait");
    EXPECT_EQ(faster.bound, 0.95);
    EXPECT_EQ(faster.why, "They wait all the same.");
    ASSERT_EQ(faster.feedback.causes.size(), 2u);
    EXPECT_EQ(faster.feedback.causes[0].what.value.metric, "fraction_of_copy");
    EXPECT_EQ(faster.feedback.causes[0].what.value.run, 2u);
    EXPECT_TRUE(faster.feedback.causes[0].is_above);
    EXPECT_EQ(faster.feedback.causes[0].bound, 0.6);
    EXPECT_EQ(faster.feedback.causes[0].sentence, "It runs at the rate of memory.");
    EXPECT_FALSE(faster.feedback.causes[1].is_above);
    EXPECT_TRUE(faster.feedback.causes[1].what.divided_by);
    EXPECT_EQ(faster.feedback.neutral, "This run does not say why.");
    EXPECT_THAT(predict.choices[1].feedback.causes, IsEmpty());
    EXPECT_EQ(predict.after.sentence, "Both are right.");
    EXPECT_TRUE(predict.is_by_chance);
}

TEST(Story, AQuestionMayHaveOtherRunsOnAGpu) {
    const Story story = parse_story(
        "# T\n\n## S\n\n```predict\nquestion: q\nrun: elements = 8\nrun: elements = 9\n"
        "run on gpu: elements = 80\nrun on gpu: elements = 90, rows = 2\nvalue: kernel_ns(2)\n"
        "guess: ns | within 1\n```\n",
        "t.md");
    const PredictBlock& question = get_question(story.steps[0], 0);
    const auto elements = [](const PredictBlock& one) {
        std::vector<std::string> values;
        for (const auto& run : one.runs)
            values.push_back(run.front().value);
        return values;
    };
    EXPECT_THAT(elements(question_for_device(question, true)), ElementsAre("8", "9"));
    EXPECT_THAT(elements(question_for_device(question, false)), ElementsAre("80", "90"));
    EXPECT_THAT(question_for_device(question, false).gpu_runs, IsEmpty());
    EXPECT_THAT(step_controls(story.steps[0]), ElementsAre("elements", "rows"));
    PredictBlock without = question;
    without.gpu_runs.clear();
    EXPECT_THAT(elements(question_for_device(without, false)), ElementsAre("8", "9"));
}

TEST(Story, AQuestionHasAGuessItemsOrMarks) {
    const Story story = parse_story(sample, "story.en.md");
    EXPECT_THAT(question_blocks(story.steps[0]), IsEmpty());
    ASSERT_EQ(question_blocks(story.steps[1]).size(), 5u);
    const PredictBlock& guess = get_nth_question(story, 1);
    ASSERT_TRUE(guess.guess);
    EXPECT_EQ(guess.guess->unit, "workgroups");
    EXPECT_EQ(guess.guess->within, 0.1);
    ASSERT_EQ(guess.guess->common_guesses.size(), 1u);
    EXPECT_EQ(guess.guess->common_guesses[0].number, 128);
    EXPECT_FALSE(guess.is_by_chance);
    EXPECT_EQ(guess.run_count(), 1u);

    const PredictBlock& order = get_nth_question(story, 2);
    ASSERT_EQ(order.items.size(), 3u);
    EXPECT_EQ(order.items[2].label, "all of it");
    EXPECT_EQ(order.items[2].value.value.metric, "wall_ns");

    const PredictBlock& marks = get_nth_question(story, 3);
    ASSERT_EQ(marks.marks.size(), 2u);
    EXPECT_EQ(marks.ruler.label, "time");
    EXPECT_EQ(marks.ruler.low, 100);
    EXPECT_EQ(marks.ruler.high, 1e9);
    EXPECT_EQ(marks.ruler.within, 3);
    EXPECT_FALSE(marks.marks[0].at);
    const PredictBlock& curve = get_nth_question(story, 4);
    EXPECT_EQ(curve.ruler.across, "elements");
    EXPECT_EQ(curve.marks.at(1).at, 2048);
    EXPECT_EQ(curve.marks.at(1).value.value.run, 2u);
}

TEST(Story, AStepListsItsControlsAndPictures) {
    const Story story = parse_story(sample, "story.en.md");
    EXPECT_THAT(step_controls(story.steps[0]), ElementsAre("elements", "variant"))
        << "the line show: lists them";
    EXPECT_THAT(step_controls(story.steps[1]), ElementsAre("variant", "workgroup_size", "elements"))
        << "the settings of the questions' runs";
    const auto step = [](const std::string& text) {
        return parse_story("# T\n## S\n" + text, "story.en.md").steps.front();
    };
    EXPECT_THAT(step_controls(step("```set\nvariant = a\nshow:\n```\n")), IsEmpty());
    const auto pictures =
        step_pictures(step("```plot a\n```\n```predict\nquestion: q\nvalue: v\n"
                           "guess: u | within 0\n```\n```plot b\n```\n```plot c\n```\n"));
    ASSERT_EQ(pictures.size(), 3u);
    EXPECT_EQ(pictures[0].plot, "a");
    EXPECT_EQ(pictures[0].block, 0u);
    EXPECT_EQ(pictures[1].block, 2u) << "the picture follows the question";
    EXPECT_EQ(pictures[2].plot, "c");
    EXPECT_EQ(pictures[2].block, 3u);
}

std::string parse_error(const std::string& block) {
    return message_of<StoryError>(
        [&] { parse_story("# T\n\n## The step\n\n```" + block + "\n```\n", "story.en.md"); });
}

TEST(Story, MistakesNameTheirFileStepAndBlock) {
    const std::string message = parse_error("set\nworkgroup_size 64");
    EXPECT_THAT(message, StartsWith("story.en.md:6: step \"The step\": "));
    EXPECT_THAT(message, HasSubstr("set"));
}

TEST(Story, MistakesInAQuestionGiveAdvice) {
    const auto expect = [](const std::string& lines, unsigned line, const std::string& words) {
        const std::string message = parse_error("predict\n" + lines);
        EXPECT_THAT(message,
                    AllOf(StartsWith(fmt::format("story.en.md:{}: step \"The step\": predict: ", line)),
                          HasSubstr(words)))
            << lines;
    };
    // The fence is at line 5.
    const std::string q = "question: q\n", v = "value: kernel_ns\n", yes = "choice: a | otherwise | b\n";
    expect("nonsense", 6, "keyword: text");
    expect(q + "valu: kernel_ns", 7, "\"valu\"");
    expect(v + yes, 5, "write question: …");
    expect(q + "question: r\n" + v + yes, 7, "second");
    expect(q + "why:", 7, "no text after");
    expect(q + v, 5, "kind of answer");
    expect(q + v + yes + "guess: u | within 1", 5, "kind of answer");
    expect(q + yes, 5, "write value: METRIC");
    expect(q + "run: elements 8\n", 7, "name = value");
    expect(q + "run on gpu: elements 8\n", 7, "name = value");
    expect(q + "run: elements = 8\nrun: elements = 9\nrun on gpu: elements = 80\n" + v + yes, 5,
           "1 lines run on gpu: …, and 2 on other devices");
    expect(q + "value: a / b / c", 7, "two slashes");
    expect(q + "value: a / ", 7, "metric");
    expect(q + "value: kernel_ns(3)\n" + yes, 5, "kernel");
    expect(q + "value: kernel_ns(1e300)", 7, "is not a run number");
    expect(q + "value: kernel_ns(1.5)", 7, "is not a run number");
    expect(q + "value: kernel_ns(2", 7, "closing parenthesis");
    expect(q + v + "choice: a | below x | b", 8, "\"x\"");
    expect(q + v + "choice: a | below nan | b", 8, "finite");
    expect(q + v + "choice: a | above 1 | b", 8, "equals");
    expect(q + v + "choice: a | otherwise", 8, "LABEL");
    expect(q + v + "choice: a | below 1 | b", 5, "\"otherwise\"");
    expect(q + v + yes + yes, 5, "other");
    expect(q + "why: w", 7, "choice");
    expect(q + v + yes + "why: w\nwhy: x", 10, "a why: already");
    expect(q + v + "only if: kernel_ns > 1 | s", 8, "choice");
    expect(q + v + yes + "only if: kernel_ns = 1 | s", 9, "METRIC > NUMBER | SENTENCE");
    expect(q + v + yes + "only if: kernel_ns > 1", 9, "METRIC > NUMBER | SENTENCE");
    expect(q + v + yes + "only if: kernel_ns(2) > 1 | s", 5, "kernel");
    expect(q + v + yes + "else: s", 9, "else");
    expect(q + v + yes + "only if: kernel_ns > 1 | s\nelse: s\nelse: t", 11, "an else: already");
    expect(q + v + "guess: u | 3", 8, "UNIT | within TOLERANCE");
    expect(q + v + "guess: u | within -1", 8, "below 0");
    expect(q + v + "guess: u | within 0 | What came out.", 8, "UNIT | within TOLERANCE");
    expect(q + v + "near: x | s", 8, "finite");
    expect(q + v + "near: 3", 8, "NUMBER | SENTENCE");
    expect(q + v + yes + "near: 3 | s", 5, "near");
    expect(q + "item: a", 7, "LABEL | METRIC");
    expect(q + "item: a | b\nitem: c | d", 5, "items");
    expect(q + v + "item: a | b\nitem: c | d\nitem: e | f", 5, "leave value: … out");
    expect(q + "mark: a | b", 5, "marks");
    expect(q + "mark: a | b | c", 7, "LABEL | METRIC | at NUMBER");
    expect(q + "ruler: t | 1 to 9 | within 2\n" + v + yes, 5, "belongs");
    expect(q + "ruler: t | 1 - 9 | within 2", 7, "HIGH");
    expect(q + "ruler: t | 0 to 9 | within 2", 7, "cannot be logarithmic");
    expect(q + "ruler: t | 9 to 1 | within 2", 7, "cannot be logarithmic");
    expect(q + "ruler: t | 1 to 9 | within 1", 7, "factor");
    const std::string ruler = "ruler: t | 1 to 9 | within 2";
    expect(q + ruler + "\nmark: a | b | at 1\nmark: c | d", 5, "some");
    expect(q + ruler + "\nmark: a | b | at 1", 5, "other");
    expect(q + ruler + " | n\nmark: a | b", 5, "ruler");
    expect(q + v + yes + "chance: no", 9, "write chance: yes");
}

TEST(Story, AllMistakesAreReported) {
    try {
        parse_story(
            "---\nplace: two\nminutes: 0\n---\n## One\n<b>\n\n- a\n  - b\n\n```set\nelements 1\n```\n"
            "```predict\nquestion: q\nvalu: 1\nchoice: a | below x | b\nwhy: w\nonly if: 1 | s\nelse: "
            "s\n```\n",
            "story.en.md");
        ADD_FAILURE();
    } catch (const StoryError& error) {
        const auto at = [](unsigned line) { return StartsWith(fmt::format("story.en.md:{}: ", line)); };
        EXPECT_THAT(error.errors, testing::UnorderedElementsAre(at(1), at(2), at(3), at(6), at(8), at(12),
                                                                at(16), at(17), at(19)));
    }
}

TEST(Story, MistakesInTheFrontMatterGiveAdvice) {
    const auto expect = [](const std::string& lines, const std::string& place, const std::string& words) {
        EXPECT_THAT(message_of<StoryError>(
                        [&] { parse_story("---\n" + lines + "\n# T\n\n## One\n", "story.en.md"); }),
                    AllOf(StartsWith("story.en.md:" + place + ": "), HasSubstr(words)));
    };
    expect("place: 2", "3", "lines");
    expect("place: two\n---", "2", "\"two\"");
    expect("minutes: 0\n---", "2", "number");
    expect("chapter: Working together\n---", "2", "Working");
    expect("place: 2\nplace: 3\n---", "3", "second");
    expect("place 2\n---", "2", "name: text");
    expect("titel: x\n---", "2", "\"titel\"");
    EXPECT_THROW(parse_story("---\nplace: 2\n", "s"), StoryError) << "the front matter does not end";
    EXPECT_EQ(parse_story("# T\n\n## One\n", "s").head.chapter_position, 0u)
        << "the front matter is optional";
    EXPECT_THAT(parse_error("set\n"), Mentions("story.en.md:5", "The step", "workgroup_size", 128));
    EXPECT_THAT(message_of<StoryError>([&] {
                    parse_story("---\nplace: 2\n---\n\n# T\n\n## One\n\n```plot\n```\n", "story.en.md");
                }),
                StartsWith("story.en.md:9: "))
        << "line numbers are those of the file";
}

TEST(Story, MistakesInOtherBlocksAreReported) {
    for (const char* block : {"kernel", "plot", "set\nshow: a,,b", "set\nshow: a\nshow: b"})
        EXPECT_NE(parse_error(block), not_thrown) << block;
    for (const char* block :
         {"inside", "inside line 3", "inside workgroup 0", "inside workgroup x, line 3",
          "inside workgroup 0, line 0", "inside workgroup 0, line scan.glsl:0", "inside workgroup 0, line :3",
          "inside workgroup 0, line 3, step 0", "inside line 3, workgroup 0",
          "inside workgroup 0, line 3, step 1, lane 2", "inside workgroup -1, line 3"})
        EXPECT_THAT(parse_error(block), HasSubstr("inside: ")) << block;
}

TEST(Story, AnInsideBlockNamesAMomentOfATrace) {
    const auto inside = [](const std::string& moment) {
        const Story story = parse_story("# T\n## S\n```inside " + moment + "\n```\n", "story.en.md");
        return std::get<InsideBlock>(story.steps.front().blocks.front());
    };
    const InsideBlock moment = inside("workgroup 2, line 34, step 3");
    EXPECT_EQ(moment.workgroup, 2U);
    EXPECT_EQ(moment.kernel_line, (trace::SourceLine{.line = 34}));
    EXPECT_EQ(moment.step, 3U);
    EXPECT_EQ(moment.line, 3U);
    EXPECT_EQ(describe_moment(moment), "workgroup 2, line 34, step 3");
    EXPECT_EQ(describe_moment(inside("workgroup 0, line 7")), "workgroup 0, line 7");
    const InsideBlock included = inside("workgroup 0, line scan.glsl:12");
    EXPECT_EQ(included.kernel_line, (trace::SourceLine{"scan.glsl", 12}));
    EXPECT_EQ(describe_moment(included), "workgroup 0, line scan.glsl:12");
}

TEST(Story, ATraceMetricNamesLinesAndARun) {
    const auto metric = [](const std::string& text) {
        const Story story =
            parse_story("# T\n## S\n```predict\nquestion: q\nrun: a = 1\nrun: a = 2\nvalue: " + text +
                            "\nguess: u | within 0\n```\n",
                        "story.en.md");
        const RunMetric& found = std::get<PredictBlock>(story.steps.front().blocks.front()).value.value;
        return fmt::format("{} of run {}", found.metric, found.run);
    };
    EXPECT_EQ(metric("kernel_ns(2)"), "kernel_ns of run 2");
    EXPECT_EQ(metric("kernel_ns(run 2)"), "kernel_ns of run 2");
    EXPECT_EQ(metric("each_once(2)"), "each_once of run 2") << "this metric takes a run and no line";
    EXPECT_EQ(metric("sectors_per_request(34)"), "sectors_per_request(34) of run 1");
    EXPECT_EQ(metric("races(scan.glsl:12, 34, run 2)"), "races(34, scan.glsl:12) of run 2");
    EXPECT_EQ(metric("barriers ( 34 , run 2 )"), "barriers(34) of run 2");
    EXPECT_EQ(metric("races(run 2)"), "races of run 2");
    EXPECT_EQ(metric("races(38, 28)"), "races(28, 38) of run 1");
    const std::string q = "predict\nquestion: q\nguess: u | within 0\nvalue: ";
    EXPECT_THAT(parse_error(q + "races(1, 2, 3)"), HasSubstr("races accepts at most 2"));
    EXPECT_THAT(parse_error(q + "atomics(1, 2)"), HasSubstr("atomics accepts at most 1"));
    EXPECT_THAT(parse_error(q + "atomics(0)"), Mentions("line"));
    EXPECT_THAT(parse_error(q + "atomics(5, run 2)"), HasSubstr("names a run that does not exist"));
}

TEST(Story, SkipsAByteOrderMark) {
    const ScratchFolder scratch;
    write_file(scratch / "story.en.md", "\xEF\xBB\xBF# T\n\n## One\n\nWords.\n");
    EXPECT_EQ(read_story_file(scratch / "story.en.md").title, "T");
}

TEST(Story, KernelRegionsAreExtractedAndUnindented) {
    const std::string source = "line 1\n    // [load]\n    a = b;\n      c;\n    // [/load]\nend\n";
    EXPECT_EQ(kernel_region(source, "load"), "a = b;\n  c;\n");
    EXPECT_EQ(kernel_region(source, ""), "line 1\n    a = b;\n      c;\nend\n");
    EXPECT_THROW(kernel_region(source, "store"), StoryError);
    EXPECT_EQ(kernel_region("// [build u32] ELEMENT=uint\n// [0, 1]\n// [sic] so\n// []\n", ""),
              "// [0, 1]\n// [sic] so\n// []\n")
        << "other text in brackets stays";
}

TEST(Story, LinksToTheGlossaryAreParsed) {
    const Story story = parse_story(sample, "story.en.md");
    std::vector<std::string> terms;
    for (const Span& span : find_only<Paragraph>(story.steps[0]).spans)
        if (!linked_term(span).empty()) terms.push_back(span.text + " > " + std::string(linked_term(span)));
    EXPECT_THAT(terms, ElementsAre("invocation > invocation", "what they share > workgroup memory"));
    ASSERT_EQ(story.steps[0].terms.size(), 2u);
    EXPECT_EQ(story.steps[0].terms[1].name, "workgroup memory");
    EXPECT_EQ(story.steps[0].terms[1].line, 15u);
    const Spans code = parse_inline("Write `[x](term:a b)`, [y](z.md).");
    EXPECT_EQ(code.at(1).text, "[x](term:a b)");
    EXPECT_EQ(linked_term(code.at(3)), "");
}

TEST(Story, DamagedCopiesAreReadOrRefusedWithAMessage) {
    std::mt19937 random(20240229);
    int read = 0, rejected = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string text = test::mutated(sample, random);
        try {
            const Story story = parse_story(text, "story.en.md");
            ++read;
            for (const StoryStep& step : story.steps) {
                step_controls(step);
                step_pictures(step);
            }
        } catch (const StoryError& error) {
            ++rejected;
            EXPECT_THAT(error.what(), StartsWith("story.en.md:"));
        }
    }
    EXPECT_GT(read, 100);
    EXPECT_GT(rejected, 100);
}

TEST(Pages, HaveHeadingsAndCodeAndLinksButNoSteps) {
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
        << "a page has no settings, so the fence is plain code";
    EXPECT_THROW(parse_page("", "a.md"), StoryError);
}

}  // namespace gridstride::story_test
