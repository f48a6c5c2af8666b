// A kernel that the user edits: its source, the compiler's diagnostics, and the last source that compiled.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lesson/report.h"

namespace gridstride {

using KernelClock = std::chrono::steady_clock;

enum class KernelState {
    uncompiled,  ///< the current source has not been compiled
    good,
    bad,  ///< does not compile
};

using KernelKey = std::pair<std::string, std::string>;  ///< lesson, variant

struct KernelFile {
    KernelSource saved;  ///< content of that file; without a name: the lesson's kernel
    std::string path;    ///< empty: no file that may be overwritten
};

struct KernelEdit {
    KernelSource source;  ///< text of the editor
    KernelFile file;
    KernelState state = KernelState::uncompiled;
    /// The compiler's messages about `source`; while the user types or the compiler runs, those about the
    /// previous source.
    std::vector<Diagnostic> diagnostics;
    /// The kernel that runs: the last source that compiled. If nullopt, the lesson's kernel runs.
    std::optional<KernelSource> last_good;
    std::optional<KernelClock::time_point> due;  ///< when to compile automatically

    std::size_t errors() const;
    const Diagnostic* first_error() const;
    /// Returns true if the diagnostic refers to a line of the editor, and not of an included file.
    bool is_in_editor(const Diagnostic& diagnostic) const;
};

/// Updates `edit` from the report of a run of `source`. `edit` may be null if the source was reverted in the
/// meantime. `is_first_compile` is true if the source had not been compiled before. Returns false if the
/// source does not compile; the report then has no result.
bool update_kernel_edit(KernelEdit* edit, const KernelSource& source, const Report& report,
                        bool is_first_compile);

}  // namespace gridstride
