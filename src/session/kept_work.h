// A session's work as the content of its two files: <id>.json, written whole, and <id>.runs, a journal.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "session/work.h"
#include "storage/saved_file.h"

namespace gridstride {

// The JSON: lesson, step, the bench, the kernels and which run is pinned; without a bench, the kernels alone.

std::string format_work(const Work& work);
/// Into `work`, of a version that is known. What this program does not know (a lesson, a variant, a
/// parameter) is left out with a note. Throws std::exception for what format_work() never wrote; then nothing
/// has changed.
void read_work(const nlohmann::ordered_json& json, Work& work);
inline constexpr SavedFormat work_format{"Kernels and bench", 2, "; the session's runs stay"};

inline constexpr std::size_t max_saved_kernels = 1000;  ///< in one file
/// A kernel as all files of the program hold one. Lesson and variant are the key's.
nlohmann::ordered_json kernel_json(const KernelKey& key, const KernelEdit& edit);
/// Throws std::exception.
std::pair<KernelKey, KernelEdit> parse_kernel(const nlohmann::ordered_json& json);
/// Why this program has no place for a kernel of such a variant; empty when it has.
std::string why_no_place(const KernelKey& key);

// The journal. Its first line tells whose it is: runs are read by the version that wrote them alone.

std::string journal_head();
std::string record_of_run(const Report& report);
std::string record_of_cell(const Report& report);  ///< of a sweep
/// Into `work`. Damaged runs, and those that this program cannot show, are left out: work.unread_runs says
/// so.
void parse_journal(std::string_view journal, Work& work);

}  // namespace gridstride
