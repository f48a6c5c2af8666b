// Decides a question by its runs. The result is undecided (inconclusive) if an interval contains a bound.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/language.h"
#include "story/feedback.h"
#include "story/story.h"

namespace gridstride {

namespace {

using Result = Outcome::Result;

std::size_t choice_at(const std::vector<PredictChoice>& choices, double value) {
    using Condition = PredictChoice::Condition;
    const auto holds = [value](const PredictChoice& choice) {
        if (choice.when == Condition::otherwise) return true;
        return choice.when == Condition::below ? value < choice.bound : value == choice.bound;
    };
    return static_cast<std::size_t>(std::find_if(choices.begin(), choices.end(), holds) - choices.begin());
}

/// Right if the answer is accepted for every value in the interval, wrong if for none.
template <class Accepts>
Result judge_interval(double answer, const Estimate& value, Accepts accepts) {
    // The accepted values form an interval around the answer, so the nearest measured value decides.
    if (!accepts(answer, std::clamp(answer, value.low, value.high))) return Result::wrong;
    return accepts(answer, value.low) && accepts(answer, value.high) ? Result::right : Result::undecided;
}

Result judge_guess(const PredictGuess& guess, double answer, const Estimate& value) {
    return judge_interval(answer, value, [&](double guessed, double number) {
        return std::abs(guessed - number) <= guess.within * std::abs(number);
    });
}

bool may_precede(const Estimate& a, const Estimate& b) {
    return a.low <= b.high;
}

Result judge_order(const std::vector<Estimate>& values, const std::vector<std::size_t>& order) {
    bool possible = true, any_order = true;
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            const Estimate &first = values[order[i]], &second = values[order[j]];
            possible = possible && may_precede(first, second);
            any_order = any_order && may_precede(first, second) && may_precede(second, first);
        }
    if (any_order) return Result::undecided;
    return possible ? Result::right : Result::wrong;
}

Result judge_marks(const PredictRuler& ruler, const std::vector<Estimate>& values,
                   const std::vector<double>& marks) {
    const auto on_ruler = [&](double value) { return std::clamp(value, ruler.low, ruler.high); };
    Result all = Result::right;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const Estimate value = {on_ruler(values[i].value), on_ruler(values[i].low), on_ruler(values[i].high)};
        const Result one = judge_interval(on_ruler(marks[i]), value, [&](double mark, double number) {
            // The tolerance accepts the exact factor despite rounding errors.
            return std::max(mark / number, number / mark) <= ruler.within * (1 + 1e-9);
        });
        if (one == Result::wrong) return one;
        if (one == Result::undecided) all = one;
    }
    return all;
}

std::string undecided_reason(const PredictBlock& predict, const std::vector<Estimate>& values) {
    if (!predict.items.empty())
        return tr(
            "It cannot be decided: the measured values are so close together that any order could be "
            "right.");
    if (!predict.marks.empty())
        return tr("It cannot be decided: a marker is at the edge of the range that counts as right.");
    const std::string_view how = metric_origin(predict.value);
    const std::string low = describe_metric(predict.value, values.front().low);
    if (std::isinf(values.front().high))
        return tr("It cannot be decided: the {} value is at least {}, and may be higher.", how, low);
    const std::string high = describe_metric(predict.value, values.front().high);
    return low == high
               ? tr("It cannot be decided: the {} value, {}, lies at the boundary between two answers.", how,
                    low)
               : tr("It cannot be decided: the {} value lies between {} and {}.", how, low, high);
}

std::string wrong_answer_reason(const PredictBlock& predict, const Answer& answer) {
    if (answer.choice && *answer.choice < predict.choices.size()) return predict.choices[*answer.choice].why;
    if (answer.guess && predict.guess)
        for (const PredictGuess::CommonGuess& near : predict.guess->common_guesses)
            if (std::abs(*answer.guess - near.number) <= 0.01 * std::abs(near.number)) return near.sentence;
    return {};
}

/// Returns nullopt if a value is missing.
std::optional<std::vector<Estimate>> measured_values(const PredictBlock& predict,
                                                     const std::vector<const Report*>& reports) {
    std::vector<Estimate> values;
    bool all = true;
    for_each_deciding_quotient(predict, [&](const Quotient& what) {
        if (const auto found = measured(what, reports))
            values.push_back(*found);
        else
            all = false;
    });
    if (!all) return std::nullopt;
    return values;
}

/// Judges an answer to a question without choices.
Result judge_number_answer(const PredictBlock& predict, const std::vector<Estimate>& values,
                           const Answer& answer) {
    const bool whole = is_complete(predict, answer);
    if (predict.guess) return whole ? judge_guess(*predict.guess, *answer.guess, values[0]) : Result::wrong;
    if (!predict.marks.empty())
        return whole ? judge_marks(predict.ruler, values, answer.marks) : Result::wrong;
    // If all values overlap, the result is undecided for every order.
    std::vector<std::size_t> order = answer.order;
    if (!whole) {
        order.resize(values.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
    }
    const Result result = judge_order(values, order);
    return whole || result == Result::undecided ? result : Result::wrong;
}

struct AnswerJudgement {
    Result result = Result::undecided;
    std::size_t right_choice = 0;  ///< of choices, if decided
};
AnswerJudgement judge_answer(const PredictBlock& predict, const std::vector<Estimate>& values,
                             const Answer& answer) {
    if (predict.choices.empty()) return {judge_number_answer(predict, values, answer)};
    const auto right = choice_for_interval(predict.choices, values.front());
    if (!right) return {};
    return {answer.choice == right ? Result::right : Result::wrong, *right};
}

/// Returns the answer that these values give.
Answer best_answer(const PredictBlock& predict, const std::vector<Estimate>& values) {
    Answer answer;
    if (!predict.choices.empty()) answer.choice = choice_at(predict.choices, values.front().value);
    if (predict.guess) answer.guess = values.front().value;
    if (!predict.items.empty()) {
        answer.order.resize(values.size());
        std::iota(answer.order.begin(), answer.order.end(), std::size_t{0});
        std::ranges::stable_sort(answer.order, {}, [&](std::size_t item) { return values[item].value; });
    }
    for (std::size_t i = 0; i < predict.marks.size(); ++i)
        answer.marks.push_back(values[i].value);
    return answer;
}

/// Returns the GPU that decides the question in place of these values, or null if one of the GPUs gives the
/// same answer, or none decides the question.
const GpuValues* find_deciding_gpu(const PredictBlock& predict, const std::vector<Estimate>& values,
                                   const std::vector<GpuValues>& gpus) {
    const GpuValues* found = nullptr;
    for (const GpuValues& gpu : gpus) {
        if (gpu.values.size() != values.size()) continue;
        const Answer gpu_answer = best_answer(predict, gpu.values);
        if (judge_answer(predict, gpu.values, gpu_answer).result != Result::right) continue;
        if (judge_answer(predict, values, gpu_answer).result == Result::right) return nullptr;
        if (!found) found = &gpu;
    }
    return found;
}

bool is_software_device(const std::vector<const Report*>& reports) {
    return std::ranges::any_of(reports, [](const Report* report) { return report->device.is_cpu; });
}

}  // namespace

std::optional<std::size_t> choice_for_interval(const std::vector<PredictChoice>& choices,
                                               const Estimate& value) {
    const std::size_t found = choice_at(choices, value.value);
    std::vector<double> bounds = {value.low, value.high};
    for (const PredictChoice& choice : choices)
        if (value.low <= choice.bound && choice.bound <= value.high) bounds.push_back(choice.bound);
    for (const double bound : bounds)
        if (choice_at(choices, bound) != found) return std::nullopt;
    return found;
}

bool is_complete(const PredictBlock& predict, const Answer& answer) {
    if (!predict.choices.empty()) return answer.choice && *answer.choice < predict.choices.size();
    if (predict.guess) return answer.guess && std::isfinite(*answer.guess);
    if (!predict.items.empty()) {
        std::vector<bool> is_used(predict.items.size());
        for (const std::size_t item : answer.order) {
            if (item >= is_used.size() || is_used[item]) return false;
            is_used[item] = true;
        }
        return answer.order.size() == predict.items.size();
    }
    return answer.marks.size() == predict.marks.size() &&
           std::all_of(answer.marks.begin(), answer.marks.end(),
                       [](double mark) { return std::isfinite(mark) && mark > 0; });
}

std::optional<Outcome> decide(const PredictBlock& predict, const std::vector<const Report*>& reports,
                              const Answer& answer, const std::vector<GpuValues>& gpus) {
    auto values = measured_values(predict, reports);
    if (!values) return std::nullopt;
    // A bet is about the result itself, not about the quantity that it estimates.
    if (predict.is_by_chance)
        for (Estimate& one : *values)
            one.low = one.high = one.value;

    Outcome outcome;
    if (is_software_device(reports) && measures_time(predict) && !predict.is_by_chance)
        if (const GpuValues* const gpu = find_deciding_gpu(predict, *values, gpus)) outcome.judged_by = *gpu;
    const AnswerJudgement judgement =
        judge_answer(predict, outcome.judged_by ? outcome.judged_by->values : *values, answer);
    outcome.result = judgement.result;
    outcome.right_choice = judgement.right_choice;
    // The feedback of a choice speaks of the runs, which a GPU's recorded values are not.
    const bool has_feedback =
        !predict.choices.empty() && outcome.result != Result::undecided && !outcome.judged_by;
    const Feedback* const result_feedback =
        has_feedback ? &predict.choices[outcome.right_choice].feedback : nullptr;
    std::vector<std::string> sentences;
    if (outcome.judged_by) sentences.push_back(describe_software_device(predict, *values));
    if (outcome.result == Result::undecided) sentences.push_back(undecided_reason(predict, *values));
    if (result_feedback) sentences.push_back(result_feedback->sentence);
    if (result_feedback) sentences.push_back(describe_causes(*result_feedback, reports));
    sentences.push_back(predict.after.sentence);
    sentences.push_back(describe_causes(predict.after, reports));
    if (outcome.result == Result::wrong)
        outcome.why_wrong = fill_placeholders(wrong_answer_reason(predict, answer), predict, *values);
    outcome.explanation = fill_placeholders(join_sentences(sentences), predict, *values);
    outcome.values = std::move(*values);
    return outcome;
}

}  // namespace gridstride
