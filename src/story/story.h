// A lesson's text: reading it, what it puts on the bench, its questions, and its place in the course.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/lesson.h"
#include "lesson/metrics.h"
#include "story/blocks.h"
#include "trace/words.h"

namespace gridstride {

/// One line of Markdown as styled text: a prediction's question, or what is said afterwards.
Spans parse_inline(std::string_view markdown);

/// Throws StoryError "FILE:LINE: step "Who adds?": predict: …".
Story parse_story(std::string_view markdown, const std::string& file_name);

/// Throws StoryError "FILE:LINE: …".
Page parse_page(std::string_view markdown, const std::string& file_name);

/// The story of a lesson in a language, English where there is none in it, from data_directory(). Throws
/// StoryError, and FileError when there is no English one either.
Story load_story(const Lesson& lesson, std::string_view language);

/// The lesson's stories in data_directory(), a file a language, sorted by name.
std::vector<std::filesystem::path> story_files(const Lesson& lesson);

/// One of story_files(). Throws StoryError and FileError.
Story read_story_file(const std::filesystem::path& path);

/// In which any lesson has a story: "en", sorted.
std::vector<std::string> story_languages();

/// Puts a setting on the bench. Why not, for an unknown name or a value out of the declared range, or out of
/// what any device must allow; nullopt when it is there.
std::optional<std::string> apply(const Lesson& lesson, const Setting& setting, Experiment& experiment);
/// The same of several. Throws Refusal with all reasons.
void apply(const Lesson& lesson, const std::vector<Setting>& settings, Experiment& experiment);
/// What a step puts on the bench: the lesson's defaults, then every `set` of the steps before and of this
/// one, and the exercise that this one has. Throws StoryError where apply() refuses a setting of a step.
Experiment experiment_of_step(const Lesson& lesson, const Story& story, std::size_t step);

/// Whether a kernel's line is there for the program that reads it, and not for people: "// [tree]",
/// "// [/tree]", "// [build u32] ELEMENT=uint".
bool is_kernel_markup(std::string_view line);

/// The lines between `// [name]` and `// [/name]` of a shader, without the markers; the whole source without
/// such lines when name is empty. Throws StoryError when there is no such region.
std::string kernel_region(std::string_view source, std::string_view name);

/// The lines that a block of the story's step shows. Only shaders that ship and files below the story's own
/// folder are read, whatever ".." and links the block's path holds. Throws StoryError "FILE:LINE: step "Who
/// adds?": kernel: …" for other files, and where there is nothing to show.
std::string shown_kernel(const Story& story, const StoryStep& step, const KernelBlock& block);

/// "workgroup 0, line 34", and the step where it is not the first.
std::string moment_in_words(const InsideBlock& block);

/// What a person says before the run; what does not belong to the block's kind is left as it is.
struct Answer {
    std::optional<std::size_t> choice;
    std::optional<double> guess;
    std::vector<std::size_t> order;  ///< places in items, smallest first; empty: not answered
    std::vector<double> marks;       ///< in the ruler's unit, one a mark; empty: not answered
};
/// Whether the answer is one of the block's kind, and whole.
bool answers(const PredictBlock& predict, const Answer& answer);

/// How a prediction came out.
struct Outcome {
    enum class Result { right, wrong, undecided };
    Result result = Result::undecided;
    std::vector<Estimate> values;  ///< of the value; of items or marks one each
    std::size_t right_choice = 0;  ///< of choices, unless undecided
    std::string afterwards;        ///< Markdown: what came out, why the answer was wrong, causes that hold
};
/// reports[i] answers runs[i]. Undecided where an interval straddles a bound that the answer hangs on; a
/// noisy series has a wide one (estimate()). No whole answer is wrong, unless undecided. nullopt when a run
/// failed or lacks the metric.
std::optional<Outcome> decide(const PredictBlock& predict, const std::vector<const Report*>& reports,
                              const Answer& answer);

/// How a requirement stands.
struct Judgement {
    enum class Result { ok, failed, undecided };

    Result result = Result::undecided;
    std::optional<Estimate> value;
    std::string sentence;  ///< what was found, of a recorded one with its first case, or why it is not known
    /// At which too much of what a recording counts was found.
    std::vector<trace::SourceLine> lines = {};
};
/// reports[0] is of the person's own run, reports[1] of the one that it is set against, if any.
/// Wherever in its interval the number lies, it holds, or nowhere; else it is undecided, as it is where a
/// report does not have the number. Of `matches` the caller knows.
Judgement judge(const MakeRequirement& requirement, const std::vector<const Report*>& reports);

/// A measured number as a person says it: "1 024", "3.2 µs", "14.2 GB/s", "62 %"; of two times of one metric
/// "72 times faster", of two others "72 times as long", the factor with so many digits: two are what a person
/// says.
std::string spoken(const Quotient& what, double value, int digits = 2);
/// "measured", or "recorded" where a recording says one of its numbers.
std::string_view how_known(const Quotient& what);
/// How often a is as fast as b, in words, if it took so many times as long: "72 times faster", "1.4 times
/// slower", "equally fast".
std::string pace_in_words(double times_as_long, int digits = 2);

/// The lessons in the course's order, each with the head of its story; a lesson whose story cannot be read
/// stands last, in a chapter without a name. Read once.
struct CourseEntry {
    const Lesson* lesson = nullptr;
    StoryHead head;
    std::vector<std::string> steps;  ///< their ids
};
const std::vector<CourseEntry>& course();

/// The blocks of a step that ask, in order.
std::vector<std::size_t> questions_of(const StoryStep& step);
/// One of these.
inline const PredictBlock& question_in(const StoryStep& step, std::size_t block) {
    return std::get<PredictBlock>(step.blocks[block]);
}
/// What is made at a step; null: nothing is.
const MakeBlock* made_at(const StoryStep& step);
/// The place of a step, from 0, by its id; nullopt: the lesson has no such step.
std::optional<std::size_t> step_with_id(const Lesson& lesson, std::string_view id);
/// The same by its number, counted from 1, or its id. Throws Refusal, which lists them, for any other text. 0
/// for a lesson whose story cannot be read, or that is not in the course.
std::size_t find_step(const Lesson& lesson, std::string_view number_or_id);
/// Where a question stands; nullopt: the story has none with this id.
struct QuestionPlace {
    std::size_t step = 0, block = 0;
    bool operator==(const QuestionPlace&) const = default;
};
std::optional<QuestionPlace> find_question(const Story& story, std::string_view id);
/// The parameters, `variant` among them, whose controls stand above the step's picture.
std::vector<std::string> controls_of(const StoryStep& step);
/// The pictures that the step names, in order.
struct StepPicture {
    std::string plot;
    std::size_t block = 0;  ///< of the step, that names it
};
std::vector<StepPicture> pictures_of(const StoryStep& step);

}  // namespace gridstride
