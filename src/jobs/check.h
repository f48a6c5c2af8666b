// Every lesson and variant against its reference, over a grid of settings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client/client.h"
#include "lesson/lesson.h"

namespace gridstride {

/// The outcome of one variant, or of an exercise's solution, over all settings.
struct CheckRow {
    std::string lesson;
    std::string variant;
    std::uint64_t runs = 0;
    std::uint64_t wrong = 0;             ///< mismatch or failed
    std::uint64_t wrong_on_purpose = 0;  ///< differ from the reference, as they were meant to
    std::uint64_t refused = 0;           ///< settings that this device does not allow
    std::string first_wrong;             ///< "elements = 33, workgroup_size = 96, …: message"
    double seconds = 0;
};

/// Runs domains x workgroups x grids x every choice of the lesson's own parameters that is meant to be right,
/// for every variant, and for every exercise with its solution. `full` also runs a domain of millions. on_row
/// gets each row as it is done; interrupted is asked before and during every run.
void check_lesson(lab::Client& client, const Lesson& lesson, bool full,
                  const std::function<void(const CheckRow&)>& on_row,
                  const std::function<bool()>& interrupted);

/// Everything that is wrong with the lesson's stories, a sentence each, "FILE:LINE: step "…": …": what
/// mistakes_of() and unknown_names() tell, and what is made without its solution being right. Runs steps
/// until every name that the stories use is known, so a good story costs a few runs; interrupted is asked
/// before and during each.
std::vector<std::string> check_stories(lab::Client& client, const Lesson& lesson,
                                       const std::function<bool()>& interrupted);

}  // namespace gridstride
