// A kernel or a program of the person's own, as a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file_progress.h"
#include "lesson/experiment.h"

namespace gridstride {

/// One kind of line end and no byte order mark, so that the editor's text and the compiler's are the same.
std::string kernel_text(std::string_view text);

/// This text as what stands in the file: includes resolve in its folder and in the shaders that ship.
KernelSource kernel_in_file(const std::filesystem::path& file, std::string text);

/// What stands in the file, as kernel_text(). Throws FileError: it cannot be read, holds more than 4 MiB, or
/// is no text; Cancelled.
KernelSource read_kernel(const std::filesystem::path& file, FileProgress* progress = nullptr);
/// Of one that ships, below shaders/.
KernelSource read_shipped(const std::string& file);

}  // namespace gridstride
