// The runs of this window, in the order in which they ended.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "present/figures.h"
#include "present/report_csv.h"

namespace gridstride {

class RunHistory {
 public:
    /// Adds a run without its arrays. References to entries stay valid.
    const HistoryEntry& add(Report report);
    const std::deque<HistoryEntry>& all() const { return *entries_; }
    /// Returns a run that can be kept for longer or read on another thread.
    std::shared_ptr<const Report> shared(const HistoryEntry& run) const { return {entries_, &run.report}; }
    Reports reports() const;
    /// Among all runs, as text.
    const std::string& longest_parameters() const { return longest_parameters_; }
    /// Returns the lowest kernel time of the lesson's correct runs; 0 if there is none.
    double best_kernel_ns(const std::string& lesson) const;

    const HistoryEntry* pinned() const { return pinned_; }
    /// Returns the selected run; the newest if none is selected.
    const HistoryEntry* selected() const;
    void select(std::uint64_t number) { selected_ = &entries_->at(number - 1); }
    void pin(std::uint64_t number);  ///< pins the run, or unpins it if it is pinned
    std::uint64_t revision() const { return revision_; }

 private:
    /// Shared with threads that write it to a file, which may outlive the session.
    std::shared_ptr<std::deque<HistoryEntry>> entries_ = std::make_shared<std::deque<HistoryEntry>>();
    std::string longest_parameters_;
    std::map<std::string, double> best_kernel_ns_;  ///< by lesson
    const HistoryEntry* pinned_ = nullptr;
    const HistoryEntry* selected_ = nullptr;
    std::uint64_t revision_ = 0;
};

}  // namespace gridstride
