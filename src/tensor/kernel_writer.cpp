#include "tensor/kernel_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace gridstride::tensor {

namespace {

std::string literal(double value, ElementType type) {
    if (is_integer(type))
        return fmt::format("{}{}", static_cast<std::int64_t>(value), type == ElementType::u32 ? "u" : "");
    std::string text = fmt::format("{}", static_cast<float>(value));
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

}  // namespace

KernelWriter::KernelWriter(const Graph& graph, const Group& group, Addressing over,
                           std::size_t first_constant)
    : graph_(graph),
      nodes_(graph.nodes()),
      group_(group),
      addressing_(over),
      // A product's own bindings come first: see shaders/matmul/tile.glsl.
      next_binding_(over == Addressing::product ? 3 : 0),
      first_spec_constant_id_(first_constant) {
    const auto reserve_name = [&](std::size_t n) {
        if (!nodes_[n].has_own_name || identifiers_.contains(n)) return;
        // The included product kernel may use any identifier that does not begin with the_.
        const std::string_view before = addressing_ == Addressing::product ? "the_" : "";
        identifiers_[n] = identifiers.reserve(fmt::format("{}{}", before, to_identifier(nodes_[n].name)));
    };
    for (const std::size_t n : group) {
        for (const Source& source : nodes_[n].sources)
            reserve_name(source.node);
        reserve_name(n);
    }
}

std::string KernelWriter::identifier(std::size_t n) {
    std::string& word = identifiers_[n];
    if (word.empty()) word = identifiers.reserve(fmt::format("t{}", ++unnamed_count_));
    return word;
}

/// Returns an expression for an operand in the body: a variable, or the buffer element at the result's own
/// index if the view allows it, else view_access().
std::string KernelWriter::read(const Source& source, const Node& reader) {
    const Node& node = nodes_[source.node];
    if (registers_.contains(source.node)) return identifier(source.node);
    if (node.is_in_memory() && addressing_ != Addressing::product &&
        is_elementwise_access(graph_, source, reader)) {
        bind(source.node, true);
        return load(source.node, result_index());
    }
    needs_elements |= node.op != Op::number;
    return view_access(source);
}

std::string KernelWriter::view_access(const Source& source) {
    const Node& node = nodes_[source.node];
    if (node.op == Op::number) return literal(node.number, node.type);
    if (node.op == Op::random) {
        uses_random_ = true;
        return fmt::format("random_at({}, uvec2({}u, {}u))",
                           source.view.is_whole() ? "e" : view_function(source) + "(e)",
                           node.seed & UINT32_MAX, node.seed >> 32);
    }
    bind(source.node, false);
    if (!is_vectorized() && source.view.is_whole()) return load(source.node, "e");
    return view_function(source) + "(e)";
}

void KernelWriter::line(std::size_t n) {
    const Node& node = nodes_[n];
    const auto add = [&](std::string_view expression) {
        body += fmt::format("{}const {} {} = {};\n", indent(), type_of(node), identifier(n), expression);
        mark_in_register(n);
    };
    if (node.op == Op::pad) {
        needs_elements = true;
        return add(declare_pad_function(n) + "(e)");
    }
    const Elementwise& row = *elementwise(node.op);
    // GLSL extends a scalar literal beside a vector operand, but not as an argument of a function.
    const auto is_number = [&](const Source& source) { return nodes_[source.node].op == Op::number; };
    const bool all_numbers = std::ranges::all_of(node.sources, is_number);
    std::vector<std::string> operands;
    for (const Source& source : node.sources) {
        std::string text = read(source, node);
        if (is_number(source) && (row.is_call() || all_numbers))
            text = fmt::format("{}({})", type_of(node), text);
        operands.push_back(std::move(text));
    }
    operands.resize(3);
    add(fmt::format(fmt::runtime(row.glsl), operands[0], operands[1], operands[2]));
}

void KernelWriter::store() {
    for (const std::size_t n : group_) {
        const bool is_output = std::ranges::find(graph_.outputs(), n) != graph_.outputs().end();
        if (n != group_.back() && !is_output) continue;
        kernel.writes.push_back(n);
        const std::string out = identifiers.reserve(identifier(n) + "_out");
        declare("writeonly ", memory_type_of(nodes_[n]), out);
        const std::string_view result = nodes_[n].type == ElementType::f16 ? "to_halves({})" : "{}";
        body += fmt::format("{}{}[{}] = {};\n", indent(), out, result_index(),
                            fmt::format(fmt::runtime(result), identifier(n)));
    }
}

void KernelWriter::declare(std::string_view access, std::string_view type, std::string_view word) {
    buffers_ += identifiers.buffer(next_binding_++, access, type, word);
}

void KernelWriter::bind(std::size_t node, bool each) {
    const auto known = std::ranges::find(kernel.reads, node, &Kernel::Input::node);
    if (known != kernel.reads.end()) {
        known->is_elementwise &= each;
        return;
    }
    kernel.reads.push_back({node, each});
    declare("readonly ", memory_type_of(nodes_[node]), identifier(node));
}

std::string_view KernelWriter::memory_type_of(const Node& node) const {
    if (node.type != ElementType::f16) return type_of(node);
    return is_vectorized() ? "uvec2" : "uint";
}

std::string KernelWriter::load(std::size_t node, std::string_view index) {
    if (!is_vectorized()) return load_single(node, index);
    const std::string_view text = nodes_[node].type == ElementType::f16 ? "from_halves({}[{}])" : "{}[{}]";
    return fmt::format(fmt::runtime(text), identifier(node), index);
}

std::string KernelWriter::load_single(std::size_t node, std::string_view place) {
    const std::string_view text =
        nodes_[node].type == ElementType::f16
            ? (is_vectorized() ? "unpackHalf2x16({0}[{1} / 4][{1} % 4 / 2])[{1} % 2]"
                               : "unpackHalf2x16({0}[{1} / 2])[{1} % 2]")
        : is_vectorized() ? "{0}[{1} / 4][{1} % 4]"
                          : "{0}[{1}]";
    return fmt::format(fmt::runtime(text), identifier(node), place);
}

/// Returns the function that loads an element of the view, or computes its index for random numbers.
std::string KernelWriter::view_function(const Source& source) {
    std::size_t views_of_node = 1;
    for (const ViewFunction& view_access : view_functions_) {
        if (view_access.source.node != source.node) continue;
        if (view_access.source.view == source.view) return view_access.function;
        ++views_of_node;
    }
    const Node& node = nodes_[source.node];
    const std::string of = identifier(source.node);
    const std::string view = views_of_node == 1 ? of : fmt::format("{}_{}", of, views_of_node);
    std::string function = declare_index_function(source.view.collapsed(), view, of);
    std::string_view four = "uvec4";
    if (node.op != Op::random) {
        const std::string place = function + "(e)";
        function = identifiers.reserve(view + "_at");
        four = type_of(node, true);
        views_ += fmt::format("{} {}(uint e) {{ return {}; }}\n", type_of(node, false), function,
                              load_single(source.node, place));
    }
    declare_for_quads(function, four);
    return view_functions_.emplace_back(source, std::move(function)).function;
}

void KernelWriter::declare_for_quads(std::string_view function, std::string_view four) {
    if (is_vectorized())
        views_ += fmt::format("{0} {1}(uvec4 e) {{ return {0}({1}(e.x), {1}(e.y), {1}(e.z), {1}(e.w)); }}\n",
                              four, function);
    views_ += '\n';
}

std::string KernelWriter::declare_constant(std::string name, std::uint64_t value) {
    std::string word = identifiers.reserve(std::move(name));
    views_ += fmt::format("layout(constant_id = {}) const uint {} = 1;\n",
                          first_spec_constant_id_ + kernel.constants.size(), word);
    kernel.constants.push_back(static_cast<std::uint32_t>(value));
    return word;
}

std::string KernelWriter::declare_pad_function(std::size_t n) {
    const Node& node = nodes_[n];
    const Source& source = node.sources[0];
    const auto [axis, before, repeats_edge] = node.padding;
    const std::string element = view_access(source), name = identifier(n);
    views_ += fmt::format("// Element e of {}: of {}, moved along an axis, or {}.\n", name,
                          identifier(source.node), repeats_edge ? "of the nearest edge" : "0");
    const auto constant = [&](std::string_view what, std::uint64_t value) {
        return declare_constant(fmt::format("{}_{}", name, what), value);
    };
    std::uint64_t elements = 1;
    for (std::size_t i = axis + 1; i < node.shape.size(); ++i)
        elements *= node.shape[i];
    const std::string inner = constant("inner", elements), extent = constant("extent", node.shape[axis]),
                      count = constant("count", source.view.shape[axis]),
                      first = constant("first", static_cast<std::uint64_t>(before));
    std::string function = identifiers.reserve(name + "_at");
    const std::string_view type = type_of(node, false);
    const std::string find =
        repeats_edge ? fmt::format("const uint at = e / {} % {}, i = min(at - min(at, {}), {} - 1);", inner,
                                   extent, first, count)
                     : fmt::format(
                           "const uint i = e / {} % {} - {};  // wraps around before the first element\n"
                           "    if (i >= {}) return {}(0);",
                           inner, extent, first, count, type);
    views_ += fmt::format(
        "{type} {function}(uint e) {{\n    {find}\n"
        "    e = (e / {inner} / {extent} * {count} + i) * {inner} + e % {inner};\n"
        "    return {element};\n}}\n",
        fmt::arg("type", type), fmt::arg("function", function), fmt::arg("find", find),
        fmt::arg("inner", inner), fmt::arg("extent", extent), fmt::arg("count", count),
        fmt::arg("element", element));
    declare_for_quads(function, type_of(node, true));
    return function;
}

/// Strides and offsets of 0 or 1 are not constants but part of the kernel's structure.
std::string KernelWriter::declare_index_function(const View& view, const std::string& name,
                                                 const std::string& of) {
    views_ += fmt::format("// Where element e of a view of {} stands.\n", of);
    const auto constant = [&](std::string_view what, std::uint64_t value) {
        return declare_constant(fmt::format("{}_{}", name, what), value);
    };
    std::vector<std::string> terms;
    if (view.offset > 0) terms.push_back(constant("offset", view.offset));
    std::string rest = "e";
    for (std::size_t i = view.shape.size(); i-- > 0;) {
        std::string index = rest;
        if (i > 0) {
            const std::string extent = constant(fmt::format("extent{}", i), view.shape[i]);
            index += " % " + extent;
            rest += " / " + extent;
        }
        if (view.strides[i] > 1) index += " * " + constant(fmt::format("stride{}", i), view.strides[i]);
        if (view.strides[i] > 0) terms.push_back(std::move(index));
    }
    if (terms.empty()) terms.emplace_back("0");
    std::string function = identifiers.reserve("place_in_" + name);
    views_ += fmt::format("uint {}(uint e) {{ return {}; }}\n", function, fmt::join(terms, " + "));
    return function;
}

Kernel KernelWriter::build(std::string_view does, std::string_view beginning, std::string_view end) {
    kernel.source = fmt::format(
        "#version 450\n\n// Generated from a graph: {}.\n#extension GL_GOOGLE_include_directive : "
        "require\n{}{}\n"
        "{}\n{}{}",
        does, beginning, uses_random_ ? "#include \"tensor/random.glsl\"\n" : "", buffers_, views_, end);
    kernel.name = hashed_source_name(kernel.source);
    return std::move(kernel);
}

}  // namespace gridstride::tensor
