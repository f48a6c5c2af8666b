#include "assignment/grading.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "assignment/mismatch_picture.h"
#include "base/csv.h"
#include "base/text.h"
#include "jobs/exercise_job.h"

namespace gridstride {

namespace {

using Result = RequirementJudgement::Result;

bool is_number(std::string_view column) {
    return column == "seed" || column == "points" || column == "max_points" ||
           column == "attempts_reported" || column == "answers_reported" || column == "question_count";
}

/// Removes and returns the requirements on times if they do not count on this device.
std::vector<MakeRequirement> take_timed(MakeBlock& block, const Assignment& assignment,
                                        const Limits& device) {
    std::vector<MakeRequirement> timed;
    if (assignment.timed_device == (device.is_cpu ? TimedDevice::cpu : TimedDevice::gpu)) return timed;
    std::erase_if(block.requirements, [&](const MakeRequirement& requirement) {
        if (!requirement.what || !measures_time(*requirement.what)) return false;
        timed.push_back(requirement);
        return true;
    });
    return timed;
}

/// Returns what was found about a requirement, without the seeds of its failing and refused cases.
std::string describe_finding(const Lesson& lesson, const RequirementResult& result,
                             const Experiment& answer) {
    std::string sentence = result.judgement.sentence;
    const auto remove_seed = [&](Experiment one) {
        const std::string values = differing_values(lesson, one, answer);
        const std::size_t at = sentence.find(values);
        one.values.set(key::seed.id, answer.values.at(key::seed.id));
        if (at != std::string::npos)
            sentence.replace(at, values.size(), differing_values(lesson, one, answer));
    };
    if (result.failing) remove_seed(*result.failing);
    if (!result.refused.empty()) remove_seed(result.refused.front().experiment);
    return sentence;
}

/// Returns why nothing was judged, with the first message of the compiler.
std::string describe_problem(const ExerciseJob& job) {
    if (job.diagnostics().empty()) return job.problem();
    const Diagnostic& first = job.diagnostics().front();
    return fmt::format("{} Line {}: {}", job.problem(), first.line, first.text);
}

void append(std::string& list, const std::string& entry) {
    list += (list.empty() ? "" : "; ") + entry;
}

/// Returns why an answer cannot be run at the values of its step although the starter can; empty if it can.
std::string find_refusal(const Lesson& lesson, const Experiment& attempt, const Limits& device) {
    const PreparedExperiment prepared = prepare(lesson, attempt, device);
    if (!prepared.plan.files.empty())
        return fmt::format("It saves {}, and a program that is handed in must not save files.",
                           quote_text(prepared.plan.files.front().file));
    Experiment starter = attempt;
    starter.kernel.reset();
    const auto refusal = std::ranges::find(prepared.remarks, Severity::refusal, &Remark::severity);
    if (refusal == prepared.remarks.end() || !prepare(lesson, starter, device).is_valid()) return {};
    return refusal->text;
}

/// Removes the assignment's folder from the names of files: the student must not see where it is on the
/// teacher's machine.
std::string remove_folder(std::string text, const std::filesystem::path& folder) {
    std::error_code ignored;
    for (const auto& one : {std::filesystem::weakly_canonical(folder, ignored), folder}) {
        const std::string prefix = printable((one / "").string());
        for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
            text.erase(at, prefix.size());
    }
    return text;
}

/// Returns the grade without points.
ExerciseGrade describe_job(const Lesson& lesson, const ExerciseJob& job,
                           const std::vector<MakeRequirement>& timed, bool has_timed_out) {
    ExerciseGrade grade;
    for (std::size_t i = 0; i < job.requirement_results().size(); ++i) {
        const RequirementResult& result = job.requirement_results()[i];
        grade.requirements.push_back({job.block().requirements[i], result.judgement.result,
                                      describe_finding(lesson, result, job.experiment())});
    }
    for (const MakeRequirement& requirement : timed)
        grade.requirements.push_back({requirement, Result::undecided, "Times do not count on this device."});
    GradeRow& row = grade.row;
    bool any_ok = false, any_failed = !job.problem().empty(), matches_is_undecided = false;
    if (any_failed && !has_timed_out) row["first_failure"] = grade.problem = describe_problem(job);
    for (const auto& [requirement, result, finding] : grade.requirements) {
        const std::string words = fmt::format("{}: {}", requirement.text, finding);
        append(row["requirements"], fmt::format("{}: {}", requirement.text, name(result)));
        any_ok = any_ok || result == Result::ok;
        any_failed = any_failed || result == Result::failed;
        if (result == Result::failed && row["first_failure"].empty())
            row["first_failure"] = requirement.what ? words : finding;
        if (result != Result::undecided) continue;
        matches_is_undecided = matches_is_undecided || !requirement.what;
        if (job.problem().empty()) append(row["undecided"], words);
    }
    row["status"] = has_timed_out                     ? "timed_out"
                    : any_failed                      ? "failed"
                    : matches_is_undecided || !any_ok ? "undecided"
                                                      : "done";
    if (job.is_shipped_solution()) row["remark"] = "the shipped solution";
    return grade;
}

}  // namespace

std::string get_cell(const GradeRow& row, std::string_view column) {
    const auto found = row.find(column);
    return found == row.end() ? std::string() : found->second;
}

std::string format_grade_header() {
    return format_csv_record({grade_columns.begin(), grade_columns.end()});
}

std::string format_grade_row(const GradeRow& row) {
    std::vector<std::string> fields;
    for (const std::string_view column : grade_columns) {
        const std::string text = printable(get_cell(row, column));
        fields.push_back(is_number(column) ? text : escape_csv_text(text));
    }
    return format_csv_record(fields);
}

nlohmann::ordered_json grade_row_json(const GradeRow& row) {
    nlohmann::ordered_json json;
    for (const std::string_view column : grade_columns) {
        const std::string text = get_cell(row, column);
        const auto number = parse_number<std::uint64_t>(text);
        if (!is_number(column))
            json[column] = text;
        else if (number)
            json[column] = *number;
        else
            json[column] = nullptr;
    }
    return json;
}

std::optional<ExerciseGrade> grade_exercise(lab::Client& client, const Assignment& assignment,
                                            const AssignedExercise& exercise, const std::string& text,
                                            std::uint64_t seed, JobOptions options) {
    const Lesson& lesson = *exercise.entry->lesson;
    const Limits device = client.limits();
    Experiment attempt = exercise.experiment;
    // Without a folder, a kernel cannot include files of the teacher's. A program may read the assignment's
    // data.
    attempt.kernel = KernelSource{.text = text, .name = exercise.block.id};
    if (lesson.has_programs()) attempt.kernel->folder = (assignment.folder / data_folder).string();
    if (std::string reason = find_refusal(lesson, attempt, device); !reason.empty()) {
        reason = remove_folder(reason, assignment.folder);
        return ExerciseGrade{.row = {{"status", "failed"},
                                     {"points", "0"},
                                     {"first_failure", reason},
                                     {"device", device.device_name}},
                             .problem = reason};
    }
    MakeBlock block = exercise.block;
    const std::vector<MakeRequirement> timed = take_timed(block, assignment, device);
    ExerciseJob job(lesson, std::move(block), std::move(attempt), seed);
    bool has_timed_out = false;
    std::string picture;
    const auto interrupted = std::move(options.interrupted);
    options.interrupted = [&] { return has_timed_out || interrupted(); };
    options.on_report = [&](const Report& report) {
        has_timed_out = has_timed_out || report.status == Status::timed_out;
        if (picture.empty()) picture = draw_mismatch(report);
    };
    if (!run_job(client, job, options) && !has_timed_out) return std::nullopt;
    ExerciseGrade grade = describe_job(lesson, job, timed, has_timed_out);
    grade.picture = std::move(picture);
    GradeRow& row = grade.row;
    if (row["status"] == "done")
        row["points"] = std::to_string(exercise.points);
    else if (row["status"] != "undecided")
        row["points"] = "0";
    for (const char* const column : {"first_failure", "undecided"})
        row[column] = remove_folder(row[column], assignment.folder);
    grade.problem = remove_folder(grade.problem, assignment.folder);
    for (GradedRequirement& one : grade.requirements)
        one.finding = remove_folder(one.finding, assignment.folder);
    row["device"] = device.device_name;
    return grade;
}

GradeRow grade_answers(const Assignment& assignment, const HandIn& hand_in) {
    std::size_t answer_count = 0;
    for (const AssignedLesson& lesson : assignment.lessons)
        answer_count +=
            static_cast<std::size_t>(std::ranges::count_if(lesson.question_ids, [&](const auto& id) {
                return hand_in.answered.contains({lesson.entry->lesson->id, id});
            }));
    const std::size_t questions = assignment.count_questions();
    const std::size_t points = questions == 0 ? 0 : assignment.answer_points * answer_count / questions;
    return {{"exercise", "answers"},
            {"status", "reported"},
            {"points", std::to_string(points)},
            {"max_points", std::to_string(assignment.answer_points)},
            {"answers_reported", std::to_string(answer_count)},
            {"question_count", std::to_string(questions)}};
}

}  // namespace gridstride
