// What a lesson's text consists of: Markdown with live blocks. A `##` heading starts a step; what stands
// before the first one is the story's introduction and belongs to no step. assets/manual/writing_a_story.md
// describes the format.
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
    std::size_t value_count() const { return std::max<std::size_t>(items.size() + marks.size(), 1); }
};

/// Calls visit(const Quotient&) for every number that a question asks of its runs.
template <class F>
void for_each_quotient(const PredictBlock& predict, F&& visit) {
    if (!predict.choices.empty() || predict.guess) visit(predict.value);
    for (const PredictItem& item : predict.items)
        visit(item.value);
    for (const PredictMark& mark : predict.marks)
        visit(mark.value);
    const auto causes = [&](const Saying& saying) {
        for (const Because& cause : saying.causes)
            visit(cause.what);
    };
    for (const PredictChoice& choice : predict.choices)
        causes(choice.saying);
    causes(predict.after);
}
/// The same, a visit(const RunMetric&) a metric.
template <class F>
void for_each_metric(const PredictBlock& predict, F&& visit) {
    for_each_quotient(predict, [&](const Quotient& quotient) {
        visit(quotient.value);
        if (quotient.divided_by) visit(*quotient.divided_by);
    });
}

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

/// A page of the manual: Markdown without steps and live blocks.
struct Page {
    std::string title;
    std::vector<Block> blocks;
};
struct StoryError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// With its place: "lessons/reduction/story.en.md:12: step "Who adds?": kernel: …". Without a title, no step.
std::string mistake_in_story(const std::string& file, std::size_t line, const std::string& step,
                             std::string_view what);

}  // namespace gridstride
