#include "base/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/no_shared_memory.h"
#include "base/units.h"
#include "base/unmaps_apart.h"

namespace gridstride {

namespace {

constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

std::byte* map(int descriptor, std::size_t bytes) {
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

std::string why_there_is_none(std::size_t bytes, int error) {
    const auto size = [](std::uint64_t count) { return format_bytes(static_cast<double>(count)).text(); };
    rlimit largest{};
    if (error == EFBIG && getrlimit(RLIMIT_FSIZE, &largest) == 0)
        return fmt::format(
            "An array of {} is over the limit on the size of files, {}, which holds for shared memory too. "
            "Raise that limit (ulimit -f) or take fewer elements.",
            size(bytes), size(largest.rlim_cur));
    if (error == EMFILE || error == ENFILE)
        return fmt::format(
            "No file descriptor is left for an array of {}. Close other programs, or raise the limit "
            "(ulimit -n).",
            size(bytes));
    return fmt::format(
        "There is not enough memory for an array of {} ({}). Take fewer elements, or close other programs.",
        size(bytes), std::generic_category().message(error));
}

}  // namespace

NoSharedMemory::NoSharedMemory(std::size_t bytes, int error)
    : sentences_(std::make_shared<const std::string>(why_there_is_none(bytes, error))) {}

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes) {
    descriptor_ = memfd_create("gridstride", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor_ >= 0 && ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0 &&
        fcntl(descriptor_, F_ADD_SEALS, size_seals) == 0)
        data_ = map(descriptor_, bytes);
    if (data_) return;
    const int error = errno;
    if (descriptor_ >= 0) close(descriptor_);
    throw NoSharedMemory(bytes, error);
}

SharedMemory SharedMemory::adopt(int descriptor, std::size_t bytes) {
    SharedMemory memory;
    struct stat facts {};
    const int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals >= 0 && (seals & size_seals) == size_seals && fstat(descriptor, &facts) == 0 &&
        static_cast<std::size_t>(facts.st_size) >= bytes)
        memory.data_ = map(descriptor, bytes);
    close(descriptor);
    if (!memory.data_) throw std::runtime_error("what was sent is no shared memory of the size it says");
    memory.bytes_ = bytes;
    return memory;
}

SharedMemory::~SharedMemory() {
    if (data_) unmap(data_, bytes_);
    if (descriptor_ >= 0) close(descriptor_);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

}  // namespace gridstride
