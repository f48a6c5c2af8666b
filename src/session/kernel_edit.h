// A kernel that a person has made their own: the text as it stands in the editor, what the compiler said of
// it, and the last one that compiled.
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
    untried,  ///< not compiled yet, as it stands
    good,
    bad,  ///< does not compile
};

using KernelKey = std::pair<std::string, std::string>;  ///< lesson, variant

/// The file that a kernel was opened from or saved to.
struct KernelFile {
    KernelSource saved;  ///< as it stands in that file; without a name: the lesson's own
    std::string path;    ///< empty: none that may be written to
};

struct KernelEdit {
    KernelSource source;  ///< as it stands in the editor
    KernelFile file;
    KernelState state = KernelState::untried;
    /// What the compiler says of `source`; while that is typed or being compiled, of the text before it.
    std::vector<Diagnostic> diagnostics;
    /// What runs: the last text that compiled. nullopt: none has, the lesson's own runs.
    std::optional<KernelSource> last_good;
    std::optional<KernelClock::time_point> due;  ///< when to compile without being asked

    std::size_t errors() const;
    /// The first error, or null.
    const Diagnostic* first_error() const;
    /// Does this line of the editor belong to the diagnostic? Those of includes stand in another file.
    bool is_in_editor(const Diagnostic& diagnostic) const;
};

/// Learns from the report of a run of `source`. Null: the text was reverted meanwhile. `trial`: nothing was
/// known of it. False when it does not compile, so that the report says nothing about any result.
bool judge(KernelEdit* edit, const KernelSource& source, const Report& report, bool trial);

}  // namespace gridstride
