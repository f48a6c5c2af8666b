// The part of the session that knows about what a person makes.
#include <algorithm>
#include <random>
#include <utility>

#include "session/session.h"

namespace gridstride {

/// What is judged: the step's own experiment with the person's kernel as it stands in the editor, or with the
/// values that they set.
Experiment Session::what_is_made(const MakeBlock& make) const {
    Experiment made = experiment_of_step(*lesson_, story_, step_);
    const auto edit = kernels_.find(key_of(made));
    if (!make.exercise.empty() && edit != kernels_.end()) made.kernel = edit->second.source;
    for (const std::string& name : make.find)
        if (name == "variant")
            made.variant = bench_.variant;
        else
            made.values.set(name, bench_.values.at(name));
    return made;
}

void Session::judge_made() {
    const MakeBlock* const make = to_make();
    if (!make || !device_ || !valid()) return;
    stop_judging();
    run();
    exercise_ =
        std::make_shared<ExerciseJob>(*lesson_, *make, what_is_made(*make), std::random_device{}(), samples_);
    queue_.add(exercise_, JobPriority::exercise);
    if (!is_judging()) note_made();
    changed();
}

/// Asked in every frame: only what a person can change is compared.
bool Session::exercise_is_old() const {
    const MakeBlock* const make = to_make();
    if (!exercise_ || !make) return false;
    const Experiment& judged = exercise_->asked();
    if (!make->exercise.empty()) {
        const auto edit = kernels_.find({lesson_->id, make->exercise});
        return edit == kernels_.end() ? judged.kernel.has_value() : judged.kernel != edit->second.source;
    }
    return std::ranges::any_of(make->find, [&](const std::string& name) {
        return name == "variant" ? bench_.variant != judged.variant
                                 : bench_.values.at(name) != judged.values.at(name);
    });
}

void Session::note_made() {
    changed();
    if (exercise_->done()) learned_.made.insert(learned_key(exercise_->block().id));
}

}  // namespace gridstride
