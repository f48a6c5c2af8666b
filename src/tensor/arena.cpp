#include "tensor/arena.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "launch/plan.h"

namespace gridstride::tensor {

namespace {

/// The free gaps by offset; the last one has no end.
class FreeList {
 public:
    std::uint64_t allocate(std::uint64_t bytes) {
        auto best = gaps_.end();
        for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap)
            if (gap->second >= bytes && (best == gaps_.end() || gap->second < best->second)) best = gap;
        const auto [begin, length] = *best;
        gaps_.erase(best);
        if (length > bytes) gaps_.emplace(begin + bytes, length == unbounded ? unbounded : length - bytes);
        return begin;
    }

    void release(std::uint64_t begin, std::uint64_t bytes) {
        auto next = gaps_.upper_bound(begin);
        if (next != gaps_.end() && next->first == begin + bytes) {
            bytes = next->second == unbounded ? unbounded : bytes + next->second;
            next = gaps_.erase(next);
        }
        if (next != gaps_.begin()) {
            const auto before = std::prev(next);
            if (before->first + before->second == begin) {
                before->second = bytes == unbounded ? unbounded : before->second + bytes;
                return;
            }
        }
        gaps_.emplace(begin, bytes);
    }

 private:
    static constexpr std::uint64_t unbounded = UINT64_MAX;
    std::map<std::uint64_t, std::uint64_t> gaps_{{0, unbounded}};
};

}  // namespace

std::uint64_t arena_size(std::uint64_t bytes) {
    return divide_up(std::max<std::uint64_t>(bytes, 1), arena_alignment) * arena_alignment;
}

std::vector<std::uint64_t> plan_arena(std::span<const Lifetime> lifetimes) {
    const auto order_by = [&](auto step_of) {
        std::vector<std::size_t> order(lifetimes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return step_of(lifetimes[i]); });
        return order;
    };
    const std::vector<std::size_t> by_begin = order_by([](const Lifetime&l) { return l.first; }),
                                   by_end = order_by([](const Lifetime&l) { return l.end; });
    std::vector<std::uint64_t> offsets(lifetimes.size());
    FreeList gaps;
    auto ends = by_end.begin();
    for (const std::size_t i : by_begin) {
        for (; ends != by_end.end() && lifetimes[*ends].end <= lifetimes[i].first; ++ends)
            gaps.release(offsets[*ends], arena_size(lifetimes[*ends].bytes));
        offsets[i] = gaps.allocate(arena_size(lifetimes[i].bytes));
    }
    return offsets;
}

}  // namespace gridstride::tensor
