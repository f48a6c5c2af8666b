#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "commands.h"
#include "jobs/exercise_job.h"
#include "jobs/run_job.h"
#include "lesson/kernel_file.h"
#include "progress_line.h"
#include "run_setup.h"
#include "shader/compiler.h"
#include "standard_output.h"

namespace gridstride::app {

namespace {

/// Returns the requested step, or the first with an exercise. Throws Refusal.
std::size_t find_exercise_step(const CourseEntry& entry, const Story& story, const MakeOptions& options) {
    std::optional<std::size_t> requested;
    if (!options.step.empty()) requested = find_step(entry, options.step);
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < story.steps.size(); ++i) {
        const bool makes = find_make_block(story.steps[i]) != nullptr;
        if (makes && requested.value_or(i) == i) return i;
        if (makes) steps.push_back(fmt::format("{} ({})", i + 1, story.steps[i].id));
    }
    if (steps.empty()) throw Refusal(fmt::format("{} has no exercises.", entry.id));
    throw Refusal(fmt::format("Step {} of {} has no exercise. Give --step one of: {}.", options.step,
                              entry.id, join(steps, ", ")));
}

std::string read_starter(const Lesson& lesson, const MakeBlock& make) {
    const Variant* const exercise = find_exercise(lesson, make.exercise);
    if (!exercise)
        throw Refusal(fmt::format(
            "{} has no exercise named {}. \"gridstride check {}\" reports the errors of its story.",
            lesson.id, make.exercise, lesson.id));
    return kernel_region(read_file(kernel_path(exercise->kernel)), "");
}

void require_matching_options(const MakeOptions& options, const MakeBlock& make) {
    if (!make.exercise.empty()) {
        if (!options.flags.empty() || options.has_variant_flag)
            throw Refusal("A kernel is checked at the values of the story. Leave out the other options.");
        return;
    }
    if (!options.kernel.empty())
        throw Refusal("This step asks for a setting, not for a kernel. Leave out --kernel.");
    std::vector<std::string> flags;
    for (const std::string& name : make.parameters_to_find)
        flags.push_back("--" + kebab_case(name));
    for (const ParameterText& flag : options.flags)
        if (std::ranges::find(make.parameters_to_find, flag.parameter->id) == make.parameters_to_find.end())
            throw Refusal(
                fmt::format("--{} is not part of the setting that this step asks for. Give only {}.",
                            kebab_case(flag.parameter->id), join(flags, ", ")));
    if (options.flags.empty() && !options.has_variant_flag)
        throw Refusal(fmt::format("This step asks for a setting. Give {}.", join(flags, ", ")));
}

void run_exercise_job(RunSetup& setup, const MakeOptions& options, ExerciseJob& exercise) {
    ProgressLine line;
    run_job(*setup.client, exercise, {.deadline_seconds = options.deadline_seconds, .interrupted = [&] {
                                          const JobProgress progress = exercise.progress();
                                          line.show(progress.done, progress.total,
                                                    exercise.block().id + " …");
                                          return is_interrupted();
                                      }});
}

void print_table(const Lesson& lesson, const ExerciseJob& exercise) {
    for (std::size_t i = 0; i < exercise.requirement_results().size(); ++i) {
        const RequirementResult& requirement_result = exercise.requirement_results()[i];
        print("{} {}", mark(requirement_result.judgement.result), exercise.block().requirements[i].sentence);
        if (requirement_result.all_cases > 0)
            print(" ({} of {})", requirement_result.cases, requirement_result.all_cases);
        if (!requirement_result.judgement.sentence.empty())
            print(": {}", requirement_result.judgement.sentence);
        print("\n");
        if (!requirement_result.refused.empty())
            print("  {} cannot run:\n", counted(requirement_result.refused.size(), "case"));
        for (const RefusedCase& one : requirement_result.refused)
            print("    {}{}\n", differing_values(lesson, one.experiment, exercise.experiment()), one.reason);
    }
    if (exercise.is_shipped_solution()) print("This is the shipped solution.\n");
}

nlohmann::ordered_json values_json(const Lesson& lesson, const Experiment& experiment) {
    nlohmann::ordered_json json;
    for (const Parameter& parameter : lesson.parameters)
        json[parameter.id] = format(parameter, experiment.values.at(parameter.id));
    return json;
}

nlohmann::ordered_json exercise_json(const Lesson& lesson, const Story& story, std::size_t step,
                                     const ExerciseJob& exercise) {
    nlohmann::ordered_json json = {{"schema_version", 1},
                                   {"lesson", lesson.id},
                                   {"step", step + 1},
                                   {"step_id", story.steps[step].id},
                                   {"title", story.steps[step].title},
                                   {"exercise", exercise.block().id},
                                   {"done", exercise.is_done()},
                                   {"requirements", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < exercise.requirement_results().size(); ++i) {
        const RequirementResult& requirement_result = exercise.requirement_results()[i];
        const std::optional<Estimate>& value = requirement_result.judgement.value;
        nlohmann::ordered_json one = {{"id", exercise.block().requirements[i].text},
                                      {"sentence", exercise.block().requirements[i].sentence},
                                      {"status", name(requirement_result.judgement.result)},
                                      {"cases", requirement_result.cases},
                                      {"refused_cases", nlohmann::ordered_json::array()},
                                      {"first_failure", nullptr},
                                      {"value", nullptr},
                                      {"found", requirement_result.judgement.sentence}};
        if (requirement_result.failing)
            one["first_failure"] = {{"variant", requirement_result.failing->variant},
                                    {"values", values_json(lesson, *requirement_result.failing)}};
        for (const RefusedCase& refused : requirement_result.refused)
            one["refused_cases"].push_back(
                {{"values", values_json(lesson, refused.experiment)}, {"reason", refused.reason}});
        if (value && std::isfinite(value->value)) one["value"] = value->value;
        json["requirements"].push_back(std::move(one));
    }
    json["is_shipped_solution"] = exercise.is_shipped_solution();
    if (!exercise.problem().empty()) json["problem"] = exercise.problem();
    return json;
}

}  // namespace

int run_command(const MakeOptions& options) {
    const Lesson& lesson = *options.lesson;
    const CourseEntry& entry = *find_course_entry(options.lesson_id);
    const Story story = load_story(lesson, text_language(), entry.story);
    const std::size_t step = find_exercise_step(entry, story, options);
    const MakeBlock& make = *find_make_block(story.steps[step]);
    require_matching_options(options, make);
    if (!make.exercise.empty() && options.kernel.empty()) {
        if (options.json) throw Refusal("--json prints the results of a kernel. Give --kernel FILE.comp.");
        print("{}", read_starter(lesson, make));
        print_status(
            "this is the starter of \"{}\". Change it, save it, and give it with --kernel FILE.comp.",
            story.steps[step].title);
        return exit_success;
    }
    // Only a program is checked with the default variant: a kernel is the exercise's, whose outputs differ.
    std::optional<KernelSource> kernel;
    if (!options.kernel.empty() && !lesson.has_programs()) kernel = read_kernel(options.kernel);
    RunSetup setup =
        prepare_runs(options, {.input = {}, .kernel = kernel ? decltype(options.kernel)() : options.kernel});
    if (!setup.device) {
        print_status("{}", setup.no_device_reason);
        return exit_lab_lost;
    }
    Experiment attempt = experiment_of_step(lesson, story, step);
    attempt.kernel = kernel ? kernel : setup.experiments.front().kernel;
    for (const std::string& name : make.parameters_to_find)
        if (name == "variant")
            attempt.variant = setup.experiments.front().variant;
        else
            attempt.values.set(name, setup.experiments.front().values.at(name));
    require_valid(prepare(lesson, attempt, *setup.device));

    ExerciseJob exercise(lesson, make, std::move(attempt), std::random_device{}());
    run_exercise_job(setup, options, exercise);
    if (!exercise.diagnostics().empty())
        write_stderr_line(shader::CompileResult{.diagnostics = exercise.diagnostics()}.text());
    if (!exercise.problem().empty()) print_status("{}", exercise.problem());
    if (options.json)
        print("{}\n", exercise_json(lesson, story, step, exercise).dump());
    else
        print_table(lesson, exercise);
    if (is_interrupted()) return exit_lab_lost;
    return exercise.is_done() ? exit_success : exit_mismatch;
}

}  // namespace gridstride::app
