#include "base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

namespace gridstride {

unsigned hardware_threads() {
    return std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
    // Several ranges per thread, claimed one by one, so that a busy core processes fewer.
    const std::size_t threads = hardware_threads();
    const std::size_t range = std::max(grain, count / (8 * threads) + 1);
    const std::size_t ranges = count / range + (count % range != 0);
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
    std::exception_ptr first_failure;
    std::once_flag first;

    const auto work = [&] {
        while (!failed) {
            const std::size_t i = next++;
            if (i >= ranges) return;
            const std::size_t begin = i * range;
            try {
                body(begin, begin + std::min(range, count - begin));
            } catch (...) {
                std::call_once(first, [&] { first_failure = std::current_exception(); });
                failed = true;
            }
        }
    };

    {
        std::vector<std::jthread> others;
        try {
            while (others.size() + 1 < std::min(threads, ranges))
                others.emplace_back(work);
        } catch (const std::system_error&) {
            // The system is out of threads; the existing threads and this one do the work.
        }
        work();
    }
    if (first_failure) std::rethrow_exception(first_failure);
}

double parallel_sum(std::size_t count, std::size_t block,
                    const std::function<double(std::size_t, std::size_t)>& part) {
    std::vector<double> sums(count / block + (count % block > 0 ? 1 : 0));
    parallel_for(sums.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            sums[b] = part(b * block, std::min((b + 1) * block, count));
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace gridstride
