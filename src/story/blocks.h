// The blocks of a lesson's text: Markdown with live blocks. A `##` heading starts a step. Text before the
// first step introduces the file to its authors and is not shown. assets/manual/writing_a_story.md describes
// the format.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "trace/trace_text.h"

namespace gridstride {

struct Span {
    std::string text;
    bool is_strong = false;
    bool emphasis = false;
    bool code = false;
    std::string link = {};  ///< the target; empty if there is none
};
using Spans = std::vector<Span>;

struct Paragraph {
    Spans spans;
};
struct Subheading {  ///< ###, and in a page of the manual also ##
    Spans spans;
    unsigned level = 3;
};
struct ListBlock {
    std::optional<unsigned> first;  ///< the number of the first item; nullopt: a list with bullets
    std::vector<Spans> items;
};
struct TableBlock {
    std::vector<Spans> header;
    std::vector<std::vector<Spans>> rows;
};
struct CodeBlock {
    std::string text;
    std::string word = {};  ///< info string of its fence; empty for plain code
    std::size_t line = 0;   ///< in the story's file, counted from 1, as all lines below
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
    /// `show: workgroup_size, elements`: the controls above the step's picture. If nullopt, those of the
    /// settings and of the question's runs.
    std::optional<std::vector<std::string>> show;
    std::size_t line = 0;  ///< of the fence
};
/// ```kernel FILE#region``` shows lines of a shader.
struct KernelBlock {
    std::string file;    ///< below shaders/, or beside the story
    std::string region;  ///< empty: the whole file
    std::size_t line = 0;
};
/// ```plot NAME, NAME …``` shows plots of the current result, one above the other if there is room.
struct PlotBlock {
    std::vector<std::string> plots;
    std::size_t line = 0;
};

/// ```inside workgroup 0, line 34, step 3``` links to a moment in a trace of the step's run.
struct InsideBlock {
    std::uint64_t workgroup = 0;    ///< in the launch
    trace::SourceLine kernel_line;  ///< of the variant's kernel
    std::uint32_t step = 1;         ///< how many times the line has been executed, counted from 1
    std::size_t line = 0;
};

/// A metric of a prediction's run, counted from 1, for example "kernel_ns" of run 1.
struct RunMetric {
    std::string metric;  ///< traced metrics with their lines: "sectors_per_request(34)"
    std::size_t run = 1;
    std::size_t line = 0;
};
struct Quotient {
    RunMetric value;
    std::optional<RunMetric> divided_by;
};

/// A sentence about a cause, shown only if the deciding runs measured that cause: `only if:
/// fraction_of_copy(2) > 0.6 | …`.
struct Cause {
    Quotient what;
    bool is_above = true;  ///< false: below
    double bound = 0;
    std::string sentence;
};
/// The feedback after a question is decided. Placeholders are replaced by measured numbers: {value}, {change}
/// and {pace} ("ran 72 times as fast"); for questions with items or marks {1}, {2}, ….
struct Feedback {
    std::string sentence;
    std::vector<Cause> causes;  ///< each one that holds is shown
    std::string neutral;        ///< `else:`, shown if no cause holds

    bool empty() const { return sentence.empty() && causes.empty() && neutral.empty(); }
};

struct PredictChoice {
    enum class Condition { below, equals, otherwise };
    std::string label;  ///< a hypothesis: "the same: both do 1 023 additions"
    Condition when = Condition::otherwise;
    double bound = 0;
    Feedback feedback;  ///< shown if this choice is right
    std::string why;    ///< shown to a user who chose it wrongly: what the choice overlooks
    std::size_t line = 0;
};
struct PredictGuess {
    std::string unit;
    double within = 0;  ///< relative tolerance: 0.1 accepts 10 % off, 0 is exact
    /// A common wrong guess: `near: 128 | …`. It matches within 1 %.
    struct CommonGuess {
        double number = 0;
        std::string sentence;
    };
    std::vector<CommonGuess> common_guesses;
};
/// An item to put in order, smallest first: `item: LABEL | METRIC`.
struct PredictItem {
    std::string label;
    Quotient value;
};
/// A marker to place at the expected value of a metric: on a logarithmic ruler (`ruler: time | 100 to 1e9 |
/// within 2`) or, if each has an `at`, on a curve over the picture's axes: `mark: LABEL | METRIC` or `mark:
/// LABEL | METRIC | at X`.
struct PredictMark {
    std::string label;
    Quotient value;
    std::optional<double> at;
};
struct PredictRuler {
    double low = 0, high = 0;  ///< in the metric's unit: nanoseconds, or a plain number
    /// A marker is right within this factor; values beyond an end of the ruler count as that end.
    double within = 2;
    std::string label;   ///< of the axis, with its unit
    std::string across;  ///< label of the other axis, if marks have an `at`
};

/// ```predict``` asks a question before a run, which decides it. Exactly one of choices, guess, items and
/// marks is present.
struct PredictBlock {
    std::string id;  ///< like StoryStep::id; unique among the lesson's questions and exercises
    std::string question;
    std::vector<std::vector<Setting>> runs;  ///< on top of the step's settings; empty: one run with those
    /// The runs on a GPU, from `run on gpu:`; empty: the same as `runs`.
    std::vector<std::vector<Setting>> gpu_runs;
    Quotient value;                      ///< the metric of choices and guess
    std::vector<PredictChoice> choices;  ///< the first one whose condition holds is right
    std::optional<PredictGuess> guess;
    std::vector<PredictItem> items;
    std::vector<PredictMark> marks;
    PredictRuler ruler;  ///< for marks
    /// The answer depends on the seed or on chance, so the question is worded as a bet.
    bool is_by_chance = false;
    Feedback after;  ///< `after:`, shown last for every kind of question

    std::size_t line = 0;  ///< of the fence
    std::size_t run_count() const { return runs.empty() ? 1 : runs.size(); }
    std::size_t value_count() const { return std::max<std::size_t>(items.size() + marks.size(), 1); }
};

/// Calls visit(const Quotient&) for every number that decides a question.
template <class F>
void for_each_deciding_quotient(const PredictBlock& predict, F&& visit) {
    if (!predict.choices.empty() || predict.guess) visit(predict.value);
    for (const PredictItem& item : predict.items)
        visit(item.value);
    for (const PredictMark& mark : predict.marks)
        visit(mark.value);
}
/// Calls visit(const Quotient&) for every number that a question needs of its runs.
template <class F>
void for_each_quotient(const PredictBlock& predict, F&& visit) {
    for_each_deciding_quotient(predict, visit);
    const auto causes = [&](const Feedback& feedback) {
        for (const Cause& cause : feedback.causes)
            visit(cause.what);
    };
    for (const PredictChoice& choice : predict.choices)
        causes(choice.feedback);
    causes(predict.after);
}
/// Calls visit(const RunMetric&) for every metric that a question needs of its runs.
template <class F>
void for_each_metric(const PredictBlock& predict, F&& visit) {
    for_each_quotient(predict, [&](const Quotient& quotient) {
        visit(quotient.value);
        if (quotient.divided_by) visit(*quotient.divided_by);
    });
}

/// A requirement of an exercise: `require: matches`, `require: races = 0 | SENTENCE | at elements = 4096`,
/// `require: kernel_ns / kernel_ns(variant = tree_first_add) < 0.5 | SENTENCE`.
struct MakeRequirement {
    enum class Relation { equal, below, at_most, above, at_least };

    std::string text;              ///< the condition as written in the story
    std::optional<Quotient> what;  ///< nullopt: `matches`, equal to the reference in all cases
    std::vector<Setting> against;  ///< settings in which run 2 of `what` differs; empty: there is only run 1
    Relation relation = Relation::equal;
    double bound = 0;
    std::string sentence;           ///< shown to the user: "No two invocations race in the trace"
    std::vector<Setting> settings;  ///< of its runs, on top of the step's
    std::size_t line = 0;

    /// Returns true if its metric is exact and comes from a trace; otherwise it is measured.
    bool uses_trace() const;
};
/// ```make EXERCISE``` is an exercise to write a kernel, and ```make``` with `find: workgroup_size` one to
/// set parameters. It is done when every requirement holds.
struct MakeBlock {
    std::string id;        ///< like PredictBlock::id
    std::string exercise;  ///< one of Lesson::exercises; empty: parameters are to be set
    std::vector<std::string> parameters_to_find;  ///< ids of parameters to set, or `variant`
    std::vector<std::string> hints;
    std::vector<MakeRequirement> requirements;
    std::size_t line = 0;  ///< of the fence
};

using Block = std::variant<Paragraph, Subheading, ListBlock, TableBlock, CodeBlock, SetBlock, KernelBlock,
                           PlotBlock, PredictBlock, MakeBlock, InsideBlock>;

/// A link to the glossary: `[invocation](term)`.
struct TermLink {
    std::string name;
    std::size_t line = 0;
};
/// The prefix of the id that a step, question or exercise without one gets from its position, so that an
/// unfinished story can be tried. `gridstride check` requires an id.
inline constexpr std::string_view missing_id_prefix = "unnamed_";

struct StoryStep {
    std::string title;
    /// `<!-- id: who_adds -->` below the heading: [a-z][a-z0-9_]*, unique among the lesson's steps, and equal
    /// in all languages. Progress is stored under it, so title and position may change.
    std::string id;
    std::vector<Block> blocks = {};
    std::vector<TermLink> terms = {};
    std::size_t line = 0;  ///< of the heading
};

/// The front matter: lines `name: value` between two lines of `---` at the top of the file. All members are
/// empty if there is none.
struct StoryHead {
    unsigned chapter_position = 0;  ///< `chapter: 2 Working together`
    std::string chapter;
    unsigned position = 0;  ///< within the chapter, from 1
    std::string question;   ///< one sentence, for the lesson's card
    unsigned minutes = 0;
    std::string picture;  ///< the id of the plot that the card shows
};

struct Story {
    StoryHead head;
    std::string file;      ///< for messages, for example "lessons/reduction/story.en.md"
    std::string language;  ///< of the file that load_story() found: "en"
    std::string title;     ///< the # heading
    std::vector<StoryStep> steps;
};

/// A page of the manual: Markdown without steps and live blocks.
struct Page {
    std::string title;
    std::vector<Block> blocks;
};
/// A story has errors. what() has one per line.
struct StoryError : std::runtime_error {
    explicit StoryError(const std::string& error) : StoryError(std::vector{error}) {}
    explicit StoryError(std::vector<std::string> all);

    std::vector<std::string> errors;  ///< at least one
};

/// Formats an error with its place: "lessons/reduction/story.en.md:12: step "Who adds?": kernel: …". Omits
/// the step if its title is empty.
std::string format_story_error(const std::string& file, std::size_t line, const std::string& step,
                               std::string_view what);

}  // namespace gridstride
