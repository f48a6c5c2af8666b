// Data-parallel loops on the host.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>

namespace gridstride {

unsigned hardware_threads();  ///< at least 1

/// Calls body(begin, end) over disjoint ranges that cover [0, count), on all cores; on the calling thread
/// alone when count <= grain. The first exception thrown by a body is rethrown once all have ended.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body);

/// Elements, additions or what takes as long, that are worth a thread.
inline constexpr std::size_t work_of_a_thread = std::size_t{1} << 14;
/// A grain for parallel_for() over items of so much work each.
constexpr std::size_t grain_of(std::size_t work) {
    return std::max<std::size_t>(work_of_a_thread / std::max<std::size_t>(work, 1), 1);
}

/// parallel_for() over single items, of so much work each.
void parallel_for_each(std::size_t count, std::size_t work, const auto& body) {
    parallel_for(count, grain_of(work), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            body(i);
    });
}

/// The first index below count for which `matches` is true; count where there is none. Items as those of
/// parallel_for_each().
std::size_t parallel_find(std::size_t count, std::size_t work, const auto& matches) {
    std::atomic<std::size_t> first = count;
    parallel_for(count, grain_of(work), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && i < first; ++i) {
            if (!matches(i)) continue;
            std::size_t known = first;
            while (i < known && !first.compare_exchange_weak(known, i)) {
            }
            return;
        }
    });
    return first;
}

/// The sum of what part(begin, end) returns for disjoint ranges that cover [0, count), on all cores, ranges
/// of at most `block`. The same to the last bit however many cores there are.
double sum_of_parts(std::size_t count, std::size_t block,
                    const std::function<double(std::size_t, std::size_t)>& part);

}  // namespace gridstride
