// Exercises: the parser of their fence, and the judgement of their requirements.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/language.h"
#include "base/text.h"
#include "lesson/trace_metrics.h"
#include "story/block_reader.h"
#include "story/feedback.h"

namespace gridstride {

namespace {

using Relation = MakeRequirement::Relation;

class MakeReader : private BlockReader {
 public:
    explicit MakeReader(const FencePlace& place) : BlockReader("make", place) {}

    MakeBlock read(std::string_view exercise, std::string_view content) {
        make_.exercise = exercise;
        make_.line = place_.line;
        for_each_line(content, [&](std::string_view line) {
            const auto parts = split_once(line, ':');
            if (!parts || parts->after.empty())
                fail(fmt::format("{} is not of the form keyword: text", quote_text(line)));
            read_line(parts->before, parts->after);
        });
        if (make_.exercise.empty() == make_.parameters_to_find.empty())
            fail(
                "name the exercise, as in ```make maximum, or the parameters to be found, as in find: "
                "elements, "
                "and not both");
        if (make_.requirements.empty()) fail("it has no requirement: write require: matches");
        return std::move(make_);
    }

 private:
    void read_line(std::string_view keyword, std::string_view text) {
        if (keyword == "hint")
            make_.hints.emplace_back(text);
        else if (keyword == "require")
            make_.requirements.push_back(parse_requirement(text));
        else if (keyword == "id" && make_.id.empty())
            make_.id = parse_id(text);
        else if (keyword == "id")
            fail("there is a second line id: …; an exercise has one");
        else if (keyword == "find")
            for (const std::string_view name : split_trimmed(text, ','))
                make_.parameters_to_find.emplace_back(name);
        else
            fail(fmt::format("{} is not one of id, hint, require, find", quote_text(keyword)));
    }

    /// Parses "CONDITION | SENTENCE | at NAME = VALUE, …", of which only the first part is required.
    MakeRequirement parse_requirement(std::string_view text) const {
        constexpr std::string_view form =
            "a requirement is CONDITION, CONDITION | SENTENCE or CONDITION | SENTENCE | at NAME = VALUE";
        const auto parts = split_parts(text, 1, 3, form);
        MakeRequirement result{.text = std::string(parts[0]), .line = line_};
        if (parts.size() > 1) result.sentence = parts[1];
        if (parts.size() > 2) {
            const auto at = split_once(parts[2], ' ');
            if (!at || at->before != "at") fail(std::string(form));
            for (const std::string_view one : split_trimmed(at->after, ','))
                result.settings.push_back(parse_setting(one));
        }
        if (result.text == "matches") {
            if (result.sentence.empty())
                result.sentence =
                    tr("Equal to the CPU's result for sizes, workgroups and seeds that are random each time");
            return result;
        }
        read_condition(result);
        if (result.sentence.empty())
            fail(fmt::format("describe {} for the user: require: {} | No two invocations race",
                             quote_text(result.text), result.text));
        return result;
    }

    /// Parses "METRIC / METRIC(NAME = VALUE) < NUMBER".
    void read_condition(MakeRequirement& result) const {
        // "<=" comes before its prefix "<".
        static constexpr std::array<std::pair<std::string_view, Relation>, 5> relations = {
            {{"<=", Relation::at_most},
             {">=", Relation::at_least},
             {"=", Relation::equal},
             {"<", Relation::below},
             {">", Relation::above}}};
        const std::string_view text = result.text;
        // A setting in parentheses contains an equals sign of its own.
        const std::size_t behind = text.rfind(')') == std::string_view::npos ? 0 : text.rfind(')');
        for (const auto& [sign, relation] : relations) {
            const std::size_t at = text.find(sign, behind);
            if (at == std::string_view::npos) continue;
            result.relation = relation;
            result.bound = parse_finite_number(trim(text.substr(at + sign.size())));
            std::string what(trim(text.substr(0, at)));
            // "kernel_ns(workgroup_size = 32)" is kernel_ns of a second run with that setting.
            const std::size_t open = what.find('('), equals = what.find('=', open);
            if (open != std::string::npos && equals != std::string::npos) {
                const std::size_t close = what.find(')', open), stroke = what.find('/');
                if (close == std::string::npos || stroke > open)
                    fail(fmt::format(
                        "{}: only the divisor can be of another run: METRIC / METRIC(NAME = VALUE)",
                        quote_text(text)));
                for (const std::string_view one :
                     split_trimmed(std::string_view(what).substr(open + 1, close - open - 1), ','))
                    result.against.push_back(parse_setting(one));
                what.replace(open, close + 1 - open, "(2)");
            }
            result.what = parse_quotient(what);
            if (result.uses_trace() && result.what->divided_by)
                fail(fmt::format("{} divides a traced number: only measured numbers can be divided",
                                 quote_text(text)));
            const std::size_t runs = result.against.empty() ? 1 : 2;
            if (result.what->value.run > 1 ||
                (result.what->divided_by && result.what->divided_by->run > runs))
                fail(fmt::format("{} names a run: write METRIC, or METRIC(NAME = VALUE)", quote_text(text)));
            return;
        }
        fail(fmt::format("{} is neither matches nor METRIC with one of =, <, <=, >, >= and a number",
                         quote_text(text)));
    }

    MakeBlock make_;
};

RequirementJudgement::Result all_or_none(bool everywhere, bool nowhere) {
    return everywhere ? RequirementJudgement::Result::ok
           : nowhere  ? RequirementJudgement::Result::failed
                      : RequirementJudgement::Result::undecided;
}

/// Uses enough digits to distinguish the value from the bound.
std::string format_metric_with_bound(const MakeRequirement& requirement, double value) {
    constexpr int max_digits = 6;
    const auto with = [&](double number, int digits) {
        return describe_metric(*requirement.what, number, digits);
    };
    int digits = 2;
    while (digits < max_digits && with(value, digits) == with(requirement.bound, digits))
        ++digits;
    return with(value, digits);
}

RequirementJudgement::Result judge_requirement(Relation relation, double bound, const Estimate& value) {
    switch (relation) {
        case Relation::equal:
            return all_or_none(value.low == bound && value.high == bound,
                               value.high < bound || value.low > bound);
        case Relation::below:
            return all_or_none(value.high < bound, value.low >= bound);
        case Relation::at_most:
            return all_or_none(value.high <= bound, value.low > bound);
        case Relation::above:
            return all_or_none(value.low > bound, value.high <= bound);
        default:
            return all_or_none(value.low >= bound, value.high < bound);
    }
}

}  // namespace

bool MakeRequirement::uses_trace() const {
    return what && is_trace_metric(what->value.metric);
}

std::string_view name(RequirementJudgement::Result result) {
    static constexpr std::string_view names[] = {"ok", "failed", "undecided"};
    return names[static_cast<std::size_t>(result)];
}
std::string_view mark(RequirementJudgement::Result result) {
    static constexpr std::string_view marks[] = {"✓", "✗", "○"};
    return marks[static_cast<std::size_t>(result)];
}

RequirementJudgement judge_requirement(const MakeRequirement& requirement,
                                       const std::vector<const Report*>& reports) {
    if (!requirement.what) return {};
    RequirementJudgement judgement{.value = measured(*requirement.what, reports)};
    if (judgement.value)
        judgement.result = judge_requirement(requirement.relation, requirement.bound, *judgement.value);
    if (requirement.uses_trace()) {
        if (const auto metric = find_trace_metric(*reports.front(), requirement.what->value.metric))
            judgement.sentence = metric->sentence;
        if (judgement.result == RequirementJudgement::Result::failed &&
            judgement.value->low > requirement.bound)
            judgement.lines = find_counted_lines(*reports.front(), requirement.what->value.metric);
    } else if (judgement.value) {
        // A value without an interval was computed from the plan and the settings.
        const bool exact = judgement.value->low == judgement.value->high;
        judgement.sentence = trace::in_sentence_case(
            fmt::format("{} ({}).", format_metric_with_bound(requirement, judgement.value->value),
                        exact ? "computed" : "measured"));
    }
    return judgement;
}

MakeBlock read_make(std::string_view exercise, std::string_view content, const FencePlace& place) {
    return MakeReader(place).read(exercise, content);
}

}  // namespace gridstride
