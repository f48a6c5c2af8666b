#include "ui/text/code_text.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace gridstride::ui {

namespace {

constexpr std::size_t max_edits = 10'000;
constexpr std::size_t bytes_per_mark = 1024;

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

std::size_t column_after(char first_byte, std::size_t column) {
    return first_byte == '\t' ? (column / CodeText::indent_width + 1) * CodeText::indent_width : column + 1;
}

}  // namespace

CodeText::CodeText(std::string text) : line_starts_{0}, line_columns_{0} {
    apply(0, 0, normalize_line_ends(text));
    revision_ = 0;
}

std::size_t CodeText::count_columns(std::size_t from, std::size_t to, std::size_t column) const {
    bytes_counted_ += to - from;
    for (; from < to; ++from)
        if (!is_continuation_byte(text_[from])) column = column_after(text_[from], column);
    return column;
}

const std::vector<std::size_t>& CodeText::marks_up_to(std::size_t line, std::size_t bytes) const {
    std::vector<std::size_t>& marks = column_marks_[line];
    if (marks.empty()) marks.push_back(0);
    while (marks.size() * bytes_per_mark <= bytes) {
        const std::size_t from = line_starts_[line] + (marks.size() - 1) * bytes_per_mark;
        marks.push_back(count_columns(from, from + bytes_per_mark, marks.back()));
    }
    return marks;
}

/// Discards the marks that an edit at this byte of the line invalidates: those after it, and those of lines
/// that move.
void CodeText::discard_marks(std::size_t line, std::size_t bytes, bool of_later_lines) {
    if (of_later_lines) column_marks_.erase(column_marks_.upper_bound(line), column_marks_.end());
    const auto found = column_marks_.find(line);
    if (found == column_marks_.end()) return;
    const std::size_t valid_count = bytes / bytes_per_mark + 1;
    if (valid_count < found->second.size()) found->second.resize(valid_count);
}

std::size_t CodeText::columns() const {
    return *std::max_element(line_columns_.begin(), line_columns_.end());
}

std::size_t CodeText::line_end(std::size_t line) const {
    return line + 1 < line_starts_.size() ? line_starts_[line + 1] - 1 : text_.size();
}

std::string_view CodeText::line(std::size_t line) const {
    return std::string_view(text_).substr(line_starts_[line], line_end(line) - line_starts_[line]);
}

std::size_t CodeText::line_of(std::size_t offset) const {
    const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    return static_cast<std::size_t>(next - line_starts_.begin()) - 1;
}

std::size_t CodeText::column_of(std::size_t offset) const {
    const std::size_t line = line_of(offset);
    const std::size_t start = line_starts_[line];
    if (offset - start < bytes_per_mark) return count_columns(start, offset, 0);
    const std::size_t mark = (offset - start) / bytes_per_mark;
    const std::size_t column = marks_up_to(line, offset - start)[mark];
    return count_columns(start + mark * bytes_per_mark, offset, column);
}

std::size_t CodeText::offset_at(std::size_t line, std::size_t column) const {
    const std::size_t end = line_end(line);
    std::size_t here = 0;
    std::size_t at = line_starts_[line];
    if (end - at >= bytes_per_mark) {
        // A byte is at most four columns wide, a character at most four bytes long.
        const auto& marks = marks_up_to(line, std::min(end - at, indent_width * (column + 1)));
        const auto next = std::upper_bound(marks.begin(), marks.end(), column);
        const auto mark = static_cast<std::size_t>(next - marks.begin()) - 1;
        here = marks[mark];
        at += mark * bytes_per_mark;
        while (at < end && is_continuation_byte(text_[at]))
            ++at;
    }
    while (at < end) {
        ++bytes_counted_;
        const std::size_t next_column = column_after(text_[at], here);
        const std::size_t next = after(at);
        if (column < next_column) return column - here < next_column - column ? at : next;
        here = next_column;
        at = next;
    }
    return end;
}

std::string_view CodeText::selected() const {
    return std::string_view(text_).substr(selection_begin(), selection_end() - selection_begin());
}

std::size_t CodeText::before(std::size_t offset) const {
    if (offset == 0) return 0;
    --offset;
    while (offset > 0 && is_continuation_byte(text_[offset]))
        --offset;
    return offset;
}

std::size_t CodeText::after(std::size_t offset) const {
    if (offset >= text_.size()) return text_.size();
    ++offset;
    while (offset < text_.size() && is_continuation_byte(text_[offset]))
        ++offset;
    return offset;
}

std::size_t CodeText::word_before(std::size_t offset) const {
    if (offset > 0 && text_[offset - 1] == '\n') return offset - 1;
    while (offset > 0 && is_blank(text_[offset - 1]))
        --offset;
    if (offset > 0 && !is_word(text_[offset - 1]) && text_[offset - 1] != '\n') return offset - 1;
    while (offset > 0 && is_word(text_[offset - 1]))
        --offset;
    return offset;
}

std::size_t CodeText::word_after(std::size_t offset) const {
    const std::size_t size = text_.size();
    if (offset < size && text_[offset] == '\n') return offset + 1;
    if (offset < size && !is_word(text_[offset]) && !is_blank(text_[offset])) ++offset;
    while (offset < size && is_word(text_[offset]))
        ++offset;
    while (offset < size && is_blank(text_[offset]))
        ++offset;
    return offset;
}

std::size_t CodeText::indent_end(std::size_t line) const {
    std::size_t at = line_starts_[line];
    while (at < line_end(line) && is_blank(text_[at]))
        ++at;
    return at;
}

void CodeText::set_caret(std::size_t offset, bool select) {
    caret_ = std::min(offset, text_.size());
    while (caret_ > 0 && caret_ < text_.size() && is_continuation_byte(text_[caret_]))
        --caret_;
    if (!select) anchor_ = caret_;
    preferred_column_ = column_of(caret_);
    can_merge_ = false;
}

void CodeText::move(Motion motion, bool select) {
    const std::size_t line = line_of(caret_);
    // Without Shift, the arrow keys go to an end of the selection.
    const bool collapses = has_selection() && !select;
    switch (motion) {
        case Motion::left:
            return set_caret(collapses ? selection_begin() : before(caret_), select);
        case Motion::right:
            return set_caret(collapses ? selection_end() : after(caret_), select);
        case Motion::word_left:
            return set_caret(word_before(caret_), select);
        case Motion::word_right:
            return set_caret(word_after(caret_), select);
        case Motion::up:
            return move_lines(-1, select);
        case Motion::down:
            return move_lines(1, select);
        case Motion::line_start: {
            const std::size_t first = indent_end(line);
            return set_caret(caret_ == first ? line_starts_[line] : first, select);
        }
        case Motion::line_end:
            return set_caret(line_end(line), select);
        case Motion::text_start:
            return set_caret(0, select);
        case Motion::text_end:
            return set_caret(text_.size(), select);
    }
}

void CodeText::move_lines(std::ptrdiff_t lines, bool select) {
    const auto last = static_cast<std::ptrdiff_t>(line_count()) - 1;
    const std::ptrdiff_t target = static_cast<std::ptrdiff_t>(line_of(caret_)) + lines;
    const std::size_t column = preferred_column_;
    if (target < 0)
        set_caret(0, select);
    else if (target > last)
        set_caret(text_.size(), select);
    else
        set_caret(offset_at(static_cast<std::size_t>(target), column), select);
    preferred_column_ = column;
}

void CodeText::select_all() {
    set_caret(text_.size(), false);
    anchor_ = 0;
}

void CodeText::select_word() {
    std::size_t begin = caret_;
    std::size_t end = caret_;
    while (begin > 0 && is_word(text_[begin - 1]))
        --begin;
    while (end < text_.size() && is_word(text_[end]))
        ++end;
    set_caret(end, false);
    anchor_ = begin;
}

void CodeText::apply(std::size_t offset, std::size_t length, std::string_view text) {
    const std::size_t first = line_of(offset);
    const std::size_t last = line_of(offset + length);
    text_.replace(offset, length, text);
    std::vector<std::size_t> starts;
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
        starts.push_back(offset + at + 1);
    const auto at = [](std::vector<std::size_t>& all, std::size_t i) {
        return all.begin() + static_cast<std::ptrdiff_t>(i);
    };
    const bool moves_lines = starts.size() != last - first;
    line_starts_.erase(at(line_starts_, first + 1), at(line_starts_, last + 1));
    for (auto start = at(line_starts_, first + 1); start != line_starts_.end(); ++start)
        *start += text.size() - length;
    line_starts_.insert(at(line_starts_, first + 1), starts.begin(), starts.end());
    line_columns_.erase(at(line_columns_, first), at(line_columns_, last + 1));
    line_columns_.insert(at(line_columns_, first), starts.size() + 1, 0);
    discard_marks(first, offset - line_starts_[first], moves_lines || !starts.empty());
    for (std::size_t line = first; line <= first + starts.size(); ++line)
        line_columns_[line] = column_of(line_end(line));
    ++revision_;
}

void CodeText::replace(std::size_t begin, std::size_t end, std::string inserted, bool is_typed) {
    if (begin == end && inserted.empty()) return;
    if (text_.size() - (end - begin) + inserted.size() > max_bytes) return;
    const bool merges = is_typed && can_merge_ && begin == end && !undo_stack_.empty() &&
                        undo_stack_.back().is_typed &&
                        undo_stack_.back().offset + undo_stack_.back().inserted.size() == begin;
    if (merges) {
        undo_stack_.back().inserted += inserted;
    } else {
        undo_stack_.push_back(
            {begin, text_.substr(begin, end - begin), inserted, caret_, anchor_, is_typed, document_});
        if (undo_stack_.size() > max_edits) undo_stack_.erase(undo_stack_.begin());
    }
    redo_stack_.clear();
    apply(begin, end - begin, inserted);
    set_caret(begin + inserted.size(), false);
    can_merge_ = is_typed;
}

void CodeText::insert(std::string_view text) {
    std::string plain = normalize_line_ends(text);
    const bool one =
        !plain.empty() && plain.size() <= 4 && plain != "\n" &&
        std::none_of(plain.begin() + 1, plain.end(), [](char byte) { return !is_continuation_byte(byte); });
    replace(selection_begin(), selection_end(), std::move(plain), one);
}

void CodeText::new_line() {
    const std::size_t begin = selection_begin();
    const std::size_t line = line_of(begin);
    const std::size_t first = std::min(indent_end(line), begin);
    std::string inserted = "\n" + text_.substr(line_starts_[line], first - line_starts_[line]);
    std::size_t last = begin;
    while (last > first && is_blank(text_[last - 1]))
        --last;
    if (last > first && text_[last - 1] == '{') inserted.append(indent_width, ' ');
    replace(begin, selection_end(), std::move(inserted));
}

void CodeText::insert_closing_brace() {
    const std::size_t line = line_of(caret_);
    if (has_selection() || caret_ != indent_end(line) || caret_ == line_starts_[line]) return insert("}");
    std::size_t open = 0;
    for (std::size_t at = line_starts_[line]; at > 0; --at) {
        const char c = text_[at - 1];
        if (c == '}') ++open;
        if (c != '{') continue;
        if (open > 0) {
            --open;
            continue;
        }
        const std::size_t start = line_starts_[line_of(at - 1)];
        const std::string indent = text_.substr(start, indent_end(line_of(at - 1)) - start);
        return replace(line_starts_[line], caret_, indent + "}");
    }
    insert("}");
}

void CodeText::erase_before(bool word) {
    if (has_selection()) return replace(selection_begin(), selection_end(), {});
    std::size_t begin = word ? word_before(caret_) : before(caret_);
    // In the indentation, erases back to the previous tab stop.
    const std::size_t start = line_starts_[line_of(caret_)];
    const bool only_spaces = caret_ > start && text_.find_first_not_of(' ', start) >= caret_;
    if (!word && only_spaces) begin = caret_ - ((caret_ - start - 1) % indent_width + 1);
    replace(begin, caret_, {});
}

void CodeText::erase_after(bool word) {
    if (has_selection()) return replace(selection_begin(), selection_end(), {});
    replace(caret_, word ? word_after(caret_) : after(caret_), {});
}

void CodeText::shift_lines(bool deeper) {
    const std::size_t first = line_of(selection_begin());
    std::size_t last = line_of(selection_end());
    // A line is not included if the selection ends before its first character.
    if (last > first && selection_end() == line_starts_[last]) --last;
    std::string shifted;
    for (std::size_t n = first; n <= last; ++n) {
        std::string_view rest = line(n);
        if (deeper) {
            if (!rest.empty()) shifted.append(indent_width, ' ');
        } else if (rest.starts_with('\t')) {
            rest.remove_prefix(1);
        } else {
            rest.remove_prefix(std::min(std::min(rest.find_first_not_of(' '), rest.size()), indent_width));
        }
        shifted += rest;
        if (n < last) shifted += '\n';
    }
    const std::size_t begin = line_starts_[first];
    const std::size_t end = line_end(last);
    if (shifted == std::string_view(text_).substr(begin, end - begin)) return;
    const bool several = has_selection();
    const std::size_t end_distance = line_end(first) - std::min(line_end(first), caret_);
    replace(begin, end, std::move(shifted));
    if (several)
        anchor_ = begin;
    else
        set_caret(std::max(begin, line_end(first) - std::min(end_distance, line_end(first))), false);
}

void CodeText::indent() {
    if (has_selection() && line_of(selection_begin()) != line_of(selection_end())) return shift_lines(true);
    const std::size_t column = column_of(selection_begin());
    replace(selection_begin(), selection_end(), std::string(indent_width - column % indent_width, ' '));
}

void CodeText::replace_all(std::string_view text) {
    std::string plain = normalize_line_ends(text);
    if (plain == text_) return;
    const std::size_t line = line_of(caret_);
    const std::size_t column = column_of(caret_);
    replace(0, text_.size(), std::move(plain));
    document_ = ++newest_document_;
    set_caret(offset_at(std::min(line, line_count() - 1), column), false);
}

bool CodeText::undo() {
    if (undo_stack_.empty()) return false;
    Edit edit = std::move(undo_stack_.back());
    undo_stack_.pop_back();
    apply(edit.offset, edit.inserted.size(), edit.removed);
    std::swap(document_, edit.document);
    set_caret(edit.caret_before, false);
    anchor_ = std::min(edit.anchor_before, text_.size());
    redo_stack_.push_back(std::move(edit));
    return true;
}

bool CodeText::redo() {
    if (redo_stack_.empty()) return false;
    Edit edit = std::move(redo_stack_.back());
    redo_stack_.pop_back();
    apply(edit.offset, edit.removed.size(), edit.inserted);
    std::swap(document_, edit.document);
    set_caret(edit.offset + edit.inserted.size(), false);
    undo_stack_.push_back(std::move(edit));
    return true;
}

}  // namespace gridstride::ui
