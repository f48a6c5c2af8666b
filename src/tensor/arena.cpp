#include "tensor/arena.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "launch/plan.h"

namespace gridstride::tensor {

namespace {

/// The free gaps by offset; the last one has no end.
class Gaps {
 public:
    std::uint64_t take(std::uint64_t bytes) {
        auto best = gaps_.end();
        for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap)
            if (gap->second >= bytes && (best == gaps_.end() || gap->second < best->second)) best = gap;
        const auto [begin, length] = *best;
        gaps_.erase(best);
        if (length > bytes) gaps_.emplace(begin + bytes, length == endless ? endless : length - bytes);
        return begin;
    }

    void give_back(std::uint64_t begin, std::uint64_t bytes) {
        auto next = gaps_.upper_bound(begin);
        if (next != gaps_.end() && next->first == begin + bytes) {
            bytes = next->second == endless ? endless : bytes + next->second;
            next = gaps_.erase(next);
        }
        if (next != gaps_.begin()) {
            const auto before = std::prev(next);
            if (before->first + before->second == begin) {
                before->second = bytes == endless ? endless : before->second + bytes;
                return;
            }
        }
        gaps_.emplace(begin, bytes);
    }

 private:
    static constexpr std::uint64_t endless = UINT64_MAX;
    std::map<std::uint64_t, std::uint64_t> gaps_{{0, endless}};
};

}  // namespace

std::uint64_t in_arena(std::uint64_t bytes) {
    return divide_up(std::max<std::uint64_t>(bytes, 1), arena_alignment) * arena_alignment;
}

std::vector<std::uint64_t> places_of(std::span<const Lifetime> lifetimes) {
    const auto in_order_of = [&](auto step_of) {
        std::vector<std::size_t> order(lifetimes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return step_of(lifetimes[i]); });
        return order;
    };
    const std::vector<std::size_t> beginning = in_order_of([](const Lifetime&l) { return l.first; }),
                                   ending = in_order_of([](const Lifetime&l) { return l.end; });
    std::vector<std::uint64_t> places(lifetimes.size());
    Gaps gaps;
    auto ends = ending.begin();
    for (const std::size_t i : beginning) {
        for (; ends != ending.end() && lifetimes[*ends].end <= lifetimes[i].first; ++ends)
            gaps.give_back(places[*ends], in_arena(lifetimes[*ends].bytes));
        places[i] = gaps.take(in_arena(lifetimes[i].bytes));
    }
    return places;
}

}  // namespace gridstride::tensor
