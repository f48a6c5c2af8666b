#include "ui/text/visible_lines.h"

#include <algorithm>

#include "story/story.h"

namespace gridstride::ui {

void VisibleLines::update(const CodeText& text) {
    const std::size_t caret_line = text.line_of(text.caret());
    if (revision_ != text.revision() || caret_line_ != caret_line) show(text, caret_line);
}

std::size_t VisibleLines::row_of(std::size_t line) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(lines_, line) - lines_.begin());
}

bool VisibleLines::hides_before(std::size_t row) const {
    return lines_[row] != (row == 0 ? 0 : lines_[row - 1] + 1);
}

void VisibleLines::show(const CodeText& text, std::optional<std::size_t> caret_line) {
    lines_.clear();
    for (std::size_t line = 0; line < text.line_count(); ++line)
        if (line == caret_line || !is_kernel_marker(text.line(line))) lines_.push_back(line);
    revision_ = text.revision();
    caret_line_ = caret_line;
}

}  // namespace gridstride::ui
