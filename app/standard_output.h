// Output to stdout and stderr. Write errors of stdout, such as a full disk, are reported at the end. Nothing
// here throws, so that a closed terminal does not lose measurements.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace gridstride::app {

/// Prints to stdout, with control characters escaped by escape_controls(), since names of files and devices
/// may contain terminal sequences. finish_stdout() reports a failure.
void write_stdout(std::string_view text);
template <class... Arguments>
void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write_stdout(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Prints a line to stderr through escape_controls(). Ignores errors.
void write_stderr_line(std::string_view text);
/// Prints a message to stderr, after the program's name.
template <class... Arguments>
void print_status(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write_stderr_line("gridstride: " + fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Calls save(). Returns false, after printing the reason on stderr, if it throws FileError or
/// std::bad_alloc, so that the caller can save and print other results.
bool try_save(const std::function<void()>& save);

/// Flushes stdout. Returns `code`, or exit_file if any output could not be written, with one sentence on
/// stderr. There is no sentence if the reader has closed the pipe, as `| head` does.
int finish_stdout(int code);

/// Flushes stdout, for a user who watches. finish_stdout() reports a failure.
void flush_stdout();

/// Returns true if earlier output could not be written.
bool stdout_has_failed();

}  // namespace gridstride::app
