#include "ui/drive/frame_log.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace gridstride::ui {

FrameLog::FrameLog(const std::filesystem::path& path) {
    require_writable(path);
    // Written in place, not to a temporary file: the log can be read while it grows, and survives a crash.
    file_.open(path, std::ios::binary | std::ios::trunc);
    file_ << "frame,wall_ms,build_ms,record_ms,present_ms,processor_ms\r\n" << std::flush;
    if (!file_) throw FileError(fmt::format("{} cannot be written.", quote_path(path)));
}

void FrameLog::add(const ElapsedTime& build, const FrameTimes& times, double wall_ms) {
    // Flushed after each row: an idle window draws no further frame that would flush.
    file_ << fmt::format("{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}\r\n", frame_++, wall_ms, build.wall_ms,
                         times.record.wall_ms, times.present_ms, build.cpu_ms + times.record.cpu_ms)
          << std::flush;
}

}  // namespace gridstride::ui
