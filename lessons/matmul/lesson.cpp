// Matrix product: 2 m n k operations on m k + k n numbers, so how often is each number fetched?
#include "lesson/lesson.h"

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
        .fallback = Extent{0, 1},
        .minimum = 1,
        .maximum = 256,
        .scale = Scale::powers_of_two,
        .automatic = true,
        .shapes = Shapes::launch};
    Parameter depth =
        number_parameter(key::depth, "Depth of a tile",
                         "How much of k a workgroup fetches at a time, in those variants with tiles.", 0, 1,
                         64, Shapes::launch);
    depth.scale = Scale::powers_of_two;
    depth.automatic = true;
    return common_parameters(
        {count(key::n, "Columns of b and of the product."), count(key::m, "Rows of a and of the product.")},
        {16, 16},
        {count(key::k, "Columns of a, rows of b."), std::move(results), std::move(depth),
         choice_parameter(key::transposed, "Transposed in memory",
                          "Which of the factors lies column by column in memory.", Shapes::reference,
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
         /*has_tiles=*/true},
        {{"register_tile", "Several results each", "An invocation uses what it loads for a block of results.",
          "matmul/register_tile.comp"},
         true,
         /*several_results=*/true},
        {{"vec4", "16 bytes a load", "The same with loads and stores of four numbers.", "matmul/vec4.comp"},
         true,
         true,
         /*in_quads=*/true},
        {{"warp_tile", "Tiles of subgroups",
          "The lanes of a subgroup lie in a compact rectangle of the product.", "matmul/warp_tile.comp"},
         true,
         true,
         true,
         /*by_subgroups=*/true},
        {{"prefetch", "The next tile meanwhile",
          "While one tile is multiplied the next is on its way, into the other half of workgroup memory.",
          "matmul/prefetch.comp"},
         true,
         true,
         true,
         true,
         /*parts=*/2},
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

/// What a workgroup takes in one pass: results of each invocation, how much of k at a time, and how the lanes
/// of a subgroup lie in it.
struct Tiling {
    Extent results{1, 1};
    std::uint64_t depth = 1;
    Extent lanes{1, 1};
};

/// 64 results, or a tile of 128 x 128 where a workgroup is larger. But while there are fewer tiles than
/// multiprocessors, some of those would have none.
///
/// On an NVIDIA H200, 4096 x 4096 x 4096 with `prefetch` and workgroups of 256: 8 x 8 results at a depth of
/// 16 reached 46.2 TFLOP/s, at 8 40.1. Workgroups of 128 with 8 x 16 reached 46.0 at 8 and spilled registers
/// at 16.
Extent natural_results(const PlanBuilder& plan, const Values& values) {
    if (plan.limits().is_cpu) return {4, 4};
    Extent results{8, 8};
    const auto shrink = [&] { (results.x < results.y ? results.y : results.x) /= 2; };
    while (results.product() * plan.workgroup_size() > 128 * 128 && results.product() > 16)
        shrink();
    const auto tiles = [&] {
        const Extent workgroup = plan.workgroup();
        return divide_up(Extent{values[key::n], values[key::m]},
                         Extent{workgroup.x * results.x, workgroup.y * results.y})
            .product();
    };
    while (tiles() * 10 < std::uint64_t{plan.limits().multiprocessors} * 9 && results.product() > 16)
        shrink();
    return results;
}

std::uint64_t natural_depth(const PlanBuilder& plan, const Way& way) {
    if (!way.has_tiles) return 1;
    return way.in_quads && plan.limits().is_cpu ? 8 : 16;
}

/// A rectangle of a subgroup's lanes, about as high as wide, where the workgroup consists of such.
Extent natural_lanes(const PlanBuilder& plan) {
    const std::uint64_t width = plan.limits().subgroup_size;
    std::uint64_t across = 1;
    while (across * across < width)
        across *= 2;
    const Extent lanes{across, std::max<std::uint64_t>(width / across, 1)}, workgroup = plan.workgroup();
    const bool fits = workgroup.x % lanes.x == 0 && workgroup.y % lanes.y == 0;
    return fits ? lanes : workgroup;
}

Tiling tiling_of(const PlanBuilder& plan, const Values& values, const Way& way) {
    Tiling tiling;
    if (way.several_results)
        tiling.results = values[key::results].x > 0 ? values[key::results] : natural_results(plan, values);
    tiling.depth = way.has_tiles && values[key::depth] > 0 ? values[key::depth] : natural_depth(plan, way);
    tiling.lanes = way.by_subgroups ? natural_lanes(plan) : plan.workgroup();
    return tiling;
}

/// Bytes of workgroup memory: a tile of each factor. Where it is kept in quads, some of them are unused.
std::uint64_t shared_bytes(const Way& way, const Tiling& tiling, const Extent& tile) {
    if (!way.has_tiles) return 0;
    const std::uint64_t numbers = tiling.depth * (tile.x + tile.y),
                        unused = way.in_quads ? 8 * tiling.depth + tiling.depth / 8 * 16 : 0;
    return way.parts * (numbers + unused) * sizeof(float);
}

/// Of an invocation in one pass.
std::uint64_t iterations(const Way& way, const Tiling& tiling, const Extent& tile,
                         std::uint64_t workgroup_size, std::uint64_t k) {
    if (!way.has_tiles) return k + 3;
    const std::uint64_t at_once = workgroup_size * (way.in_quads ? 4 : 1);
    const std::uint64_t fetching =
        divide_up(tile.x * tiling.depth, at_once) + divide_up(tile.y * tiling.depth, at_once) + 2;
    return (divide_up(k, tiling.depth) + 1) * (fetching + tiling.depth + 2) + 3;
}

void plan_by(PlanBuilder& plan, const Values& values, const Way& way, std::string kernel) {
    const std::uint64_t m = values[key::m], n = values[key::n], k = values[key::k];
    const View of_a = view_of_a(values), of_b = view_of_b(values);
    const Tiling tiling = tiling_of(plan, values, way);
    const Extent workgroup = plan.workgroup(),
                 tile{workgroup.x * tiling.results.x, workgroup.y * tiling.results.y};
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
    launch.push = way.in_quads ? std::vector{word(k), word(of_a.pitch()), word(of_b.pitch())}
                               : std::vector{word(k), word(of_a.row_step), word(of_a.column_step),
                                             word(of_b.row_step), word(of_b.column_step)};
    launch.constants = {word(tiling.depth),
                        word(tiling.results.x),
                        word(tiling.results.y),
                        word(tiling.lanes.x),
                        word(tiling.lanes.y),
                        !of_a.is_transposed(),
                        of_b.is_transposed(),
                        of_a.pitch() % 4 == 0,
                        of_b.pitch() % 4 == 0,
                        n % 4 == 0,
                        plan.limits().is_cpu ? 2 : word(tiling.depth)};
    launch.iterations_per_pass = iterations(way, tiling, tile, plan.workgroup_size(), k);
    launch.shared_bytes = shared_bytes(way, tiling, tile);
    plan.download(c);
    plan.costs(sizeof(float) * (m * k + k * n + m * n), 2 * m * n * k);
    plan.main_output("c", m);
}

void plan(PlanBuilder& plan, const Values& values, const Variant& variant) {
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
    if (results.x > 0 && !way.several_results)
        say.note(key::results, "In this variant an invocation finds one.");
    if (depth > 0 && !way.has_tiles) say.note(key::depth, "This variant has no tiles.");
    if (!way.in_quads) return;
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

std::vector<Fact> result(const Values&, const Outputs& outputs) {
    const Array* const c = find(outputs, "c");
    if (!c || c->empty()) return {};
    const FloatSummary all = summary_of(c->as<float>());
    return {{"first", "First result", c->number(0)},
            {"smallest", "Smallest", all.smallest},
            {"largest", "Largest", all.largest},
            {"mean", "Mean", all.sum / static_cast<double>(c->count())}};
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

void plan_distances(PlanBuilder& plan, const Values& values, const Variant&) {
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
        .exercises = {{{"distances", "Squared distances", "Of each row of a from each column of b.",
                        "matmul/distances_start.comp"},
                       /*solution=*/"matmul/distances.comp",
                       {.plan = &plan_distances,
                        .remarks = &distances_remarks,
                        .reference = &distances_reference,
                        .result = &result,
                        .pictures = &pictures}}},
        .input = &input,
        .input_files = {".npy", ".png", ".csv"},
        .input_extent = {"k", "m"},
        .input_from_user = &input_from_user,
        .task = {.plan = &plan,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = &pictures},
        .reference_depends_on_variant = false,
        .baselines = {on_one_thread(&on_cpu), on_all_threads(&on_cpu)},
    };
    return lesson;
}

}  // namespace gridstride::lessons::matmul
