#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/quote.h"
#include "base/temporary_file.h"
#include "base/units.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int error) {
    return std::generic_category().message(error);
}

[[noreturn]] void cannot_read(const fs::path& path, const std::string& why) {
    throw FileError(fmt::format("Cannot read {}: {}", quoted_path(path), why));
}

[[noreturn]] void cannot_write(const fs::path& path, const std::string& why) {
    throw FileError(fmt::format("Cannot write {}: {}", quoted_path(path), why));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }
    bool ok() const { return fd_ >= 0; }
    /// False, with errno, when the last bytes could not be stored.
    bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
    int fd_;
};

std::optional<struct stat> status_of(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return status;
}

fs::path folder_of(const fs::path& path) {
    const fs::path parent = path.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

/// A device or a pipe cannot be replaced by a rename (and must not be: /dev/null would be gone).
void write_in_place(const fs::path& path, std::string_view content) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.ok() || write_all(file.get(), content) < content.size() || !file.close()) {
        cannot_write(path, reason_of(errno) + ". Choose another file.");
    }
}

fs::path home_directory() {
    if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/') return home;
    if (const passwd* const user = ::getpwuid(::getuid()); user != nullptr && *user->pw_dir == '/')
        return user->pw_dir;
    std::error_code ignored;
    return fs::temp_directory_path(ignored);
}

/// The XDG base directory specification: a variable that holds no absolute path counts as not set.
fs::path xdg_directory(const char* variable, const char* below_home) {
    if (const char* const value = std::getenv(variable); value != nullptr && *value == '/') {
        return fs::path(value) / "gridstride";
    }
    return home_directory() / below_home / "gridstride";
}

}  // namespace

std::string read_file(const fs::path& path, std::uintmax_t max_bytes) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.ok()) {
        if (errno == ENOENT || errno == ENOTDIR) cannot_read(path, "there is no such file. Check the name.");
        if (errno == EACCES)
            cannot_read(path, "you have no permission. Choose another file or change its permissions.");
        cannot_read(path, reason_of(errno) + ". Choose another file.");
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) cannot_read(path, reason_of(errno) + ".");
    if (S_ISDIR(status.st_mode)) cannot_read(path, "it is a folder. Choose a file in it.");

    const std::string limit = format_bytes(static_cast<double>(max_bytes)).text();
    const auto stated = static_cast<std::uintmax_t>(std::max<off_t>(status.st_size, 0));
    if (stated > max_bytes) {
        cannot_read(path, fmt::format("it holds {}, and {} is the most that is read. Choose a smaller file.",
                                      format_bytes(static_cast<double>(stated)).text(), limit));
    }

    // The size that a file states is a hint only: files below /proc state 0, pipes have none, others grow
    // meanwhile.
    std::string content;
    try {
        content.resize(static_cast<std::size_t>(stated) + 1);
        std::size_t size = 0;
        while (true) {
            const ssize_t got = ::read(file.get(), content.data() + size,
                                       std::min<std::size_t>(content.size() - size, 1 << 30));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) cannot_read(path, reason_of(errno) + ".");
            if (got == 0) break;
            size += static_cast<std::size_t>(got);
            if (size > max_bytes) {
                cannot_read(path, fmt::format("it holds more than {}. Choose a smaller file.", limit));
            }
            if (size == content.size()) content.resize(std::max<std::size_t>(2 * size, 1 << 16));
        }
        content.resize(size);
    } catch (const std::bad_alloc&) {
        cannot_read(path, "it does not fit into the memory that is free. Choose a smaller file.");
    }
    return content;
}

void require_writable(const fs::path& path) {
    if (path.empty()) throw FileError("Cannot write a file without a name. Give it one.");
    const fs::path target = write_target(path);
    if (const auto status = status_of(target)) {
        if (S_ISDIR(status->st_mode)) cannot_write(path, "it is a folder. Choose the name of a file in it.");
        if (::access(target.c_str(), W_OK) != 0) {
            cannot_write(path, "the file is there and cannot be changed (" + reason_of(errno) +
                                   "). Choose another name.");
        }
        if (!S_ISREG(status->st_mode)) return;
    } else if (!target.has_filename()) {
        cannot_write(path, "the name of a file is missing at its end. Add one.");
    } else if (errno == ENAMETOOLONG) {
        cannot_write(path, "the name is too long. Choose a shorter one.");
    }

    const fs::path folder = folder_of(target);
    const auto status = status_of(folder);
    if (!status) {
        cannot_write(path, fmt::format("the folder {} does not exist. Choose a folder that exists.",
                                       printable(folder.native())));
    }
    if (!S_ISDIR(status->st_mode)) {
        cannot_write(
            path, fmt::format("{} is no folder. Choose a folder that exists.", printable(folder.native())));
    }
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        cannot_write(path, fmt::format("the folder {} takes no new files ({}). Choose another folder.",
                                       printable(folder.native()), reason_of(errno)));
    }
}

void write_file(const fs::path& path, std::string_view content) {
    require_writable(path);
    const fs::path target = write_target(path);
    const auto status = status_of(target);
    if (status && !S_ISREG(status->st_mode)) {
        write_in_place(target, content);
        return;
    }
    TemporaryFile file(target, "");
    if (write_all(file.descriptor(), content) < content.size() || !file.close())
        cannot_write(path, why_not_written(errno));
    if (!file.rename_to_target()) cannot_write(path, reason_of(errno) + ". Choose another name.");
}

const fs::path& data_directory() {
    static const fs::path directory = [] {
        std::error_code error;
        const fs::path program = fs::read_symlink("/proc/self/exe", error);
        const fs::path wanted = program.parent_path() / ".." / "share" / "gridstride";
        const fs::path canonical = fs::weakly_canonical(wanted, error);
        return error ? wanted : canonical;
    }();
    return directory;
}

fs::path config_directory() {
    return xdg_directory("XDG_CONFIG_HOME", ".config");
}
fs::path cache_directory() {
    return xdg_directory("XDG_CACHE_HOME", ".cache");
}
fs::path state_directory() {
    return xdg_directory("XDG_STATE_HOME", ".local/state");
}

std::string_view app_version() {
    return GRIDSTRIDE_VERSION;
}

}  // namespace gridstride
