// Race condition: everyone adds 1 to one counter, and reads what others are changing.
#include "figures/lesson_headers.h"

#include "race_condition/race_condition.h"

namespace gridstride::lessons::race_condition {

namespace {

std::vector<Parameter> parameters() {
    return common_parameters(
        4096, 64,
        {number_parameter(key::runs, "Runs",
                          "So many launches one after another, each with a counter of its own.", 1, 1, 1000,
                          Invalidates::reference)});
}

/// "numbers": below 1000.
Input input(const Values& values) {
    Array numbers(ElementType::u32, values[key::elements]);
    const auto out = numbers.as<std::uint32_t>();
    fill_random_u32(out, values[key::seed], 0);
    for (std::uint32_t& one : out)
        one %= 1000;
    return {{"numbers", share(std::move(numbers))}};
}

/// Of each number and its neighbours, where the first and the last one stand in for the one that they lack.
template <class Of>
ArrayRef of_neighbours(const Input& input, Of of) {
    const auto numbers = get(input, "numbers").as<std::uint32_t>();
    Array all(ElementType::u32, numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        all.as<std::uint32_t>()[i] = of(numbers[std::max<std::size_t>(i, 1) - 1], numbers[i],
                                        numbers[std::min(i + 1, numbers.size() - 1)]);
    return share(std::move(all));
}

std::vector<Expected> reference(const Input& input, const Run& run) {
    if (run.facts.smooths)
        return {{.output = "smooth_numbers",
                 .reference =
                     of_neighbours(input, [](std::uint32_t left, std::uint32_t own, std::uint32_t right) {
                         return (left + 2 * own + right) / 4;
                     })}};
    const std::vector<std::uint32_t> counts(run[key::runs], static_cast<std::uint32_t>(run[key::elements]));
    return {{.output = "counts", .reference = share<std::uint32_t>(counts)}};
}

void plan_counting(PlanBuilder& plan, const Run& of) {
    const std::uint64_t runs = of[key::runs];
    const PlanBuffer counts = plan.output("counts", ElementType::u32, {runs});
    const PlanBuffer moments = plan.output("moments", ElementType::u32, {7});
    plan.fill(counts, 0);
    if (of.facts.notes_moments) plan.fill(moments, no_moment);
    for (std::uint64_t run = 0; run < runs; ++run) {
        std::vector<Binding> bindings = {updates(counts)};
        if (of.facts.notes_moments) bindings.push_back(updates(moments));
        plan.launch(runs > 1 ? fmt::format("count, run {}", run + 1) : "count", of.kernel(),
                    std::move(bindings))
            .push = {static_cast<std::uint32_t>(run)};
    }
    plan.download(counts);
    if (of.facts.notes_moments) plan.download(moments);
    plan.set_cost(runs * sizeof(std::uint32_t), runs * plan.elements());
    plan.main_output("counts");
}

/// Between "numbers" and another array, or with `changes` within the one that is called so.
void plan_neighbours(PlanBuilder& plan, const std::string& output, const std::string& kernel, bool changes) {
    const PlanBuffer numbers =
        changes ? plan.output("numbers", ElementType::u32) : plan.input("numbers", ElementType::u32);
    const PlanBuffer counter = plan.output(output, ElementType::u32);
    plan.upload(numbers);
    plan.launch("each number and its neighbours", kernel,
                {writes(counter), changes ? updates(numbers) : reads(numbers)});
    plan.download(counter);
    plan.set_cost(plan.elements() * 2 * sizeof(std::uint32_t), plan.elements() * 4);
    plan.main_output(output);
}

void plan(PlanBuilder& plan, const Run& run) {
    if (!run.facts.smooths) return plan_counting(plan, run);
    if (!run.facts.in_place)
        return plan_neighbours(plan, "smooth_numbers", "race_condition/two_arrays", false);
    const PlanBuffer row = plan.output("smooth_numbers", ElementType::u32);
    plan.upload_from("numbers", row);
    plan.launch("each number and its neighbours", "race_condition/in_place", {updates(row)});
    plan.download(row);
    plan.set_cost(plan.elements() * 2 * sizeof(std::uint32_t), plan.elements() * 4);
    plan.main_output("smooth_numbers");
}

void remarks(Remarks& say, const Run& run) {
    if (run.facts.smooths && run[key::runs] > 1)
        say.note(key::runs, "The row is smoothed once, whatever stands here.");
}

std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    std::vector<Fact> facts;
    if (const Array* const found = find(outputs, "counts"); found && !found->empty()) {
        const auto counts = found->as<std::uint32_t>();
        const std::set<std::uint32_t> different(counts.begin(), counts.end());
        const std::uint64_t elements = run[key::elements];
        facts = {
            {"count", "Count of the first run", std::uint64_t{counts.front()}},
            {"lost", "Counts that it lost", elements - std::min<std::uint64_t>(elements, counts.front())},
            {"least", "Least count", std::uint64_t{*different.begin()}},
            {"most", "Greatest count", std::uint64_t{*different.rbegin()}},
            {"different", "Different counts", std::uint64_t{different.size()}},
            {"incomplete", "Runs that lost counts",
             counts.size() - static_cast<std::uint64_t>(std::ranges::count(counts, elements))}};
    }
    if (const Array* const found = find(outputs, "moments"); found && found->count() == 7) {
        const auto moments = found->as<std::uint32_t>().subspan(1);
        if (std::ranges::count(moments, no_moment) > 0) return facts;  // there was one invocation alone
        constexpr const char* ids[] = {"a_reads", "a_adds", "a_writes", "b_reads", "b_adds", "b_writes"};
        constexpr const char* labels[] = {"A reads at", "A adds at", "A writes at",
                                          "B reads at", "B adds at", "B writes at"};
        // The number is taken just behind the step, so one that is next to another's may have been before it.
        for (std::size_t i = 0; i < std::size(ids); ++i)
            facts.push_back({ids[i], labels[i], double{moments[i] + 1.0}, /*uncertainty=*/0.3});
    }
    return facts;
}

// To make: the smallest of three neighbours, without a race.

std::vector<Expected> smallest_reference(const Input& input, const Run&) {
    return {
        {.output = "smallest",
         .reference = of_neighbours(input, [](std::uint32_t left, std::uint32_t own, std::uint32_t right) {
             return std::min(own, std::min(left, right));
         })}};
}

void plan_smallest(PlanBuilder& plan, const Run&) {
    plan_neighbours(plan, "smallest", "race_condition/smallest_start", /*changes=*/true);
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "race_condition", .title = "Race condition", .parameters = parameters(), .input = input},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"plain", "Read, add, write", "Everyone adds 1 to the same counter, and nothing keeps others out."},
          {},
          {.wrong_on_purpose = true}},
         {{"slow_motion", "The same in slow motion",
           "The first two invocations note when they read, add and write."},
          {.notes_moments = true},
          {.wrong_on_purpose = true}},
         {{"coherent", "Coherent", "The counter is read from memory and written to it each time."},
          {},
          {.wrong_on_purpose = true}},
         {{"atomic", "Atomic addition", "Reading, adding and writing are one step."}},
         {{"per_workgroup", "One addition a workgroup",
           "Each workgroup counts in its own memory, and adds once what came together."}},
         {{"in_place", "Smoothed in place",
           "Each number becomes the mean with its neighbours, where it stands."},
          {.smooths = true, .in_place = true},
          {.wrong_on_purpose = true}},
         {{"two_arrays", "Smoothed into a second array", "The means go where nobody reads."},
          {.smooths = true}}},
        {{{"smallest", "The smallest of three neighbours", "Of each number and the two beside it."},
          {},
          {.has_baseline = false,
           .task = {.plan = plan_smallest,
                    .remarks = no_op,
                    .reference = smallest_reference,
                    .pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::race_condition
