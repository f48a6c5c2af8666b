// A lesson's text: Markdown with live blocks. A `##` heading starts a step; what stands before the first one
// is the story's introduction and belongs to no step. assets/manual/writing_a_lesson.md describes the format.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lesson/lesson.h"

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
};
/// ```kernel FILE#region``` shows lines of a shader.
struct KernelBlock {
    std::string file;    ///< below shaders/, or beside the story
    std::string region;  ///< empty: the whole file
    std::size_t line = 0;
};
/// ```plot NAME``` shows a plot of the current result in the text.
struct PlotBlock {
    std::string plot;
    std::size_t line = 0;
};

/// A number of a prediction's run: metric "kernel_ns" of run 1 (counted from 1).
struct RunMetric {
    std::string metric;
    std::size_t run = 1;
    std::size_t line = 0;
};
struct PredictChoice {
    enum class When { below, equals, otherwise };
    std::string label;
    When when = When::otherwise;
    double bound = 0;
    std::string afterwards;  ///< {value} and {change} are replaced by the measured number
};
struct PredictGuess {
    std::string unit;
    double within = 0;  ///< relative: 0.1 accepts ten per cent off; 0 is exact
    std::string afterwards;
};
/// ```predict``` asks before a run; the run decides.
struct PredictBlock {
    std::string question;
    std::vector<std::vector<Setting>> runs;  ///< on top of the step's settings; empty: one run of those
    RunMetric value;
    std::optional<RunMetric> divided_by;
    std::vector<PredictChoice> choices;  ///< the first whose condition holds is right; or
    std::optional<PredictGuess> guess;
};

using Block = std::variant<Paragraph, Subheading, ListBlock, TableBlock, CodeBlock, SetBlock, KernelBlock,
                           PlotBlock, PredictBlock>;

struct StoryStep {
    std::string title;
    std::vector<Block> blocks;
};

struct Story {
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
/// one. Throws StoryError where apply() refuses a setting of a step.
Experiment experiment_of_step(const Lesson& lesson, const Story& story, std::size_t step);

/// The lines between `// [name]` and `// [/name]` of a shader, without the markers; the whole source without
/// any marker lines when name is empty. Throws StoryError when there is no such region.
std::string kernel_region(std::string_view source, std::string_view name);

/// The lines that a block of the story's step shows. Only shaders that ship and files below the story's own
/// folder are read, whatever ".." and links the block's path holds. Throws StoryError "FILE:LINE: step "Who
/// adds?": kernel: …" for other files, and where there is nothing to show.
std::string shown_kernel(const Story& story, const StoryStep& step, const KernelBlock& block);

/// How a prediction came out.
struct Outcome {
    double value = 0;
    std::size_t right_choice = 0;  ///< index into choices; 0 for a guess
    bool guess_right = false;      ///< for a guess
    std::string afterwards;        ///< with the numbers filled in
};
/// reports[i] answers runs[i]. nullopt when a run failed or lacks the metric.
std::optional<Outcome> decide(const PredictBlock& predict, const std::vector<const Report*>& reports,
                              std::optional<double> guess);

}  // namespace gridstride
