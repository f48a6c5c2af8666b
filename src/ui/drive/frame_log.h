// How long each frame took, as CSV: --frame-log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "ui/window/canvas.h"

namespace gridstride::ui {

/// frame,wall_ms,build_ms,record_ms,present_ms; one row a frame, written at once.
class FrameLog {
 public:
    /// Throws FileError.
    explicit FrameLog(const std::filesystem::path& path);

    /// build_ms: laying the frame out; wall_ms: from the frame's start to its end, without the wait for input
    /// before.
    void add(double build_ms, const FrameTimes& times, double wall_ms);

 private:
    std::ofstream file_;
    std::uint64_t frame_ = 0;
};

}  // namespace gridstride::ui
