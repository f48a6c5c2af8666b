// A trace as a file, with the kernel's source, so that it can be opened again or on another machine.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/file_progress.h"
#include "jobs/trace_analysis.h"

namespace gridstride {

/// Encodes a trace without a problem: one line with the version of the program, then one record of a journal
/// (base/journal.h) with experiment, report without arrays, and words.
std::string encode_trace(const AnalyzedTrace& analysis);
/// Reads and analyzes a trace. Throws FileError for anything that encode_trace() of this version cannot
/// have written, and Cancelled.
std::shared_ptr<const AnalyzedTrace> read_trace_file(const std::filesystem::path& path,
                                                     FileProgress* progress = nullptr);

}  // namespace gridstride
