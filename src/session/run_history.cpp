#include "session/run_history.h"

#include <algorithm>
#include <utility>

#include "present/verdict_text.h"

namespace gridstride {

const HistoryEntry& RunHistory::add(Report report) {
    report.drop_arrays();
    std::string parameters = describe_parameters(report);
    if (parameters.size() > longest_parameters_.size()) longest_parameters_ = std::move(parameters);
    const double kernel_ns = report.timings.kernel.median().value_or(0);
    if (report.status == Status::ok && kernel_ns > 0) {
        const auto [best, is_first] = best_kernel_ns_.try_emplace(report.experiment.lesson, kernel_ns);
        if (!is_first) best->second = std::min(best->second, kernel_ns);
    }
    ++revision_;
    return entries_->emplace_back(entries_->size() + 1, std::move(report), kernel_ns);
}

Reports RunHistory::reports() const {
    Reports reports;
    for (const HistoryEntry& entry : *entries_)
        reports.push_back(shared(entry));
    return reports;
}

double RunHistory::best_kernel_ns(const std::string& lesson) const {
    const auto best = best_kernel_ns_.find(lesson);
    return best == best_kernel_ns_.end() ? 0 : best->second;
}

const HistoryEntry* RunHistory::selected() const {
    return selected_ || entries_->empty() ? selected_ : &entries_->back();
}

void RunHistory::pin(std::uint64_t number) {
    const HistoryEntry* const run = &entries_->at(number - 1);
    pinned_ = pinned_ == run ? nullptr : run;
    ++revision_;
}

}  // namespace gridstride
