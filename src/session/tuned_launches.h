// The best launches that sweeps found, and the file that stores them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file_worker.h"
#include "session/sweeps.h"
#include "sweep/tuned_launch.h"

namespace gridstride {

class TunedLaunches {
 public:
    /// Reads the launches of this file, which other windows and commands also write, and stores new ones in
    /// it. Without a file, launches last as long as the session.
    void set_file(std::filesystem::path file);
    /// Reads the file again, because others may have written to it.
    void read();
    /// Takes over what was read and written, and the launches of a finished sweep.
    void pump(const Sweeps& sweeps);
    /// `wake` is called on a thread when pump() has a result to process.
    void set_wake(const std::function<void()>& wake) { reading_.wake = writing_.wake = wake; }

    /// Returns the best launch for the experiment's size, or null. It may be stale: see is_stale().
    const TunedLaunch* find(const Experiment& experiment, const Limits& device) const {
        return find_tuned(known_, experiment, device);
    }
    /// Returns sentences: which of the newest sweep's launches were stored, and why others were not.
    const std::vector<std::string>& store_messages() const { return store_messages_; }
    bool is_writing() const { return writing_.is_busy(); }
    std::uint64_t revision() const { return revision_; }

 private:
    void store_best_launches(const Sweeps& sweeps);

    std::filesystem::path file_;  ///< empty: launches are not stored
    std::vector<TunedLaunch> known_;
    std::vector<std::string> store_messages_;
    std::uint64_t sweep_ = 0;  ///< number of the sweep that store_messages_ describes
    FileWorker reading_, writing_;
    std::uint64_t revision_ = 0;
};

}  // namespace gridstride
