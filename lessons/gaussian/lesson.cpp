// Gaussian: the same formula for a million numbers, none of which depends on another.
#include "figures/lesson_headers.h"
#include "lesson/metrics.h"

namespace gridstride::lessons::gaussian {

namespace {

constexpr Key<double> mean{"mean"}, sigma{"sigma"};

/// x is uniform in [lowest_x, highest_x).
constexpr double lowest_x = -3, highest_x = 3, width = highest_x - lowest_x;

std::vector<Parameter> parameters() {
    // x lies in [-3, 3): with a mean beyond 10 nearly every bell is out of sight. Below 0.001 the rounding of
    // x and of the mean to f32 (up to 5e-7) is no longer small beside sigma, and an f32 answer says little
    // about the definition; at 1e-20 its square would overflow. Above 1000 the curve is flat to four digits.
    return common_parameters(
        1000000, 256,
        {number_parameter(mean, "Mean", "Where the bell has its middle; x lies between -3 and 3.", 0, -10, 10,
                          Invalidates::reference),
         number_parameter(sigma, "Sigma", "The standard deviation, above 0: how wide the bell is.", 1, 0.001,
                          1000, Invalidates::reference)
             .logarithmic()});
}

struct Facts {
    // Where it fills a device of that kind, "auto" is as many workgroups as that holds at once and no more;
    // else one for each tile, which suits a GPU that loads and stores a stream: see natural_grid().
    bool fills_processor = false, fills_gpu = false;
    bool in_double = false;  ///< between load and store: the elements are f32 in memory
    /// Floating-point operations for one x, as the kernel spells them out. f32: x - mean, times 1/sigma,
    /// times -1/2, times z, exp counted as one, times the peak: 6. Double: the same with exp as it is spelt
    /// out there: 7 to reduce the range, 13 multiply-adds at 2 each, times the power of two: 5 + 34.
    std::uint64_t operations = 6;
};
using Run = gridstride::Run<Facts>;

// Definitions.

struct Bell {
    double middle, width, peak;

    explicit Bell(const Values& values)
        : middle(values[mean]), width(values[sigma]), peak(1 / (width * std::sqrt(2 * std::numbers::pi))) {}
    double z(double x) const { return (x - middle) / width; }
    double density(double x) const { return peak * std::exp(-0.5 * z(x) * z(x)); }
};

std::vector<Expected> reference(const Input& input, const Run& run) {
    const auto x = get(input, "x").as<float>();
    const Bell bell(run.values);
    if (run.facts.in_double)
        return {expected_each("densities", x.size(),
                              [&](std::size_t i) { return rounded_to_f32(bell.density(x[i])); })};
    // The host rounds these once.
    const Bounded middle = stored_f32(bell.middle), inverse = stored_f32(1 / bell.width),
                  peak = stored_f32(bell.peak);
    return {expected_each("densities", x.size(), [&](std::size_t i) {
        const Bounded z = (Bounded{x[i]} - middle) * inverse;
        return peak * exp(Bounded{-0.5} * z * z);
    })};
}

/// The exercise: another bell, with thicker tails. Other forms, such as by cosh, round as often again.
std::vector<Expected> logistic_reference(const Input& input, const Run& run) {
    const auto x = get(input, "x").as<float>();
    const Bounded middle = stored_f32(run[mean]), scale = stored_f32(run[sigma]);
    return {expected_each("densities", x.size(), [&](std::size_t i) {
        const Bounded t = (Bounded{x[i]} - middle) / scale;
        const Bounded q = exp(t.value > 0 ? -t : t), one_more = Bounded{1} + q;
        Bounded density = q / (scale * one_more * one_more);
        density.error *= 2;
        return density;
    })};
}

/// "x": 6 u - 3, where u is uniform in [0, 1). The largest u is 1 - 2^-24, whose x is still below 3 in f32.
Input input(const Values& values) {
    return {{"x", share(uniform_f32(values[key::elements], values[key::seed], lowest_x, highest_x))}};
}

/// In f32, as the kernels do.
double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const auto x = get(input, "x").as<float>();
    const auto densities = kept_room(ElementType::f32, x.size()).as<float>();
    const Bell bell(values);
    const auto middle = static_cast<float>(bell.middle), inverse_width = static_cast<float>(1 / bell.width),
               peak = static_cast<float>(bell.peak);
    constexpr std::size_t block = 1 << 13;  // fewer are done before a second thread has started
    return in_parts(x.size(), block, [=](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const float z = (x[i] - middle) * inverse_width;
            densities[i] = peak * std::exp(-0.5f * z * z);
            sum += densities[i];
        }
        return sum;
    });
}

// Launches.

template <class T, std::size_t count>
std::vector<std::uint32_t> words_of(const std::array<T, count>& numbers) {
    const auto words = std::bit_cast<std::array<std::uint32_t, sizeof numbers / 4>>(numbers);
    return {words.begin(), words.end()};
}
/// What the density of one x needs beside x. The two divisions and the square root do not depend on x, so the
/// host does them once, in double, and rounds once to T.
template <class T>
std::vector<std::uint32_t> push_constants(const Values& values) {
    const Bell bell(values);
    return words_of(
        std::array{static_cast<T>(bell.middle), static_cast<T>(1 / bell.width), static_cast<T>(bell.peak)});
}

/// Both buffers are f32 whatever the kernel computes in: the variants then move the same bytes, 4 in and 4
/// out for each element, and differ in nothing but the arithmetic and the launch.
void plan_densities(PlanBuilder& plan, const Run& run, std::vector<std::uint32_t> push) {
    const PlanBuffer x = plan.upload_input("x"), densities = plan.output("densities");
    plan.launch("density of each x", run.kernel(), {reads_each(x), writes_each(densities)}).push =
        std::move(push);
    plan.download_main(densities);
    plan.costs({x, densities}, plan.elements() * run.facts.operations);
}
void plan(PlanBuilder& plan, const Run& run) {
    if (run.limits.is_cpu ? run.facts.fills_processor : run.facts.fills_gpu)
        plan.natural_grid(plan.resident_workgroups());
    plan_densities(
        plan, run,
        run.facts.in_double ? push_constants<double>(run.values) : push_constants<float>(run.values));
}
void plan_logistic(PlanBuilder& plan, const Run& run) {
    plan_densities(plan, run,
                   words_of(std::array{static_cast<float>(run[mean]), static_cast<float>(run[sigma])}));
}

void remarks(Remarks& add, const Run& run) {
    const bool in_double = run.facts.in_double;
    if (in_double && !run.limits.float64)
        add.refuse(
            "This device has no doubles in shaders (shaderFloat64). Choose vec4, which has the same loop in "
            "f32.");
    else if (in_double)
        add.note("Doubles between load and store; the elements stay f32 in memory, so the same bytes move.");
    if (!in_double && stored_f32(run[mean]).error > 0)
        add.note(mean, "{} is no f32: the kernel gets {:.12g}, and the reference does not.", run[mean],
                 static_cast<float>(run[mean]));
    // From here on, exp(-z^2 / 2) is below the smallest number that f32 has, 1.4e-45.
    constexpr double zero_in_f32 = 14.37;
    const double nearest = std::abs(Bell(run.values).z(std::clamp(run[mean], lowest_x, highest_x)));
    if (nearest > zero_in_f32)
        add.caution(
            mean,
            "The bell is out of sight: every x is at least {} sigma away, and every density is 0 in f32.",
            format_significant(nearest));
    const double within = static_cast<double>(run[key::elements]) * 2 * run[sigma] / width;
    constexpr double few = 100;
    if (within < few && std::abs(run[mean]) < highest_x)
        add.caution(sigma,
                    "About {} of the x lie within one sigma of the mean, so the estimate "
                    "of the integral is rough.",
                    format_significant(within, 2));
}

std::vector<Fact> result(const Run&, const Outputs& outputs) {
    const auto densities = get(outputs, "densities").as<float>();
    const auto count = static_cast<double>(densities.size());
    const FloatSummary summary = summary_of(densities);
    const double average = summary.sum / count;
    const double squares = sum_of_parts(densities.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i)
            sum += (densities[i] - average) * (densities[i] - average);
        return sum;
    });
    // Monte Carlo: how far the mean of so many densities is off follows from how far they lie apart. One
    // alone does not tell.
    const double off = densities.size() > 1 ? std::sqrt(squares / (count - 1) / count) : HUGE_VAL;
    return {{"peak", "Highest density", summary.largest},
            {"integral", "Integral from -3 to 3, estimated", width * average, width * off}};
}

// Pictures.

/// Evenly spread over the run: x is random, so they are a fair sample.
constexpr std::size_t max_samples = 100000;
constexpr double sigmas_drawn = 6;  ///< to either side of the mean

/// Places evenly spread over all x, and densely where a narrow bell rises.
std::vector<double> places_along(const Values& values) {
    constexpr int evenly = 300, over_the_bell = 240;
    std::vector<double> all = evenly_spread(lowest_x, highest_x, evenly + 1);
    for (const double z : evenly_spread(-sigmas_drawn, sigmas_drawn, over_the_bell + 1))
        if (const double at = values[mean] + values[sigma] * z; at > lowest_x && at < highest_x)
            all.push_back(at);
    std::ranges::sort(all);
    // Where both kinds meet, two that nearly coincide are one.
    const double apart = std::min(values[sigma] / 50, width / evenly / 2);
    const auto repeated = std::ranges::unique(all, [&](double a, double b) { return b - a < apart; });
    all.erase(repeated.begin(), repeated.end());
    return all;
}

/// With a few results of the run, so far apart that the curve is seen between them: one for each tenth of x
/// and, in the bell, for each tenth of sigma.
void draw_curve(Figures& add, const Run& run, const PlotArray& x, const PlotArray& densities) {
    const bool is_measured = densities && add.is_measured();
    FigureBuilder& figure =
        add.figure("curve", is_measured ? "The curve, and what the GPU computed" : "The curve", "x",
                   "density")
            .line(
                "definition", places_along(run.values),
                [bell = Bell(run.values)](double at) { return bell.density(at); }, Ink::cpu);
    if (!is_measured) return;
    constexpr std::size_t few = 100;
    const Bell bell(add.report()->experiment.values);
    Points found;
    std::set<std::pair<bool, double>> taken;
    for_each_sampled(x.count, max_samples, [&](std::size_t i) {
        const double place = x.array->number(i), z = bell.z(place);
        const bool in_the_bell = std::abs(z) < sigmas_drawn;
        const double tenth = std::floor(10 * (in_the_bell ? z : place));
        if (x.count > few && !taken.insert({in_the_bell, tenth}).second) return;
        found.add(place, densities.array->number(i));
    });
    const std::size_t drawn = found.x.size();
    figure.scatter("GPU", std::move(found))
        .measured()
        .note_if(drawn == x.count, "All {} densities.", format_count(drawn))
        .note_if(drawn < x.count, "{} of the {} densities.", format_count(drawn), format_count(x.count));
}

/// Distances from the definition, counted in steps of f32 at its value.
void draw_errors(Figures& add, const PlotArray& x, const PlotArray& densities) {
    if (!add.is_measured() || !x || !densities) return;
    const Bell bell(add.report()->experiment.values);
    // Below, a device may give 0, and the steps of f32 no longer shrink with the number.
    const double smallest = (bell.peak + 1) * smallest_normal_f32;
    std::vector<double> errors;
    double largest = 0;
    std::size_t too_small = 0;
    for_each_sampled(x.count, max_samples, [&](std::size_t i) {
        const double right = bell.density(x.array->number(i));
        too_small += right < smallest ? 1 : 0;
        if (right < smallest) return;  // also 0, which has no exponent
        const double error = (densities.array->number(i) - right) / std::ldexp(1.0, std::ilogb(right) - 23);
        if (!std::isfinite(error)) return;
        errors.push_back(error);
        largest = std::max(largest, std::abs(error));
    });
    // As narrow as keeps them to forty or so.
    double step = 0.0625;
    while (largest / step > 20)
        step *= 2;
    const double last = std::round(largest / step), percent = 100.0 / static_cast<double>(errors.size());
    Series bars =
        histogram_of(errors, -(last + 0.5) * step, step, 2 * static_cast<std::size_t>(last) + 1, percent);
    bars.label = "share of the results";
    add.figure("ulp_error", "Error in ulp", {"distance from the definition in double", "ulp"},
               {"of the results", "%"})
        .series(std::move(bars))
        .measured()
        .only_if(!errors.empty())
        .note("1 ulp is the step from one f32 to the next. Of {} results the farthest is {} ulp off.",
              format_count(errors.size()), format_significant(largest, 2))
        .note_if(too_small > 0, "{} more, so small that a device may take them for 0, are left out.",
                 format_count(too_small));
}

/// The times that are compared: the names of their bars and lines, and what a run says.
constexpr std::array names_of_times = {"GPU, kernel alone", "GPU, with transfers", "CPU, one thread",
                                       "CPU, all threads"};
constexpr std::array inks_of_times = {Ink::kernel, Ink::upload, Ink::cpu, Ink::quiet};
std::array<double, 4> times_of(const Report& report) {
    const auto time = [&](std::string_view name) { return metric(report, name).value_or(0); };
    const std::vector<Timing>& more = report.timings.more_cpu;
    return {time("kernel_ns"), time("wall_ns"), time("cpu_ns"),
            more.empty() ? 0 : more.front().median().value_or(0)};
}

void draw_transfers(Figures& add) {
    if (!add.report() || add.report()->timings.wall.samples.empty()) return;
    const Report& report = *add.report();
    const auto time = [&](std::string_view name) { return metric(report, name).value_or(0); };
    const auto [kernel, wall, one_thread, all_threads] = times_of(report);
    add.figure("with_and_without_transfers", "With and without the transfers", {}, {"time", "ns"})
        .categories({names_of_times.begin(), names_of_times.end()})
        .value_labels(false)
        .stacked("upload", {0, time("upload_ns"), 0, 0}, Ink::upload)
        .stacked("kernel", {kernel, report.timings.own_kernel().median().value_or(0), 0, 0}, Ink::kernel)
        .stacked("download", {0, time("download_ns"), 0, 0}, Ink::download)
        .stacked("submit and wait", {0, std::max(0.0, time("rest_ns")), 0, 0}, Ink::wait)
        .stacked("CPU", {0, 0, one_thread, all_threads}, Ink::cpu)
        .measured()
        .note("Medians. The kernel alone counts when the numbers already are on the device and stay there.");
}

/// A sentence on who is ahead, and a marker where the GPU overtakes: between a size at which it was not
/// faster and the next one, at which it was, where the straight lines between the measured points cross on
/// logarithmic axes; of several such places the last.
std::string compare(FigureBuilder& figure, const std::vector<double>& sizes, const std::vector<double>& gpu,
                    const std::vector<double>& cpu, std::string_view opponent) {
    if (sizes.size() < 2) return "";
    // Below 0: the GPU is faster.
    const auto behind = [&](std::size_t i) { return std::log(gpu[i] / cpu[i]); };
    double crossing = 0;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        const double before = behind(i - 1), after = behind(i);
        if (before >= 0 && after < 0)
            crossing =
                std::exp(std::lerp(std::log(sizes[i - 1]), std::log(sizes[i]), before / (before - after)));
    }
    const bool ahead_at_last = behind(sizes.size() - 1) < 0;
    if (crossing == 0)
        return fmt::format("With transfers, the GPU {} {} among these sizes.",
                           ahead_at_last ? "is always ahead of" : "does not overtake", opponent);
    const std::string about = format_significant(std::round(crossing), 2);
    figure.marker({crossing, fmt::format("{}: {}", opponent, about)});
    return fmt::format("With transfers, the GPU overtakes {} at about {} elements{}.", opponent, about,
                       ahead_at_last ? "" : ", and falls behind again above");
}

/// From how many elements on the GPU is faster, from the runs so far.
void draw_break_even(Figures& add, const Run& run) {
    std::vector<double> sizes;
    std::array<std::vector<double>, names_of_times.size()> lines;
    // Logarithmic axes have no 0.
    const auto has_all_times = [&](const Report& one) {
        return one.experiment.variant == run.variant.id &&
               std::ranges::all_of(times_of(one), [](double ns) { return ns > 0; });
    };
    for (const auto& [elements, report] : add.latest_by(key::elements.id, has_all_times)) {
        sizes.push_back(elements);
        for (std::size_t i = 0; i < lines.size(); ++i)
            lines[i].push_back(times_of(*report)[i]);
    }
    FigureBuilder& figure =
        add.figure("break_even", "Time against size", {"elements", AxisScale::logarithmic},
                   {"time", "ns", AxisScale::logarithmic})
            .whole_numbers()
            .measured()
            .only_if(!sizes.empty());
    for (std::size_t i = 0; i < lines.size(); ++i)
        figure.line(names_of_times[i], sizes, lines[i], inks_of_times[i]);
    figure.note("The latest run of {} at each size, interpolated in between.", run.variant.id)
        .note(compare(figure, sizes, lines[1], lines[2], "one thread"))
        .note(compare(figure, sizes, lines[1], lines[3], "all threads"))
        .note_if(sizes.size() < 2, "Run other sizes to see the lines grow.");
}

void pictures(Figures& add, const Run& run) {
    const PlotArray x = add.input("x"), densities = add.output("densities");
    draw_curve(add, run, x, densities);
    draw_errors(add, x, densities);
    draw_transfers(add);
    draw_break_even(add, run);
    if (!run.plan.steps.empty()) add.access_map("x", "element");
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "gaussian",
         .title = "Gaussian",
         .parameters = parameters(),
         .input = input,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"per_element", "One invocation an element",
           "As many invocations as elements: each computes the density of one x."}},
         {{"grid_stride", "Grid-stride loop",
           "As many invocations as keep the device busy: each steps over the elements by the whole grid."},
          {.fills_processor = true, .fills_gpu = true}},
         {{"vec4", "Four to a load",
           "The grid-stride loop over groups of four: 16 bytes a load and a store, four on their way at "
           "once."},
          {.fills_processor = true},
          {.per_invocation = 4}},
         {{"float64", "In double",
           "The loop of vec4 with doubles inside: GLSL has no exp for them, so the kernel brings its own."},
          {.fills_processor = true, .in_double = true, .operations = 39},
          {.per_invocation = 4}}},
        {{{"logistic", "The logistic density", "From an empty kernel: another bell, with thicker tails."},
          {.operations = 8},
          {.task = {.plan = plan_logistic,
                    .remarks = nothing,
                    .reference = logistic_reference,
                    .pictures = nothing}}}});
    return lesson;
}

}  // namespace gridstride::lessons::gaussian
