// The part of the session that knows about what a person makes: its runs come in the gaps between those of
// the bench, before a sweep's.
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
    run();
    making_.emplace(*lesson_, *make, what_is_made(*make), std::random_device{}());
    submit_next_of_making();
    changed();
}

/// Asked in every frame: only what a person can change is compared.
bool Session::making_is_old() const {
    const MakeBlock* const make = to_make();
    if (!making_ || !make) return false;
    const Experiment& judged = making_->asked();
    if (!make->exercise.empty()) {
        const auto edit = kernels_.find({lesson_->id, make->exercise});
        return edit == kernels_.end() ? judged.kernel.has_value() : judged.kernel != edit->second.source;
    }
    return std::ranges::any_of(make->find, [&](const std::string& name) {
        return name == "variant" ? bench_.variant != judged.variant
                                 : bench_.values.at(name) != judged.values.at(name);
    });
}

void Session::submit_next_of_making() {
    if (!is_judging() || !no_device_.empty() || bench_in_flight()) return;
    std::optional<lab::Request> request = making_->next_request(next_request_);
    if (making_->finished()) note_made();
    if (!request) return;
    ++next_request_;
    if (samples_ > 0) request->sampling.samples = samples_;
    if (sweep_) sweep_->put_back();
    client_.submit(std::move(*request));
}

void Session::note_made() {
    changed();
    if (making_->done()) learned_.made.insert(learned_key(making_->block().id));
}

/// What was judged so far stays, unless nothing was.
void Session::stop_judging() {
    if (!is_judging()) return;
    if (making_->in_flight())
        client_.cancel();
    else
        making_.reset();
}

}  // namespace gridstride
