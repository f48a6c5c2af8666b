// Which lines of a kernel are shown: all but those that are there for the program.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ui/text/code_text.h"

namespace gridstride::ui {

/// Rows, from 0, and the lines that stand in them. The line of the caret is always shown.
class ShownLines {
 public:
    ShownLines() = default;
    explicit ShownLines(const CodeText& text) { show(text, std::nullopt); }
    /// Of a text with a caret; to be called whenever either has changed.
    void update(const CodeText& text);

    std::size_t rows() const { return lines_.size(); }
    std::size_t line_of(std::size_t row) const { return lines_[row]; }
    /// Of a line that is not shown, the row that follows it.
    std::size_t row_of(std::size_t line) const;
    /// Whether lines between this row and the one before are not shown.
    bool hides_before(std::size_t row) const;

 private:
    void show(const CodeText& text, std::optional<std::size_t> caret_line);

    std::vector<std::size_t> lines_;
    std::uint64_t revision_ = ~std::uint64_t{0};
    std::optional<std::size_t> caret_line_;
};

}  // namespace gridstride::ui
