// A text as statements, one a line, and their tokens. What a token means is the caller's to say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace gridstride::text_lesson {

struct Token {
    enum class Kind { name, number, string, symbol };
    Kind kind = Kind::symbol;
    std::string_view text;  ///< as written; of a string without its quotes
    double number = 0;
};

/// One line; a kernel with all of its lines, whose { may be on a later one.
struct Statement {
    std::size_t line = 1;
    std::vector<Token> tokens = {};
    bool is_malformed = false;  ///< the tokens end where something is no token
    bool has_kernel = false;
    std::string_view kernel = {};       ///< the text between its braces
    std::size_t first_kernel_line = 1;  ///< where that text begins

    bool has(std::size_t token, std::string_view text) const {
        return token < tokens.size() && tokens[token].text == text;
    }
};

/// The errors of a text, each a sentence about a line.
class Diagnostics {
 public:
    explicit Diagnostics(std::string file) : file_(std::move(file)) {}
    void add(std::size_t line, std::string sentence);
    bool any() const { return !all_.empty(); }
    std::vector<Diagnostic> by_line() &&;

 private:
    std::string file_;
    std::vector<Diagnostic> all_;
};

/// The tokens are parts of the text, which must outlive them.
std::vector<Statement> tokenize(std::string_view text, Diagnostics& diagnostics);

/// Reads the tokens of a statement from left to right; throws Refusal where another one is expected.
class TokenReader {
 public:
    explicit TokenReader(const Statement& statement) : tokens_(statement.tokens) {}

    bool at_end() const { return next_ == tokens_.size(); }
    bool is_next(Token::Kind kind) const { return !at_end() && tokens_[next_].kind == kind; }
    /// Never a string.
    bool is_next(std::string_view text, std::size_t ahead = 0) const;
    std::string_view next_text() const { return at_end() ? std::string_view() : tokens_[next_].text; }
    bool take_if(std::string_view text);

    // expected: how a message calls what is missing: "the name of a tensor".
    void take(std::string_view text);
    std::string take_name(std::string_view expected);
    std::string take_string(std::string_view expected);
    double take_number(std::string_view expected);
    void require_end() const;
    [[noreturn]] void refuse_next(std::string_view expected) const;

 private:
    const Token& take(Token::Kind kind, std::string_view expected);

    const std::vector<Token>& tokens_;
    std::size_t next_ = 0;
};

}  // namespace gridstride::text_lesson
