// Programs: a header that names the language, then statements, which are read one after another into a graph.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "text_lesson/expression.h"
#include "text_lesson/tokens.h"

namespace gridstride::text_lesson {

/// Each faulty statement gets one diagnostic. A tensor that it should have made is unknown, and what depends
/// on an unknown tensor is skipped without a message.
class ProgramReader : protected Scope {
 public:
    /// language: "gridstride playground". Throws WrongProgram with every faulty line.
    void read_program(std::string_view text, std::string_view language, int version);

 protected:
    ProgramReader(tensor::Graph& graph, std::string file) : Scope(graph), diagnostics_(std::move(file)) {}
    ~ProgramReader() = default;

    /// Notes that the statement depends on the tensor.
    bool is_unknown(std::string_view name);
    bool depends_on_unknown() const { return depends_on_unknown_; }

    Diagnostics diagnostics_;
    std::set<std::string, std::less<>> unknown_;  ///< tensors

 private:
    /// Throws std::runtime_error for what is wrong.
    virtual void read(TokenReader& tokens, const Statement& statement) = 0;
    /// Adds the tensors that a statement makes to the unknown ones.
    virtual void skip(const Statement& statement) = 0;
    virtual void finish(std::size_t last_line) = 0;

    bool depends_on_unknown_ = false;  ///< the statement in hand
};

}  // namespace gridstride::text_lesson
