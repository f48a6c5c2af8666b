// A lesson's text: Markdown with live blocks. A `##` heading starts a step; what stands before the first one
// is the story's introduction and belongs to no step. assets/manual/writing_a_story.md describes the format.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lesson/lesson.h"
#include "trace/words.h"

namespace gridstride {

/// A piece of text in one style.
struct Span {
    std::string text;
    bool strong = false;
    bool emphasis = false;
    bool code = false;
    std::string link = {};  ///< what it leads to; empty: nothing
};
using Spans = std::vector<Span>;

struct Paragraph {
    Spans spans;
};
struct Subheading {  ///< ###, and in a page of the manual ##
    Spans spans;
    unsigned level = 3;
};
struct ListBlock {
    bool ordered = false;
    std::vector<Spans> items;
};
struct TableBlock {
    std::vector<Spans> header;
    std::vector<std::vector<Spans>> rows;
};
struct CodeBlock {
    std::string text;
    std::string word = {};  ///< behind its fence; empty for plain code
    std::size_t line = 0;   ///< of the story's file, as all lines below, counted from 1
};

/// "name = value": a parameter's id, or `variant`.
struct Setting {
    std::string name;
    std::string value;
    std::size_t line = 0;
};
/// ```set``` puts values on the bench when the step is entered.
struct SetBlock {
    std::vector<Setting> settings;
    /// `show: workgroup_size, elements`: the controls that stand above the step's picture; nullopt: those of
    /// the settings, and of the runs of its question.
    std::optional<std::vector<std::string>> show;
    std::size_t line = 0;  ///< of the fence
};
/// ```kernel FILE#region``` shows lines of a shader.
struct KernelBlock {
    std::string file;    ///< below shaders/, or beside the story
    std::string region;  ///< empty: the whole file
    std::size_t line = 0;
};
/// ```plot NAME, NAME …``` shows plots of the current result, below each other where there is room.
struct PlotBlock {
    std::vector<std::string> plots;
    std::size_t line = 0;
};

/// ```inside workgroup 0, line 34, step 3``` leads to that moment of a recording of the step's run.
struct InsideBlock {
    std::uint64_t workgroup = 0;    ///< in the launch
    trace::SourceLine kernel_line;  ///< of the variant's kernel
    std::uint32_t step = 1;         ///< how often the line has come round by then, from 1
    std::size_t line = 0;
};

/// A number of a prediction's run: metric "kernel_ns" of run 1 (counted from 1), or one divided by another.
struct RunMetric {
    std::string metric;  ///< of recorded ones with their lines: "sectors_per_request(34)"
    std::size_t run = 1;
    std::size_t line = 0;
};
struct Quotient {
    RunMetric value;
    std::optional<RunMetric> divided_by;
};

/// A sentence that names a cause, said only where the deciding runs have measured that cause:
/// `only if: fraction_of_copy(2) > 0.6 | …`.
struct Because {
    Quotient what;
    bool above = true;  ///< else below
    double bound = 0;
    std::string sentence;
};
/// What is said once it is decided. Numbers are filled in: {value}, {change}, {pace} ("72 times faster"), and
/// of a question of order {1}, {2}, … as measured.
struct Saying {
    std::string sentence;
    std::vector<Because> causes;  ///< every one that holds
    std::string neutral;          ///< `else:`, where none of the causes holds

    bool empty() const { return sentence.empty() && causes.empty() && neutral.empty(); }
};

struct PredictChoice {
    enum class When { below, equals, otherwise };
    std::string label;  ///< a way to think of it, in words: "the same: both do 1 023 additions"
    When when = When::otherwise;
    double bound = 0;
    Saying saying;    ///< when this is what came out
    std::string why;  ///< for whoever chose it and is wrong: where the thought leads astray
    std::size_t line = 0;
};
struct PredictGuess {
    std::string unit;
    double within = 0;  ///< relative: 0.1 accepts ten per cent off; 0 is exact
    /// A wrong guess that the story knows: `near: 128 | …`, within a hundredth.
    struct Near {
        double number = 0;
        std::string sentence;
    };
    std::vector<Near> near;
};
/// Something to be put in order, smallest first: `item: LABEL | METRIC`.
struct PredictItem {
    std::string label;
    Quotient value;
};
/// A marker to be put where a measured number will stand, on a logarithmic ruler (`ruler: time | 100 to
/// 1e9 | within 2`) or, with an `at` for each, on a curve over the picture's axes: `mark: LABEL | METRIC` or
/// `mark: LABEL | METRIC | at X`.
struct PredictMark {
    std::string label;
    Quotient value;
    std::optional<double> at;
};
struct PredictRuler {
    double low = 0, high = 0;  ///< in the metric's own unit: nanoseconds, or a plain number
    double within = 2;         ///< a marker is right up to this factor off; what is measured beyond an end
                               ///< of the ruler stands at that end
    std::string label;         ///< of the axis, with its unit
    std::string across;        ///< of the other axis, where marks have an `at`
};

/// ```predict``` asks before a run; the run decides. Exactly one of choices, guess, items, marks is there.
struct PredictBlock {
    std::string id;  ///< as of StoryStep; unique among the lesson's questions and exercises
    std::string question;
    std::vector<std::vector<Setting>> runs;  ///< on top of the step's settings; empty: one run of those
    Quotient value;                          ///< of choices and guess
    std::vector<PredictChoice> choices;      ///< the first whose condition holds is right
    std::optional<PredictGuess> guess;
    std::vector<PredictItem> items;
    std::vector<PredictMark> marks;
    PredictRuler ruler;  ///< of marks
    /// The answer is another one each time, by seed or by chance: asked, and told, as what it is.
    bool by_chance = false;
    Saying after;  ///< `after:` of guess, items, marks; of choices, behind the right one's

    std::size_t line = 0;  ///< of the fence
    std::size_t run_count() const { return runs.empty() ? 1 : runs.size(); }
};

/// A line of what makes it done: `require: matches`, `require: races = 0 | SENTENCE | at elements = 4096`,
/// `require: kernel_ns / kernel_ns(variant = tree_first_add) < 0.5 | SENTENCE`.
struct MakeRequirement {
    enum class Relation { equal, below, at_most, above, at_least };

    std::string text;              ///< the condition as it was written
    std::optional<Quotient> what;  ///< nullopt: `matches`, equal to the reference in all that is tried
    std::vector<Setting> against;  ///< what run 2 of `what` has otherwise; empty: there is run 1 alone
    Relation relation = Relation::equal;
    double bound = 0;
    std::string sentence;           ///< for the person: "No two invocations race in the recording"
    std::vector<Setting> settings;  ///< of its runs, on top of the step's
    std::size_t line = 0;

    /// Its number is one that a recording says, and exact; else it is measured.
    bool is_recorded() const;
};
/// ```make EXERCISE``` has a person write a kernel, and ```make``` with `find: workgroup_size` has them set
/// parameters, until every requirement holds.
struct MakeBlock {
    std::string id;                 ///< as of PredictBlock
    std::string exercise;           ///< of Lesson::exercises; empty: a setting is to be found
    std::vector<std::string> find;  ///< parameters, `variant` among them, that the person sets
    std::vector<std::string> hints;
    std::vector<MakeRequirement> requirements;
    std::size_t line = 0;  ///< of the fence
};

using Block = std::variant<Paragraph, Subheading, ListBlock, TableBlock, CodeBlock, SetBlock, KernelBlock,
                           PlotBlock, PredictBlock, MakeBlock, InsideBlock>;

/// Where the text leads to the glossary: `[invocation](term)`.
struct TermUse {
    std::string name;
    std::size_t line = 0;
};
/// What the id begins with that a step, question or exercise without one is given by its place, so that a
/// story can be tried while it is written. check demands one of its own.
inline constexpr std::string_view missing_id = "unnamed_";

struct StoryStep {
    std::string title;
    /// `<!-- id: who_adds -->` below the heading: [a-z][a-z0-9_]*, unique among the lesson's steps, and equal
    /// in all languages. What a person did is kept by it, whatever the title is and wherever the step stands.
    std::string id;
    std::vector<Block> blocks = {};
    std::vector<TermUse> terms = {};
    std::size_t line = 0;  ///< of the heading
};

/// Its front matter, `name: value` between two lines of `---` at the top of the file; without one all is
/// empty.
struct StoryHead {
    unsigned chapter_place = 0;  ///< `chapter: 2 Working together`
    std::string chapter;
    unsigned place = 0;    ///< within the chapter, from 1
    std::string question;  ///< one sentence, for the lesson's card
    unsigned minutes = 0;
    std::string picture;  ///< the id of the plot that the card shows
};

struct Story {
    StoryHead head;
    std::string file;   ///< for messages: "lessons/reduction/story.en.md"
    std::string title;  ///< the # heading
    std::vector<StoryStep> steps;
};

struct StoryError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// With its place: "lessons/reduction/story.en.md:12: step "Who adds?": kernel: …". Without a title, no step.
std::string mistake_in_story(const std::string& file, std::size_t line, const std::string& step,
                             std::string_view what);

/// One line of Markdown as styled text: a prediction's question, or what is said afterwards.
Spans parse_inline(std::string_view markdown);

/// Throws StoryError "FILE:LINE: step "Who adds?": predict: …".
Story parse_story(std::string_view markdown, const std::string& file_name);

/// A page of the manual: Markdown without steps and live blocks. Throws StoryError "FILE:LINE: …".
struct Page {
    std::string title;
    std::vector<Block> blocks;
};
Page parse_page(std::string_view markdown, const std::string& file_name);

/// The story of a lesson in a language, English where there is none in it, from data_directory(). Throws
/// StoryError, and FileError when there is no English one either.
Story load_story(const Lesson& lesson, std::string_view language);

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
