// A trace as a file, with the kernel's source, so that it can be opened again or on another machine.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/file_progress.h"
#include "jobs/recording.h"

namespace gridstride {

/// Encodes a trace without a problem: one line with the version of the program, then one record of a journal
/// (base/journal.h) with experiment, report without arrays, and words.
std::string format_recording(const TakenRecording& recording);
/// Reads and analyzes a trace. Throws FileError for anything that format_recording() of this version cannot
/// have written, and Cancelled.
std::shared_ptr<const TakenRecording> read_recording(const std::filesystem::path& path,
                                                     FileProgress* progress = nullptr);

}  // namespace gridstride
