#include "lab/kept.h"

#include "base/file.h"

namespace gridstride::lab {

namespace {

/// Returns the experiment without what the input, the reference or the launch does not depend on.
Experiment reduced(const Prepared& prepared, Invalidates to) {
    Experiment part;
    part.lesson = prepared.experiment.lesson;
    part.lesson_version = prepared.experiment.lesson_version;
    part.input = prepared.experiment.input;
    part.input.name.clear();  // the same numbers in another file are the same input
    const bool of_variant = prepared.lesson->reference_depends_on_variant ||
                            find_exercise(*prepared.lesson, prepared.experiment.variant);
    if (to != Invalidates::input && of_variant) part.variant = prepared.experiment.variant;
    if (prepared.lesson->has_programs()) part.kernel = prepared.program;
    for (const Parameter& parameter : prepared.lesson->parameters)
        if (parameter.invalidates <= to) part.values.set(parameter.id, prepared.values().at(parameter.id));
    return part;
}

std::vector<std::string> input_files_of(const Prepared& prepared) {
    std::vector<std::string> files;
    for (const std::string& file : prepared.plan.input_files)
        files.push_back((std::filesystem::path(prepared.program.folder) / file).string());
    return files;
}

}  // namespace

const Input& Kept::input(const Prepared& prepared) {
    Experiment of = reduced(prepared, Invalidates::input);
    std::vector<std::filesystem::file_time_type> times = times_of(input_files_of(prepared));
    if (input_of_ == of && input_times_ == times) return input_;
    // Free the old data before allocating the new.
    input_of_.reset();
    reference_of_.reset();
    input_.clear();
    reference_.clear();
    input_ = prepared.make_input();
    input_of_ = std::move(of);
    input_times_ = std::move(times);
    return input_;
}

const std::vector<Expected>& Kept::reference(const Prepared& prepared) {
    Experiment of = reduced(prepared, prepared.lesson->reference_depends_on_launch ? Invalidates::launch
                                                                                   : Invalidates::reference);
    const Input& from = input(prepared);
    if (reference_of_ == of) return reference_;
    reference_of_.reset();
    reference_.clear();
    reference_ = prepared.task.reference(from, prepared);
    reference_of_ = std::move(of);
    return reference_;
}

std::shared_ptr<PlanMemory> Kept::memory(const gpu::Device& device, const Plan& plan) {
    if (memory_ && memory_->fits(device, plan)) {
        memory_->allocate_sets(1);
    } else {
        memory_.reset();
        memory_ = std::make_shared<PlanMemory>(device, plan);
    }
    return memory_;
}

}  // namespace gridstride::lab
