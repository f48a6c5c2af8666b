// Monte Carlo: pi from random points that nobody uploads, and where random numbers come from.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <type_traits>

#include "base/random.h"
#include "base/units.h"
#include "lesson/stock.h"
#include "monte_carlo_pi/monte_carlo_pi.h"

namespace gridstride::lessons::monte_carlo_pi {

namespace {

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = common_parameters(
        1000003, 256,
        {number_parameter(key::seeds, "Seeds",
                          "So many launches one after another: the first with the seed, each with the next.",
                          1, 1, 1000, Invalidates::reference)});
    all.front().label = "Points";
    all.front().unit = "points";
    all.front().help = "How many random points each launch makes.";
    return all;
}

// Generators: what a point is depends on its number and the seed alone, not on who makes it.

using Words = std::array<std::uint32_t, 4>;

Words philox(std::uint32_t number, std::uint32_t seed) {
    return philox4x32({number, 0, 0, 0}, {seed, 0});
}

/// M. Jarzynski, M. Olano, "Hash functions for GPU rendering", JCGT 9(3), 2020: pcg2d.
Words pcg(std::uint32_t number, std::uint32_t seed) {
    constexpr std::uint32_t factor = 1664525;
    const auto pcg2d = [&](std::uint32_t x) {
        std::uint32_t y = seed;
        x = x * factor + 1013904223;
        y = y * factor + 1013904223;
        for (int round = 0; round < 2; ++round) {
            x += y * factor;
            y += x * factor;
            x ^= x >> 16;
            y ^= y >> 16;
        }
        return std::array{x, y};
    };
    const auto first = pcg2d(2 * number), second = pcg2d(2 * number + 1);
    return {first[0], first[1], second[0], second[1]};
}

/// RND of the Sinclair ZX81: states from 0 to 65 536, each 75 times the last and 74 more.
Words lcg(std::uint32_t number, std::uint32_t seed) {
    const auto next = [](std::uint32_t state) { return (75 * state + 74) % 65537; };
    Words words{};
    for (std::uint32_t i = 0; i < 2; ++i) {
        const std::uint32_t x = next((seed + 2 * number + i) % 65537);
        words[2 * i] = x * 65535;
        words[2 * i + 1] = next(x) * 65535;
    }
    return words;
}

struct Way : Variant {
    Generator generator = &philox;
    std::uint64_t operations = 0;  ///< on whole numbers, that a point takes; see the kernels
    bool in_f32 = false;           ///< points that nearly touch the circle may count or not
};
const std::vector<Way>& ways() {
    constexpr std::uint64_t pair = 2;
    static const std::vector<Way> all = {
        {{"one_each", "An addition for each hit",
          "A point for each element, and an atomic addition for each that hits.",
          "monte_carlo_pi/one_each.comp"},
         &philox,
         /*operations=*/85},
        {{"philox", "Philox, two points a call",
          "Each invocation counts its own hits, and each workgroup adds once.", "monte_carlo_pi/philox.comp",
          pair, /*uses_subgroups=*/true},
         &philox,
         /*operations=*/45},
        {{"in_f32", "Philox, in f32", "The same points as numbers from 0 to 1.", "monte_carlo_pi/in_f32.comp",
          pair, true},
         &philox,
         /*operations=*/51,
         /*in_f32=*/true},
        {{"pcg", "PCG, a shorter hash", "The same count, with random numbers that take less.",
          "monte_carlo_pi/pcg.comp", pair, true, false, /*is_baselines_work=*/false},
         &pcg,
         /*operations=*/25},
        {{"lcg", "A bad generator", "The same count, with a generator that knows 65 537 numbers.",
          "monte_carlo_pi/lcg.comp", pair, true, false, /*is_baselines_work=*/false},
         &lcg,
         /*operations=*/15},
    };
    return all;
}

/// Nothing: the kernels make their numbers themselves.
Input input(const Values&) {
    return {};
}

// The definition. Whole numbers, so that every device finds the same: of the squares the upper halves are
// added, which makes the circle wider by less than 2^-31 of its square.

constexpr std::uint64_t one = std::uint64_t{1} << 32;  ///< the radius, and its square's upper half
std::uint64_t square(std::uint32_t x) {
    return (std::uint64_t{x} * x) >> 32;
}

std::uint32_t seed_of(const Values& values, std::uint64_t run) {
    return static_cast<std::uint32_t>(values[key::seed] + run);
}

/// distances_of(number, seed): of the points that a call of the generator makes, in order, the squares of
/// their distances from the corner. Points no farther from the circle than `either_within` may be hits or
/// not.
template <class Distances>
std::vector<Expected> expected_hits(const Values& values, Distances distances_of,
                                    std::uint64_t either_within) {
    constexpr std::size_t a_call =
        std::tuple_size_v<std::invoke_result_t<Distances, std::uint32_t, std::uint32_t>>;
    const std::uint64_t points = values[key::elements];
    const auto count_where = [&](std::uint32_t seed, auto is) {
        return sum_of_parts(divide_up(points, a_call), 1 << 14, [&](std::size_t begin, std::size_t end) {
            std::uint64_t found = 0;
            for (std::size_t number = begin; number < end; ++number) {
                const auto distances = distances_of(static_cast<std::uint32_t>(number), seed);
                for (std::size_t k = 0; k < a_call && a_call * number + k < points; ++k)
                    found += is(distances[k]) ? 1 : 0;
            }
            return static_cast<double>(found);
        });
    };
    const auto is_hit = [](std::uint64_t distance) { return distance < one; };
    const auto may_be_either = [&](std::uint64_t distance) {
        return distance + either_within >= one && distance <= one + either_within;
    };
    Array hits(ElementType::u32, values[key::seeds]);
    double either = 0;
    for (std::uint64_t run = 0; run < values[key::seeds]; ++run) {
        const std::uint32_t seed = seed_of(values, run);
        hits.as<std::uint32_t>()[run] = static_cast<std::uint32_t>(count_where(seed, is_hit));
        if (either_within > 0) either = std::max(either, count_where(seed, may_be_either));
    }
    return {{"hits", share(std::move(hits)), Tolerance{.absolute = either}}};
}

/// In f32 a coordinate loses 8 of its 32 bits, which takes up to 2 sqrt(2) 2^-24 off the square at the
/// circle; two products and a sum, rounded in either way that Vulkan allows, are off by 4 * 2^-24: less than
/// 2^-21.
constexpr std::uint64_t off_in_f32 = one >> 21;

std::vector<Expected> reference(const Input&, const Prepared& asked) {
    const Way& way = row_of(ways(), *asked.variant);
    const auto distances_of = [&](std::uint32_t number, std::uint32_t seed) {
        const Words words = way.generator(number, seed);
        return std::array{square(words[0]) + square(words[1]), square(words[2]) + square(words[3])};
    };
    return expected_hits(asked.values(), distances_of, way.in_f32 ? off_in_f32 : 0);
}

/// Philox of four numbers side by side, as the compiler's vector instructions want it: a fifth faster.
double on_cpu(const Input&, const Values& values, InParts in_parts) {
    constexpr std::size_t width = 4, block = 1 << 12;  // numbers, and groups of them
    const std::uint64_t count = values[key::elements];
    const auto hits_in = [&](std::uint32_t seed, std::size_t begin, std::size_t end) {
        std::uint64_t hits = 0;
        for (std::size_t group = begin; group < end; ++group) {
            std::array<std::uint32_t, width> a, b{}, c{}, d{};
            for (std::size_t k = 0; k < width; ++k)
                a[k] = static_cast<std::uint32_t>(group * width + k);
            std::uint32_t key_0 = seed, key_1 = 0;
            for (int round = 0; round < 10; ++round) {
                for (std::size_t k = 0; k < width; ++k) {
                    const std::uint64_t of_a = std::uint64_t{0xD2511F53} * a[k];
                    const std::uint64_t of_c = std::uint64_t{0xCD9E8D57} * c[k];
                    a[k] = static_cast<std::uint32_t>(of_c >> 32) ^ b[k] ^ key_0;
                    c[k] = static_cast<std::uint32_t>(of_a >> 32) ^ d[k] ^ key_1;
                    b[k] = static_cast<std::uint32_t>(of_c);
                    d[k] = static_cast<std::uint32_t>(of_a);
                }
                key_0 += 0x9E3779B9;
                key_1 += 0xBB67AE85;
            }
            const std::uint64_t left = count - std::min<std::uint64_t>(count, group * 2 * width);
            for (std::size_t k = 0; k < width; ++k) {
                hits += 2 * k < left && square(a[k]) + square(b[k]) < one ? 1 : 0;
                hits += 2 * k + 1 < left && square(c[k]) + square(d[k]) < one ? 1 : 0;
            }
        }
        return static_cast<double>(hits);
    };
    return in_parts(divide_up(count, 2 * width), block, [&](std::size_t begin, std::size_t end) {
        double hits = 0;
        for (std::uint64_t run = 0; run < values[key::seeds]; ++run)
            hits += hits_in(seed_of(values, run), begin, end);
        return hits;
    });
}

/// A launch for each seed, and nothing that comes from the host but the seed.
void plan_hits(PlanBuilder& plan, const Values& values, const std::string& kernel, std::uint64_t operations) {
    const std::uint64_t seeds = values[key::seeds];
    // Each invocation makes many points, and each workgroup adds once. More than run at once, so that a
    // multiprocessor that is ahead takes the next.
    plan.natural_grid(plan.resident_workgroups() * (plan.limits().is_cpu ? 1 : 4));
    const PlanBuffer hits = plan.output("hits", ElementType::u32, {seeds});
    plan.fill(hits, 0);
    for (std::uint64_t run = 0; run < seeds; ++run)
        plan.launch(seeds > 1 ? fmt::format("points of seed {}", seed_of(values, run)) : "points", kernel,
                    {updates(hits)})
            .push = {seed_of(values, run), static_cast<std::uint32_t>(run)};
    plan.download(hits);
    plan.costs(seeds * sizeof(std::uint32_t), seeds * plan.elements() * operations);
    plan.main_output("hits");
}

void plan(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    plan_hits(plan, values, "monte_carlo_pi/" + variant.id, row_of(ways(), variant).operations);
}

void remarks(Remarks& say, const Prepared& asked) {
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    const std::uint64_t points = asked.values()[key::elements] * asked.values()[key::seeds];
    if (points > most)
        say.refuse(key::seeds, fmt::format("These are {} points in all, and {} is the most. Give fewer "
                                           "points, or fewer seeds.",
                                           format_count(points), format_count(most)));
}

/// What the hits say of pi, and how far off chance may be: see Shape.
std::vector<Fact> facts_of(const Values& values, const Outputs& outputs, Shape shape) {
    const std::vector<double> estimates = estimates_of(values, outputs, shape);
    if (estimates.empty()) return {};
    const double sigma = shape.sigma(values[key::elements]);
    double squares = 0, farthest = 0;
    std::uint64_t within = 0;
    for (const double estimate : estimates) {
        const double error = std::abs(estimate - std::numbers::pi);
        squares += error * error;
        farthest = std::max(farthest, error);
        within += error <= sigma ? 1 : 0;
    }
    const auto count = static_cast<double>(estimates.size());
    return {
        {"estimate", "Pi, of the first seed", estimates.front(), /*uncertainty=*/sigma},
        {"hits", "Hits of the first seed", std::uint64_t{get(outputs, "hits").as<std::uint32_t>().front()}},
        {"error", "Distance to pi, root mean square of the seeds", std::sqrt(squares / count)},
        {"sigma", "What chance allows: one standard deviation", sigma},
        {"farthest", "Farthest seed, in standard deviations", farthest / sigma},
        {"within", "Seeds within one standard deviation", within}};
}

std::vector<Fact> result(const Prepared& run, const Outputs& outputs) {
    const Values& values = run.values();
    return facts_of(values, outputs, circle);
}

// To make: the same with the eighth of a ball in a cube, from the first random word to the count.

/// As off_in_f32, with a third coordinate: 2 sqrt(3) 2^-24 for what is cut off, and 6 * 2^-24.
constexpr std::uint64_t ball_off_in_f32 = one >> 20;

std::vector<Expected> ball_reference(const Input&, const Prepared& asked) {
    const auto distance_of = [](std::uint32_t number, std::uint32_t seed) {
        const Words words = philox(number, seed);
        return std::array{square(words[0]) + square(words[1]) + square(words[2])};
    };
    return expected_hits(asked.values(), distance_of, ball_off_in_f32);
}

void plan_ball(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    plan_hits(plan, values, "monte_carlo_pi/ball_start", /*operations=*/87);
}

std::vector<Fact> ball_result(const Prepared& run, const Outputs& outputs) {
    const Values& values = run.values();
    return facts_of(values, outputs, ball);
}

}  // namespace

double Shape::sigma(std::uint64_t count) const {
    const double part = std::numbers::pi / factor;
    return factor * std::sqrt(part * (1 - part) / static_cast<double>(count));
}

std::vector<double> estimates_of(const Values& values, const Outputs& outputs, Shape shape) {
    std::vector<double> all;
    if (const Array* const found = find(outputs, "hits"))
        for (const std::uint32_t hits : found->as<std::uint32_t>())
            all.push_back(shape.factor * hits / static_cast<double>(values[key::elements]));
    return all;
}

Generator generator_of(const Variant& variant) {
    return row_of(ways(), variant).generator;
}

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "monte_carlo_pi",
        .title = "Monte Carlo",
        .parameters = parameters(),
        .noun = "points",
        .variants = {ways().begin(), ways().end()},
        .default_variant = "one_each",
        .exercises = {{.id = "ball",
                       .title = "Pi from a ball",
                       .summary = "Hits in the eighth of a ball, from the first word on.",
                       .kernel = "monte_carlo_pi/ball_start.comp",
                       .uses_subgroups = true,
                       .is_baselines_work = false,
                       .solution = "monte_carlo_pi/ball.comp",
                       .task = {.plan = &plan_ball,
                                .remarks = &remarks,
                                .reference = &ball_reference,
                                .result = &ball_result,
                                .pictures = nothing}}},
        .input = &input,
        .task = {.plan = &plan,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = drawn_by(&pictures)},
        .baseline = &on_cpu,
    };
    return lesson;
}

}  // namespace gridstride::lessons::monte_carlo_pi
