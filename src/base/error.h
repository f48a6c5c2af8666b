// Errors that a user sees. Each message names the value, the limit and what to do. The command line maps the
// exception type to an exit code; the window shows the message. Compiler messages are Diagnostics.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride {

/// A file cannot be read or written (exit code 5).
struct FileError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws FileError with the message "FILE: what." `what` states the error in the content and the fix.
[[noreturn]] void throw_file_error(const std::string& file_name, const std::string& what);

/// A value is outside what the lesson or the device allows (exit code 2). Carries all reasons.
struct Refusal : std::runtime_error {
    explicit Refusal(std::vector<std::string> all);
    explicit Refusal(std::string reason) : Refusal(std::vector<std::string>{std::move(reason)}) {}
    /// Formats the reason as fmt::format() does.
    template <class... Values>
    requires(sizeof...(Values) > 0) explicit Refusal(fmt::format_string<const Values&...> text,
                                                     const Values&... values)
        : Refusal(fmt::format(text, values...)) {}
    std::vector<std::string> reasons;
};

/// There is no display to open a window on (exit code 2). Commands without a window still work.
struct NoDisplay : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// No usable Vulkan device (exit code 3).
struct NoDevice : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class DiagnosticLevel { warning, error };
constexpr DiagnosticLevel last_enumerator(DiagnosticLevel) {
    return DiagnosticLevel::error;
}

/// A compiler message.
struct Diagnostic {
    DiagnosticLevel level = DiagnosticLevel::error;
    std::string file;        ///< the source or include file that the message refers to
    std::uint32_t line = 0;  ///< from 1; 0 if the compiler gives no line
    std::string text;        ///< verbatim
    bool operator==(const Diagnostic&) const = default;
};

}  // namespace gridstride
