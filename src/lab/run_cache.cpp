#include "lab/run_cache.h"

#include "base/file.h"

namespace gridstride::lab {

namespace {

/// Returns the experiment without what the input, the reference or the launch does not depend on.
Experiment make_cache_key(const PreparedExperiment& prepared, Invalidates to) {
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

std::vector<std::string> list_input_files(const PreparedExperiment& prepared) {
    std::vector<std::string> files;
    for (const std::string& file : prepared.plan.input_files)
        files.push_back((std::filesystem::path(prepared.program.folder) / file).string());
    return files;
}

}  // namespace

const Input& RunCache::input(const PreparedExperiment& prepared) {
    Experiment of = make_cache_key(prepared, Invalidates::input);
    std::vector<std::filesystem::file_time_type> times = modification_times(list_input_files(prepared));
    if (input_key_ == of && input_times_ == times) return input_;
    // Free the old data before allocating the new.
    input_key_.reset();
    reference_key_.reset();
    input_.clear();
    reference_.clear();
    input_ = prepared.make_input();
    input_key_ = std::move(of);
    input_times_ = std::move(times);
    return input_;
}

const std::vector<Expected>& RunCache::reference(const PreparedExperiment& prepared,
                                                 const std::function<Expected(const Expected&)>& complete) {
    Experiment of =
        make_cache_key(prepared, prepared.lesson->reference_depends_on_launch ? Invalidates::launch
                                                                              : Invalidates::reference);
    const Input& from = input(prepared);
    if (reference_key_ == of) return reference_;
    reference_key_.reset();
    reference_.clear();
    reference_ = prepared.task.reference(from, prepared);
    for (Expected& one : reference_)
        if (one.kernel && complete) one = complete(one);
    reference_key_ = std::move(of);
    return reference_;
}

std::shared_ptr<PlanMemory> RunCache::memory(const gpu::Device& device, const Plan& plan) {
    if (memory_ && memory_->matches(device, plan)) {
        memory_->allocate_sets(1);
    } else {
        memory_.reset();
        memory_ = std::make_shared<PlanMemory>(device, plan);
    }
    return memory_;
}

}  // namespace gridstride::lab
