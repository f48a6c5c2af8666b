#include "session/session_files.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "session/kept_work.h"
#include "storage/notices.h"

namespace gridstride {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_sessions = 8;
constexpr std::uintmax_t max_journal_bytes = std::uintmax_t{1} << 30;

fs::path json_of(const fs::path& folder, const std::string& id) {
    return folder / (id + ".json");
}
fs::path runs_of(const fs::path& folder, const std::string& id) {
    return folder / (id + ".runs");
}

/// Locks the file. Also checks that it still has a name, because another window may delete it while it holds
/// the lock.
bool is_ours(int descriptor) {
    struct stat status {};
    return descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
           ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 0;
}

/// Returns when one of the session's files was last changed; 0 if it has none.
std::time_t changed_at(const fs::path& folder, const std::string& id) {
    std::time_t newest = 0;
    for (const fs::path& path : {json_of(folder, id), runs_of(folder, id)}) {
        struct stat status {};
        if (::stat(path.c_str(), &status) == 0) newest = std::max(newest, status.st_mtime);
    }
    return newest;
}

/// Ids have the form "s42-1234-0" (order, process, number). Earlier versions used the time instead of s42.
constexpr char mark_of_order = 's';
/// A larger order is treated as damage, because no later session could exceed it.
constexpr std::uint64_t max_order = std::uint64_t{1} << 53;

struct SessionInFolder {
    std::uint64_t order = 0;  ///< of its last change; more reliable than a clock, which may go backwards
    std::time_t changed = 0;
    std::string id;
    auto operator<=>(const SessionInFolder&) const = default;
};

std::uint64_t read_order(const fs::path& file) {
    try {
        const auto json = read_json(file);
        if (const auto found = json.find("order"); found != json.end() && found->is_number_unsigned())
            return found->get<std::uint64_t>();
    } catch (const std::exception&) {
        // No order, or a damaged file, which read_all_but_runs() handles later.
    }
    return 0;
}

/// Returns read_order() from a cache that is valid while the file is unchanged, because each change of a
/// session reads the orders of all others.
std::uint64_t known_order(const fs::path& file) {
    struct Known {
        ino_t id = 0;
        timespec changed{};
        off_t size = 0;
        std::uint64_t order = 0;
    };
    static std::mutex mutex;
    static std::map<fs::path, Known> all;
    struct stat status {};
    const bool exists = ::stat(file.c_str(), &status) == 0;
    const std::lock_guard lock(mutex);
    if (!exists) {
        all.erase(file);
        return 0;
    }
    Known& known = all[file];
    const bool is_same = known.id == status.st_ino && known.size == status.st_size &&
                         known.changed.tv_sec == status.st_mtim.tv_sec &&
                         known.changed.tv_nsec == status.st_mtim.tv_nsec;
    if (!is_same) known = {status.st_ino, status.st_mtim, status.st_size, read_order(file)};
    return known.order;
}

std::uint64_t order_of(const fs::path& folder, const std::string& id) {
    std::uint64_t order = 0;
    if (id.starts_with(mark_of_order))
        order = number_in<std::uint64_t>(split(std::string_view(id).substr(1), '-').front()).value_or(0);
    order = std::max(order, known_order(json_of(folder, id)));
    return order < max_order ? order : 0;
}

/// Sorted by last change, newest first. `excluded` is the JSON file of a session to leave out.
std::vector<SessionInFolder> sessions_in(const fs::path& folder, const fs::path& excluded = {}) {
    std::set<std::string> ids;
    std::error_code ignored;
    for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
        const fs::path name = entry->path().filename();
        if (name.extension() == ".json" || name.extension() == ".runs") ids.insert(name.stem().string());
    }
    std::vector<SessionInFolder> found;
    for (const std::string& id : ids)
        if (json_of(folder, id) != excluded)
            found.push_back({order_of(folder, id), changed_at(folder, id), id});
    std::sort(found.rbegin(), found.rend());
    return found;
}

/// Throws NewerVersion and CannotRead.
Work read_all_but_runs(const SessionFiles& files) {
    Work work;
    const auto parse = [&](const nlohmann::ordered_json& json) { read_work(json, work); };
    read_saved(files.json(), work_format, parse, &files.held());
    return work;
}

void read_runs(const SessionFiles& files, Work& work) {
    try {
        parse_journal(read_file(files.runs(), max_journal_bytes), work);
    } catch (const FileError& error) {
        work.notes.emplace_back(error.what());
        work.unread_runs = "Its runs cannot be read";
    }
}

bool has_runs(const SessionFiles& files) {
    std::error_code ignored;
    return fs::file_size(files.runs(), ignored) > journal_head().size();
}

std::string day_and_time(std::time_t when) {
    const std::tm local = fmt::localtime(when);
    return fmt::format("{} {:%B, %H:%M}", local.tm_mday, local);
}

}  // namespace

fs::path sessions_folder() {
    return config_directory() / "sessions";
}

std::uint64_t next_order(const fs::path& folder, const SessionFiles* own) {
    std::uint64_t newest = 0;
    for (const SessionInFolder& session : sessions_in(folder, own ? own->json() : fs::path()))
        newest = std::max(newest, session.order);
    return newest + 1;
}

SessionFiles::SessionFiles(const fs::path& folder, const std::string& id, Descriptor held)
    : json_(json_of(folder, id)), runs_(runs_of(folder, id)), held_(std::move(held)) {}

SessionFiles::SessionFiles(const fs::path& folder) {
    static std::atomic<unsigned> number = 0;
    make_folders(folder);
    const std::uint64_t order = next_order(folder);
    for (int tries = 0; tries < 1000; ++tries) {
        const std::string id = fmt::format("{}{}-{}-{}", mark_of_order, order, ::getpid(), number++);
        const fs::path runs = runs_of(folder, id);
        Descriptor made(::open(runs.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
        if (made.get() < 0 && errno != EEXIST) cannot_write(runs, why_not_written(errno));
        // Another window may lock the new file first and delete it as an empty session; then try again.
        if (is_ours(made.get())) {
            *this = SessionFiles(folder, id, std::move(made));
            sync_folder(folder);
            return;
        }
    }
    cannot_write(folder, "its files cannot be locked. Choose another folder.");
}

std::optional<SessionFiles> SessionFiles::claim(const fs::path& folder, const std::string& id) {
    Descriptor runs(::open(runs_of(folder, id).c_str(),
                           O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!is_ours(runs.get())) return std::nullopt;
    return SessionFiles(folder, id, std::move(runs));
}

void SessionFiles::remove() {
    ::unlink(json_.c_str());
    if (aside_.empty())
        ::unlink(runs_.c_str());
    else
        ::rename(runs_.c_str(), aside_.c_str());
}

const fs::path& SessionFiles::set_runs_aside() {
    return aside_ = runs_.string() + ".unread";
}

std::optional<EarlierWork> find_earlier_work(const fs::path& folder) {
    for (const fs::path& left : left_behind_in(folder))
        ::unlink(left.c_str());
    std::optional<EarlierWork> newest;
    std::size_t kept = 0;
    for (const auto& [order, when, id] : sessions_in(folder)) {
        std::optional<SessionFiles> files = SessionFiles::claim(folder, id);
        if (!files) continue;
        Work work;
        try {
            work = read_all_but_runs(*files);
        } catch (const FileError& error) {
            notify_user(error.what(), /*once=*/true);
            continue;
        }
        if (kept >= max_sessions) {
            files->remove();
            continue;
        }
        // Journals are large; for older sessions it is enough to know that they have runs.
        if (!newest) read_runs(*files, work);
        if (work.empty() && work.notes.empty() && !(newest && has_runs(*files))) {
            files->remove();
            continue;
        }
        ++kept;
        if (!newest && !work.empty())
            newest.emplace(EarlierWork{std::move(*files), std::move(work), day_and_time(when)});
    }
    return newest;
}

void keep_apart(const fs::path& folder, const std::map<KernelKey, KernelEdit>& kernels) {
    SessionFiles files(folder);
    try {
        const std::string head = journal_head();
        if (write_all(files.descriptor(), head) < head.size() || !sync_file(files.descriptor()))
            cannot_write(files.runs(), why_not_written(errno));
        write_file(files.json(), format_work({.kernels = kernels, .order = next_order(folder, &files)}));
    } catch (const FileError&) {
        files.remove();
        throw;
    }
}

std::map<KernelKey, KernelEdit> kept_kernels(const fs::path& folder) {
    std::map<KernelKey, KernelEdit> all;
    for (const auto& [order, when, id] : sessions_in(folder)) {
        Work work;
        try {
            const fs::path file = json_of(folder, id);
            const auto json = read_json(file);
            require_known_version(json, work_format, file);
            read_work(json, work);
        } catch (const std::exception&) {
            continue;  // the window reports the error when it offers the session
        }
        all.merge(work.kernels);
    }
    return all;
}

std::string offer_in_words(const EarlierWork& earlier) {
    const Work& work = earlier.work;
    std::vector<std::string> things;
    std::map<std::string_view, std::size_t> texts;  // count by noun
    for (const auto& [key, edit] : work.kernels) {
        const Lesson* const lesson = find_lesson(key.first);
        ++texts[lesson ? lesson->own_text().noun : own_kernel.noun];
    }
    for (const auto& [noun, count] : texts)
        things.push_back(count == 1 ? fmt::format("your {}", noun) : fmt::format("your {} {}s", count, noun));
    if (!work.runs.empty()) things.push_back(counted(work.runs.size(), "run"));
    if (!work.sweep_cells.empty())
        things.push_back(counted(work.sweep_cells.size(), "cell of a sweep", "cells of sweeps"));
    if (things.empty()) things.emplace_back("the work");
    const std::string last = std::move(things.back());
    things.pop_back();
    return fmt::format("Restore {}{}{} from {}?", joined(things, ", "), things.empty() ? "" : " and ", last,
                       earlier.when);
}

}  // namespace gridstride
