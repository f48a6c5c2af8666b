// The runs of this window so far, in the order in which they ended.
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
    /// Adds a run, without its arrays. Entries stay where they are.
    const HistoryEntry& add(Report report);
    const std::deque<HistoryEntry>& all() const { return *entries_; }
    /// A run, for who keeps it longer or reads it on another thread.
    std::shared_ptr<const Report> shared(const HistoryEntry& run) const { return {entries_, &run.report}; }
    Reports reports() const;
    const std::string& longest_parameters() const { return longest_parameters_; }  ///< of the runs, in words
    /// The least kernel time of a lesson's right runs; 0: none.
    double best_kernel_ns(const std::string& lesson) const;

    const HistoryEntry* pinned() const { return pinned_; }
    /// The one chosen; the newest where none was.
    const HistoryEntry* selected() const;
    void select(std::uint64_t number) { selected_ = &entries_->at(number - 1); }
    void pin(std::uint64_t number);  ///< pins it, or unpins it if it was
    std::uint64_t revision() const { return revision_; }

 private:
    /// Shared with whoever writes it to a file, which may outlast the session.
    std::shared_ptr<std::deque<HistoryEntry>> entries_ = std::make_shared<std::deque<HistoryEntry>>();
    std::string longest_parameters_;
    std::map<std::string, double> best_kernel_ns_;  ///< by lesson
    const HistoryEntry* pinned_ = nullptr;
    const HistoryEntry* selected_ = nullptr;
    std::uint64_t revision_ = 0;
};

}  // namespace gridstride
