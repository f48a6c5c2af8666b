// Shows the progress of a long command on one line of stderr, which is overwritten. Prints nothing if stderr
// is not a terminal, so that logs and pipes stay clean.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gridstride::app {

class ProgressLine {
 public:
    ProgressLine() = default;
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// Writes the line, at most ten times per second. `part`, the finished fraction of the work from 0 to 1,
    /// is drawn as a bar. nullopt: it is unknown, and only the words are shown.
    void show(std::optional<double> part, std::string_view words);
    void show(std::uint64_t done, std::uint64_t total, std::string_view words) {
        show(static_cast<double>(done) / static_cast<double>(total), words);
    }
    /// Erases the line. Must be called before anything else is printed.
    void clear();

 private:
    bool is_on_screen_ = false;
    std::chrono::steady_clock::time_point next_;
};

}  // namespace gridstride::app
