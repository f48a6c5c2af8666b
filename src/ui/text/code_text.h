// An editable text: its lines, caret, selection and undo, without drawing and keys.
//
// Positions are byte offsets into UTF-8. A character is one column wide; a tab extends to the next multiple
// of four. Lines and columns are counted from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::ui {

enum class Motion {
    left,
    right,
    word_left,
    word_right,
    up,
    down,
    line_start,  ///< the first non-blank character; from there the start of the line
    line_end,
    text_start,
    text_end,
};

class CodeText {
 public:
    static constexpr std::size_t indent_width = 4;
    /// The largest kernel file that the program reads. Edits that would exceed it are ignored.
    static constexpr std::size_t max_bytes = std::size_t{4} << 20;

    explicit CodeText(std::string text = {});

    const std::string& text() const { return text_; }
    std::uint64_t revision() const { return revision_; }  ///< changes whenever the text does
    /// Returns the number of the last replace_all(); each call gets a new one. undo() and redo() restore it.
    std::uint64_t document() const { return document_; }

    std::size_t line_count() const { return line_starts_.size(); }
    std::size_t line_start(std::size_t line) const { return line_starts_[line]; }
    std::size_t line_end(std::size_t line) const;  ///< before its line break
    std::string_view line(std::size_t line) const;
    std::size_t line_of(std::size_t offset) const;
    /// Fast even in a line of megabytes after the first call, see column_marks_.
    std::size_t column_of(std::size_t offset) const;
    /// Returns the character boundary nearest to a column of a line; the line's end if it is shorter.
    std::size_t offset_at(std::size_t line, std::size_t column) const;
    /// Returns the columns of the longest line. An edit recounts only the lines that it changes.
    std::size_t columns() const;
    /// Returns how many bytes were scanned in total to find columns. For tests.
    std::uint64_t bytes_counted() const { return bytes_counted_; }

    std::size_t caret() const { return caret_; }
    bool has_selection() const { return caret_ != anchor_; }
    std::size_t selection_begin() const { return caret_ < anchor_ ? caret_ : anchor_; }
    std::size_t selection_end() const { return caret_ < anchor_ ? anchor_ : caret_; }
    std::string_view selected() const;

    // select: extends the selection to the new caret; otherwise the selection is cleared.
    void move(Motion motion, bool select);
    void move_lines(std::ptrdiff_t lines, bool select);
    void set_caret(std::size_t offset, bool select);
    void select_all();
    void select_word();  ///< around the caret

    // All of these replace the selection, if there is one.
    void insert(std::string_view text);  ///< line ends are converted to \n
    void new_line();                     ///< indents the next line like this one, deeper after a {
    void erase_before(bool word);
    void erase_after(bool word);
    /// Inserts spaces up to the next multiple of four; if several lines are selected, indents each of them.
    void indent();
    void unindent() { shift_lines(false); }
    /// Inserts a }. If only blanks precede it, it is indented like the line of its {.
    void insert_closing_brace();

    void replace_all(std::string_view text);  ///< undoable; the caret keeps its line and column
    bool undo();
    bool redo();

 private:
    struct Edit {
        std::size_t offset;
        std::string removed, inserted;
        std::size_t caret_before, anchor_before;
        bool is_typed;           ///< a typed character: the next ones may be merged into this edit
        std::uint64_t document;  ///< document() before this edit; once undone, after it
    };
    void replace(std::size_t begin, std::size_t end, std::string inserted, bool is_typed = false);
    void apply(std::size_t offset, std::size_t length, std::string_view text);
    std::size_t count_columns(std::size_t from, std::size_t to, std::size_t column) const;
    const std::vector<std::size_t>& marks_up_to(std::size_t line, std::size_t bytes) const;
    void discard_marks(std::size_t line, std::size_t bytes, bool of_later_lines);
    std::size_t before(std::size_t offset) const;
    std::size_t after(std::size_t offset) const;
    std::size_t word_before(std::size_t offset) const;
    std::size_t word_after(std::size_t offset) const;
    std::size_t indent_end(std::size_t line) const;  ///< offset of its first non-blank character
    void shift_lines(bool deeper);

    std::string text_;
    std::vector<std::size_t> line_starts_;
    std::vector<std::size_t> line_columns_;  ///< of each line
    /// By line, for long lines: the column at every bytes_per_mark bytes, filled on demand.
    mutable std::map<std::size_t, std::vector<std::size_t>> column_marks_;
    mutable std::uint64_t bytes_counted_ = 0;
    std::size_t caret_ = 0;
    std::size_t anchor_ = 0;
    std::size_t preferred_column_ = 0;  ///< the column that up and down return to after shorter lines
    std::vector<Edit> undo_stack_, redo_stack_;
    bool can_merge_ = false;  ///< the last action was a typed edit
    std::uint64_t revision_ = 0;
    std::uint64_t document_ = 0, newest_document_ = 0;
};

}  // namespace gridstride::ui
