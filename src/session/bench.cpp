#include "session/bench.h"

#include <utility>

namespace gridstride {

void Bench::set(Experiment experiment) {
    experiment.input = std::move(experiment_.input);
    experiment_ = std::move(experiment);
    experiment_.kernel.reset();
}

void Bench::set_input(const Lesson& lesson, UserData data, const std::string& path) {
    experiment_.input = std::move(data);
    input_path_ = path;
    apply_input_extent(lesson, experiment_);
}

void Bench::use_lesson_input() {
    experiment_.input = {};
    input_path_.clear();
}

void Bench::prepare(const Lesson& lesson, const Limits* device, const std::optional<KernelSource>& kernel) {
    remarks_.clear();
    is_text_refused_ = false;
    prepared_.reset();
    if (!device) return;
    // In a lesson of kernels, the prepared experiment does not depend on the kernel.
    if (lesson.has_programs()) experiment_.kernel = kernel;
    prepared_ = std::make_shared<const PreparedExperiment>(gridstride::prepare(lesson, experiment_, *device));
    experiment_ = prepared_->experiment;
    experiment_.kernel.reset();
    remarks_ = prepared_->remarks;
}

void Bench::refuse_text(const std::string& parameter, const std::string& reason) {
    clear_refused_text();
    remarks_.insert(remarks_.begin(), {Severity::refusal, parameter, reason});
    is_text_refused_ = true;
}

void Bench::clear_refused_text() {
    if (std::exchange(is_text_refused_, false)) remarks_.erase(remarks_.begin());
}

}  // namespace gridstride
