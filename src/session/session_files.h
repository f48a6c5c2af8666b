// The folder of saved sessions. Each window has two files in it and holds a lock on one of them while it
// runs. A session that nobody has locked has ended, and its work is offered to the next window.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/input_file.h"
#include "session/saved_session.h"

namespace gridstride {

std::filesystem::path sessions_folder();

class SessionFiles {
 public:
    /// Creates new files. Throws FileError.
    explicit SessionFiles(const std::filesystem::path& folder);
    /// Locks the files of a session that has ended. Returns nullopt if its window still runs, or another one
    /// has locked them.
    static std::optional<SessionFiles> claim(const std::filesystem::path& folder, const std::string& id);

    const std::filesystem::path& json() const { return json_; }
    const std::filesystem::path& runs() const { return runs_; }
    int descriptor() const { return lock_.get(); }  ///< of the runs, for appending
    const Descriptor& lock() const { return lock_; }

    void remove();
    /// Makes remove() rename the runs instead of deleting them. Returns the new name.
    const std::filesystem::path& rename_runs_on_remove();

 private:
    SessionFiles(const std::filesystem::path& folder, const std::string& id, Descriptor lock);

    std::filesystem::path json_, runs_;
    std::filesystem::path renamed_runs_;  ///< empty: remove() deletes the runs
    Descriptor lock_;                     ///< of the runs; closing it releases the lock
};

/// Returns an order number that is higher than those of all other sessions in the folder. `own` is the
/// session that changes, if it has files.
std::uint64_t next_order(const std::filesystem::path& folder, const SessionFiles* own = nullptr);

struct EarlierSession {
    SessionFiles files;
    SavedSession session;
    std::string when;  ///< of its last change, for example "22 November, 14:03"
};

/// Returns the most recently changed work that no window has locked. Cleans up first: deletes unlocked
/// sessions without any work, and the oldest ones beyond eight. Sessions that a newer version wrote or that
/// cannot be read stay, and the user is notified.
std::optional<EarlierSession> find_earlier_session(const std::filesystem::path& folder);

/// Saves kernels as a separate session for the next window to offer. Throws FileError.
void save_separately(const std::filesystem::path& folder, const std::map<KernelKey, KernelEdit>& kernels);

/// Returns the newest kernel of each variant in all sessions of the folder.
std::map<KernelKey, KernelEdit> saved_kernels(const std::filesystem::path& folder);

/// Returns the offer, for example "Restore your kernel and 214 runs from 22 November, 14:03?"
std::string describe_offer(const EarlierSession& earlier);

}  // namespace gridstride
