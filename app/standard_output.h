// What was printed must have arrived: a full disk behind stdout is an error, not silence.
#pragma once

namespace gridstride::app {

/// Writes out what stdout still holds. Returns `code`, or exit_file with one sentence on stderr if anything
/// that was printed did not arrive. A reader that has gone, as `| head` does, had what it wanted: nothing is
/// said. `known_errno` is the reason where the caller has it, else 0.
int finish_stdout(int code, int known_errno = 0);

/// What was printed so far goes out now, for a person who watches. A failure is kept for finish_stdout().
void flush_stdout();

/// Whether something printed earlier did not arrive.
bool stdout_has_failed();

}  // namespace gridstride::app
