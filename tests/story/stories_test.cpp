// Tests every shipped story of every lesson in every language, and the messages for mistakes in a story.

#include "story/story.h"
#include "story/story_errors.h"
#include "test_includes.h"

namespace gridstride::stories_test {

TEST(Stories, EveryLessonHasAnEnglishStory) {
    ASSERT_FALSE(all_lessons().empty());
    for (const Lesson* lesson : all_lessons())
        EXPECT_GE(load_story(*lesson, "en").steps.size(), 8u) << lesson->id;
}

TEST(Stories, FindTheLanguagesOfTheirFiles) {
    EXPECT_THAT(story_languages(), ElementsAre("en", "fr"));
}

TEST(Stories, HaveNoMistakes) {
    for (const Lesson* lesson : all_lessons()) {
        std::size_t predictions = 0;
        ASSERT_FALSE(story_files(*lesson).empty()) << lesson->id;
        for (const StoryFile& file : story_files(*lesson)) {
            const Story story = read_story_file(file.path);
            EXPECT_THAT(find_story_errors(*lesson, story), IsEmpty());
            EXPECT_NO_THROW(experiment_of_step(*lesson, story, story.steps.size() - 1));
            for (const StoryStep& step : story.steps)
                for (const Block& block : step.blocks)
                    predictions += std::holds_alternative<PredictBlock>(block) ? 1 : 0;
        }
        EXPECT_GE(predictions, 3u) << lesson->id;
    }
}

constexpr std::string_view head =
    "---\nchapter: 1 A\nplace: 1\nquestion: q?\nminutes: 1\npicture: tree\n---\n";

/// Returns a story of the reduction; its only step has this block at line 14.
Story parse_with_block(const std::string& block) {
    const std::string id = block.starts_with("predict") ? "\nid: asked" : "";
    return parse_story(
        fmt::format("{}# T\n\n## One\n<!-- id: one -->\nWords.\n\n```{}{}\n```\n", head, block, id),
        "lessons/reduction/story.en.md");
}

TEST(Stories, AMistakeIsReportedWithItsFileLineAndStep) {
    const Lesson& lesson = *find_lesson("reduction");
    const auto expect = [&](const std::string& block, const std::string& line, const std::string& words) {
        const std::vector<std::string> all = find_story_errors(lesson, parse_with_block(block));
        ASSERT_EQ(all.size(), 1u) << block;
        EXPECT_THAT(all[0], StartsWith("lessons/reduction/story.en.md:" + line + ": step \"One\": "));
        EXPECT_THAT(all[0], HasSubstr(words));
    };
    expect("set\nelements = 8\nfactor = 3", "16", "factor");
    expect("set\nvariant = fast", "15", "fast");
    expect("set\nworkgroup_size = many", "15", "many");
    expect("set\nelements = 8\nshow: elements, factor", "14", "\"factor\"");
    const std::string one = "predict\nquestion: q\nvalue: kernel_ns(1) / kernel_ns(1)\n",
                      only_choice = "choice: all of it | otherwise | b";
    expect("predict\nquestion: q\nrun: variant = fast\nvalue: total\n" + only_choice, "16", "fast");
    expect("kernel reduction/tree_sequential.comp#nowhere", "14", "nowhere");
    expect("kernel reduction/nothing.comp", "14", "nothing.comp");
    for (const std::string outside :
         {"../../../etc/passwd", "/etc/passwd", "/no such file", "../lessons/histogram/story.en.md", ".."})
        expect("kernel " + outside, "14", "is outside");
    expect("sett\nelements = 8", "14", "sett");
    expect("inside workgroup 0, line 9999", "14", "9999 of reduction/");
    expect("inside workgroup 0, line 1", "14", " 1 of");
    expect("inside workgroup 0, line nowhere.glsl:11", "14", "nowhere.glsl");
    expect("inside workgroup 0, line launch.glsl:1", "14", "1 of common/launch.glsl");
    const std::string guess_line = "\nguess: u | within 0",
                      predict_head = "predict\nquestion: q\nrun: variant = ";
    expect(predict_head + "tree_sequential\nvalue: barriers(2)" + guess_line, "17",
           "line 2 of reduction/tree_sequential.comp");
    EXPECT_THAT(
        find_story_errors(
            lesson, parse_with_block(predict_head + "tree_sequential\nvalue: races(28, 38)" + guess_line)),
        IsEmpty());
    for (const std::string without_reason :
         {"less time", "The same", "about as fast", "more", "a lot faster"})
        expect(one + "choice: " + without_reason + " | otherwise | b", "17", "gives no reason");
    expect(one + "choice: faster, as `%` costs | below 1 | b\nwhy: w\n" + only_choice, "19", "has no why: …");
    expect(one + "choice: all of it | otherwise | {1} here", "17", "{1}");
    expect(one + "choice: all of it | otherwise | It took {value} of the time", "17", "{value}");
    expect("predict\nquestion: q\nvalue: total\nguess: u | within 0\nafter: It {pace}", "14", "{pace}");
    expect("predict\nquestion: q\nvalue: total\nguess: u | within 0\nafter: An [unword](term).", "14",
           "\"unword\"");
    for (const std::string& valid : {one + "choice: a | below 1 | {pace} {change} {value}\nwhy: w\n" +
                                         "choice: `if (i < n) { a }` | otherwise | b\nwhy: w",
                                     one + "chance: yes\nchoice: a | below 1 | b\nchoice: c | otherwise | d",
                                     std::string("\nplain"), std::string("kernel story.en.md")})
        EXPECT_THAT(find_story_errors(lesson, parse_with_block(valid)), IsEmpty()) << valid;

    const auto parse = [](std::string_view text) {
        return parse_story(text, "lessons/reduction/story.en.md");
    };
    EXPECT_THAT(
        find_story_errors(lesson, parse("---\nplace: 1\nminutes: 1\n---\n# T\n## One\n<!-- id: one -->\n")),
        ElementsAre(AllOf(StartsWith("lessons/reduction/story.en.md:1: front matter: "),
                          HasSubstr("chapter, question"))));
    EXPECT_THAT(
        find_story_errors(lesson, parse(fmt::format("{}# T\n## One\n<!-- id: one -->\nAn [unword](term), of\n"
                                                    "[them](term:other word) and a [lane](term).\n",
                                                    head))),
        ElementsAre(AllOf(StartsWith("lessons/reduction/story.en.md:11: "), HasSubstr("\"unword\"")),
                    AllOf(StartsWith("lessons/reduction/story.en.md:12: "), HasSubstr("\"other word\""))));
}

TEST(Stories, IdsAreRequiredAndUnique) {
    const Lesson& lesson = *find_lesson("reduction");
    const auto question = [](const std::string& id) {
        return "```predict\n" + id + "question: q?\nvalue: total\nguess: u | within 0\n```\n";
    };
    const auto parse = [](const std::string& text) {
        return parse_story(std::string(head) + "# T\n" + text, "lessons/reduction/story.en.md");
    };
    const std::string first = "## One\n<!-- id: one -->\n", second = "## Two\n<!-- id: two -->\n";
    const Story valid =
        parse(first + question("id: a\n") + question("id: b\n") + second + question("id: c\n"));
    EXPECT_THAT(find_story_errors(lesson, valid), IsEmpty());
    EXPECT_EQ(valid.steps[1].id, "two");
    EXPECT_EQ(valid.steps[1].title, "Two");
    EXPECT_EQ(find_question(valid, "b")->block, 1U);
    EXPECT_EQ(find_question(valid, "c")->step, 1U);
    EXPECT_EQ(find_question(valid, "one"), std::nullopt);

    // A story without ids can be shown, and the check says where they are missing.
    const Story story_without_ids =
        parse("## One\n" + question("") + "## Two\n" + question("") + question(""));
    EXPECT_THAT(find_story_errors(lesson, story_without_ids),
                ElementsAre(StartsWith("lessons/reduction/story.en.md:9: step \"One\": "),
                            StartsWith("lessons/reduction/story.en.md:10: step \"One\": predict: "),
                            StartsWith("lessons/reduction/story.en.md:15: step \"Two\": "),
                            StartsWith("lessons/reduction/story.en.md:16: step \"Two\": predict: "),
                            StartsWith("lessons/reduction/story.en.md:21: step \"Two\": predict: ")));
    EXPECT_NE(story_without_ids.steps[0].id, story_without_ids.steps[1].id);
    EXPECT_THAT(find_story_errors(lesson, parse(first + question("id: a\n") + first + question("id: a\n"))),
                ElementsAre(HasSubstr("\"one\""), HasSubstr("\"a\"")));

    for (const char* const wrong :
         {"## One\n<!-- id: -->\n", "## One\n<!-- id: One -->\n", "## One\n<!-- id: 1 -->\n",
          "## One\n<!-- id: a-b -->\n", "## One\n<!-- id: unnamed_3 -->\n", "## One\n<!-- note -->\n",
          "## One\nWords.\n\n<!-- id: late -->\n", "## One\n<!-- id: a -->\n\n<!-- id: b -->\n",
          "<!-- id: early -->\n## One\n", "## One\n<div>bold</div>\n"}) {
        EXPECT_THAT(message_of<StoryError>([&] { parse(wrong); }),
                    StartsWith("lessons/reduction/story.en.md:"))
            << wrong;
    }
    for (const char* const wrong : {"id: A\n", "id: unnamed_1_1\n", "id: a\nid: b\n", "id: a b\n"})
        EXPECT_THROW(parse(first + question(wrong)), StoryError) << wrong;

    // Stories in other languages have the same ids.
    EXPECT_THAT(find_id_differences(valid, valid), IsEmpty());
    const Story other = parse(first + question("id: b\n") + question("id: a\n") + second +
                              question("id: c\n") + "## Three\n<!-- id: three -->\n");
    EXPECT_THAT(find_id_differences(other, valid), ElementsAre(HasSubstr("one, b, a"), HasSubstr("three")));
    EXPECT_EQ(find_id_differences(valid, other).size(), 2U);
}

/// Returns the fences that a page shows inside longer fences.
std::vector<std::string> find_fences(const std::string& page) {
    std::vector<std::string> fences;
    const std::string outer = "\n````\n";
    for (std::size_t open = page.find(outer); open != std::string::npos;) {
        const std::size_t begin = open + outer.size(), close = page.find(outer, begin);
        if (close == std::string::npos) break;
        fences.push_back(page.substr(begin, close - begin));
        open = page.find(outer, close + outer.size());
    }
    return fences;
}

TEST(Stories, ExamplesInTheManualHaveNoMistakes) {
    const std::vector<std::string> fences =
        find_fences(read_file(data_directory() / "manual" / "writing_a_story.md"));
    std::size_t questions = 0;
    for (const std::string& fence : fences) {
        const Story story = parse_story(fmt::format("{}# T\n\n## One\n<!-- id: one -->\n\n{}\n", head, fence),
                                        "lessons/reduction/story.en.md");
        EXPECT_THAT(find_story_errors(*find_lesson("reduction"), story), IsEmpty()) << fence;
        EXPECT_THAT(find_unknown_names(story, {{}, {"partial_sums", "tree"}}), IsEmpty()) << fence;
        ASSERT_EQ(story.steps.front().blocks.size(), 1u) << fence;
        EXPECT_FALSE(std::holds_alternative<CodeBlock>(story.steps.front().blocks.front())) << fence;
        questions += question_blocks(story.steps.front()).size();
    }
    EXPECT_EQ(fences.size(), 10u);
    EXPECT_EQ(questions, 4u) << "one question of each kind";
}

TEST(Stories, UnknownMetricsAndPlotsAreReported) {
    const RunNames known{{"total"}, {"tree"}};
    const std::string question = "predict\nquestion: q\n", choice = "choice: a | otherwise | b\n";
    for (const std::string& block :
         {std::string("plot tree"), std::string("plot roofline"),
          question + "value: total / kernel_ns\n" + choice, question + "value: races(28, 38)\n" + choice,
          question + "value: active_share\n" + choice})
        EXPECT_THAT(find_unknown_names(parse_with_block(block), known), IsEmpty()) << block;
    EXPECT_THAT(find_unknown_names(parse_with_block("plot trees"), known),
                ElementsAre(AllOf(StartsWith("lessons/reduction/story.en.md:14: step \"One\": plot: "),
                                  HasSubstr("trees"))));
    const auto expect_metric = [&](const std::string& lines, const std::string& line) {
        EXPECT_THAT(find_unknown_names(parse_with_block(question + lines), known),
                    ElementsAre(AllOf(StartsWith("lessons/reduction/story.en.md:" + line + ": "),
                                      HasSubstr("named sum"))))
            << lines;
    };
    expect_metric("value: sum\n" + choice, "16");
    expect_metric("value: total / sum\n" + choice, "16");
    expect_metric("value: total\n" + choice + "only if: sum > 1 | s\n", "18");
    expect_metric("value: total\n" + choice + "after: t\nonly if: sum > 1 | s\n", "19");
    expect_metric("item: a | total\nitem: b | sum\nitem: c | total\n", "17");
    expect_metric("ruler: t | 1 to 9 | within 2\nmark: a | sum\n", "17");
    EXPECT_THAT(
        find_unknown_names(parse_with_block("plot tree"), {{"total"}, {"lost"}}),
        Contains(AllOf(StartsWith("lessons/reduction/story.en.md:1: front matter: "), HasSubstr("tree"))))
        << "the picture of the lesson's card is unknown";
}

}  // namespace gridstride::stories_test
