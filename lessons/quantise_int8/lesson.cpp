// Numbers as bytes: a quarter of the memory for 256 places, and what the rounding does to a product.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <span>

#include "base/error.h"
#include "base/units.h"
#include "lesson/stock.h"
#include "quantise_int8/quantise_int8.h"

namespace gridstride::lessons::quantise_int8 {

namespace {

std::vector<Parameter> parameters() {
    Parameter columns = domain_parameter("columns", "Columns", 1024,
                                         "Weights of a row, and numbers of a vector. With more than 65 536 a "
                                         "sum of products of bytes could leave 32 bits.");
    columns.maximum = tensor::most_columns_of_bytes;
    Parameter rows = domain_parameter("rows", "Rows", 1024, "Rows of weights, and results for each vector.");
    rows.maximum = tensor::most_rows_of_bytes;
    Parameter outlier =
        number_parameter(key::outlier, "One large weight",
                         "The weight in the middle of the matrix. 0: it is drawn as the others.", 0.0, -1000,
                         1000, Invalidates::input);
    outlier.unit = "deviations";
    return common_parameters(
        {std::move(columns), std::move(rows)}, {256, 1},
        {number_parameter(key::vectors, "Vectors", "How many vectors the weights are multiplied with.", 1, 1,
                          8, Invalidates::input),
         number_parameter(key::mean, "Mean", "Of the weights, whose standard deviation is 1.", 0.0, -10, 10,
                          Invalidates::input),
         std::move(outlier),
         choice_parameter(key::scheme, "Steps", "Where the places stand to which weights are rounded.",
                          Invalidates::input,
                          {{"zero_point", "one, and a zero point"},
                           {"symmetric", "one, symmetric"},
                           {"by_row", "one for each row"}}),
         choice_parameter(key::dot, "Dot of four",
                          "How four bytes are multiplied with four. auto: by the device's instruction, if it "
                          "has one.",
                          Invalidates::launch,
                          {{"auto", "auto"}, {"instruction", "instruction"}, {"shifts", "shifts"}})});
}

// The input: weights, a few vectors, and both as bytes. Whoever has trained a network makes the bytes once.

/// Vectors begin at multiples of four numbers, with 0 between them.
Array vectors(const Values& values) {
    const std::uint64_t columns = values[key::columns], pitch = padded(columns);
    const Array drawn = normal_f32(columns * values[key::vectors], values[key::seed], 0, 1, 1);
    Array all(ElementType::f32, pitch * values[key::vectors]);
    std::ranges::fill(all.as<float>(), 0.0F);
    for (std::uint64_t v = 0; v < values[key::vectors]; ++v)
        std::ranges::copy(drawn.as<float>().subspan(v * columns, columns),
                          all.as<float>().subspan(v * pitch).begin());
    return all;
}

Input with_bytes(Array weights, const Values& values) {
    const std::uint64_t columns = values[key::columns];
    Quantised of_weights = quantise(weights, columns, values[key::scheme]);
    Array x = vectors(values);
    Quantised of_x = quantise(x, padded(columns), Scheme::by_row);
    return {{"weights", share(std::move(weights)), word(columns)},
            {"x", share(std::move(x)), word(padded(columns))},
            {"bytes", std::move(of_weights.bytes), word(padded(columns))},
            {"steps", std::move(of_weights.steps)},
            {"zero_points", std::move(of_weights.zero_points)},
            {"x_bytes", std::move(of_x.bytes), word(padded(columns))},
            {"x_steps", std::move(of_x.steps)}};
}

Input input(const Values& values) {
    const std::uint64_t columns = values[key::columns], rows = values[key::rows];
    Array weights = normal_f32(columns * rows, values[key::seed], values[key::mean], 1);
    if (values[key::outlier] != 0)
        weights.as<float>()[rows / 2 * columns + columns / 2] = static_cast<float>(values[key::outlier]);
    return with_bytes(std::move(weights), values);
}

/// Steps of what is larger than 1e15 and sums of its products could be more than f32 holds.
Input input_from_user(const UserData& data, const Values& values) {
    const ArrayRef given = numbers_of_user<float>(data, [](double number) -> std::string {
        constexpr double largest = 1e15;
        if (std::abs(number) <= largest) return {};
        return fmt::format(
            "{} has no place among 256. Weights are at most {:g} in magnitude. Remove or "
            "replace it.",
            number, largest);
    });
    return with_bytes(Array::of(given->as<float>()), values);
}

/// In independent sums, which the compiler can turn into vector instructions.
float dot(std::span<const float> a, std::span<const float> b) {
    constexpr std::size_t width = 16;
    std::array<float, width> sums{};
    std::size_t i = 0;
    for (; i + width <= a.size(); i += width)
        for (std::size_t k = 0; k < width; ++k)
            sums[k] += a[i + k] * b[i + k];
    for (; i < a.size(); ++i)
        sums[0] += a[i] * b[i];
    return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

/// The product of f32 on the CPU.
double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const auto weights = get(input, "weights").as<float>(), x = get(input, "x").as<float>();
    const std::uint64_t columns = values[key::columns], rows = values[key::rows];
    const auto y = kept_room(ElementType::f32, rows * values[key::vectors]).as<float>();
    return in_parts(
        rows, divide_up(std::uint64_t{1} << 14, columns), [=](std::size_t first, std::size_t last) {
            double sum = 0;
            for (std::size_t row = first; row < last; ++row)
                for (std::size_t v = 0; v < y.size() / rows; ++v) {
                    y[v * rows + row] =
                        dot(weights.subspan(row * columns, columns), x.subspan(v * padded(columns), columns));
                    sum += y[v * rows + row];
                }
            return sum;
        });
}

}  // namespace

// The launches.

RowTeam team_of(const Values& values, const Limits& limits) {
    return tensor::team_over_bytes(limits, workgroup_of(values), values[key::columns]);
}

namespace {

struct Way : Variant {
    void (*launches)(PlanBuilder& plan, const Values& values) = nullptr;
    std::vector<Expected> (*define)(const Input& input, const Prepared& asked) = nullptr;
};

/// The matrix as bytes in the plan.
struct BytesInPlan {
    PlanBuffer bytes, steps, zero_points;
};
template <class Make>
BytesInPlan bytes_in(const Values& values, Make make) {
    const std::uint64_t rows = values[key::rows];
    const Extent one_each{values[key::scheme] == Scheme::by_row ? rows : 1};
    return {make("bytes", ElementType::i8, Extent{padded(values[key::columns]), rows}),
            make("steps", ElementType::f32, one_each), make("zero_points", ElementType::i32, one_each)};
}
BytesInPlan uploaded_bytes(PlanBuilder& plan, const Values& values) {
    const BytesInPlan made = bytes_in(
        values, [&](auto name, auto type, const auto& shape) { return plan.input(name, type, shape); });
    for (const PlanBuffer buffer : {made.bytes, made.steps, made.zero_points})
        plan.upload(buffer);
    return made;
}

/// One of the kernels that go over rows by teams.
Dispatch& launch_rows(PlanBuilder& plan, const Values& values, std::string label, const std::string& kernel,
                      std::vector<Binding> bindings, std::uint64_t part_bytes = 0) {
    Dispatch& launch = plan.launch(std::move(label), "quantise_int8/" + kernel, std::move(bindings));
    tensor::set_up_bytes(launch, team_of(values, plan.limits()), values[key::scheme], values[key::columns],
                         values[key::vectors], part_bytes);
    return launch;
}

void round_trip_launches(PlanBuilder& plan, const Values& values) {
    const std::uint64_t rows = values[key::rows];
    const PlanBuffer weights = plan.input("weights", ElementType::f32, plan.domain());
    const PlanBuffer ranges = plan.output("ranges", ElementType::f32, {2, rows});
    const BytesInPlan made = bytes_in(
        values, [&](auto name, auto type, const auto& shape) { return plan.output(name, type, shape); });
    const PlanBuffer restored = plan.output("restored", ElementType::f32, plan.domain());
    plan.upload(weights);

    launch_rows(plan, values, "range of each row", "ranges", {reads_each(weights), writes(ranges)},
                tensor::part_bytes_of_range);
    Dispatch& steps = plan.launch_one("steps and zero points", "quantise_int8/steps",
                                      {reads(ranges), writes(made.steps), writes(made.zero_points)}, rows, 1);
    tensor::set_up_steps(steps, values[key::scheme]);
    launch_rows(plan, values, "numbers to bytes", "quantise",
                {writes(made.bytes), reads(made.steps), reads(made.zero_points), reads_each(weights)});
    launch_rows(plan, values, "bytes to numbers", "dequantise",
                {reads(made.bytes), reads(made.steps), reads(made.zero_points), writes_each(restored)});

    for (const PlanBuffer buffer : {made.bytes, made.steps, made.zero_points, restored})
        plan.download(buffer);
    // Each is read, becomes a byte, and is restored; a division and a product.
    plan.costs(plan.elements() * 9, 2 * plan.elements());
    plan.main_output("bytes", rows);
}

/// What all products end with. weight_bytes: with their steps.
void finish_product(PlanBuilder& plan, const Values& values, PlanBuffer y, std::uint64_t weight_bytes,
                    std::uint64_t vector_bytes) {
    plan.download(y);
    const std::uint64_t vectors = values[key::vectors];
    plan.costs(weight_bytes + vectors * (vector_bytes + sizeof(float) * values[key::rows]),
               2 * vectors * plan.elements());
    plan.main_output("y", vectors);
}

void f32_launches(PlanBuilder& plan, const Values& values) {
    const std::uint64_t pitch = padded(values[key::columns]);
    const PlanBuffer weights = plan.input("weights", ElementType::f32, plan.domain());
    const PlanBuffer x = plan.input("x", ElementType::f32, {pitch, values[key::vectors]});
    const PlanBuffer y = plan.output("y", ElementType::f32, {values[key::rows], values[key::vectors]});
    plan.upload(weights);
    plan.upload(x);
    launch_rows(plan, values, "the product", "f32", {reads_each(weights), reads(x), writes(y)},
                tensor::part_bytes_of_product);
    finish_product(plan, values, y, sizeof(float) * plan.elements(), sizeof(float) * pitch);
}

/// The bytes of a quantised matrix and its steps.
std::uint64_t int8_bytes(const Values& values) {
    const std::uint64_t rows = values[key::rows];
    const std::uint64_t words = values[key::scheme] == Scheme::by_row              ? rows
                                : values[key::scheme] == Scheme::one_step_and_zero ? 2
                                                                                   : 1;
    return padded(values[key::columns]) * rows + sizeof(float) * words;
}

void int8_weights_launches(PlanBuilder& plan, const Values& values) {
    const std::uint64_t pitch = padded(values[key::columns]);
    const BytesInPlan weights = uploaded_bytes(plan, values);
    const PlanBuffer x = plan.input("x", ElementType::f32, {pitch, values[key::vectors]});
    const PlanBuffer y = plan.output("y", ElementType::f32, {values[key::rows], values[key::vectors]});
    plan.upload(x);
    launch_rows(plan, values, "the product", "int8_weights.padded",
                {reads(weights.bytes), reads(weights.steps), reads(weights.zero_points), reads(x), writes(y)},
                tensor::part_bytes_of_product);
    finish_product(plan, values, y, int8_bytes(values), sizeof(float) * pitch);
}

bool by_instruction(const Values& values, const Limits& limits) {
    return values[key::dot] == Dot::automatic ? limits.integer_dot : values[key::dot] == Dot::instruction;
}

void int8_launches(PlanBuilder& plan, const Values& values) {
    const std::uint64_t pitch = padded(values[key::columns]);
    const BytesInPlan weights = uploaded_bytes(plan, values);
    const PlanBuffer x = plan.input("x_bytes", ElementType::i8, {pitch, values[key::vectors]});
    const PlanBuffer x_steps = plan.input("x_steps", ElementType::f32, {values[key::vectors]});
    const PlanBuffer y = plan.output("y", ElementType::f32, {values[key::rows], values[key::vectors]});
    plan.upload(x);
    plan.upload(x_steps);
    launch_rows(plan, values, "the product",
                by_instruction(values, plan.limits()) ? "int8.instruction" : "int8.shifts",
                {reads(weights.bytes), reads(weights.steps), reads(weights.zero_points), reads(x),
                 reads(x_steps), writes(y)},
                tensor::part_bytes_of_product);
    finish_product(plan, values, y, int8_bytes(values), pitch + sizeof(float));
}

const std::vector<Way>& ways() {
    static const std::vector<Way> all = {
        {{.id = "round_trip",
          .title = "There and back",
          .summary = "Weights become bytes, and numbers again.",
          .kernel = "quantise_int8/quantise.comp",
          .uses_subgroups = true,
          .is_baselines_work = false},
         &round_trip_launches,
         &round_trip},
        {{.id = "f32",
          .title = "f32",
          .summary = "The product with the weights as they are.",
          .kernel = "quantise_int8/f32.comp",
          .uses_subgroups = true},
         &f32_launches,
         &product_of_f32},
        {{.id = "int8_weights",
          .title = "Weights of a byte",
          .summary = "Bytes become numbers again before they are multiplied.",
          .kernel = "quantise_int8/int8_weights.comp",
          .uses_subgroups = true},
         &int8_weights_launches,
         &product_of_int8_weights},
        {{.id = "int8",
          .title = "Bytes with bytes",
          .summary = "The vectors are bytes, too: whole numbers are multiplied, four at a time.",
          .kernel = "quantise_int8/int8.comp",
          .uses_subgroups = true},
         &int8_launches,
         &product_of_int8}};
    return all;
}

void plan(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    plan.take_tile({values[key::columns], team_of(values, plan.limits()).rows_at_once});
    row_of(ways(), variant).launches(plan, values);
}

std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    return row_of(ways(), *asked.variant).define(input, asked);
}

void remarks(Remarks& say, const Prepared& asked) {
    const Values& values = asked.values();
    const Limits& limits = asked.limits;
    if (asked.experiment.input.numbers && (values[key::mean] != 0 || values[key::outlier] != 0))
        say.note("The weights of your file are taken as they are, without a mean or a large one.");
    if (asked.variant->id == "f32") say.note(key::scheme, "The weights stay as they are in this variant.");
    if (asked.variant->id != "int8") return;
    if (!by_instruction(values, limits)) return;
    if (!limits.integer_dot)
        say.refuse(key::dot, "This device has no instruction for the dot of four: choose dot = shifts.");
    else
        say.note(key::dot, limits.integer_dot_accelerated
                               ? "By an instruction that this device calls accelerated."
                               : "By an instruction that this device does not call accelerated: it may be as "
                                 "slow as shifts.");
}

std::vector<Fact> result_of_round_trip(const Prepared& run, const Outputs& outputs) {
    const Values& values = run.values();
    const auto bytes = get(outputs, "bytes").as<std::int8_t>();
    const auto steps = get(outputs, "steps").as<float>();
    std::set<std::int8_t> used;
    const std::uint64_t columns = values[key::columns], pitch = padded(columns);
    for (std::uint64_t row = 0; row < values[key::rows]; ++row)
        used.insert(bytes.begin() + static_cast<std::ptrdiff_t>(row * pitch),
                    bytes.begin() + static_cast<std::ptrdiff_t>(row * pitch + columns));
    std::vector<float> sorted(steps.begin(), steps.end());
    std::ranges::sort(sorted);
    return {{"places", "Places that are used", std::uint64_t{used.size()}},
            {"step", "Largest step", double{sorted.back()}},
            {"middle_step", "Middle one of the steps", double{sorted[sorted.size() / 2]}},
            {"zero_point", "Zero point of the first row", double(get(outputs, "zero_points").number(0))},
            {"f32_bytes", "Weights in f32, bytes", sizeof(float) * columns * values[key::rows]},
            {"int8_bytes", "Weights in int8 with their steps, bytes", int8_bytes(values)},
            {"bytes_of_steps", "Steps, bytes", sizeof(float) * steps.size()},
            {"columns", "Columns", columns}};
}

std::vector<Fact> result(const Prepared& run, const Outputs& outputs) {
    if (find(outputs, "bytes")) return result_of_round_trip(run, outputs);
    const Array* const y = find(outputs, "y");
    if (!y || y->empty()) return {};
    double squares = 0;
    for (const float number : y->as<float>())
        squares += double{number} * number;
    return {
        {"first", "First result", y->number(0)},
        {"size", "Root mean square of the results", std::sqrt(squares / static_cast<double>(y->count()))}};
}

// To make: how far the vector of bytes is from each row of bytes, squared.

void plan_distances(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const std::uint64_t words = padded(values[key::columns]) / 4;
    plan.take_tile({values[key::columns], 1});
    const BytesInPlan weights = uploaded_bytes(plan, values);
    const PlanBuffer x = plan.input("x_bytes", ElementType::i8, {4 * words, values[key::vectors]});
    const PlanBuffer distances = plan.output("distances", ElementType::i32, {values[key::rows]});
    plan.upload(x);
    Dispatch& launch = plan.launch("each row", "quantise_int8/row_distances_start",
                                   {reads(weights.bytes), reads(weights.steps), reads(weights.zero_points),
                                    reads(x), writes(distances)});
    launch.constants = {1, word(static_cast<std::uint64_t>(values[key::scheme]))};
    // A student may go over the bytes one by one, and an invocation over the parts of all.
    launch.iterations_per_pass = 5 * (words + 1) + plan.workgroup_size() + 2;
    launch.shared_bytes = sizeof(std::int32_t) * plan.workgroup_size();
    plan.download(distances);
    plan.costs(int8_bytes(values) + 4 * words + sizeof(float) * values[key::rows], 3 * plan.elements());
    plan.main_output("distances");
}

void remarks_on_distances(Remarks& say, const Prepared& asked) {
    constexpr std::uint64_t most = ((std::uint64_t{1} << 31) - 1) / (255 * 255);
    if (const std::uint64_t columns = asked.values()[key::columns]; columns > most)
        say.refuse(key::columns,
                   fmt::format("Squares of up to 255 add up to more than 32 bits hold in {} columns. Give at "
                               "most {}.",
                               format_count(columns), format_count(most)));
}

std::vector<Fact> result_of_distances(const Prepared&, const Outputs& outputs) {
    const Array* const distances = find(outputs, "distances");
    if (!distances || distances->empty()) return {};
    const auto all = distances->as<std::int32_t>();
    return {{"smallest", "Smallest", double(*std::ranges::min_element(all))},
            {"largest", "Largest", double(*std::ranges::max_element(all))}};
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "quantise_int8",
        .title = "Numbers as bytes",
        .parameters = parameters(),
        .domain = {"columns", "rows"},
        .noun = "weights",
        .variants = {ways().begin(), ways().end()},
        .default_variant = "round_trip",
        .exercises = {{.id = "row_distances",
                       .title = "Squared distances",
                       .summary = "Of a vector of bytes from each row of bytes.",
                       .kernel = "quantise_int8/row_distances_start.comp",
                       .uses_subgroups = true,
                       .is_baselines_work = false,
                       .solution = "quantise_int8/row_distances.comp",
                       .task = {.plan = &plan_distances,
                                .remarks = &remarks_on_distances,
                                .reference = &squared_distances,
                                .result = &result_of_distances,
                                .pictures = drawn_by(&pictures)}}},
        .input = &input,
        .input_files = {".npy", ".png", ".csv"},
        .input_from_user = &input_from_user,
        .task = {.plan = &plan,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = drawn_by(&pictures)},
        .reference_depends_on_launch = true,
        .baseline = &on_cpu,
    };
    return lesson;
}

}  // namespace gridstride::lessons::quantise_int8
