// The content of a session's two files: <id>.json, which is rewritten as a whole, and <id>.runs, a journal.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "session/work.h"
#include "storage/saved_file.h"

namespace gridstride {

// The JSON has lesson, step, bench, kernels and the id of the pinned run. Without a bench, it has only
// kernels.

std::string format_work(const Work& work);
/// Parses JSON of a known version into `work`. Unknown lessons, variants and parameters are left out, with a
/// note. Throws std::exception for JSON that format_work() cannot have written; `work` is then unchanged.
void read_work(const nlohmann::ordered_json& json, Work& work);
inline constexpr SavedFormat work_format{"Kernels and bench", 2, "; the session's runs stay"};

inline constexpr std::size_t max_saved_kernels = 1000;  ///< in one file
/// Returns the JSON of a kernel, which all files of the program use. `key` is its lesson and variant.
nlohmann::ordered_json kernel_json(const KernelKey& key, const KernelEdit& edit);
/// Throws std::exception.
std::pair<KernelKey, KernelEdit> parse_kernel(const nlohmann::ordered_json& json);
/// Returns why this version cannot use a kernel of this lesson and variant; empty if it can.
std::string why_no_place(const KernelKey& key);

// The journal. Its first line names the version that wrote it; only that version reads the runs.

std::string journal_head();
std::string record_of_run(const Report& report);
std::string record_of_cell(const Report& report);  ///< of a sweep
/// Parses the journal into `work`. Damaged runs, and runs that this version cannot show, are left out and
/// described in work.unread_runs.
void parse_journal(std::string_view journal, Work& work);

}  // namespace gridstride
