#include "making/making.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace gridstride {

namespace {

using Result = Judgement::Result;

/// A whole launch of a million elements and more fits, where the device has the memory.
constexpr std::uint64_t most_records = std::uint64_t{2} << 20;
/// Of a ratio that the usual measuring does not decide.
constexpr double seconds_of_measuring_longer = 5;

/// In which turn a requirement is judged.
int turn_of(const MakeRequirement& requirement) {
    if (!requirement.what) return 0;
    return requirement.is_recorded() ? 1 : 2;
}

/// "elements = 33, seed = 7: ": what tells it from what was asked for. Empty: nothing does.
std::string where_it_fails(const Lesson& lesson, const Experiment& failing, const Experiment& asked) {
    std::vector<std::string> differing;
    for (const Parameter& parameter : lesson.parameters) {
        const Value& value = failing.values.at(parameter.id);
        if (value != asked.values.at(parameter.id))
            differing.push_back(fmt::format("{} = {}", parameter.id, format(parameter, value)));
    }
    return differing.empty() ? "" : joined(differing, ", ") + ": ";
}

}  // namespace

Making::Making(const Lesson& lesson, MakeBlock block, Experiment asked, std::uint64_t draw)
    : lesson_(lesson),
      block_(std::move(block)),
      asked_(std::move(asked)),
      standings_(block_.requirements.size()),
      order_(block_.requirements.size()) {
    // The lesson's own input, drawn by the seed.
    asked_.input = {};
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return turn_of(block_.requirements[i]); });
    for (std::size_t i = 0; i < standings_.size(); ++i) {
        const MakeRequirement& requirement = block_.requirements[i];
        if (requirement.what) continue;
        cases_ = cases_of(lesson_, experiment_of(requirement), draw);
        standings_[i].all_cases = cases_.size();
    }
}

bool Making::done() const {
    return std::ranges::all_of(standings_, &Standing::holds);
}

Experiment Making::experiment_of(const MakeRequirement& requirement) const {
    Experiment experiment = asked_;
    apply(lesson_, requirement.settings, experiment);
    return experiment;
}

const Report* Making::report_of(const Run& run) const {
    const auto found = std::ranges::find(reports_, run, [](const auto& one) { return one.first; });
    return found == reports_.end() ? nullptr : found->second.get();
}

std::optional<lab::Request> Making::next_request(std::uint64_t id) {
    if (in_air_) return std::nullopt;
    for (; !finished(); ++current_) {
        const MakeRequirement& requirement = block_.requirements[order_[current_]];
        Standing& standing = standings_[order_[current_]];
        if (!requirement.what) {
            if (standing.judged || next_case_ == cases_.size()) {
                if (!standing.judged)
                    finish(standing, standing.cases > 0 ? Result::ok : Result::undecided,
                           standing.cases > 0 ? "" : "This device can run none of the cases.");
                continue;
            }
            lab::Request request{.id = id, .experiment = cases_[next_case_]};
            request.sampling.measure = false;
            in_air_ = {id, std::nullopt};
            return request;
        }
        std::optional<Run> run = next_run(requirement, standing);
        if (!run) continue;
        lab::Request request{.id = id, .experiment = run->experiment};
        if (run->kind == Kind::recorded) {
            request.sampling.measure = false;
            request.recorded = lab::Recorded{.most_records = most_records};
        } else if (run->kind == Kind::measured_longer) {
            request.sampling.budget_seconds = seconds_of_measuring_longer;
            request.sampling.whole_budget = true;
        }
        in_air_ = {id, std::move(run)};
        return request;
    }
    return std::nullopt;
}

/// The next that its number needs; nullopt once it is judged.
std::optional<Making::Run> Making::next_run(const MakeRequirement& requirement, Standing& standing) {
    const bool is_wrong = std::ranges::any_of(standings_, [](const Standing& one) {
        return one.all_cases > 0 && one.judgement.result != Result::ok;
    });
    if (!requirement.is_recorded() && is_wrong) {
        finish(standing, Result::undecided, "It is measured once the answers are right.");
        return std::nullopt;
    }
    std::vector<Experiment> experiments{experiment_of(requirement)};
    if (!requirement.against.empty()) {
        Experiment& against = experiments.emplace_back(Experiment(experiments.front()));
        apply(lesson_, requirement.against, against);
        if (against.variant != asked_.variant) against.kernel.reset();
    }
    const std::vector<Kind> kinds = requirement.is_recorded()
                                        ? std::vector{Kind::recorded}
                                        : std::vector{Kind::measured, Kind::measured_longer};
    for (const Kind kind : kinds) {
        std::vector<const Report*> reports;
        for (const Experiment& experiment : experiments) {
            Run run{experiment, kind};
            reports.push_back(report_of(run));
            if (!reports.back()) return run;
        }
        standing.judgement = judge(requirement, reports);
        const bool runs_again = standing.judgement.result == Result::undecided && kind != kinds.back() &&
                                std::ranges::all_of(reports, &Report::measured);
        if (runs_again) continue;
        finish_number(requirement, standing, reports);
        break;
    }
    return std::nullopt;
}

/// Its judgement is there: what is said of it.
void Making::finish_number(const MakeRequirement& requirement, Standing& standing,
                           const std::vector<const Report*>& reports) {
    const Result result = standing.judgement.result;
    std::string sentence = std::move(standing.judgement.sentence);
    if (result == Result::undecided && standing.judgement.value && !requirement.is_recorded())
        sentence += " On this device that cannot be decided.";
    for (const Report* report : reports)
        if (!report->measured())
            sentence = report->message.empty() ? fmt::format("The run ended as {}.", name(report->status))
                                               : report->message;
    if (sentence.empty()) sentence = "This device does not say it.";
    if (result == Result::failed) standing.failing = reports.front()->experiment;
    finish(standing, result, std::move(sentence));
}

void Making::finish(Standing& standing, Result result, std::string sentence) {
    standing.judged = true;
    standing.judgement.result = result;
    standing.judgement.sentence = std::move(sentence);
}

bool Making::take(const Report& report) {
    if (!in_air_ || report.request != in_air_->id) return false;
    if (!report.final) return true;
    const InAir answered = *std::exchange(in_air_, std::nullopt);
    const bool compiles = std::ranges::none_of(
        report.diagnostics, [](const Diagnostic& one) { return one.level == DiagnosticLevel::error; });
    if (!compiles || report.status == Status::stopped) {
        give_up(report);
    } else if (answered.run) {
        auto kept = std::make_shared<Report>(report);
        kept->drop_arrays();
        reports_.emplace_back(*answered.run, std::move(kept));
    } else {
        judge_case(report);
    }
    return true;
}

void Making::judge_case(const Report& report) {
    Standing& standing = standings_[order_[current_]];
    const Experiment& tried = cases_[next_case_++];
    // The lesson or the device does not take every size; a program that is wrong is so in all of them.
    if (report.status == Status::refused && !report.has_errors()) {
        --standing.all_cases;
        return;
    }
    ++standing.cases;
    if (report.status == Status::ok) return;
    standing.failing = tried;
    const std::optional<Mismatch>& wrong = report.compare.first_mismatch;
    const std::string what = wrong && report.status == Status::mismatch
                                 ? fmt::format("{}[{}] is {}, and should be {}.", wrong->output, wrong->index,
                                               wrong->gpu, wrong->reference)
                                 : report.message;
    finish(standing, Result::failed, where_it_fails(lesson_, tried, asked_) + what);
}

/// Nothing can be judged any more.
void Making::give_up(const Report& report) {
    diagnostics_ = report.diagnostics;
    problem_ = report.status == Status::stopped ? "It was stopped."
               : report.kernel_name().empty()
                   ? report.message
                   : fmt::format("{} {}.", report.kernel_name(), lesson_.own_text().fails);
    for (Standing& standing : standings_)
        if (!standing.judged) finish(standing, Result::undecided, "");
    current_ = order_.size();
}

}  // namespace gridstride
