// Tensor graphs: the same operations run one by one, planned or fused, which changes the number of launches,
// the memory and the bytes moved.
#include "figures/lesson_headers.h"
#include "graph/expected.h"
#include "tensor_lesson/parameters.h"
#include "tensor_lesson/pictures.h"

namespace gridstride::lessons::tensor_graph {

namespace {

using tensor::Execution, tensor::Shape, tensor::Tensor;

enum class GraphChoice { expression, chain, views, diamond, order };
/// The view of the matrix in the graph `views`. line: transposed, then flattened.
enum class View { whole, transposed, slice, reshaped, line };
enum class Numbers { normal, uniform };
namespace step {
/// The choices of the parameter `order`.
enum Step : std::uint32_t { tanh, transpose, scale, sum };
}  // namespace step

constexpr Key<std::uint64_t> columns{"columns"}, rows{"rows"};
constexpr Key<GraphChoice> graph{"graph"};
constexpr Key<std::uint64_t> operations{"operations"};
constexpr Key<View> view{"view"};
constexpr Key<Sequence> order{"order"};
constexpr Key<Numbers> numbers{"numbers"};

std::vector<Parameter> parameters() {
    return common_parameters(
        {domain_parameter("columns", "Columns", 256, "The number of columns of each matrix."),
         domain_parameter("rows", "Rows", 256, "The number of rows of each matrix.")},
        {256, 1},
        {choice_parameter(graph, "Graph", "The graph that is computed.", Invalidates::input,
                          {{"expression", "row sums of tanh(((a + b) * 5 - c) / 2) * w"},
                           {"chain", "exp, + 1 and log, repeated"},
                           {"views", "a view of a, doubled"},
                           {"diamond", "exp(a) divided by the sum of its row"},
                           {"order", "column sums of 5 tanh(a), in an order that you choose"}}),
         number_parameter(operations, "Operations",
                          "The number of operations of the graph chain: exp, + 1 and log, repeated.", 8, 1,
                          1000, Invalidates::input)
             .logarithmic(),
         choice_parameter(view, "View", "The view of a that the graph views reads.", Invalidates::input,
                          {{"whole", "the whole matrix"},
                           {"transposed", "transposed"},
                           {"slice", "the right half of each row"},
                           {"reshaped", "reshaped: as many rows as it has columns"},
                           {"line", "transposed, then flattened"}}),
         sequence_parameter(
             order, "Order", "The operations of the graph order, in the order of their execution.",
             std::vector{step::tanh, step::transpose, step::scale, step::sum}, 4, Invalidates::input,
             {{"tanh", "tanh of each number"},
              {"transpose", "rows become columns"},
              {"scale", "each number times 5"},
              {"sum", "sum of each row"}}),
         tensor_lesson::in_place_parameter(), tensor_lesson::memory_parameter(),
         choice_parameter(numbers, "Numbers", "The distribution of the numbers in the matrices.",
                          Invalidates::input,
                          {{"normal", "normal, with mean 0 and standard deviation 1"},
                           {"uniform", "uniform, from -1 to 1"}})});
}

struct Facts {
    Execution execution = Execution::fused;
};
using Run = gridstride::Run<Facts>;

// The graphs, as a user would write them, of a matrix a.

void build_expression(tensor::Graph& to, const Tensor& a, const Values&) {
    // A copy, because an input adds a node, which may move the nodes with their shapes.
    const Shape shape = a.shape();  // NOLINT(performance-unnecessary-copy-initialization)
    const Tensor b = to.input("b", shape), c = to.input("c", shape), w = to.input("w", {shape[0], 1});
    const Tensor y = tanh(((a + b) * 5 - c) / 2) * w;
    to.output("s", sum(y.named("y"), 1));
}

/// Repeats log(exp(x) + 1). k times give log(exp(x) + k), so that results keep depending on x and do not
/// overflow.
void build_chain(tensor::Graph& to, const Tensor& a, const Values& values) {
    Tensor x = a;
    for (std::uint64_t i = 0; i < values[operations]; ++i)
        x = i % 3 == 0 ? exp(x) : i % 3 == 1 ? x + 1 : log(x);
    to.output("y", x);
}

Tensor get_view(const Tensor& a, View which) {
    const std::uint64_t height = a.shape()[0], width = a.shape()[1];
    switch (which) {
        case View::transposed:
            return a.transposed();
        case View::slice:
            return a.slice(1, width / 2, width - width / 2);
        case View::reshaped:
            return a.reshaped({width, height});
        case View::line:
            return a.transposed().reshaped({height * width});
        default:
            return a;
    }
}
void build_views(tensor::Graph& to, const Tensor& a, const Values& values) {
    to.output("y", get_view(a, values[view]) * 2);
}

/// Computes the probabilities of each row. Both the sum and the division read e.
void build_diamond(tensor::Graph& to, const Tensor& a, const Values&) {
    const Tensor e = exp(a).named("e");
    const Tensor total = sum(e, 1).named("total");
    to.output("y", e / total.reshaped({a.shape()[0], 1}));
}

/// Returns the order that defines the graph `order`: the sum of each column of 5 tanh(a).
Sequence get_definition() {
    return Values(parameters())[order];
}
std::ptrdiff_t find_place(const Sequence& sequence, step::Step step) {
    return std::ranges::find(sequence.choices, step) - sequence.choices.begin();
}

/// Returns why an order is not a graph and what to do, as sentences. Empty: it is one.
std::string find_problem(const Sequence& sequence) {
    if (!std::ranges::is_permutation(sequence.choices, get_definition().choices))
        return fmt::format(
            "This order has {} operations, but must have each of tanh, transpose, scale and sum exactly "
            "once. Add the missing ones and remove duplicates.",
            sequence.choices.size());
    if (find_place(sequence, step::sum) < find_place(sequence, step::transpose))
        return "The result of sum has one axis and cannot be transposed. Put transpose before sum.";
    return {};
}

/// Returns whether the order gives the same result as the definition: a factor can be moved out of a sum, but
/// not out of tanh, and tanh of a sum is not a sum of tanh.
bool is_equivalent(const Sequence& sequence) {
    return find_problem(sequence).empty() &&
           find_place(sequence, step::tanh) <
               std::min(find_place(sequence, step::scale), find_place(sequence, step::sum));
}

void build_order(tensor::Graph& to, const Tensor& a, const Values& values) {
    Tensor x = a;
    const Sequence steps = find_problem(values[order]).empty() ? values[order] : get_definition();
    for (const std::uint32_t choice : steps.choices)
        x = choice == step::tanh        ? tanh(x)
            : choice == step::transpose ? x.transposed()
            : choice == step::scale     ? x * 5
                                        : sum(x, 1);
    to.output("y", x);
}

// The graphs on the CPU, written to be fast: intermediate tensors stay in the caches.

struct CpuWork {
    const Input& input;
    const Values& values;
    SumRanges sum_ranges;
    std::uint64_t height = values[rows], width = values[columns];
    std::span<const float> a = get(input, "a").as<float>();

    /// Calls part(first, last, y) for ranges of `count` items that have `each` results in y. Returns a number
    /// that depends on y.
    double compute(std::uint64_t count, std::uint64_t each, std::size_t block, auto part) const {
        const auto y = scratch_array(ElementType::f32, count * each).as<float>();
        return sum_ranges(count, block, [&](std::size_t first, std::size_t last) {
            part(first, last, y);
            return double{y[first * each]} + y[last * each - 1];
        });
    }
    /// Calls part(row, y) for each row, whose results are y.
    double compute_rows(std::uint64_t each, auto part) const {
        return compute(height, each, divide_up(std::uint64_t{1} << 14, width),
                       [&](std::size_t first, std::size_t last, std::span<float> y) {
                           for (std::size_t row = first; row < last; ++row)
                               part(row, y.subspan(row * each, each));
                       });
    }
};

double compute_expression(const CpuWork& work) {
    const auto b = get(work.input, "b").as<float>(), c = get(work.input, "c").as<float>(),
               w = get(work.input, "w").as<float>();
    return work.compute_rows(1, [&](std::size_t row, std::span<float> s) {
        constexpr std::size_t block = 1024;
        std::array<float, block> y;
        double sum = 0;
        for (std::size_t from = 0; from < work.width; from += block) {
            const std::size_t count = std::min(block, work.width - from), first = row * work.width + from;
            for (std::size_t i = 0; i < count; ++i)
                y[i] = fast_tanh(((work.a[first + i] + b[first + i]) * 5 - c[first + i]) / 2) * w[row];
            sum += fast_sum(std::span<const float>(y.data(), count));
        }
        s[0] = static_cast<float>(sum);
    });
}

double compute_chain(const CpuWork& work) {
    const std::uint64_t operation_count = work.values[operations];
    const auto part = [&](std::size_t begin, std::size_t end, std::span<float> y) {
        constexpr std::size_t block = 1024;  // stays in the nearest cache while the chain goes over it
        for (std::size_t first = begin; first < end; first += block) {
            const std::span<float> x = y.subspan(first, std::min(block, end - first));
            std::ranges::copy(work.a.subspan(first, x.size()), x.begin());
            const auto each = [&](auto operation) { std::ranges::transform(x, x.begin(), operation); };
            for (std::uint64_t n = 0; n < operation_count; ++n) {
                if (n % 3 == 0)
                    each([](float number) { return exp_negative(-number); });
                else if (n % 3 == 1)
                    each([](float number) { return number + 1; });
                else
                    each([](float number) { return fast_log(number); });
            }
        }
    };
    return work.compute(work.a.size(), 1, std::size_t{1} << 14, part);
}

double compute_views(const CpuWork& work) {
    const View which = work.values[view];
    const std::uint64_t height = work.height, width = work.width;
    if (which == View::transposed || which == View::line) {
        constexpr std::size_t tile = 16;  // rows and columns, so that all of a cache line is used
        return work.compute(
            width, height, tile, [&](std::size_t first, std::size_t last, std::span<float> y) {
                for (std::size_t row = 0; row < height; row += tile)
                    for (std::size_t column = first; column < last; ++column)
                        for (std::size_t r = row; r < std::min<std::size_t>(row + tile, height); ++r)
                            y[column * height + r] = work.a[r * width + column] * 2;
            });
    }
    const std::uint64_t first = which == View::slice ? width / 2 : 0;
    return work.compute_rows(width - first, [&](std::size_t row, std::span<float> y) {
        std::ranges::transform(work.a.subspan(row * width + first, y.size()), y.begin(),
                               [](float number) { return number * 2; });
    });
}

double compute_diamond(const CpuWork& work) {
    return work.compute_rows(work.width, [&](std::size_t row, std::span<float> e) {
        std::ranges::transform(work.a.subspan(row * work.width, work.width), e.begin(),
                               [](float number) { return exp_negative(-number); });
        const float inverse = 1 / static_cast<float>(fast_sum<float>(e));
        for (float& probability : e)
            probability *= inverse;
    });
}

double compute_order(const CpuWork& work) {
    return work.compute(work.width, 1, 256, [&](std::size_t first, std::size_t last, std::span<float> y) {
        const std::span<float> sums = y.subspan(first, last - first);
        std::ranges::fill(sums, 0.0F);
        for (std::size_t row = 0; row < work.height; ++row)
            for (std::size_t i = 0; i < sums.size(); ++i)
                sums[i] += 5 * fast_tanh(work.a[row * work.width + first + i]);
    });
}

// The choice of the graph.

struct GraphDefinition {
    void (*write)(tensor::Graph& to, const Tensor& a, const Values& values);
    double (*on_cpu)(const CpuWork& work);
};
const GraphDefinition& get_graph_definition(const Values& values) {
    static constexpr std::array<GraphDefinition, 5> definitions{{{&build_expression, &compute_expression},
                                                                 {&build_chain, &compute_chain},
                                                                 {&build_views, &compute_views},
                                                                 {&build_diamond, &compute_diamond},
                                                                 {&build_order, &compute_order}}};
    return definitions[static_cast<std::size_t>(values[graph])];
}

std::unique_ptr<tensor::Graph> build_graph(const Values& values) {
    auto new_graph = std::make_unique<tensor::Graph>();
    get_graph_definition(values).write(*new_graph, new_graph->input("a", {values[rows], values[columns]}),
                                       values);
    return new_graph;
}

/// Returns the graph with the right order, whatever order the values have.
std::unique_ptr<tensor::Graph> build_definition(Values values) {
    values.set(order.id, get_definition());
    return build_graph(values);
}

double on_cpu(const Input& input, const Values& values, SumRanges sum_ranges) {
    return get_graph_definition(values).on_cpu({input, values, sum_ranges});
}

// The input: only the tensors that the graph reads, so every parameter of the graph is part of the input.

ArrayRef random_numbers(std::uint64_t count, std::uint32_t stream, const Values& values) {
    const std::uint64_t seed = values[key::seed];
    return share(values[numbers] == Numbers::normal ? normal_f32(count, seed, 0, 1, stream)
                                                    : uniform_f32(count, seed, -1, 1, stream));
}

/// If a is null, a random matrix is used.
Input make_input(ArrayRef a, const Values& values) {
    Input input;
    const std::unique_ptr<tensor::Graph> read_graph = build_graph(values);
    for (const tensor::Node& node : read_graph->nodes())
        if (node.op == tensor::Op::input) {
            const bool is_input = a && node.name == "a";
            input.push_back({node.name,
                             is_input ? a : random_numbers(node.elements(), word(input.size()), values),
                             word(node.shape.back())});
        }
    return input;
}

Input input(const Values& values) {
    return make_input(nullptr, values);
}

/// Beyond 50, exp(x) is so large that adding 1 to it is lost in rounding.
Input input_from_user(const UserData& data, const Values& values) {
    const NumberCheck check =
        max_magnitude_check(50, "{0} is outside the range from -{1} to {1}. Scale or replace it.");
    return make_input(convert_user_numbers<float>(data, check), values);
}

Plan make_graph_plan(const Run& run, const Values& values) {
    return make_plan(*build_graph(values), run.limits,
                     tensor_lesson::options_for(values, run.facts.execution));
}

std::vector<Expected> reference(const Input& input, const Run& run) {
    return tensor::expected(*build_definition(run.values), input);
}

bool wrong_on_purpose(const Values& values, const Variant&) {
    return values[graph] == GraphChoice::order && !is_equivalent(values[order]);
}

void remarks(Remarks& add, const Run& run) {
    if (run[graph] == GraphChoice::order) {
        if (const std::string problem = find_problem(run[order]); !problem.empty())
            add.refuse(order, problem);
        else if (!is_equivalent(run[order]))
            add.caution(order, "In this order, the result differs from the definition.");
    }
    const auto note_unused = [&](const auto& of, GraphChoice reader, std::string_view reader_name) {
        if (run[graph] != reader && !run.is_default(of.id))
            add.note(of, "Only the graph {} uses this.", reader_name);
    };
    note_unused(operations, GraphChoice::chain, "chain");
    note_unused(view, GraphChoice::views, "views");
    note_unused(order, GraphChoice::order, "order");
    tensor_lesson::add_remarks(add, run.values, run.facts.execution);
}

std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    constexpr std::uint64_t shown_element =
        10'000;  ///< the element of y for which the fact place_in_w is given
    const NumberSummary all = summarize_numbers(*outputs.front().array);
    std::vector<Fact> facts = {
        {"largest", "Largest", all.largest},
        {"smallest", "Smallest", all.smallest},
        {"matrix_bytes", "Bytes per matrix", run[columns] * run[rows] * sizeof(float)}};
    std::uint64_t copied_bytes = 0;
    const std::unique_ptr<tensor::Graph> computed_graph = build_graph(run.values);
    for (const tensor::Node& node : computed_graph->nodes()) {
        if (node.op == tensor::Op::copy) copied_bytes += node.bytes();
        for (const tensor::Source& source : node.sources)
            if (computed_graph->nodes()[source.node].name == "w" && node.elements() > shown_element)
                facts.push_back({"place_in_w", fmt::format("Place in w for element {} of y", shown_element),
                                 source.view.at(shown_element)});
    }
    facts.push_back({"copied_bytes", "Bytes of copies in the graph", copied_bytes});
    return facts;
}

void pictures(Figures& add, const Run& run) {
    if (run.plan.steps.empty()) return;
    const std::unique_ptr<tensor::Graph> drawn_graph = build_graph(run.values);
    for (Plot& plot : tensor_lesson::graph_plots(
             {.graph = *drawn_graph, .execution = run.facts.execution, .numbers = run[columns] * run[rows]},
             add.of()))
        add.plot(std::move(plot));
}

// The exercise: the chain in one handwritten kernel, whichever graph is selected.

Values set_chain_of_eight(Values values) {
    values.set(graph.id, ChoiceIndex{static_cast<std::uint32_t>(GraphChoice::chain)});
    values.set(operations.id, std::uint64_t{8});
    return values;
}

Plan make_handwritten(const Run& run) {
    Plan created = make_graph_plan(run, set_chain_of_eight(run.values));
    for (gridstride::Step& step : created.steps)
        if (auto* launch = std::get_if<Dispatch>(&step)) {
            launch->kernel = run.kernel();
            launch->source.clear();
        }
    return created;
}

std::vector<Expected> handwritten_reference(const Input& input, const Run& run) {
    return tensor::expected(*build_definition(set_chain_of_eight(run.values)), input);
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "tensor_graph",
         .title = "Tensor graph",
         .parameters = parameters(),
         .domain = {"columns", "rows"},
         .noun = "numbers",
         .input = input,
         .input_files = {".npy", ".csv"},
         .input_from_user = input_from_user,
         .reference_depends_on_variant = false,
         .wrong_on_purpose = wrong_on_purpose,
         .baseline = on_cpu},
        {.make_plan = [](const Run& run) { return make_graph_plan(run, run.values); },
         .remarks = remarks,
         .reference = reference,
         .result = result,
         .pictures = pictures},
        {{{"eager", "Eager", "Each operation runs at once, with its own launch, submission and buffer."},
          {.execution = Execution::eager}},
         {{"planned", "Planned",
           "One launch per operation, all in one submission; memory is reused according to lifetimes."},
          {.execution = Execution::planned}},
         {{"fused", "Fused", "As planned, but operations that can run together are fused into one kernel."},
          {.execution = Execution::fused}}},
        {{{"chain_by_hand", "A chain in one kernel",
           "Compute the eight operations of a chain in one launch."},
          {.execution = Execution::fused},
          {.kernel = "tensor_graph/chain_start.comp",
           .has_baseline = false,
           .solution = "tensor_graph/chain_by_hand.comp",
           .task = {.make_plan = make_handwritten,
                    .remarks = no_op,
                    .reference = handwritten_reference,
                    .pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::tensor_graph
