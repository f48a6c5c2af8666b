#include "progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/text.h"

namespace gridstride::app {

namespace {

using Clock = std::chrono::steady_clock;

std::size_t terminal_columns() {
    if (isatty(STDERR_FILENO) == 0) return 0;
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Returns, for example, "[######------]  12 of 64 cells, about 34 s left", at most `columns` wide.
std::string progress_text(std::optional<double> part, std::string_view words, std::size_t columns) {
    constexpr std::size_t max_bar_length = 32, min_bar_length = 4, frame = 4;  // "[", "]" and two spaces
    // Leave the last column free, because some terminals wrap the line there.
    const std::size_t room = columns > 0 ? columns - 1 : 0;
    const std::size_t words_width = characters(words);
    if (words_width + frame + min_bar_length > room || !part)
        return std::string(first_characters(words, room));
    const std::size_t length = std::min(room - words_width - frame, max_bar_length);
    const auto filled_columns =
        static_cast<std::size_t>(std::clamp(*part, 0.0, 1.0) * static_cast<double>(length));
    return fmt::format("[{}{}]  {}", std::string(filled_columns, '#'),
                       std::string(length - filled_columns, '-'), words);
}

}  // namespace

void ProgressLine::show(std::optional<double> part, std::string_view words) {
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    const std::size_t columns = terminal_columns();
    if (columns == 0) return;
    // fmt would throw if the terminal was closed.
    std::fputs(("\r\033[K" + progress_text(part, printable(words), columns)).c_str(), stderr);
    std::fflush(stderr);
    is_on_screen_ = true;
}

void ProgressLine::clear() {
    if (is_on_screen_) std::fputs("\r\033[K", stderr);
    is_on_screen_ = false;
    next_ = {};
}

}  // namespace gridstride::app
