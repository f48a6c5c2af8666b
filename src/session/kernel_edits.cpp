#include "session/kernel_edits.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/file.h"
#include "lesson/kernel_file.h"

namespace gridstride {

namespace {

/// The source is compiled after this long without typing.
constexpr std::chrono::milliseconds compile_delay{400};

}  // namespace

const KernelEdit* KernelEdits::find(const Experiment& experiment) const {
    const auto found = edits_.find({experiment.lesson, experiment.variant});
    return found == edits_.end() ? nullptr : &found->second;
}

KernelEdit* KernelEdits::find(const Experiment& experiment) {
    return const_cast<KernelEdit*>(std::as_const(*this).find(experiment));
}

const std::optional<KernelSource>& KernelEdits::last_good(const Experiment& experiment) const {
    static const std::optional<KernelSource> none;
    const KernelEdit* const edit = find(experiment);
    return edit ? edit->last_good : none;
}

void KernelEdits::edit(const Experiment& experiment, std::string_view text, const KernelFile* file,
                       const std::string& shipped_name) {
    KernelEdit& edit = edits_[{experiment.lesson, experiment.variant}];
    if (file) edit.file = *file;
    edit.source = edit.file.saved;
    if (edit.source.name.empty()) edit.source.name = shipped_name;
    edit.source.text = normalize_kernel_text(text);
    edit.state = KernelState::uncompiled;
    edit.due = now_() + compile_delay;
}

void KernelEdits::set(const Experiment& experiment, const KernelSource& source, const std::string& path) {
    KernelEdit& edit = edits_[{experiment.lesson, experiment.variant}];
    edit = {.source = source, .file = {source, path}, .last_good = std::move(edit.last_good), .due = now_()};
}

void KernelEdits::restore(const KernelKey& key, KernelEdit edit) {
    edit.state = KernelState::uncompiled;
    edit.due = now_();
    edits_[key] = std::move(edit);
}

double KernelEdits::seconds_until_due(const Experiment& experiment) const {
    const KernelEdit* const edit = find(experiment);
    if (!edit || !edit->due) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(*edit->due - now_()).count());
}

void KernelEdits::schedule_compile(const Experiment& experiment) {
    KernelEdit* const edit = find(experiment);
    if (edit && edit->state == KernelState::uncompiled) edit->due = now_();
}

}  // namespace gridstride
