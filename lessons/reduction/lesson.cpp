// Reduction: invocations that share workgroup memory add many numbers to one sum.
#include "figures/lesson_headers.h"

namespace gridstride::lessons::reduction {

namespace {

enum class Element { u32, f32 };
enum class Finish { gpu, cpu };
enum class Barriers { all, one_missing };
constexpr Key<Element> element_type{"element_type"};
constexpr Key<Finish> finish{"finish"};
constexpr Key<Barriers> barriers{"barriers"};

std::vector<Parameter> parameters() {
    return common_parameters(
        1024, 128,
        {choice_parameter(element_type, "Numbers",
                          "u32: the whole numbers 1, 2, 3, … for up to 65 536 elements, else random numbers "
                          "from 0 to 3, so that the sum fits 32 bits. f32: random numbers in [0, 1), whose "
                          "sum depends on the order of the additions.",
                          Invalidates::input,
                          {{"u32", "u32: whole numbers"}, {"f32", "f32: random in [0, 1)"}}),
         // It is part of the reference, because the tolerance of an f32 total depends on the order of
         // additions.
         choice_parameter(finish, "Finish",
                          "Where the partial sums are added: on the GPU in a second launch, or on the CPU "
                          "after the download.",
                          Invalidates::reference,
                          {{"gpu", "GPU, a second launch"}, {"cpu", "CPU, after the download"}}),
         choice_parameter(barriers, "Barriers",
                          "one missing leaves out the barrier between storing to workgroup memory and adding "
                          "what others stored.",
                          Invalidates::launch,
                          {{"all", "all"}, {"one_missing", "one missing", /*wrong_on_purpose=*/true}})});
}

/// How a workgroup adds the values of its invocations.
enum class Tree {
    none,        ///< it does not: every number is added to one total, without partial sums
    neighbours,  ///< the adding invocations first add the value of their right neighbour
    adjacent,    ///< the adding invocations are adjacent, and add distant values
    subgroups,   ///< subgroup arithmetic, and one number per subgroup in workgroup memory
};
struct Facts {
    Tree tree = Tree::none;
    /// Each invocation sums its numbers of all passes in registers, before the workgroup adds the sums.
    bool sums_first = false;
    bool finishes_itself = false;  ///< the last workgroup to finish adds the partial sums
    bool squares = false;          ///< adds the squares of the numbers
};
using Run = gridstride::Run<Facts>;

ElementType get_storage_type(const Values& values) {
    return values[element_type] == Element::u32 ? ElementType::u32 : ElementType::f32;
}
std::string select_kernel_build(const Run& run) {
    return fmt::format("{}.{}", run.kernel(), name(get_storage_type(run.values)));
}

// Input.

constexpr std::uint32_t max_u32 = std::numeric_limits<std::uint32_t>::max();
constexpr double max_f32 = std::numeric_limits<float>::max();

/// u32: 1, 2, …, n, or random numbers from 0 to 3 if n is above 65 536, so that no sum of up to 2^30 numbers
/// wraps. f32: uniform in [0, 1).
Input input(const Values& values) {
    const std::uint64_t count = values[key::elements], seed = values[key::seed];
    if (get_storage_type(values) == ElementType::f32) return {{"numbers", share(uniform_f32(count, seed))}};
    if (count <= 65'536)
        return {{"numbers", generate_array<std::uint32_t>(count, [](std::size_t i) { return word(i + 1); })}};
    Array random_words(ElementType::u32, count);
    fill_random_u32(random_words.as<std::uint32_t>(), seed, 0);
    return {{"numbers", generate_array<std::uint32_t>(count, [&](std::size_t i) {
                 return random_words.as<std::uint32_t>()[i] >> 30U;
             })}};
}

std::string u32_error(double number) {
    if (number >= 0 && number <= max_u32 && number == std::floor(number)) return {};
    return fmt::format(
        "{} cannot be stored as u32, which needs a whole number from 0 to {}. {}", format_exact(number),
        max_u32,
        !std::isfinite(number) ? "Remove or replace it."
        : number == std::floor(number) && static_cast<double>(static_cast<float>(number)) != number
            ? "Scale the numbers down: f32 cannot represent it exactly either."
            : "Choose element_type = f32 for numbers such as this one.");
}

Input input_from_user(const UserData& data, const Values& values) {
    if (get_storage_type(values) == ElementType::u32)
        return {{"numbers", convert_user_numbers<std::uint32_t>(data, &u32_error)}};
    const ArrayRef numbers = convert_user_numbers<float>(data, &check_finite_f32);
    // Up to this magnitude, no partial sum overflows, in any order of the additions.
    if (const double magnitude = sum_magnitudes(*data.numbers, numbers->count()); magnitude > max_f32)
        throw Refusal(
            "The magnitudes of the numbers add up to {:.6g}, more than the largest f32, {:.6g}: an "
            "intermediate sum could overflow. Scale the numbers down.",
            magnitude, max_f32);
    return {{"numbers", numbers}};
}

// Definitions. The total is the sum of all numbers. Partial sum g is the sum of the numbers in the tiles t
// with t mod workgroup_count = g; a tile is the elements that a workgroup processes in one pass. Sums of u32
// are exact modulo 2^32. The tolerance of an f32 sum follows from the longest chain of additions that a
// number passes through in the plan's order.

/// Returns the partial sums of `of` applied to each number. Cores process different workgroups in parallel.
template <class Sum, class T, class Of>
std::vector<Sum> compute_partial_sums(std::span<const T> numbers, const Dispatch& main, Of of) {
    const std::size_t tile = main.elements_per_workgroup(), groups = main.workgroup_count();
    std::vector<Sum> sums(groups);
    parallel_for_each(groups, divide_up(numbers.size(), groups), [&](std::size_t g) {
        for (std::size_t start = g * tile; start < numbers.size(); start += groups * tile) {
            const auto tile_numbers = numbers.subspan(start, std::min(tile, numbers.size() - start));
            sums[g] +=
                std::transform_reduce(tile_numbers.begin(), tile_numbers.end(), Sum{}, std::plus<Sum>(), of);
        }
    });
    return sums;
}

/// Returns the longest chain of additions in common/quads.glsl: at most one per pass in one of four sums, two
/// for the last one to three numbers and the slices, two to add the sums, two for the four numbers of a quad.
std::uint64_t quad_chain_length(const Dispatch& dispatch) {
    return dispatch.passes() + 2 + 2 + 2;
}
/// The longest chains of additions that a number passes through into its partial sum and into the total.
struct AdditionChains {
    std::uint64_t partial_sum = 0, total = 0;
};
AdditionChains compute_chains(const Run& run) {
    const Dispatch& main = run.plan.main();
    // The device chooses the order: the first number may pass through all additions.
    if (run.facts.tree == Tree::none) return {0, main.elements()};

    // A device may add the numbers of a subgroup in any order, so the chain has width - 1 additions, twice,
    // with 1 024 / width^2 rounds between them: at most 270 for widths from 2 to 128, and never more than
    // there are additions.
    const std::uint64_t subgroup_chain = std::min<std::uint64_t>(main.workgroup_size() - 1, 270);
    // Without quads: the additions while loading, then one to the running total per pass. One more addition
    // per slice adds its total to the partial sum; there are no more slices than passes.
    const std::uint64_t each = run.variant.per_invocation,
                        invocation_chain =
                            each == 4 ? quad_chain_length(main) : (each - 1) + main.passes() + 1,
                        workgroup_chain = run.facts.tree == Tree::subgroups
                                              ? subgroup_chain
                                              : tree_levels(main.workgroup_size()),
                        partial_sum = invocation_chain + workgroup_chain;
    const Dispatch* last = &main;
    for (const Step& step : run.plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) last = dispatch;
    std::uint64_t final_chain = main.workgroup_count();  // the CPU adds them sequentially
    if (run.facts.finishes_itself)
        // Each lane of a subgroup (of at least one lane) adds sixteen partial sums at a time, as a tree of
        // four levels.
        final_chain = divide_up(main.workgroup_count(), 16) + 4 + subgroup_chain;
    else if (last != &main)
        final_chain = quad_chain_length(*last) + tree_levels(last->workgroup_size());
    return {partial_sum, partial_sum + final_chain};
}

/// In an exercise, the student decides which workgroup adds what, so only the total is checked.
std::vector<Expected> reference(const Input& input, const Run& run) {
    const Array& numbers = get(input, "numbers");
    const Dispatch& main = run.plan.main();
    const bool squares = run.facts.squares;
    const auto add_all = [](const auto& sums) { return std::reduce(sums.begin(), sums.end()); };
    std::vector<Expected> all;
    if (numbers.type() == ElementType::u32) {
        const auto sums = compute_partial_sums<std::uint32_t>(
            numbers.as<std::uint32_t>(), main, [=](std::uint32_t x) { return squares ? x * x : x; });
        all = {{"partial_sums", share<std::uint32_t>(sums)}, {"total", share_scalar(add_all(sums))}};
    } else {
        const auto sums = compute_partial_sums<TermSum>(numbers.as<float>(), main, [=](float x) {
            return TermSum(squares ? Bounded{x} * Bounded{x} : Bounded{x});
        });
        const AdditionChains chains = compute_chains(run);
        const std::uint64_t group_elements =
            std::min(main.passes() * main.elements_per_workgroup(), main.elements());
        all = {
            make_expected("partial_sums", sums.size(),
                          [&](std::size_t g) { return sums[g].rounded(group_elements, chains.partial_sum); }),
            expected_number("total", add_all(sums).rounded(main.elements(), chains.total))};
        all.back().distance_id = "total_error";
        all.back().distance_label = "Distance from the sum in double";
    }
    if (run.facts.tree == Tree::none) all.erase(all.begin());  // no partial sums
    return all;
}

/// The reference of an exercise: the maximum and the position of its first occurrence.
std::vector<Expected> maximum_reference(const Input& input, const Run&) {
    const Array& numbers = get(input, "numbers");
    const auto place = numbers.visit(
        [](auto all) { return static_cast<std::uint32_t>(std::ranges::max_element(all) - all.begin()); });
    return {{"maximum", share(copy_slice(numbers, place, 1))}, {"place", share_scalar(place)}};
}

double on_cpu(const Input& input, const Values&, SumRanges sum_ranges) {
    const Array& numbers = get(input, "numbers");
    return sum_ranges(numbers.count(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        return numbers.type() == ElementType::u32
                   ? fast_sum(numbers.as<std::uint32_t>().subspan(begin, end - begin))
                   : fast_sum(numbers.as<float>().subspan(begin, end - begin));
    });
}

// Launches.

/// Returns few workgroups, because each one costs a tree and a partial sum. A long run has four times as
/// many, so that a multiprocessor that finishes early gets another one.
std::uint64_t default_sum_grid(const PlanBuilder& plan) {
    constexpr std::uint64_t passes_of_a_long_run = 256;
    const std::uint64_t full_grid = plan.min_busy_workgroups();
    const bool long_run = plan.tiles() / full_grid > passes_of_a_long_run;
    return plan.limits().multiprocessors > 0 && long_run ? 4 * full_grid : full_grid;
}

void add_partial_sums(PlanBuilder& plan, PlanBuffer partial_sums, PlanBuffer total, std::uint64_t groups,
                      ElementType type) {
    Dispatch& last =
        plan.launch_one_workgroup("sum of the partial sums", fmt::format("common/finish.{}", name(type)),
                                  {reads_each(partial_sums), updates(total)}, groups, 4);
    last.iterations_once = 2 + tree_levels(last.workgroup_size());
    last.shared_bytes = last.workgroup_size() * byte_size(type);
}

void plan_one_total(PlanBuilder& plan, PlanBuffer numbers, ElementType type) {
    const Limits& limits = plan.limits();
    const bool compare_and_swap = type == ElementType::f32 && !limits.float32_atomic_add;
    const char* const build = type == ElementType::u32 ? "u32" : compare_and_swap ? "f32" : "f32_atomic";
    const PlanBuffer total = plan.filled_output("total", type, {1});
    Dispatch& main =
        plan.launch("add every number to the total", fmt::format("reduction/atomic_global.{}", build),
                    {reads_each(numbers), updates(total)});
    // Every round of compare-and-swap succeeds for at least one invocation, so the lanes of a subgroup need
    // at most as many rounds as there are lanes if no other subgroup interferes. Interference is unbounded:
    // this limit allows it in most rounds, and beyond it the check finds the lost number.
    main.iterations_per_pass = compare_and_swap ? 1 + 64 * std::uint64_t{limits.subgroup_size} : 1;
    main.iterations_once = 1;
    plan.download_main(total);
}

/// Outputs: "partial_sums" (except in atomic_global) and "total", which is a buffer unless the CPU computes
/// it.
void plan(PlanBuilder& plan, const Run& run) {
    const Facts& facts = run.facts;
    const ElementType type = get_storage_type(run.values);
    const std::uint64_t size = plan.workgroup_size();
    const bool is_exercise = !run.variant.solution.empty();
    if (facts.sums_first || facts.squares) plan.set_default_grid(default_sum_grid(plan));
    const PlanBuffer numbers = plan.upload_input("numbers", type, plan.domain());
    // One addition per element, for u32 and f32.
    plan.set_cost({numbers}, (facts.squares ? 2 : 1) * plan.elements());
    if (facts.tree == Tree::none && !is_exercise) return plan_one_total(plan, numbers, type);

    const std::uint64_t groups = plan.workgroup_count();
    const PlanBuffer partial_sums = plan.output("partial_sums", type, {groups});
    const bool cpu_finishes = !is_exercise && !facts.finishes_itself && run[finish] == Finish::cpu;
    const PlanBuffer total = cpu_finishes ? PlanBuffer() : plan.output("total", type, {1});
    std::vector<Binding> bindings = {reads_each(numbers), updates(partial_sums)};
    if (facts.finishes_itself) {
        const PlanBuffer ticket = plan.output("ticket", ElementType::u32, {1});
        // The kernel resets the ticket to 0.
        plan.fill(ticket, 0, run.fill_time_of_kept_array());
        bindings.insert(bindings.end(), {writes(total), updates(ticket)});
    }
    Dispatch& main = plan.launch(facts.finishes_itself ? "sums and total" : "sum of each workgroup",
                                 select_kernel_build(run), std::move(bindings));
    if (!is_exercise) main.constants = {run[barriers] == Barriers::one_missing ? 0u : 1u};
    main.shared_bytes = size * byte_size(type);
    // The levels of a tree, or the rounds over the subgroups' sums (see workgroup_sum.glsl), of which there
    // are at most as many as invocations. In exercises about trees, one invocation may add the values of all.
    const bool uses_rounds = facts.tree == Tree::subgroups || (is_exercise && !facts.squares);
    const std::uint64_t tree_iterations = (uses_rounds ? size : tree_levels(size)) + 1;
    main.iterations_per_pass = facts.sums_first ? 1 : 1 + tree_iterations;
    main.iterations_once = is_exercise ? 2 + size : facts.sums_first ? 2 + tree_iterations : 1;
    if (facts.finishes_itself)
        main.iterations_once +=
            divide_up(groups, 16 * std::min<std::uint64_t>(size, plan.limits().subgroup_size)) + 1;

    if (!facts.finishes_itself && !cpu_finishes) add_partial_sums(plan, partial_sums, total, groups, type);
    plan.download(partial_sums);
    if (cpu_finishes)
        plan.host_step("CPU adds the partial sums", "total",
                       [](std::span<const Array* const> arrays) { return sum_in_order(*arrays[0]); },
                       {"partial_sums"});
    else
        plan.download(total);
    plan.main_output(is_exercise ? "total" : "partial_sums");
}

constexpr std::uint32_t nowhere = 0xFFFFFFFFU;  // as in shaders/reduction/best.glsl

/// {largests, places} of the workgroups -> the workgroup with the largest number; among equals, the one with
/// the smallest place.
std::size_t find_best_workgroup(std::span<const Array* const> arrays) {
    const Array& maxima = *arrays[0];
    const auto places = arrays[1]->as<std::uint32_t>();
    std::size_t best = 0;
    for (std::size_t i = 1; i < places.size(); ++i) {
        if (places[i] == nowhere) continue;
        const double number = maxima.number(i), best_number = maxima.number(best);
        if (places[best] == nowhere || number > best_number ||
            (number == best_number && places[i] < places[best]))
            best = i;
    }
    return best;
}
/// The plan of an exercise: each workgroup stores the maximum of its numbers, however they are distributed.
void plan_maximum(PlanBuilder& plan, const Run& run) {
    const ElementType type = get_storage_type(run.values);
    plan.set_default_grid(default_sum_grid(plan));
    const PlanBuffer numbers = plan.upload_input("numbers", type, plan.domain());
    plan.set_cost({numbers}, plan.elements());
    const std::uint64_t groups = plan.workgroup_count();
    const PlanBuffer maxima = plan.output("largests", type, {groups});
    const PlanBuffer places = plan.filled_output("places", ElementType::u32, {groups}, nowhere);
    Dispatch& main = plan.launch("maximum of each workgroup", select_kernel_build(run),
                                 {reads_each(numbers), updates(maxima), updates(places)});
    main.iterations_per_pass = 1;
    main.iterations_once = 2 + tree_levels(plan.workgroup_size());
    plan.download({maxima, places});
    const auto best = [](std::size_t of) {
        return [of](std::span<const Array* const> arrays) {
            return copy_slice(*arrays[of], find_best_workgroup(arrays), 1);
        };
    };
    plan.host_step("CPU finds the maximum", "maximum", best(0), {"largests", "places"});
    plan.host_step("CPU finds its place", "place", best(1), {"largests", "places"});
    plan.main_output("maximum");
}

// Remarks and results.

void add_element_type_remarks(Remarks& add, const Run& run) {
    if (run[element_type] == Element::u32) {
        // No number is negative, so if the sum of a part is too large, the total is, too. Reading more at
        // every change of a control would be noticeable.
        constexpr std::size_t max_examined = std::size_t{1} << 24;
        const ArrayRef& user_numbers = run.prepared.experiment.input.numbers;
        if (user_numbers &&
            sum_magnitudes(*user_numbers, std::min(user_numbers->count(), max_examined)) > max_u32)
            add.note(element_type,
                     "The sum of your numbers exceeds {}: GPU and CPU both compute it modulo 2^32.",
                     format_count(max_u32));
        return;
    }
    const double bound = f32_sum_tolerance(compute_chains(run).total, run.plan.main().elements()).relative;
    add.add(bound > 1e-3 ? Severity::caution : Severity::note, element_type.id,
            fmt::format("Every addition rounds. In this order, the total may be off by {} of the numbers' "
                        "magnitude, and is accepted within that tolerance.",
                        format_percent(bound).text()));
    if (run.facts.tree != Tree::none) return;
    if (!run.limits.float32_atomic_add)
        add.note(element_type,
                 "This device has no atomic f32 addition: the kernel repeats a compare-and-swap until no "
                 "other invocation interferes.");
    add.note(
        element_type,
        "The order of the additions, and with it the last digits of the total, may differ from run to run.");
}

void add_missing_barrier_remark(Remarks& add, const Run& run) {
    const std::uint64_t size = run.plan.main().workgroup_size();
    if (run.facts.tree == Tree::none)
        add.note(barriers, "atomic_global has no barrier, so none is missing.");
    else if (size == 1)
        add.note(barriers, "A workgroup of one invocation needs no barrier, so the result is right.");
    else
        add.caution(barriers, run.facts.tree == Tree::neighbours
                                  ? "In the first step, every second invocation adds what the next one "
                                    "stored, which is nearly always in the same subgroup. The result may be "
                                    "right without the barrier, but nothing guarantees it."
                              : size <= run.limits.subgroup_size
                                  ? "The workgroup is a single subgroup, whose lanes often execute the store "
                                    "together. The result may be right without the barrier, but nothing "
                                    "guarantees it."
                                  : "Invocations may add values that others have not stored yet. A right "
                                    "result would be luck.");
}

void remarks(Remarks& add, const Run& run) {
    const Dispatch& main = run.plan.main();
    constexpr std::uint64_t max_small_sum_elements = 4096;
    if (main.elements() <= max_small_sum_elements)
        add.note(key::elements, "{}: with so few numbers, the launch itself may take most of the time.",
                 format_byte_text(run.plan.min_bytes));
    if (run.facts.tree != Tree::none && main.workgroup_count() > main.tiles())
        add.note(key::workgroup_count, "The partial sum of a workgroup without numbers is 0.");
    add_element_type_remarks(add, run);
    if (run[finish] == Finish::cpu && run.facts.tree == Tree::none)
        add.note(finish, "atomic_global has no partial sums, so there is nothing for the CPU to add.");
    if (run[finish] == Finish::cpu && run.facts.finishes_itself)
        add.note(finish, "single_pass always adds the partial sums itself, in its only launch.");
    if (run[barriers] == Barriers::one_missing) add_missing_barrier_remark(add, run);
}

std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    std::vector<Fact> facts;
    const Array* const total = find(outputs, "total");
    if (total && total->type() == ElementType::u32)
        facts.push_back({"total", "Total", std::uint64_t{total->as<std::uint32_t>()[0]}});
    else if (total)
        facts.push_back({"total", "Total", total->number(0)});
    constexpr std::size_t max_reported_partial_sums = 4096;
    const Array* const all = find(outputs, "partial_sums");
    facts.push_back({"partial_sums", "Partial sums",
                     share(all ? copy_slice(*all, 0, std::min(all->count(), max_reported_partial_sums))
                               : Array(get_storage_type(run.values), 0))});
    return facts;
}

std::vector<Fact> maximum_result(const Run&, const Outputs& outputs) {
    return {{"maximum", "Maximum", get(outputs, "maximum").number(0)},
            {"place", "Place of its first occurrence",
             std::uint64_t{get(outputs, "place").as<std::uint32_t>()[0]}}};
}

// Pictures.

float pairwise_sum(std::span<const float> numbers) {
    if (numbers.size() == 1) return numbers[0];
    const std::size_t half = numbers.size() / 2;
    return pairwise_sum(numbers.first(half)) + pairwise_sum(numbers.subspan(half));
}

/// Draws the rounding errors of the same f32 sum in two orders on the CPU and in the GPU's order.
void draw_order(Figures& add, const PlotArray& numbers, const PlotArray& total) {
    // Above this, the additions on the CPU would delay the window noticeably.
    constexpr std::size_t max_numbers = std::size_t{1} << 20;
    if (!add.is_measured() || !numbers || !total || numbers.array->type() != ElementType::f32 ||
        numbers.count > max_numbers)
        return;
    const auto all = numbers.array->as<float>();
    const double exact = std::accumulate(all.begin(), all.end(), 0.0);
    const auto error = [&](double sum) { return std::abs(sum - exact); };
    add.figure("order", "Rounding error by order of additions", {}, "distance from the sum in double")
        .categories({"one after another", "as a tree", add.report()->experiment.variant + " on the GPU"})
        .bars("distance",
              {error(std::accumulate(all.begin(), all.end(), 0.0F)), error(pairwise_sum(all)),
               error(total.array->number(0))},
              ColorRole::series)
        .note("The same numbers, rounded to f32 after each addition. The GPU's own total is measured.");
}

void pictures(Figures& add, const Run& run) {
    FigureBuilder& sums =
        add.figure("partial_sums", "Partial sums, one per workgroup", "workgroup", "partial sum")
            .bars(add.is_measured() ? "GPU" : "sum", add.output("partial_sums"), ColorRole::upload)
            .value_labels();
    // In f32, a sum is right in spite of small rounding errors.
    if (const Array* expected_sums = add.report() ? find(add.report()->expected, "partial_sums") : nullptr)
        sums.outline("partial_sums", expected_sums->type() == ElementType::f64 ? 1e-5 : 0.0);
    if (!run.plan.steps.empty()) {
        if (run.facts.tree == Tree::none && run.variant.solution.empty())
            add.traced("contention", "Conflicts at the total in the first subgroups",
                       draw_conflicts({.alone = {"adds alone", ColorRole::kernel},
                                       .first = {"adds first", ColorRole::upload},
                                       .later = {"adds after another", ColorRole::caution},
                                       .elsewhere = {"adds nothing", ColorRole::quiet}}));
        add.traced("tree", "Which invocations of a workgroup add", draw_levels());
        add.traced("passes", "Which invocation loads which number, pass by pass",
                   draw_passes("numbers", "number"));
    }
    const PlotArray numbers = add.input("numbers");
    draw_order(add, numbers, add.output("total"));
    add.figure("numbers", "The numbers", "element", "value").waveform("numbers", numbers, ColorRole::quiet);
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "reduction",
         .title = "Reduction",
         .parameters = parameters(),
         .noun = "numbers",
         .default_variant = "tree_sequential",
         .input = input,
         .input_files = {".csv", ".txt", ".npy"},
         .input_from_user = input_from_user,
         .reference_depends_on_launch = true,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"atomic_global", "One counter for all",
           "Every invocation adds its number to one total in global memory with an atomic addition."}},
         {{"tree_interleaved", "Tree, neighbours first",
           "A workgroup adds neighbouring values, then neighbouring sums; from step to step, the adding "
           "invocations are further apart."},
          {.tree = Tree::neighbours}},
         {{"tree_masked", "Tree, neighbours first, with &",
           "The same tree with the same additions, but each invocation tests with & instead of % whether it "
           "adds."},
          {.tree = Tree::neighbours}},
         {{"tree_packed", "Tree, neighbours first, adjacent invocations",
           "The same additions by adjacent invocations; from step to step, the values that they add are "
           "further apart."},
          {.tree = Tree::adjacent}},
         {{"tree_sequential", "Tree, halves",
           "In each step, a workgroup adds its upper half to its lower half; the adding invocations stay "
           "adjacent, and so do the values."},
          {.tree = Tree::adjacent}},
         {{"tree_first_add", "Add two while loading",
           "Each invocation adds two numbers while loading them, so half as many workgroups are enough."},
          {.tree = Tree::adjacent},
          {.per_invocation = 2}},
         {{"grid_stride_plain", "Each sums many",
           "Each invocation sums many numbers in a register, one per load; at the end, the workgroup adds "
           "the sums in one tree."},
          {.tree = Tree::adjacent, .sums_first = true}},
         {{"grid_stride", "Each sums many, four per load",
           "As grid_stride_plain, but each load fetches four numbers, and several loads are in flight at "
           "once."},
          {.tree = Tree::adjacent, .sums_first = true},
          {.per_invocation = 4}},
         {{"subgroup", "Subgroup arithmetic",
           "As grid_stride, with the tree replaced by one subgroup addition and one number per subgroup in "
           "workgroup memory."},
          {.tree = Tree::subgroups, .sums_first = true},
          {.per_invocation = 4, .uses_subgroups = true}},
         {{"single_pass", "The last workgroup finishes",
           "As subgroup, but the last workgroup to finish adds the partial sums, without a second launch."},
          {.tree = Tree::subgroups, .sums_first = true, .finishes_itself = true},
          {.per_invocation = 4, .uses_subgroups = true}}},
        {{{"maximum_place", "The maximum and its place",
           "Find the largest number and the place of its first occurrence."},
          {},
          {.uses_subgroups = true,
           .task = {.plan = plan_maximum,
                    .remarks = no_op,
                    .reference = maximum_reference,
                    .result = maximum_result,
                    .pictures = no_op}}},
         {{"missing_barriers", "The barriers that a tree needs",
           "A tree whose barriers were removed: put the necessary ones back."},
          {},
          {.uses_subgroups = true, .task = {.remarks = no_op}}},
         {{"sum_of_squares", "The sum of the squares",
           "Speed up a kernel that is right but slow, because it adds a tree for every tile."},
          {.squares = true},
          {.uses_subgroups = true, .task = {.remarks = no_op, .pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::reduction
