#include "histogram/reference.h"

#include <mutex>

#include "base/parallel_for.h"
#include "histogram/ways.h"

namespace gridstride::lessons::histogram {

namespace {

struct Histogram {
    std::vector<std::uint32_t> counts;
    std::uint32_t ignored = 0;
};

Histogram histogram_of(std::span<const float> numbers, const Bins& bins) {
    Histogram histogram{std::vector<std::uint32_t>(bins.count)};
    for (const float x : numbers) {
        if (const auto bin = bin_of(x, bins))
            ++histogram.counts[*bin];
        else
            ++histogram.ignored;
    }
    return histogram;
}

/// The same, each core a part of the numbers.
Histogram histogram_on_all_cores(std::span<const float> numbers, const Bins& bins) {
    Histogram all{std::vector<std::uint32_t>(bins.count)};
    std::mutex adding;
    parallel_for(numbers.size(), std::size_t{1} << 18, [&](std::size_t begin, std::size_t end) {
        const Histogram part = histogram_of(numbers.subspan(begin, end - begin), bins);
        const std::lock_guard lock(adding);
        for (std::size_t i = 0; i < all.counts.size(); ++i)
            all.counts[i] += part.counts[i];
        all.ignored += part.ignored;
    });
    return all;
}

ArrayRef array_of(std::span<const std::uint32_t> numbers) {
    return std::make_shared<const Array>(Array::of<std::uint32_t>(numbers));
}

}  // namespace

std::vector<Expected> reference(const Input& input, const Values& values, const Plan& plan) {
    const Histogram histogram = histogram_on_all_cores(get(input, "values").as<float>(), bins_of(values));
    Tolerance tolerance;
    if (way_of_kernel(main_dispatch(plan).kernel) == Way::race) tolerance.relative = 1;
    return {{"counts", array_of(histogram.counts), tolerance, nullptr},
            {"ignored", array_of({&histogram.ignored, 1}), {}, nullptr}};
}

Array true_counts(std::span<const float> numbers, const Bins& bins) {
    return Array::of<std::uint32_t>(histogram_on_all_cores(numbers, bins).counts);
}

}  // namespace gridstride::lessons::histogram
