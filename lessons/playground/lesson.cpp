// Playground: models, tensors and kernels as a program that the user writes. The variants are example
// programs.
#include "figures/lesson_headers.h"

#include "graph/expected.h"
#include "lesson/input_remarks.h"
#include "lesson/kernel_file.h"
#include "lesson/user_data.h"
#include "playground/program.h"
#include "tensor_lesson/parameters.h"
#include "tensor_lesson/pictures.h"
#include "text_lesson/lesson_data.h"

namespace gridstride::lessons::playground {

namespace {

std::vector<Parameter> parameters() {
    return common_parameters(
        {domain_parameter("n", "Size", 256, "The value of n in the program.")}, {256, 1},
        {choice_parameter(
             execution, "Execution", "How the operations are executed.", Invalidates::launch,
             {{"eager", "one launch, submission and buffer per operation"},
              {"planned", "one launch per operation, one submission, memory reused by lifetimes"},
              {"fused", "as planned, with operations fused into kernels"}})
             .by_default(tensor::Execution::fused),
         choice_parameter(place, "Place", "Where the lines of the program are computed.", Invalidates::launch,
                          {{"written", "as written in the program"},
                           {"gpu", "all on the GPU"},
                           {"cpu", "on the CPU, except kernels and lines with \"on gpu\""}}),
         tensor_lesson::in_place_parameter(), tensor_lesson::precision_parameter(),
         tensor_lesson::memory_parameter()});
}

struct Facts {};
using Run = gridstride::Run<Facts>;

// The input: the program's tensors.

NamedArray read_numbers(const InputTensor& input, const std::string& folder) {
    const UserData data = read_file_in_folder(folder, input.file);
    const std::uint64_t count = tensor::element_count(input.shape);
    if (data.numbers->count() != count)
        throw Refusal("\"{}\" has {}{}, but {} of {} needs {}. Change the shape or the file.", input.file,
                      counted(data.numbers->count(), "number"),
                      data.width > 0 ? fmt::format(" in rows of {}", format_count(data.width)) : "",
                      input.name, tensor::text_of(input.shape), format_count(count));
    // -inf masks an element for softmax.
    const auto check = [](double number) { return number == -HUGE_VAL ? "" : check_finite_f32(number); };
    if (is_float(input.type)) require_numbers(*data.numbers, data.width, check);
    return {.array = convert_user_numbers(data, input.type), .remarks = conversion_remarks(data, input.type)};
}

/// Returns 0, 1, 2, … or random numbers: floats from -1 to 1, and integers of random bits.
ArrayRef generate_fill(const InputTensor& input, std::uint64_t seed, std::uint32_t stream) {
    const std::uint64_t count = tensor::element_count(input.shape);
    if (input.fill == Fill::expression) return share(generate(*input.generated, seed, stream));
    if (input.fill == Fill::random && !is_float(input.type)) {
        Array array(input.type, count);
        const std::vector<std::uint32_t> words = expression::generate_words(count, seed, stream);
        std::ranges::copy(std::as_bytes(std::span(words)), array.raw().begin());
        return share(std::move(array));
    }
    const ArrayRef numbers = input.fill == Fill::random ? share(uniform_f32(count, seed, -1, 1, stream))
                                                        : generate_array<std::uint32_t>(
                                                              count, [](std::size_t i) { return word(i); });
    return convert_user_numbers({.numbers = numbers}, input.type);
}

Input make_program_input(const PreparedExperiment& run) {
    Input arrays;
    const std::unique_ptr<Program> program = parse_program(run);
    for (const InputTensor& input : program->inputs) {
        NamedArray array;
        if (input.fill != Fill::file)
            array.array = generate_fill(input, run[key::seed], word(arrays.size()));
        else
            try {
                array = read_numbers(input, run.program.folder);
            } catch (const std::runtime_error& error) {
                throw ProgramError(
                    {{.file = run.program.name, .line = word(input.line), .text = error.what()}});
            }
        array.name = input.name;
        array.width = word(input.shape.back());
        arrays.push_back(std::move(array));
    }
    return arrays;
}

// The plan, and the reference.

/// Returns the program of an exercise's solution; null for a variant.
std::unique_ptr<Program> parse_solution(const Run& run) {
    if (run.variant.solution.empty()) return nullptr;
    PreparedExperiment solved = run.prepared;
    solved.program = read_shipped_kernel(run.variant.solution);
    return parse_program(solved);
}

Plan make(const Run& run) {
    const std::unique_ptr<Program> program = parse_program(run.prepared);
    const tensor::Graph& graph = program->workspace.graph();
    // A solution runs on the inputs of the program that it checks.
    if (const auto solution = parse_solution(run))
        for (const InputTensor& input : solution->inputs)
            if (std::ranges::none_of(program->inputs, [&](const InputTensor& other) {
                    return other.name == input.name && other.shape == input.shape &&
                           other.type == input.type && other.fill == input.fill;
                }))
                throw ProgramError(
                    {{.file = run.prepared.program.name,
                      .text = fmt::format(
                          "The exercise needs the input {}, {}, with its original fill. Restore its line.",
                          input.name, tensor::text_of(input.shape))}});
    if (run[place] == PlaceChoice::cpu && std::ranges::none_of(graph.nodes(), [](const tensor::Node& node) {
            return node.is_computed() && node.place == tensor::Processor::device;
        }))
        throw Refusal(
            "With place = cpu, all lines of this program are computed on the CPU, but a run needs at least "
            "one launch on the GPU. Write \"on gpu\" at the end of a line, or choose another place.");
    Plan plan = tensor::make_plan(graph, run.limits, tensor_lesson::options_for(run.values, run[execution]));
    for (const InputTensor& input : program->inputs)
        if (input.fill == Fill::file) plan.input_files.push_back(input.file);
    plan.files = program->saved_arrays;
    return plan;
}

/// Returns the solution's results in an exercise, and the program's own expectations.
std::vector<Expected> reference(const Input& input, const Run& run) {
    const std::unique_ptr<Program> program = parse_program(run.prepared), solution = parse_solution(run);
    if (!solution) return tensor::expected(program->workspace.graph(), input);
    std::vector<Expected> all = tensor::expected(solution->workspace.graph(), input);
    std::ranges::move(tensor::expected_by_graph(program->workspace.graph(), input), std::back_inserter(all));
    return all;
}

void remarks(Remarks& add, const Run& run) {
    if (!parse_program(run.prepared)->uses_n) add.note(n, "This program does not use n.");
    tensor_lesson::add_remarks(add, run.values, run[execution]);
}

/// Returns whether the numbers are not bytes.
bool has_range(const Array& numbers) {
    return !numbers.empty() && (is_float(numbers.type()) || tensor::is_integer(numbers.type()));
}

std::vector<Fact> result(const Run&, const Outputs& outputs) {
    std::vector<Fact> facts;
    for (const NamedArray& output : outputs) {
        if (!has_range(*output.array)) continue;
        const NumberSummary all = summarize_numbers(*output.array);
        const std::string id = tensor::to_identifier(output.name);
        facts.push_back({id + "_largest", "Largest of " + output.name, all.largest});
        facts.push_back({id + "_smallest", "Smallest of " + output.name, all.smallest});
    }
    return facts;
}

// Pictures.

/// Returns a description such as "y, 2 x 3: from -1 to 4".
std::string describe_tensor(const tensor::Node& node, const Array& numbers) {
    std::string name = fmt::format("{}, {}", node.name, tensor::text_of(node.shape));
    if (!has_range(numbers)) return name;
    const NumberSummary all = summarize_numbers(numbers);
    if (tensor::is_integer(numbers.type()))
        return fmt::format("{}: from {:.0f} to {:.0f}", name, all.smallest, all.largest);
    if (all.nan_count > 0)
        return fmt::format("{}: {} of {} are not numbers, drawn in the error colour", name,
                           format_count(all.nan_count), format_count(numbers.count()));
    if (all.smallest == all.largest) return fmt::format("{}: {}", name, format_significant(all.smallest));
    return fmt::format("{}: from {} to {}", name, format_significant(all.smallest),
                       format_significant(all.largest));
}

/// Draws a tensor with its outer axes below one another.
void draw_results(Figures& add, const tensor::Graph& graph) {
    constexpr std::size_t max_drawn = 6;
    Cells cells{.shades = Cells::Shades::viridis};
    std::vector<std::string> notes;
    for (const std::size_t output : graph.outputs()) {
        const tensor::Node& node = graph.nodes()[output];
        const Array* const numbers = find(add.report()->outputs, node.name);
        if (!numbers || numbers->count() != node.elements()) continue;
        notes.push_back(describe_tensor(node, *numbers));
        cells.numbers.push_back(
            matrix_corner(node.name, *numbers, node.shape.empty() ? 1 : node.shape.back()));
    }
    if (cells.numbers.empty()) return;
    if (const std::size_t count = notes.size(); count > max_drawn) {
        cells.numbers.resize(max_drawn);
        notes.resize(max_drawn);
        notes.push_back(fmt::format("{} more are not drawn; show fewer tensors", count - max_drawn));
    }
    add.cells(
        "results", "Results", std::move(cells),
        join(notes, "; ") + ". Of large tensors, only a corner is drawn. Dark is small, bright is large.",
        add.origin());
}

void pictures(Figures& add, const Run& run) {
    if (run.plan.steps.empty()) return;
    const std::unique_ptr<Program> program = parse_program(run.prepared);
    const tensor::Graph& graph = program->workspace.graph();
    if (add.report()) draw_results(add, graph);
    for (Plot& plot : tensor_lesson::graph_plots({.graph = graph, .execution = run[execution]}, add.of()))
        add.plot(std::move(plot));
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "playground",
         .title = "Playground",
         .parameters = parameters(),
         .domain = {"n"},
         .noun = "numbers",
         .make_program_input = make_program_input},
        {.make_plan = make,
         .remarks = remarks,
         .reference = reference,
         .result = result,
         .pictures = pictures},
        {{{"chain", "A chain", "((a + b) * 5 - c) / 2, with one line per operation."}},
         {{"errand", "A line on the CPU", "The same chain, with one line computed on the CPU."}},
         {{"network", "A network, weights as bytes", "The forward pass through two layers."}},
         {{"network_f32", "A network, weights in f32", "The same two layers with weights in f32."}},
         {{"embeddings", "Two embeddings",
           "Embeddings of a text and a picture, each multiplied by its projection, and their similarity."}},
         {{"own_weights", "Two models, weights for each",
           "Each model has its own copy of the same weights."}},
         {{"shared_weights", "Two models, shared weights", "One model reads the weights of the other."}}},
        {{{"alike", "How similar are two rows?", "Compute the cosine similarity of rows in a kernel."}},
         {{"lean", "Less memory", "Compute the same result without copies."}}});
    return lesson;
}

}  // namespace gridstride::lessons::playground
