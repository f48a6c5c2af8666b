// Histogram: thousands of invocations count into a few bins, and meet there.
#include "lesson/lesson.h"

#include <algorithm>

#include "histogram/baselines.h"
#include "histogram/input.h"
#include "histogram/parameters.h"
#include "histogram/pictures.h"
#include "histogram/plan.h"
#include "histogram/reference.h"
#include "histogram/remarks.h"
#include "histogram/ways.h"

namespace gridstride::lessons::histogram {

namespace {

std::vector<Fact> result(const Values& values, const Outputs& outputs) {
    ArrayRef counts;
    std::uint64_t counted = 0, ignored = 0;
    for (const NamedArray& output : outputs) {
        if (output.name == "counts") counts = output.array;
        if (output.name == "ignored") ignored = output.array->as<std::uint32_t>()[0];
    }
    if (counts)
        for (const std::uint32_t count : counts->as<std::uint32_t>())
            counted += count;
    // A race can only lose; more than there are numbers would be a mistake that the judge names.
    const std::uint64_t elements = values[key::elements];
    const std::uint64_t lost = elements - std::min(elements, counted + ignored);
    return {{"counts", "Counts", counts}, {"lost", "Lost", lost}, {"ignored", "Ignored", ignored}};
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "histogram",
        .title = "Histogram",
        .question = "How do thousands of invocations count into the same few bins without losing a count?",
        .place = 4,
        .parameters = parameters(),
        .variants = variants(),
        .default_variant = "atomic_shared",
        .input = &input,
        .input_files = {".csv", ".txt", ".npy", ".png"},
        .input_from_user = &input_from_user,
        .remarks = &remarks,
        .plan = &plan,
        .reference = &reference,
        .baselines = {{"one_thread", "one thread", &one_thread},
                      {"all_threads", "all threads", &all_threads}},
        .result = &result,
        .plots = &plots,
    };
    return lesson;
}

}  // namespace gridstride::lessons::histogram
