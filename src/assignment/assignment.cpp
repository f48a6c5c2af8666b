#include "assignment/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ranges>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "text_lesson/lesson_folders.h"
#include "text_lesson/lesson_text.h"
#include "text_lesson/toml_names.h"
#include "text_lesson/toml_table.h"

namespace gridstride {

namespace {

namespace fs = std::filesystem;
using text_lesson::Diagnostics, text_lesson::TomlTable, text_lesson::TomlText;

constexpr std::uintmax_t max_assignment_bytes = std::uintmax_t{64} << 10;
constexpr std::uint32_t max_points = 1000;

constexpr text_lesson::NamedValue<bool> answer_uses[] = {{"reported", false}, {"participation", true}};
constexpr text_lesson::NamedValue<TimedDevice> timed_devices[] = {
    {"none", TimedDevice::none}, {"cpu", TimedDevice::cpu}, {"gpu", TimedDevice::gpu}};

class AssignmentReader {
 public:
    AssignmentReader(TomlTable root, Diagnostics& diagnostics, Assignment& assignment)
        : root_(std::move(root)), diagnostics_(diagnostics), assignment_(assignment) {}

    void read() {
        if (const auto format = root_.whole_number("format", 1, 1); !format && !root_.has("format"))
            root_.add_error("format", "The line format = 1 is missing. Add it.");
        assignment_.title = root_.required_text("title");
        assignment_.closes = root_.date_time("closes");
        assignment_.are_solutions_locked = root_.flag("solutions_locked", false);
        const bool answers_count = read_choice(root_, "answers", answer_uses);
        const auto answer_points = root_.whole_number("answer_points", 1, max_points);
        if (answers_count != answer_points.has_value())
            root_.add_error(answers_count ? "answers" : "answer_points",
                            "answers = \"participation\" and answer_points = 2 go together. Write both or "
                            "neither.");
        assignment_.answer_points = static_cast<std::uint32_t>(answer_points.value_or(0));
        assignment_.timed_device = read_choice(root_, "timed_on", timed_devices);
        for (TomlText& file : root_.expressions("received"))
            assignment_.received.push_back(std::move(file.text));
        for (TomlTable& table : root_.tables("lesson"))
            read_lesson(table);
        if (!root_.has("lesson"))
            root_.add_error("lesson", "There is no [[lesson]]. Add the lessons that the class works on.");
        root_.refuse_unknown_keys();
    }

 private:
    void read_lesson(TomlTable& table) {
        const std::string id = table.required_text("id");
        const std::vector<TomlText> steps = table.expressions("steps");
        const auto exercises = table.named_texts("exercises");
        table.refuse_unknown_keys();
        try {
            const fs::path own = assignment_.folder / id;
            if (text_lesson::is_lesson_id(id) && fs::exists(own / text_lesson::lesson_file) &&
                !text_lesson::is_loaded({.folder = own.string()}))
                if (std::vector<std::string> errors =
                        text_lesson::register_lessons(text_lesson::load_lessons(own));
                    !errors.empty())
                    throw Refusal(std::move(errors));
            const CourseEntry* const entry = find_course_entry(id);
            if (!entry)
                throw Refusal("There is no lesson {}, neither beside {} nor among {}. Correct the id.",
                              quote_text(id), assignment_file,
                              join(course() | std::views::transform(&CourseEntry::id), ", "));
            if (std::ranges::count(assignment_.lessons, entry, &AssignedLesson::entry) > 0)
                throw Refusal("The lesson {} is there twice. Remove one of its tables.", id);
            const Story story = load_story(*entry->lesson, "en", entry->story);
            read_steps(*entry, story, steps, table.has("steps"));
            for (const auto& [name, points] : exercises)
                read_exercise(*entry, story, name, points);
        } catch (const Refusal& refused) {
            for (const std::string& reason : refused.reasons)
                table.add_error("id", reason);
        } catch (const std::runtime_error& error) {  // FileError, or StoryError
            table.add_error("id", error.what());
        }
    }

    void read_steps(const CourseEntry& entry, const Story& story, const std::vector<TomlText>& texts,
                    bool are_given) {
        AssignedLesson lesson{.entry = &entry};
        for (const TomlText& text : texts)
            try {
                lesson.steps.push_back(find_step(entry, text.text));
            } catch (const Refusal& refused) {
                diagnostics_.add(text.line, refused.what());
            }
        if (!are_given) {
            lesson.steps.resize(story.steps.size());
            std::iota(lesson.steps.begin(), lesson.steps.end(), std::size_t{0});
        }
        std::ranges::sort(lesson.steps);
        lesson.steps.erase(std::ranges::unique(lesson.steps).begin(), lesson.steps.end());
        for (const std::size_t step : lesson.steps)
            for (const std::size_t block : question_blocks(story.steps[step]))
                lesson.question_ids.push_back(get_question(story.steps[step], block).id);
        assignment_.lessons.push_back(std::move(lesson));
    }

    void read_exercise(const CourseEntry& entry, const Story& story, const std::string& name,
                       const TomlText& points) {
        std::vector<std::string> known;
        for (std::size_t step = 0; step < story.steps.size(); ++step) {
            const MakeBlock* const make = find_make_block(story.steps[step]);
            // A hand-in has texts; an exercise that asks for a setting has none.
            if (!make || make->exercise.empty()) continue;
            known.push_back(make->id);
            if (make->id != name) continue;
            const auto number = parse_number<std::uint32_t>(points.text);
            if (!number || *number > max_points)
                diagnostics_.add(points.line, fmt::format("{} = {} is not a number of points. Use a whole "
                                                          "number from 0 to {}.",
                                                          name, quote_text(points.text), max_points));
            assignment_.exercises.push_back(
                {&entry, *make, experiment_of_step(*entry.lesson, story, step), number.value_or(0)});
            return;
        }
        diagnostics_.add(
            points.line,
            fmt::format("{} has no exercise {} that asks for a kernel or a program. {}", entry.id,
                        quote_text(name),
                        known.empty() ? "Remove it." : fmt::format("Use one of {}.", join(known, ", "))));
    }

    TomlTable root_;
    Diagnostics& diagnostics_;
    Assignment& assignment_;
};

}  // namespace

std::size_t Assignment::count_questions() const {
    std::size_t count = 0;
    for (const AssignedLesson& lesson : lessons)
        count += lesson.question_ids.size();
    return count;
}

std::size_t Assignment::count_points() const {
    std::size_t count = answer_points;
    for (const AssignedExercise& exercise : exercises)
        count += exercise.points;
    return count;
}

Assignment read_assignment(const fs::path& path) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    const fs::path file = fs::is_directory(whole) ? whole / assignment_file : whole;
    const std::string text =
        normalize_line_ends(remove_byte_order_mark(read_file(file, max_assignment_bytes)));
    Assignment assignment{.folder = file.parent_path()};
    Diagnostics diagnostics(printable(file.string()));
    const auto document = text_lesson::parse_toml(text, diagnostics);
    const text_lesson::TextLanguages languages;
    if (document)
        AssignmentReader({*document, assignment_file, diagnostics, languages}, diagnostics, assignment)
            .read();
    std::vector<std::string> mistakes;
    for (const Diagnostic& one : std::move(diagnostics).sorted_by_line())
        mistakes.push_back(fmt::format("{}:{}: {}", one.file, one.line, one.text));
    if (!mistakes.empty()) throw Refusal(std::move(mistakes));
    std::string content = text + std::string(app_version());
    for (const AssignedLesson& lesson : assignment.lessons) {
        content += lesson.entry->lesson->version;
        if (!lesson.entry->lesson->folder.empty())
            for (const StoryFile& story : story_files(*lesson.entry->lesson))
                content += read_file(story.path);
    }
    assignment.version = hash_text(content);
    return assignment;
}

}  // namespace gridstride
