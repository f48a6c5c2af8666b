// Matrix product: 2 m n k operations on m k + k n numbers, so how often is each number fetched?
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "base/units.h"
#include "lesson/stock.h"
#include "matmul/matmul.h"

namespace gridstride::lessons::matmul {

namespace {

std::vector<Parameter> parameters() {
    const auto count = [](Key<std::uint64_t> key, const char* help) {
        Parameter made = domain_parameter(std::string(key.id), std::string(key.id), 128, help);
        made.unit = "";
        made.maximum = 1 << 20;
        return made;
    };
    Parameter results{
        .id = std::string(key::results.id),
        .label = "Results each",
        .help = "Columns x rows of c that an invocation finds, in those variants where it finds several.",
        .default_value = Extent{0, 1},
        .minimum = 1,
        .maximum = 256,
        .scale = Scale::powers_of_two,
        .automatic = true,
        .invalidates = Invalidates::launch};
    Parameter depth =
        number_parameter(key::depth, "Depth of a tile",
                         "How much of k a workgroup fetches at a time, in those variants with tiles.", 0, 1,
                         64, Invalidates::launch);
    depth.scale = Scale::powers_of_two;
    depth.automatic = true;
    return common_parameters(
        {count(key::n, "Columns of b and of the product."), count(key::m, "Rows of a and of the product.")},
        {16, 16},
        {count(key::k, "Columns of a, rows of b."), std::move(results), std::move(depth),
         choice_parameter(key::transposed, "Transposed in memory",
                          "Which of the factors lies column by column in memory.", Invalidates::input,
                          {{"none", "none"}, {"a", "a"}, {"b", "b"}, {"both", "both"}})});
}

}  // namespace

const std::vector<Way>& ways() {
    static const std::vector<Way> all = {
        {{"naive", "One each, down", "Each invocation finds one result; neighbours stand in one column.",
          "matmul/naive.comp"}},
        {{"coalesced", "One each, across", "The same, but neighbours stand in one row.",
          "matmul/coalesced.comp"}},
        {{"tiled", "Tiles",
          "A workgroup fetches what it needs together, part by part, into workgroup memory.",
          "matmul/tiled.comp"},
         {.has_tiles = true}},
        {{"register_tile", "Several results each", "An invocation uses what it loads for a block of results.",
          "matmul/register_tile.comp"},
         {.has_tiles = true, .several_results = true}},
        {{"vec4", "16 bytes a load", "The same with loads and stores of four numbers.", "matmul/vec4.comp"},
         {.has_tiles = true, .several_results = true, .in_quads = true}},
        {{"warp_tile", "Tiles of subgroups",
          "The lanes of a subgroup lie in a compact rectangle of the product.", "matmul/warp_tile.comp"},
         {.has_tiles = true, .several_results = true, .in_quads = true, .by_subgroups = true}},
        {{"prefetch", "The next tile meanwhile",
          "While one tile is multiplied the next is on its way, into the other half of workgroup memory.",
          "matmul/prefetch.comp"},
         tensor::prefetch},
    };
    return all;
}

View view_of_a(const Values& values) {
    const std::uint64_t rows = values[key::m], columns = values[key::k];
    const auto transposed = values[key::transposed];
    const bool is_transposed = transposed == key::Transposed::a || transposed == key::Transposed::both;
    return is_transposed ? View{rows, columns, 1, rows} : View{rows, columns, columns, 1};
}

View view_of_b(const Values& values) {
    const std::uint64_t rows = values[key::k], columns = values[key::n];
    const auto transposed = values[key::transposed];
    const bool is_transposed = transposed == key::Transposed::b || transposed == key::Transposed::both;
    return is_transposed ? View{rows, columns, 1, rows} : View{rows, columns, columns, 1};
}

namespace {

/// From -15/16 to 15/16 in steps of 1/16: sums of their products are exact in f32, so that a result is right
/// or wrong, in whatever order it was added.
Array sixteenths(std::uint64_t count, std::uint64_t seed, std::uint32_t stream) {
    std::vector<std::uint32_t> drawn(count);
    fill_random_u32(drawn, seed, stream);
    Array numbers(ElementType::f32, count);
    const auto out = numbers.as<float>();
    parallel_for(count, std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            out[i] = (static_cast<float>(drawn[i] % 31) - 15) / 16;
    });
    return numbers;
}

Input with_b(ArrayRef a, const Values& values) {
    const View of_a = view_of_a(values), of_b = view_of_b(values);
    return {{"a", std::move(a), word(of_a.pitch())},
            {"b", share(sixteenths(of_b.rows * of_b.columns, values[key::seed], 1)), word(of_b.pitch())}};
}

Input input(const Values& values) {
    return with_b(share(sixteenths(values[key::m] * values[key::k], values[key::seed], 0)), values);
}

/// The file is a, row by row.
Input input_from_user(const UserData& data, const Values& values) {
    return with_b(numbers_of_user<float>(data, &why_not_f32), values);
}

// The launches.

void plan_by(PlanBuilder& plan, const Values& values, const Way& way, std::string kernel) {
    const std::uint64_t m = values[key::m], n = values[key::n], k = values[key::k];
    const View of_a = view_of_a(values), of_b = view_of_b(values);
    const Extent workgroup = plan.workgroup();
    const tensor::Tiling tiling =
        tensor::tiling_of(plan.limits(), workgroup, m, n, way.does, values[key::results], values[key::depth]);
    const Extent tile{workgroup.x * tiling.results.x, workgroup.y * tiling.results.y};
    plan.take_tile(tile);
    plan.chose(key::results.id, text_of(tiling.results));
    plan.chose(key::depth.id, std::to_string(tiling.depth));

    const PlanBuffer a = plan.input("a", ElementType::f32, {of_a.pitch(), m * k / of_a.pitch()});
    const PlanBuffer b = plan.input("b", ElementType::f32, {of_b.pitch(), k * n / of_b.pitch()});
    const PlanBuffer c = plan.output("c", ElementType::f32, plan.domain());
    plan.upload(a);
    plan.upload(b);
    const bool goes_down = way.id == "naive";
    Dispatch& launch = plan.launch("the product", std::move(kernel),
                                   {reads(a), reads(b), goes_down ? writes(c) : writes_each(c)});
    if (goes_down) {
        // Its x are the rows.
        launch.domain = {m, n};
        if (grid_of(values).x == 0) {
            const Extent tiles = divide_up(launch.domain, tile), most = plan.limits().max_grid;
            launch.grid = {std::min(tiles.x, most.x), std::min(tiles.y, most.y)};
        }
    }
    tensor::set_up_product(launch, plan.limits(), of_a, of_b, way.does, tiling);
    plan.download(c);
    plan.costs(sizeof(float) * (m * k + k * n + m * n), 2 * m * n * k);
    plan.main_output("c", m);
}

void plan(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    const Way& way = row_of(ways(), variant);
    plan_by(plan, values, way, std::string(way.kernel, 0, way.kernel.rfind('.')));
}

void remarks(Remarks& say, const Prepared& asked) {
    const Values& values = asked.values();
    const Way& way = row_of(ways(), *asked.variant);
    if (asked.experiment.input.numbers && view_of_a(values).row_step == 1 && values[key::m] > 1)
        say.refuse(key::transposed, "A file is taken row by row. Choose none or b.");
    const Extent results = values[key::results];
    const std::uint64_t depth = values[key::depth];
    if (results.x > 0 && !way.does.several_results)
        say.note(key::results, "In this variant an invocation finds one.");
    if (depth > 0 && !way.does.has_tiles) say.note(key::depth, "This variant has no tiles.");
    if (!way.does.in_quads) return;
    if (results.x > 0 && (results.x % 4 != 0 || results.y % 4 != 0))
        say.refuse(key::results, fmt::format("This variant's results stand in blocks of 4 x 4; {} is none of "
                                             "them. Give multiples of 4, such as 8x4.",
                                             text_of(results)));
    if (depth % 4 != 0)
        say.refuse(
            key::depth,
            fmt::format(
                "This variant loads 4 numbers at a time; {} is no multiple of that. Give 4, 8, 12 or more.",
                depth));
}

std::vector<Fact> result(const Prepared& run, const Outputs& outputs) {
    const Values& values = run.values();
    const Array* const c = find(outputs, "c");
    if (!c || c->empty()) return {};
    const FloatSummary all = summary_of(c->as<float>());
    std::vector<Fact> facts = {{"first", "First result", c->number(0)},
                               {"smallest", "Smallest", all.smallest},
                               {"largest", "Largest", all.largest},
                               {"mean", "Mean", all.sum / static_cast<double>(c->count())}};
    if (const Extent each = values[key::results]; each.x > 0)
        facts.push_back({"results_each", "Results of an invocation", each.product()});
    return facts;
}

// To make: how far each row of a is from each column of b.

std::vector<Expected> distances_reference(const Input& input, const Prepared& asked) {
    const Values& values = asked.values();
    const View of_a = view_of_a(values), of_b = view_of_b(values);
    const auto a = get(input, "a").as<float>(), b = get(input, "b").as<float>();
    const ArrayRef distances = array_of<double>(of_a.rows * of_b.columns, [&](std::size_t i) {
        double sum = 0;
        for (std::uint64_t p = 0; p < of_a.columns; ++p) {
            const double difference =
                double{a[of_a.at(i / of_b.columns, p)]} - b[of_b.at(p, i % of_b.columns)];
            sum += difference * difference;
        }
        return sum;
    });
    // A difference and its square are rounded, too.
    return {{"c", distances, tolerance_of_f32_sum(of_a.columns + 4, of_a.columns + 4)}};
}

void distances_remarks(Remarks& say, const Prepared& asked) {
    const Extent c = asked.lesson->domain_of(asked.values());
    constexpr std::uint64_t most = std::uint64_t{1} << 31;
    if (c.product() > most / asked.values()[key::k])
        say.refuse(
            key::k,
            fmt::format(
                "Each distance is computed again by the CPU, and m x n x k differences of at most {} are. "
                "Give less of one of them.",
                format_count(most)));
}

void plan_distances(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    plan_by(plan, values, row_of(ways(), {.id = "tiled"}), "matmul/distances_start");
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "matmul",
        .title = "Matrix product",
        .parameters = parameters(),
        .domain = {"n", "m"},
        .noun = "results",
        .variants = {ways().begin(), ways().end()},
        .default_variant = "naive",
        .exercises = {{.id = "distances",
                       .title = "Squared distances",
                       .summary = "Of each row of a from each column of b.",
                       .kernel = "matmul/distances_start.comp",
                       .is_baselines_work = false,
                       .solution = "matmul/distances.comp",
                       .task = {.plan = &plan_distances,
                                .remarks = &distances_remarks,
                                .reference = &distances_reference,
                                .result = &result,
                                .pictures = drawn_by(&pictures)}}},
        .input = &input,
        .input_files = {".npy", ".png", ".csv"},
        .input_extent = {"k", "m"},
        .input_from_user = &input_from_user,
        .task = {.plan = &plan,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = drawn_by(&pictures)},
        .reference_depends_on_variant = false,
        .baseline = &on_cpu,
    };
    return lesson;
}

}  // namespace gridstride::lessons::matmul
