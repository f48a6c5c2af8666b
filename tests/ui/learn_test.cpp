// A step's question: its card is never cut off, mouse, keys and scripts can give every kind of answer, and
// the verdict reports the result.
#include "test_includes.h"
#include "ui/learn_frames.h"
#include "ui/panels/panels.h"
#include "ui/trace_case.h"

namespace gridstride::ui::learn_test {

const std::string long_text =
    "Each workgroup has its own memory, which no other workgroup can see, and its invocations meet at a "
    "barrier before anyone reads what another one has written. That is what the next picture shows, level by "
    "level.\n\n";

std::string make_step(const std::string& question, int paragraphs = 1) {
    std::string text = "## A step with a rather long title that takes two lines of the panel\n\n";
    for (int i = 0; i < paragraphs; ++i)
        text += long_text;
    return text + "```predict\n" + question + "```\n\n";
}

const std::string choices =
    "question: A million numbers. Compared with everyone adding to one counter, how long does the tree take "
    "on this device, if its barriers are counted too?\n"
    "value: time\n"
    "choice: less: the queue for the one counter is gone, and the rest happens in memory of its own | below "
    "0.9 | "
    "It was {value}.\n"
    "why: The queue is not what took the time.\n"
    "choice: the same: both do a million additions | below 1.1 | It was {value}.\n"
    "why: Both do a million additions, but not in the same place.\n"
    "choice: more: seven levels with a barrier each | otherwise | It was {value}.\n"
    "why: Barriers cost little here.\n";
const std::string guess =
    "question: 10 000 numbers in workgroups of 128, one number an invocation. How many partial sums are "
    "there?\n"
    "value: partial\n"
    "guess: partial sums, one for each of the workgroups of the launch | within 0\n"
    "near: 128 | That is how many invocations a workgroup has.\n"
    "after: There are {value}.\n";
const std::string order =
    "question: Put these four parts of a run in order, the shortest first.\n"
    "item: Copying the input up to the device | up\n"
    "item: The kernel | kernel\n"
    "item: Copying the partial sums down | down\n"
    "item: Submitting the work and waiting until all of it is done | rest\n"
    "after: The kernel took {2}.\n";
const std::string marks =
    "question: Where on the ruler do these stand?\n"
    "ruler: time of one | 100 to 1e9 | within 2\n"
    "mark: An empty launch | a_ns\n"
    "mark: A sum of a million numbers with a name that is long enough to need its second line | b_ns\n"
    "mark: One round over the bus | c_ns\n"
    "after: An empty launch takes {1}.\n";
const std::string curve =
    "question: How long does the kernel take for so many numbers?\n"
    "ruler: time of the kernel | 100 to 1e9 | within 2 | numbers\n"
    "mark: a thousand | a_ns | at 1024\n"
    "mark: sixty-five thousand | b_ns | at 65536\n"
    "mark: a million | c_ns | at 1048576\n"
    "after: The last takes {3}.\n";

struct QuestionKind {
    const char* name;
    const std::string* question;
    std::vector<std::string> controls;
};
const std::vector<QuestionKind> kinds = {
    {"choices", &choices, {"story.predict.%.0", "story.predict.%.1", "story.predict.%.2"}},
    {"guess", &guess, {"story.guess.%", "story.guess.%.1", "story.guess.%.back"}},
    {"order", &order, {"story.order.%.0", "story.order.%.1", "story.order.%.2", "story.order.%.3"}},
    {"marks", &marks, {"story.mark.%.0", "story.mark.%.1", "story.mark.%.2"}},
    {"curve", &curve, {"story.mark.%.0", "story.mark.%.1", "story.mark.%.2"}},
};
std::string insert_block_number(std::string id, std::size_t block) {
    return id.replace(id.find('%'), 1, std::to_string(block));
}

struct WindowSize {
    float width, height, scale;
};
const WindowSize window_sizes[] = {
    {1280, 720, 1}, {1366, 768, 1}, {1920, 1080, 1.5F}, {1600, 1000, 1}, {960, 540, 1}};

class CardTest : public LearnFrames {
 protected:
    void ask(const std::string& question, const std::string& text_after = "") {
        set_story(make_step(question) + text_after);
        resize_window({1366, 768});
    }
    bool is_right(std::size_t block = 1) { return has_result(block, Outcome::Result::right); }
    bool is_wrong(std::size_t block = 1) { return has_result(block, Outcome::Result::wrong); }
    void choose(std::size_t choice) {
        click(fmt::format("story.predict.1.{}", choice));
        click("story.decide");
    }
    const std::string& guess_text() { return session_.prediction(1).guess_text; }

 private:
    bool has_result(std::size_t block, Outcome::Result result) {
        const auto& outcome = session_.prediction(block).outcome;
        return outcome && outcome->result == result;
    }
};

TEST_F(CardTest, CardFitsAboveTheButtonsInEveryWindow) {
    for (const WindowSize& size : window_sizes) {
        resize_window({size.width, size.height}, size.scale);
        for (const QuestionKind& kind : kinds) {
            SCOPED_TRACE(testing::Message() << kind.name << " in " << size.width << " x " << size.height);
            constexpr int paragraphs = 9;
            set_story(make_step(*kind.question, paragraphs));
            frames();
            const std::size_t block = paragraphs;
            const WidgetRect* found = find(insert_block_number("story.card.0.%", block));
            ASSERT_NE(found, nullptr);
            EXPECT_EQ(found->kind, "card") << "the card scrolls";
            const Rect card{found->min, found->max};
            const Rect window{{0, 0}, {size.width, size.height}};
            EXPECT_TRUE(window.contains(card));
            for (const std::string& control : kind.controls)
                EXPECT_TRUE(card.contains(widget_rect(insert_block_number(control, block)))) << control;
            for (const char* button : {"story.back", "story.decide", "story.next"}) {
                const Rect rect = widget_rect(button);
                EXPECT_TRUE(window.contains(rect)) << button;
                EXPECT_GE(rect.min.y, card.max.y) << button;
                EXPECT_GE(rect.min.x, card.min.x - 1) << button;
                EXPECT_LE(rect.max.x, card.max.x + 1) << button;
            }
            EXPECT_LE(widget_rect("story.decide").max.x, widget_rect("story.next").min.x);
            const Rect text = widget_rect("story.step.text.reduction.0");
            EXPECT_LE(text.max.y, card.min.y);
            EXPECT_GE(text.height(), 72 * size.scale) << "there is no room for the title and a line or two";
            // No text of the card is cut off.
            for (const DrawnText& drawn : drawn_texts()) {
                if (drawn.visible_area.height() <= 0 || !card.contains(drawn.visible_area.centre())) continue;
                EXPECT_GE(drawn.rect.min.x, card.min.x) << drawn.text;
                EXPECT_LE(drawn.rect.max.x, card.max.x) << drawn.text;
                EXPECT_THAT(drawn.text, Not(HasSubstr("…")));
            }
        }
    }
}

TEST_F(CardTest, LongCardScrollsAndItsButtonsStay) {
    std::string many = "question: Which one?\nvalue: time\n";
    for (int i = 1; i < 9; ++i)
        many += "choice: a thought that goes on and on, number " + std::to_string(i) +
                ", until it needs more than one line of its own | equals " + std::to_string(i) + " | So.\n";
    many += "choice: none of these | otherwise | So.\n";
    set_story(make_step(many));
    resize_window({960, 540});
    const WidgetRect* card = find("story.card.0.1");
    ASSERT_NE(card, nullptr);
    EXPECT_EQ(card->kind, "panel");
    EXPECT_LE(card->max.y, widget_rect("story.decide").min.y);
    EXPECT_LE(widget_rect("story.decide").max.y, 540);
    set("story.predict.1.8", "true");
    EXPECT_EQ(get_answer(1).choice, 8U);
}

TEST_F(CardTest, TabReachesTheCardFirst) {
    ask(choices);
    press(Key::tab);
    press(Key::space);
    EXPECT_EQ(get_answer(1).choice, 0U);
    press(Key::tab);
    press(Key::enter);
    EXPECT_EQ(get_answer(1).choice, 1U);
}

TEST_F(CardTest, MouseAndScriptChoose) {
    ask(choices);
    const std::size_t before = lab_.requests.size();
    click("story.decide");
    EXPECT_EQ(lab_.requests.size(), before) << "nothing is chosen";
    click("story.predict.1.2");
    EXPECT_EQ(get_answer(1).choice, 2U);
    set("story.predict.1.1", "true");
    EXPECT_EQ(get_answer(1).choice, 1U);
    click("story.decide");
    EXPECT_EQ(lab_.requests.size(), before + 1);
    EXPECT_TRUE(session_.prediction(1).is_pending);
}

TEST_F(CardTest, EnterDecidesAGuess) {
    ask(guess);
    const std::size_t before = lab_.requests.size();
    press(Key::tab);
    frames();
    frame([] { feed_text("128"); });
    frames();
    EXPECT_EQ(guess_text(), "128");
    press(Key::enter);
    EXPECT_EQ(lab_.requests.size(), before + 1);
    answer({{"partial", 79}});
    EXPECT_TRUE(is_wrong());
    EXPECT_THAT(window_text(), HasSubstr("128 partial sums"));
    EXPECT_THAT(window_text(), HasSubstr("how many invocations a workgroup has"));
}

TEST_F(CardTest, MouseEntersANumber) {
    ask(guess);
    for (const char* key : {"1", "point", "2", "point", "5", "back", "back", "back", "7"})
        click(std::string("story.guess.1.") + key);
    EXPECT_EQ(guess_text(), "17") << "a second decimal point is ignored";
    const std::size_t before = lab_.requests.size();
    click("story.decide");
    EXPECT_EQ(lab_.requests.size(), before + 1);
}

TEST_F(CardTest, InvalidGuessStaysAndShowsAHint) {
    ask(guess);
    const std::size_t before = lab_.requests.size();
    for (const char* invalid : {"1,5", "seven", "-", "1e999", "1/2", "nan"}) {
        set("story.guess.1", invalid);
        frames();
        EXPECT_EQ(guess_text(), invalid);
        EXPECT_THAT(window_text(), HasSubstr("12.5")) << invalid;
        click("story.decide");
        EXPECT_EQ(lab_.requests.size(), before) << invalid;
    }
    for (const char* valid : {"", " ", "1.5", "1 024", "1\u2009024"}) {
        set("story.guess.1", valid);
        frames();
        EXPECT_THAT(window_text(), Not(HasSubstr("12.5"))) << valid;
    }
    click("story.decide");
    EXPECT_EQ(lab_.requests.size(), before + 1);
    answer({{"partial", 79}});
    EXPECT_THAT(window_text(), HasSubstr("1\u2009024 partial sums"));
}

TEST_F(CardTest, TabSkipsTheKeysForTheMouse) {
    ask(guess);
    press(Key::tab);
    press(Key::tab);
    press(Key::space);
    EXPECT_TRUE(session_.prediction(1).is_skipped) << "Skip follows the number field";
}

TEST_F(CardTest, TabRestartsAtEachQuestion) {
    const std::string block_text = "```predict\n" + choices + "```\n\n";
    set_story("## One\n\n" + block_text + block_text + "## Two\n\nText.\n\n" + block_text);
    resize_window({1366, 768});
    const auto choose_by_tab = [&](std::size_t block) {
        press(Key::tab);
        press(Key::space);
        return get_answer(block).choice;
    };
    EXPECT_EQ(choose_by_tab(0), 0U);
    focus_widget("story.next");
    frame();
    press(Key::space);
    ASSERT_TRUE(session_.prediction(0).is_skipped);
    EXPECT_EQ(choose_by_tab(1), 0U) << "not the widget after Next";
    step_forward(workspace_);
    frames();
    ASSERT_EQ(session_.step(), 1U);
    EXPECT_EQ(choose_by_tab(1), 0U) << "not the second, although the first had the keyboard before";
}

TEST_F(CardTest, DraggingKeysAndButtonsReorderRows) {
    ask(order);
    EXPECT_TRUE(get_answer(1).order.empty()) << "there is no answer yet";
    drag(widget_rect("story.order.1.0").min + glm::vec2(40, 12),
         widget_rect("story.order.1.2").centre() + glm::vec2(-60, 4));
    EXPECT_THAT(get_answer(1).order, ElementsAre(1, 2, 0, 3));
    click("story.order.1.3.up");
    EXPECT_THAT(get_answer(1).order, ElementsAre(1, 2, 3, 0));
    focus_widget("story.order.1.1");
    frame();
    press(Key::down, {.ctrl = true});
    EXPECT_THAT(get_answer(1).order, ElementsAre(2, 1, 3, 0));
    press(Key::down, {.alt = true});
    EXPECT_THAT(get_answer(1).order, ElementsAre(2, 3, 1, 0));
    press(Key::up, {.ctrl = true});
    EXPECT_THAT(get_answer(1).order, ElementsAre(2, 1, 3, 0));
    EXPECT_EQ(session_.step(), 0U);
    set("story.order.1.0", "1");
    EXPECT_THAT(get_answer(1).order, ElementsAre(0, 2, 1, 3));
    click("story.decide");
    answer({{"up", 3}, {"kernel", 1}, {"down", 2}, {"rest", 4}});
    EXPECT_TRUE(is_wrong());
    EXPECT_THAT(window_text(), HasSubstrs("1. The kernel: 1 (you: 3)", "The kernel took 1."));
}

TEST_F(CardTest, KeepingTheOrderIsAnAnswer) {
    ask(order);
    click("story.order.1.keep");
    EXPECT_THAT(get_answer(1).order, ElementsAre(0, 1, 2, 3));
    EXPECT_TRUE(is_complete(get_question(session_.story().steps[0], 1), get_answer(1)));
}

TEST_F(CardTest, MarkersAreAnAnswerOnceAllArePlaced) {
    ask(marks);
    const Rect first = widget_rect("story.mark.1.0");
    drag(glm::vec2(first.min.x + 30, first.max.y - 10), glm::vec2(first.min.x + 8, first.max.y - 10));
    EXPECT_TRUE(get_answer(1).marks.empty());
    set("story.mark.1.1", "1e6");
    focus_widget("story.mark.1.2");
    frame();
    press(Key::right);
    ASSERT_EQ(get_answer(1).marks.size(), 3U);
    EXPECT_NEAR(get_answer(1).marks[0], 100, 1e-6) << "the ruler's end";
    EXPECT_NEAR(get_answer(1).marks[1], 1e6, 1e-3);
    // The marker moves from the middle, 10^5.5, by a tenth of a decade.
    EXPECT_NEAR(std::log10(get_answer(1).marks[2]), 5.6, 1e-6);
    press(Key::left);
    press(Key::left);
    EXPECT_NEAR(std::log10(get_answer(1).marks[2]), 5.4, 1e-6);
    EXPECT_EQ(session_.step(), 0U) << "the marker uses the arrow keys";
    click("story.decide");
    answer({{"a_ns", 150}, {"b_ns", 1.5e6}, {"c_ns", 2e5}});
    EXPECT_TRUE(is_right());
    EXPECT_THAT(window_text(), HasSubstr("150\u00a0ns"));
}

TEST_F(CardTest, MarkersOnACurveMoveUpAndDown) {
    ask(curve);
    for (const char* id : {"story.mark.1.0", "story.mark.1.1", "story.mark.1.2"}) {
        const Rect column = widget_rect(id);
        drag(column.centre(), {column.centre().x, column.min.y + column.height() / 7});
    }
    ASSERT_EQ(get_answer(1).marks.size(), 3U);
    // The ruler has seven decades from 100; each marker is one decade below its end.
    for (const double mark : get_answer(1).marks)
        EXPECT_NEAR(std::log10(mark), 8, 0.1);
    click("story.decide");
    answer({{"a_ns", 1e3}, {"b_ns", 1e4}, {"c_ns", 1e8}});
    EXPECT_TRUE(is_wrong());
    EXPECT_THAT(window_text(), HasSubstr("100"));
}

TEST_F(CardTest, VerdictExplainsAWrongChoice) {
    ask(choices);
    choose(1);
    answer({{"time", 0.5}});
    EXPECT_TRUE(is_wrong());
    EXPECT_THAT(window_text(), HasSubstrs("not in the same place", "✓ less: the queue"));
    click("story.again.1");
    EXPECT_FALSE(session_.prediction(1).is_closed());
    EXPECT_NE(find("story.predict.1.0"), nullptr);
}

TEST_F(CardTest, CloseResultMeasuresLongerAndIsUndecided) {
    std::string time_question = choices;
    time_question.replace(time_question.find("value: time"), 11, "value: kernel_ns");
    time_question.replace(time_question.find("0.9"), 3, "1000");
    time_question.replace(time_question.find("1.1"), 3, "2000");
    ask(time_question);
    choose(0);
    const std::vector<double> samples = {900, 950, 1000, 1050, 1100};
    answer({}, samples);
    ASSERT_TRUE(session_.question_job(1)->measures_longer());
    answer({}, samples);
    EXPECT_EQ(session_.prediction(1).outcome->result, Outcome::Result::undecided);
    EXPECT_THAT(window_text(), HasSubstr("○"));
}

TEST_F(CardTest, TraceVerdictLinksToTheInsideTab) {
    std::string trace_question = choices;
    trace_question.replace(trace_question.find("value: time"), 11, "value: races");
    ask(trace_question, "```inside workgroup 1, line 38, step 2\n```\n");
    EXPECT_EQ(find("story.inside.2"), nullptr) << "not before the answer";
    choose(2);
    ASSERT_TRUE(lab_.requests.back().trace_options);
    Report report = answer_to(lab_.requests.back(), Status::ok);
    TraceCase::put(TraceCase{}.make(), report);
    report.trace_metrics = {{"races", Estimate{512, 512, 512}, "They race."}};
    reply(std::move(report));
    frames();
    answer({});
    EXPECT_TRUE(is_right());
    EXPECT_THAT(window_text(), HasSubstr("workgroup 1, line 38, step 2"));
    click("story.inside.2");
    EXPECT_TRUE(is_inside_open(workspace_));
}

TEST_F(CardTest, VerdictIsShownForAnImmediateAnswer) {
    ask(guess, "Behind it.\n");
    set("story.guess.1", "79");
    lab_.at_once = [](const lab::Request& request) {
        Report report = answer_to(request, Status::ok);
        report.result.push_back({std::string("partial"), std::string("partial"), 79.0});
        return report;
    };
    click("story.decide");
    EXPECT_TRUE(is_right());
    EXPECT_NE(find("story.card.0.1"), nullptr);
}

TEST_F(CardTest, QuestionsAppearOneAfterAnother) {
    set_story(make_step(guess) + "Between them.\n\n```predict\n" + choices +
              "```\n\nBehind them.\n\n## Next\n\nText.\n");
    resize_window({1366, 1200});
    EXPECT_NE(find("story.guess.1"), nullptr);
    EXPECT_EQ(find("story.predict.3.0"), nullptr);
    EXPECT_THAT(window_text(), HasSubstr("Each workgroup"));
    EXPECT_THAT(window_text(), Not(HasSubstr("Between"))) << "the text after a question may give its result";
    set("story.guess.1", "79");
    click("story.decide");
    answer({{"partial", 79}});
    EXPECT_TRUE(is_right());
    EXPECT_NE(find("story.card.0.1"), nullptr) << "the verdict stays";
    EXPECT_THAT(window_text(), AllOf(HasSubstr("Between"), Not(HasSubstr("Behind"))));
    EXPECT_EQ(widget_value("story.next"), "Next question →");
    click("story.next");
    EXPECT_EQ(session_.step(), 0U);
    EXPECT_NE(find("story.predict.3.0"), nullptr);
    // The decided question is a line that opens on a click.
    EXPECT_EQ(find("story.card.0.1"), nullptr);
    click("story.answer.1");
    EXPECT_NE(find("story.card.0.1"), nullptr);
    EXPECT_EQ(widget_value("story.next"), "Skip →");
    click("story.next");
    EXPECT_EQ(session_.step(), 1U);
    session_.go_to_step(0);
    frames();
    EXPECT_TRUE(session_.prediction(3).is_skipped);
    EXPECT_THAT(window_text(), HasSubstr("Behind"));
    session_.reset_question(3);
    frames();
    EXPECT_THAT(window_text(), Not(HasSubstr("Behind")));
}

TEST_F(CardTest, ShowPartShowsTheWholeCard) {
    std::string text = make_step("id: first\n" + guess, 6);
    for (int i = 0; i < 6; ++i)
        text += long_text;
    set_story("## Before\n\nText.\n\n" + text + "```predict\nid: second\n" + choices + "```\n\n" + long_text);
    const auto show = [&](const std::string& id) {
        show_part(workspace_, {ItemKind::question, id, "", 1});
        frames();
    };
    const std::string first = "story.card.1.6", second = "story.card.1.13";
    for (const Arrangement arrangement : {Arrangement::learn, Arrangement::bench}) {
        workspace_.layout.arrangement = arrangement;
        workspace_.layout.is_story_unfolded = false;
        session_.go_to_step(0);
        resize_window({1366, 768});
        show("first");
        EXPECT_EQ(session_.step(), 1U);
        EXPECT_TRUE(is_whole(first)) << "pinned";
        EXPECT_EQ(workspace_.notice, "");
        show("second");
        EXPECT_TRUE(is_whole(first)) << "the first question comes first";
        EXPECT_NE(workspace_.notice, "") << "a notice says so";
        workspace_.notice.clear();
        session_.skip_question(6);
        show("second");
        EXPECT_TRUE(is_whole(second));
        show("first");
        EXPECT_TRUE(is_whole(first)) << "opened, and scrolled to";
        session_.skip_question(13);
        show("second");
        EXPECT_TRUE(is_whole(second)) << "scrolled down";
        EXPECT_FALSE(is_whole(first));
        show("first");
        EXPECT_TRUE(is_whole(first)) << "scrolled back";
        EXPECT_EQ(workspace_.notice, "");
        for (const std::size_t block : {6U, 13U})
            session_.reset_question(block);
        workspace_.open_answers.clear();
    }
}

TEST_F(CardTest, EmptyStageAsksForAnAnswer) {
    ask(guess, "```plot time_per_variant\n```\n");
    ASSERT_TRUE(session_.has_open_question());
    EXPECT_THAT(window_text(), HasSubstr("Answer the question to see the picture."));
    ASSERT_TRUE(find("stage.code")) << "the lesson's kernel is known";
    EXPECT_EQ(find("stage.code")->value, session_.lesson_kernel_name());
    session_.skip_question(*session_.open_question());
    frames();
    EXPECT_THAT(window_text(), Not(HasSubstr("Answer the question")));
}

TEST_F(CardTest, ControlsShowTheSizesOfTheShownQuestion) {
    set_story(
        "## One\n\n```set\nelements = 4096\nshow: elements\n```\n\n"
        "```predict\nquestion: One?\nrun: elements = 1024\nrun: elements = 2048\n"
        "value: workgroup_count(2)\nguess: workgroups | within 0\n```\n\n"
        "```predict\nquestion: Two?\nrun: elements = 512\nvalue: kernel_ns\nguess: ns | within 1\n```\n");
    resize_window({1366, 768});
    const auto elements = [&] { return session_.bench().values()[key::elements]; };
    EXPECT_EQ(elements(), 1024U);
    EXPECT_TRUE(session_.would_trace_answer()) << "it counts";
    session_.set_value("elements", std::uint64_t{100});
    frames();
    EXPECT_EQ(elements(), 100U) << "what the user sets stays";
    click("story.next");
    frames();
    EXPECT_EQ(elements(), 512U);
    EXPECT_FALSE(session_.would_trace_answer()) << "a trace has no times";
    session_.skip_question(*session_.open_question());
    session_.go_to_step(0);
    EXPECT_EQ(elements(), 4096U) << "the step's own";
}

TEST_F(CardTest, StoryDoesNotListBenchSettingsOrPlots) {
    set_story("## One\n\n" + long_text + "```set\nelements = 4096\n```\n\n```plot tree\n```\n");
    resize_window({1366, 768});
    EXPECT_THAT(window_text(), Not(HasSubstr("On the bench")));
    for (const WidgetRect& widget : widget_map())
        EXPECT_FALSE(widget.id.starts_with("story.plot")) << widget.id;
}

TEST_F(CardTest, FocusedTermShowsItsMeaning) {
    set_story("## One\n\nEach [invocation](term) adds, and [nonsense](term) does not.\n");
    resize_window({1366, 768});
    const WidgetRect* term = find("story.term.1");
    ASSERT_NE(term, nullptr);
    EXPECT_EQ(term->kind, "term");
    EXPECT_GT(term->value.size(), 20U);
    EXPECT_EQ(find("story.term.2"), nullptr) << "the glossary does not have this word";
    EXPECT_THAT(window_text(), Not(HasSubstr(term->value.substr(0, 12))));
    focus_widget("story.term.1");
    frames();
    EXPECT_THAT(window_text(), HasSubstr(find("story.term.1")->value.substr(0, 12)));
}

TEST_F(CardTest, PresentationShowsOnlyTheQuestionUntilRevealed) {
    set_story(make_step(choices));
    workspace_.is_presenting = true;
    resize_window({1366, 768}, presentation_scale(1, {1366, 768}));
    EXPECT_GT(ui_->theme().scale(), 1.5F);
    EXPECT_EQ(find("top"), nullptr);
    EXPECT_EQ(find("present.stage"), nullptr);
    const Rect card = widget_rect("story.card.0.1");
    EXPECT_TRUE((Rect{{0, 0}, {1366, 768}}.contains(card)));
    press(Key::tab);  // the field for raised hands
    press(Key::tab);
    press(Key::enter);
    click("present.reveal");
    answer({{"time", 0.5}});
    EXPECT_TRUE(is_right());
    EXPECT_NE(find("present.stage"), nullptr);
}

}  // namespace gridstride::ui::learn_test
