// The user's kernels, one per variant, and when each is compiled.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "session/kernel_edit.h"

namespace gridstride {

class KernelEdits {
 public:
    /// `now` is the clock for the delay until a source is compiled.
    explicit KernelEdits(std::function<KernelClock::time_point()> now) : now_(std::move(now)) {}

    const std::map<KernelKey, KernelEdit>& all() const { return edits_; }
    /// Returns the user's kernel for the experiment's lesson and variant, or null if it uses the lesson's.
    const KernelEdit* find(const Experiment& experiment) const;
    KernelEdit* find(const Experiment& experiment);
    /// Returns the last source that compiled. If nullopt, the lesson's kernel runs.
    const std::optional<KernelSource>& last_good(const Experiment& experiment) const;

    /// Sets the source, which is compiled once the user stops typing. If `file` is null, the kernel keeps its
    /// file. `shipped_name` names a source without a file.
    void edit(const Experiment& experiment, std::string_view text, const KernelFile* file,
              const std::string& shipped_name);
    /// Replaces the source and compiles it at once.
    void set(const Experiment& experiment, const KernelSource& source, const std::string& path);
    /// Restores an edit of an earlier session and compiles it at once, because its includes may have changed.
    void restore(const KernelKey& key, KernelEdit edit);
    void remove(const Experiment& experiment) { edits_.erase({experiment.lesson, experiment.variant}); }
    /// Returns the seconds until the source is compiled automatically; infinity if it is not due.
    double seconds_until_due(const Experiment& experiment) const;
    /// Compiles the source again if its compilation was cancelled before there was a result.
    void schedule_compile(const Experiment& experiment);

 private:
    std::function<KernelClock::time_point()> now_;
    std::map<KernelKey, KernelEdit> edits_;
};

}  // namespace gridstride
