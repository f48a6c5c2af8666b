#include "tensor/labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace gridstride::tensor {

std::string expression_of(const Graph& graph, std::size_t n) {
    const Node& node = graph.nodes()[n];
    std::vector<std::string> operands;
    for (const Source& source : node.sources) {
        const Node& read = graph.nodes()[source.node];
        if (read.op == Op::steps || read.op == Op::zero_points) continue;  // implied by their bytes
        operands.push_back(read.op == Op::number ? fmt::format("{}", read.number) : read.name);
    }
    const Elementwise* const row = elementwise(node.op);
    const bool is_infix = row && row->operands == 2 && !row->is_call();
    if (is_infix) return fmt::format(fmt::runtime(row->glsl), operands[0], operands[1]);
    if (node.op == Op::neg) return "-" + operands[0];
    const std::string_view function_name = node.op == Op::kernel ? node.kernel->name : name(node.op);
    return fmt::format("{}({})", function_name, fmt::join(operands, ", "));
}

std::string label_of(const Graph& graph, const Group& group) {
    if (const auto& kernel = graph.nodes()[group.front()].kernel) return kernel->name;
    const auto name = [&](std::size_t n) { return graph.nodes()[n].name; };
    if (group.size() == 1) return fmt::format("{} = {}", name(group[0]), expression_of(graph, group[0]));
    return fmt::format("{} to {}", name(group.front()), name(group.back()));
}

}  // namespace gridstride::tensor
