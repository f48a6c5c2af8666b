#include "histogram/baselines.h"

#include <array>
#include <mutex>
#include <span>

#include "base/parallel_for.h"
#include "histogram/bins.h"

namespace gridstride::lessons::histogram {

namespace {

/// Neighbouring numbers are counted in different tables: a CPU that counts the same bin twice in a row waits
/// for its own store.
constexpr std::size_t tables = 4;
/// So many bins are worked out at a time, by vector instructions, before any is counted.
constexpr std::size_t block = 1024;

class Counter {
 public:
    explicit Counter(const Bins& bins) : bins_(bins), counts_(tables * (bins.count + 1)) {}

    void add(std::span<const float> numbers) {
        std::array<std::uint32_t, block> found;
        while (!numbers.empty()) {
            const std::span<const float> now = numbers.first(std::min(block, numbers.size()));
            find_bins(now, found.data());
            for (std::size_t i = 0; i < now.size(); ++i)
                ++counts_[(i % tables) * (bins_.count + 1) + found[i]];
            numbers = numbers.subspan(now.size());
        }
    }

    double weighted_sum() const {
        double sum = 0;
        for (std::size_t i = 0; i < bins_.count; ++i)
            for (std::size_t t = 0; t < tables; ++t)
                sum += static_cast<double>(i + 1) * counts_[t * (bins_.count + 1) + i];
        return sum;
    }

 private:
    /// As bin_of(), without branches; what is in no bin gets one more than the last.
    void find_bins(std::span<const float> numbers, std::uint32_t* found) const {
        const Bins bins = bins_;
        const auto last = static_cast<std::int32_t>(bins.count - 1);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const float x = numbers[i];
            const bool inside = (x >= bins.min) & (x < bins.max);
            // 0 in place of what would not fit an integer. Where it fits it is not negative: truncation is
            // floor.
            const float quotient = inside ? (x - bins.min) / bins.width : 0.0f;
            const auto bin = static_cast<std::int32_t>(quotient);
            found[i] = static_cast<std::uint32_t>(inside ? (bin < last ? bin : last) : last + 1);
        }
    }

    Bins bins_;
    std::vector<std::uint32_t> counts_;
};

}  // namespace

double one_thread(const Input& input, const Values& values) {
    Counter counter(bins_of(values));
    counter.add(get(input, "values").as<float>());
    return counter.weighted_sum();
}

double all_threads(const Input& input, const Values& values) {
    const auto numbers = get(input, "values").as<float>();
    const Bins bins = bins_of(values);
    double sum = 0;
    std::mutex adding;
    parallel_for(numbers.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        Counter counter(bins);
        counter.add(numbers.subspan(begin, end - begin));
        const std::lock_guard lock(adding);
        sum += counter.weighted_sum();
    });
    return sum;
}

}  // namespace gridstride::lessons::histogram
