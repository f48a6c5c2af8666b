// Reads a program: a header that names the language, then statements, which are added to a graph in order.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "expression/expression.h"
#include "expression/tokens.h"

namespace gridstride::expression {

/// Each faulty statement gets one diagnostic. The tensors that it defines become unknown, and statements that
/// depend on an unknown tensor are skipped without a message, so that follow-on errors are suppressed.
class ProgramReader : protected Scope {
 public:
    /// Reads a program in a language such as "gridstride playground". Throws ProgramError with a diagnostic
    /// for each faulty line.
    void read_program(std::string_view text, std::string_view language, int version);

 protected:
    ProgramReader(tensor::Graph& graph, std::string file) : Scope(graph), diagnostics_(std::move(file)) {}
    ~ProgramReader() = default;

    /// Returns true if the tensor is unknown; then the current statement depends on an unknown tensor.
    bool is_unknown(std::string_view name);
    bool depends_on_unknown() const { return depends_on_unknown_; }

    Diagnostics diagnostics_;
    std::set<std::string, std::less<>> unknown_;  ///< names of tensors

 private:
    /// Reads one statement. Throws std::runtime_error if it is faulty.
    virtual void read(TokenReader& tokens, const Statement& statement) = 0;
    /// Adds the tensors that a faulty statement defines to `unknown_`.
    virtual void skip(const Statement& statement) = 0;
    virtual void finish(std::size_t last_line) = 0;

    bool depends_on_unknown_ = false;  ///< the current statement does
};

}  // namespace gridstride::expression
