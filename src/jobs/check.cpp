#include "jobs/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "figures/figures.h"
#include "jobs/exercise_job.h"
#include "jobs/run_job.h"
#include "lesson/kernel_file.h"
#include "progress/device_answers.h"
#include "story/story_errors.h"

namespace gridstride {

namespace {

/// The workgroups and grids to test for one, two and three dimensions. The sizes in several dimensions have
/// about as many invocations as those in one, and unequal sides.
struct LaunchSizes {
    std::string_view workgroup, workgroups, grid, grids;
};
constexpr LaunchSizes tested_launches[] = {
    {key::workgroup_size.id, "1,7,32,64,96,256,1024", key::workgroup_count.id, "1,3,auto"},
    {key::workgroup.id, "1x1,7x1,8x4,3x32,16x16,32x32", key::grid.id, "1x1,3x2,auto"},
    {key::workgroup.id, "1x1x2,7x1x2,8x4x2,3x32x2,16x16x2,32x32x2", key::grid.id, "1x1x2,3x2x2,auto"}};

/// Counting loop iterations takes a second run of a slower kernel, so only some sizes do it: large enough for
/// several passes of a small grid, small enough for one slice.
bool counts_loops(const Lesson& lesson, const Values& values) {
    const std::uint64_t elements = lesson.domain_extent(values).product();
    return elements > 100 && elements < 2000;
}

/// Returns every combination of domain, workgroup and grid to test, on top of `base`.
std::vector<Values> launch_settings(const Lesson& lesson, const Values& base, bool full) {
    std::vector<std::uint64_t> elements = {1, 2, 31, 32, 33, 1000, 100003};
    if (full) elements.push_back(4000000);
    // A program's tensors may have a thousand times as many elements as its size parameter.
    if (lesson.has_programs()) elements = {1, 2, 33, 257};
    const LaunchSizes& sizes = tested_launches[requested_workgroup(base).dimensions() - 1];
    const auto values_of = [&](std::string_view id, std::string_view texts) {
        std::vector<Value> values;
        for (const std::string_view text : split(texts, ','))
            values.push_back(parse(*find(lesson.parameters, id), text));
        return values;
    };
    const std::vector<Value> workgroups = values_of(sizes.workgroup, sizes.workgroups);
    const std::vector<Value> grids = values_of(sizes.grid, sizes.grids);
    std::vector<Values> all;
    for (const Value& workgroup : workgroups)
        for (const std::uint64_t count : elements)
            for (const Value& grid : grids) {
                Values values = base;
                set_domain(lesson, count, values);
                values.set(sizes.workgroup, workgroup);
                values.set(sizes.grid, grid);
                all.push_back(std::move(values));
            }
    return all;
}

/// Returns every combination of the lesson's own choices, except those that make the answer wrong on purpose.
/// Counts and reals keep their default values.
std::vector<Values> combinations(const Lesson& lesson) {
    std::vector<Values> all{Values(lesson.parameters)};
    for (const Parameter& parameter : lesson.parameters) {
        if (!parameter.is_choice()) continue;
        std::vector<Values> more;
        for (const Values& values : all) {
            for (std::uint32_t i = 0; i < parameter.choices.size(); ++i) {
                if (parameter.choices[i].wrong_on_purpose) continue;
                more.push_back(values);
                more.back().set(parameter.id, ChoiceIndex{i});
            }
        }
        all = std::move(more);
    }
    return all;
}

std::string describe(const Lesson& lesson, const Values& values) {
    std::string text;
    for (const Parameter& parameter : lesson.parameters)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", parameter.id,
                            format(parameter, values.at(parameter.id)));
    return text;
}

class NameSearch {
 public:
    NameSearch(lab::Client& client, const Lesson& lesson, const std::function<bool()>& interrupted)
        : client_(client), lesson_(lesson), interrupted_(interrupted) {}

    std::vector<std::string> search_unknown_names(const Story& story) {
        const std::vector<Experiment> experiments = collect_experiments(lesson_, story);
        std::vector<std::string> unknown = find_unknown_names(story, names_);
        for (const bool as_written : {false, true})
            for (const Experiment& experiment : experiments) {
                if (unknown.empty() || interrupted_()) return {};
                run(as_written ? experiment : make_small(experiment));
                unknown = find_unknown_names(story, names_);
            }
        // On a device that cannot run any of the experiments, nothing is known about the names.
        if (reports_.empty()) return {};
        return unknown;
    }

 private:
    void run(const Experiment& experiment) {
        lab::Request request;
        request.id = next_id_++;
        request.experiment = experiment;
        request.sampling.samples = 1;
        Report report = lab::run_and_wait(client_, std::move(request), interrupted_);
        if (!report.is_measured()) return;
        reports_.push_back(std::move(report));
        std::vector<const Report*> history;
        for (const Report& one : reports_)
            history.push_back(&one);
        Report& last = reports_.back();
        for (const Fact& fact : last.result)
            names_.facts.insert(fact.id);
        const PreparedExperiment prepared = prepare(lesson_, last.experiment, client_.limits());
        for (const Plot& plot : make_plots({prepared, &last, history}))
            names_.plots.insert(plot.id);
        // Plots of earlier runs do not need their arrays.
        last.drop_arrays();
    }

    /// Returns the experiment with a small domain if the lesson allows it: names rarely depend on the size.
    Experiment make_small(const Experiment& experiment) {
        const std::uint64_t max_extent = lesson_.domain.size() == 1 ? 1000 : 30;  // along each dimension
        Experiment reduced = experiment;
        for (const std::string& dimension : lesson_.domain)
            reduced.values.set(dimension,
                               std::min(std::get<std::uint64_t>(reduced.values.at(dimension)), max_extent));
        return prepare(lesson_, reduced, client_.limits()).is_valid() ? reduced : experiment;
    }

    lab::Client& client_;
    const Lesson& lesson_;
    const std::function<bool()>& interrupted_;
    std::uint64_t next_id_ = 1;
    std::vector<Report> reports_;
    RunNames names_;
};

/// Grades the kernel against the requirements that do not depend on measured times, because those depend on
/// the machine. If `all` is false, grading stops at the first requirement that fails.
ExerciseJob grade(lab::Client& client, const Lesson& lesson, const Story& story, std::size_t step,
                  const std::string& kernel, bool all, const std::function<bool()>& interrupted) {
    MakeBlock exact = *find_make_block(story.steps[step]);
    std::erase_if(exact.requirements,
                  [](const MakeRequirement& one) { return one.what && !one.uses_trace(); });
    Experiment experiment = experiment_of_step(lesson, story, step);
    experiment.kernel = read_shipped_kernel(kernel);
    ExerciseJob exercise(lesson, std::move(exact), std::move(experiment), /*random_seed=*/1);
    exercise.set_grade_all(all);
    run_job(client, exercise, {.interrupted = interrupted});
    return exercise;
}

/// Checks that the solution of each exercise of the story fulfils every requirement, and that its starter
/// does not. Adds the exercises to `checked`.
std::vector<std::string> find_exercise_errors(lab::Client& client, const Lesson& lesson, const Story& story,
                                              std::set<std::string>& checked,
                                              const std::function<bool()>& interrupted) {
    std::vector<std::string> errors;
    for (std::size_t step = 0; step < story.steps.size(); ++step) {
        const MakeBlock* const make = find_make_block(story.steps[step]);
        const Variant* const exercise = make ? find_exercise(lesson, make->exercise) : nullptr;
        if (!exercise || exercise->solution.empty()) continue;
        checked.insert(exercise->id);
        const auto say = [&](const std::string& reason) {
            errors.push_back(
                format_story_error(story.file, make->line, story.steps[step].title, "make: " + reason));
        };
        const ExerciseJob solved =
            grade(client, lesson, story, step, exercise->solution, /*all=*/true, interrupted);
        if (!solved.problem().empty()) {
            std::string reason = fmt::format("{} cannot be judged: {}", exercise->solution, solved.problem());
            for (const Diagnostic& one : solved.diagnostics())
                reason += fmt::format("\n{}:{}: {}", one.file, one.line, one.text);
            say(reason);
            continue;
        }
        for (std::size_t i = 0; i < solved.requirement_results().size(); ++i) {
            const RequirementResult& result = solved.requirement_results()[i];
            const MakeRequirement& requirement = solved.block().requirements[i];
            if (result.holds()) continue;
            const bool needs_smaller_trace =
                requirement.uses_trace() &&
                result.judgement.result == RequirementJudgement::Result::undecided;
            say(fmt::format("{} does not fulfil \"{}\": {}{}", exercise->solution, requirement.text,
                            result.judgement.sentence,
                            needs_smaller_trace
                                ? fmt::format(" Trace a smaller run: add | at {} = 1000 to the "
                                              "requirement, or a block ```set to the step.",
                                              lesson.domain.front())
                                : ""));
        }
        const bool is_timed = solved.block().requirements.size() < make->requirements.size();
        if (!is_timed &&
            grade(client, lesson, story, step, exercise->kernel, /*all=*/false, interrupted).is_done())
            say(exercise->kernel + " already meets every requirement, so the exercise has nothing to do.");
        if (interrupted()) return {};
    }
    return errors;
}

}  // namespace

void check_lesson(lab::Client& client, const Lesson& lesson, bool full, const std::function<bool()>& includes,
                  const std::function<void(const CheckRow&)>& on_row,
                  const std::function<bool()>& interrupted) {
    std::vector<Values> settings;
    for (const Values& base : combinations(lesson))
        std::ranges::move(launch_settings(lesson, base, full), std::back_inserter(settings));
    std::uint64_t next_id = 1;
    const auto run = [&](const Variant& variant, const std::optional<KernelSource>& kernel,
                         const Values& values) {
        lab::Request request;
        request.id = next_id++;
        request.experiment = {lesson.id, variant.id, values, {}, kernel, lesson.version};
        request.sampling.measure = false;
        request.count_loops = counts_loops(lesson, values);
        return lab::run_and_wait(client, std::move(request), interrupted);
    };
    const auto check = [&](const Variant& variant, const std::optional<KernelSource>& kernel, CheckRow& row) {
        for (const Values& values : settings) {
            if (interrupted()) return;
            const Report report = run(variant, kernel, values);
            if (report.status == Status::refused && !report.has_errors()) {
                if (row.refused++ == 0) row.first_refused = describe(lesson, values) + ": " + report.message;
                continue;
            }
            ++row.runs;
            if (report.status == Status::wrong_on_purpose)
                ++row.wrong_on_purpose;
            else if (report.status != Status::ok && row.wrong++ == 0)
                row.first_wrong = describe(lesson, values) + ": " + report.message;
            // The other settings would take as long.
            if (report.status == Status::timed_out) {
                row.first_wrong = describe(lesson, values) + ": " + report.message;
                return;
            }
        }
    };
    const auto row_for = [&](const Variant& variant, const auto& fill) {
        if (!includes()) return;
        const auto start = std::chrono::steady_clock::now();
        CheckRow row{lesson.id, variant.id};
        fill(row);
        if (interrupted()) return;
        row.seconds = seconds_since(start);
        on_row(row);
    };
    for (const Variant& variant : lesson.variants)
        row_for(variant, [&](CheckRow& row) { check(variant, std::nullopt, row); });
    for (const Variant& exercise : lesson.exercises)
        if (!exercise.solution.empty())
            row_for(exercise, [&](CheckRow& row) {
                try {
                    check(exercise, read_shipped_kernel(exercise.solution), row);
                } catch (const FileError& error) {
                    row.first_wrong = error.what();
                    ++row.wrong;
                }
            });
}

std::vector<std::string> check_stories(lab::Client& client, const Lesson& lesson,
                                       const std::function<bool()>& interrupted) {
    std::vector<std::string> errors;
    NameSearch search(client, lesson, interrupted);
    const auto add = [&](const std::vector<std::string>& more) {
        errors.insert(errors.end(), more.begin(), more.end());
    };
    std::set<std::string> checked;
    add(find_missing_stories(lesson));
    add(find_shared_ids(lesson));
    bool all_stories_read = true;
    for (const StoryFile& file : story_files(lesson)) {
        try {
            const Story story = read_story_file(file.path);
            add(find_story_errors(lesson, story));
            if (const CourseEntry* const entry = find_course_entry(course_entry_id(lesson, file.name)))
                add(find_device_answer_errors(*entry, story));
            add(find_id_differences(story, load_story(lesson, "en", file.name)));
            add(search.search_unknown_names(story));
            add(find_exercise_errors(client, lesson, story, checked, interrupted));
        } catch (const StoryError& error) {
            add(error.errors);
            all_stories_read = false;
        } catch (const FileError& error) {
            add({error.what()});
            all_stories_read = false;
        }
    }
    // A story that cannot be read may use them.
    for (const Variant& exercise : lesson.exercises)
        if (all_stories_read && !checked.contains(exercise.id) && !interrupted())
            errors.push_back(
                fmt::format("{}: no step of a story uses the exercise {}: add a block ```make {}", lesson.id,
                            exercise.id, exercise.id));
    return errors;
}

}  // namespace gridstride
