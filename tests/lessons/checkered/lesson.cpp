// This lesson's launch covers rows and columns.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include "base/random.h"

namespace gridstride::lessons::checkered {

namespace {

constexpr Key<std::uint64_t> columns{"columns"}, rows{"rows"};

std::vector<Parameter> parameters() {
    return common_parameters({domain_parameter("columns", "Columns", 300, "How many numbers a row has."),
                              domain_parameter("rows", "Rows", 200, "How many rows there are.")},
                             {16, 16});
}

Input input(const Values& values) {
    Array numbers(ElementType::u32, values[columns] * values[rows]);
    fill_random_u32(numbers.as<std::uint32_t>(), values[key::seed], 0);
    return {{"numbers", share(std::move(numbers)), static_cast<std::uint32_t>(values[columns])}};
}

/// The exercise writes the same numbers transposed.
constexpr std::string_view turn = "turn";

/// Each output is number * (column + 1) + row, so any mixed-up position gives a wrong result.
std::vector<Expected> reference(const Input& input, const PreparedExperiment& prepared) {
    const auto numbers = get(input, "numbers").as<std::uint32_t>();
    const std::uint64_t width = prepared.values()[columns], height = prepared.values()[rows];
    Array marked(ElementType::u32, numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        marked.as<std::uint32_t>()[i] =
            numbers[i] * static_cast<std::uint32_t>(i % width + 1) + static_cast<std::uint32_t>(i / width);
    if (prepared.variant->id != turn) return {{.output = "marked", .reference = share(std::move(marked))}};
    Array turned(ElementType::u32, numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        turned.as<std::uint32_t>()[i % width * height + i / width] = marked.as<std::uint32_t>()[i];
    return {{.output = "marked", .reference = share(std::move(turned))}};
}

void plan(PlanBuilder& plan, const PreparedExperiment& run) {
    const Variant& variant = *run.variant;
    const PlanBuffer numbers = plan.input("numbers", ElementType::u32, plan.domain());
    const PlanBuffer marked = plan.output("marked", ElementType::u32, plan.domain());
    plan.set_cost(8 * plan.elements(), 2 * plan.elements());
    plan.main_output("marked");
    plan.upload(numbers);
    const bool turns = variant.id == turn;
    // Each pass takes two iterations: one of the loop over the rows, and one of the inner loop over the
    // columns.
    plan.launch("mark each number", turns ? "checkered/turn_start" : "checkered/mark",
                {reads_each(numbers), turns ? writes(marked) : writes_each(marked)})
        .iterations_per_pass = 2;
    plan.download(marked);
}

std::vector<Fact> result(const PreparedExperiment&, const Outputs& outputs) {
    return {{"first", "First", std::uint64_t{get(outputs, "marked").as<std::uint32_t>()[0]}}};
}

void pictures(Figures& add, const PreparedExperiment&) {
    if (!add.report() || add.report()->input.empty()) return;
    const NamedArray& numbers = add.report()->input.front();
    add.cells("numbers", "The numbers",
              {.numbers = {{"numbers", numbers.width, numbers.array, 0, 4294967295.0}}}, {},
              Origin::measured);
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "checkered",
        .title = "Checkered",
        .parameters = parameters(),
        .domain = {"columns", "rows"},
        .noun = "numbers",
        .variants = {{{"mark", "One each", "Each invocation marks numbers a whole grid apart."},
                      {.kernel = "checkered/mark.comp"}}},
        .default_variant = "mark",
        .exercises = {{{std::string(turn), "Rows become columns",
                        "Each marked number goes to the row of its column and the column of its row."},
                       {.kernel = "checkered/turn_start.comp", .solution = "checkered/turn.comp"}}},
        .input = &input,
        .task = {.plan = &plan, .reference = &reference, .result = &result, .pictures = &pictures},
    };
    return lesson;
}

}  // namespace gridstride::lessons::checkered
