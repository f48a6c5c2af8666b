// How far a long command has come, on a line of stderr that is written over; nothing where stderr is no
// terminal, so that logs and pipes stay clean.
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

    /// Writes the line, at most ten times a second. `part` of the work, 0 … 1, becomes a bar; nullopt: it is
    /// not known, and the words stand alone.
    void show(std::optional<double> part, std::string_view words);
    void show(std::uint64_t done, std::uint64_t total, std::string_view words) {
        show(static_cast<double>(done) / static_cast<double>(total), words);
    }
    /// Takes the line away; whatever else is printed comes after this.
    void clear();

 private:
    bool on_screen_ = false;
    std::chrono::steady_clock::time_point next_;
};

}  // namespace gridstride::app
