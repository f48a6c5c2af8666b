#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "assignment/assignment.h"
#include "assignment/lesson_pack.h"
#include "assignment/zip_file.h"
#include "base/elapsed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "client/start_lab.h"
#include "commands.h"
#include "jobs/question_job.h"
#include "jobs/record_questions.h"
#include "lesson/nouns.h"
#include "progress_line.h"
#include "standard_output.h"
#include "text_lesson/folder_checker.h"
#include "text_lesson/lesson_folders.h"

namespace gridstride::app {

namespace {

namespace fs = std::filesystem;

/// Makes a title of an id: "divergent_branches" becomes "Divergent branches".
std::string title_of(std::string id) {
    std::ranges::replace(id, '_', ' ');
    if (!id.empty() && id[0] >= 'a' && id[0] <= 'z') id[0] = static_cast<char>(id[0] - 'a' + 'A');
    return id;
}

std::string replace_all(std::string text, std::string_view from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// Copies the example lesson, with the title that the folder's name suggests. The folder must not exist.
int create_lesson(const fs::path& folder) {
    const fs::path target = fs::absolute(folder).lexically_normal();
    if (const std::string id = target.filename().string(); !text_lesson::is_lesson_id(id))
        throw Refusal(
            "The folder's name is the lesson's id, and {} is not one. Use lowercase letters, digits and _, "
            "beginning with a letter.",
            quote_text(id));
    if (find_lesson(target.filename().string()))
        throw Refusal("There is a lesson {} already. Give the folder another name.",
                      target.filename().string());
    if (fs::exists(target))
        throw FileError(fmt::format("{} exists already. Give the name of a new folder.", quote_path(target)));
    const fs::path example = data_directory() / "examples" / "multiples";
    create_folders(target);
    for (const fs::directory_entry& entry : fs::directory_iterator(example)) {
        std::string text = read_file(entry.path());
        if (entry.path().extension() != ".comp")
            text = replace_all(std::move(text), "Multiples", title_of(target.filename().string()));
        write_file(target / entry.path().filename(), text);
    }
    print("Wrote a lesson that works to {}. Change it, and check it with \"gridstride lesson check {}\".\n",
          quote_path(target), folder.string());
    return exit_success;
}

/// Returns options of jobs that show `words` and the time that has passed, until the user interrupts.
JobOptions options_with_progress(ProgressLine& line, std::string words) {
    return {.interrupted = [&line, words = std::move(words), start = std::chrono::steady_clock::now()] {
        line.show(std::nullopt, fmt::format("{}, {} elapsed", words, format_duration(seconds_since(start))));
        return is_interrupted();
    }};
}

/// Prints the answer to each question of a story, as this device decides it. Returns the number of questions
/// without one, and of those whose `near:` is the answer.
std::size_t decide_questions(lab::Client& client, const CourseEntry& entry) {
    const Story story = load_story(*entry.lesson, "en", entry.story);
    ProgressLine line;
    const RecordedLessonAnswers recorded =
        record_questions(client, entry, options_with_progress(line, entry.id + ": deciding the questions"));
    line.clear();
    for (const std::string& problem : recorded.problems)
        print_status("{}", problem);
    std::size_t errors = recorded.problems.size();
    for (const DeviceAnswers::Question& answer : recorded.answers) {
        const QuestionPlace place = *find_question(story, answer.id);
        const PredictBlock& question = get_question(story.steps[place.step], place.block);
        print("{}, step {}, {}: {}\n", entry.id, place.step + 1, answer.id,
              describe_values(question, answer.values));
        if (!question.guess) continue;
        const double right = answer.values.front().value;
        for (const PredictGuess::CommonGuess& near : question.guess->common_guesses)
            if (std::abs(near.number - right) <= question.guess->within * std::abs(right)) {
                print_status("{}:{}: near: {} is the right answer on this device. Remove it.", story.file,
                             question.line, near.number);
                ++errors;
            }
    }
    return errors;
}

/// Traces each variant at a small size. Prints an error for each with accesses outside an array, and returns
/// their number. Variants that are wrong on purpose may have such accesses.
std::size_t trace_variants(lab::Client& client, const Lesson& lesson) {
    std::size_t errors = 0;
    ProgressLine line;
    for (const Variant& variant : lesson.variants) {
        Experiment experiment = default_experiment(lesson);
        experiment.variant = variant.id;
        for (const std::string& dimension : lesson.domain)
            experiment.values.set(dimension,
                                  lesson.domain.size() == 1 ? std::uint64_t{1000} : std::uint64_t{30});
        if (is_wrong_on_purpose(lesson, experiment)) continue;
        PredictBlock question{.value = {.value = {.metric = "out_of_bounds"}}, .guess = PredictGuess{}};
        QuestionJob job(lesson, question, experiment, Answer{.guess = 0});
        const bool is_done = run_job(
            client, job, options_with_progress(line, fmt::format("{}: tracing {}", lesson.id, variant.id)));
        line.clear();
        if (!is_done) return errors;
        const double count = job.outcome() ? job.outcome()->values.front().value : 0;
        if (count == 0) continue;
        print_status(
            "{}: {} has {} outside an array with {}. Check its indices, or say wrong_on_purpose = "
            "true.",
            lesson.id, variant.id, counted(static_cast<std::uint64_t>(count), "access", "accesses"),
            counted_plural(lesson.domain_extent(experiment.values).product(), lesson.noun));
        ++errors;
    }
    return errors;
}

int check_lessons(const LessonFolderOptions& options) {
    std::size_t count = 0;
    std::vector<std::string> valid_lessons;
    for (const fs::path& folder : text_lesson::find_lesson_folders(options.folder)) {
        const std::vector<std::string> errors = text_lesson::reload_lesson(folder.string());
        for (const std::string& error : errors)
            print("{}\n", error);
        count += errors.size();
        if (errors.empty()) valid_lessons.push_back(folder.filename().string());
    }
    if (count == 0 && fs::exists(fs::path(options.folder) / assignment_file)) {
        try {
            read_assignment(options.folder);
        } catch (const Refusal& refused) {
            for (const std::string& error : refused.reasons)
                print("{}\n", error);
            count = refused.reasons.size();
        }
    }
    if (count > 0) {
        print_status("{}", counted(count, "error"));
        return exit_mismatch;
    }
    print("No errors in {}.\n", join(valid_lessons, ", "));
    if (!options.run) return exit_success;
    int code = exit_success;
    const auto client = lab::start_lab({.device = options.device});
    std::size_t errors = 0;
    for (const std::string& id : valid_lessons) {
        const Lesson& lesson = *find_lesson(id);
        errors += trace_variants(*client, lesson);
        for (const CourseEntry* entry : course_entries(lesson))
            errors += decide_questions(*client, *entry);
        code = std::max(code, run_command(CheckOptions{.lesson = id, .device = options.device}));
    }
    return errors > 0 ? exit_mismatch : code;
}

/// Writes the files below a folder, which need not exist.
void write_files(const fs::path& folder, const std::map<std::string, std::string>& files) {
    for (const auto& [name, content] : files) {
        create_folders((folder / name).parent_path());
        write_file(folder / name, content);
    }
}

/// Returns the errors of a packed folder, with file names within it.
std::vector<std::string> find_pack_errors(const std::map<std::string, std::string>& files) {
    std::string folder = (fs::temp_directory_path() / "gridstride-pack-XXXXXX").string();
    if (!mkdtemp(folder.data())) throw_cannot_write(folder, write_error_text(errno));
    std::vector<std::string> errors;
    try {
        write_files(folder, files);
        for (const fs::path& one : text_lesson::find_lesson_folders(folder))
            std::ranges::move(text_lesson::check_folder(one).errors, std::back_inserter(errors));
        if (errors.empty() && files.contains(assignment_file)) read_assignment(folder);
    } catch (const Refusal& refused) {
        errors = refused.reasons;
    } catch (...) {
        fs::remove_all(folder);
        throw;
    }
    fs::remove_all(folder);
    for (std::string& error : errors)
        error = replace_all(std::move(error), folder + '/', "");
    return errors;
}

int pack_lessons(const LessonFolderOptions& options) {
    if (options.readers.empty()) throw Refusal("pack needs --for students, who get no solutions. Add it.");
    const fs::path folder = text_lesson::lesson_folder_of(options.folder);
    const fs::path output = options.output.empty() ? folder.string() + "_students" : options.output;
    if (fs::exists(output))
        throw FileError(
            fmt::format("{} exists already. Remove it, or give --output another name.", quote_path(output)));
    const std::map<std::string, std::string> files = pack_for_students(folder);
    const std::vector<std::string> errors = find_pack_errors(files);
    for (const std::string& error : errors)
        print("{}\n", error);
    if (!errors.empty()) {
        print_status("{}. Nothing was written.", counted(errors.size(), "error"));
        return exit_mismatch;
    }
    if (output.extension() == ".zip")
        write_zip(output, files);
    else
        write_files(output, files);
    for (const auto& [name, content] : files)
        print("{}\n", name);
    print_status("wrote these {} to {}.", counted(files.size(), "file"), quote_path(output));
    return exit_success;
}

}  // namespace

int run_command(const LessonFolderOptions& options) {
    if (options.action == "new") return create_lesson(options.folder);
    return options.action == "pack" ? pack_lessons(options) : check_lessons(options);
}

}  // namespace gridstride::app
