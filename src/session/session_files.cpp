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
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "session/saved_session_format.h"
#include "storage/notices.h"

namespace gridstride {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_sessions = 8;
constexpr std::uintmax_t max_journal_bytes = std::uintmax_t{1} << 30;

fs::path json_path(const fs::path& folder, const std::string& id) {
    return folder / (id + ".json");
}
fs::path runs_path(const fs::path& folder, const std::string& id) {
    return folder / (id + ".runs");
}

/// Locks the file. Also checks that it still has a name, because another window may delete it while it holds
/// the lock.
bool try_lock(int descriptor) {
    struct stat status {};
    return descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
           ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 0;
}

/// Returns when one of the session's files was last changed; 0 if it has none.
std::time_t last_changed(const fs::path& folder, const std::string& id) {
    std::time_t newest = 0;
    for (const fs::path& path : {json_path(folder, id), runs_path(folder, id)}) {
        struct stat status {};
        if (::stat(path.c_str(), &status) == 0) newest = std::max(newest, status.st_mtime);
    }
    return newest;
}

/// Ids have the form "s42-1234-0" (order, process, number). Earlier versions used the time instead of s42.
constexpr char order_prefix = 's';
/// A larger order is treated as damage, because no later session could exceed it.
constexpr std::uint64_t max_order = std::uint64_t{1} << 53;

struct SessionEntry {
    std::uint64_t order = 0;  ///< of its last change; more reliable than a clock, which may go backwards
    std::time_t changed = 0;
    std::string id;
    auto operator<=>(const SessionEntry&) const = default;
};

std::uint64_t read_order(const fs::path& file) {
    try {
        const auto json = read_json(file);
        if (const auto found = json.find("order"); found != json.end() && found->is_number_unsigned())
            return found->get<std::uint64_t>();
    } catch (const std::exception&) {
        // No order, or a damaged file, which read_session() handles later.
    }
    return 0;
}

/// Returns read_order() from a cache that is valid while the file is unchanged, because each change of a
/// session reads the orders of all others.
std::uint64_t cached_order(const fs::path& file) {
    struct CachedOrder {
        ino_t id = 0;
        timespec changed{};
        off_t size = 0;
        std::uint64_t order = 0;
    };
    static std::mutex mutex;
    static std::map<fs::path, CachedOrder> all;
    struct stat status {};
    const bool exists = ::stat(file.c_str(), &status) == 0;
    const std::lock_guard lock(mutex);
    if (!exists) {
        all.erase(file);
        return 0;
    }
    CachedOrder& cached = all[file];
    const bool is_same = cached.id == status.st_ino && cached.size == status.st_size &&
                         cached.changed.tv_sec == status.st_mtim.tv_sec &&
                         cached.changed.tv_nsec == status.st_mtim.tv_nsec;
    if (!is_same) cached = {status.st_ino, status.st_mtim, status.st_size, read_order(file)};
    return cached.order;
}

std::uint64_t session_order(const fs::path& folder, const std::string& id) {
    std::uint64_t order = 0;
    if (id.starts_with(order_prefix))
        order = parse_number<std::uint64_t>(split(std::string_view(id).substr(1), '-').front()).value_or(0);
    order = std::max(order, cached_order(json_path(folder, id)));
    return order < max_order ? order : 0;
}

/// Sorted by last change, newest first. `excluded` is the JSON file of a session to leave out.
std::vector<SessionEntry> list_sessions(const fs::path& folder, const fs::path& excluded = {}) {
    std::set<std::string> ids;
    std::error_code ignored;
    for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
        const fs::path name = entry->path().filename();
        if (name.extension() == ".json" || name.extension() == ".runs") ids.insert(name.stem().string());
    }
    std::vector<SessionEntry> found;
    for (const std::string& id : ids)
        if (json_path(folder, id) != excluded)
            found.push_back({session_order(folder, id), last_changed(folder, id), id});
    std::sort(found.rbegin(), found.rend());
    return found;
}

/// Throws NewerVersion and ReadError.
SavedSession read_session(const SessionFiles& files) {
    SavedSession session;
    const auto parse = [&](const nlohmann::ordered_json& json) { parse_session(json, session); };
    read_saved_file(files.json(), session_format, parse, &files.lock());
    return session;
}

void read_runs(const SessionFiles& files, SavedSession& session) {
    try {
        parse_journal(read_file(files.runs(), max_journal_bytes), session);
    } catch (const FileError& error) {
        session.notes.emplace_back(error.what());
        session.unread_runs = tr("Its runs cannot be read");
    }
}

bool has_runs(const SessionFiles& files) {
    std::error_code ignored;
    return fs::file_size(files.runs(), ignored) > journal_header().size();
}

std::string day_and_time(std::time_t when) {
    const std::tm local = fmt::localtime(when);
    return tr("{} {:%B, %H:%M}", local.tm_mday, local);
}

}  // namespace

fs::path sessions_folder() {
    return config_directory() / "sessions";
}

std::uint64_t next_order(const fs::path& folder, const SessionFiles* own) {
    std::uint64_t newest = 0;
    for (const SessionEntry& session : list_sessions(folder, own ? own->json() : fs::path()))
        newest = std::max(newest, session.order);
    return newest + 1;
}

SessionFiles::SessionFiles(const fs::path& folder, const std::string& id, Descriptor lock)
    : json_(json_path(folder, id)), runs_(runs_path(folder, id)), lock_(std::move(lock)) {}

SessionFiles::SessionFiles(const fs::path& folder) {
    static std::atomic<unsigned> number = 0;
    create_folders(folder);
    const std::uint64_t order = next_order(folder);
    for (int tries = 0; tries < 1000; ++tries) {
        const std::string id = fmt::format("{}{}-{}-{}", order_prefix, order, ::getpid(), number++);
        const fs::path runs = runs_path(folder, id);
        Descriptor descriptor(::open(runs.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
        if (descriptor.get() < 0 && errno != EEXIST) throw_cannot_write(runs, write_error_text(errno));
        // Another window may lock the new file first and delete it as an empty session; then try again.
        if (try_lock(descriptor.get())) {
            *this = SessionFiles(folder, id, std::move(descriptor));
            sync_folder(folder);
            return;
        }
    }
    throw_cannot_write(folder, tr("its files cannot be locked. Choose another folder."));
}

std::optional<SessionFiles> SessionFiles::claim(const fs::path& folder, const std::string& id) {
    Descriptor runs(::open(runs_path(folder, id).c_str(),
                           O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!try_lock(runs.get())) return std::nullopt;
    return SessionFiles(folder, id, std::move(runs));
}

void SessionFiles::remove() {
    ::unlink(json_.c_str());
    if (renamed_runs_.empty())
        ::unlink(runs_.c_str());
    else
        ::rename(runs_.c_str(), renamed_runs_.c_str());
}

const fs::path& SessionFiles::rename_runs_on_remove() {
    return renamed_runs_ = runs_.string() + ".unread";
}

std::optional<EarlierSession> find_earlier_session(const fs::path& folder) {
    for (const fs::path& abandoned : find_abandoned_files(folder))
        ::unlink(abandoned.c_str());
    std::optional<EarlierSession> newest;
    std::size_t session_count = 0;
    for (const auto& [order, when, id] : list_sessions(folder)) {
        std::optional<SessionFiles> files = SessionFiles::claim(folder, id);
        if (!files) continue;
        SavedSession session;
        try {
            session = read_session(*files);
        } catch (const FileError& error) {
            notify_user(error.what(), /*once=*/true);
            continue;
        }
        if (session_count >= max_sessions) {
            files->remove();
            continue;
        }
        // Journals are large; for older sessions it is enough to know that they have runs.
        if (!newest) read_runs(*files, session);
        if (session.empty() && session.notes.empty() && !(newest && has_runs(*files))) {
            files->remove();
            continue;
        }
        ++session_count;
        if (!newest && !session.empty())
            newest.emplace(EarlierSession{std::move(*files), std::move(session), day_and_time(when)});
    }
    return newest;
}

void save_separately(const fs::path& folder, const std::map<KernelKey, KernelEdit>& kernels) {
    SessionFiles files(folder);
    try {
        const std::string head = journal_header();
        if (write_all(files.descriptor(), head) < head.size() || !sync_file(files.descriptor()))
            throw_cannot_write(files.runs(), write_error_text(errno));
        write_file(files.json(), format_session({.kernels = kernels, .order = next_order(folder, &files)}));
    } catch (const FileError&) {
        files.remove();
        throw;
    }
}

std::map<KernelKey, KernelEdit> saved_kernels(const fs::path& folder) {
    std::map<KernelKey, KernelEdit> all;
    for (const auto& [order, when, id] : list_sessions(folder)) {
        SavedSession session;
        try {
            const fs::path file = json_path(folder, id);
            const auto json = read_json(file);
            require_known_version(json, session_format, file);
            parse_session(json, session);
        } catch (const std::exception&) {
            continue;  // the window reports the error when it offers the session
        }
        all.merge(session.kernels);
    }
    return all;
}

std::string describe_offer(const EarlierSession& earlier) {
    const SavedSession& session = earlier.session;
    std::vector<std::string> things;
    std::map<std::string_view, std::size_t> texts;  // count by noun
    for (const auto& [key, edit] : session.kernels) {
        const Lesson* const lesson = find_lesson(key.first);
        ++texts[lesson ? lesson->user_source().noun : user_kernel().noun];
    }
    for (const auto& [noun, count] : texts)
        things.push_back(count == 1 ? tr("your {}", noun) : tr("your {} {}s", count, noun));
    if (!session.runs.empty()) things.push_back(counted(session.runs.size(), "run", "runs"));
    if (!session.sweep_cells.empty())
        things.push_back(counted(session.sweep_cells.size(), "cell of a sweep", "cells of sweeps"));
    if (things.empty()) things.emplace_back(tr("the work"));
    const std::string last = std::move(things.back());
    things.pop_back();
    return tr("Restore {}{}{} from {}?", join(things, ", "), things.empty() ? "" : tr(" and "), last,
              earlier.when);
}

}  // namespace gridstride
