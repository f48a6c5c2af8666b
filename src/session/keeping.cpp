#include "session/keeping.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"

namespace gridstride {

namespace {

constexpr double seconds_between = 1;
constexpr std::size_t max_runs_per_frame = 1000;

}  // namespace

Keeping::Keeping(Session& session, std::filesystem::path folder, std::function<void()> wake)
    : session_(session), folder_(folder), keeper_(std::move(folder), std::move(wake)) {
    keeper_.look();
}

Keeping::~Keeping() {
    while (going_on_)
        put_back_runs();
    keep_runs();
    keep_rest();
}

bool Keeping::update() {
    const bool goes_on = is_going_on();
    if (goes_on) put_back_runs();
    keep_runs();
    if (goes_on && !is_going_on()) keeper_.look();
    if (seconds_until_rest() <= 0) keep_rest();
    std::optional<EarlierWork> found = keeper_.take_earlier();
    if (!found) return goes_on;
    earlier_ = std::move(found);
    return true;
}

double Keeping::seconds_until_due() const {
    return is_going_on() ? 0 : seconds_until_rest();
}

double Keeping::seconds_until_rest() const {
    if (session_.revision() == revision_seen_) return std::numeric_limits<double>::infinity();
    const double since = std::chrono::duration<double>(Clock::now() - kept_at_).count();
    return std::max(0.0, seconds_between - since);
}

void Keeping::keep_runs() {
    for (; runs_kept_ < session_.runs().all().size(); ++runs_kept_)
        keeper_.add_run(session_.runs().shared(session_.runs().all()[runs_kept_]));
    const Sweep* const sweep = session_.sweeps().newest();
    const std::uint64_t revision = session_.sweeps().revision(), number = session_.sweeps().number();
    if (!sweep || std::exchange(sweep_revision_, revision) == revision) return;
    if (std::exchange(sweep_, number) != number) cells_kept_.clear();
    cells_kept_.resize(sweep->cells().size());
    for (std::size_t i = 0; i < cells_kept_.size(); ++i) {
        const SweepCell& cell = sweep->cells()[i];
        if (!cell.report) continue;
        if (cells_kept_[i] == 0) keeper_.add_cell(cell.report);
        for (std::size_t run = std::max<std::size_t>(cells_kept_[i], 1); run <= cell.again.size(); ++run)
            keeper_.add_cell(cell.again[run - 1]);
        cells_kept_[i] = 1 + cell.again.size();
        has_cells_ = true;
    }
}

void Keeping::keep_rest() {
    if (session_.revision() == revision_seen_) return;
    revision_seen_ = session_.revision();
    kept_at_ = Clock::now();
    keeper_.keep(session_.work(), !session_.kernels().all().empty() || runs_kept_ > 0 || has_cells_);
}

void Keeping::offer() {
    is_offered_ = true;
    if (!earlier_) keeper_.look();
}

std::vector<std::string> Keeping::go_on() {
    if (!earlier_) return {};
    EarlierWork earlier = std::move(*earlier_);
    earlier_.reset();
    std::map<KernelKey, KernelEdit> replaced;
    for (const auto& [key, edit] : session_.kernels().all()) {
        const auto theirs = earlier.work.kernels.find(key);
        if (theirs != earlier.work.kernels.end() && theirs->second.source != edit.source)
            replaced.emplace(key, edit);
    }
    if (!replaced.empty()) keeper_.keep_apart(std::move(replaced));
    if (!earlier.work.unread_runs.empty())
        earlier.work.notes.push_back(fmt::format("{}. The file of its runs is kept as {}.",
                                                 earlier.work.unread_runs,
                                                 quoted_path(earlier.files.set_runs_aside())));
    for (const auto& report : earlier.work.sweep_cells)
        keeper_.add_cell(report);
    has_cells_ = has_cells_ || !earlier.work.sweep_cells.empty();
    going_on_ = GoingOn{std::move(earlier.files), std::exchange(earlier.work.runs, {}), earlier.work.pinned};
    std::vector<std::string> notes = session_.restore(std::move(earlier.work));
    is_offered_ = false;
    update();
    return notes;
}

void Keeping::put_back_runs() {
    std::deque<Report>& runs = going_on_->runs;
    for (std::size_t i = 0; i < max_runs_per_frame && !runs.empty(); ++i, runs.pop_front()) {
        const bool is_pinned = !going_on_->pinned.empty() && runs.front().run_id == going_on_->pinned;
        const HistoryEntry& run = session_.runs().add(std::move(runs.front()));
        if (is_pinned) session_.runs().pin(run.number);
    }
    keep_runs();
    if (!runs.empty()) return;
    keep_rest();
    // If the program is killed before this, the work exists twice, but it is never lost.
    keeper_.remove(std::move(going_on_->files));
    going_on_.reset();
}

void Keeping::take_kernels(std::map<KernelKey, KernelEdit> kernels) {
    keeper_.keep_apart(std::move(kernels));
    earlier_.reset();  // releases it: the newest work is offered
    is_offered_ = true;
    keeper_.look();
}

}  // namespace gridstride
