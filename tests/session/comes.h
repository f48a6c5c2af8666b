// Waits for what another thread does.
#pragma once

#include <chrono>
#include <thread>

namespace gridstride::test {

template <class Condition>
bool comes(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    bool came = condition();
    for (; !came && std::chrono::steady_clock::now() < end; came = condition())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return came;
}

}  // namespace gridstride::test
