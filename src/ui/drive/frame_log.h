// How long each frame took, as CSV: --frame-log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "ui/window/canvas.h"

namespace gridstride::ui {

/// frame,wall_ms,build_ms,record_ms,present_ms,processor_ms; one row a frame, written at once.
class FrameLog {
 public:
    /// Throws FileError.
    explicit FrameLog(const std::filesystem::path& path);

    /// build: laying the frame out; wall_ms: from the frame's start to its end, without the wait for input
    /// before. processor_ms is what building and recording had of the processor.
    void add(const Spent& build, const FrameTimes& times, double wall_ms);

 private:
    std::ofstream file_;
    std::uint64_t frame_ = 0;
};

}  // namespace gridstride::ui
