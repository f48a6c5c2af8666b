// Grid-stride loop: a kernel that processes any number of elements with any number of invocations.
#include "figures/lesson_headers.h"

#include "grid_stride/grid_stride.h"

namespace gridstride::lessons::grid_stride {

namespace {

std::vector<Parameter> parameters() {
    return common_parameters(
        1000003, 128,
        {choice_parameter(key::magnitude, "Numbers",
                          "x and y are random: between -1 and 1, or between -1e30 and 1e30, where squares "
                          "are more than f32 holds, or of every size, from 0 on.",
                          Invalidates::input,
                          {{"one", "up to 1"},
                           {"huge", "up to 1e30", /*wrong_on_purpose=*/true},
                           {"mixed", "0, up to 1e-30, 1 or 1e30", /*wrong_on_purpose=*/true}}),
         // The elements per invocation are checked as well; they depend on the launch.
         choice_parameter(key::counting, "Counting",
                          "Each invocation leaves how many elements it took: 4 bytes more for each.",
                          Invalidates::reference, {{"off", "off"}, {"on", "on"}})});
}

/// Mixes magnitudes at random: of eight numbers, on average one is 0, two are up to 1e-30, two up to 1 and
/// three up to 1e30.
void mix(std::span<float> numbers, std::uint64_t seed, std::uint32_t stream) {
    constexpr std::array<float, 8> sizes = {0, 1e-30F, 1e-30F, 1, 1, 1e30F, 1e30F, 1e30F};
    std::vector<std::uint32_t> drawn(numbers.size());
    fill_random_u32(drawn, seed, stream);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] *= sizes.at(drawn[i] % sizes.size());
}

Input input(const Values& values) {
    const double max_magnitude = values[key::magnitude] == Magnitude::huge ? 1e30 : 1;
    const auto make_numbers = [&](std::uint32_t stream) {
        Array numbers =
            uniform_f32(values[key::elements], values[key::seed], -max_magnitude, max_magnitude, stream);
        if (values[key::magnitude] == Magnitude::mixed)
            mix(numbers.as<float>(), values[key::seed], stream + 2);
        return share(std::move(numbers));
    };
    return {{"x", make_numbers(0)}, {"y", make_numbers(1)}};
}

constexpr double ulp = 0x1p-23;

/// In double, in which the square of an f32 cannot overflow.
ArrayRef lengths_of(const Input& input) {
    const auto x = get(input, "x").as<float>(), y = get(input, "y").as<float>();
    return generate_array<double>(
        x.size(), [&](std::size_t i) { return std::sqrt(double{x[i]} * x[i] + double{y[i]} * y[i]); });
}

/// Returns how many of the elements [0, count) each invocation of the launch processes.
Array count_elements_per_invocation(const Dispatch& launch, std::uint64_t per_invocation, bool in_chunks) {
    const std::uint64_t count = launch.elements(),
                        invocation_count = launch.workgroup_count() * launch.workgroup_size();
    Array counts(ElementType::u32, invocation_count);
    const auto elements = counts.as<std::uint32_t>();
    std::ranges::fill(elements, 0U);
    if (in_chunks) {
        const std::uint64_t each = divide_up(count, invocation_count);
        for (std::uint64_t invocation = 0; invocation < invocation_count; ++invocation)
            elements[invocation] =
                static_cast<std::uint32_t>(std::min(each, count - std::min(count, invocation * each)));
        return counts;
    }
    for (std::uint64_t invocation = 0; invocation < invocation_count; ++invocation)
        for (std::uint64_t first = invocation * per_invocation; first < count;
             first += invocation_count * per_invocation)
            elements[invocation] += static_cast<std::uint32_t>(std::min(per_invocation, count - first));
    return counts;
}

/// With e = 2^-23, which bounds the error of a correctly rounded operation in either of the rounding modes
/// that Vulkan allows: the product and the sum of two positive numbers have an error of 2 e, which the root
/// halves; sqrt is 1 / inversesqrt, for which Vulkan allows 2 ulp, and 2.5 ulp for the division. That makes
/// 5.5 e, plus the products of these errors.
constexpr Tolerance rounded{std::numeric_limits<float>::min(), 6 * ulp};

std::vector<Expected> reference(const Input& input, const Run& run) {
    std::vector<Expected> expected = {{"lengths", lengths_of(input), rounded}};
    if (run[key::counting] == Counting::on)
        expected.push_back({"taken", share(count_elements_per_invocation(
                                         run.plan.main(), run.variant.per_invocation, run.facts.in_chunks))});
    return expected;
}

double on_cpu(const Input& input, const Values&, SumRanges sum_ranges) {
    const auto x = get(input, "x").as<float>(), y = get(input, "y").as<float>();
    const auto lengths = scratch_array(ElementType::f32, x.size()).as<float>();
    constexpr std::size_t block = 1 << 14;  // smaller blocks finish before a second thread has started
    return sum_ranges(x.size(), block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            lengths[i] = std::sqrt(x[i] * x[i] + y[i] * y[i]);
        return double{lengths[begin]} + lengths[end - 1];
    });
}

constexpr std::uint64_t bytes_an_element = 3 * sizeof(float);  // two loads, one store

/// Uploads x and y, runs the launch that `launch` adds, and downloads the lengths.
template <class Launch>
void plan_lengths(PlanBuilder& plan, Launch launch) {
    const PlanBuffer x = plan.input("x");
    const PlanBuffer y = plan.input("y");
    const PlanBuffer lengths = plan.output("lengths");
    plan.upload(x);
    plan.upload(y);
    launch(std::vector<Binding>{reads_each(x), reads_each(y), writes_each(lengths)});
    plan.download(lengths);
    plan.set_cost(plan.elements() * bytes_an_element, plan.elements() * 4);
    plan.main_output("lengths");
}

void plan(PlanBuilder& plan, const Run& run) {
    const bool counting = run[key::counting] == Counting::on;
    // A GPU streams fastest with one load per invocation, a CPU with as many workgroups as it runs at once.
    if (plan.limits().is_cpu) plan.set_default_grid(plan.resident_workgroups());
    const std::uint64_t invocation_count = plan.workgroup_count() * plan.workgroup_size();
    // An invocation processes a chunk of neighbouring elements in one pass.
    const std::uint64_t chunk = run.facts.in_chunks ? divide_up(plan.elements(), invocation_count) : 1;
    if (chunk > 1) plan.set_per_invocation(chunk);
    const PlanBuffer counts = plan.output("taken", ElementType::u32, {counting ? invocation_count : 1});
    plan_lengths(plan, [&](std::vector<Binding> bindings) {
        bindings.push_back(updates(counts));
        Dispatch& launch = plan.launch("the length of each pair", run.kernel(), std::move(bindings));
        launch.constants = {counting ? 1U : 0U};
        launch.iterations_per_pass = chunk;
    });
    if (counting) plan.download(counts);
}

void remarks(Remarks& say, const Run& run) {
    if (run[key::magnitude] != Magnitude::one)
        say.caution(key::magnitude,
                    "Squares of numbers beyond 1.8e19 are more than f32 holds: they become infinite.");
}

std::vector<Fact> result(const Run&, const Outputs& outputs) {
    std::vector<Fact> facts;
    if (const Array* found = find(outputs, "lengths"); found && !found->empty()) {
        const auto lengths = found->as<float>();
        const double infinite =
            parallel_sum(lengths.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
                const auto part = lengths.subspan(begin, end - begin);
                return static_cast<double>(
                    std::ranges::count_if(part, [](float one) { return std::isinf(one); }));
            });
        facts.push_back({"longest", "Greatest length", summarize_floats(lengths).largest});
        facts.push_back({"infinite", "Infinite lengths", static_cast<std::uint64_t>(infinite)});
    }
    if (const Array* found = find(outputs, "taken"); found && found->count() > 1) {
        const auto invocations = found->as<std::uint32_t>();
        const std::uint64_t max_elements = std::ranges::max(invocations);
        facts.push_back({"busiest", "Elements of the busiest invocation", max_elements});
        facts.push_back({"as_busy", "Invocations that took as many",
                         static_cast<std::uint64_t>(std::ranges::count(invocations, max_elements))});
    }
    return facts;
}

// Exercise: lengths that neither overflow nor underflow, with a loop that works for every grid.

/// As above, with a quotient of 2.5 ulp, its square, half of their sum, the root and a product.
constexpr Tolerance rounded_more{std::numeric_limits<float>::min(), 16 * ulp};

std::vector<Expected> any_length_reference(const Input& input, const Run&) {
    return {{"lengths", lengths_of(input), rounded_more}};
}

void plan_any_length(PlanBuilder& plan, const Run&) {
    plan_lengths(plan, [&](std::vector<Binding> bindings) {
        plan.launch("the length of each pair", "grid_stride/any_length_start", std::move(bindings));
    });
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "grid_stride",
         .title = "Grid-stride loop",
         .parameters = parameters(),
         .input = input,
         .reference_depends_on_launch = true,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"stride", "Stride by the grid",
           "Each invocation goes on by as many elements as there are invocations."}},
         {{"chunk", "Own chunk", "Each invocation takes elements that lie one behind another."},
          {.in_chunks = true}},
         {{"vec4", "Four to a load", "The stride over groups of four: 16 bytes to a load and to a store."},
          {},
          {.per_invocation = 4}}},
        {{{"any_length", "Lengths of any size", "Huge, tiny and 0, on any grid."},
          {},
          {.has_baseline = false,
           .task = {.plan = plan_any_length,
                    .remarks = no_op,
                    .reference = any_length_reference,
                    .pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::grid_stride
