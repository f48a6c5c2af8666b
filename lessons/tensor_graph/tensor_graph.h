// What the files of this lesson share: its parameters, the graphs that it is about, and its pictures.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lesson/lesson.h"
#include "tensor/plan.h"

namespace gridstride::lessons::tensor_graph {

enum class Written { expression, chain, views, diamond, order };
/// How the graph `views` sees its matrix. line: transposed, then as one line.
enum class Seen { whole, transposed, slice, reshaped, line };
enum class Move { tanh, transpose, scale, sum };
enum class Numbers { normal, uniform };

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> columns{"columns"}, rows{"rows"};
inline constexpr Key<Written> graph{"graph"};
inline constexpr Key<std::uint64_t> operations{"operations"};
inline constexpr Key<Seen> view{"view"};
inline constexpr Key<Sequence> order{"order"};
inline constexpr Key<Numbers> numbers{"numbers"};
}  // namespace key

/// What `order` asks for, in the order that is its definition: the sum of each column of 5 tanh(a).
inline const std::vector<Move> definition = {Move::tanh, Move::transpose, Move::scale, Move::sum};
/// Why an order makes no graph, with what to do, as sentences; empty: it makes one.
std::string problem_of(const Sequence& order);
/// It comes to what the definition says.
bool is_right(const Sequence& order);

/// The graph that these values write; of an order that makes none, that of the definition.
std::unique_ptr<tensor::Graph> graph_of(const Values& values);
/// The one that says what is right.
std::unique_ptr<tensor::Graph> definition_of(const Values& values);

/// The main output, written to be fast.
double on_cpu(const Input& input, const Values& values, InParts in_parts);

}  // namespace gridstride::lessons::tensor_graph
