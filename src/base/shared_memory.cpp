#include "base/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/priority.h"
#include "base/units.h"

namespace gridstride {

namespace {

constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

std::byte* map(int descriptor, std::size_t bytes) {
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

std::string shared_memory_error_text(std::size_t bytes, int error) {
    rlimit largest{};
    if (error == EFBIG && getrlimit(RLIMIT_FSIZE, &largest) == 0)
        return fmt::format(
            "An array of {} exceeds the limit on file sizes, {}, which also applies to shared memory. Raise "
            "the limit (ulimit -f) or use fewer elements.",
            format_bytes_beside(bytes, largest.rlim_cur), format_bytes_beside(largest.rlim_cur, bytes));
    if (error == EMFILE || error == ENFILE)
        return fmt::format(
            "No file descriptor is left for an array of {}. Close other programs, or raise the limit "
            "(ulimit -n).",
            format_byte_text(bytes));
    return fmt::format(
        "There is not enough memory for an array of {} ({}). Use fewer elements, or close other programs.",
        format_byte_text(bytes), std::generic_category().message(error));
}

/// State of BackgroundUnmapper. Never destroyed, because exit() may run while its thread waits, for example
/// when the display is lost.
struct UnmapQueue {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::pair<std::byte*, std::size_t>> pending;
    bool is_active = false;
    std::thread thread;
};
UnmapQueue& unmap_queue = *new UnmapQueue;

void run_unmap_thread() {
    lower_thread_priority();
    std::unique_lock lock(unmap_queue.mutex);
    while (true) {
        unmap_queue.changed.wait(lock, [] { return !unmap_queue.is_active || !unmap_queue.pending.empty(); });
        if (unmap_queue.pending.empty()) return;
        const auto now = std::exchange(unmap_queue.pending, {});
        lock.unlock();
        for (const auto& [data, bytes] : now)
            munmap(data, bytes);
        lock.lock();
    }
}

/// Unmaps at once, or queues for the thread of BackgroundUnmapper.
void unmap(std::byte* data, std::size_t bytes) {
    try {
        const std::lock_guard lock(unmap_queue.mutex);
        if (unmap_queue.is_active) {
            unmap_queue.pending.emplace_back(data, bytes);
            unmap_queue.changed.notify_all();
            return;
        }
    } catch (const std::bad_alloc&) {
        // There is no memory to queue it: unmap now.
    }
    munmap(data, bytes);
}

}  // namespace

SharedMemoryError::SharedMemoryError(std::size_t bytes, int error)
    : message_(std::make_shared<const std::string>(shared_memory_error_text(bytes, error))) {}

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes) {
    descriptor_ = memfd_create("gridstride", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor_ >= 0 && ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0 &&
        fcntl(descriptor_, F_ADD_SEALS, size_seals) == 0)
        data_ = map(descriptor_, bytes);
    if (data_) return;
    const int error = errno;
    if (descriptor_ >= 0) close(descriptor_);
    throw SharedMemoryError(bytes, error);
}

SharedMemory SharedMemory::adopt(int descriptor, std::size_t bytes) {
    SharedMemory memory;
    struct stat status {};
    const int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals >= 0 && (seals & size_seals) == size_seals && fstat(descriptor, &status) == 0 &&
        static_cast<std::size_t>(status.st_size) >= bytes)
        memory.data_ = map(descriptor, bytes);
    close(descriptor);
    if (!memory.data_)
        throw std::runtime_error("the received descriptor is not sealed shared memory of the stated size");
    memory.bytes_ = bytes;
    return memory;
}

SharedMemory::~SharedMemory() {
    if (data_) unmap(data_, bytes_);
    if (descriptor_ >= 0) close(descriptor_);
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

BackgroundUnmapper::BackgroundUnmapper() {
    const std::lock_guard lock(unmap_queue.mutex);
    unmap_queue.thread = std::thread(run_unmap_thread);
    unmap_queue.is_active = true;
}

BackgroundUnmapper::~BackgroundUnmapper() {
    {
        const std::lock_guard lock(unmap_queue.mutex);
        unmap_queue.is_active = false;
    }
    unmap_queue.changed.notify_all();
    unmap_queue.thread.join();
}

}  // namespace gridstride
