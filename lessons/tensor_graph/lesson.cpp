// Tensor graphs: the same operations one by one, planned, and fused: how many launches, how much memory, and
// how many bytes they take.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/exact_number.h"
#include "base/units.h"
#include "lesson/stock.h"
#include "tensor/expected.h"
#include "tensor/parameters.h"
#include "tensor/pictures.h"
#include "tensor_graph/tensor_graph.h"

namespace gridstride::lessons::tensor_graph {

namespace {

std::vector<Parameter> parameters() {
    Parameter operations = number_parameter(key::operations, "Operations",
                                            "How many the chain has: exp, + 1 and log, again and again.", 8,
                                            1, 1000, Invalidates::input);
    operations.scale = Scale::logarithmic;
    return common_parameters(
        {domain_parameter("columns", "Columns", 256, "How many numbers stand in a row of each matrix."),
         domain_parameter("rows", "Rows", 256, "How many rows each matrix has.")},
        {256, 1},
        {choice_parameter(key::graph, "Graph", "What is computed.", Invalidates::input,
                          {{"expression", "tanh of what a, b and c come to, times w; the sums of its rows"},
                           {"chain", "exp, + 1 and log, again and again"},
                           {"views", "a seen otherwise, and doubled"},
                           {"diamond", "exp(a) over the sum of its row"},
                           {"order", "columns' sums of 5 tanh(a), in an order of yours"}}),
         std::move(operations),
         choice_parameter(key::view, "View", "How the graph views sees a.", Invalidates::input,
                          {{"whole", "as it is"},
                           {"transposed", "rows as columns"},
                           {"slice", "the right half of each row"},
                           {"reshaped", "as many rows as it has columns"},
                           {"line", "transposed, then one line"}}),
         sequence_parameter(key::order, "Order", "The operations of the graph order, one after another.",
                            definition, 4, Invalidates::input,
                            {{"tanh", "tanh of each number"},
                             {"transpose", "rows as columns"},
                             {"scale", "each number times 5"},
                             {"sum", "of each row of what is there"}}),
         tensor::in_place_parameter(), tensor::memory_parameter(),
         choice_parameter(
             key::numbers, "Numbers", "What the matrices hold.", Invalidates::input,
             {{"normal", "normal, around 0 with a deviation of 1"}, {"uniform", "uniform, from -1 to 1"}})});
}

// The input: of what the graph reads, and of that alone. So all that says which graph it is shapes the input.

ArrayRef drawn(std::uint64_t count, std::uint32_t stream, const Values& values) {
    return share(values[key::numbers] == Numbers::normal
                     ? normal_f32(count, values[key::seed], 0, 1, stream)
                     : uniform_f32(count, values[key::seed], -1, 1, stream));
}

/// a: in place of what is drawn; null: that.
Input input_with(ArrayRef a, const Values& values) {
    Input input;
    const std::unique_ptr<tensor::Graph> graph = graph_of(values);
    for (const tensor::Node& node : graph->nodes())
        if (node.op == tensor::Op::input) {
            const bool is_given = a && node.name == "a";
            input.push_back({node.name, is_given ? a : drawn(node.elements(), word(input.size()), values),
                             word(node.shape.back())});
        }
    return input;
}

Input input(const Values& values) {
    return input_with(nullptr, values);
}

/// Of larger ones exp() would leave little of what is added to it.
std::string why_not(double number) {
    constexpr double largest = 50;
    if (std::abs(number) <= largest) return {};
    return fmt::format("{} is no number from -{} to {}. Scale or replace it.", exact_number(number), largest,
                       largest);
}

Input input_from_user(const UserData& data, const Values& values) {
    return input_with(numbers_of_user<float>(data, &why_not), values);
}

// The launches, and what is right.

struct Way : Variant {
    tensor::Execution execution = tensor::Execution::fused;
};
const std::vector<Way>& ways() {
    using tensor::Execution;
    static const std::vector<Way> all = {
        {{"eager", "Eager", "Each operation at once: a launch, a submission and a buffer of its own.", ""},
         Execution::eager},
        {{"planned", "Planned", "A launch each, in one submission, in memory planned by lifetimes.", ""},
         Execution::planned},
        {{"fused", "Fused", "As planned, and what can run together is one kernel.", ""}, Execution::fused}};
    return all;
}

tensor::Execution execution_of(const Variant& variant) {
    return row_of(ways(), variant).execution;
}

Plan plan_of(const Values& values, const Limits& limits, tensor::Execution execution) {
    return make_plan(*graph_of(values), limits, tensor::options_of(values, execution));
}

Plan make(const Prepared& asked) {
    return plan_of(asked.values(), asked.limits, execution_of(*asked.variant));
}

std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    return tensor::expected(*definition_of(asked.values()), input);
}

bool wrong_on_purpose(const Values& values, const Variant&) {
    return values[key::graph] == Written::order && !is_right(values[key::order]);
}

void remarks(Remarks& say, const Prepared& asked) {
    const Values& values = asked.values();
    const Written graph = values[key::graph];
    if (graph == Written::order) {
        if (const std::string problem = problem_of(values[key::order]); !problem.empty())
            say.refuse(key::order, problem);
        else if (!is_right(values[key::order]))
            say.caution(key::order, "In this order it comes to other numbers.");
    }
    const auto only = [&](const auto& of, bool applies, std::string_view who) {
        if (!applies && values.at(of.id) != find(asked.lesson->parameters, of.id)->default_value)
            say.note(of, fmt::format("Only {} looks at this.", who));
    };
    only(key::operations, graph == Written::chain, "chain");
    only(key::view, graph == Written::views, "views");
    only(key::order, graph == Written::order, "order");
    tensor::add_remarks(say, values, execution_of(*asked.variant));
}

/// An element of y, by its number.
constexpr std::uint64_t asked_of_broadcast = 10'000;

std::vector<Fact> result(const Prepared& run, const Outputs& outputs) {
    const Values& values = run.values();
    if (outputs.empty() || outputs.front().array->empty()) return {};
    const FloatSummary all = summary_of(outputs.front().array->as<float>());
    std::vector<Fact> facts = {
        {"largest", "Largest", all.largest},
        {"smallest", "Smallest", all.smallest},
        {"matrix_bytes", "Bytes of a matrix", values[key::columns] * values[key::rows] * sizeof(float)}};
    std::uint64_t copied_bytes = 0;
    const std::unique_ptr<tensor::Graph> graph = graph_of(values);
    for (const tensor::Node& node : graph->nodes()) {
        if (node.op == tensor::Op::copy) copied_bytes += node.bytes();
        for (const tensor::Source& source : node.sources)
            if (graph->nodes()[source.node].name == "w" && node.elements() > asked_of_broadcast)
                facts.push_back({"place_in_w", fmt::format("Number of w for element {}", asked_of_broadcast),
                                 source.view.at(asked_of_broadcast)});
    }
    facts.push_back({"copied_bytes", "Bytes of copies in the graph", copied_bytes});
    return facts;
}

std::vector<Plot> pictures(const PictureInput& input) {
    const Prepared& asked = input.asked;
    // Values that are out of their range have no plan; an exercise's kernel is no graph.
    if (asked.plan.steps.empty() || find_exercise(*asked.lesson, asked.variant->id)) return {};
    const std::unique_ptr<tensor::Graph> graph = graph_of(asked.values());
    return tensor::pictures_of({.graph = *graph,
                                .execution = execution_of(*asked.variant),
                                .numbers = asked.lesson->domain_of(asked.values()).product()},
                               input);
}

// To make: the chain in one kernel, written by hand.

/// Whatever the bench's graph is.
Values of_eight(Values values) {
    values.set(key::graph.id, ChoiceIndex{static_cast<std::uint32_t>(Written::chain)});
    values.set(key::operations.id, std::uint64_t{8});
    return values;
}

Plan make_by_hand(const Prepared& asked) {
    Plan made = plan_of(of_eight(asked.values()), asked.limits, tensor::Execution::fused);
    for (Step& step : made.steps)
        if (auto* launch = std::get_if<Dispatch>(&step)) {
            launch->kernel = "tensor_graph/chain_start";
            launch->source.clear();
        }
    return made;
}

std::vector<Expected> reference_by_hand(const Input& input, const Prepared& asked) {
    return tensor::expected(*definition_of(of_eight(asked.values())), input);
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "tensor_graph",
        .title = "Tensor graph",
        .parameters = parameters(),
        .domain = {"columns", "rows"},
        .noun = "numbers",
        .variants = {ways().begin(), ways().end()},
        .default_variant = "eager",
        .exercises = {{.id = "chain_by_hand",
                       .title = "A chain in one kernel",
                       .summary = "Eight operations, one launch.",
                       .kernel = "tensor_graph/chain_start.comp",
                       .is_baselines_work = false,
                       .solution = "tensor_graph/chain_by_hand.comp",
                       .task = {.make = &make_by_hand,
                                .remarks = nothing,
                                .reference = &reference_by_hand,
                                .result = &result,
                                .pictures = nothing}}},
        .input = &input,
        .input_files = {".npy", ".csv"},
        .input_from_user = &input_from_user,
        .task = {.make = &make,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = drawn_by(&pictures)},
        .reference_depends_on_variant = false,
        .wrong_on_purpose = &wrong_on_purpose,
        .baseline = &on_cpu,
    };
    return lesson;
}

}  // namespace gridstride::lessons::tensor_graph
