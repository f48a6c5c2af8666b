// Nothing in the window answers a question before it is asked: no text, no number, not under the mouse, at no
// step of any lesson.
#include <cctype>

#include "base/text.h"
#include "story/feedback.h"
#include "test_includes.h"
#include "ui/step_frames.h"

namespace gridstride::ui::fairness_test {

/// What may stand in the window while it is asked for, and why nobody reads the answer off it.
struct MayStand {
    const char* lesson;
    const char* step;
    const char* secret;
    const char* why;
};
const std::vector<MayStand> may_stand = {
    {"gaussian", "One invocation, one element", "5 in \"5 \u00b7 ", "the number of a step in the top bar"},
    {"gaussian", "One invocation, one element", "5 in \"invocation 5\"", "the number of an invocation"},
    {"gaussian", "One invocation, one element", "5 in \"5\"", "the same in the picture"},
    {"tensor_graph", "Fused", "2 in \"t4 = t3 / 2\"", "a number that the graph divides by"},
    {"tensor_graph", "Views", "2 in \"y = a * 2\"", "a number that the graph multiplies by"},
};

/// Whose step's picture may be recorded of the very run that decides its question, and why it says nothing of
/// it.
struct MayBeRecorded {
    const char* lesson;
    const char* step;
    const char* why;
};
const std::vector<MayBeRecorded> may_be_recorded = {
    {"gaussian", "One invocation, one element", "shows who takes which element, and no density"},
    {"thread_index", "One text, many workers", "has as many rows and columns as the question says"},
};

/// "1 024" and "1,024" are 1024.
std::string without_spaces_in_numbers(std::string text) {
    const auto is_digit = [&](std::size_t at) {
        return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
    };
    for (const std::string_view space : {" ", ",", "\u2009", "\u202F", "\u00A0"})
        for (std::size_t at = text.find(space); at != std::string::npos; at = text.find(space, at + 1))
            if (at > 0 && is_digit(at - 1) && is_digit(at + space.size()) &&
                is_digit(at + space.size() + 2) && !is_digit(at + space.size() + 3))
                text.erase(at, space.size());
    return text;
}

bool says_number(const std::string& text, const std::string& number) {
    const std::string whole = without_spaces_in_numbers(text);
    // "F5" is a key.
    const auto part_of_number = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_';
    };
    for (std::size_t at = whole.find(number); at != std::string::npos; at = whole.find(number, at + 1)) {
        const std::size_t end = at + number.size();
        const bool before = at > 0 && part_of_number(whole[at - 1]);
        const bool after = end < whole.size() && (std::isdigit(static_cast<unsigned char>(whole[end])) ||
                                                  (whole[end] == '.' && end + 1 < whole.size() &&
                                                   std::isdigit(static_cast<unsigned char>(whole[end + 1]))));
        if (!before && !after) return true;
    }
    return false;
}

TEST(SaysNumber, FindsItHoweverItIsWritten) {
    EXPECT_TRUE(says_number("There are 1\u2009024 of them.", "1024"));
    EXPECT_TRUE(says_number("There are 79.", "79"));
    EXPECT_TRUE(says_number("(79)", "79"));
    EXPECT_FALSE(says_number("179", "79"));
    EXPECT_FALSE(says_number("F5", "5"));
    EXPECT_FALSE(says_number("79.5", "79"));
    EXPECT_FALSE(says_number("10 000", "0"));
}

std::string with_plain_spaces(std::string text) {
    for (const std::string_view space : {"\u2009", "\u202F", "\u00A0"})
        for (std::size_t at = text.find(space); at != std::string::npos; at = text.find(space))
            text.replace(at, space.size(), " ");
    return text;
}

/// Its letters, however it was parted into lines and styles.
std::string remove_spaces(std::string_view text) {
    std::string left;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        std::size_t space = 0;
        for (const std::string_view one : {" ", "\n", "\u2009", "\u202F", "\u00A0"})
            if (rest.starts_with(one)) space = one.size();
        if (space == 0) left += rest.front();
        at += std::max<std::size_t>(space, 1);
    }
    return left;
}

/// What would answer a question: sentences, as their letters, and numbers as they are spoken.
struct Secrets {
    std::set<std::string> sentences, numbers;
};

/// Sentence by sentence; where a number is filled in, what stands before and behind it.
void add_sentences(Secrets& secrets, const std::string& markdown) {
    std::string plain;
    for (const Span& span : parse_inline(markdown))
        plain += span.text;
    for (std::size_t at = 0; at < plain.size();) {
        const std::size_t stop = plain.find(". ", at), brace = plain.find('{', at);
        const std::size_t end = std::min({stop, brace, plain.size()});
        std::string one = remove_spaces(std::string_view(plain).substr(at, end - at));
        one.erase(0, one.find_first_not_of(",.;:"));
        one.erase(one.find_last_not_of(",.;:") + 1);
        // Shorter ones, such as "It was", answer nothing.
        if (one.size() >= 20) secrets.sentences.insert(one);
        at = end == brace ? plain.find('}', end) : end;
        at += at < plain.size() ? 1 : 0;
        if (at == 0) break;
    }
}
void add_sentences(Secrets& secrets, const Feedback& feedback) {
    add_sentences(secrets, feedback.sentence);
    add_sentences(secrets, feedback.neutral);
    for (const Cause& cause : feedback.causes)
        add_sentences(secrets, cause.sentence);
}

/// The verdict's number, and those of each run that it is made of.
void add_numbers(Secrets& secrets, const Quotient& what, const std::vector<const Report*>& runs) {
    const auto add = [&](const Quotient& one) {
        if (const auto found = measured(one, runs))
            secrets.numbers.insert(metric_in_words(one, found->value));
    };
    add(what);
    add({what.value, {}});
    if (what.divided_by) add({*what.divided_by, {}});
}

/// `runs` decide it.
Secrets secrets_of(const PredictBlock& question_block, const std::vector<const Report*>& runs) {
    Secrets secrets;
    add_sentences(secrets, question_block.after);
    for (const PredictChoice& choice : question_block.choices) {
        add_sentences(secrets, choice.feedback);
        add_sentences(secrets, choice.why);
    }
    if (question_block.guess)
        for (const PredictGuess::Near& near : question_block.guess->near)
            add_sentences(secrets, near.sentence);
    if (!question_block.choices.empty() || question_block.guess)
        add_numbers(secrets, question_block.value, runs);
    for (const PredictItem& item : question_block.items)
        add_numbers(secrets, item.value, runs);
    for (const PredictMark& mark : question_block.marks)
        add_numbers(secrets, mark.value, runs);
    // One and none are everywhere, and answer nothing by themselves.
    secrets.numbers.erase("0");
    secrets.numbers.erase("1");
    return secrets;
}

/// Which of them a person can read.
std::vector<std::string> read_in(const std::vector<DrawnText>& texts, const Secrets& secrets) {
    std::vector<std::string> read;
    std::string all;
    for (const DrawnText& text : texts)
        all += remove_spaces(text.text);
    for (const std::string& sentence : secrets.sentences)
        if (all.find(sentence) != std::string::npos) read.push_back(sentence);
    for (const std::string& number : secrets.numbers)
        for (const DrawnText& text : texts)
            if (says_number(with_plain_spaces(text.text), with_plain_spaces(number)))
                read.push_back(fmt::format("{} in \"{}\"", number, text.text));
    return read;
}

class Fairness : public Steps {
 protected:
    static constexpr std::size_t kernel_tab = 5;  ///< the last
    Fairness() { max_elements_ = max_computed_elements; }
    /// Everything that can be read while the question is open: all tabs, the whole bench, the runs, and what
    /// appears under the mouse.
    void read_all(const Secrets& secrets) {
        std::set<std::string> known;  // what the story says stands there at every look
        const auto look = [&](const std::string& at) {
            std::vector<DrawnText> texts = drawn_texts();
            if (workspace_.tab == kernel_tab)  // its lines are numbered
                std::erase_if(texts, [](const DrawnText& one) {
                    return one.text.find_first_not_of("0123456789") == std::string::npos;
                });
            for (const std::string& one : read_in(texts, secrets)) {
                const bool may = std::ranges::any_of(may_stand, [&](const MayStand& stands) {
                    return session_.lesson().id == stands.lesson && story_step().title == stands.step &&
                           one.starts_with(stands.secret);
                });
                if (!may && known.insert(one).second) found(fmt::format("{} shows {}", at, one));
            }
        };
        workspace_.layout.runs_open() = true;
        for (std::size_t tab = 0; tab <= kernel_tab; ++tab) {
            workspace_.tab = tab;
            settle();
            look(fmt::format("tab {}", tab));
        }
        workspace_.tab = 0;
        workspace_.drawer_open = true;
        frames();
        look("the whole bench");
        workspace_.drawer_open = false;
        frames();
        // What appears under the mouse is nearly the same at all questions: the widgets are divided among
        // them.
        const std::size_t every = static_cast<std::size_t>(sample_of(1, 8));
        std::size_t number = questions_++;
        const std::vector<WidgetRect> widgets = widget_map();
        for (const WidgetRect& widget : widgets) {
            if (number++ % every != 0) continue;
            if (widget.kind == "panel" || widget.id.starts_with("top")) continue;
            mouse_ = (widget.min + widget.max) / 2.0F;
            for (int i = 0; i < 3; ++i)  // long enough for what appears late
                frame([] { ImGui::GetIO().DeltaTime = 2; });
            look(fmt::format("the mouse over {}", widget.id));
        }
        mouse_ = {-1000, -1000};
        frames(2);
    }
    std::size_t questions_ = 0;
    /// A number that is no time, of a run of these values.
    bool is_decided_by(const PredictBlock& question_block, const std::vector<const Report*>& runs,
                       const Experiment& values) {
        const bool may = std::ranges::any_of(may_be_recorded, [&](const MayBeRecorded& one) {
            return session_.lesson().id == one.lesson && story_step().title == one.step;
        });
        const bool of_times = !question_block.items.empty() || !question_block.marks.empty() ||
                              is_time_ratio(question_block.value);
        return !may && !of_times && std::ranges::any_of(runs, [&](const Report* run) {
            return run->experiment.variant == values.variant && run->experiment.values == values.values;
        });
    }
    /// Asks every question of the step again that runs have decided, so that their results are among the
    /// earlier ones, and reads all that the window shows.
    std::size_t read_open_questions() {
        std::vector<std::pair<std::size_t, Secrets>> all;
        while (const auto block = session_.open_question()) {
            const PredictBlock& question_block = *question();
            workspace_.tab = 0;
            settle();
            const bool recorded = std::ranges::any_of(
                drawn_texts(), [](const DrawnText& one) { return one.text == "recorded"; });
            const Experiment looked_at = session_.bench().experiment();
            const std::vector<const Report*> runs = decide_open_question();
            if (recorded && is_decided_by(question_block, runs, looked_at))
                found("the picture is a recording of the run that decides the question");
            all.emplace_back(*block, secrets_of(question_block, runs));
            session_.skip_question(*block);
        }
        for (const auto& [block, secrets] : all)
            session_.reset_question(block);
        for (const auto& [block, secrets] : all) {
            workspace_.last_decided.clear();
            read_all(secrets);
            session_.skip_question(block);
        }
        return all.size();
    }
};

TEST_F(Fairness, NothingInTheWindowAnswersAQuestionBeforeItIsAnswered) {
    std::size_t questions = 0;
    at_each_step({1920, 2000}, 1, [&](const Place&) { questions += read_open_questions(); });
    EXPECT_GT(questions, 40U);
    EXPECT_THAT(problems_, IsEmpty()) << join(problems_, "\n");
}

TEST_F(Fairness, WhatAStoryGivesAwayIsFound) {
    const std::string question =
        "```predict\nquestion: How long does it take?\nvalue: kernel_ns(2) / kernel_ns(1)\n"
        "run: elements = 1024\nrun: elements = 2048\n"
        "choice: the queue is gone | below 0.9 | It {pace}, and the queue for one counter is gone.\n"
        "why: The queue is not what took the time.\n"
        "only if: bytes_moved > 1 | The numbers come from the device's memory.\n"
        "choice: longer, there are more | otherwise | It {pace} with so many levels.\n"
        "why: More of them need not take longer.\nafter: Both found the very same total.\n```\n";
    const auto given_away = [&](const std::string& text) {
        tell("## One\n\n" + text + "\n\n" + question);
        for (const std::size_t block : question_blocks(story_step()))
            session_.reset_question(block);
        look_like({1920, 2000});
        problems_.clear();
        EXPECT_EQ(read_open_questions(), 1U);
        return problems_.size();
    };
    EXPECT_EQ(given_away("A tree adds level by level."), 0U) << join(problems_, "\n");
    for (const char* text :
         {"It is short, and the queue for *one counter* is gone.", "The queue is not what took the time.",
          "The numbers come from the device's memory.", "More of them need not take longer.",
          "Both found the very same total.", "It took 2.7 times as long.", "The first run takes 125 µs.",
          "The second takes 336\u00a0µs."})
        EXPECT_GT(given_away(text), 0U) << text;
}

}  // namespace gridstride::ui::fairness_test
