// The ways in which an operation can fail towards a user. Each message is a sentence that names the value,
// the limit and what to do. The command line turns the type into an exit code, the window into a remark. What
// a compiler says of a kernel is a Diagnostic.
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

/// Throws FileError: "FILE: what." `what` says what is wrong with its content, and what to do.
[[noreturn]] void refuse_file(const std::string& file_name, const std::string& what);

/// A value is outside what the lesson or the device allows (exit code 2). All reasons at once.
struct Refusal : std::runtime_error {
    explicit Refusal(std::vector<std::string> all);
    explicit Refusal(std::string reason) : Refusal(std::vector<std::string>{std::move(reason)}) {}
    /// The values are formatted into the text, as by fmt::format().
    template <class... Values>
    requires(sizeof...(Values) > 0) explicit Refusal(fmt::format_string<const Values&...> text,
                                                     const Values&... values)
        : Refusal(fmt::format(text, values...)) {}
    std::vector<std::string> reasons;
};

/// There is no display to open a window on (exit code 2: commands that need none are there).
struct NoDisplay : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// No usable Vulkan device (exit code 3).
struct NoDevice : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class DiagnosticLevel { warning, error };
constexpr DiagnosticLevel last_of(DiagnosticLevel) {
    return DiagnosticLevel::error;
}

/// What a compiler says about a source, as a value.
struct Diagnostic {
    DiagnosticLevel level = DiagnosticLevel::error;
    std::string file;        ///< the file it stands in: the source's name or an include's
    std::uint32_t line = 0;  ///< from 1; 0 when the compiler names none
    std::string text;        ///< the compiler's own words
    bool operator==(const Diagnostic&) const = default;
};

}  // namespace gridstride
