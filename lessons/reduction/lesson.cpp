// Reduction: many numbers become one sum, by invocations that share workgroup memory.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/random.h"
#include "base/units.h"
#include "lesson/stock.h"
#include "reduction/reduction.h"

namespace gridstride::lessons::reduction {

const std::vector<Way>& ways() {
    static const std::vector<Way> all = {
        {{"atomic_global", "One counter for all",
          "Every invocation adds its number to one total in global memory, with an atomic addition.",
          "reduction/atomic_global.comp"}},
        {{"tree_interleaved", "Tree, neighbours first",
          "A workgroup adds neighbours, then neighbours of those; the invocations that add lie ever further "
          "apart.",
          "reduction/tree_interleaved.comp"},
         Tree::neighbours},
        {{"tree_masked", "Tree, neighbours first, with &",
          "The same tree: the same invocations add the same numbers, but each asks with & in place of % "
          "whether it is its turn.",
          "reduction/tree_masked.comp"},
         Tree::neighbours},
        {{"tree_packed", "Tree, neighbours first, side by side",
          "The same additions, made by invocations that stay side by side; the values that they add lie ever "
          "further apart.",
          "reduction/tree_packed.comp"},
         Tree::side_by_side},
        {{"tree_sequential", "Tree, halves",
          "A workgroup adds its upper half to its lower half; the invocations that add stay side by side, "
          "and "
          "so do the values.",
          "reduction/tree_sequential.comp"},
         Tree::side_by_side},
        {{"tree_first_add", "Add two while loading",
          "Each invocation adds two numbers as it loads them, and half as many workgroups take them all.",
          "reduction/tree_first_add.comp", /*per_invocation=*/2},
         Tree::side_by_side},
        {{"grid_stride_plain", "Each sums many",
          "Each invocation sums many numbers in a register, one to a load, and the workgroup does one tree "
          "at "
          "the end.",
          "reduction/grid_stride_plain.comp"},
         Tree::side_by_side,
         /*sums_first=*/true},
        {{"grid_stride", "Each sums many, four to a load",
          "As grid_stride_plain, but each load brings four numbers, and several loads are on their way at "
          "once.",
          "reduction/grid_stride.comp", /*per_invocation=*/4},
         Tree::side_by_side,
         /*sums_first=*/true},
        {{"subgroup", "Subgroup arithmetic",
          "As grid_stride, with the tree replaced by one subgroup addition and one number a subgroup in "
          "memory.",
          "reduction/subgroup.comp", /*per_invocation=*/4, /*uses_subgroups=*/true},
         Tree::subgroups,
         /*sums_first=*/true},
        {{"single_pass", "The last one finishes",
          "As subgroup, and the workgroup that is done last adds up the partial sums: no second launch.",
          "reduction/single_pass.comp", /*per_invocation=*/4, /*uses_subgroups=*/true},
         Tree::subgroups,
         /*sums_first=*/true,
         /*finishes_itself=*/true},
    };
    return all;
}

const Way& way_of(const Variant& variant) {
    return row_of(ways(), variant);
}

ElementType storage(const Values& values) {
    return values[key::element_type] == Element::u32 ? ElementType::u32 : ElementType::f32;
}

std::uint64_t natural_grid_of_sums(const PlanBuilder& plan) {
    constexpr std::uint64_t passes_of_a_long_run = 256;
    const std::uint64_t filling = plan.fewest_filling_workgroups();
    const bool long_run = plan.tiles() / filling > passes_of_a_long_run;
    return plan.limits().multiprocessors > 0 && long_run ? 4 * filling : filling;
}

void add_partial_sums(PlanBuilder& plan, PlanBuffer partial_sums, PlanBuffer total, std::uint64_t groups,
                      ElementType type) {
    Dispatch& finish = plan.launch_one("sum of the partial sums", fmt::format("common/finish.{}", name(type)),
                                       {reads_each(partial_sums), updates(total)}, groups, 4);
    finish.iterations_once = 2 + tree_levels(finish.workgroup_size());
    finish.shared_bytes = finish.workgroup_size() * byte_size(type);
}

std::string kernel_of(const Variant& variant, ElementType type) {
    return fmt::format("{}.{}", variant.kernel.substr(0, variant.kernel.rfind('.')), name(type));
}

namespace {

std::vector<Parameter> parameters() {
    return common_parameters(
        1024, 128,
        {choice_parameter(
             key::element_type, "Numbers",
             "Whole numbers: 1, 2, 3, … up to 65 536 of them, 0 to 3 by seed where there are more, so that "
             "their sum fits 32 bits. Or random f32 in [0, 1), whose sum depends on the order of the "
             "additions.",
             Invalidates::input, {{"u32", "u32: whole numbers"}, {"f32", "f32: random in [0, 1)"}}),
         // It shapes the reference: the order of additions is what an f32 total is allowed by.
         choice_parameter(
             key::finish, "Finish",
             "Who adds the partial sums: the GPU in a second launch, or the CPU after the download.",
             Invalidates::reference, {{"gpu", "GPU, a second launch"}, {"cpu", "CPU, after the download"}}),
         choice_parameter(
             key::barriers, "Barriers",
             "Leaves out the barrier between loading workgroup memory and adding what others loaded.",
             Invalidates::launch,
             {{"all", "all"}, {"one_missing", "one missing", /*wrong_on_purpose=*/true}})});
}

constexpr std::uint32_t largest_u32 = std::numeric_limits<std::uint32_t>::max();
constexpr double largest_f32 = std::numeric_limits<float>::max();

/// As u32 1, 2, …, n, or, where there are more than 65 536, 0 to 3 by seed, so that no sum of up to 2^30
/// numbers wraps; as f32 uniform in [0, 1).
Input input(const Values& values) {
    const std::uint64_t count = values[key::elements], seed = values[key::seed];
    if (storage(values) == ElementType::f32) return {{"numbers", share(uniform_f32(count, seed))}};
    Array numbers(ElementType::u32, count);
    const auto out = numbers.as<std::uint32_t>();
    const bool counts_up = count <= 65'536;
    if (!counts_up) fill_random_u32(out, seed, 0);
    parallel_for(count, std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            out[i] = counts_up ? static_cast<std::uint32_t>(i + 1) : out[i] >> 30U;
    });
    return {{"numbers", share(std::move(numbers))}};
}

std::string why_not_u32(double number) {
    if (number >= 0 && number <= largest_u32 && number == std::floor(number)) return {};
    return fmt::format(
        "{} is not a whole number from 0 to {}, which u32 needs. {}", number, largest_u32,
        !std::isfinite(number) ? "Remove or replace it."
        : number == std::floor(number) && static_cast<double>(static_cast<float>(number)) != number
            ? "Scale the numbers down: f32 does not hold it exactly either."
            : "Choose element_type = f32 for numbers such as this one.");
}

Input input_from_user(const UserData& data, const Values& values) {
    if (storage(values) == ElementType::u32)
        return {{"numbers", numbers_of_user<std::uint32_t>(data, &why_not_u32)}};
    const ArrayRef numbers = numbers_of_user<float>(data, &why_not_f32);
    // Below this, no sum of some of the numbers overflows, whatever the order.
    if (const double magnitude = magnitude_of(*data.numbers, numbers->count()); magnitude > largest_f32)
        throw Refusal(fmt::format(
            "The magnitudes of the numbers add up to {:.6g}, more than the largest f32, {:.6g}: a "
            "sum could overflow on the way. Scale the numbers down.",
            magnitude, largest_f32));
    return {{"numbers", numbers}};
}

// Definition. total: the sum of all numbers; partial sum g: of the numbers in the tiles t with
// t mod workgroup_count = g, a tile being the elements that a workgroup takes in one pass.

/// Partial sums of what `of` makes of each number, the workgroups side by side on all cores.
template <class Sum, class T, class Of>
ArrayRef partial_sums_of(std::span<const T> numbers, const Dispatch& main, Of of) {
    const std::size_t tile = main.elements_per_workgroup(), groups = main.workgroup_count();
    Array sums(ElementTypeOf<Sum>::value, groups);
    std::ranges::fill(sums.as<Sum>(), Sum{0});
    const bool worth_a_thread = numbers.size() >= std::size_t{1} << 18;
    parallel_for(groups, worth_a_thread ? 1 : groups, [&](std::size_t begin, std::size_t end) {
        for (std::size_t g = begin; g < end; ++g)
            for (std::size_t start = g * tile; start < numbers.size(); start += groups * tile) {
                const auto mine = numbers.subspan(start, std::min(tile, numbers.size() - start));
                sums.as<Sum>()[g] +=
                    std::transform_reduce(mine.begin(), mine.end(), Sum{0}, std::plus<Sum>(), of);
            }
    });
    return share(std::move(sums));
}

// How far rounding may take a sum of f32: from the most additions that any one number goes through on its way
// into it, in the plan's order.

/// Of common/quads.glsl: at most one addition a pass in one of four sums, two for the last one to three
/// numbers and the slices, two to join the sums, two for the four numbers of a quad.
std::uint64_t chain_of_quads(const Dispatch& dispatch) {
    return dispatch.passes() + 2 + 2 + 2;
}

/// What f32 sums may differ by from those in double, relative to the sum of the numbers' magnitudes.
struct Allowed {
    Tolerance partial_sum, total;
};
Allowed allowed_in_f32(const Way& way, const Plan& plan) {
    const Dispatch& main = plan.main();
    const std::uint64_t numbers = main.elements();
    // The order is the device's choice: the first number may go through all additions.
    if (way.tree == Tree::none) return {{}, tolerance_of_f32_sum(numbers, numbers)};

    // A device may add the numbers of a subgroup in any order, so a chain of width - 1 additions, twice, with
    // 1 024 / width^2 rounds between them: at most 270 whatever the width, 2 to 128. And never more than
    // there are additions.
    const std::uint64_t in_subgroups = std::min<std::uint64_t>(main.workgroup_size() - 1, 270);
    // Without quads: what is added while loading, then the running total once a pass; a slice's total joins
    // the partial sum with one more addition, and there are no more slices than passes.
    const std::uint64_t partial_sum =
        (way.tree == Tree::subgroups ? in_subgroups : tree_levels(main.workgroup_size())) +
        (way.in_quads() ? chain_of_quads(main) : (way.per_invocation - 1) + main.passes() + 1);
    const Dispatch* last = &main;
    for (const Step& step : plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) last = dispatch;
    std::uint64_t finish = main.workgroup_count();  // the CPU adds one after another
    if (way.finishes_itself)
        // The lanes of a subgroup, one at least, take sixteen partial sums at a time, each as a tree of four
        // levels.
        finish = divide_up(main.workgroup_count(), 16) + 4 + in_subgroups;
    else if (last != &main)
        finish = chain_of_quads(*last) + tree_levels(last->workgroup_size());
    const std::uint64_t in_a_group = std::min(main.passes() * main.elements_per_workgroup(), numbers);
    return {tolerance_of_f32_sum(partial_sum, in_a_group),
            tolerance_of_f32_sum(partial_sum + finish, numbers)};
}

/// Of u32 modulo 2^32, exact; of f32 in double.
std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    const Array& numbers = get(input, "numbers");
    const Way& way = way_of(*asked.variant);
    const Dispatch& main = asked.plan.main();
    std::vector<Expected> all;
    if (numbers.type() == ElementType::u32) {
        const auto sums = partial_sums_of<std::uint32_t>(numbers.as<std::uint32_t>(), main, std::identity());
        all = {{"partial_sums", sums}, {"total", share(sum_in_order(*sums))}};
    } else {
        const auto of = numbers.as<float>();
        const ArrayRef sums = partial_sums_of<double>(of, main, std::identity());
        const ArrayRef sizes = partial_sums_of<double>(of, main, [](double x) { return std::abs(x); });
        const Allowed allowed = allowed_in_f32(way, asked.plan);
        all = {{"partial_sums", sums, allowed.partial_sum, sizes},
               {.output = "total",
                .reference = share(sum_in_order(*sums)),
                .tolerance = allowed.total,
                .scale = share(sum_in_order(*sizes)),
                .distance_id = "total_error",
                .distance_label = "Distance from the sum in double"}};
    }
    if (way.tree == Tree::none) all.erase(all.begin());  // no partial sums
    return all;
}

/// The time that the GPU is compared with.
double on_cpu(const Input& input, const Values&, InParts) {
    const Array& numbers = get(input, "numbers");
    return numbers.type() == ElementType::u32 ? fast_sum(numbers.as<std::uint32_t>())
                                              : fast_sum(numbers.as<float>());
}

/// Every number to the total, without partial sums.
void plan_one_total(PlanBuilder& plan, PlanBuffer numbers, ElementType type) {
    const Limits& limits = plan.limits();
    const bool compare_and_swap = type == ElementType::f32 && !limits.float32_atomic_add;
    const char* const build = type == ElementType::u32 ? "u32" : compare_and_swap ? "f32" : "f32_atomic";
    const PlanBuffer total = plan.output("total", type, {1});
    plan.fill(total, 0);
    Dispatch& main =
        plan.launch("every number to the total", fmt::format("reduction/atomic_global.{}", build),
                    {reads_each(numbers), updates(total)});
    // Every round of compare-and-swap succeeds for one invocation at least, so the lanes of a subgroup need
    // as many rounds as there are lanes when no one else interferes. Nothing bounds what others do: this
    // allows them to spoil most rounds, and where even that is exceeded the judge finds the lost number.
    main.iterations_per_pass = compare_and_swap ? 1 + 64 * std::uint64_t{limits.subgroup_size} : 1;
    main.iterations_once = 1;
    plan.download(total);
    plan.main_output("total");
}

/// "partial_sums" (but for atomic_global) and "total", which is a buffer unless the CPU makes it.
void plan(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    const Way& way = way_of(variant);
    const ElementType type = storage(values);
    const std::uint64_t size = plan.workgroup_size();
    if (way.sums_first) plan.natural_grid(natural_grid_of_sums(plan));
    plan.costs(plan.elements() * byte_size(type), plan.elements());  // an addition each, of u32 or f32 alike
    const PlanBuffer numbers = plan.input("numbers", type, plan.domain());
    plan.upload(numbers);
    if (way.tree == Tree::none) return plan_one_total(plan, numbers, type);

    const std::uint64_t groups = plan.workgroup_count();
    const PlanBuffer partial_sums = plan.output("partial_sums", type, {groups});
    const bool cpu_finishes = !way.finishes_itself && values[key::finish] == Finish::cpu;
    const PlanBuffer total = cpu_finishes ? PlanBuffer() : plan.output("total", type, {1});
    std::vector<Binding> bindings = {reads_each(numbers), updates(partial_sums)};
    if (way.finishes_itself) {
        const PlanBuffer ticket = plan.output("ticket", ElementType::u32, {1});
        // The kernel leaves the ticket at 0, so a program that sums often sets it once.
        plan.fill(ticket, 0, /*beforehand=*/true);
        bindings.insert(bindings.end(), {writes(total), updates(ticket)});
    }
    Dispatch& main = plan.launch(way.finishes_itself ? "sums and total" : "sum of each workgroup",
                                 kernel_of(variant, type), std::move(bindings));
    main.constants = {values[key::barriers] == Barriers::one_missing ? 0u : 1u};
    main.shared_bytes = size * byte_size(type);
    // A tree's levels, or rounds over the subgroups' sums (see across.glsl): never more than invocations.
    const std::uint64_t adding_up = (way.tree == Tree::subgroups ? size : tree_levels(size)) + 1;
    main.iterations_per_pass = way.sums_first ? 1 : 1 + adding_up;
    main.iterations_once = way.sums_first ? 2 + adding_up : 1;
    if (way.finishes_itself)
        main.iterations_once +=
            divide_up(groups, 16 * std::min<std::uint64_t>(size, plan.limits().subgroup_size)) + 1;

    if (!way.finishes_itself && !cpu_finishes) add_partial_sums(plan, partial_sums, total, groups, type);
    plan.download(partial_sums);
    if (cpu_finishes)
        plan.host_step("CPU adds the partial sums", "total",
                       [](std::span<const Array* const> arrays) { return sum_in_order(*arrays[0]); },
                       {"partial_sums"});
    else
        plan.download(total);
    plan.main_output("partial_sums");
}

void remark_on_element_type(Remarks& say, const Prepared& asked, const Way& way) {
    if (asked.values()[key::element_type] == Element::u32) {
        // None is negative, so a part whose sum is too large says so of the whole. Reading more at every
        // change of a control would be felt.
        constexpr std::size_t most_to_look_at = std::size_t{1} << 24;
        const ArrayRef& own = asked.experiment.input.numbers;
        if (own && magnitude_of(*own, std::min(own->count(), most_to_look_at)) > largest_u32)
            say.note(key::element_type,
                     fmt::format("The sum of your numbers is beyond {}: GPU and CPU keep it modulo 2^32, and "
                                 "agree.",
                                 format_count(largest_u32)));
        return;
    }
    const double bound = allowed_in_f32(way, asked.plan).total.relative;
    say.add(bound > 1e-3 ? Severity::caution : Severity::note, key::element_type.id,
            fmt::format("Every addition rounds. In this order the total may be off by {} of the numbers' "
                        "magnitude, and is called right within that.",
                        format_percent(bound).text()));
    if (way.tree != Tree::none) return;
    if (!asked.limits.float32_atomic_add)
        say.note(key::element_type,
                 "This device cannot add f32 atomically: the kernel compares and swaps until no one came "
                 "between.");
    say.note(key::element_type,
             "The order of the additions, and so the last digits, differ from run to run.");
}

void remark_on_missing_barrier(Remarks& say, const Prepared& asked, const Way& way) {
    const std::uint64_t size = asked.plan.main().workgroup_size();
    if (way.tree == Tree::none)
        say.note(key::barriers, "atomic_global has no barrier, so none is missing.");
    else if (size == 1)
        say.note(key::barriers, "A workgroup of one waits for nobody: nothing can go wrong.");
    else
        say.caution(
            key::barriers,
            way.tree == Tree::neighbours
                ? "Here every second invocation first adds what the next one stored, nearly always one of "
                  "its own subgroup, so the missing barrier may not show; nothing promises that it will not."
            : size <= asked.limits.subgroup_size
                ? "One subgroup often runs in step, so the missing barrier may not show; nothing "
                  "promises that it will not."
                : "Invocations may add what others have not stored yet. A right answer would be luck.");
}

void remarks(Remarks& say, const Prepared& asked) {
    const Way& way = way_of(*asked.variant);
    const Dispatch& main = asked.plan.main();
    constexpr std::uint64_t most_elements_of_a_small_sum = 4096;
    if (main.elements() <= most_elements_of_a_small_sum)
        say.note(key::elements, fmt::format("{}: starting a launch takes longer than adding so few numbers.",
                                            bytes_text(asked.plan.least_bytes)));
    if (way.tree != Tree::none && main.workgroup_count() > main.tiles())
        say.note(key::workgroup_count, "The partial sum of a workgroup without numbers is 0.");
    remark_on_element_type(say, asked, way);
    if (asked.values()[key::finish] == Finish::cpu && way.tree == Tree::none)
        say.note(key::finish, "atomic_global has no partial sums: there is nothing left for the CPU.");
    if (asked.values()[key::finish] == Finish::cpu && way.finishes_itself)
        say.note(key::finish, "single_pass always finishes by itself, in its only launch.");
    if (asked.values()[key::barriers] == Barriers::one_missing) remark_on_missing_barrier(say, asked, way);
}

}  // namespace

std::vector<Fact> result(const Prepared& run, const Outputs& outputs) {
    const Values& values = run.values();
    std::vector<Fact> facts;
    if (const Array* total = find(outputs, "total"); total && !total->empty()) {
        if (total->type() == ElementType::u32)
            facts.push_back({"total", "Total", std::uint64_t{total->as<std::uint32_t>()[0]}});
        else
            facts.push_back({"total", "Total", total->number(0)});
    }
    constexpr std::size_t most_partial_sums_told = 4096;
    const Array* all = find(outputs, "partial_sums");
    Array first(storage(values), all ? std::min(all->count(), most_partial_sums_told) : 0);
    if (all) std::copy_n(all->raw().begin(), first.bytes(), first.raw().begin());
    facts.push_back({"partial_sums", "Partial sums", share(std::move(first))});
    return facts;
}

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "reduction",
        .title = "Reduction",
        .parameters = parameters(),
        .noun = "numbers",
        .variants = {ways().begin(), ways().end()},
        .default_variant = "tree_sequential",
        .exercises = exercises(),
        .input = &input,
        .input_files = {".csv", ".txt", ".npy"},
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

}  // namespace gridstride::lessons::reduction
