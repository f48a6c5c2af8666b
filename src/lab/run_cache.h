// Caches inputs, references and device memory between runs. Each entry is keyed by the part of the experiment
// that it depends on, because users change one control at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/device.h"
#include "lab/plan_memory.h"
#include "lesson/lesson.h"

namespace gridstride::lab {

class RunCache {
 public:
    /// Throws Refusal if the user's numbers do not fit the lesson, or a program's files do not fit its text.
    const Input& input(const PreparedExperiment& prepared);
    /// complete: returns the reference that a kernel computes, or one with Expected::failure, which is cached
    /// too. Without it such references stay as they are.
    const std::vector<Expected>& reference(const PreparedExperiment& prepared,
                                           const std::function<Expected(const Expected&)>& complete = {});
    /// Returns memory for one execution at a time. Throws std::runtime_error if it cannot be allocated.
    std::shared_ptr<PlanMemory> memory(const gpu::Device& device, const Plan& plan);

 private:
    std::optional<Experiment> input_key_;                       ///< only the parts that the input depends on
    std::vector<std::filesystem::file_time_type> input_times_;  ///< of the input's files
    Input input_;
    std::optional<Experiment> reference_key_;
    std::vector<Expected> reference_;
    std::shared_ptr<PlanMemory> memory_;
};

}  // namespace gridstride::lab
