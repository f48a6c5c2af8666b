#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "assignment/grading.h"
#include "assignment/report_page.h"
#include "assignment/similarity.h"
#include "assignment/zip_file.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "client/start_lab.h"
#include "commands.h"
#include "csv_rows.h"
#include "lesson/kernel_file.h"
#include "progress_line.h"
#include "standard_output.h"

namespace gridstride::app {

namespace {

namespace fs = std::filesystem;

/// A file of the class.
struct Submission {
    std::string file;
    std::string hash;
    HandIn hand_in;
    std::string problem;  ///< why it cannot be read; empty if it can
    std::string remark;
};

/// Throws FileError with a message that continues one about the file.
std::string read_hand_in(const fs::path& path) {
    // A link may lead to a file of the teacher's.
    if (!fs::is_regular_file(fs::symlink_status(path))) throw FileError("it is a folder, a link or a device");
    if (fs::file_size(path) > max_hand_in_bytes)
        throw FileError(fmt::format("it has {}, and the limit is {}", format_byte_text(fs::file_size(path)),
                                    format_byte_text(max_hand_in_bytes)));
    return read_file(path, max_hand_in_bytes);
}

/// `read` returns the file's text.
Submission make_submission(const std::string& name, const std::function<std::string()>& read) {
    Submission submission{.file = printable(name)};
    try {
        const std::string text = read();
        submission.hash = hash_text(text);
        submission.hand_in = parse_hand_in(text);
    } catch (const std::exception& error) {
        submission.problem = fmt::format("Nothing was judged, because {}.", error.what());
    }
    return submission;
}

/// Reads all files of a .zip, but hidden ones.
std::vector<Submission> read_zip_submissions(const fs::path& path) {
    std::vector<Submission> submissions;
    std::set<std::string> names;
    read_zip(path, max_hand_in_bytes, [&](const ZipEntry& entry) {
        if (fs::path(entry.name).filename().native().starts_with('.')) return;
        submissions.push_back(make_submission(entry.name, [&] {
            if (!entry.problem.empty()) throw FileError(entry.problem);
            if (!names.insert(entry.name).second)
                throw FileError("the archive has another file of this name");
            return entry.content;
        }));
    });
    return submissions;
}

bool is_same_student(const Submission& a, const Submission& b) {
    return a.problem.empty() && b.problem.empty() && a.hand_in.number == b.hand_in.number;
}

/// If several files have the same number, keeps the last of those on the teacher's list, and those that are
/// not on it.
void drop_replaced(std::vector<Submission>& submissions, const std::vector<std::string>& received) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < received.size(); ++i)
        places[received[i]] = i;
    std::vector<Submission> newest;
    for (const Submission& one : submissions) {
        const auto replaces = [&](const Submission& other) {
            return is_same_student(one, other) && places.contains(one.file) && places.contains(other.file) &&
                   places[other.file] > places[one.file];
        };
        if (const auto newer = std::ranges::find_if(submissions, replaces); newer == submissions.end())
            newest.push_back(one);
        else
            print_status("{} is left out: {} has the same number and is newer.", one.file, newer->file);
    }
    for (Submission& one : newest)
        if (std::ranges::count_if(newest,
                                  [&](const Submission& other) { return is_same_student(one, other); }) > 1)
            one.remark = "another file has the same number";
    submissions = std::move(newest);
}

/// Reads all files of a folder, but hidden ones and `others`.
std::vector<Submission> read_folder_submissions(const fs::path& folder, const std::vector<fs::path>& others) {
    std::vector<Submission> submissions;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const auto is_entry = [&](const fs::path& other) {
            std::error_code missing;
            return fs::equivalent(*entry, other, missing);
        };
        if (!entry->path().filename().native().starts_with('.') && std::ranges::none_of(others, is_entry))
            submissions.push_back(make_submission(entry->path().filename().native(),
                                                  [&] { return read_hand_in(entry->path()); }));
    }
    if (error) throw FileError(fmt::format("Cannot read {}: {}.", quote_path(folder), error.message()));
    return submissions;
}

/// Returns the hand-ins of a folder or a .zip, sorted by name.
std::vector<Submission> read_submissions(const fs::path& path, const std::vector<fs::path>& others) {
    std::vector<Submission> submissions =
        fs::is_regular_file(path) ? read_zip_submissions(path) : read_folder_submissions(path, others);
    if (submissions.empty())
        throw FileError(
            fmt::format("{} has no files. Give the folder or the .zip of the hand-ins.", quote_path(path)));
    std::ranges::sort(submissions, {}, &Submission::file);
    return submissions;
}

using RowKey = std::pair<std::string, std::string>;  ///< file, exercise with its lesson

RowKey key_of(const GradeRow& row) {
    return {get_cell(row, "file"), get_cell(row, "lesson") + ' ' + get_cell(row, "exercise")};
}

/// Reads the rows that an earlier run has written. Throws Refusal if it graded another assignment.
std::map<RowKey, GradeRow> read_rows(const std::string& csv, const Assignment& assignment) {
    std::map<RowKey, GradeRow> rows;
    if (csv == "-" || !fs::exists(csv)) return rows;
    for_each_csv_record(read_file(csv), ',', [&](std::size_t line, const std::vector<std::string>& fields) {
        const bool is_whole = fields.size() == grade_columns.size();
        if (line == 1 && !(is_whole && std::ranges::equal(fields, grade_columns)))
            throw Refusal(
                "{} is not a table of grades of this version of gridstride. Give --csv another file.",
                quote_path(csv));
        if (line == 1 || !is_whole) return;
        GradeRow row;
        for (std::size_t i = 0; i < fields.size(); ++i)
            row.emplace(grade_columns[i], unescape_csv_text(fields[i]));
        if (row["assignment"] != assignment.version)
            throw Refusal(
                "{} has the grades of another assignment, or of one that was changed since. Give --csv "
                "another file.",
                quote_path(csv));
        rows.emplace(key_of(row), std::move(row));
    });
    return rows;
}

/// Returns the seed of the rows, which all rows share, or else a random one.
std::uint32_t choose_seed(const GradeOptions& options, const std::map<RowKey, GradeRow>& known) {
    if (known.empty() && options.shard.count > 1 && !options.seed)
        throw Refusal("The parts of a class need the same seed. Give --seed, such as --seed 7, to each.");
    if (known.empty()) return options.seed.value_or(std::random_device{}());
    const auto seed = parse_number<std::uint32_t>(get_cell(known.begin()->second, "seed"));
    if (!seed || (options.seed && *options.seed != *seed))
        throw Refusal("The rows of {} have another seed. Leave out --seed, or give --csv another file.",
                      quote_path(options.csv));
    return *seed;
}

/// Finds the students whose answer to an exercise is like that of another one.
class Similarities {
 public:
    Similarities(const Assignment& assignment, const std::vector<Submission>& submissions) {
        for (const AssignedExercise& exercise : assignment.exercises) {
            std::vector<std::string> shipped;
            for (const std::string& file : list_kernel_files(*exercise.entry->lesson))
                shipped.push_back(read_shipped_kernel(file).text);
            const SimilarityCheck check(shipped);
            for (const Submission& one : submissions) {
                const auto text = one.hand_in.texts.find(exercise.key());
                if (text != one.hand_in.texts.end())
                    tokens_[&exercise].emplace_back(&one, check.find_differing_tokens(text->second));
            }
        }
    }

    /// Returns the files with the same answer, or an empty text.
    std::string find(const AssignedExercise& exercise, const Submission& submission) const {
        const auto found = tokens_.find(&exercise);
        if (found == tokens_.end()) return {};
        const auto own = std::ranges::find(found->second, &submission, &Tokens::first);
        std::vector<std::string> same;
        for (const auto& [other, tokens] : found->second)
            if (own != found->second.end() && !is_same_student(*other, submission) &&
                are_alike(own->second, tokens))
                same.push_back(other->file);
        return join(same, ", ");
    }

 private:
    using Tokens = std::pair<const Submission*, std::vector<std::string>>;
    std::map<const AssignedExercise*, std::vector<Tokens>> tokens_;
};

class Grading {
 public:
    Grading(const GradeOptions& options, const Assignment& assignment,
            const std::vector<Submission>& submissions)
        : options_(options),
          assignment_(assignment),
          submissions_(submissions),
          similarities_(assignment, submissions),
          known_(read_rows(options.csv, assignment)),
          seed_(choose_seed(options, known_)),
          csv_(options.csv, format_grade_header()) {}

    int run() {
        for (std::size_t i = 0; i < submissions_.size(); ++i)
            if (options_.shard.has(i)) grade(i);
        // Pages of files that the folder no longer has.
        if (!options_.report.empty() && !was_interrupted_)
            for (std::size_t i = submissions_.size(); fs::exists(page_of(i)); ++i)
                remove_page(page_of(i));
        line_.clear();
        const bool all_written = csv_.finish();
        if (options_.json)
            print("{}\n", nlohmann::ordered_json{{"schema_version", 1},
                                                 {"assignment", assignment_.title},
                                                 {"seed", seed_},
                                                 {"rows", std::move(json_)}}
                              .dump());
        if (was_interrupted_) print_status("stopped before the end. The same command grades the rest.");
        if (!all_written) return exit_file;
        return was_interrupted_ ? exit_lab_lost : exit_success;
    }

 private:
    fs::path page_of(std::size_t index) const {
        return fs::path(options_.report) / fmt::format("{:04}.html", index + 1);
    }

    /// Writes all rows of a student, and the page.
    void grade(std::size_t index) {
        const Submission& submission = submissions_[index];
        const fs::path page = page_of(index);
        // The number of a page changes when files are added, so its last line says whose page it is.
        const std::string page_end = fmt::format("<!-- {} {} -->\n", assignment_.version, submission.hash);
        const bool is_readable = submission.problem.empty();
        const bool has_all_rows =
            std::ranges::all_of(assignment_.exercises, [&](const AssignedExercise& exercise) {
                return find_known_row(submission, exercise) != nullptr;
            });
        const bool needs_page = is_readable && !options_.report.empty() &&
                                !(has_all_rows && fs::exists(page) && read_file(page).ends_with(page_end));
        std::vector<ExerciseGrade> grades;
        if (is_readable)
            for (const AssignedExercise& exercise : assignment_.exercises)
                if (std::optional<ExerciseGrade> one = grade(index, exercise, needs_page))
                    grades.push_back(*std::move(one));
        std::vector<GradeRow> rows;
        for (const ExerciseGrade& one : grades)
            rows.push_back(one.row);
        rows.push_back(
            is_readable
                ? grade_answers(assignment_, submission.hand_in)
                : GradeRow{{"status", "unreadable"}, {"points", "0"}, {"remark", submission.problem}});
        for (GradeRow& row : rows) {
            row["assignment"] = assignment_.version;
            row["seed"] = std::to_string(seed_);
            row["file"] = submission.file;
            row["hand_in"] = submission.hash;
            row["name"] = submission.hand_in.name;
            row["number"] = submission.hand_in.number;
            row["when_reported"] = submission.hand_in.when;
            if (row["remark"].empty()) row["remark"] = submission.remark;
            csv_.write(format_grade_row(row));
            json_.push_back(grade_row_json(row));
        }
        if (was_interrupted_) return;
        line_.clear();
        if (!options_.json && options_.csv != "-") print("{}\n", describe(submission, rows));
        flush_stdout();
        if (needs_page)
            write_file(page,
                       format_report_page(assignment_, submission.hand_in, grades, rows.back()) + page_end);
        else if (!is_readable && !options_.report.empty())
            remove_page(page);
    }

    /// Removes the page that an earlier run wrote there for another student.
    void remove_page(const fs::path& page) const {
        std::error_code ignored;
        if (fs::exists(page, ignored) &&
            read_file(page).find(fmt::format("<!-- {} ", assignment_.version)) != std::string::npos)
            fs::remove(page, ignored);
    }

    /// Returns the row of an earlier run for this text, or null.
    const GradeRow* find_known_row(const Submission& submission, const AssignedExercise& exercise) const {
        const auto known = known_.find({submission.file, exercise.entry->id + ' ' + exercise.block.id});
        const bool is_known = known != known_.end() && get_cell(known->second, "hand_in") == submission.hash;
        return is_known ? &known->second : nullptr;
    }

    /// Returns the grade of an exercise. The row of an earlier run is kept, also if the text is judged again
    /// because a page needs more than the row. Returns nullopt after Ctrl-C.
    std::optional<ExerciseGrade> grade(std::size_t index, const AssignedExercise& exercise, bool needs_page) {
        const Submission& submission = submissions_[index];
        ExerciseGrade grade;
        const GradeRow* const known_row = find_known_row(submission, exercise);
        const auto text = submission.hand_in.texts.find(exercise.key());
        const bool has_text = text != submission.hand_in.texts.end();
        if (!has_text) {
            grade.row = {{"status", "missing"}, {"points", "0"}};
        } else if (needs_page || !known_row) {
            std::optional<ExerciseGrade> judged = judge(index, exercise, text->second);
            if (!judged && !known_row) return std::nullopt;
            if (judged) grade = *std::move(judged);
        }
        if (known_row) grade.row = *known_row;
        GradeRow& row = grade.row;
        row["lesson"] = exercise.entry->id;
        row["exercise"] = exercise.block.id;
        row["max_points"] = std::to_string(exercise.points);
        row["same_as"] = similarities_.find(exercise, submission);
        const RowKey reported{exercise.experiment.lesson, exercise.block.id};
        row["solved_reported"] = submission.hand_in.solved.contains(reported) ? "yes" : "no";
        const auto attempts = submission.hand_in.attempts.find(reported);
        row["attempts_reported"] =
            std::to_string(attempts == submission.hand_in.attempts.end() ? 0 : attempts->second);
        return grade;
    }

    /// Judges a text in a lab of its own.
    std::optional<ExerciseGrade> judge(std::size_t index, const AssignedExercise& exercise,
                                       const std::string& text) {
        const auto interrupted = [&] {
            line_.show(index, submissions_.size(),
                       fmt::format("{} of {} files, {} …", index, submissions_.size(), exercise.block.id));
            return was_interrupted_ = is_interrupted() || stdout_has_failed();
        };
        if (interrupted()) return std::nullopt;
        const auto client = lab::start_lab({.device = options_.device});
        lab::wait_for_limits(*client, 0, interrupted);
        return grade_exercise(*client, assignment_, exercise, text, seed_,
                              {.deadline_seconds = options_.deadline_seconds, .interrupted = interrupted});
    }

    static std::string describe(const Submission& submission, std::vector<GradeRow>& rows) {
        if (!submission.problem.empty()) return fmt::format("✗ {}: {}", submission.file, submission.problem);
        std::string line = fmt::format("{} ({})", submission.hand_in.name, submission.hand_in.number);
        std::uint32_t points = 0;
        for (GradeRow& row : rows) {
            points += parse_number<std::uint32_t>(row["points"]).value_or(0);
            if (row["exercise"] == "answers") {
                line += fmt::format(" · answers {} of {}", row["answers_reported"], row["question_count"]);
                continue;
            }
            line += fmt::format(" · {} {}", row["exercise"], row["status"]);
            for (const char* const column : {"first_failure", "undecided", "remark"})
                if (!row[column].empty()) line += ", " + row[column];
            if (!row["same_as"].empty()) line += ", same as " + row["same_as"];
        }
        return line + fmt::format(" · {}", counted(points, "point"));
    }

    const GradeOptions& options_;
    const Assignment& assignment_;
    const std::vector<Submission>& submissions_;
    Similarities similarities_;
    std::map<RowKey, GradeRow> known_;
    std::uint32_t seed_;
    CsvRowWriter csv_;
    ProgressLine line_;
    nlohmann::ordered_json json_ = nlohmann::ordered_json::array();
    bool was_interrupted_ = false;
};

}  // namespace

int run_command(const GradeOptions& options) {
    is_interrupted();
    const Assignment assignment = read_assignment(options.assignment);
    if (options.csv != "-") require_writable(options.csv);
    if (!options.report.empty()) create_folders(options.report);
    std::vector<Submission> submissions =
        read_submissions(options.folder, {options.csv, options.report, assignment.folder / assignment_file});
    drop_replaced(submissions, assignment.received);
    return Grading(options, assignment, submissions).run();
}

}  // namespace gridstride::app
