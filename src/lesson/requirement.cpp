#include "lesson/requirement.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "lesson/recorded_metrics.h"

namespace gridstride {

namespace {

using Relation = Requirement::Relation;
using Result = Judgement::Result;

Result all_or_none(bool everywhere, bool nowhere) {
    return everywhere ? Result::ok : nowhere ? Result::failed : Result::undecided;
}

Result judge(Relation relation, double bound, const Estimate& value) {
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

std::optional<Requirement> parse_requirement(std::string_view text) {
    // What is longer comes first: "<=" begins with "<".
    static constexpr std::array<std::pair<std::string_view, Relation>, 5> relations = {
        {{"<=", Relation::at_most},
         {">=", Relation::at_least},
         {"=", Relation::equal},
         {"<", Relation::below},
         {">", Relation::above}}};
    for (const auto& [sign, relation] : relations) {
        const std::size_t at = text.find(sign);
        if (at == std::string_view::npos) continue;
        const std::string_view metric = trimmed(text.substr(0, at));
        const auto bound = number_in<double>(trimmed(text.substr(at + sign.size())));
        if (metric.empty() || !bound) return std::nullopt;
        return Requirement{of_lines(metric.substr(0, metric.find('(')), lines_in(metric)), relation, *bound};
    }
    return std::nullopt;
}

Judgement judge(const Requirement& requirement, const Report& report) {
    Judgement judgement{.value = estimate(report, requirement.metric)};
    if (const auto recorded = find_recorded(report, requirement.metric))
        judgement.sentence = recorded->sentence;
    if (judgement.value) judgement.result = judge(requirement.relation, requirement.bound, *judgement.value);
    return judgement;
}

}  // namespace gridstride
