// The fenced blocks of a story that are live: set, predict, make, kernel, plot, inside.
#pragma once

#include <string>
#include <string_view>

#include "story/story.h"

namespace gridstride {

/// Where a fence stands, for StoryError.
struct FencePlace {
    std::string file;
    std::string step;
    std::size_t line = 1;  ///< of the fence; its content starts on the next
};

/// The block that a fence with this info string and content stands for; a CodeBlock for any other info
/// string.
Block make_fenced_block(std::string_view info, std::string_view content, const FencePlace& place);

/// Calls visit(const Quotient&) for every number that a question asks of its runs.
template <class F>
void for_each_quotient(const PredictBlock& predict, F&& visit) {
    if (!predict.choices.empty() || predict.guess) visit(predict.value);
    for (const PredictItem& item : predict.items)
        visit(item.value);
    for (const PredictMark& mark : predict.marks)
        visit(mark.value);
    const auto causes = [&](const Saying& saying) {
        for (const Because& cause : saying.causes)
            visit(cause.what);
    };
    for (const PredictChoice& choice : predict.choices)
        causes(choice.saying);
    causes(predict.after);
}
/// The same, a visit(const RunMetric&) a metric.
template <class F>
void for_each_metric(const PredictBlock& predict, F&& visit) {
    for_each_quotient(predict, [&](const Quotient& quotient) {
        visit(quotient.value);
        if (quotient.divided_by) visit(*quotient.divided_by);
    });
}

}  // namespace gridstride
