// The part of the session that knows about kernels of the person's own: when they are compiled, and what runs
// while they do not compile.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/file.h"
#include "lesson/kernel_file.h"
#include "session/session.h"

namespace gridstride {

namespace {

/// How long the typing rests before the text is compiled.
constexpr std::chrono::milliseconds quiet_time{400};

}  // namespace

std::string Session::lesson_kernel_name() const {
    const std::string file = asked_ ? asked_->kernel_file() : find_variant(*lesson_, bench_.variant)->kernel;
    return file.substr(file.rfind('/') + 1);
}

const KernelEdit* Session::kernel_edit() const {
    const auto found = kernels_.find(key_of(bench_));
    return found == kernels_.end() ? nullptr : &found->second;
}

bool Session::is_of_another_text() const {
    const KernelEdit* const edit = kernel_edit();
    return report_ && edit && edit->state != KernelState::good && report_->experiment.kernel != edit->source;
}

KernelEdit* Session::edit_of(const Experiment& experiment) {
    const auto found = kernels_.find(key_of(experiment));
    return found == kernels_.end() ? nullptr : &found->second;
}

void Session::edit_kernel(std::string_view text, const KernelOrigin* origin) {
    stop_judging();
    forget_refused_text();
    KernelEdit& edit = kernels_[key_of(bench_)];
    if (origin) {
        edit.source.name = origin->name;
        edit.source.folder = origin->folder;
        edit.path = origin->path;
        edit.saved_text = origin->saved_text;
    }
    if (edit.source.name.empty()) edit.source.name = lesson_kernel_name();
    edit.source.text = kernel_text(text);
    edit.state = KernelState::untried;
    edit.due = now_() + quiet_time;
    changed();
}

void Session::revert_kernel() {
    if (!kernel_edit()) return;
    stop_judging();
    forget_refused_text();
    kernels_.erase(key_of(bench_));
    examine_program();
    stale_ = report_ && report_->experiment.kernel;
    changed();
    const bool trying = running() && running()->request().experiment.kernel;
    if (stale_ || trying) run_settled();
}

/// Due at once. Results stay with the last text that compiled.
void Session::put_kernel(KernelSource source, const std::string& path) {
    stop_judging();
    KernelEdit& edit = kernels_[key_of(bench_)];
    edit = {.source = source,
            .path = path,
            .saved_text = source.text,
            .last_good = std::move(edit.last_good),
            .due = now_()};
    changed();
}

void Session::use_kernel(KernelSource source, const std::string& path) {
    forget_refused_text();
    put_kernel(std::move(source), path);
}

void Session::kernel_saved(const std::string& path, const std::string& text) {
    KernelSource source = kernel_in_file(path, text);
    KernelEdit* const edit = edit_of(bench_);
    // Another name or folder changes what its includes mean.
    if (!edit || edit->source != source) return put_kernel(std::move(source), path);
    edit->path = path;
    edit->saved_text = text;
    changed();
}

double Session::seconds_until_compile() const {
    const KernelEdit* edit = kernel_edit();
    // Runs that were asked for together belong together, and a recording that was asked for comes first.
    const BenchRun* const run = running();
    const bool records = run && run->request().recorded && !run->use().for_picture;
    if (!edit || !edit->due || !device_ || !no_device_.empty() || !may_try() || records ||
        queue_.count(JobPriority::bench) > 1)
        return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(*edit->due - now_()).count());
}

const std::optional<KernelSource>& Session::settled_kernel() const {
    static const std::optional<KernelSource> none;
    const KernelEdit* const edit = kernel_edit();
    return edit ? edit->last_good : none;
}

Experiment Session::settled() const {
    Experiment settled = bench_;
    settled.kernel = settled_kernel();
    return settled;
}

void Session::try_kernel(bool run_anyway) {
    KernelEdit* const edit = edit_of(bench_);
    if (!edit) return;
    edit->due.reset();
    Experiment tried = bench_;
    tried.kernel = edit->source;
    run_now(bench_run(std::move(tried), {.trial = true, .run_anyway = run_anyway}));
}

/// Whatever runs by itself comes here, and the answer must not be there before the question.
void Session::run_settled() {
    if (!device_ || !valid() || hides(settled())) return;
    const KernelEdit* edit = kernel_edit();
    const BenchRun* const trial = running_trial();
    // A text that is being compiled is compiled for the new values: nothing is yet known against it.
    const bool compiles_it = edit && trial && trial->request().experiment.variant == bench_.variant &&
                             trial->request().experiment.kernel == edit->source;
    if (compiles_it)
        try_kernel(true);
    else
        run_now(bench_run(settled()));
}

void Session::after_failed_compile(bool run_anyway) {
    if (queue_.holds(JobPriority::bench)) return;
    const bool shown_already =
        report_ && report_->final && !stale_ && report_->experiment.kernel == settled_kernel();
    if (run_anyway || (!shown_already && !hides(settled()))) run_now(bench_run(settled()));
}

bool Session::compiling() const {
    return running() && running()->use().trial && !queue_.has_report();
}

/// That is not given up.
const BenchRun* Session::running_trial() const {
    return compiling() && !queue_.is_stopping(running()) ? running() : nullptr;
}

void Session::keep_trial() {
    const BenchRun* const trial = running_trial();
    KernelEdit* const edit = trial ? edit_of(trial->request().experiment) : nullptr;
    if (edit && edit->state == KernelState::untried) edit->due = now_();
}

void Session::forget_diagnostics() {
    if (!running() || !running()->request().experiment.kernel) return;
    const Experiment& tried = running()->request().experiment;
    KernelEdit* const edit = edit_of(tried);
    if (edit && edit->state == KernelState::untried && edit->source == *tried.kernel)
        edit->diagnostics.clear();
}

std::optional<lab::Progress> Session::progress() const {
    return in_flight() ? queue_.progress_of_run() : std::nullopt;
}

std::optional<double> Session::seconds_without_result() const {
    const std::optional<JobPriority> priority = queue_.running_priority();
    const bool is_shown = priority && *priority != JobPriority::exercise && *priority != JobPriority::sweep;
    return is_shown && !queue_.has_report() ? std::optional(queue_.seconds_running()) : std::nullopt;
}

}  // namespace gridstride
