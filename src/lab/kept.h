// What the lab keeps from one run to the next, by the part of the experiment that it depends on: a person
// changes one control at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/device.h"
#include "lab/plan_memory.h"
#include "lesson/lesson.h"

namespace gridstride::lab {

/// The last input, the last references, the last device memory.
class Kept {
 public:
    /// Throws Refusal when the user's numbers do not fit the lesson, or a program's files its text.
    const Input& input(const Prepared& prepared);
    const std::vector<Expected>& reference(const Prepared& prepared);
    /// For one execution at a time. Throws std::runtime_error when it cannot be had.
    std::shared_ptr<PlanMemory> memory(const gpu::Device& device, const Plan& plan);

 private:
    std::optional<Experiment> input_of_;                        ///< reduced to what the input depends on
    std::vector<std::filesystem::file_time_type> input_times_;  ///< of the files that it was read from
    Input input_;
    std::optional<Experiment> reference_of_;
    std::vector<Expected> reference_;
    std::shared_ptr<PlanMemory> memory_;
};

}  // namespace gridstride::lab
