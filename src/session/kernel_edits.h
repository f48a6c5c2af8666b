// The kernels that a person has made their own: the text as it stands in the editor, what the compiler said
// of it, and the last one that compiled. One for each lesson and variant, for as long as the window is open.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride {

using KernelClock = std::chrono::steady_clock;

enum class KernelState {
    untried,  ///< not compiled yet, as it stands
    good,
    bad,  ///< does not compile
};

struct KernelEdit {
    KernelSource source;     ///< as it stands in the editor
    std::string path;        ///< the file it was opened from or saved to; empty: none yet
    std::string saved_text;  ///< as it stands in that file
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

class KernelEdits {
 public:
    struct Key {
        std::string lesson, variant;
        auto operator<=>(const Key&) const = default;
    };
    /// How long the typing rests before the text is compiled.
    static constexpr std::chrono::milliseconds quiet_time{400};

    explicit KernelEdits(std::function<KernelClock::time_point()> now = KernelClock::now)
        : now_(std::move(now)) {}

    /// Null: the lesson's own kernel is in use.
    const KernelEdit* find(const Key& key) const;
    /// The text was changed by typing; the first change gives the kernel its name. It is due after the quiet
    /// time.
    void type(const Key& key, std::string text, const std::string& name);
    /// Another file in place of the text: due at once.
    void open(const Key& key, KernelSource source, std::string path);
    /// The text is in this file from now on: its name and folder are the file's. Due at once when that
    /// changes what its includes mean.
    void saved(const Key& key, KernelSource source, std::string path);
    void revert(const Key& key) { edits_.erase(key); }

    bool is_due(const Key& key) const;
    /// Seconds until the text wants to be compiled, 0 when it is overdue; nullopt when it does not.
    std::optional<double> seconds_until_due(const Key& key) const;
    void take_due(const Key& key);  ///< it is on its way to the compiler
    /// The compiler never got to say anything: it is due once more.
    void ask_again(const Key& key);
    /// What the compiler says of `source` may never be known: nothing said of the text before it stays.
    void forget_diagnostics(const Key& key, const KernelSource& source);

    /// Learns from the report of a run of `source`. `trial`: nothing was known of that text. False when it
    /// does not compile, so that the report says nothing about any result.
    bool judge(const Key& key, const KernelSource& source, const Report& report, bool trial);

 private:
    std::function<KernelClock::time_point()> now_;
    std::map<Key, KernelEdit> edits_;
};

}  // namespace gridstride
