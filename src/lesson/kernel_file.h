// Files of user kernels and programs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file_progress.h"
#include "lesson/experiment.h"

namespace gridstride {

/// Returns the text with LF line ends and without a byte order mark, so that the editor and the compiler see
/// the same text.
std::string normalize_kernel_text(std::string_view text);

/// Returns this text as the contents of the file. Includes are searched in its folder and in the shipped
/// shaders.
KernelSource make_kernel_source(const std::filesystem::path& file, std::string text);

/// Reads the file and applies normalize_kernel_text(). Throws FileError if it cannot be read, is larger than
/// 4 MiB or is not a text file, and Cancelled.
KernelSource read_kernel(const std::filesystem::path& file, FileProgress* progress = nullptr);
/// Returns the path of Variant::kernel, Variant::solution or what they include: below shaders/, or below
/// lessons/ for a lesson of text that ships.
std::filesystem::path kernel_path(const std::string& file);
/// Reads the file at kernel_path().
KernelSource read_shipped_kernel(const std::string& file);

}  // namespace gridstride
