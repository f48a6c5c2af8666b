// Waits for another thread.
#pragma once

#include <chrono>
#include <thread>

namespace gridstride::test {

/// Polls the condition until it holds, for at most five minutes. Returns whether it held.
template <class Condition>
bool comes(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    bool holds = condition();
    for (; !holds && std::chrono::steady_clock::now() < end; holds = condition())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return holds;
}

}  // namespace gridstride::test
