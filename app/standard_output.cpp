#include "standard_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "commands.h"

namespace gridstride::app {

namespace {

/// The errno of the first failure; the stream itself remembers only that it failed.
int stdout_errno = 0;

std::string stdout_error_text(int error_number) {
    const std::string reason = error_number != 0 ? ": " + std::generic_category().message(error_number) : "";
    const bool is_full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
    return fmt::format("gridstride: Cannot write to stdout{}. {}\n", reason,
                       is_full ? "Free some space, or send the output to another disk."
                               : "Send the output to a file or pipe that can be written.");
}

}  // namespace

void write_stdout(std::string_view text) {
    const std::string shown = escape_controls(text);
    if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size() && stdout_errno == 0)
        stdout_errno = errno;
}

void write_stderr_line(std::string_view text) {
    flush_stdout();  // a log that has both shows them in order
    std::fputs((escape_controls(text) + "\n").c_str(), stderr);
}

bool try_save(const std::function<void()>& save) {
    try {
        save();
        return true;
    } catch (const FileError& error) {
        print_status("{}", error.what());
    } catch (const std::bad_alloc&) {
        print_status("There is not enough memory to write the arrays. Close other programs and try again.");
    }
    return false;
}

void flush_stdout() {
    if (std::fflush(stdout) != 0 && stdout_errno == 0) stdout_errno = errno;
}

bool stdout_has_failed() {
    return std::ferror(stdout) != 0;
}

int finish_stdout(int code) {
    flush_stdout();
    if (stdout_errno == 0 && !stdout_has_failed()) return code;
    // fmt would throw if stderr cannot be written either.
    if (stdout_errno != EPIPE) std::fputs(stdout_error_text(stdout_errno).c_str(), stderr);
    return exit_file;
}

}  // namespace gridstride::app
