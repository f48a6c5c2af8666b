// A lesson's text: parsing it, its effect on the bench, its questions, and its place in the course.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/lesson.h"
#include "lesson/metrics.h"
#include "story/blocks.h"
#include "trace/trace_text.h"

namespace gridstride {

/// Parses one line of Markdown, for example a question or its feedback.
Spans parse_inline(std::string_view markdown);

/// Throws StoryError with all errors, such as "FILE:LINE: step "Who adds?": predict: …".
Story parse_story(std::string_view markdown, const std::string& file_name);

/// Throws StoryError "FILE:LINE: …".
Page parse_page(std::string_view markdown, const std::string& file_name);

/// A file of a lesson's folder: story.LANGUAGE.md, or story.NAME.LANGUAGE.md of a further story.
struct StoryFile {
    std::string name;  ///< of a further story; empty for the lesson's own
    std::string language;
    std::filesystem::path path;
};
/// Returns the folder of the lesson's stories.
std::filesystem::path story_folder(const Lesson& lesson);
/// Returns the lesson's story files, sorted by name and language.
std::vector<StoryFile> story_files(const Lesson& lesson);

/// Loads a story of a lesson in a language, or the English one if there is none in that language. An empty
/// name means the lesson's own story. Throws StoryError, and FileError if there is no English one either.
Story load_story(const Lesson& lesson, std::string_view language, std::string_view name = {});

/// Reads one of story_files(). Throws StoryError and FileError.
Story read_story_file(const std::filesystem::path& path);

/// Returns the languages in which any lesson has a story, sorted, for example "en".
std::vector<std::string> story_languages();

/// Applies a setting to the experiment. Returns an error for an unknown name, or for a value outside the
/// declared range or beyond what every device must support; nullopt on success.
std::optional<std::string> apply(const Lesson& lesson, const Setting& setting, Experiment& experiment);
/// Applies several settings. Throws Refusal with all errors.
void apply(const Lesson& lesson, const std::vector<Setting>& settings, Experiment& experiment);
/// Returns the experiment of a step: the lesson's defaults, then every `set` up to and including this step,
/// and the variant of its exercise. Throws StoryError if apply() refuses a setting of a step.
Experiment experiment_of_step(const Lesson& lesson, const Story& story, std::size_t step);

/// Returns true for a line of a kernel that is an instruction to the program and not for readers: "//
/// [tree]", "// [/tree]", "// [build u32] ELEMENT=uint".
bool is_kernel_marker(std::string_view line);

/// Returns the lines of a shader between `// [name]` and `// [/name]`, without such markers; the whole source
/// without markers if name is empty. Throws StoryError if there is no such region.
std::string kernel_region(std::string_view source, std::string_view name);

/// Returns the lines that a kernel block shows. A file of a lesson of text is as it was when the lesson was
/// loaded. Else it reads only shipped shaders and files below the story's own folder, whatever ".." and links
/// the path contains. Throws StoryError "FILE:LINE: step "Who adds?": kernel: …" for other files, and if
/// there is nothing to show.
std::string kernel_excerpt(const Lesson& lesson, const Story& story, const StoryStep& step,
                           const KernelBlock& block);

/// Returns "workgroup 0, line 34", with the step if it is not the first.
std::string describe_moment(const InsideBlock& block);

/// The user's answer to a question. Only the member for the question's kind is used.
struct Answer {
    std::optional<std::size_t> choice;
    std::optional<double> guess;
    std::vector<std::size_t> order;  ///< indices of items, smallest first; empty: not answered
    std::vector<double> marks;       ///< in the ruler's unit, one per mark; empty: not answered
};
/// Returns true if the answer is complete and of the question's kind.
bool is_complete(const PredictBlock& predict, const Answer& answer);

/// The values of a question that were recorded on a GPU, like Outcome::values.
struct GpuValues {
    std::string device;
    std::vector<Estimate> values;
};

struct Outcome {
    enum class Result { right, wrong, undecided };
    Result result = Result::undecided;
    std::vector<Estimate> values;  ///< one for choices or a guess; otherwise one per item or mark
    std::size_t right_choice = 0;  ///< of choices, if decided
    std::string why_wrong;         ///< Markdown: what a wrong answer overlooks; empty if nothing is known
    std::string explanation;       ///< Markdown: the result, and causes that hold
    /// Set if recorded values of a GPU, not `values`, decided `result` and `right_choice`.
    std::optional<GpuValues> judged_by = {};

    const std::vector<Estimate>& deciding_values() const { return judged_by ? judged_by->values : values; }
};
/// Decides a question. reports[i] belongs to runs[i]. The result is undecided if an interval contains a bound
/// that the answer depends on; a noisy series has a wide interval (estimate()). An incomplete answer is
/// wrong, unless the result is undecided. Returns nullopt if a run failed or lacks the metric.
///
/// If the question measures times and the runs are of a software device that answers it otherwise than each
/// of `gpus`, the first of them decides: see Outcome::judged_by.
std::optional<Outcome> decide(const PredictBlock& predict, const std::vector<const Report*>& reports,
                              const Answer& answer, const std::vector<GpuValues>& gpus = {});
/// Returns the choice that holds for every value in the interval; nullopt if there are several.
std::optional<std::size_t> choice_for_interval(const std::vector<PredictChoice>& choices,
                                               const Estimate& value);
/// Returns "As you predicted", "Right on a GPU" or "Too close to call".
std::string describe_result(const Outcome& outcome);
/// The same, with the GPU that decided it, and its value for choices or a guess: "Right on a GPU (recorded:
/// NVIDIA H200, 0.21 times as long)".
std::string describe_result(const PredictBlock& predict, const Outcome& outcome);
/// Returns the values of a question as text: "4.8 times as fast", "17 (races)", "upload: 3.2 µs; kernel: …".
std::string describe_values(const PredictBlock& predict, const std::vector<Estimate>& values);
/// Returns true if the number is a time, or a rate or a fraction computed from times.
bool measures_time(const Quotient& what);
/// Returns true if the numbers that decide the question are times, or rates and fractions computed from them.
bool measures_time(const PredictBlock& predict);

struct RequirementJudgement {
    enum class Result { ok, failed, undecided };

    Result result = Result::undecided;
    std::optional<Estimate> value;
    std::string sentence;  ///< the finding (for a traced metric, its first case), or why it is unknown
    /// The source lines at which a traced metric exceeds the bound.
    std::vector<trace::SourceLine> lines = {};
};
/// Returns "ok", "failed" or "undecided".
std::string_view name(RequirementJudgement::Result result);
/// Returns "✓", "✗" or "○".
std::string_view mark(RequirementJudgement::Result result);
/// Judges a requirement. reports[0] is the user's run, reports[1] the run that it is compared with, if any.
/// The result is ok if the requirement holds for every value in the number's interval, failed if for none,
/// and undecided otherwise or if a report lacks the number. Always undecided for `matches`, which the caller
/// judges.
RequirementJudgement judge_requirement(const MakeRequirement& requirement,
                                       const std::vector<const Report*>& reports);

/// Returns a measured number as text, for example "1 024", "3.2 µs", "14.2 GB/s" or "62 %". A ratio of two
/// times of one metric reads "72 times as fast", of different metrics "72 times as long". `digits` applies to
/// ratios of times.
std::string describe_metric(const Quotient& what, double value, int digits = 2);
/// Formats a place on a ruler: a ratio as a factor, "1.4 ×", not in words such as "times as long".
std::string describe_mark(const Quotient& what, double value, int digits = 2);
/// Returns "traced" if the number comes from a trace, otherwise "measured".
std::string_view metric_origin(const Quotient& what);
/// Compares the times of a and b, where a took `times_as_long` times as long as b: "72 times as fast",
/// "1.4 times as long", "equally fast".
std::string describe_speed_ratio(double times_as_long, int digits = 2);

/// A story of a lesson, and its place in the course. Every lesson has an entry for its own story, and one for
/// each further story. Ids of steps, questions and exercises differ between the stories of a lesson.
struct CourseEntry {
    const Lesson* lesson = nullptr;
    std::string story;  ///< the name of a further story; empty for the lesson's own
    std::string id;     ///< "reduction", or "reduction/fast_sum"
    std::string title;
    std::string language;  ///< of the story: "en" if there is none in the language of the texts
    StoryHead head;
    std::vector<std::string> step_ids, question_ids, exercise_ids;

    /// Returns true if the id belongs to this lesson and no other story of it has a step, question or
    /// exercise of that id. Ids that no story has any more count to each story.
    bool owns(std::string_view lesson_id, std::string_view step_or_block) const;
};
/// The references stay valid until the process ends, also if lessons are registered later.
const std::vector<CourseEntry>& course();
/// Returns CourseEntry::id of a story.
std::string course_entry_id(const Lesson& lesson, std::string_view story);
/// Returns null if there is none.
const CourseEntry* find_course_entry(std::string_view id);
/// Returns the entry whose story has a step, question or exercise of this id; null: no story of the lesson.
const CourseEntry* find_entry_with(std::string_view lesson_id, std::string_view step_or_block);
/// Returns the entries of a lesson, its own story first.
std::vector<const CourseEntry*> course_entries(const Lesson& lesson);

/// Returns the indices of the step's question blocks.
std::vector<std::size_t> question_blocks(const StoryStep& step);
/// `block` must be one of question_blocks().
inline const PredictBlock& get_question(const StoryStep& step, std::size_t block) {
    return std::get<PredictBlock>(step.blocks[block]);
}
/// Returns the question with the runs of this kind of device in `runs`, and no gpu_runs.
PredictBlock question_for_device(PredictBlock question, bool is_cpu);
/// Returns the exercise of a step, or null.
const MakeBlock* find_make_block(const StoryStep& step);
/// Returns the index of a step by its id; nullopt if the story has no such step.
std::optional<std::size_t> find_step_by_id(const CourseEntry& entry, std::string_view id);
/// Returns the index of a step by its number, counted from 1, or its id. Throws Refusal, which lists the ids,
/// for any other text. Returns 0 for a story that cannot be read.
std::size_t find_step(const CourseEntry& entry, std::string_view number_or_id);
struct QuestionPlace {
    std::size_t step = 0, block = 0;
    bool operator==(const QuestionPlace&) const = default;
};
std::optional<QuestionPlace> find_question(const Story& story, std::string_view id);
/// Returns the ids of the parameters, or `variant`, whose controls are shown above the step's picture.
std::vector<std::string> step_controls(const StoryStep& step);
struct StepPicture {
    std::string plot;
    std::size_t block = 0;  ///< index of the block that names it
};
std::vector<StepPicture> step_pictures(const StoryStep& step);

}  // namespace gridstride
