// This lesson takes programs. "take 4" makes the numbers 0 to 3, "read a.csv 4" reads four numbers, each
// "double" doubles them all, and "save a.npy" saves them to a file.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include "base/text.h"
#include "graph/expected.h"
#include "lesson/user_data.h"
#include "tensor/plan.h"

namespace gridstride::lessons::doubling {

namespace {

struct Program {
    std::uint64_t count = 0;
    std::string file;              ///< the file to read from; empty: the numbers are generated
    std::uint32_t reads_line = 0;  ///< the line that names `file`
    std::uint32_t doublings = 0;
    std::string saved;  ///< the file to save to; empty: none
};

constexpr std::uint64_t max_numbers = 1 << 20;

/// Adds a line to the program. Returns the error as a sentence; empty if there is none.
std::string take(const std::vector<std::string_view>& words, std::uint32_t line, Program& program) {
    const bool reads = words.size() == 3 && words[0] == "read";
    if (reads || (words.size() == 2 && words[0] == "take")) {
        program.count = parse_number<std::uint64_t>(words.back()).value_or(0);
        if (reads) program.file = words[1];
        program.reads_line = line;
        if (program.count > 0 && program.count <= max_numbers) return {};
        return fmt::format("{} is not a number from 1 to {}. Give another.", quote_text(words.back()),
                           max_numbers);
    }
    if (words.size() == 1 && words[0] == "double") {
        ++program.doublings;
        return {};
    }
    if (words.size() == 2 && words[0] == "save") {
        program.saved = words[1];
        return {};
    }
    return fmt::format("{} is not understood. Write take, read, double or save.", quote_text(words[0]));
}

Program read(const KernelSource& source) {
    Program program;
    std::vector<Diagnostic> wrong;
    std::uint32_t line = 0;
    for (const std::string_view text : split(source.text, '\n')) {
        ++line;
        if (trim(text).empty() || text.starts_with("//")) continue;
        std::string problem = take(split(trim(text), ' '), line, program);
        if (!problem.empty())
            wrong.push_back({DiagnosticLevel::error, source.name, line, std::move(problem)});
    }
    if (wrong.empty() && (program.count == 0 || program.doublings == 0))
        wrong.push_back({DiagnosticLevel::error, source.name, 0,
                         "It takes no numbers, or doubles none. Write \"take 4\" and \"double\"."});
    if (!wrong.empty()) throw ProgramError(std::move(wrong));
    return program;
}

std::unique_ptr<tensor::Graph> graph_of(const Program& program) {
    auto graph = std::make_unique<tensor::Graph>();
    tensor::Tensor doubled = graph->input("numbers", {program.count});
    for (std::uint32_t i = 0; i < program.doublings; ++i)
        doubled = doubled * 2;
    graph->output("doubled", doubled);
    return graph;
}

Plan make(const PreparedExperiment& prepared) {
    const Program program = read(prepared.program);
    Plan plan = make_plan(*graph_of(program), prepared.limits,
                          {.execution = tensor::Execution::fused,
                           .workgroup_size = requested_workgroup(prepared.values()).product(),
                           .workgroup_count = requested_grid(prepared.values()).product()});
    if (!program.file.empty()) plan.input_files = {program.file};
    if (!program.saved.empty())
        plan.files = {{.array = "doubled", .file = program.saved, .shape = {program.count}}};
    return plan;
}

Input input(const PreparedExperiment& prepared) {
    const Program program = read(prepared.program);
    Array numbers(ElementType::f32, program.count);
    const std::span<float> into = numbers.as<float>();
    try {
        const ArrayRef given = program.file.empty()
                                   ? nullptr
                                   : read_file_in_folder(prepared.program.folder, program.file).numbers;
        if (given && given->count() != program.count)
            throw FileError(
                fmt::format("{} holds {} numbers, and the program takes {}. Write how many there "
                            "are.",
                            program.file, given->count(), program.count));
        for (std::size_t i = 0; i < into.size(); ++i)
            into[i] = static_cast<float>(given ? given->number(i) : static_cast<double>(i));
    } catch (const FileError& error) {
        throw ProgramError(
            {{DiagnosticLevel::error, prepared.program.name, program.reads_line, error.what()}});
    }
    return {{"numbers", share(std::move(numbers))}};
}

std::vector<Expected> reference(const Input& input, const PreparedExperiment& prepared) {
    return tensor::expected(*graph_of(read(prepared.program)), input);
}

std::vector<Fact> result(const PreparedExperiment&, const Outputs& outputs) {
    return {{"last", "Last", get(outputs, "doubled").number(get(outputs, "doubled").count() - 1)}};
}

void pictures(Figures& add, const PreparedExperiment&) {
    FigureBuilder& figure = add.figure("doubled", "Doubled").measured();
    if (add.report()) figure.series({.label = "doubled", .y_array = add.report()->outputs.front().array});
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "doubling",
        .title = "Doubling",
        .parameters = common_parameters(4, 64),
        .variants = {{{"twice", "Twice", "Four numbers, doubled twice."},
                      {.kernel = "doubling/twice.doubling"}},
                     {{"once", "Once", "Four numbers, doubled once."}, {.kernel = "doubling/once.doubling"}}},
        .default_variant = "twice",
        .make_program_input = &input,
        .task = {.make_plan = &make, .reference = &reference, .result = &result, .pictures = &pictures},
    };
    return lesson;
}

}  // namespace gridstride::lessons::doubling
