#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "lesson/nouns.h"
#include "progress/device_answers.h"
#include "ui/learn/question.h"

namespace gridstride::ui {

namespace {

std::string join_in_order(const std::vector<PredictItem>& items, const std::vector<std::size_t>& order) {
    std::vector<std::string_view> labels;
    for (const std::size_t place : order)
        if (place < items.size()) labels.emplace_back(items[place].label);
    return join(labels, tr(", then "));
}

std::string describe_marks(const PredictBlock& block, const std::function<double(std::size_t)>& value) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < block.marks.size(); ++i)
        all.push_back(
            fmt::format("{}: {}", block.marks[i].label, describe_mark(block.marks[i].value, value(i))));
    return join(all, ", ");
}

}  // namespace

const Spans& parse_spans(const std::string& markdown) {
    static std::map<std::string, Spans> known;
    const auto [found, is_new] = known.try_emplace(markdown);
    if (is_new) found->second = parse_inline(markdown);
    return found->second;
}

std::string plain_text(const Spans& spans) {
    std::string plain;
    for (const Span& span : spans)
        plain += span.text;
    return plain;
}

std::string verdict_text(const Outcome& outcome, const std::string& result) {
    const char* const mark = outcome.result == Outcome::Result::right   ? "✓"
                             : outcome.result == Outcome::Result::wrong ? "✗"
                                                                        : "○";
    return fmt::format("{} {}.", mark, result);
}

ImU32 verdict_color(Outcome::Result result) {
    if (result == Outcome::Result::undecided) return theme().palette().quiet;
    return theme().text_color(result == Outcome::Result::right ? ColorRole::right : ColorRole::wrong);
}

std::string answer_text(const PredictBlock& block, const Prediction& prediction) {
    const Answer& answer = prediction.answer;
    if (answer.choice && *answer.choice < block.choices.size()) return block.choices[*answer.choice].label;
    if (block.guess && !prediction.guess_text.empty()) {
        const auto count = parse_number<std::uint64_t>(remove_spaces(prediction.guess_text));
        return with_unit(count ? format_count(*count) : prediction.guess_text, block.guess->unit);
    }
    if (!block.items.empty()) return join_in_order(block.items, answer.order);
    if (!block.marks.empty() && answer.marks.size() == block.marks.size())
        return describe_marks(block, [&](std::size_t i) { return answer.marks[i]; });
    return {};
}

std::string outcome_text(const PredictBlock& block, const Outcome& outcome) {
    if (outcome.result == Outcome::Result::undecided) return {};
    if (!block.choices.empty())
        return outcome.right_choice < block.choices.size() ? block.choices[outcome.right_choice].label
                                                           : std::string();
    const std::vector<Estimate>& values = outcome.deciding_values();
    if (block.guess && !values.empty())
        return with_unit(describe_metric(block.value, values.front().value), block.guess->unit);
    if (!block.items.empty() && values.size() == block.items.size())
        return join_in_order(block.items, measured_order(outcome));
    if (!block.marks.empty() && values.size() == block.marks.size())
        return describe_marks(block, [&](std::size_t i) { return values[i].value; });
    return {};
}

std::vector<std::string> recorded_answer_texts(const Question& question) {
    const Session& session = question.workspace.session;
    // Cached: the shipped answers do not change, and this is called every frame.
    static std::map<std::pair<std::string, std::string>, std::vector<RecordedAnswer>> known;
    const auto [answers, is_new] = known.try_emplace({session.lesson().id, question.block.id});
    if (is_new)
        answers->second =
            find_recorded_answers(session.lesson(), session.story(), {session.step(), question.index});
    std::vector<std::string> words;
    for (const RecordedAnswer& answer : answers->second)
        if (!session.device() || answer.device != session.device()->device_name)
            words.push_back(answer.sentence);
    return words;
}

std::vector<std::size_t> measured_order(const Outcome& outcome) {
    const std::vector<Estimate>& values = outcome.deciding_values();
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t place) { return values[place].value; });
    return order;
}

}  // namespace gridstride::ui
