// What was printed must have arrived: a full disk behind stdout is an error, not silence. Nothing here
// throws: a terminal that was closed is no reason to lose what was measured.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace gridstride::app {

/// To stdout, escaped(): names of files and devices may hold what a terminal would obey. A failure is kept
/// for finish_stdout().
void put(std::string_view text);
template <class... Arguments>
void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    put(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// On stderr, escaped(). Where that is closed there is nobody to tell.
void put_line(std::string_view text);
/// The same behind the program's name.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    put_line("gridstride: " + fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Whether it could be saved. Says why not: what else was measured is still to be saved and printed.
bool saved(const std::function<void()>& save);

/// Writes out what stdout still holds. Returns `code`, or exit_file with one sentence on stderr if anything
/// that was printed did not arrive. A reader that has gone, as `| head` does, had what it wanted: nothing is
/// said.
int finish_stdout(int code);

/// What was printed so far goes out now, for a person who watches. A failure is kept for finish_stdout().
void flush_stdout();

/// Whether something printed earlier did not arrive.
bool stdout_has_failed();

}  // namespace gridstride::app
