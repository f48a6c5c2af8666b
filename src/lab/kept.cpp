#include "lab/kept.h"

#include "base/file.h"

namespace gridstride::lab {

namespace {

/// The experiment without what comes behind the input, the reference or the launch.
Experiment reduced(const Prepared& asked, Invalidates to) {
    Experiment part;
    part.lesson = asked.experiment.lesson;
    part.lesson_version = asked.experiment.lesson_version;
    part.input = asked.experiment.input;
    part.input.name.clear();  // the same numbers in another file
    const bool of_variant =
        asked.lesson->reference_depends_on_variant || find_exercise(*asked.lesson, asked.experiment.variant);
    if (to != Invalidates::input && of_variant) part.variant = asked.experiment.variant;
    if (asked.lesson->has_programs()) part.kernel = asked.program;
    for (const Parameter& parameter : asked.lesson->parameters)
        if (parameter.invalidates <= to) part.values.set(parameter.id, asked.values().at(parameter.id));
    return part;
}

std::vector<std::string> input_files_of(const Prepared& asked) {
    std::vector<std::string> files;
    for (const std::string& file : asked.plan.input_files)
        files.push_back((std::filesystem::path(asked.program.folder) / file).string());
    return files;
}

}  // namespace

const Input& Kept::input(const Prepared& asked) {
    Experiment of = reduced(asked, Invalidates::input);
    std::vector<std::filesystem::file_time_type> times = times_of(input_files_of(asked));
    if (input_of_ == of && input_times_ == times) return input_;
    // Room for the new one first.
    input_of_.reset();
    reference_of_.reset();
    input_.clear();
    reference_.clear();
    input_ = asked.make_input();
    input_of_ = std::move(of);
    input_times_ = std::move(times);
    return input_;
}

const std::vector<Expected>& Kept::reference(const Prepared& asked) {
    Experiment of = reduced(
        asked, asked.lesson->reference_depends_on_launch ? Invalidates::launch : Invalidates::reference);
    const Input& from = input(asked);
    if (reference_of_ == of) return reference_;
    reference_of_.reset();
    reference_.clear();
    reference_ = asked.task.reference(from, asked);
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
