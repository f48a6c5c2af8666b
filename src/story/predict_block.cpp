// The parser of a question's fence.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "story/block_reader.h"

namespace gridstride {

namespace {

constexpr std::size_t min_items = 3, max_items = 6;

class PredictReader : private BlockReader {
 public:
    explicit PredictReader(const FencePlace& place) : BlockReader("predict", place) {}

    PredictBlock read(std::string_view content) {
        predict_.line = place_.line;
        for_each_line(content, [&](std::string_view line) {
            const auto parts = split_once(line, ':');
            if (!parts) fail(fmt::format("{} is not of the form keyword: text", quote_text(line)));
            read_line(parts->before, parts->after);
        });
        check_kind();
        check_runs();
        return std::move(predict_);
    }

 private:
    void read_line(std::string_view keyword, std::string_view text) {
        static const std::set<std::string_view> once = {"id",    "question", "value", "guess",
                                                        "ruler", "after",    "chance"};
        if (once.contains(keyword) && !used_keywords_.emplace(keyword).second)
            fail(fmt::format("there is a second line {}: …; a question has one", keyword));
        if (text.empty()) fail(fmt::format("there is no text after {}:", keyword));

        if (keyword == "id") {
            predict_.id = parse_id(text);
        } else if (keyword == "question") {
            predict_.question = text;
        } else if (keyword == "run" || keyword == "run on gpu") {
            auto& runs = keyword == "run" ? predict_.runs : predict_.gpu_runs;
            runs.emplace_back();
            for (const std::string_view part : split_trimmed(text, ','))
                runs.back().push_back(parse_setting(part));
        } else if (keyword == "value") {
            predict_.value = parse_quotient(text);
        } else if (keyword == "choice") {
            // Lines that follow a faulty choice are read as its own.
            predict_.choices.emplace_back();
            feedback_owner_ = FeedbackOwner::choice;
            predict_.choices.back() = parse_choice(text);
        } else if (keyword == "why") {
            parse_why(text);
        } else if (keyword == "only if") {
            Feedback& to = find_feedback(keyword);
            to.causes.emplace_back();
            to.causes.back() = parse_cause(text);
        } else if (keyword == "else") {
            parse_else(text);
        } else if (keyword == "guess") {
            parse_guess(text);
        } else if (keyword == "near") {
            parse_near(text);
        } else if (keyword == "item") {
            const auto parts = split_parts(text, 2, 2, "an item is LABEL | METRIC");
            predict_.items.push_back({std::string(parts[0]), parse_quotient(parts[1])});
        } else if (keyword == "mark") {
            parse_mark(text);
        } else if (keyword == "ruler") {
            parse_ruler(text);
        } else if (keyword == "chance") {
            if (text != "yes") fail("write chance: yes, or leave the line out");
            predict_.is_by_chance = true;
        } else if (keyword == "after") {
            predict_.after.sentence = text;
            feedback_owner_ = FeedbackOwner::after;
        } else {
            fail(
                fmt::format("{} is not one of id, question, run, run on gpu, value, choice, why, only if, "
                            "else, guess, near, item, ruler, mark, chance, after",
                            quote_text(keyword)));
        }
    }

    PredictChoice parse_choice(std::string_view text) const {
        const auto parts = split_parts(text, 3, 3, "a choice is LABEL | CONDITION | WHAT CAME OUT");
        PredictChoice choice{.label = std::string(parts[0]), .line = line_};
        choice.feedback.sentence = parts[2];
        if (parts[1] == "otherwise") {
            choice.when = PredictChoice::Condition::otherwise;
        } else if (const auto below = parse_number_after("below", parts[1])) {
            choice.when = PredictChoice::Condition::below;
            choice.bound = *below;
        } else if (const auto equals = parse_number_after("equals", parts[1])) {
            choice.when = PredictChoice::Condition::equals;
            choice.bound = *equals;
        } else {
            fail(fmt::format("{} is not one of: below X, equals X, otherwise", quote_text(parts[1])));
        }
        return choice;
    }

    void parse_why(std::string_view text) {
        if (feedback_owner_ != FeedbackOwner::choice) fail("why: must follow the choice that it is for");
        std::string& why = predict_.choices.back().why;
        if (!why.empty()) fail("this choice has a why: already; write one");
        why = text;
    }

    /// Returns the feedback that a cause belongs to: that of the choice or of the `after` above it.
    Feedback& find_feedback(std::string_view keyword) {
        if (feedback_owner_ == FeedbackOwner::nothing)
            fail(fmt::format("{}: must follow a choice, or after: …, whose cause it names", keyword));
        return feedback_owner_ == FeedbackOwner::choice ? predict_.choices.back().feedback : predict_.after;
    }

    /// Parses "METRIC > 0.6 | SENTENCE".
    Cause parse_cause(std::string_view text) const {
        constexpr std::string_view form = "a cause is METRIC > NUMBER | SENTENCE, with > or <";
        const auto parts = split_once(text, '|');
        if (!parts || parts->after.empty()) fail(std::string(form));
        const bool above = parts->before.find('>') != std::string_view::npos;
        const auto sides = split_once(parts->before, above ? '>' : '<');
        if (!sides) fail(std::string(form));
        return {parse_quotient(sides->before), above, parse_finite_number(sides->after),
                std::string(parts->after)};
    }

    void parse_else(std::string_view text) {
        Feedback& to = find_feedback("else");
        if (to.causes.empty()) fail("else: must follow an only if: …; it is shown if none of them holds");
        if (!to.neutral.empty()) fail("there is an else: already; write one");
        to.neutral = text;
    }

    /// Parses "UNIT | within TOLERANCE".
    void parse_guess(std::string_view text) {
        constexpr std::string_view form = "a guess is UNIT | within TOLERANCE, such as numbers | within 0.1";
        const auto parts = split_parts(text, 2, 2, form);
        const auto within = parse_number_after("within", parts[1]);
        if (!within) fail(std::string(form));
        if (*within < 0) fail(fmt::format("within {} is below 0: 0 is exact, 0.1 is ten per cent", *within));
        predict_.guess = PredictGuess{std::string(parts[0]), *within, {}};
    }

    /// Parses "128 | SENTENCE".
    void parse_near(std::string_view text) {
        const auto parts = split_once(text, '|');
        if (!parts || parts->after.empty()) fail("a known wrong guess is NUMBER | SENTENCE");
        near_.push_back({parse_finite_number(parts->before), std::string(parts->after)});
    }

    /// Parses "LABEL | METRIC" or "LABEL | METRIC | at X".
    void parse_mark(std::string_view text) {
        constexpr std::string_view form = "a mark is LABEL | METRIC, or LABEL | METRIC | at NUMBER";
        const auto parts = split_parts(text, 2, 3, form);
        PredictMark mark{std::string(parts[0]), parse_quotient(parts[1]), std::nullopt};
        if (parts.size() == 3) {
            mark.at = parse_number_after("at", parts[2]);
            if (!mark.at) fail(std::string(form));
        }
        predict_.marks.push_back(std::move(mark));
    }

    /// Parses "LABEL | LOW to HIGH | within FACTOR", optionally with the other axis's label.
    void parse_ruler(std::string_view text) {
        constexpr std::string_view form =
            "a ruler is LABEL | LOW to HIGH | within FACTOR, such as time | 100 to 1e9 | within 2";
        const auto parts = split_parts(text, 3, 4, form);
        const std::size_t to = parts[1].find(" to ");
        const auto within = parse_number_after("within", parts[2]);
        if (to == std::string_view::npos || !within) fail(std::string(form));
        PredictRuler ruler{.low = parse_finite_number(trim(parts[1].substr(0, to))),
                           .high = parse_finite_number(trim(parts[1].substr(to + 4))),
                           .within = *within,
                           .label = std::string(parts[0])};
        if (!(ruler.low > 0 && ruler.low < ruler.high))
            fail(fmt::format(
                "a ruler from {} to {} cannot be logarithmic: it must start above 0 and end higher",
                ruler.low, ruler.high));
        if (!(ruler.within > 1))
            fail(fmt::format("within {} is not a factor above 1: 2 accepts half and twice the value",
                             ruler.within));
        if (parts.size() == 4) ruler.across = parts[3];
        predict_.ruler = ruler;
    }

    /// Requires exactly one of choices, guess, items and marks, with its own lines and no others.
    void check_kind() {
        if (predict_.question.empty()) fail("it has no question: write question: …");
        const bool chosen = !predict_.choices.empty(), ordered = !predict_.items.empty(),
                   marked = !predict_.marks.empty();
        if (chosen + predict_.guess.has_value() + ordered + marked != 1)
            fail("a question has exactly one kind of answer: give choices, a guess, items or marks");
        const bool has_value = used_keywords_.contains("value");
        if ((chosen || predict_.guess) && !has_value) fail("no run decides it: write value: METRIC");
        if ((ordered || marked) && has_value)
            fail("each of its items or marks has a metric of its own: leave value: … out");
        if (chosen) check_choices();
        if (!near_.empty() && !predict_.guess) fail("near: … belongs to a guess");
        if (predict_.guess) predict_.guess->common_guesses = std::move(near_);
        if (ordered && (predict_.items.size() < min_items || predict_.items.size() > max_items))
            fail(fmt::format("it has {}: give three to six", counted_items(predict_.items.size())));
        if (marked != used_keywords_.contains("ruler"))
            fail(marked ? "marks need a ruler: write ruler: LABEL | LOW to HIGH | within FACTOR"
                        : "ruler: … belongs to marks: write mark: LABEL | METRIC");
        if (marked) check_marks();
    }

    static std::string counted_items(std::size_t count) {
        return fmt::format("{} item{}", count, count == 1 ? "" : "s");
    }

    void check_choices() const {
        for (const PredictChoice& choice : predict_.choices) {
            const bool last = &choice == &predict_.choices.back();
            if (last != (choice.when == PredictChoice::Condition::otherwise))
                fail(
                    "the last choice, and no other one, must have the condition \"otherwise\", so that every "
                    "result has an answer");
        }
    }

    void check_marks() const {
        const auto positioned_marks = static_cast<std::size_t>(
            std::count_if(predict_.marks.begin(), predict_.marks.end(),
                          [](const PredictMark& mark) { return mark.at.has_value(); }));
        if (positioned_marks != 0 && positioned_marks != predict_.marks.size())
            fail("some marks say at NUMBER and some do not: put all of them on a ruler, or all on a curve");
        if ((positioned_marks > 0) == predict_.ruler.across.empty())
            fail(positioned_marks > 0
                     ? "marks with at NUMBER need the other axis's name: write it as the ruler's 4th part"
                     : "the ruler names another axis: give each mark its position, at NUMBER");
    }

    void check_runs() const {
        if (!predict_.gpu_runs.empty() && predict_.gpu_runs.size() != predict_.run_count())
            fail(fmt::format("it has {} lines run on gpu: …, and {} on other devices: write as many",
                             predict_.gpu_runs.size(), predict_.run_count()));
        const auto check = [&](const RunMetric& metric) {
            if (metric.run > predict_.run_count())
                fail(fmt::format("{}({}) names a run that does not exist: the question has {}", metric.metric,
                                 metric.run, predict_.run_count()));
        };
        for_each_metric(predict_, check);
    }

    enum class FeedbackOwner { nothing, choice, after };

    PredictBlock predict_;
    std::set<std::string, std::less<>> used_keywords_;       ///< keywords that may occur once
    std::vector<PredictGuess::CommonGuess> near_;            ///< may come before the guess
    FeedbackOwner feedback_owner_ = FeedbackOwner::nothing;  ///< the owner of the next cause
};

}  // namespace

PredictBlock read_predict(std::string_view content, const FencePlace& place) {
    return PredictReader(place).read(content);
}

}  // namespace gridstride
