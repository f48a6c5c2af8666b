// Monte Carlo: pi from random points that are generated on the device, and how random numbers are generated.
#include "figures/lesson_headers.h"
#include "lesson/metrics.h"

namespace gridstride::lessons::monte_carlo_pi {

namespace {

constexpr double pi = std::numbers::pi;
constexpr Key<std::uint64_t> seeds{"seeds"};

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = common_parameters(
        1000003, 256,
        {number_parameter(seeds, "Seeds",
                          "The number of launches. The first uses the seed, each further one the next seed.",
                          1, 1, 1000, Invalidates::reference)});
    all.front().label = "Points";
    all.front().unit = "points";
    all.front().help = "The number of random points that each launch generates.";
    return all;
}

// Generators: a point depends on its number and the seed only, not on the invocation that makes it.

/// For each (number, seed), the coordinates of as many points as fit, as integers with a radius of 2^32.
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

/// RND of the Sinclair ZX81: the states are 0 to 65 536; each is 75 times the previous one plus 74.
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

/// The shape that points hit: a quarter of a circle in the square [0, 1)^2, or an eighth of a ball in the
/// cube.
struct Shape {
    double factor;  ///< pi is this times the fraction of hits
    std::uint64_t dimensions;

    std::uint64_t points_per_call() const { return 4 / dimensions; }  ///< per call of the generator
    /// Returns the standard deviation of the estimate of pi from `count` points.
    double sigma(std::uint64_t count) const {
        const double part = pi / factor;
        return factor * std::sqrt(part * (1 - part) / static_cast<double>(count));
    }
};
constexpr Shape circle{4, 2}, ball{6, 3};

struct Facts {
    Words (*generator)(std::uint32_t number, std::uint32_t seed) = &philox;
    std::uint64_t operations = 0;  ///< integer operations per point; see the kernels
    Shape shape = circle;
    bool in_f32 = false;  ///< points near the circle may count or not
};
using Run = gridstride::Run<Facts>;

/// The kernels generate their own input.
Input input(const Values&) {
    return {};
}

// The definition, in integers so that every device finds the same hits. It adds the upper halves of the
// squares, which enlarges the squared radius by less than 2^-31 of its value.

using Point = std::span<const std::uint32_t>;

constexpr std::uint64_t unit_radius = std::uint64_t{1}
                                      << 32;  ///< the radius, and the upper half of its square
std::uint64_t square(std::uint32_t x) {
    return (std::uint64_t{x} * x) >> 32;
}
std::uint64_t squared_distance(Point point) {
    std::uint64_t squares = 0;
    for (const std::uint32_t x : point)
        squares += square(x);
    return squares;
}
bool is_hit(Point point) {
    return squared_distance(point) < unit_radius;
}

/// Returns whether rounding to f32 may decide if the point hits: a coordinate in f32 has 24 of its word's 32
/// bits. The exact bound is slow, so only points near the circle, well beyond the rounding error, are
/// checked.
bool is_undecided_in_f32(Point point) {
    if (const std::uint64_t far = unit_radius >> 8, at = squared_distance(point);
        at + far < unit_radius || at > unit_radius + far)
        return false;
    Bounded distance;
    for (const std::uint32_t x : point) {
        const Bounded coordinate{x * 0x1p-32, 0x1p-24};
        distance = distance + coordinate * coordinate;
    }
    return greater(Bounded{1}, distance).error > 0;
}

std::uint32_t get_seed(const Values& values, std::uint64_t launch) {
    return word(values[key::seed] + launch);
}

double count_where(bool (*predicate)(Point), const Run& run, std::uint32_t seed) {
    const std::uint64_t points = run[key::elements], each = run.facts.shape.points_per_call(),
                        dimensions = run.facts.shape.dimensions;
    return parallel_sum(divide_up(points, each), 1 << 14, [&](std::size_t begin, std::size_t end) {
        std::uint64_t hit_count = 0;
        for (std::size_t number = begin; number < end; ++number) {
            const Words words = run.facts.generator(word(number), seed);
            for (std::size_t i = 0; i < each && each * number + i < points; ++i)
                hit_count += predicate(Point(words).subspan(i * dimensions, dimensions)) ? 1 : 0;
        }
        return static_cast<double>(hit_count);
    });
}

std::vector<Expected> reference(const Input&, const Run& run) {
    Array hits(ElementType::u32, run[seeds]);
    double undecided = 0;
    for (std::uint64_t launch = 0; launch < run[seeds]; ++launch) {
        const std::uint32_t seed = get_seed(run.values, launch);
        hits.as<std::uint32_t>()[launch] = word(static_cast<std::uint64_t>(count_where(&is_hit, run, seed)));
        if (run.facts.in_f32) undecided = std::max(undecided, count_where(&is_undecided_in_f32, run, seed));
    }
    return {{"hits", share(std::move(hits)), Tolerance{.absolute = undecided}}};
}

double on_cpu(const Input&, const Values& values, SumRanges sum_ranges) {
    constexpr std::size_t width = 4, block = 1 << 12;  // Philox blocks side by side, and groups of them
    const std::uint64_t count = values[key::elements];
    return sum_ranges(divide_up(count, 2 * width), block, [&](std::size_t begin, std::size_t end) {
        std::uint64_t hits = 0;
        for (std::uint64_t launch = 0; launch < values[seeds]; ++launch)
            for (std::size_t group = begin; group < end; ++group) {
                const auto [a, b, c, d] =
                    philox_blocks<width>({word(group * width), 0, 0, 0}, {get_seed(values, launch), 0});
                const std::uint64_t remaining = count - std::min<std::uint64_t>(count, group * 2 * width);
                for (std::size_t k = 0; k < width; ++k) {
                    hits += 2 * k < remaining && square(a[k]) + square(b[k]) < unit_radius ? 1 : 0;
                    hits += 2 * k + 1 < remaining && square(c[k]) + square(d[k]) < unit_radius ? 1 : 0;
                }
            }
        return static_cast<double>(hits);
    });
}

/// One launch per seed; the host sends only the seed.
void plan(PlanBuilder& plan, const Run& run) {
    // Each invocation generates many points, and each workgroup adds once. On a GPU there are more workgroups
    // than run at once, so that a multiprocessor that finishes early gets another one.
    plan.set_default_grid(plan.resident_workgroups() * (plan.limits().is_cpu ? 1 : 4));
    const PlanBuffer hits = plan.filled_output("hits", ElementType::u32, {run[seeds]});
    for (std::uint64_t launch = 0; launch < run[seeds]; ++launch) {
        const std::uint32_t seed = get_seed(run.values, launch);
        plan.launch(run[seeds] > 1 ? fmt::format("points of seed {}", seed) : "points", run.kernel(),
                    {updates(hits)})
            .push = {seed, word(launch)};
    }
    plan.download_main(hits);
    plan.set_cost({hits}, run[seeds] * plan.elements() * run.facts.operations);
}

void remarks(Remarks& add, const Run& run) {
    constexpr std::uint64_t max_points = std::uint64_t{1} << 32;
    const std::uint64_t points = run[key::elements] * run[seeds];
    if (points > max_points)
        add.refuse(seeds,
                   "Points times seeds are {}, but the maximum is {}. Give fewer points or fewer seeds.",
                   format_count(points), format_count(max_points));
}

/// Returns an estimate of pi for each seed.
std::vector<double> compute_estimates(const Values& values, const Outputs& outputs, const Shape& shape) {
    std::vector<double> all;
    for (const std::uint32_t hits : get(outputs, "hits").as<std::uint32_t>())
        all.push_back(shape.factor * hits / static_cast<double>(values[key::elements]));
    return all;
}

/// The estimate of pi and its standard deviation: see Shape.
std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    const std::vector<double> estimates = compute_estimates(run.values, outputs, run.facts.shape);
    const double sigma = run.facts.shape.sigma(run[key::elements]);
    double squares = 0, max_error = 0;
    std::uint64_t within_sigma = 0;
    for (const double estimate : estimates) {
        const double error = std::abs(estimate - std::numbers::pi);
        squares += error * error;
        max_error = std::max(max_error, error);
        within_sigma += error <= sigma ? 1 : 0;
    }
    const auto count = static_cast<double>(estimates.size());
    return {{"estimate", "Estimate of pi, first seed", estimates.front(), /*uncertainty=*/sigma},
            {"hits", "Hits, first seed", std::uint64_t{get(outputs, "hits").as<std::uint32_t>().front()}},
            {"error", "Distance to pi, root mean square over the seeds", std::sqrt(squares / count)},
            {"sigma", "Expected distance: one standard deviation", sigma},
            {"farthest", "Largest distance, in standard deviations", max_error / sigma},
            {"within", "Seeds within one standard deviation", within_sigma}};
}

// Pictures, of the lesson's variants.

/// Formats "3.1415 ± 0.0016".
std::string format_with_uncertainty(double estimate, double sigma) {
    const int decimals = std::max(1 - static_cast<int>(std::floor(std::log10(sigma))), 0);
    return fmt::format("{:.{}f} ± {:.{}f}", estimate, decimals, sigma, decimals);
}

/// Draws the points, generated again for the picture, because the kernels do not store them.
void draw_points(Figures& add, const Run& run) {
    constexpr std::uint64_t max_drawn = 900;
    const std::uint64_t points = run[key::elements], count = std::min(max_drawn, points);
    Points inside, outside, arc;
    for (std::uint64_t i = 0; i < count; ++i) {
        const Words words = run.facts.generator(word(i / 2), get_seed(run.values, 0));
        const double x = words[2 * (i % 2)] * 0x1p-32, y = words[2 * (i % 2) + 1] * 0x1p-32;
        (x * x + y * y < 1 ? inside : outside).add(x, y);
    }
    for (const double angle : spaced_numbers(0, pi / 2, 91))
        arc.add(std::sin(angle), std::cos(angle));
    FigureBuilder& figure =
        add.figure("points", fmt::format("The first {}", counted(count, "point")), "x", "y")
            .equal_aspect()
            .scatter("inside", std::move(inside), ColorRole::upload)
            .scatter("outside", std::move(outside))
            .line("quarter of a circle", std::move(arc), ColorRole::quiet);
    if (!add.is_measured() || !add.output("hits")) return;
    figure.note("In the run, all {} points give π = {} (one standard deviation).", format_count(points),
                format_with_uncertainty(compute_estimates(run.values, add.report()->outputs, circle).front(),
                                        circle.sigma(points)));
}

/// Draws the estimate of each seed, with two standard deviations on either side.
void draw_estimates(Figures& add) {
    if (!add.output("hits")) return;
    const Values& values = add.report()->experiment.values;
    const std::vector<double> estimates = compute_estimates(values, add.report()->outputs, circle);
    const double sigma = circle.sigma(values[key::elements]);
    Series near{.label = "π lies within 2 σ", .mark = Mark::scatter, .color_role = ColorRole::upload};
    Series far{.label = "π lies outside 2 σ", .mark = Mark::scatter, .color_role = ColorRole::wrong};
    for (std::size_t i = 0; i < estimates.size(); ++i) {
        Series& series = std::abs(estimates[i] - pi) <= 2 * sigma ? near : far;
        series.x.push_back(static_cast<double>(values[key::seed] + i));
        series.y.push_back(estimates[i]);
        series.y_low.push_back(estimates[i] - 2 * sigma);
        series.y_high.push_back(estimates[i] + 2 * sigma);
    }
    FigureBuilder& figure =
        add.figure("estimates", estimates.size() > 1 ? "Estimates of π, by seed" : "Estimate of π", "seed",
                   "estimate")
            .whole_numbers()
            .marker({.x = pi, .label = "π", .is_on_y = true})
            .measured(add.is_measured())
            .note("The first seed gives {} (one standard deviation).",
                  format_with_uncertainty(estimates.front(), sigma));
    for (Series* const series : {&near, &far})
        if (!series->y.empty()) figure.series(std::move(*series));
}

/// Draws the error of the runs so far with the current variant, one point per run with all its seeds.
void draw_errors(Figures& add, const Run& run) {
    const std::vector<double> counts = {0x1p0, 0x1p10, 0x1p20, 0x1p30};
    const auto sigma = [](double count) { return circle.sigma(static_cast<std::uint64_t>(count)); };
    FigureBuilder& figure =
        add.figure("error", "Distance to π against the number of points", {"points", AxisScale::logarithmic},
                   {"distance to π", AxisScale::logarithmic})
            .whole_numbers()
            .line("σ, which falls as 1/√n", counts, sigma, ColorRole::quiet)
            .line(
                "4 σ", counts, [&](double count) { return 4 * sigma(count); }, ColorRole::caution)
            .note(
                "Lines: the computed standard deviation. A run with several seeds is drawn at the root mean "
                "square of their distances.");
    Points errors;
    for (const Report* const report : add.history()) {
        const Experiment& experiment = report->experiment;
        const auto error = metric(*report, "error");
        if (experiment.variant != run.variant.id || experiment.kernel || !error || *error <= 0) continue;
        errors.add(static_cast<double>(experiment.values[key::elements]), *error);
    }
    const bool is_measured = !errors.x.empty();
    figure.measured(is_measured).scatter("runs", std::move(errors));
}

void pictures(Figures& add, const Run& run) {
    draw_points(add, run);
    draw_estimates(add);
    draw_errors(add, run);
}

}  // namespace

const Lesson& lesson() {
    constexpr std::uint64_t points_per_invocation = 2;
    static const Lesson lesson = with_variants<Facts>(
        {.id = "monte_carlo_pi",
         .title = "Monte Carlo",
         .parameters = parameters(),
         .noun = "points",
         .input = input,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"one_each", "One addition per hit", "One point per element, and an atomic addition for each hit."},
          {.operations = 85}},
         {{"philox", "Philox, two points per call",
           "Each invocation counts its own hits, and each workgroup adds once."},
          {.operations = 45},
          {.per_invocation = points_per_invocation, .uses_subgroups = true}},
         {{"in_f32", "Philox, in f32", "The same points, with coordinates as f32 numbers from 0 to 1."},
          {.operations = 51, .in_f32 = true},
          {.per_invocation = points_per_invocation, .uses_subgroups = true}},
         {{"pcg", "PCG, a shorter hash", "The same count, with random numbers that take fewer operations."},
          {.generator = pcg, .operations = 25},
          {.per_invocation = points_per_invocation, .uses_subgroups = true, .has_baseline = false}},
         {{"lcg", "Linear congruential generator",
           "The same count, with each number computed from the one before."},
          {.generator = lcg, .operations = 15},
          {.per_invocation = points_per_invocation, .uses_subgroups = true, .has_baseline = false}}},
        {{{"ball", "Pi from a ball", "Write a kernel that counts the hits in an eighth of a ball."},
          {.operations = 87, .shape = ball, .in_f32 = true},
          {.uses_subgroups = true, .has_baseline = false, .task = {.pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::monte_carlo_pi
