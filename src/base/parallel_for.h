// Data-parallel loops on the host.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>

namespace gridstride {

unsigned hardware_threads();  ///< at least 1

/// Calls body(begin, end) over disjoint ranges that cover [0, count), on all cores; on the calling thread
/// only if count <= grain. Rethrows the first exception once all threads have ended.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body);

/// The amount of work (elements, additions or the like) that is worth a thread.
inline constexpr std::size_t min_thread_work = std::size_t{1} << 14;
/// Returns a grain for parallel_for() over items of `work` operations each.
constexpr std::size_t grain_for(std::size_t work) {
    return std::max<std::size_t>(min_thread_work / std::max<std::size_t>(work, 1), 1);
}

/// Calls body(i) for each i below count; each call takes about `work` operations.
void parallel_for_each(std::size_t count, std::size_t work, const auto& body) {
    parallel_for(count, grain_for(work), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            body(i);
    });
}

/// Returns the first index below count for which `matches` is true, else count. `work` as for
/// parallel_for_each().
std::size_t parallel_find(std::size_t count, std::size_t work, const auto& matches) {
    std::atomic<std::size_t> first = count;
    parallel_for(count, grain_for(work), [&](std::size_t begin, std::size_t end) {
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

/// Sums part(begin, end) over disjoint ranges of at most `block` that cover [0, count), on all cores. The
/// result is bitwise the same on any number of cores.
double parallel_sum(std::size_t count, std::size_t block,
                    const std::function<double(std::size_t, std::size_t)>& part);

}  // namespace gridstride
