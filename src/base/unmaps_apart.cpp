#include "base/unmaps_apart.h"

#include <sys/mman.h>

#include <new>

#include "base/priority.h"

namespace gridstride {

namespace {

std::mutex there_mutex;
UnmapsApart* there = nullptr;

}  // namespace

UnmapsApart::UnmapsApart()
    : thread_([this] {
          work_beside_the_window();
          serve();
      }) {
    const std::lock_guard lock(there_mutex);
    there = this;
}

UnmapsApart::~UnmapsApart() {
    {
        const std::lock_guard lock(there_mutex);
        there = nullptr;
    }
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

bool UnmapsApart::take(std::byte* data, std::size_t bytes) {
    try {
        const std::lock_guard lock(mutex_);
        waiting_.emplace_back(data, bytes);
    } catch (const std::bad_alloc&) {
        return false;
    }
    changed_.notify_all();
    return true;
}

void UnmapsApart::serve() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return over_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        const auto now = std::exchange(waiting_, {});
        lock.unlock();
        for (const auto& [data, bytes] : now)
            munmap(data, bytes);
        lock.lock();
    }
}

void unmap(std::byte* data, std::size_t bytes) {
    {
        const std::lock_guard lock(there_mutex);
        if (there && there->take(data, bytes)) return;
    }
    munmap(data, bytes);
}

}  // namespace gridstride
