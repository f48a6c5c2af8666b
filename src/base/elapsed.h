// How long ago something was, by the clock that never jumps.
#pragma once

#include <chrono>

namespace gridstride {

inline double seconds_since(std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

inline double milliseconds_since(std::chrono::steady_clock::time_point then) {
    return 1e3 * seconds_since(then);
}

inline double nanoseconds_since(std::chrono::steady_clock::time_point then) {
    return 1e9 * seconds_since(then);
}

}  // namespace gridstride
