#include "session/kernel_edit.h"

#include <algorithm>

namespace gridstride {

namespace {

bool is_error(const Diagnostic& diagnostic) {
    return diagnostic.level == DiagnosticLevel::error;
}

}  // namespace

std::size_t KernelEdit::errors() const {
    return static_cast<std::size_t>(std::count_if(diagnostics.begin(), diagnostics.end(), is_error));
}

const Diagnostic* KernelEdit::first_error() const {
    const auto found = std::find_if(diagnostics.begin(), diagnostics.end(), is_error);
    return found == diagnostics.end() ? nullptr : &*found;
}

bool KernelEdit::is_in_editor(const Diagnostic& diagnostic) const {
    return diagnostic.line > 0 && (diagnostic.file.empty() || diagnostic.file == source.name);
}

bool update_kernel_edit(KernelEdit* edit, const KernelSource& source, const Report& report,
                        bool is_first_compile) {
    const bool has_errors = std::any_of(report.diagnostics.begin(), report.diagnostics.end(), is_error);
    const bool ended_early = report.status == Status::failed || report.status == Status::refused;
    const bool compiles = !(ended_early && (has_errors || is_first_compile));
    if (!edit) return compiles;
    if (compiles)
        edit->last_good = source;
    else if (edit->last_good == source)
        edit->last_good.reset();  // it compiled before: an include has changed
    if (edit->source != source) return compiles;
    edit->state = compiles ? KernelState::good : KernelState::bad;
    edit->diagnostics = report.diagnostics;
    // The panel shows errors as diagnostics, so an error without a line becomes one as well.
    if (!compiles && !has_errors)
        edit->diagnostics.push_back({DiagnosticLevel::error, source.name, 0, report.message});
    return compiles;
}

}  // namespace gridstride
