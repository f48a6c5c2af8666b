// While a question is open, no text, number or tooltip in the window gives its answer away, at any step of
// any lesson.
#include <cctype>

#include "base/text.h"
#include "story/feedback.h"
#include "test_includes.h"
#include "ui/step_frames.h"

namespace gridstride::ui::fairness_test {

/// A secret that the window may show while its question is open, and why it does not give the answer away.
struct AllowedText {
    const char* lesson;
    const char* step;
    const char* secret;
    const char* why;
};
const std::vector<AllowedText> allowed_texts = {
    {"divergence", "Longer periods", "8 in \"8\"",
     "the default of the distance, which the step does not use"},
    {"scan", "Three launches", "12 in \"12\"", "a tick of the axis"},
    {"scan", "What a scan is good for", "5 in \"5\"", "a tick of the axis"},
    {"gaussian", "One invocation, one element", "5 in \"invocation 5\"", "the number of an invocation"},
    {"gaussian", "One invocation, one element", "5 in \"5\"", "the same in the picture"},
    {"tensor_graph", "Kernels of a fused graph", "2 in \"t4 = t3 / 2\"",
     "a number that the graph divides by"},
    {"tensor_graph", "Views and strides", "2 in \"y = a * 2\"", "a number that the graph multiplies by"},
};

/// A step whose plot may use a trace of the run that decides its question, and why that gives nothing away.
struct AllowedTrace {
    const char* lesson;
    const char* step;
    const char* why;
};
const std::vector<AllowedTrace> allowed_traces = {
    {"gaussian", "One invocation, one element", "shows the access map, and no density"},
    {"thread_index", "One kernel, many invocations", "has as many rows and columns as the question says"},
};

/// Removes the separators within numbers: "1 024" and "1,024" become 1024.
std::string join_digit_groups(std::string text) {
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

bool contains_number(const std::string& text, const std::string& number) {
    const std::string whole = join_digit_groups(text);
    // The 5 in "F5" is part of a key's name.
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

TEST(ContainsNumber, FindsEveryNotationOfANumber) {
    EXPECT_TRUE(contains_number("There are 1\u2009024 of them.", "1024"));
    EXPECT_TRUE(contains_number("There are 79.", "79"));
    EXPECT_TRUE(contains_number("(79)", "79"));
    EXPECT_FALSE(contains_number("179", "79"));
    EXPECT_FALSE(contains_number("F5", "5"));
    EXPECT_FALSE(contains_number("79.5", "79"));
    EXPECT_FALSE(contains_number("10 000", "0"));
}

std::string replace_thin_spaces(std::string text) {
    for (const std::string_view space : {"\u2009", "\u202F", "\u00A0"})
        for (std::size_t at = text.find(space); at != std::string::npos; at = text.find(space))
            text.replace(at, space.size(), " ");
    return text;
}

/// Removes all spaces and line breaks, so that wrapped and styled texts compare equal.
std::string remove_spaces(std::string_view text) {
    std::string letters;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        std::size_t space = 0;
        for (const std::string_view one : {" ", "\n", "\u2009", "\u202F", "\u00A0"})
            if (rest.starts_with(one)) space = one.size();
        if (space == 0) letters += rest.front();
        at += std::max<std::size_t>(space, 1);
    }
    return letters;
}

/// Texts that would answer a question: sentences without spaces, and numbers as the window writes them.
struct Secrets {
    std::set<std::string> sentences, numbers;
};

/// Adds each sentence. A placeholder for a number splits a sentence into the parts before and after it.
void add_sentences(Secrets& secrets, const std::string& markdown) {
    std::string plain;
    for (const Span& span : parse_inline(markdown))
        plain += span.text;
    for (std::size_t at = 0; at < plain.size();) {
        const std::size_t stop = plain.find(". ", at), brace = plain.find('{', at);
        const std::size_t end = std::min({stop, brace, plain.size()});
        std::string part = remove_spaces(std::string_view(plain).substr(at, end - at));
        part.erase(0, part.find_first_not_of(",.;:"));
        part.erase(part.find_last_not_of(",.;:") + 1);
        // Shorter parts, such as "It was", answer nothing.
        if (part.size() >= 20) secrets.sentences.insert(part);
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

/// Adds the number of the verdict, and the numbers of the runs that it is computed from.
void add_numbers(Secrets& secrets, const Quotient& verdict, const std::vector<const Report*>& runs) {
    const auto add = [&](const Quotient& one) {
        if (const auto result = measured(one, runs))
            secrets.numbers.insert(describe_metric(one, result->value));
    };
    add(verdict);
    add({verdict.value, {}});
    if (verdict.divided_by) add({*verdict.divided_by, {}});
}

/// Collects what would answer the question that `runs` decide.
Secrets collect_secrets(const PredictBlock& question_block, const std::vector<const Report*>& runs) {
    Secrets secrets;
    add_sentences(secrets, question_block.after);
    for (const PredictChoice& choice : question_block.choices) {
        add_sentences(secrets, choice.feedback);
        add_sentences(secrets, choice.why);
    }
    if (question_block.guess)
        for (const PredictGuess::CommonGuess& near : question_block.guess->common_guesses)
            add_sentences(secrets, near.sentence);
    if (!question_block.choices.empty() || question_block.guess)
        add_numbers(secrets, question_block.value, runs);
    for (const PredictItem& item : question_block.items)
        add_numbers(secrets, item.value, runs);
    for (const PredictMark& mark : question_block.marks)
        add_numbers(secrets, mark.value, runs);
    // 0 and 1 appear everywhere and give nothing away.
    secrets.numbers.erase("0");
    secrets.numbers.erase("1");
    return secrets;
}

/// Returns the secrets that these texts show.
std::vector<std::string> find_secrets(const std::vector<DrawnText>& texts, const Secrets& secrets) {
    std::vector<std::string> shown;
    std::string all;
    for (const DrawnText& text : texts)
        all += remove_spaces(text.text);
    for (const std::string& sentence : secrets.sentences)
        if (all.find(sentence) != std::string::npos) shown.push_back(sentence);
    for (const std::string& number : secrets.numbers)
        for (const DrawnText& text : texts)
            if (contains_number(replace_thin_spaces(text.text), replace_thin_spaces(number)))
                shown.push_back(fmt::format("{} in \"{}\"", number, text.text));
    return shown;
}

class Fairness : public Steps {
 protected:
    static constexpr std::size_t kernel_tab = 5;  ///< the last tab
    /// Checks everything that can be read while the question is open: all tabs, the whole bench, the runs and
    /// the tooltips.
    void check_window(const Secrets& secrets) {
        std::set<std::string> known;  // reported already: the story is visible in every view
        const auto check = [&](const std::string& view) {
            std::vector<DrawnText> texts = drawn_texts();
            // The number of runs of all steps so far.
            std::erase_if(texts, [&](const DrawnText& one) {
                return one.text == tr("Runs {}", session_.runs().all().size());
            });
            if (workspace_.tab == kernel_tab)  // its line numbers are not secret
                std::erase_if(texts, [](const DrawnText& one) {
                    return one.text.find_first_not_of("0123456789") == std::string::npos;
                });
            for (const std::string& one : find_secrets(texts, secrets)) {
                const bool allowed = std::ranges::any_of(allowed_texts, [&](const AllowedText& entry) {
                    return session_.lesson().id == entry.lesson && story_step().title == entry.step &&
                           one.starts_with(entry.secret);
                });
                if (!allowed && known.insert(one).second) add_problem(fmt::format("{} shows {}", view, one));
            }
        };
        workspace_.layout.runs_open() = true;
        for (std::size_t tab = 0; tab <= kernel_tab; ++tab) {
            workspace_.tab = tab;
            refresh_pictures();
            check(fmt::format("tab {}", tab));
        }
        workspace_.tab = 0;
        workspace_.is_drawer_open = true;
        frames();
        check("the whole bench");
        workspace_.is_drawer_open = false;
        frames();
        // The tooltips are nearly the same at all questions, so each question checks a share of the widgets.
        const std::size_t stride = static_cast<std::size_t>(sample_of(1, 16));
        std::size_t number = questions_++;
        const std::vector<WidgetRect> widgets = widget_map();
        for (const WidgetRect& widget : widgets) {
            if (number++ % stride != 0) continue;
            // The tooltip of a step has its number and its title, which the window shows anyway.
            if (widget.kind == "panel" || widget.id.starts_with("top") ||
                widget.id.starts_with("story.step."))
                continue;
            mouse_ = (widget.min + widget.max) / 2.0F;
            for (int i = 0; i < 3; ++i)  // long enough for delayed tooltips
                frame([] { ImGui::GetIO().DeltaTime = 2; });
            check(fmt::format("the mouse over {}", widget.id));
        }
        mouse_ = {-1000, -1000};
        frames(2);
    }
    std::size_t questions_ = 0;
    /// True if a run with these values decides the question by a number that is not a time.
    bool is_revealed_by(const PredictBlock& question_block, const std::vector<const Report*>& runs,
                        const Experiment& values) {
        const bool allowed = std::ranges::any_of(allowed_traces, [&](const AllowedTrace& one) {
            return session_.lesson().id == one.lesson && story_step().title == one.step;
        });
        const bool compares_times = !question_block.items.empty() || !question_block.marks.empty() ||
                                    is_time_ratio(question_block.value);
        return !allowed && !compares_times && std::ranges::any_of(runs, [&](const Report* run) {
            return run->experiment.variant == values.variant && run->experiment.values == values.values;
        });
    }
    /// Decides every question of the step, so that the results are among the earlier runs, opens each one
    /// again and checks everything that the window shows. Returns the number of questions.
    std::size_t check_open_questions() {
        std::vector<std::pair<std::size_t, Secrets>> all;
        while (const auto block = session_.open_question()) {
            const PredictBlock& question_block = *question();
            // A question about a time is decided without results, so that their reference is not computed.
            max_elements_ = measures_time(question_block) ? 0 : max_computed_elements;
            workspace_.tab = 0;
            refresh_pictures();
            const bool shows_trace =
                std::ranges::any_of(drawn_texts(), [](const DrawnText& one) { return one.text == "traced"; });
            const Experiment shown_experiment = session_.bench().experiment();
            const std::vector<const Report*> runs = decide_open_question();
            if (shows_trace && is_revealed_by(question_block, runs, shown_experiment))
                add_problem("the plot shows a trace of the run that decides the question");
            all.emplace_back(*block, collect_secrets(question_block, runs));
            session_.skip_question(*block);
        }
        for (const auto& [block, secrets] : all)
            session_.reset_question(block);
        for (const auto& [block, secrets] : all) {
            workspace_.last_decided.clear();
            check_window(secrets);
            session_.skip_question(block);
        }
        return all.size();
    }
};

TEST_F(Fairness, NoStepGivesAnAnswerAway) {
    std::size_t questions = 0;
    for_each_step({1920, 2000}, 1, [&](const LessonStep&) { questions += check_open_questions(); });
    EXPECT_GT(questions, 2 * all_lessons().size());
    EXPECT_THAT(problems_, IsEmpty()) << join(problems_, "\n");
}

TEST_F(Fairness, DetectsAnswersInTheStory) {
    const std::string question =
        "```predict\nquestion: How long does it take?\nvalue: kernel_ns(2) / kernel_ns(1)\n"
        "run: elements = 1024\nrun: elements = 2048\n"
        "choice: the queue is gone | below 0.9 | It {pace}, and the queue for one counter is gone.\n"
        "why: The queue is not what took the time.\n"
        "only if: bytes_moved > 1 | The numbers come from the device's memory.\n"
        "choice: longer, there are more | otherwise | It {pace} with so many levels.\n"
        "why: More of them need not take longer.\nafter: Both found the very same total.\n```\n";
    const auto count_leaks = [&](const std::string& text) {
        set_story("## One\n\n" + text + "\n\n" + question);
        for (const std::size_t block : question_blocks(story_step()))
            session_.reset_question(block);
        resize_window({1920, 2000});
        problems_.clear();
        decided_questions_ = 0;  // whose first run takes 125 µs
        EXPECT_EQ(check_open_questions(), 1U);
        return problems_.size();
    };
    EXPECT_EQ(count_leaks("A tree adds level by level."), 0U) << join(problems_, "\n");
    for (const char* text :
         {"It is short, and the queue for *one counter* is gone.", "The queue is not what took the time.",
          "The numbers come from the device's memory.", "More of them need not take longer.",
          "Both found the very same total.", "It took 2.7 times as long.", "The first run takes 125 µs.",
          "The second takes 336\u00a0µs."})
        EXPECT_GT(count_leaks(text), 0U) << text;
}

}  // namespace gridstride::ui::fairness_test
