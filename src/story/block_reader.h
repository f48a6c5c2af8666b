// What the readers of live blocks share: lines taken apart, and complaints with their place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "story/blocks.h"

namespace gridstride {

std::vector<std::string_view> trimmed_parts(std::string_view text, char separator);
/// "a | b | c" into "a" and "b | c": a sentence may hold what parts it from the rest. nullopt: it is not
/// there.
struct CutText {
    std::string_view before, after;
};
std::optional<CutText> cut(std::string_view text, char separator);

/// What is wrong with the id of a step, a question or an exercise; empty: nothing.
std::string mistake_of_id(std::string_view id);

/// Where a fence stands, for StoryError.
struct FencePlace {
    std::string file;
    std::string step;
    std::size_t line = 1;  ///< of the fence; its content starts on the next
};

/// Reads one live block; every complaint names the block and the line that is read.
class BlockReader {
 public:
    BlockReader(std::string block, const FencePlace& place)
        : block_(std::move(block)), place_(place), line_(place.line) {}

    [[noreturn]] void fail(const std::string& reason) const;

    SetBlock set(std::string_view content);
    InsideBlock inside(std::string_view text) const;

 protected:
    /// Each line that is not empty, and complaints afterwards are about the whole block.
    template <class F>
    void each_line(std::string_view content, F&& read) {
        for (const std::string_view line : trimmed_parts(content, '\n')) {
            ++line_;
            if (!line.empty()) read(line);
        }
        line_ = place_.line;
    }
    std::string id(std::string_view text) const;
    Setting setting(std::string_view line) const;
    double number(std::string_view text) const;  ///< finite
    /// "a | b | c" with none of them empty, so many at least and at most; else fails with `form`.
    std::vector<std::string_view> parts_of(std::string_view text, std::size_t least, std::size_t most,
                                           std::string_view form) const;
    /// The number behind a word: "below 0.8". nullopt: it begins with another one.
    std::optional<double> number_behind(std::string_view word, std::string_view text) const;
    /// A whole number from 1 that says which run or step.
    std::uint32_t place(std::string_view text, std::string_view what) const;
    trace::SourceLine kernel_line(std::string_view text) const;  ///< "34", "scan.glsl:12"
    /// "kernel_ns" or "kernel_ns(2)", of a metric that can be of lines "races(30, 34, run 2)".
    RunMetric metric(std::string_view text) const;
    Quotient quotient(std::string_view text) const;  ///< a metric, or one over another

    std::string block_;
    const FencePlace& place_;
    std::size_t line_;  ///< that is read; the fence's for what the whole block lacks
};

PredictBlock read_predict(std::string_view content, const FencePlace& place);
/// exercise: what stands behind the word make.
MakeBlock read_make(std::string_view exercise, std::string_view content, const FencePlace& place);

/// The block that a fence with this info string and content stands for; a CodeBlock for any other info
/// string.
Block make_fenced_block(std::string_view info, std::string_view content, const FencePlace& place);

}  // namespace gridstride
