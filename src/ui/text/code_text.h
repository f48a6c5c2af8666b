// A text that is being edited: its lines, the caret and the selection, undo. No drawing and no keys here.
//
// Positions are byte offsets into UTF-8. A column is what one sees: a character is one column wide, a tab
// reaches to the next multiple of four. Lines and columns are counted from 0.
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
    line_start,  ///< the first character that is no space; from there the very start, and back
    line_end,
    text_start,
    text_end,
};

class CodeText {
 public:
    static constexpr std::size_t indent_width = 4;
    /// As much as the program reads of a kernel's file. What would go beyond is not taken in.
    static constexpr std::size_t max_bytes = std::size_t{4} << 20;

    explicit CodeText(std::string text = {});

    const std::string& text() const { return text_; }
    std::uint64_t revision() const { return revision_; }  ///< changes whenever the text does
    /// A number of its own for each text that replace_all() put here: undo and redo lead back to the text's.
    std::uint64_t document() const { return document_; }

    std::size_t line_count() const { return line_starts_.size(); }
    std::size_t line_start(std::size_t line) const { return line_starts_[line]; }
    std::size_t line_end(std::size_t line) const;  ///< before its line break
    std::string_view line(std::size_t line) const;
    std::size_t line_of(std::size_t offset) const;
    /// In a line of megabytes too, found in a step or two once it was asked for: see column_marks_.
    std::size_t column_of(std::size_t offset) const;
    /// The character boundary nearest to a column of a line; the line's end when it is shorter.
    std::size_t offset_at(std::size_t line, std::size_t column) const;
    /// Of the longest line. An edit counts the lines that it touches.
    std::size_t columns() const;
    /// Bytes looked at so far to find columns: what tests hold against the text's size.
    std::uint64_t bytes_counted() const { return bytes_counted_; }

    std::size_t caret() const { return caret_; }
    bool has_selection() const { return caret_ != anchor_; }
    std::size_t selection_begin() const { return caret_ < anchor_ ? caret_ : anchor_; }
    std::size_t selection_end() const { return caret_ < anchor_ ? anchor_ : caret_; }
    std::string_view selected() const;

    /// select: what lies between is selected.
    void move(Motion motion, bool select);
    void move_lines(std::ptrdiff_t lines, bool select);
    void set_caret(std::size_t offset, bool select);
    void select_all();
    void select_word();  ///< around the caret

    // All of these replace the selection, when there is one.
    void insert(std::string_view text);  ///< any line ends become \n
    void new_line();                     ///< the next line is indented like this one, deeper after a {
    void erase_before(bool word);
    void erase_after(bool word);
    /// Spaces to the next multiple of four; with lines selected, each of them moves.
    void indent();
    void unindent() { shift_lines(false); }
    /// A } typed where only spaces stand before it goes where its { line begins.
    void insert_closing_brace();

    void replace_all(std::string_view text);  ///< can be undone; the caret stays on its line
    bool undo();
    bool redo();

 private:
    struct Edit {
        std::size_t offset;
        std::string removed, inserted;
        std::size_t caret_before, anchor_before;
        bool typed;              ///< one character: may grow by its neighbours
        std::uint64_t document;  ///< on its other side: before what is done, behind what is undone
    };
    void replace(std::size_t begin, std::size_t end, std::string inserted, bool typed = false);
    void apply(std::size_t offset, std::size_t length, std::string_view text);
    std::size_t count_columns(std::size_t from, std::size_t to, std::size_t column) const;
    const std::vector<std::size_t>& marks_up_to(std::size_t line, std::size_t bytes) const;
    void forget_marks(std::size_t line, std::size_t bytes, bool of_later_lines);
    std::size_t before(std::size_t offset) const;
    std::size_t after(std::size_t offset) const;
    std::size_t word_before(std::size_t offset) const;
    std::size_t word_after(std::size_t offset) const;
    std::size_t indent_end(std::size_t line) const;  ///< offset of its first character that is no space
    void shift_lines(bool deeper);

    std::string text_;
    std::vector<std::size_t> line_starts_;
    std::vector<std::size_t> line_columns_;  ///< of each line
    /// Of long lines, by line: the column at every so many of their bytes, as far as was asked for.
    mutable std::map<std::size_t, std::vector<std::size_t>> column_marks_;
    mutable std::uint64_t bytes_counted_ = 0;
    std::size_t caret_ = 0;
    std::size_t anchor_ = 0;
    std::size_t wanted_column_ = 0;  ///< that up and down keep to, over shorter lines
    std::vector<Edit> done_, undone_;
    bool may_grow_ = false;  ///< the last edit was typed and nothing else has happened since
    std::uint64_t revision_ = 0;
    std::uint64_t document_ = 0, newest_document_ = 0;
};

}  // namespace gridstride::ui
