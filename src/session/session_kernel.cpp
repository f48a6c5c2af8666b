// The part of the session that knows about kernels of the person's own: when they are compiled, and what runs
// while they do not compile.
#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "session/session.h"

namespace gridstride {

namespace {

constexpr std::uintmax_t most_kernel_bytes = std::uintmax_t{4} << 20;

/// One kind of line end and no byte order mark, so that the editor's text and the compiler's are the same.
std::string as_edited(std::string text) {
    text.erase(0, text.size() - without_byte_order_mark(text).size());
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool half_of_line_end = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
        if (!half_of_line_end) plain += text[i] == '\r' ? '\n' : text[i];
    }
    return plain;
}

KernelSource source_in_file(const std::filesystem::path& path, std::string text) {
    const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
    return {std::move(text), printable(whole.filename().native()), whole.parent_path().string()};
}

}  // namespace

std::string Session::lesson_kernel_name() const {
    const Variant* variant = find_variant(*lesson_, bench_.variant);
    if (!variant) return {};
    return variant->kernel.substr(variant->kernel.rfind('/') + 1);
}

void Session::edit_kernel(std::string text) {
    forget_refused_text();
    kernels_.type(kernel_key(), as_edited(std::move(text)), lesson_kernel_name());
    changed();
}

void Session::revert_kernel() {
    if (!kernel_edit()) return;
    forget_refused_text();
    kernels_.revert(kernel_key());
    stale_ = report_ && report_->experiment.kernel;
    changed();
    // Before the first run of a step that asks, there is nothing to put right.
    const bool trying = in_flight_ && in_flight_->queued.experiment.kernel;
    if (stale_ || trying) run_settled();
}

void Session::open_kernel(const std::string& path) {
    std::string text = read_file(path, most_kernel_bytes);
    if (text.find('\0') != std::string::npos)
        throw FileError("\"" + path + "\" is not a text: it has zero bytes in it. A kernel is GLSL source.");
    forget_refused_text();
    kernels_.open(kernel_key(), source_in_file(path, as_edited(std::move(text))), path);
    changed();
}

void Session::save_kernel(const std::string& path, const std::string& text) {
    write_file(path, text);
    kernels_.saved(kernel_key(), source_in_file(path, text), path);
    changed();
}

double Session::seconds_until_compile() const {
    const auto due = kernels_.seconds_until_due(kernel_key());
    return due && may_compile_now() ? *due : std::numeric_limits<double>::infinity();
}

bool Session::may_compile_now() const {
    // Runs that were asked for together belong together.
    const bool deciding = in_flight_ && in_flight_->queued.prediction;
    return device_ && valid() && queue_.empty() && !deciding;
}

Experiment Session::settled() const {
    Experiment settled = bench_;
    if (const KernelEdit* edit = kernel_edit()) settled.kernel = edit->last_good;
    return settled;
}

void Session::try_kernel(bool run_anyway) {
    const KernelEdit* edit = kernel_edit();
    if (!edit) return;
    kernels_.take_due(kernel_key());
    Experiment tried = bench_;
    tried.kernel = edit->source;
    submit({.experiment = std::move(tried), .trial = true, .run_anyway = run_anyway});
}

void Session::run_settled() {
    if (!device_ || !valid()) return;
    forget_queue();
    const KernelEdit* edit = kernel_edit();
    // A text that is being compiled is compiled for the new values: nothing is yet known against it.
    const bool compiles_it = edit && compiling() && !in_flight_->stopped &&
                             in_flight_->queued.experiment.variant == bench_.variant &&
                             in_flight_->queued.experiment.kernel == edit->source;
    if (compiles_it)
        try_kernel(true);
    else
        submit({.experiment = settled()});
}

void Session::after_failed_compile(bool run_anyway) {
    if (!queue_.empty()) return;
    const bool shown_already =
        report_ && report_->final && !stale_ && report_->experiment.kernel == settled().kernel;
    // The answer must not be there before the question: only a run that was asked for gives it.
    const bool tells_answer = asks_first() && (!report_ || stale_);
    const bool wanted = run_anyway || (!shown_already && !tells_answer);
    if (wanted) submit({.experiment = settled()});
}

void Session::keep_trial() {
    if (compiling() && !in_flight_->stopped)
        kernels_.ask_again({in_flight_->queued.experiment.lesson, in_flight_->queued.experiment.variant});
}

void Session::leave_flight() {
    keep_trial();
    in_flight_.reset();
}

void Session::forget_diagnostics_of_flight() {
    if (!in_flight_ || !in_flight_->queued.experiment.kernel) return;
    const Experiment& tried = in_flight_->queued.experiment;
    kernels_.forget_diagnostics({tried.lesson, tried.variant}, *tried.kernel);
}

std::optional<lab::Progress> Session::progress() const {
    const std::optional<lab::Progress> now = client_.progress();
    if (!now || !in_flight_ || now->request != in_flight_->id) return std::nullopt;
    return now;
}

std::optional<double> Session::seconds_without_result() const {
    if (!in_flight_ || in_flight_->answered) return std::nullopt;
    return std::chrono::duration<double>(now_() - in_flight_->since).count();
}

}  // namespace gridstride
