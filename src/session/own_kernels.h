// The kernels that a person has made their own, one for each variant, and when each is compiled.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "session/kernel_edit.h"

namespace gridstride {

class OwnKernels {
 public:
    /// `now`: what the time until a text is compiled is counted by.
    explicit OwnKernels(std::function<KernelClock::time_point()> now) : now_(std::move(now)) {}

    const std::map<KernelKey, KernelEdit>& all() const { return edits_; }
    /// The kernel for the experiment's lesson and variant; null: it is the lesson's own.
    const KernelEdit* find(const Experiment& experiment) const;
    KernelEdit* find(const Experiment& experiment);
    /// The last text that compiled; nullopt: none has, so the lesson's own kernel runs.
    const std::optional<KernelSource>& last_good(const Experiment& experiment) const;

    /// Due to be compiled once the typing rests. Null `file`: the kernel keeps its file. `shipped_name`: the
    /// name of a text without a file.
    void edit(const Experiment& experiment, std::string_view text, const KernelFile* file,
              const std::string& shipped_name);
    /// In place of the text that is there; due at once.
    void put(const Experiment& experiment, const KernelSource& source, const std::string& path);
    /// `edit`, of an earlier window. Due at once: a folder's includes may have changed.
    void restore(const KernelKey& key, KernelEdit edit);
    void remove(const Experiment& experiment) { edits_.erase({experiment.lesson, experiment.variant}); }
    /// Until the text is to be compiled without being asked; infinity: it is not.
    double seconds_until_due(const Experiment& experiment) const;
    /// Compiles `source` again where its compilation was given up before anything was known.
    void make_due(const Experiment& experiment);

 private:
    std::function<KernelClock::time_point()> now_;
    std::map<KernelKey, KernelEdit> edits_;
};

}  // namespace gridstride
