// A hand-in of a student: one JSON file with answers, and with the texts of kernels and programs.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assignment/assignment.h"
#include "session/progress_file.h"

namespace gridstride {

inline constexpr std::uintmax_t max_hand_in_bytes = std::uintmax_t{4} << 20;
inline constexpr std::size_t max_answer_bytes = std::size_t{64} << 10;  ///< of one kernel or program

struct HandIn {
    std::string name, number;                ///< as typed; one line without control characters
    std::map<KernelKey, std::string> texts;  ///< by lesson and exercise
    // Reported by the student's program, not verified.
    std::string when = {};                                           ///< when it was made, in ISO 8601
    std::set<std::pair<std::string, std::string>> answered, solved;  ///< lesson, id
    std::map<std::pair<std::string, std::string>, std::uint64_t> attempts = {};  ///< by lesson and exercise
};

/// Returns the JSON of a hand-in: of the student's progress, what belongs to the assignment. `when` is in ISO
/// 8601. Throws Refusal if it or a text is too long, or if a text is not UTF-8.
std::string format_hand_in(const Assignment& assignment, ProgressFile progress, const std::string& name,
                           const std::string& number, std::string_view when);

/// Returns the exercises for which there is no text.
std::vector<std::string> exercises_without_text(const Assignment& assignment,
                                                const std::map<KernelKey, KernelEdit>& kernels);

/// Throws FileError for a text that format_hand_in() cannot have written; the message continues one that
/// begins with the file's name.
HandIn parse_hand_in(std::string_view text);

}  // namespace gridstride
