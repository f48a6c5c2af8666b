// The best launches that sweeps found, and the file in which they are remembered.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file_work.h"
#include "session/sweeps.h"
#include "sweep/tuned.h"

namespace gridstride {

class TunedLaunches {
 public:
    /// From here on they are those of this file, which other windows and commands add to, and new ones go
    /// into it. Without it they are this session's own.
    void keep_in(std::filesystem::path file);
    /// Reads the file again: others may have added to it.
    void read();
    /// Takes in what was read and written, and what a sweep that is done has found.
    void pump(const Sweeps& sweeps);
    /// `wake` is called on a thread when pump() has something to take in.
    void set_wake(const std::function<void()>& wake) { reading_.wake = writing_.wake = wake; }

    /// For the size of this experiment; null: there is none. It may be stale: see is_stale().
    const Tuned* find(const Experiment& experiment, const Limits& device) const {
        return find_tuned(known_, experiment, device);
    }
    /// Sentences: which of the newest sweep's best launches are remembered, and which are not and why.
    const std::vector<std::string>& remembered() const { return remembered_; }
    bool is_writing() const { return writing_.busy(); }
    std::uint64_t revision() const { return revision_; }

 private:
    void remember_best(const Sweeps& sweeps);

    std::filesystem::path file_;  ///< empty: they are not kept
    std::vector<Tuned> known_;
    std::vector<std::string> remembered_;
    std::uint64_t sweep_ = 0;  ///< the number of the one that remembered_ is about
    FileWork reading_, writing_;
    std::uint64_t revision_ = 0;
};

}  // namespace gridstride
