// The folder of kept sessions: each window has two files there, and holds a lock on one of them for as long
// as it lives. Where nobody does, the window has ended, and its work is offered to the next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/input_file.h"
#include "session/work.h"

namespace gridstride {

/// config_directory()/sessions
std::filesystem::path sessions_folder();

/// The files of one session, held against all other windows.
class SessionFiles {
 public:
    /// New ones. Throws FileError.
    explicit SessionFiles(const std::filesystem::path& folder);
    /// Those of a window that has ended; nullopt: it lives, or another has them.
    static std::optional<SessionFiles> claim(const std::filesystem::path& folder, const std::string& id);

    const std::filesystem::path& json() const { return json_; }
    const std::filesystem::path& runs() const { return runs_; }
    int descriptor() const { return held_.get(); }  ///< of the runs, to add to
    const Descriptor& held() const { return held_; }

    void remove();
    /// remove() gives the runs another name instead. Returns it.
    const std::filesystem::path& set_runs_aside();

 private:
    SessionFiles(const std::filesystem::path& folder, const std::string& id, Descriptor held);

    std::filesystem::path json_, runs_;
    std::filesystem::path aside_;  ///< empty: the runs are removed
    Descriptor held_;              ///< of the runs: the lock ends with it
};

/// For a session that changes now: behind all others in the folder. `own`: its files, where it has them.
std::uint64_t next_order(const std::filesystem::path& folder, const SessionFiles* own = nullptr);

/// What another window left.
struct EarlierWork {
    SessionFiles files;
    Work work;
    std::string when;  ///< "22 November, 14:03", of its last change
};

/// The work that changed last of those that no window holds. Tidies up first: of such sessions those without
/// anything in them go, and the oldest beyond eight; those of a newer version of the program, and those
/// that cannot be read, stay, and the user is told.
std::optional<EarlierWork> find_earlier_work(const std::filesystem::path& folder);

/// Kernels as a session of its own, for the next window to offer. Throws FileError.
void keep_apart(const std::filesystem::path& folder, const std::map<KernelKey, KernelEdit>& kernels);

/// The kernels in all sessions of the folder, of each variant the newest.
std::map<KernelKey, KernelEdit> kept_kernels(const std::filesystem::path& folder);

/// "Go on with your kernel and 214 runs of 22 November, 14:03?"
std::string offer_in_words(const EarlierWork& earlier);

}  // namespace gridstride
