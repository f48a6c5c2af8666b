#include "tensor/glsl.h"

#include <fmt/format.h>

#include "base/units.h"
#include "tensor/product.h"

namespace gridstride::tensor {

Kernel generate_elementwise_kernel(const Graph& graph, const Group& group) {
    KernelWriter writer(graph, group, KernelWriter::Addressing::quads);
    for (const std::size_t n : group)
        writer.line(n);
    writer.store();
    return writer.build(
        counted(group.size(), "operation") + " element by element", "#include \"tensor/elements.glsl\"\n",
        fmt::format("void main() {{\n    for (uint q = first_quad(); q < quads(); q += step_of_quads()) {{\n"
                    "        // [elements]\n{}{}        // [/elements]\n    }}\n}}\n",
                    writer.needs_elements ? "        const uvec4 e = elements_of(q);\n" : "", writer.body));
}

Kernel generate_product_kernel(const Graph& graph, const Group& group, const Limits& limits) {
    const bool are_f16 = graph.nodes()[group.front()].op == Op::matmul_of_f16;
    std::string beginning = group.size() > 1 ? "#define TAIL\n" : "";
    if (are_f16 && limits.cooperative_matrix) beginning += "#define HAS_MATRIX_UNITS\n";
    beginning += fmt::format("#include \"matmul/{}\"\n", are_f16 ? "halves.glsl" : "prefetch.comp");
    KernelWriter writer(graph, group, KernelWriter::Addressing::product,
                        3 + (are_f16 ? f16_product_constants : product_constants));
    if (group.size() == 1) return writer.build("a product", beginning, "");
    const std::string product = writer.identifier(group.front());
    writer.mark_in_register(group.front());
    for (std::size_t i = 1; i < group.size(); ++i)
        writer.line(group[i]);
    return writer.build(
        fmt::format("a product, and {} on each of its numbers", counted(group.size() - 1, "operation")),
        beginning + "#include \"tensor/functions.glsl\"\n",
        fmt::format("vec4 tail(vec4 {}, uvec4 e) {{\n{}    return {};\n}}\n", product, writer.body,
                    writer.identifier(group.back())));
}

namespace {

/// How a reduction combines numbers, in GLSL.
struct Combination {
    std::string_view title;
    std::string number = {}, identity = {};
    std::string_view combine;
    std::string_view partial_result = "{}";  ///< a partial result of one number
    std::string_view result = "result";
};

Combination combination_of(const Node& lead) {
    const std::string number(glsl_element_type(lead.type, false));
    const bool is_float = lead.type == ElementType::f32, is_unsigned = lead.type == ElementType::u32;
    switch (lead.op) {
        case Op::largest:
            return {"the largest of each", number,
                    is_float      ? "uintBitsToFloat(0xff800000u)"
                    : is_unsigned ? "0u"
                                  : "int(0x80000000u)",
                    "maximum(a, b)"};
        case Op::smallest:
            return {"the smallest of each", number,
                    is_float      ? "uintBitsToFloat(0x7f800000u)"
                    : is_unsigned ? "0xffffffffu"
                                  : "0x7fffffff",
                    "minimum(a, b)"};
        case Op::argmax:
            return {"the index of the largest of each",
                    "uvec2",
                    "uvec2(0u, 0xffffffffu)",
                    "a.x > b.x || (a.x == b.x && a.y < b.y) ? a : b",
                    "uvec2(order_of({}), e % launch.numbers)",
                    "result.y"};
        default:
            return {"sums", number, number + "(0)", "a + b"};
    }
}

}  // namespace

std::vector<Source> reduction_operands(const Node& lead) {
    if (lead.op != Op::matmul) return lead.sources;
    const auto repeated = [](Source source, std::size_t axis, std::uint64_t count) {
        View& view = source.view;
        view.shape.insert(view.shape.begin() + static_cast<std::ptrdiff_t>(axis), count);
        view.strides.insert(view.strides.begin() + static_cast<std::ptrdiff_t>(axis), 0);
        return source;
    };
    const Source &a = lead.sources[0], &b = lead.sources[1];
    return {repeated(a, 2, b.view.shape[2]), repeated({b.node, b.view.transposed(1, 2)}, 1, a.view.shape[1])};
}

ElementType partial_type(const Node& lead) {
    return lead.op == Op::argmax ? ElementType::u64 : lead.type;
}

Kernel generate_reduction_kernel(const Graph& graph, const Group& group, Stage stage) {
    const Node& lead = graph.nodes()[group.front()];
    const Combination by = combination_of(lead);
    KernelWriter writer(graph, group, KernelWriter::Addressing::results);
    writer.kernel.constants.push_back(1);  // invocations per result
    std::string what(by.title), numbers;
    std::string parts = writer.identifiers.reserve("parts_of_it");
    if (stage == Stage::second) {
        what += ", of parts";
        numbers = parts + "[e]";
        writer.declare("readonly ", by.number, parts);
    } else {
        for (const Source& operand : reduction_operands(lead))
            numbers += (numbers.empty() ? "" : " * ") + writer.view_access(operand);
        numbers = fmt::format(fmt::runtime(by.partial_result), numbers);
    }
    if (stage == Stage::first) {
        what += ", in parts";
        writer.declare("writeonly ", by.number, parts);
        writer.body = fmt::format("    {}[r] = result;\n", parts);
    } else {
        writer.body = fmt::format("    const {} {} = {};\n", glsl_element_type(lead.type, false),
                                  writer.identifier(group.front()), by.result);
        writer.mark_in_register(group.front());
        for (std::size_t i = 1; i < group.size(); ++i)
            writer.line(group[i]);
        writer.store();
    }
    return writer.build(
        what,
        "#define PARAMETERS uint numbers; uint parts; uint part_numbers;\n"
        "#include \"tensor/elements.glsl\"\n",
        fmt::format(
            "#define NUMBER {}\n#define identity {}\n"
            "NUMBER combine(NUMBER a, NUMBER b) {{ return {}; }}\n"
            "NUMBER number_at(uint e) {{ return {}; }}\n"
            "void store_result(uint r, uint e, NUMBER result) {{\n{}}}\n\n#include \"tensor/reduce.glsl\"\n",
            by.number, by.identity, by.combine, numbers, writer.body));
}

}  // namespace gridstride::tensor
