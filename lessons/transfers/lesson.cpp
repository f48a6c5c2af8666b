// Transfers: the same arrays on two shores, and what each trip between them costs.
#include "lesson/lesson.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/parallel_for.h"
#include "lesson/stock.h"
#include "transfers/transfers.h"

namespace gridstride::lessons::transfers {

namespace {

std::vector<Parameter> parameters() {
    return common_parameters(
        1000003, 256,
        {choice_parameter(key::memory, "Host memory", "Where pulses, noise and sum lie on the host.",
                          Shapes::launch,
                          {{"pageable", "a program's usual memory: the host copies first"},
                           {"pinned", "the device copies by itself"},
                           {"mapped", "nobody copies: kernels reach for it"}}),
         number_parameter(key::pieces, "Pieces",
                          "Each upload in so many pieces, which are submitted and waited for one by one.", 1,
                          1, 1000, Shapes::launch),
         number_parameter(
             key::rounds, "Rounds",
             "How often the noise is added. From the second time on, what has come out so far is "
             "halved first.",
             1, 1, 20000, Shapes::reference),
         choice_parameter(key::waiting, "Waiting", "What the host does until the device is done.",
                          Shapes::launch,
                          {{"sleep", "the system wakes the thread"}, {"poll", "it asks again and again"}}),
         sequence_parameter(key::steps, "Steps of the chain",
                            "Trips and launches in the order in which they are done.",
                            std::vector{Move::pulses_up, Move::noise_up, Move::add, Move::down, Move::up,
                                        Move::rectify, Move::down},
                            12, Shapes::launch,
                            {{"pulses_up", "the pulses to the device"},
                             {"noise_up", "the noise to the device"},
                             {"add", "launch: pulses plus noise"},
                             {"rectify", "launch: what is negative becomes positive"},
                             {"down", "the samples to the host"},
                             {"up", "the samples to the device"}}),
         choice_parameter(
             key::fetch, "Fetch", "What of the positions comes back to the host.", Shapes::launch,
             {{"all", "all that there is room for"}, {"counted", "the count, then as many as that"}})});
}

enum class Job { add, chain, find_loud };
struct Way : Variant {
    Job job = Job::add;
};
const std::vector<Way>& ways() {
    static const std::vector<Way> all = {
        {{"add", "Pulses plus noise", "Up with both, one launch, down with the sum.", "transfers/add.comp"}},
        {{"chain", "Two launches",
          "What is added is rectified by a second launch, in the order of the steps.",
          "transfers/rectify.comp", 1, false, false, /*is_baselines_work=*/false},
         Job::chain},
        {{"loud", "Loud samples", "Where pulses plus noise are loud: a few positions of many.",
          "transfers/loud.comp", 1, false, false, /*is_baselines_work=*/false},
         Job::find_loud},
    };
    return all;
}

/// "pulses", one of random height in each 512 samples, and "noise". Both are whole multiples of 2^-16 below
/// 8, so that f32 holds their sum exactly, in whatever way a device rounds.
Input input(const Values& values) {
    constexpr std::size_t period = 512, width = 64;
    const std::size_t n = values[key::elements];
    const auto on_grid = [](double number) {
        return static_cast<float>(std::round(number * 0x1p16) * 0x1p-16);
    };
    const Array heights = uniform_f32(n / period + 1, values[key::seed], 0.5, 3);
    Array pulses(ElementType::f32, n), noise = normal_f32(n, values[key::seed], 0, 0.125, /*stream=*/1);
    parallel_for(n, std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double from_middle =
                (static_cast<double>(i % period) - width) / width;  // -1 … 1 in a pulse
            const double shape = std::max(0.0, 1 - from_middle * from_middle);
            pulses.as<float>()[i] = on_grid(shape * heights.as<float>()[i / period]);
            noise.as<float>()[i] = std::clamp(on_grid(noise.as<float>()[i]), -1.0F, 1.0F);
        }
    });
    return {{"pulses", share(std::move(pulses))}, {"noise", share(std::move(noise))}};
}

/// What the kernels get of the input, where the plan does not change it.
struct Pair {
    std::span<const float> pulses, noise;
    explicit Pair(const Input& input)
        : pulses(get(input, "pulses").as<float>()), noise(get(input, "noise").as<float>()) {}
    float sum(std::size_t i) const { return pulses[i] + noise[i]; }
};

/// of(i) for each i below count, as T.
template <class T, class Of>
ArrayRef array_of(ElementType type, std::size_t count, Of of) {
    Array all(type, count);
    parallel_for(count, std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            all.as<T>()[i] = of(i);
    });
    return share(std::move(all));
}

constexpr float loud_from = 1;

/// One round is exact. In each further one a sum below 8 is rounded to one of 2^-21 or better, in whichever
/// direction, and each halving halves what was off: twice 2^-21 at most.
constexpr Tolerance of_rounds{.absolute = 0x1p-20};

std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    const Pair pair(input);
    const std::size_t n = pair.pulses.size();
    switch (row_of(ways(), *asked.variant).job) {
        case Job::add: {
            const std::uint64_t rounds = asked.values()[key::rounds];
            return {{"sum",
                     array_of<double>(ElementType::f64, n,
                                      [&](std::size_t i) {
                                          double all = pair.sum(i);
                                          for (std::uint64_t round = 1; round < rounds; ++round)
                                              all = all * 0.5 + pair.noise[i];
                                          return all;
                                      }),
                     rounds > 1 ? of_rounds : Tolerance{}}};
        }
        case Job::chain:
            return {{"samples", array_of<float>(ElementType::f32, n,
                                                [&](std::size_t i) { return std::abs(pair.sum(i)); })}};
        case Job::find_loud:
            break;
    }
    std::vector<std::uint32_t> positions;
    for (std::size_t i = 0; i < n; ++i)
        if (pair.sum(i) >= loud_from) positions.push_back(static_cast<std::uint32_t>(i));
    return {{"loud", share<std::uint32_t>(positions)}};
}

double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const Pair pair(input);
    const std::uint64_t rounds = values[key::rounds];
    const std::span<float> sum = kept_room(ElementType::f32, pair.pulses.size()).as<float>();
    // A block stays in the nearest cache while its rounds go over it, many elements to an instruction.
    constexpr std::size_t block = 256;
    return in_parts(sum.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t first = begin; first < end; first += block) {
            const std::size_t last = std::min(end, first + block);
            for (std::size_t i = first; i < last; ++i)
                sum[i] = pair.sum(i);
            for (std::uint64_t round = 1; round < rounds; ++round)
                for (std::size_t i = first; i < last; ++i)
                    sum[i] = sum[i] * 0.5F + pair.noise[i];
        }
        return double{sum[begin]} + sum[end - 1];
    });
}

constexpr std::uint64_t bytes_an_element = 3 * sizeof(float);  // two come, one goes

void launch_add(PlanBuilder& plan, PlanBuffer pulses, PlanBuffer noise, PlanBuffer sum,
                std::uint64_t rounds) {
    Dispatch& launch =
        plan.launch("add", "transfers/add", {reads_each(pulses), reads_each(noise), writes_each(sum)});
    launch.push = {static_cast<std::uint32_t>(rounds)};
    launch.iterations_per_pass = 1 + rounds;
}

void plan_adding(PlanBuilder& plan, const Values& values) {
    const std::uint64_t rounds = values[key::rounds];
    plan.host_memory(values[key::memory]);
    const PlanBuffer pulses = plan.input("pulses", ElementType::f32, plan.domain());
    const PlanBuffer noise = plan.input("noise", ElementType::f32, plan.domain());
    const PlanBuffer sum = plan.output("sum", ElementType::f32, plan.domain());
    plan.upload_in_pieces(pulses, values[key::pieces]);
    plan.upload_in_pieces(noise, values[key::pieces]);
    launch_add(plan, pulses, noise, sum, rounds);
    plan.download(sum);
    plan.costs(plan.elements() * bytes_an_element, plan.elements() * (2 * rounds - 1));
    plan.main_output("sum");
}

/// All three are outputs, so that a launch that comes before its data finds poison there.
void plan_chain(PlanBuilder& plan, const Sequence& steps) {
    const PlanBuffer pulses = plan.output("pulses", ElementType::f32, plan.domain());
    const PlanBuffer noise = plan.output("noise", ElementType::f32, plan.domain());
    const PlanBuffer samples = plan.output("samples", ElementType::f32, plan.domain());
    for (const std::uint32_t step : steps.of)
        switch (Move{step}) {
            case Move::pulses_up:
                plan.upload(pulses);
                break;
            case Move::noise_up:
                plan.upload(noise);
                break;
            case Move::up:
                plan.upload(samples);
                break;
            case Move::down:
                plan.download(samples);
                break;
            case Move::add:
                launch_add(plan, pulses, noise, samples, /*rounds=*/1);
                break;
            case Move::rectify:
                plan.launch("rectify", "transfers/rectify", {updates_each(samples)});
                break;
        }
    plan.costs(plan.elements() * bytes_an_element, plan.elements() * 2);
    plan.main_output("samples");
}

/// The positions come in any order; the host sorts them.
Array sorted(std::span<const Array* const> arrays) {
    const std::uint32_t count = arrays[0]->as<std::uint32_t>().front();
    const auto positions = arrays[1]->as<std::uint32_t>();
    Array loud(ElementType::u32, std::min<std::size_t>(count, positions.size()));
    std::ranges::copy(positions.first(loud.count()), loud.as<std::uint32_t>().begin());
    std::ranges::sort(loud.as<std::uint32_t>());
    return loud;
}

void plan_loud(PlanBuilder& plan, const Values& values) {
    const PlanBuffer pulses = plan.input("pulses", ElementType::f32, plan.domain());
    const PlanBuffer noise = plan.input("noise", ElementType::f32, plan.domain());
    const PlanBuffer count = plan.output("count", ElementType::u32, {1});
    const PlanBuffer positions = plan.output("positions", ElementType::u32, plan.domain());
    plan.upload(pulses);
    plan.upload(noise);
    plan.fill(count, 0);
    plan.launch("the loud ones", "transfers/loud",
                {reads_each(pulses), reads_each(noise), updates(count), writes(positions)})
        .push = {std::bit_cast<std::uint32_t>(loud_from)};
    plan.download(count);
    plan.download(positions, values[key::fetch] == Fetch::counted ? "count" : "");
    plan.host_step("sort", "loud", &sorted, {"count", "positions"});
    plan.costs(plan.elements() * 2 * sizeof(float), plan.elements() * 2);
    plan.main_output("loud");
}

void plan(PlanBuilder& plan, const Values& values, const Variant& variant) {
    plan.waiting(values[key::waiting]);
    switch (row_of(ways(), variant).job) {
        case Job::add:
            return plan_adding(plan, values);
        case Job::find_loud:
            return plan_loud(plan, values);
        case Job::chain:
            break;
    }
    const Sequence& steps = values[key::steps];
    // What is no plan is refused by a remark, which stands beside the plan of the steps' default.
    plan_chain(plan, journey_of(steps).problem.empty() ? steps : Values(parameters())[key::steps]);
}

bool wrong_on_purpose(const Values& values, const Variant& variant) {
    return row_of(ways(), variant).job == Job::chain && !journey_of(values[key::steps]).is_right();
}

void remarks(Remarks& say, const Prepared& asked) {
    const Values& values = asked.values();
    const Job job = row_of(ways(), *asked.variant).job;
    if (job == Job::chain) {
        const Journey journey = journey_of(values[key::steps]);
        if (!journey.problem.empty())
            say.refuse(key::steps, journey.problem);
        else if (!journey.is_right())
            say.caution(key::steps, "In this order the host ends with other samples than it is to have.");
    }
    const HostMemory memory = values[key::memory];
    if (job != Job::add && memory != HostMemory::pageable)
        say.note(key::memory, "Only add has its arrays there; here they are pageable.");
    if (job == Job::add && memory == HostMemory::mapped && values[key::pieces] > 1)
        say.note(key::pieces, "Nothing is uploaded, in one piece or in many.");
    if (asked.limits.is_cpu)
        say.note(key::memory,
                 "This device is the processor. It has one memory, and a trip is a copy within it.");
}

std::vector<Fact> result(const Values& values, const Outputs& outputs) {
    std::vector<Fact> facts;
    if (const Array* const sum = find(outputs, "sum"); sum && !sum->empty())
        facts.push_back({"highest", "Highest sum", summary_of(sum->as<float>()).largest});
    if (find(outputs, "samples"))
        facts.push_back(
            {"needless_bytes", "Bytes that crossed in vain",
             journey_of(values[key::steps]).needless_trips() * values[key::elements] * sizeof(float)});
    if (const Array* const loud = find(outputs, "loud"))
        facts.push_back({"loud", "Loud samples", std::uint64_t{loud->count()}});
    return facts;
}

// To make: the outline of all samples, the highest of each 64, so that a 64th of them comes back.

constexpr std::uint64_t samples_a_step = 64;

std::vector<Expected> outline_reference(const Input& input, const Prepared&) {
    const Pair pair(input);
    const std::size_t n = pair.pulses.size();
    return {
        {"highest", array_of<float>(ElementType::f32, divide_up(n, samples_a_step), [&](std::size_t group) {
             float most = pair.sum(group * samples_a_step);
             for (std::size_t i = group * samples_a_step; i < std::min(n, (group + 1) * samples_a_step); ++i)
                 most = std::max(most, pair.sum(i));
             return most;
         })}};
}

void plan_outline(PlanBuilder& plan, const Values&, const Variant&) {
    plan.take_per_invocation(samples_a_step);
    const PlanBuffer pulses = plan.input("pulses", ElementType::f32, plan.domain());
    const PlanBuffer noise = plan.input("noise", ElementType::f32, plan.domain());
    const std::uint64_t groups = divide_up(plan.elements(), samples_a_step);
    const PlanBuffer highest = plan.output("highest", ElementType::f32, {groups});
    plan.upload(pulses);
    plan.upload(noise);
    plan.launch("the highest of each 64", "transfers/outline_start",
                {reads_each(pulses), reads_each(noise), writes(highest)})
        .iterations_per_pass = 1 + samples_a_step;
    plan.download(highest);
    plan.costs((2 * plan.elements() + groups) * sizeof(float), plan.elements() * 2);
    plan.main_output("highest");
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "transfers",
        .title = "Transfers",
        .parameters = parameters(),
        .noun = "samples",
        .variants = {ways().begin(), ways().end()},
        .default_variant = "add",
        .exercises = {{{"outline", "The outline of all samples", "The highest of each 64.",
                        "transfers/outline_start.comp"},
                       /*solution=*/"transfers/outline.comp",
                       {.plan = &plan_outline,
                        .remarks = nullptr,
                        .reference = &outline_reference,
                        .result = &result}}},
        .input = &input,
        .task = {.plan = &plan,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = &pictures},
        .wrong_on_purpose = &wrong_on_purpose,
        .baselines = {on_one_thread(&on_cpu), on_all_threads(&on_cpu)},
    };
    return lesson;
}

}  // namespace gridstride::lessons::transfers
