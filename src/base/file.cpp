#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <new>
#include <span>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "base/text.h"
#include "base/units.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;

std::string error_text(int error) {
    return std::generic_category().message(error);
}

fs::path parent_folder(const fs::path& path) {
    const fs::path parent = path.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

constexpr std::string_view temporary_prefix = ".gridstride-";
constexpr std::string_view temporary_ending = ".tmp";

/// Returns whether no process holds the lock. An empty file may belong to a process about to lock it.
bool is_abandoned(const fs::path& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
           ::flock(file.get(), LOCK_SH | LOCK_NB) == 0;
}

}  // namespace

fs::path home_directory() {
    if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/') return home;
    if (const passwd* const user = ::getpwuid(::getuid()); user != nullptr && *user->pw_dir == '/')
        return user->pw_dir;
    std::error_code ignored;
    return fs::temp_directory_path(ignored);
}

namespace {

/// By the XDG base directory specification, a variable without an absolute path counts as unset.
fs::path xdg_directory(const char* variable, const char* below_home) {
    if (const char* const value = std::getenv(variable); value != nullptr && *value == '/') {
        return fs::path(value) / "gridstride";
    }
    return home_directory() / below_home / "gridstride";
}

}  // namespace

std::string read_file(const fs::path& path, std::uintmax_t max_bytes, FileProgress* progress) {
    InputFile file(path, max_bytes, progress);
    try {
        std::string content(static_cast<std::size_t>(file.reported_size()) + 1, '\0');
        std::size_t size = 0;
        while (true) {
            size += file.read_at(size, std::span(content).subspan(size));
            if (size < content.size()) break;
            content.resize(std::max<std::size_t>(2 * size, 1 << 16));
        }
        content.resize(size);
        return content;
    } catch (const std::bad_alloc&) {
        throw ReadError(path, fmt::format("it has {} and does not fit into the free memory. Choose a smaller "
                                          "file.",
                                          format_byte_text(file.reported_size())));
    }
}

void require_writable(const fs::path& path) {
    if (path.empty()) throw FileError("Cannot write a file without a name. Give it one.");
    const fs::path target = resolve_links(path);
    std::error_code error;
    if (const fs::file_status status = fs::status(target, error); fs::exists(status)) {
        if (fs::is_directory(status))
            throw_cannot_write(path, "it is a folder. Choose the name of a file in it.");
        if (::access(target.c_str(), W_OK) != 0) {
            throw_cannot_write(path, "the file exists and cannot be changed (" + error_text(errno) +
                                         "). Choose another name.");
        }
        if (!fs::is_regular_file(status)) return;
    } else if (!target.has_filename()) {
        throw_cannot_write(path, "the path does not end with a file name. Add one.");
    } else if (error == std::errc::filename_too_long) {
        throw_cannot_write(path,
                           fmt::format("the name has {} bytes, and most file systems allow {}. Choose a "
                                       "shorter one.",
                                       target.filename().native().size(), NAME_MAX));
    }

    const fs::path folder = parent_folder(target);
    const fs::file_status status = fs::status(folder, error);
    if (!fs::exists(status)) {
        throw_cannot_write(path, fmt::format("the folder {} does not exist. Choose a folder that exists.",
                                             printable(folder.native())));
    }
    if (!fs::is_directory(status)) {
        throw_cannot_write(path, fmt::format("{} is not a folder. Choose a folder that exists.",
                                             printable(folder.native())));
    }
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        throw_cannot_write(path, fmt::format("the folder {} is not writable ({}). Choose another folder.",
                                             printable(folder.native()), error_text(errno)));
    }
}

void write_file(const fs::path& path, std::string_view content, FileProgress* progress) {
    OutputFile file(path, "");
    if (write_all(file.descriptor(), content, progress) < content.size() || !file.close())
        throw_cannot_write(path, file.is_in_place() ? error_text(errno) + ". Choose another file."
                                                    : write_error_text(errno));
    if (!file.rename_to_target()) throw_cannot_write(path, error_text(errno) + ". Choose another name.");
}

fs::path resolve_links(const fs::path& path) {
    fs::path target = path;
    std::error_code ignored;
    for (int links = 0; links < 40 && fs::is_symlink(target, ignored); ++links) {
        // /dev/stdout may lead to a pipe, which has no path.
        if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored)) return target;
        target = target.parent_path() / fs::read_symlink(target, ignored);
    }
    return target;
}

std::size_t write_all(int descriptor, std::string_view content, FileProgress* progress) {
    if (progress) progress->total = content.size();
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t written_bytes = ::write(descriptor, content.data() + done,
                                              std::min<std::size_t>(content.size() - done, max_chunk_bytes));
        if (written_bytes < 0 && errno == EINTR) continue;
        if (written_bytes < 0) break;
        done += static_cast<std::size_t>(written_bytes);
        if (progress) progress->advance(static_cast<std::uint64_t>(written_bytes));
    }
    return done;
}

bool sync_file(int descriptor) {
    int result = 0;
    do {
        result = ::fsync(descriptor);
    } while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

bool sync_folder(const fs::path& folder) {
    // A folder may be writable but not readable; that is not an error.
    const Descriptor opened(
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return opened.get() < 0 || sync_file(opened.get());
}

void create_folders(const fs::path& folder) {
    std::error_code ignored;
    if (folder.empty() || fs::exists(folder, ignored)) return;
    create_folders(folder.parent_path());
    if (fs::create_directory(folder, ignored)) sync_folder(folder.parent_path());
}

std::string write_error_text(int error) {
    rlimit largest{};
    if (error == EFBIG && ::getrlimit(RLIMIT_FSIZE, &largest) == 0 && largest.rlim_cur != RLIM_INFINITY)
        return fmt::format(
            "{}: files are limited to {}. Raise the limit (ulimit -f) or write less into one file.",
            error_text(error), format_byte_text(largest.rlim_cur));
    return error_text(error) + ". Make room or choose another folder.";
}

void throw_cannot_write(const fs::path& path, const std::string& reason) {
    throw FileError(fmt::format("Cannot write {}: {}", quote_path(path), reason));
}

OutputFile::OutputFile(const fs::path& path, std::string_view suffix) : target_(resolve_links(path)) {
    require_writable(path);
    struct stat before {};
    const bool replaces = ::stat(target_.c_str(), &before) == 0;
    // A rename would replace a device or a pipe: /dev/null would be gone.
    if (replaces && !S_ISREG(before.st_mode)) {
        descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) throw_cannot_write(path, error_text(errno) + ". Choose another file.");
        return;
    }
    static std::atomic<unsigned> number = 0;
    do {
        temporary_ = target_.parent_path() / fmt::format("{}{}-{}{}{}", temporary_prefix, ::getpid(),
                                                         number++, suffix, temporary_ending);
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) throw_cannot_write(target_, error_text(errno) + ". Choose another folder.");
    // A file system may lack locks or permissions; that is not an error.
    ::flock(descriptor_, LOCK_EX | LOCK_NB);
    if (replaces && ::fchmod(descriptor_, before.st_mode & 07777) != 0) errno = 0;
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!keep_ && !is_in_place()) ::unlink(temporary_.c_str());
}

bool OutputFile::close() {
    const bool synced = is_in_place() || sync_file(descriptor_);
    const int error = errno;
    const bool closed = ::close(std::exchange(descriptor_, -1)) == 0;
    if (!synced) errno = error;
    return synced && closed;
}

bool OutputFile::rename_to_target() {
    if (is_in_place()) return true;
    keep_ = ::rename(temporary_.c_str(), target_.c_str()) == 0;
    return keep_ && sync_folder(parent_folder(target_));
}

std::vector<fs::path> find_abandoned_files(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, ignored), end; entry != end;
         entry.increment(ignored)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with(temporary_prefix) && name.ends_with(temporary_ending) &&
            is_abandoned(entry->path()))
            found.push_back(folder / name);
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<fs::file_time_type> modification_times(const std::vector<std::string>& files) {
    std::vector<fs::file_time_type> times;
    for (const std::string& file : files) {
        std::error_code error;
        times.push_back(fs::last_write_time(file, error));
    }
    return times;
}

const fs::path& data_directory() {
    static const fs::path directory = [] {
        std::error_code error;
        const fs::path program = fs::read_symlink("/proc/self/exe", error);
        const fs::path data_folder = program.parent_path() / ".." / "share" / "gridstride";
        const fs::path canonical = fs::weakly_canonical(data_folder, error);
        return error ? data_folder : canonical;
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
