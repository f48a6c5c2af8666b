// Checks every lesson and variant against its reference over a grid of settings, and every lesson's stories.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client/client.h"
#include "lesson/lesson.h"

namespace gridstride {

struct CheckRow {
    std::string lesson;
    std::string variant;
    std::uint64_t runs = 0;
    std::uint64_t wrong = 0;             ///< mismatch or failed
    std::uint64_t wrong_on_purpose = 0;  ///< differ from the reference by design
    std::uint64_t refused = 0;           ///< settings that this device or the lesson does not support
    std::string first_refused;           ///< "elements = 33, workgroup_size = 96, …: message"
    std::string first_wrong;             ///< "elements = 33, workgroup_size = 96, …: message"
    double seconds = 0;
};

/// Runs every variant, and every exercise with its solution, with all combinations of domain, workgroup, grid
/// and the lesson's own choices, except choices that are wrong on purpose. `full` adds a domain of 4 million
/// elements. Leaves out a variant if includes() returns false. Calls on_row with each finished row. Calls
/// interrupted before and during every run; if it returns true, the check stops.
void check_lesson(lab::Client& client, const Lesson& lesson, bool full, const std::function<bool()>& includes,
                  const std::function<void(const CheckRow&)>& on_row,
                  const std::function<bool()>& interrupted);

/// Returns one sentence per error in the lesson's stories, in the form "FILE:LINE: step "…": …": the errors
/// that find_story_errors() and find_unknown_names() find, and exercises whose solution does not fulfil the
/// requirements. Runs steps until every name that the stories use is known, so a correct story costs only a
/// few runs. Calls interrupted before and during each run; if it returns true, the check stops.
std::vector<std::string> check_stories(lab::Client& client, const Lesson& lesson,
                                       const std::function<bool()>& interrupted);

}  // namespace gridstride
