// A recording as a file: what was recorded with the kernel's text, to be looked at again or elsewhere.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/file_progress.h"
#include "jobs/recording.h"

namespace gridstride {

/// Of one that has no problem. One line that says which version of the program wrote it, then one record of a
/// journal (base/journal.h): as bytes what was asked for, the report without its arrays, the words.
std::string format_recording(const TakenRecording& recording);
/// Taken apart again. Throws FileError for anything that format_recording() of this version does not write,
/// and Cancelled.
std::shared_ptr<const TakenRecording> read_recording(const std::filesystem::path& path,
                                                     FileProgress* progress = nullptr);

}  // namespace gridstride
