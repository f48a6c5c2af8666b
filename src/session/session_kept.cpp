// The part of the session that goes on with what was done in another window.
#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "session/session.h"

namespace gridstride {

Work Session::work() const {
    Work work{
        .bench = bench_, .step = story_.steps[step_].id, .input_path = input_path_, .kernels = kernels_};
    work.bench.input = {};
    if (pinned_) work.pinned = pinned_->report.run_id;
    return work;
}

std::vector<std::string> Session::restore(Work work) {
    std::vector<std::string> notes = std::move(work.notes);
    earlier_sweeps_.insert(earlier_sweeps_.end(), work.sweep_cells.begin(), work.sweep_cells.end());
    for (auto& [key, edit] : work.kernels) {
        // What the compiler says of it is asked anew: a folder's includes may have changed.
        edit.state = KernelState::untried;
        edit.due = now_();
        kernels_[key] = std::move(edit);
    }
    changed();
    const Lesson* const lesson = find_lesson(work.bench);
    if (!lesson) return notes;
    open(*lesson, step_with_id(*lesson, work.step).value_or(0));
    for (const Parameter& parameter : lesson->parameters) {
        const Value& value = work.bench.values.at(parameter.id);
        const auto why = device_ ? refusal(parameter, value, *device_) : std::nullopt;
        if (!why) continue;
        notes.push_back(fmt::format("A value was left out: {}", *why));
        work.bench.values.set(parameter.id, parameter.default_value);
    }
    put_on_bench(std::move(work.bench));
    examine_bench();
    run_settled();
    if (!work.input_path.empty())
        notes.push_back(
            fmt::format("Your input {} was on the bench: open it again.", quoted_path(work.input_path)));
    return notes;
}

void Session::put_back(Report run, bool is_pinned) {
    const HistoryEntry& entry = add_run(std::move(run));
    if (is_pinned) pinned_ = &entry;
    changed();
}

}  // namespace gridstride
