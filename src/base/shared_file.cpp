#include "base/shared_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <thread>

namespace gridstride {

std::optional<Descriptor> lock_beside(const std::filesystem::path& file, std::chrono::milliseconds patience) {
    constexpr std::chrono::milliseconds between_tries{5};
    const std::string lock = file.string() + ".lock";
    Descriptor held(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
    const auto until = std::chrono::steady_clock::now() + patience;
    while (::flock(held.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (std::chrono::steady_clock::now() >= until) return std::nullopt;
        std::this_thread::sleep_for(between_tries);
    }
    return held;
}

std::filesystem::path set_aside(const std::filesystem::path& file) {
    std::filesystem::path aside = file.string() + ".damaged";
    std::error_code ignored;
    std::filesystem::rename(file, aside, ignored);
    return aside;
}

}  // namespace gridstride
