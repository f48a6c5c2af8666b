// What a person did, in one file: for a teacher to read, and to be taken over on another machine. What they
// learned, with the questions in words, and kernels.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "learned/learned.h"
#include "session/kernel_edit.h"
#include "storage/saved_file.h"

namespace gridstride {

struct Progress {
    Learned learned;
    std::map<KernelKey, KernelEdit> kernels;
    std::size_t left_out = 0;  ///< of the file: this program has no such lesson, question or variant
};

inline constexpr SavedFormat progress_format{"The progress", 3, "; nothing was taken from it"};
/// Before it is written: throws FileError where a file cannot be, or a newer version's progress is there.
void require_progress_target(const std::string& path);

/// JSON. `when`: ISO 8601.
std::string format_progress(const Progress& progress, std::string_view when);
/// Throws FileError for anything that format_progress() does not write.
Progress read_progress(const std::string& path);

/// The kernels that are not among mine, text for text.
std::map<KernelKey, KernelEdit> new_kernels(const std::map<KernelKey, KernelEdit>& mine,
                                            const std::map<KernelKey, KernelEdit>& theirs);

/// "Wrote 12 predictions and 2 kernels to FILE."
std::string written_in_words(const Progress& progress, const std::string& path);
/// "Took 3 predictions and 1 kernel from FILE. …"
std::string import_in_words(std::size_t predictions, std::size_t kernels, std::size_t left_out,
                            const std::string& path);

}  // namespace gridstride
