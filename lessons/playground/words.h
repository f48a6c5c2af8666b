// The text of a program, taken apart into lines of words. Nothing here knows what a word means.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace gridstride::lessons::playground {

struct Word {
    enum class Kind { name, number, quoted, sign };
    Kind kind = Kind::sign;
    std::string_view text;  ///< as it is written; of what is quoted, what stands between the quotes
    double number = 0;
};

/// A line that says something, or a kernel with all of its lines, whose { may stand in the next one.
struct Line {
    std::size_t number = 1;
    std::vector<Word> words = {};
    bool is_wrong = false;  ///< its words end before what cannot be one
    bool has_kernel = false;
    std::string_view kernel = {};       ///< what stands between its braces
    std::size_t first_kernel_line = 1;  ///< the line that this begins in
};

/// What is wrong with a text: one sentence a line.
class Wrong {
 public:
    explicit Wrong(std::string file) : file_(std::move(file)) {}
    void add(std::size_t line, std::string sentence);
    bool any() const { return !all_.empty(); }
    std::vector<Diagnostic> by_line() &&;

 private:
    std::string file_;
    std::vector<Diagnostic> all_;
};

/// The words are parts of the text, which outlives them.
std::vector<Line> lines_of(std::string_view text, Wrong& wrong);

/// A statement's words, from the first to the last. What is not as it should be throws Refusal.
class Cursor {
 public:
    explicit Cursor(const Line& line) : words_(line.words) {}

    bool at_end() const { return next_ == words_.size(); }
    const Word* peek(std::size_t ahead = 0) const {
        return next_ + ahead < words_.size() ? &words_[next_ + ahead] : nullptr;
    }
    bool is_next(std::string_view text, std::size_t ahead = 0) const;
    bool take_if(std::string_view text);

    // what: what should stand here, for the sentence: "the name of a tensor".
    void take(std::string_view text);
    std::string take_name(std::string_view what);
    std::string take_quoted(std::string_view what);
    double take_number(std::string_view what);
    void require_end() const;
    [[noreturn]] void refuse_next(std::string_view what) const;

 private:
    const std::vector<Word>& words_;
    std::size_t next_ = 0;
};

}  // namespace gridstride::lessons::playground
