#include "session/kernel_edits.h"

#include <algorithm>

namespace gridstride {

std::size_t KernelEdit::errors() const {
    return static_cast<std::size_t>(
        std::count_if(diagnostics.begin(), diagnostics.end(),
                      [](const Diagnostic& one) { return one.level == DiagnosticLevel::error; }));
}

const Diagnostic* KernelEdit::first_error() const {
    const auto found = std::find_if(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& one) {
        return one.level == DiagnosticLevel::error;
    });
    return found == diagnostics.end() ? nullptr : &*found;
}

bool KernelEdit::is_in_editor(const Diagnostic& diagnostic) const {
    return diagnostic.line > 0 && (diagnostic.file.empty() || diagnostic.file == source.name);
}

const KernelEdit* KernelEdits::find(const Key& key) const {
    const auto found = edits_.find(key);
    return found == edits_.end() ? nullptr : &found->second;
}

void KernelEdits::type(const Key& key, std::string text, const std::string& name) {
    KernelEdit& edit = edits_[key];
    if (edit.source.name.empty()) edit.source.name = name;
    edit.source.text = std::move(text);
    edit.state = KernelState::untried;
    edit.due = now_() + quiet_time;
}

void KernelEdits::open(const Key& key, KernelSource source, std::string path) {
    KernelEdit& edit = edits_[key];
    edit.source = std::move(source);
    edit.saved_text = edit.source.text;
    edit.path = std::move(path);
    edit.state = KernelState::untried;
    edit.diagnostics.clear();
    edit.due = now_();
}

void KernelEdits::saved(const Key& key, KernelSource source, std::string path) {
    const KernelEdit* edit = find(key);
    if (edit && edit->source == source) {
        edits_[key].path = std::move(path);
        edits_[key].saved_text = std::move(source.text);
    } else {
        open(key, std::move(source), std::move(path));
    }
}

bool KernelEdits::is_due(const Key& key) const {
    const KernelEdit* edit = find(key);
    return edit && edit->due && *edit->due <= now_();
}

std::optional<double> KernelEdits::seconds_until_due(const Key& key) const {
    const KernelEdit* edit = find(key);
    if (!edit || !edit->due) return std::nullopt;
    return std::max(0.0, std::chrono::duration<double>(*edit->due - now_()).count());
}

void KernelEdits::take_due(const Key& key) {
    const auto found = edits_.find(key);
    if (found != edits_.end()) found->second.due.reset();
}

void KernelEdits::ask_again(const Key& key) {
    const auto found = edits_.find(key);
    if (found != edits_.end() && found->second.state == KernelState::untried) found->second.due = now_();
}

void KernelEdits::forget_diagnostics(const Key& key, const KernelSource& source) {
    const auto found = edits_.find(key);
    if (found == edits_.end()) return;
    KernelEdit& edit = found->second;
    if (edit.state == KernelState::untried && edit.source == source) edit.diagnostics.clear();
}

bool KernelEdits::judge(const Key& key, const KernelSource& source, const Report& report, bool trial) {
    const bool has_errors =
        std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                    [](const Diagnostic& one) { return one.level == DiagnosticLevel::error; });
    const bool ended_early = report.status == Status::failed || report.status == Status::refused;
    const bool compiles = !(ended_early && (has_errors || trial));
    const auto found = edits_.find(key);
    if (found == edits_.end()) return compiles;  // reverted meanwhile
    KernelEdit& edit = found->second;
    if (compiles)
        edit.last_good = source;
    else if (edit.last_good == source)
        edit.last_good.reset();  // it did once: an include has changed since
    if (!(edit.source == source)) return compiles;
    edit.state = compiles ? KernelState::good : KernelState::bad;
    edit.diagnostics = report.diagnostics;
    // The panel shows reasons as diagnostics; one that belongs to no line is a reason all the same.
    if (!compiles && !has_errors)
        edit.diagnostics.push_back({DiagnosticLevel::error, source.name, 0, report.message});
    return compiles;
}

}  // namespace gridstride
