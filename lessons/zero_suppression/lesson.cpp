// Zero suppression: of a long recording, only what rises out of the noise is kept.
#include "lesson/lesson.h"

#include <algorithm>
#include <atomic>

#include "base/parallel_for.h"
#include "zero_suppression/baselines.h"
#include "zero_suppression/input.h"
#include "zero_suppression/parameters.h"
#include "zero_suppression/pictures.h"
#include "zero_suppression/plan.h"
#include "zero_suppression/reference.h"
#include "zero_suppression/remarks.h"
#include "zero_suppression/ways.h"

namespace gridstride::lessons::zero_suppression {

namespace {

std::uint64_t count_not_zero(const Array& silenced) {
    const auto samples = silenced.as<std::int16_t>();
    std::atomic<std::uint64_t> count = 0;
    parallel_for(samples.size(), std::size_t{1} << 18, [&](std::size_t begin, std::size_t end) {
        count +=
            static_cast<std::uint64_t>(std::count_if(samples.begin() + static_cast<std::ptrdiff_t>(begin),
                                                     samples.begin() + static_cast<std::ptrdiff_t>(end),
                                                     [](std::int16_t sample) { return sample != 0; }));
    });
    return count;
}

/// How many samples survived, from what came back.
std::uint64_t kept_of(const Values& values, const Outputs& outputs) {
    const std::uint64_t samples = values[key::elements];
    if (const Array* count = find(outputs, "kept_count"); count && !count->empty())
        return std::min(static_cast<std::uint64_t>(count->number(0)), samples);
    // At threshold 0 a sample of 0 survives too; at any other one a 0 was silenced, or was noise to begin
    // with.
    if (values[key::threshold] == 0) return samples;
    const Array* silenced = find(outputs, "silenced");
    return silenced ? count_not_zero(*silenced) : 0;
}

std::vector<Fact> result(const Values& values, const Outputs& outputs) {
    const std::uint64_t samples = values[key::elements];
    const std::uint64_t kept = kept_of(values, outputs);
    return {{"kept", "Kept", kept},
            {"suppressed", "Suppressed", samples - kept},
            {"compression_ratio", "Compression, as positions and values", compression_ratio(samples, kept)}};
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "zero_suppression",
        .title = "Zero suppression",
        .question =
            "Most of a recording is noise: how fast can it be silenced, and what does it take to keep "
            "only the rest?",
        .place = 2,
        .parameters = parameters(),
        .variants = variants(),
        .default_variant = "per_sample",
        .input = &input,
        .input_files = {".csv", ".txt", ".npy", ".wav"},
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

}  // namespace gridstride::lessons::zero_suppression
