// The newest recording of the lesson that is open, and the thread that takes its records apart.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/file_work.h"
#include "jobs/recording.h"

namespace gridstride {

class Recordings {
 public:
    /// null before the first. It may be of other values than the bench shows.
    const std::shared_ptr<const TakenRecording>& newest() const { return newest_; }
    /// In place of the one that is there.
    void put(std::shared_ptr<const TakenRecording> recording);
    /// Takes the report of such a run apart, beside the window's thread.
    void take_apart(Experiment experiment, Report report);
    bool is_taking_apart() const { return work_.busy(); }
    void forget();
    /// Takes in what was done on the thread.
    void pump();
    /// `wake` is called on the thread when pump() has something to take in.
    void set_wake(const std::function<void()>& wake) { work_.wake = wake; }
    std::uint64_t revision() const { return revision_; }

 private:
    std::shared_ptr<const TakenRecording> newest_;
    Experiment experiment_;  ///< of the one that is taken apart
    FileWork work_;
    std::uint64_t revision_ = 0;
};

}  // namespace gridstride
