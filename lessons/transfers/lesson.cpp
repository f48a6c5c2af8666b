// Transfers: the same arrays on two shores, and what each trip between them costs.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/parallel_for.h"
#include "lesson/stock.h"
#include "transfers/transfers.h"

namespace gridstride::lessons::transfers {

namespace {

std::vector<Parameter> parameters() {
    std::vector<Parameter::Choice> steps;
    for (const Leg& leg : legs)
        steps.push_back({leg.id, leg.says});
    return common_parameters(
        1000003, 256,
        {choice_parameter(key::memory, "Host memory", "Where pulses, noise and sum lie on the host.",
                          Invalidates::launch,
                          {{"pageable", "the host copies first"},
                           {"pinned", "the device copies by itself"},
                           {"mapped", "nobody copies: kernels reach for it"}}),
         number_parameter(key::pieces, "Pieces", "Of each upload, submitted and waited for one by one.", 1, 1,
                          1000, Invalidates::launch),
         number_parameter(key::rounds, "Rounds", "How often noise is added, to half of what came out before.",
                          1, 1, 20000, Invalidates::reference),
         choice_parameter(key::waiting, "Waiting", "What the host does until the device is done.",
                          Invalidates::launch,
                          {{"sleep", "it is woken"}, {"poll", "it asks again and again"}}),
         sequence_parameter(key::steps, "Steps of the chain", "Trips and launches, one after another.",
                            std::vector{pulses_up, noise_up, add, down, up, rectify, down}, 12,
                            Invalidates::launch, std::move(steps)),
         choice_parameter(key::fetch, "Fetch", "What of the positions comes back.", Invalidates::launch,
                          {{"all", "all there is room for"}, {"counted", "as many as are counted first"}})});
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

constexpr float loud_from = 1;
/// One round is exact. In each further one a sum below 8 is rounded to one of 2^-21 or better, in whichever
/// direction, and each halving halves what was off: twice 2^-21 at most.
constexpr Tolerance of_rounds{.absolute = 0x1p-20};

std::vector<Expected> sum_of(const Pair& pair, const Values& values) {
    const std::uint64_t rounds = values[key::rounds];
    const auto of = [&](std::size_t i) {
        double all = pair.sum(i);
        for (std::uint64_t round = 1; round < rounds; ++round)
            all = all * 0.5 + pair.noise[i];
        return all;
    };
    return {{"sum", array_of<double>(pair.noise.size(), of), rounds > 1 ? of_rounds : Tolerance{}}};
}

std::vector<Expected> rectified(const Pair& pair, const Values&) {
    const auto of = [&](std::size_t i) { return std::abs(pair.sum(i)); };
    return {{"samples", array_of<float>(pair.noise.size(), of)}};
}

std::vector<Expected> loud_ones(const Pair& pair, const Values&) {
    std::vector<std::uint32_t> positions;
    for (std::size_t i = 0; i < pair.noise.size(); ++i)
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

/// Pulses and noise, and their trips to the device.
std::array<PlanBuffer, 2> plan_pair(PlanBuilder& plan, std::uint64_t pieces = 1) {
    const std::array pair{plan.input("pulses", ElementType::f32, plan.domain()),
                          plan.input("noise", ElementType::f32, plan.domain())};
    for (const PlanBuffer buffer : pair)
        plan.upload_in_pieces(buffer, pieces);
    return pair;
}

void plan_adding(PlanBuilder& plan, const Values& values) {
    const std::uint64_t rounds = values[key::rounds];
    plan.host_memory(values[key::memory]);
    const auto [pulses, noise] = plan_pair(plan, values[key::pieces]);
    const PlanBuffer sum = plan.output("sum", ElementType::f32, plan.domain());
    launch_add(plan, pulses, noise, sum, rounds);
    plan.download(sum);
    plan.costs(plan.elements() * bytes_an_element, plan.elements() * (2 * rounds - 1));
    plan.main_output("sum");
}

/// All three are outputs, so that a launch that comes before its data finds poison there.
void plan_chain(PlanBuilder& plan, const Values& values) {
    // What is no plan is refused by a remark, which stands beside the plan of the steps' default.
    const bool is_plan = journey_of(values[key::steps]).problem.empty();
    const Sequence steps = (is_plan ? values : Values(parameters()))[key::steps];
    std::vector<PlanBuffer> buffers;
    for (const char* const name : {"pulses", "noise", "samples"})
        buffers.push_back(plan.output(name, ElementType::f32, plan.domain()));
    for (const std::uint32_t step : steps.of) {
        if (const auto array = legs[step].trip_of)
            legs[step].up ? plan.upload(buffers[*array]) : plan.download(buffers[*array]);
        else if (step == add)
            launch_add(plan, buffers[pulses], buffers[noise], buffers[samples], /*rounds=*/1);
        else
            plan.launch("rectify", "transfers/rectify", {updates_each(buffers[samples])});
    }
    plan.costs(plan.elements() * bytes_an_element, plan.elements() * 2);
    plan.main_output("samples");
}

/// The positions come in any order; the host sorts them.
Array sorted(std::span<const Array* const> arrays) {
    const std::uint32_t count = arrays[0]->as<std::uint32_t>().front();
    const auto positions = arrays[1]->as<std::uint32_t>();
    Array loud = Array::of(positions.first(std::min<std::size_t>(count, positions.size())));
    std::ranges::sort(loud.as<std::uint32_t>());
    return loud;
}

void plan_loud(PlanBuilder& plan, const Values& values) {
    const auto [pulses, noise] = plan_pair(plan);
    const PlanBuffer count = plan.output("count", ElementType::u32, {1});
    const PlanBuffer positions = plan.output("positions", ElementType::u32, plan.domain());
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

struct Way : Variant {
    void (*write)(PlanBuilder& plan, const Values& values);
    std::vector<Expected> (*define)(const Pair& pair, const Values& values);
};
const std::vector<Way>& ways() {
    static const std::vector<Way> all = {
        {{"add", "Pulses plus noise", "Up with both, one launch, down with the sum.", "transfers/add.comp"},
         &plan_adding,
         &sum_of},
        {{"chain", "Two launches", "What is added is rectified by a second launch: see its steps.",
          "transfers/rectify.comp", 1, false, false, /*is_baselines_work=*/false},
         &plan_chain,
         &rectified},
        {{"loud", "Loud samples", "Where pulses plus noise are loud: a few positions of many.",
          "transfers/loud.comp", 1, false, false, /*is_baselines_work=*/false},
         &plan_loud,
         &loud_ones},
    };
    return all;
}

void plan(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    plan.waiting(values[key::waiting]);
    row_of(ways(), variant).write(plan, values);
}

std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    return row_of(ways(), *asked.variant).define(Pair(input), asked.values());
}

bool wrong_on_purpose(const Values& values, const Variant& variant) {
    return variant.id == "chain" && !journey_of(values[key::steps]).is_right();
}

void remarks(Remarks& say, const Prepared& asked) {
    const Values& values = asked.values();
    if (asked.variant->id == "chain") {
        const Journey journey = journey_of(values[key::steps]);
        if (!journey.problem.empty())
            say.refuse(key::steps, journey.problem);
        else if (!journey.is_right())
            say.caution(key::steps, "In this order the host ends with other samples than it is to have.");
    }
    constexpr std::pair<std::string_view, std::string_view> belong_to[] = {{key::memory.id, "add"},
                                                                           {key::pieces.id, "add"},
                                                                           {key::rounds.id, "add"},
                                                                           {key::steps.id, "chain"},
                                                                           {key::fetch.id, "loud"}};
    for (const auto& [id, variant] : belong_to)
        if (asked.variant->id != variant &&
            values.at(id) != find(asked.lesson->parameters, id)->default_value)
            say.add(Severity::note, id, fmt::format("Only {} looks at this.", variant));
    if (asked.limits.is_cpu)
        say.note(key::memory, "This device is the processor: a trip is a copy within one memory.");
}

std::vector<Fact> result(const Prepared& run, const Outputs& outputs) {
    const Values& values = run.values();
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

// To make: the sizes of the samples in 16 bits, two to a word, so that half of the bytes come back.

constexpr std::uint64_t samples_in_a_word = 2;
constexpr float steps_in_one = 8192;  // a size is below 8

std::vector<Expected> pack_reference(const Input& input, const Prepared&) {
    const Pair pair(input);
    const std::size_t n = pair.noise.size();
    const auto steps = [&](std::size_t i) {
        return i < n ? static_cast<std::uint32_t>(std::abs(pair.sum(i)) * steps_in_one) : 0U;
    };
    const auto word = [&](std::size_t i) { return steps(2 * i) | steps(2 * i + 1) << 16U; };
    return {{"words", array_of<std::uint32_t>(divide_up(n, samples_in_a_word), word)}};
}

void plan_pack(PlanBuilder& plan, const Prepared&) {
    plan.take_per_invocation(samples_in_a_word);
    const auto [pulses, noise] = plan_pair(plan);
    const std::uint64_t count = divide_up(plan.elements(), samples_in_a_word);
    const PlanBuffer words = plan.output("words", ElementType::u32, {count});
    plan.launch("two samples to a word", "transfers/pack_start",
                {reads_each(pulses), reads_each(noise), writes(words)});
    plan.download(words);
    plan.costs((2 * plan.elements() + count) * sizeof(float), plan.elements() * 2);
    plan.main_output("words");
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
        .exercises = {{.id = "pack",
                       .title = "Two samples to a word",
                       .summary = "Half of the bytes come back.",
                       .kernel = "transfers/pack_start.comp",
                       .per_invocation = samples_in_a_word,
                       .is_baselines_work = false,
                       .solution = "transfers/pack.comp",
                       .task = {.plan = &plan_pack,
                                .remarks = nothing,
                                .reference = &pack_reference,
                                .result = &result,
                                .pictures = nothing}}},
        .input = &input,
        .task = {.plan = &plan,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = drawn_by(&pictures)},
        .wrong_on_purpose = &wrong_on_purpose,
        .baseline = &on_cpu,
    };
    return lesson;
}

}  // namespace gridstride::lessons::transfers
