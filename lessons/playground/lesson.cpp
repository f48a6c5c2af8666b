// Playground: models, their tensors and kernels, written by whoever sits before it. What runs is a text; the
// variants are those that it opens with.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/units.h"
#include "lesson/kernel_file.h"
#include "lesson/stock.h"
#include "lesson/user_data.h"
#include "playground/playground.h"
#include "tensor/expected.h"
#include "tensor/parameters.h"

namespace gridstride::lessons::playground {

namespace {

std::vector<Parameter> parameters() {
    Parameter execution =
        choice_parameter(key::execution, "Execution", "How the operations are run.", Invalidates::launch,
                         {{"eager", "a launch, a submission and a buffer each"},
                          {"planned", "a launch each, in one submission, in memory planned by lifetimes"},
                          {"fused", "as planned, and what can run together is one kernel"}});
    execution.default_value = ChoiceIndex{static_cast<std::uint32_t>(tensor::Execution::fused)};
    return common_parameters(
        {domain_parameter("n", "Size", 256, "What a program calls n.")}, {256, 1},
        {std::move(execution),
         choice_parameter(key::place, "Place", "Where the lines are computed.", Invalidates::launch,
                          {{"written", "as they say"},
                           {"gpu", "all on the GPU"},
                           {"cpu", "on the CPU, but for kernels and lines that say \"on gpu\""}}),
         tensor::in_place_parameter(), tensor::memory_parameter()});
}

// The input: what the program's tensors are filled with.

/// -inf masks a place for softmax.
std::string why_not_number(double number) {
    return number == -HUGE_VAL ? std::string() : why_not_f32(number);
}

NamedArray read_file(const Filled& one, std::uint64_t count, const std::string& folder) {
    const UserData data = read_within(folder, one.file);
    if (data.numbers->count() != count)
        throw Refusal(
            fmt::format("\"{}\" holds {}{}, and {} of {} takes {}. Give it another shape, or another file.",
                        one.file, counted(data.numbers->count(), "number"),
                        data.width > 0 ? fmt::format(" in rows of {}", format_count(data.width)) : "",
                        one.name, tensor::text_of(one.shape), format_count(count)));
    return {.array = numbers_of_user<float>(data, &why_not_number),
            .remarks = remarks_on(data, ElementType::f32)};
}

NamedArray filled(const Filled& one, std::uint32_t stream, const Prepared& asked) {
    const std::uint64_t count = tensor::elements_of(one.shape);
    if (one.fill == Fill::ramp)
        return {.array = array_of<float>(count, [](std::size_t i) { return static_cast<float>(i); })};
    if (one.fill == Fill::random)
        return {.array = share(uniform_f32(count, asked.values()[key::seed], -1, 1, stream))};
    try {
        return read_file(one, count, asked.program.folder);
    } catch (const std::runtime_error& error) {
        throw WrongProgram({{.file = asked.program.name,
                             .line = static_cast<std::uint32_t>(one.line),
                             .text = error.what()}});
    }
}

Input input_of_program(const Prepared& asked) {
    Input input;
    const std::unique_ptr<Program> program = program_of(asked);
    for (const Filled& one : program->filled) {
        NamedArray& array = input.emplace_back(filled(one, word(input.size()), asked));
        array.name = one.name;
        array.width = word(one.shape.back());
    }
    return input;
}

// The launches, and what is right.

/// An exercise is judged by its solution's text; none: it is none.
std::unique_ptr<Program> solution_of(const Prepared& asked) {
    const Variant* const exercise = find_exercise(*asked.lesson, asked.variant->id);
    if (!exercise) return nullptr;
    Prepared solved = asked;
    solved.program = read_shipped(exercise->solution);
    return program_of(solved);
}

/// The solution is given what the text that it judges is given.
void require_given(const Program& program, const Program& solution, const std::string& file) {
    for (const Filled& one : solution.filled) {
        const auto same = std::ranges::find(program.filled, one.name, &Filled::name);
        if (same == program.filled.end() || same->shape != one.shape || same->fill != one.fill)
            throw WrongProgram(
                {{.file = file,
                  .text =
                      fmt::format("The exercise gives {}, {}, filled as at first. Leave its line as it was.",
                                  one.name, tensor::text_of(one.shape))}});
    }
}

Plan make(const Prepared& asked) {
    const Values& values = asked.values();
    const std::unique_ptr<Program> program = program_of(asked);
    if (const auto solution = solution_of(asked)) require_given(*program, *solution, asked.program.name);
    const auto runs_there = [](const tensor::Node& node) {
        return node.is_made() && node.place == tensor::Place::device;
    };
    if (values[key::place] == Where::cpu && std::ranges::none_of(program->all.graph().nodes(), runs_there))
        throw Refusal(
            "With the place cpu all lines of this program are computed on the CPU, and a run has one launch "
            "on the GPU at least. Write \"on gpu\" behind a line, or choose another place.");
    Plan plan = tensor::make_plan(program->all.graph(), asked.limits,
                                  tensor::options_of(values, values[key::execution]));
    for (const Filled& one : program->filled)
        if (one.fill == Fill::file) plan.input_files.push_back(one.file);
    plan.files = program->saved;
    return plan;
}

/// What is right in an exercise is for its solution to say; what the text expects of itself is decided
/// besides.
std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    const std::unique_ptr<Program> program = program_of(asked), solution = solution_of(asked);
    if (!solution) return tensor::expected(program->all.graph(), input);
    std::vector<Expected> all = tensor::expected(solution->all.graph(), input);
    std::ranges::move(tensor::expected_by_graph(program->all.graph(), input), std::back_inserter(all));
    return all;
}

void remarks(Remarks& say, const Prepared& asked) {
    const Values& values = asked.values();
    if (!program_of(asked)->uses_n) say.note(key::n, "This program does not say n: no size depends on it.");
    tensor::add_remarks(say, values, values[key::execution]);
}

/// Of all that came back: what was asked for, and what a line on the CPU read or made room for others.
std::vector<Fact> result(const Prepared&, const Outputs& outputs) {
    std::vector<Fact> facts;
    for (const NamedArray& one : outputs) {
        if (one.array->type() != ElementType::f32 || one.array->empty()) continue;
        const FloatSummary all = summary_of(one.array->as<float>());
        const std::string id = tensor::word_of(one.name);
        facts.push_back({id + "_largest", "Largest of " + one.name, all.largest});
        facts.push_back({id + "_smallest", "Smallest of " + one.name, all.smallest});
    }
    return facts;
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "playground",
        .title = "Playground",
        .parameters = parameters(),
        .domain = {"n"},
        .noun = "numbers",
        .variants = {{"chain", "A chain", "((a + b) * 5 - c) / 2, a line for each of its operations.",
                      "playground/chain.playground"},
                     {"errand", "A line on the CPU", "The same chain, one line of it computed on the CPU.",
                      "playground/errand.playground"},
                     {"network", "A network, weights as bytes", "Forward through two layers.",
                      "playground/network.playground"},
                     {"network_f32", "A network, weights in f32",
                      "The same two layers with weights as they are.", "playground/network_f32.playground"},
                     {"embeddings", "Two embeddings",
                      "A text and a picture as vectors, each times its projection, and how alike they are.",
                      "playground/embeddings.playground"},
                     {"own_weights", "Two models, weights for each", "The same weights are there twice.",
                      "playground/own_weights.playground"},
                     {"shared_weights", "Two models, shared weights", "One reads the weights of the other.",
                      "playground/shared_weights.playground"}},
        .default_variant = "chain",
        .exercises = {{.id = "alike",
                       .title = "How alike are two rows?",
                       .summary = "The cosine between rows, by a kernel.",
                       .kernel = "playground/alike_start.playground",
                       .solution = "playground/alike.playground"},
                      {.id = "lean",
                       .title = "Less memory",
                       .summary = "The same result, without copies.",
                       .kernel = "playground/lean_start.playground",
                       .solution = "playground/lean.playground"}},
        .input_of_program = &input_of_program,
        .task = {.make = &make,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = drawn_by(&pictures)},
    };
    return lesson;
}

}  // namespace gridstride::lessons::playground
