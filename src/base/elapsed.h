#pragma once

#include <chrono>
#include <ctime>

namespace gridstride {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return 1e3 * seconds_since(start);
}

inline double nanoseconds_since(std::chrono::steady_clock::time_point start) {
    return 1e9 * seconds_since(start);
}

/// Wall time and CPU time of this thread. Only the wall time grows while other threads have the processor.
struct ElapsedTime {
    double wall_ms = 0;
    double cpu_ms = 0;
};

class Stopwatch {
 public:
    ElapsedTime spent() const { return {milliseconds_since(start_), cpu_ms() - cpu_ms_}; }

 private:
    static double cpu_ms() {
        std::timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
    }
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double cpu_ms_ = cpu_ms();
};

}  // namespace gridstride
