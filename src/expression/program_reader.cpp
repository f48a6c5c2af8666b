#include "expression/program_reader.h"

#include <fmt/format.h>

#include "lesson/lesson.h"

namespace gridstride::expression {

namespace {

/// Returns an error about the first line; empty if it is right.
std::string find_header_error(const std::vector<Statement>& statements, std::string_view language,
                              int version) {
    const std::size_t space = language.find(' ');
    if (statements.empty() || !statements[0].has(0, language.substr(0, space)) ||
        !statements[0].has(1, language.substr(space + 1)))
        return fmt::format("The first line of a program must be \"{} {}\". Add it.", language, version);
    if (statements[0].tokens.size() != 3 || statements[0].tokens[2].number != version)
        return fmt::format(
            "The first line names another version of the language; only version {0} is supported. Write "
            "\"{1} "
            "{0}\".",
            version, language);
    return {};
}

}  // namespace

void ProgramReader::read_program(std::string_view text, std::string_view language, int version) {
    const Diagnostics none = diagnostics_;
    const std::vector<Statement> statements = tokenize(text, diagnostics_);
    if (std::string header_error = find_header_error(statements, language, version); !header_error.empty()) {
        diagnostics_ = none;  // a text that is not a program gets this error alone
        diagnostics_.add(statements.empty() ? 1 : statements[0].line, std::move(header_error));
        throw ProgramError(std::move(diagnostics_).sorted_by_line());
    }
    for (std::size_t i = 1; i < statements.size(); ++i) {
        depends_on_unknown_ = statements[i].is_malformed;
        if (!statements[i].is_malformed) try {
                TokenReader tokens(statements[i]);
                read(tokens, statements[i]);
                tokens.require_end();
            } catch (const std::runtime_error& error) {  // Refusal, or FileError for a file name
                diagnostics_.add(statements[i].line, error.what());
                depends_on_unknown_ = true;
            }
        if (depends_on_unknown_) skip(statements[i]);
    }
    finish(statements.back().line);
    if (diagnostics_.has_errors()) throw ProgramError(std::move(diagnostics_).sorted_by_line());
}

bool ProgramReader::is_unknown(std::string_view name) {
    const bool is = unknown_.contains(name);
    depends_on_unknown_ = depends_on_unknown_ || is;
    return is;
}

}  // namespace gridstride::expression
