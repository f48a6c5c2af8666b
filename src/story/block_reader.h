// The base of the parsers of live blocks: splits lines, and reports errors with their place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "story/blocks.h"

namespace gridstride {

std::vector<std::string_view> split_trimmed(std::string_view text, char separator);
/// Splits at the first separator only, because the text behind it may contain the separator: "a | b | c"
/// becomes "a" and "b | c". Returns nullopt if there is no separator.
struct SplitText {
    std::string_view before, after;
};
std::optional<SplitText> split_once(std::string_view text, char separator);

/// Returns what is wrong with the id of a step, question or exercise; empty if it is valid.
std::string find_id_error(std::string_view id);

struct FencePlace {
    std::string file;
    std::string step;
    std::size_t line = 1;  ///< of the fence; its content starts on the next line
};

/// Parses one live block. Every error names the block and the current line.
class BlockReader {
 public:
    BlockReader(std::string block, const FencePlace& place)
        : block_(std::move(block)), place_(place), line_(place.line) {}

    [[noreturn]] void fail(const std::string& reason) const;

    SetBlock parse_set(std::string_view content);
    InsideBlock parse_inside(std::string_view text) const;

 protected:
    /// Calls `read` for each line that is not empty, and throws the errors of all lines at the end. Later
    /// errors refer to the whole block.
    template <class F>
    void for_each_line(std::string_view content, F&& read) {
        std::vector<std::string> errors;
        for (const std::string_view line : split_trimmed(content, '\n')) {
            ++line_;
            try {
                if (!line.empty()) read(line);
            } catch (const StoryError& error) {
                errors.insert(errors.end(), error.errors.begin(), error.errors.end());
            }
        }
        line_ = place_.line;
        if (!errors.empty()) throw StoryError(std::move(errors));
    }
    std::string parse_id(std::string_view text) const;
    Setting parse_setting(std::string_view line) const;
    double parse_finite_number(std::string_view text) const;  ///< finite
    /// Splits "a | b | c". Fails with the message `form` if there are fewer than `min_parts` or more than
    /// `max_parts` parts, or if one is empty.
    std::vector<std::string_view> split_parts(std::string_view text, std::size_t min_parts,
                                              std::size_t max_parts, std::string_view form) const;
    /// Returns the number behind `word`, for example in "below 0.8"; nullopt if the text begins with another
    /// word.
    std::optional<double> parse_number_after(std::string_view word, std::string_view text) const;
    /// Parses the number of a run or a step, counted from 1.
    std::uint32_t parse_ordinal(std::string_view text, std::string_view what) const;
    trace::SourceLine parse_kernel_line(std::string_view text) const;  ///< "34", "scan.glsl:12"
    /// Parses "kernel_ns" or "kernel_ns(2)"; for metrics that can refer to source lines, also "races(30, 34,
    /// run 2)".
    RunMetric parse_metric(std::string_view text) const;
    Quotient parse_quotient(std::string_view text) const;  ///< a metric, or one divided by another

    std::string block_;
    const FencePlace& place_;
    std::size_t line_;  ///< the current line; the fence's line for errors of the whole block
};

PredictBlock read_predict(std::string_view content, const FencePlace& place);
/// `exercise` is the text behind the word make.
MakeBlock read_make(std::string_view exercise, std::string_view content, const FencePlace& place);

/// Returns the block for a fence with this info string and content; a CodeBlock if the info string is not a
/// known block.
Block make_fenced_block(std::string_view info, std::string_view content, const FencePlace& place);

}  // namespace gridstride
