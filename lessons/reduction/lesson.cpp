// Reduction: many numbers become one sum, by invocations that share workgroup memory.
#include "lesson/lesson.h"

#include <algorithm>

#include "reduction/input.h"
#include "reduction/parameters.h"
#include "reduction/pictures.h"
#include "reduction/plan.h"
#include "reduction/reference.h"
#include "reduction/remarks.h"
#include "reduction/ways.h"

namespace gridstride::lessons::reduction {

namespace {

constexpr std::size_t most_partial_sums_told = 4096;

Array first_partial_sums(const Array& all) {
    Array first(all.type(), std::min(all.count(), most_partial_sums_told));
    std::copy_n(all.raw().begin(), first.bytes(), first.raw().begin());
    return first;
}

std::vector<Fact> result(const Values& values, const Outputs& outputs) {
    std::vector<Fact> facts;
    if (const Array* total = find(outputs, "total"); total && !total->empty()) {
        if (total->type() == ElementType::u32)
            facts.push_back({"total", "Total", std::uint64_t{total->as<std::uint32_t>()[0]}});
        else
            facts.push_back({"total", "Total", total->number(0)});
    }
    const Array* partial_sums = find(outputs, "partial_sums");
    const Array none(storage(values), 0);
    facts.push_back({"partial_sums", "Partial sums",
                     std::make_shared<const Array>(first_partial_sums(partial_sums ? *partial_sums : none))});
    return facts;
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "reduction",
        .title = "Reduction",
        .question = "How do thousands of invocations, each of which sees a few numbers, arrive at one sum?",
        .place = 1,
        .parameters = parameters(),
        .variants = variants(),
        .default_variant = "tree_sequential",
        .input = &input,
        .input_files = {".csv", ".txt", ".npy"},
        .input_from_user = &input_from_user,
        .remarks = &remarks,
        .plan = &plan,
        .reference = &reference,
        .baselines = {{"one_thread", "one thread", &one_thread}},
        .result = &result,
        .plots = &plots,
    };
    return lesson;
}

}  // namespace gridstride::lessons::reduction
