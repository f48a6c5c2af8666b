// Gaussian: the same formula for a million numbers, none of which depends on another.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/parallel_for.h"
#include "base/units.h"
#include "gaussian/gaussian.h"
#include "lesson/stock.h"

namespace gridstride::lessons::gaussian {

namespace {

std::vector<Parameter> parameters() {
    // x lies in [-3, 3): with a mean beyond 10 nearly every bell is out of sight.
    Parameter mean =
        number_parameter(key::mean, "Mean", "Where the bell has its middle; x lies between -3 and 3.", 0, -10,
                         10, Invalidates::reference);
    // Below 0.001 the rounding of x and of the mean to f32 (up to 5e-7) is no longer small beside sigma, and
    // an f32 answer says little about the definition; at 1e-20 its square would overflow. Above 1000 the
    // curve is flat to four digits between -3 and 3.
    Parameter sigma =
        number_parameter(key::sigma, "Sigma", "The standard deviation, above 0: how wide the bell is.", 1,
                         0.001, 1000, Invalidates::reference);
    sigma.scale = Scale::logarithmic;
    return common_parameters(1000000, 256, {mean, sigma});
}

struct Way : Variant {
    // Where it fills a device of that kind, "auto" is as many workgroups as that holds at once and no more;
    // else one for each tile, which suits a GPU that loads and stores a stream: see natural_grid().
    bool fills_processor = false, fills_gpu = false;
    bool in_double = false;  ///< between load and store: the elements are f32 in memory
    /// Floating-point operations for one x, as the kernel spells them out. f32: x - mean, times 1/sigma,
    /// times -1/2, times z, exp counted as one, times the peak: 6. Double: the same with exp as it is spelt
    /// out there: 7 to reduce the range, 13 multiply-adds at 2 each, times the power of two: 5 + 34.
    std::uint64_t operations = 6;
};

const std::vector<Way>& ways() {
    static const std::vector<Way> all = {
        {{"per_element", "One invocation an element",
          "As many invocations as elements: each computes the density of one x.",
          "gaussian/per_element.comp"}},
        {{"grid_stride", "Grid-stride loop",
          "As many invocations as keep the device busy: each steps over the elements by the whole grid.",
          "gaussian/grid_stride.comp"},
         /*fills_processor=*/true,
         /*fills_gpu=*/true},
        {{"vec4", "Four to a load",
          "The grid-stride loop over groups of four: 16 bytes a load and a store, four on their way at once.",
          "gaussian/vec4.comp", /*per_invocation=*/4},
         /*fills_processor=*/true},
        {{"float64", "In double",
          "The loop of vec4 with doubles inside: GLSL has no exp for them, so the kernel brings its own.",
          "gaussian/float64.comp", /*per_invocation=*/4},
         /*fills_processor=*/true,
         /*fills_gpu=*/false,
         /*in_double=*/true,
         /*operations=*/39},
    };
    return all;
}

/// "x": 6 u - 3, where u is uniform in [0, 1). The largest u is 1 - 2^-24, whose x is still below 3 in f32.
Input input(const Values& values) {
    return {{"x", share(uniform_f32(values[key::elements], values[key::seed], lowest_x, highest_x))}};
}

constexpr double ulp = 0x1p-23;

/// How far an f32 kernel's result may be from the definition, relative to it, apart from results near the
/// smallest numbers. z = (x - mean) / sigma; mean_shift = |mean as f32 - mean| / sigma.
///
/// With e = 2^-23, which a correctly rounded f32 operation stays within in either of the two rounding modes
/// that Vulkan allows ("Precision and Operation of SPIR-V Instructions"):
///   x - mean        e            twice, because the exponent q = z^2 / 2 is a square
///   times 1/sigma   e + e/2      twice; the half is the rounding of 1/sigma itself
///   z times z       e
/// so q is off by 6 q e, and the result by as much, relatively. exp(-q) adds 3 + 2 q ulp, peak e/2, the last
/// multiplication e: (4.5 + 8 q) e in all. A mean that is no f32 moves the bell: exp(z shift + shift^2 / 2).
double f32_bound(double z, double mean_shift) {
    const double q = 0.5 * z * z;
    constexpr double products_of_errors = 1.01;  // what the sum of the relative errors leaves out
    const double rounding = products_of_errors * (4.5 + 8 * q) * ulp;
    if (mean_shift == 0) return rounding;
    return rounding + products_of_errors * std::expm1(std::abs(z) * mean_shift + mean_shift * mean_shift / 2);
}

/// The double kernel's own errors, some 1e-13, vanish beside the one rounding to f32 at its end, whose
/// direction is the device's choice.
constexpr Tolerance rounded_once{std::numeric_limits<float>::min(), ulp + 0x1p-40};

std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    const auto x = get(input, "x").as<float>();
    const Bell bell(asked.values());
    const bool in_double = row_of(ways(), *asked.variant).in_double;
    const double mean_shift = std::abs(double{static_cast<float>(bell.mean)} - bell.mean) / bell.sigma;
    Array densities(ElementType::f64, x.size()), allowed(ElementType::f64, in_double ? 0 : x.size());
    const auto right = densities.as<double>(), bounds = allowed.as<double>();
    parallel_for(x.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            right[i] = bell.density(x[i]);
            if (!in_double) bounds[i] = right[i] * f32_bound(bell.z(x[i]), mean_shift);
        }
    });
    if (in_double) return {{"densities", share(std::move(densities)), rounded_once}};
    return {
        {"densities", share(std::move(densities)), {bell.absolute_bound(), 1}, share(std::move(allowed))}};
}

/// In f32, as the kernels do.
double evaluate(std::span<const float> x, std::span<float> densities, const Bell& bell) {
    const auto mean = static_cast<float>(bell.mean), inverse_sigma = static_cast<float>(1 / bell.sigma),
               peak = static_cast<float>(bell.peak());
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float z = (x[i] - mean) * inverse_sigma;
        densities[i] = peak * std::exp(-0.5f * z * z);
        sum += densities[i];
    }
    return sum;
}

double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const auto x = get(input, "x").as<float>();
    const auto densities = kept_room(ElementType::f32, x.size()).as<float>();
    constexpr std::size_t block = 1 << 13;  // fewer are done before a second thread has started
    return in_parts(x.size(), block, [&](std::size_t begin, std::size_t end) {
        return evaluate(x.subspan(begin, end - begin), densities.subspan(begin, end - begin), Bell(values));
    });
}

/// What the density of one x needs beside x. The two divisions and the square root do not depend on x, so the
/// host does them once, in double, and rounds once to T.
template <class T>
std::vector<std::uint32_t> push_constants(const Bell& bell) {
    const std::array numbers = {static_cast<T>(bell.mean), static_cast<T>(1 / bell.sigma),
                                static_cast<T>(bell.peak())};
    const auto words = std::bit_cast<std::array<std::uint32_t, sizeof numbers / 4>>(numbers);
    return {words.begin(), words.end()};
}

/// Both buffers are f32 whatever the kernel computes in: the variants then move the same bytes, 4 in and 4
/// out for each element, and differ in nothing but the arithmetic and the launch.
void plan(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    const Way& way = row_of(ways(), variant);
    if (plan.limits().is_cpu ? way.fills_processor : way.fills_gpu)
        plan.natural_grid(plan.resident_workgroups());
    const PlanBuffer x = plan.input("x", ElementType::f32, plan.domain());
    const PlanBuffer densities = plan.output("densities", ElementType::f32, plan.domain());
    plan.upload(x);
    plan.launch("density of each x", "gaussian/" + way.id, {reads_each(x), writes_each(densities)}).push =
        way.in_double ? push_constants<double>(Bell(values)) : push_constants<float>(Bell(values));
    plan.download(densities);
    plan.costs(plan.elements() * (sizeof(float) + sizeof(float)), plan.elements() * way.operations);
    plan.main_output("densities");
}

void remarks_on_bell(Remarks& say, const Bell& bell, std::uint64_t elements) {
    // From here on, exp(-z^2 / 2) is below the smallest number that f32 has, 1.4e-45.
    constexpr double zero_in_f32 = 14.37;
    const double nearest = std::abs(bell.z(std::clamp(bell.mean, lowest_x, highest_x)));
    if (nearest > zero_in_f32)
        say.caution(key::mean, fmt::format("The bell is out of sight: every x is at least {} sigma away, and "
                                           "every density is 0 in f32.",
                                           format_significant(nearest)));
    const double within = static_cast<double>(elements) * 2 * bell.sigma / (highest_x - lowest_x);
    constexpr double few = 100;
    if (within < few && std::abs(bell.mean) < highest_x)
        say.caution(key::sigma, fmt::format("About {} of the x lie within one sigma of the mean, so the "
                                            "estimate of the integral is rough.",
                                            format_significant(within, 2)));
}

void remarks(Remarks& say, const Prepared& asked) {
    const bool in_double = row_of(ways(), *asked.variant).in_double;
    if (in_double && !asked.limits.float64)
        say.refuse(
            "This device has no doubles in shaders (shaderFloat64). Choose vec4, which has the same "
            "loop in f32.");
    else if (in_double)
        say.note("Doubles between load and store; the elements stay f32 in memory, so the same bytes move.");
    const Bell bell(asked.values());
    const auto as_f32 = static_cast<float>(bell.mean);
    if (!in_double && double{as_f32} != bell.mean)
        say.note(key::mean, fmt::format("{} is no f32: the kernel gets {:.12g}, and the reference does not.",
                                        bell.mean, as_f32));
    remarks_on_bell(say, bell, asked.values()[key::elements]);
}

std::vector<Fact> result(const Prepared&, const Outputs& outputs) {
    const Array* found = find(outputs, "densities");
    if (!found || found->empty()) return {};
    const auto densities = found->as<float>();
    const auto count = static_cast<double>(densities.size());
    const FloatSummary summary = summary_of(densities);
    const double mean = summary.sum / count;
    const double squares = sum_of_parts(densities.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i)
            sum += (densities[i] - mean) * (densities[i] - mean);
        return sum;
    });
    // Monte Carlo: how far the mean of so many densities is off follows from how far they lie apart. One
    // alone does not tell.
    const double off = densities.size() > 1 ? std::sqrt(squares / (count - 1) / count)
                                            : std::numeric_limits<double>::infinity();
    constexpr double width = highest_x - lowest_x;
    return {{"peak", "Highest density", summary.largest},
            {"integral", "Integral from -3 to 3, estimated", width * mean, width * off}};
}

// To make: another density, from an empty kernel.

/// With e = 2^-23 as above, t = (x - mean) / scale and q = exp(-|t|): t is off by 3.5 e (a difference, a
/// division), q by (3 + 2 |t| + 3.5 |t|) e, which enters the quotient at most twice; two sums, two products
/// and a division add 9 e at most. Twice that leaves room for other forms, such as cosh.
double logistic_bound(double t, double mean_shift) {
    return 2 * ulp * (2 * (3 + 5.5 * std::abs(t)) + 9) + std::expm1(mean_shift);
}

std::vector<Expected> logistic_reference(const Input& input, const Prepared& asked) {
    const auto x = get(input, "x").as<float>();
    const Bell bell(asked.values());  // its sigma is the scale
    const double mean_shift = std::abs(double{static_cast<float>(bell.mean)} - bell.mean) / bell.sigma;
    Array densities(ElementType::f64, x.size()), allowed(ElementType::f64, x.size());
    const auto right = densities.as<double>(), bounds = allowed.as<double>();
    parallel_for(x.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double t = std::abs(bell.z(x[i])), q = std::exp(-t);
            right[i] = q / (bell.sigma * (1 + q) * (1 + q));
            bounds[i] = right[i] * logistic_bound(t, mean_shift);
        }
    });
    const double absolute = (0.25 / bell.sigma + 1) * std::numeric_limits<float>::min();
    return {{"densities", share(std::move(densities)), {absolute, 1}, share(std::move(allowed))}};
}

void plan_logistic(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const PlanBuffer x = plan.input("x", ElementType::f32, plan.domain());
    const PlanBuffer densities = plan.output("densities", ElementType::f32, plan.domain());
    plan.upload(x);
    plan.launch("density of each x", "gaussian/logistic_start", {reads_each(x), writes_each(densities)})
        .push = {std::bit_cast<std::uint32_t>(static_cast<float>(values[key::mean])),
                 std::bit_cast<std::uint32_t>(static_cast<float>(values[key::sigma]))};
    plan.download(densities);
    plan.costs(plan.elements() * (sizeof(float) + sizeof(float)), plan.elements() * 8);
    plan.main_output("densities");
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "gaussian",
        .title = "Gaussian",
        .parameters = parameters(),
        .variants = {ways().begin(), ways().end()},
        .default_variant = "per_element",
        .exercises = {{.id = "logistic",
                       .title = "The logistic density",
                       .summary = "From an empty kernel: another bell, with thicker tails.",
                       .kernel = "gaussian/logistic_start.comp",
                       .is_baselines_work = false,
                       .solution = "gaussian/logistic.comp",
                       .task = {.plan = &plan_logistic,
                                .remarks = nothing,
                                .reference = &logistic_reference,
                                .result = &result,
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

}  // namespace gridstride::lessons::gaussian
