#include "session/autosave.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"

namespace gridstride {

namespace {

constexpr double autosave_interval_seconds = 1;
constexpr std::size_t max_runs_per_frame = 1000;

}  // namespace

Autosave::Autosave(Session& session, std::filesystem::path folder, std::function<void()> wake)
    : session_(session), folder_(folder), writer_(std::move(folder), std::move(wake)) {
    writer_.search_earlier();
}

Autosave::~Autosave() {
    while (restoration_)
        restore_some_runs();
    save_runs();
    save_rest();
}

bool Autosave::update() {
    const bool was_restoring = is_restoring();
    if (was_restoring) restore_some_runs();
    save_runs();
    if (was_restoring && !is_restoring()) writer_.search_earlier();
    if (seconds_until_save() <= 0) save_rest();
    std::optional<EarlierSession> found = writer_.take_earlier_session();
    if (!found) return was_restoring;
    earlier_ = std::move(found);
    return true;
}

double Autosave::seconds_until_due() const {
    return is_restoring() ? 0 : seconds_until_save();
}

double Autosave::seconds_until_save() const {
    if (session_.revision() == saved_revision_) return std::numeric_limits<double>::infinity();
    const double since = std::chrono::duration<double>(Clock::now() - saved_at_).count();
    return std::max(0.0, autosave_interval_seconds - since);
}

void Autosave::save_runs() {
    for (; saved_run_count_ < session_.runs().all().size(); ++saved_run_count_)
        writer_.add_run(session_.runs().shared(session_.runs().all()[saved_run_count_]));
    const Sweep* const sweep = session_.sweeps().newest();
    const std::uint64_t revision = session_.sweeps().revision(), number = session_.sweeps().number();
    if (!sweep || std::exchange(sweep_revision_, revision) == revision) return;
    if (std::exchange(sweep_, number) != number) saved_cell_reports_.clear();
    saved_cell_reports_.resize(sweep->cells().size());
    for (std::size_t i = 0; i < saved_cell_reports_.size(); ++i) {
        const SweepCell& cell = sweep->cells()[i];
        if (!cell.report) continue;
        if (saved_cell_reports_[i] == 0) writer_.add_cell(cell.report);
        for (std::size_t run = std::max<std::size_t>(saved_cell_reports_[i], 1); run <= cell.repeats.size();
             ++run)
            writer_.add_cell(cell.repeats[run - 1]);
        saved_cell_reports_[i] = 1 + cell.repeats.size();
        has_cells_ = true;
    }
}

void Autosave::save_rest() {
    if (session_.revision() == saved_revision_) return;
    saved_revision_ = session_.revision();
    saved_at_ = Clock::now();
    writer_.save(session_.saved_session(),
                 !session_.kernels().all().empty() || saved_run_count_ > 0 || has_cells_);
}

void Autosave::offer() {
    is_offered_ = true;
    if (!earlier_) writer_.search_earlier();
}

std::vector<std::string> Autosave::restore_offered_session() {
    if (!earlier_) return {};
    EarlierSession earlier = std::move(*earlier_);
    earlier_.reset();
    std::map<KernelKey, KernelEdit> replaced;
    for (const auto& [key, edit] : session_.kernels().all()) {
        const auto earlier_kernel = earlier.session.kernels.find(key);
        if (earlier_kernel != earlier.session.kernels.end() && earlier_kernel->second.source != edit.source)
            replaced.emplace(key, edit);
    }
    if (!replaced.empty()) writer_.save_separately(std::move(replaced));
    if (!earlier.session.unread_runs.empty())
        earlier.session.notes.push_back(fmt::format("{}. The file of its runs is kept as {}.",
                                                    earlier.session.unread_runs,
                                                    quote_path(earlier.files.rename_runs_on_remove())));
    for (const auto& report : earlier.session.sweep_cells)
        writer_.add_cell(report);
    has_cells_ = has_cells_ || !earlier.session.sweep_cells.empty();
    restoration_ = Restoration{std::move(earlier.files), std::exchange(earlier.session.runs, {}),
                               earlier.session.pinned};
    std::vector<std::string> notes = session_.restore(std::move(earlier.session));
    is_offered_ = false;
    update();
    return notes;
}

void Autosave::restore_some_runs() {
    std::deque<Report>& runs = restoration_->runs;
    for (std::size_t i = 0; i < max_runs_per_frame && !runs.empty(); ++i, runs.pop_front()) {
        const bool is_pinned = !restoration_->pinned.empty() && runs.front().run_id == restoration_->pinned;
        const HistoryEntry& run = session_.runs().add(std::move(runs.front()));
        if (is_pinned) session_.runs().pin(run.number);
    }
    save_runs();
    if (!runs.empty()) return;
    save_rest();
    // If the program is killed before this, the work exists twice, but it is never lost.
    writer_.remove(std::move(restoration_->files));
    restoration_.reset();
}

void Autosave::import_kernels(std::map<KernelKey, KernelEdit> kernels) {
    writer_.save_separately(std::move(kernels));
    earlier_.reset();  // releases it: the newest work is offered
    is_offered_ = true;
    writer_.search_earlier();
}

}  // namespace gridstride
