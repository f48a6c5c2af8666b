#include "base/shared_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <thread>

#include "base/file.h"

namespace gridstride {

std::optional<Descriptor> lock_file(const std::filesystem::path& file, std::chrono::milliseconds timeout) {
    constexpr std::chrono::milliseconds between_tries{5};
    const std::string lock = file.string() + ".lock";
    Descriptor lock_file(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
    const auto until = std::chrono::steady_clock::now() + timeout;
    while (::flock(lock_file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (std::chrono::steady_clock::now() >= until) return std::nullopt;
        std::this_thread::sleep_for(between_tries);
    }
    return lock_file;
}

std::optional<std::filesystem::path> rename_damaged(const std::filesystem::path& file) {
    constexpr int max_copies = 9;
    const auto aside = [&](int copy) {
        return std::filesystem::path(file.string() + ".damaged" +
                                     (copy > 1 ? "-" + std::to_string(copy) : ""));
    };
    std::error_code error;
    int copies = 0;
    while (copies < max_copies &&
           std::filesystem::exists(std::filesystem::symlink_status(aside(copies + 1), error)))
        ++copies;
    for (int copy = std::min(copies, max_copies - 1); copy >= 1; --copy)
        std::filesystem::rename(aside(copy), aside(copy + 1), error);
    std::filesystem::rename(file, aside(1), error);
    if (error) return std::nullopt;
    sync_folder(file.parent_path());
    return aside(1);
}

}  // namespace gridstride
