// The lines of a kernel that are shown: all but those with kernel markup, see is_kernel_marker().
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ui/text/code_text.h"

namespace gridstride::ui {

/// Maps rows, from 0, to lines. The line of the caret is always shown.
class VisibleLines {
 public:
    VisibleLines() = default;
    explicit VisibleLines(const CodeText& text) { show(text, std::nullopt); }
    /// Call whenever the text or its caret has changed.
    void update(const CodeText& text);

    std::size_t rows() const { return lines_.size(); }
    std::size_t line_of(std::size_t row) const { return lines_[row]; }
    /// Returns the row of a line; of a hidden line, the row after it.
    std::size_t row_of(std::size_t line) const;
    /// Returns true if lines between the previous row and this one are hidden.
    bool hides_before(std::size_t row) const;

 private:
    void show(const CodeText& text, std::optional<std::size_t> caret_line);

    std::vector<std::size_t> lines_;
    std::uint64_t revision_ = ~std::uint64_t{0};
    std::optional<std::size_t> caret_line_;
};

}  // namespace gridstride::ui
