// --frame-log: the time of each frame, as CSV.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "ui/window/canvas.h"

namespace gridstride::ui {

/// Writes one row per frame, flushed at once: frame,wall_ms,build_ms,record_ms,present_ms,cpu_ms.
class FrameLog {
 public:
    /// Throws FileError.
    explicit FrameLog(const std::filesystem::path& path);

    /// build: laying out the frame; wall_ms: from the frame's start to its end, without the wait for input
    /// before it. cpu_ms is the CPU time of building and recording.
    void add(const ElapsedTime& build, const FrameTimes& times, double wall_ms);

 private:
    std::ofstream file_;
    std::uint64_t frame_ = 0;
};

}  // namespace gridstride::ui
