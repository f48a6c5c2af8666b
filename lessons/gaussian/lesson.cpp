// Gaussian: the same formula for a million numbers, none of which depends on another.
#include "lesson/lesson.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/parallel_for.h"
#include "gaussian/baselines.h"
#include "gaussian/input.h"
#include "gaussian/parameters.h"
#include "gaussian/pictures.h"
#include "gaussian/plan.h"
#include "gaussian/reference.h"
#include "gaussian/remarks.h"
#include "gaussian/ways.h"

namespace gridstride::lessons::gaussian {

namespace {

/// Block by block and then in order, so that the sum does not depend on how many cores there are.
constexpr std::size_t block = std::size_t{1} << 16;

struct Block {
    float peak = -std::numeric_limits<float>::infinity();
    double sum = 0;
    bool numbers = true;  ///< none is NaN, which std::max() passes over
};

Block look_at(std::span<const float> densities) {
    Block seen;
    for (const float density : densities) {
        seen.peak = std::max(seen.peak, density);
        seen.sum += density;
        seen.numbers = seen.numbers && !std::isnan(density);
    }
    return seen;
}

std::vector<Fact> result(const Values&, const Outputs& outputs) {
    const Array* found = find(outputs, "densities");
    if (!found || found->empty()) return {};
    const auto densities = found->as<float>();
    std::vector<Block> blocks(divide_up(densities.size(), block));
    parallel_for(blocks.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            blocks[b] = look_at(densities.subspan(b * block, std::min(block, densities.size() - b * block)));
    });
    Block all;
    for (const Block& one : blocks) {
        all.peak = std::max(all.peak, one.peak);
        all.sum += one.sum;
        all.numbers = all.numbers && one.numbers;
    }
    const double peak = all.numbers ? double{all.peak} : std::numeric_limits<double>::quiet_NaN();
    const double mean = all.sum / static_cast<double>(densities.size());
    return {{"peak", "Highest density", peak},
            {"integral", "Integral from -3 to 3, estimated", mean * (highest_x - lowest_x)}};
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "gaussian",
        .title = "Gaussian",
        .question = "From how many numbers on is it faster to let the GPU evaluate a formula?",
        .place = 3,
        .parameters = parameters(),
        .variants = variants(),
        .default_variant = "per_element",
        .input = &input,
        .input_files = {},
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

}  // namespace gridstride::lessons::gaussian
