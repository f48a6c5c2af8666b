// Gaussian: the same formula for a million independent numbers.
#include "figures/lesson_headers.h"
#include "lesson/metrics.h"

namespace gridstride::lessons::gaussian {

namespace {

constexpr Key<double> mean{"mean"}, sigma{"sigma"};

/// x is uniform in [min_x, max_x).
constexpr double min_x = -3, max_x = 3, width = max_x - min_x;

std::vector<Parameter> parameters() {
    // x lies in [-3, 3): with a mean beyond 10, almost no bell is visible. Below sigma = 0.001, the rounding
    // of x and of the mean to f32 (up to 5e-7) is no longer small relative to sigma, so an f32 result says
    // little about the definition; at 1e-20 the square of z would overflow. Above 1000 the curve is flat to
    // four digits.
    return common_parameters(
        1000000, 256,
        {number_parameter(mean, "Mean", "The centre of the bell; x lies between -3 and 3.", 0, -10, 10,
                          Invalidates::reference),
         number_parameter(sigma, "Sigma", "The standard deviation, above 0: the width of the bell.", 1, 0.001,
                          1000, Invalidates::reference)
             .logarithmic()});
}

struct Facts {
    // If it is set for the kind of device, "auto" launches exactly as many workgroups as the device holds at
    // once; otherwise one per tile, which suits a GPU that streams loads and stores: see set_default_grid().
    bool fills_cpu_device = false, fills_gpu = false;
    bool in_double = false;  ///< computes in double; the elements are f32 in memory
    /// Floating-point operations per x, counted in the kernel. f32: x - mean, times 1/sigma, times -1/2,
    /// times z, exp counted as one, times the peak: 6. Double: the same with exp written out: 7 for the range
    /// reduction, 13 multiply-adds of 2 each, times the power of two: 5 + 34.
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
        return {make_expected("densities", x.size(),
                              [&](std::size_t i) { return rounded_to_f32(bell.density(x[i])); })};
    // The host rounds these once.
    const Bounded middle = stored_f32(bell.middle), inverse = stored_f32(1 / bell.width),
                  peak = stored_f32(bell.peak);
    return {make_expected("densities", x.size(), [&](std::size_t i) {
        const Bounded z = (Bounded{x[i]} - middle) * inverse;
        return peak * exp(Bounded{-0.5} * z * z);
    })};
}

/// The exercise's reference: a bell with thicker tails. Other formulas, for example with cosh, round about as
/// often.
std::vector<Expected> logistic_reference(const Input& input, const Run& run) {
    const auto x = get(input, "x").as<float>();
    const Bounded middle = stored_f32(run[mean]), scale = stored_f32(run[sigma]);
    return {make_expected("densities", x.size(), [&](std::size_t i) {
        const Bounded t = (Bounded{x[i]} - middle) / scale;
        const Bounded q = exp(t.value > 0 ? -t : t), one_more = Bounded{1} + q;
        Bounded density = q / (scale * one_more * one_more);
        density.error *= 2;
        return density;
    })};
}

/// "x": 6 u - 3, with u uniform in [0, 1). The largest u is 1 - 2^-24, whose x is below 3 in f32.
Input input(const Values& values) {
    return {{"x", share(uniform_f32(values[key::elements], values[key::seed], min_x, max_x))}};
}

/// Computes in f32, like the kernels.
double on_cpu(const Input& input, const Values& values, SumRanges sum_ranges) {
    const auto x = get(input, "x").as<float>();
    const auto densities = scratch_array(ElementType::f32, x.size()).as<float>();
    const Bell bell(values);
    const auto middle = static_cast<float>(bell.middle), inverse_width = static_cast<float>(1 / bell.width),
               peak = static_cast<float>(bell.peak);
    constexpr std::size_t block = 1 << 13;  // smaller blocks finish before a second thread has started
    return sum_ranges(x.size(), block, [=](std::size_t begin, std::size_t end) {
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

/// The constants of the density. The two divisions and the square root do not depend on x, so the host
/// computes them once in double and rounds once to T.
template <class T>
std::vector<std::uint32_t> push_constants(const Values& values) {
    const Bell bell(values);
    const std::array numbers = {static_cast<T>(bell.middle), static_cast<T>(1 / bell.width),
                                static_cast<T>(bell.peak)};
    const auto words = std::bit_cast<std::array<std::uint32_t, sizeof numbers / 4>>(numbers);
    return {words.begin(), words.end()};
}

/// Both buffers are f32 in all variants, so that the variants move the same 4 + 4 bytes per element and
/// differ only in arithmetic and launch.
void plan_densities(PlanBuilder& plan, const Run& run, std::vector<std::uint32_t> push) {
    const PlanBuffer x = plan.upload_input("x"), densities = plan.output("densities");
    plan.launch("density of each x", run.kernel(), {reads_each(x), writes_each(densities)}).push =
        std::move(push);
    plan.download_main(densities);
    plan.set_cost({x, densities}, plan.elements() * run.facts.operations);
}
void plan(PlanBuilder& plan, const Run& run) {
    if (run.limits.is_cpu ? run.facts.fills_cpu_device : run.facts.fills_gpu)
        plan.set_default_grid(plan.resident_workgroups());
    plan_densities(
        plan, run,
        run.facts.in_double ? push_constants<double>(run.values) : push_constants<float>(run.values));
}
void plan_logistic(PlanBuilder& plan, const Run& run) {
    plan_densities(plan, run, {word(static_cast<float>(run[mean])), word(static_cast<float>(run[sigma]))});
}

void remarks(Remarks& add, const Run& run) {
    const bool in_double = run.facts.in_double;
    if (in_double && !run.limits.float64)
        add.refuse(
            "This device does not support doubles in shaders (shaderFloat64). Choose vec4, which has the "
            "same loop in f32.");
    else if (in_double)
        add.note(
            "The kernel computes in double; the elements are f32 in memory, so the same bytes are moved.");
    if (!in_double && stored_f32(run[mean]).error > 0)
        add.note(mean, "{} is not an f32 number: the kernel uses {:.12g}, the reference the exact value.",
                 run[mean], static_cast<float>(run[mean]));
    // From here on, exp(-z^2 / 2) is below 1.4e-45, the smallest f32.
    constexpr double zero_in_f32 = 14.37;
    const double nearest = std::abs(Bell(run.values).z(std::clamp(run[mean], min_x, max_x)));
    if (nearest > zero_in_f32)
        add.caution(mean,
                    "The bell lies outside the range: every x is at least {} sigma away, and every density "
                    "is 0 in f32.",
                    format_significant(nearest));
    const double count_within_sigma = static_cast<double>(run[key::elements]) * 2 * run[sigma] / width;
    constexpr double few = 100;
    if (count_within_sigma < few && std::abs(run[mean]) < max_x)
        add.caution(
            sigma,
            "About {} of the x lie within one sigma of the mean, so the estimate of the integral is rough.",
            format_significant(count_within_sigma, 2));
}

std::vector<Fact> result(const Run&, const Outputs& outputs) {
    const auto densities = get(outputs, "densities").as<float>();
    const auto count = static_cast<double>(densities.size());
    const NumberSummary summary = summarize_numbers(get(outputs, "densities"));
    const double average = summary.sum / count;
    const double squares = parallel_sum(densities.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i)
            sum += (densities[i] - average) * (densities[i] - average);
        return sum;
    });
    // The Monte Carlo error of the mean follows from the spread of the densities; a single density has none.
    const double standard_error = densities.size() > 1 ? std::sqrt(squares / (count - 1) / count) : HUGE_VAL;
    return {{"peak", "Highest density", summary.largest},
            {"integral", "Integral from -3 to 3, estimated", width * average, width * standard_error}};
}

// Pictures.

/// Spread evenly over the run; because x is random, they are a fair sample.
constexpr std::size_t max_samples = 100000;
constexpr double sigmas_drawn = 6;  ///< to either side of the mean

/// Returns points spread evenly over all x, and densely around a narrow bell.
std::vector<double> get_curve_points(const Values& values) {
    constexpr int even_points = 300, bell_points = 240;
    std::vector<double> all = spaced_numbers(min_x, max_x, even_points + 1);
    for (const double z : spaced_numbers(-sigmas_drawn, sigmas_drawn, bell_points + 1))
        if (const double at = values[mean] + values[sigma] * z; at > min_x && at < max_x) all.push_back(at);
    std::ranges::sort(all);
    // Where both sets overlap, points that nearly coincide are merged.
    const double min_gap = std::min(values[sigma] / 50, width / even_points / 2);
    const auto repeated = std::ranges::unique(all, [&](double a, double b) { return b - a < min_gap; });
    all.erase(repeated.begin(), repeated.end());
    return all;
}

/// Draws the curve with a few results of the run, spaced so that the curve stays visible: one per tenth of x
/// and, in the bell, one per tenth of sigma.
void draw_curve(Figures& add, const Run& run, const PlotArray& x, const PlotArray& densities) {
    const bool is_measured = densities && add.is_measured();
    FigureBuilder& figure =
        add.figure("curve", is_measured ? "The curve and the GPU's results" : "The curve", "x", "density")
            .line(
                "definition", get_curve_points(run.values),
                [bell = Bell(run.values)](double at) { return bell.density(at); }, ColorRole::cpu);
    if (!is_measured) return;
    constexpr std::size_t few = 100;
    const Bell bell(add.report()->experiment.values);
    Points gpu_points;
    std::set<std::pair<bool, double>> drawn_tenths;
    for_each_sampled(x.count, max_samples, [&](std::size_t i) {
        const double place = x.array->number(i), z = bell.z(place);
        const bool in_the_bell = std::abs(z) < sigmas_drawn;
        const double tenth = std::floor(10 * (in_the_bell ? z : place));
        if (x.count > few && !drawn_tenths.insert({in_the_bell, tenth}).second) return;
        gpu_points.add(place, densities.array->number(i));
    });
    const std::size_t point_count = gpu_points.x.size();
    figure.scatter("GPU", std::move(gpu_points))
        .measured()
        .note_if(point_count == x.count, "All {} densities.", format_count(point_count))
        .note_if(point_count < x.count, "{} of the {} densities.", format_count(point_count),
                 format_count(x.count));
}

/// Draws the errors in units of the f32 spacing at the exact value.
void draw_errors(Figures& add, const PlotArray& x, const PlotArray& densities) {
    if (!add.is_measured() || !x || !densities) return;
    const Bell bell(add.report()->experiment.values);
    // Below this, a device may return 0, and the f32 spacing no longer shrinks with the number.
    const double smallest = (bell.peak + 1) * smallest_normal_f32;
    std::vector<double> errors;
    double largest = 0;
    std::size_t too_small = 0;
    for_each_sampled(x.count, max_samples, [&](std::size_t i) {
        const double expected_density = bell.density(x.array->number(i));
        too_small += expected_density < smallest ? 1 : 0;
        if (expected_density < smallest) return;  // includes 0, which has no exponent
        const double error = (densities.array->number(i) - expected_density) /
                             std::ldexp(1.0, std::ilogb(expected_density) - 23);
        if (!std::isfinite(error)) return;
        errors.push_back(error);
        largest = std::max(largest, std::abs(error));
    });
    // The smallest step that gives at most about forty bars.
    double step = 0.0625;
    while (largest / step > 20)
        step *= 2;
    const double last = std::round(largest / step), percent = 100.0 / static_cast<double>(errors.size());
    Series bars =
        make_histogram(errors, -(last + 0.5) * step, step, 2 * static_cast<std::size_t>(last) + 1, percent);
    bars.label = "fraction of the results";
    add.figure("ulp_error", "Error in ulp", {"distance from the definition in double", "ulp"},
               {"fraction of the results", "%"})
        .series(std::move(bars))
        .measured()
        .only_if(!errors.empty())
        .note("1 ulp is the distance from one f32 to the next. The largest error of {} results is {} ulp.",
              format_count(errors.size()), format_significant(largest, 2))
        .note_if(too_small > 0, "{} more are left out, because a device may flush such small numbers to 0.",
                 format_count(too_small));
}

/// The compared times: the labels of their bars and lines, and their values in a run.
constexpr std::array time_labels = {"GPU, kernel alone", "GPU, with transfers", "CPU, one thread",
                                    "CPU, all threads"};
constexpr std::array time_colors = {ColorRole::kernel, ColorRole::upload, ColorRole::cpu, ColorRole::quiet};
std::array<double, 4> get_times(const Report& report) {
    const auto time = [&](std::string_view name) { return metric(report, name).value_or(0); };
    const std::vector<Timing>& more = report.timings.more_cpu;
    return {time("kernel_ns"), time("wall_ns"), time("cpu_ns"),
            more.empty() ? 0 : more.front().median().value_or(0)};
}

void draw_transfers(Figures& add) {
    if (!add.report() || add.report()->timings.wall.samples.empty()) return;
    const Report& report = *add.report();
    const auto time = [&](std::string_view name) { return metric(report, name).value_or(0); };
    const auto [kernel, wall, one_thread, all_threads] = get_times(report);
    add.figure("with_and_without_transfers", "With and without the transfers", {}, {"time", "ns"})
        .categories({time_labels.begin(), time_labels.end()})
        .value_labels(false)
        .stacked("upload", {0, time("upload_ns"), 0, 0}, ColorRole::upload)
        .stacked("kernel", {kernel, report.timings.unbatched_kernel().median().value_or(0), 0, 0},
                 ColorRole::kernel)
        .stacked("download", {0, time("download_ns"), 0, 0}, ColorRole::download)
        .stacked("submit and wait", {0, std::max(0.0, time("rest_ns")), 0, 0}, ColorRole::wait)
        .stacked("CPU", {0, 0, one_thread, all_threads}, ColorRole::cpu)
        .measured()
        .note(
            "Medians. If the numbers already are on the device and stay there, only the kernel's time "
            "matters.");
}

/// Returns a sentence on which is faster, and marks the break-even point: between a size at which the GPU was
/// not faster and the next one, at which it was, where the lines between the measured points cross on
/// logarithmic axes. If there are several, the last one.
std::string mark_break_even(FigureBuilder& figure, const std::vector<double>& sizes,
                            const std::vector<double>& gpu, const std::vector<double>& cpu,
                            std::string_view competitor) {
    if (sizes.size() < 2) return "";
    // Negative if the GPU is faster.
    const auto log_time_ratio = [&](std::size_t i) { return std::log(gpu[i] / cpu[i]); };
    double crossing_x = 0;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        const double before = log_time_ratio(i - 1), after = log_time_ratio(i);
        if (before >= 0 && after < 0)
            crossing_x =
                std::exp(std::lerp(std::log(sizes[i - 1]), std::log(sizes[i]), before / (before - after)));
    }
    const bool is_ahead_at_end = log_time_ratio(sizes.size() - 1) < 0;
    if (crossing_x == 0)
        return fmt::format("With transfers, the GPU {} {} at these sizes.",
                           is_ahead_at_end ? "is always ahead of" : "does not overtake", competitor);
    const std::string about = format_significant(std::round(crossing_x), 2);
    figure.marker({crossing_x, fmt::format("{}: {}", competitor, about)});
    return fmt::format("With transfers, the GPU overtakes {} at about {} elements{}.", competitor, about,
                       is_ahead_at_end ? "" : ", and falls behind again above");
}

/// Draws the times of the runs so far against the number of elements, with the break-even point.
void draw_break_even(Figures& add, const Run& run) {
    std::vector<double> sizes;
    std::array<std::vector<double>, time_labels.size()> lines;
    // Logarithmic axes cannot show 0.
    const auto has_all_times = [&](const Report& one) {
        return one.experiment.variant == run.variant.id &&
               std::ranges::all_of(get_times(one), [](double ns) { return ns > 0; });
    };
    for (const auto& [elements, report] : add.latest_by(key::elements.id, has_all_times)) {
        sizes.push_back(elements);
        for (std::size_t i = 0; i < lines.size(); ++i)
            lines[i].push_back(get_times(*report)[i]);
    }
    FigureBuilder& figure =
        add.figure("break_even", "Time against size", {"elements", AxisScale::logarithmic},
                   {"time", "ns", AxisScale::logarithmic})
            .whole_numbers()
            .measured()
            .only_if(!sizes.empty());
    for (std::size_t i = 0; i < lines.size(); ++i)
        figure.line(time_labels[i], sizes, lines[i], time_colors[i]);
    figure.note("The latest run of {} at each size, interpolated in between.", run.variant.id)
        .note(mark_break_even(figure, sizes, lines[1], lines[2], "one thread"))
        .note(mark_break_even(figure, sizes, lines[1], lines[3], "all threads"))
        .note_if(sizes.size() < 2, "Run other sizes to extend the lines.");
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
        {{{"per_element", "One invocation per element",
           "As many invocations as elements: each computes the density of one x."}},
         {{"grid_stride", "Grid-stride loop",
           "As many invocations as keep the device busy; each strides over the elements by the grid size."},
          {.fills_cpu_device = true, .fills_gpu = true}},
         {{"vec4", "Four elements per load",
           "The grid-stride loop over groups of four: loads and stores of 16 bytes, four in flight at once."},
          {.fills_cpu_device = true},
          {.per_invocation = 4}},
         {{"float64", "In double",
           "The loop of vec4 in double: GLSL has no exp for doubles, so the kernel implements its own."},
          {.fills_cpu_device = true, .in_double = true, .operations = 39},
          {.per_invocation = 4}}},
        {{{"logistic", "The logistic density",
           "Write the kernel from scratch: another bell, with thicker tails."},
          {.operations = 8},
          {.task = {.plan = plan_logistic,
                    .remarks = no_op,
                    .reference = logistic_reference,
                    .pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::gaussian
