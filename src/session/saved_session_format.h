// The content of a session's two files: <id>.json, which is rewritten as a whole, and <id>.runs, a journal.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "session/saved_session.h"
#include "storage/saved_file.h"

namespace gridstride {

// The JSON has lesson, step, bench, kernels and the id of the pinned run. Without a bench, it has only
// kernels.

std::string format_session(const SavedSession& session);
/// Parses JSON of a known version into `session`. Unknown lessons, variants and parameters are left out, with
/// a note. Throws std::exception for JSON that format_session() cannot have written; `session` is then
/// unchanged.
void parse_session(const nlohmann::ordered_json& json, SavedSession& session);
inline constexpr SavedFormat session_format{"Kernels and bench", 2, "; the session's runs stay"};

inline constexpr std::size_t max_saved_kernels = 1000;  ///< in one file
/// Returns the JSON of a kernel, which all files of the program use. `key` is its lesson and variant.
nlohmann::ordered_json kernel_json(const KernelKey& key, const KernelEdit& edit);
/// Throws std::exception if the JSON is not a kernel.
std::pair<KernelKey, KernelEdit> parse_kernel(const nlohmann::ordered_json& json);
/// Returns why this version cannot use a kernel of this lesson and variant; empty if it can.
std::string unknown_variant_reason(const KernelKey& key);

// The journal. Its first line names the version that wrote it; only that version reads the runs.

std::string journal_header();
std::string encode_run(const Report& report);
std::string encode_cell(const Report& report);  ///< of a sweep
/// Parses the journal into `session`. Damaged runs, and runs that this version cannot show, are left out and
/// described in session.unread_runs.
void parse_journal(std::string_view journal, SavedSession& session);

}  // namespace gridstride
