// The user's progress as one file, for a teacher to read or to import on another machine: answers, with the
// questions in words, and kernels.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "progress/story_progress.h"
#include "session/kernel_edit.h"
#include "storage/saved_file.h"

namespace gridstride {

struct ProgressFile {
    StoryProgress story_progress;
    std::map<KernelKey, KernelEdit> kernels;
    std::size_t left_out = 0;  ///< entries of the file whose lesson, question or variant this version lacks
};

inline constexpr SavedFormat progress_format{"The progress", 3, "; nothing was taken from it"};
/// Checks the target before it is written. Throws FileError if the file cannot be written, or if a newer
/// version wrote the progress in it.
void require_progress_target(const std::string& path);

/// `when` is in ISO 8601.
nlohmann::ordered_json progress_file_json(const ProgressFile& progress, std::string_view when);
/// Returns progress_file_json() as text.
std::string format_progress(const ProgressFile& progress, std::string_view when);
/// Throws FileError for a file that format_progress() cannot have written.
ProgressFile read_progress(const std::string& path);

/// Returns the kernels of `theirs` whose source differs from that in `mine`.
std::map<KernelKey, KernelEdit> new_kernels(const std::map<KernelKey, KernelEdit>& ours,
                                            const std::map<KernelKey, KernelEdit>& theirs);

/// Returns "Wrote 12 predictions and 2 kernels to FILE."
std::string describe_export(const ProgressFile& progress, const std::string& path);
/// Returns "Imported 3 predictions and 1 kernel from FILE. …"
std::string describe_import(std::size_t predictions, std::size_t kernels, std::size_t left_out,
                            const std::string& path);

}  // namespace gridstride
