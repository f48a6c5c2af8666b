// Splits a text into statements, one per line, and tokens. The caller gives the tokens their meaning.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace gridstride::expression {

struct Token {
    enum class Kind { name, number, string, symbol };
    Kind kind = Kind::symbol;
    std::string_view text;  ///< as written; a string is without its quotes
    double number = 0;
};

/// One line, or a kernel with all its lines. Its { may be on a later line.
struct Statement {
    std::size_t line = 1;
    std::vector<Token> tokens = {};
    bool is_malformed = false;  ///< the tokens end at the first invalid character
    bool has_kernel = false;
    std::string_view kernel = {};  ///< the text between its braces
    std::size_t first_kernel_line = 1;

    bool has(std::size_t token, std::string_view text) const {
        return token < tokens.size() && tokens[token].text == text;
    }
};

/// Collects the errors of a text; each is a sentence about a line.
class Diagnostics {
 public:
    explicit Diagnostics(std::string file) : file_(std::move(file)) {}
    void add(std::size_t line, std::string sentence);
    void add(Diagnostics others);  ///< of another file
    bool has_errors() const { return !all_.empty(); }
    std::set<std::size_t> lines() const;  ///< of the file, with errors
    std::vector<Diagnostic> sorted_by_line() &&;

 private:
    std::string file_;
    std::vector<Diagnostic> all_;
};

/// Splits a text into statements. The tokens refer to the text, which must outlive them.
std::vector<Statement> tokenize(std::string_view text, Diagnostics& diagnostics);

/// Reads the tokens of a statement from left to right. The take functions throw Refusal if the next token is
/// not the expected one.
class TokenReader {
 public:
    explicit TokenReader(const Statement& statement) : tokens_(statement.tokens) {}

    bool is_at_end() const { return next_ == tokens_.size(); }
    bool is_next(Token::Kind kind) const { return !is_at_end() && tokens_[next_].kind == kind; }
    /// Returns true if the token `ahead` of the next one has this text. False for a quoted string.
    bool is_next(std::string_view text, std::size_t ahead = 0) const;
    std::string_view next_text() const { return is_at_end() ? std::string_view() : tokens_[next_].text; }
    bool take_if(std::string_view text);

    // expected: the words for the missing token in a message, such as "the name of a tensor".
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

}  // namespace gridstride::expression
