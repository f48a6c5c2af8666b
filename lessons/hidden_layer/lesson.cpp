// One layer of a neural network: so little arithmetic that the time depends on how often its bytes are moved.
#include "figures/lesson_headers.h"

namespace gridstride::lessons::hidden_layer {

namespace {

enum class Formula { stable, as_written };
constexpr Key<double> gain{"gain"};
constexpr Key<Formula> formula{"formula"};

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = common_parameters(
        1'000'000, 256,
        {number_parameter(gain, "Gain", "Each weighted value is multiplied by the gain before tanh.", 1, 0,
                          1000, Invalidates::reference),
         choice_parameter(
             formula, "tanh",
             "How tanh is computed: by its definition as written, or in a numerically stable form.",
             Invalidates::launch,
             {{"stable", "stable"}, {"as_written", "as written", /*wrong_on_purpose=*/true}})});
    all.front().help = "The number of pixels. Each has one grey level, one weight and one activation.";
    all.front().maximum = 1u << 28;  // 1 GiB for each of the three arrays
    return all;
}

/// Returns the gain as the kernels and the reference use it: rounded to f32, and flushed to 0 below the
/// smallest normal f32, as a device may do.
float get_gain_f32(const Values& values) {
    const auto rounded = static_cast<float>(values[gain]);
    return rounded < smallest_normal_f32 ? 0.0f : rounded;
}

/// The work between the three steps from grey level to activation.
enum class StepBoundary { round_trip, submission, nothing };
struct Facts {
    StepBoundary boundary = StepBoundary::nothing;
    bool is_fused = false;  ///< one kernel does all three steps
};
using Run = gridstride::Run<Facts>;

// Input: a grey level and a weight for each pixel.

/// Adds "weights" to the grey levels: f32, normal with mean 0.5 and standard deviation 0.1 (stream 1 of the
/// seed).
Input add_weights(ArrayRef greyscales, std::uint32_t width, const Values& values) {
    Array weights = normal_f32(greyscales->count(), values[key::seed], 0.5, 0.1, 1);
    return {{"greyscales", std::move(greyscales), width}, {"weights", share(std::move(weights))}};
}

/// "greyscales": floor(255 u), with u uniform in [0, 1) (stream 0): whole numbers 0 … 254, as f32.
Input input(const Values& values) {
    const Array samples = uniform_f32(values[key::elements], values[key::seed], 0, 255);
    const auto levels = samples.as<float>();
    return add_weights(
        generate_array<float>(levels.size(), [&](std::size_t i) { return std::floor(levels[i]); }), 0,
        values);
}

/// Rejects numbers that are not finite or whose magnitude is above 1e30, because they could overflow before
/// tanh. Keeps the width of a picture.
Input input_from_user(const UserData& data, const Values& values) {
    const NumberCheck check =
        max_magnitude_check(1e30,
                            "{} cannot be a grey level. Grey levels are finite, usually 0 to 255, and "
                            "here at most {} in magnitude. Remove or replace it.");
    return add_weights(convert_user_numbers<float>(data, check), data.width, values);
}

// Definitions. The gain is exact.

struct Pixels {
    std::span<const float> greyscales, weights;
    double gain;

    Pixels(const Input& input, const Values& values)
        : greyscales(get(input, "greyscales").as<float>()),
          weights(get(input, "weights").as<float>()),
          gain(get_gain_f32(values)) {}
    Bounded value(std::size_t i) const {
        return Bounded{gain} * (Bounded{greyscales[i]} / Bounded{255} * Bounded{weights[i]});
    }
};

/// In f32, so that 100 million activations fit in memory.
std::vector<Expected> reference(const Input& input, const Run& run) {
    const Pixels pixels(input, run.values);
    return {make_expected(
        "activations", pixels.weights.size(), [&](std::size_t i) { return tanh(pixels.value(i)); },
        ElementType::f32)};
}

/// The exercise: a layer with a bias and max(0, v) instead of tanh, and the mean of its activations.
constexpr float bias = -0.25F;

std::vector<Expected> layer_and_mean_reference(const Input& input, const Run& run) {
    const Pixels pixels(input, run.values);
    const std::size_t count = pixels.weights.size();
    const auto activation = [&](std::size_t i) {
        return maximum(Bounded{0}, pixels.value(i) + Bounded{bias});
    };
    TermSum all;
    for (std::size_t i = 0; i < count; ++i)
        all += TermSum(activation(i));
    // A workgroup adds its numbers in any order, plus one addition per slice, of which there are at most as
    // many as passes. The CPU adds the workgroups' sums in double.
    const Dispatch& launch = run.plan.main();
    Bounded mean = all.rounded(count, launch.passes() * (launch.elements_per_workgroup() + 1));
    mean.value /= static_cast<double>(count);
    mean.error /= static_cast<double>(count);
    return {make_expected("activations", count, activation), expected_number("mean", mean)};
}

// Baseline.

/// One pass over memory, as in the fused kernel. All activations go into an array; the result is their sum.
double on_cpu(const Input& input, const Values& values, SumRanges sum_ranges) {
    const Pixels pixels(input, values);
    const auto factor = static_cast<float>(pixels.gain);
    Array created(ElementType::f32, pixels.weights.size());
    const auto activations = created.as<float>();
    return sum_ranges(activations.size(), std::size_t{1} << 15, [=](std::size_t first, std::size_t last) {
        // Blocks that are still in the cache when they are summed.
        constexpr std::size_t block = 4096;
        double total = 0;
        for (std::size_t begin = first; begin < last; begin += block) {
            const std::size_t end = std::min(begin + block, last);
            for (std::size_t i = begin; i < end; ++i)
                activations[i] = fast_tanh(factor * (pixels.greyscales[i] / 255.0f * pixels.weights[i]));
            total += fast_sum<float>(activations.subspan(begin, end - begin));
        }
        return total;
    });
}

// Launches.

Dispatch& launch(PlanBuilder& plan, const char* label, const char* kernel, std::vector<Binding> bindings) {
    Dispatch& created = plan.launch(label, kernel, std::move(bindings));
    // An iteration of the unrolled loop does several passes, so one per pass is an upper bound; two for the
    // ends of the loops.
    created.iterations_per_pass = 1;
    created.iterations_once = 2;
    return created;
}
void set_formula(Dispatch& launch, const Run& run) {
    launch.constants = {run[formula] == Formula::as_written ? 1u : 0u};
    launch.push = {word(get_gain_f32(run.values))};
}

/// Intermediate values are stored where the activations will be, so every variant needs 12 bytes of device
/// memory per element: 100 million fit in 1.2 GB.
struct Layer {
    PlanBuffer greyscales, weights, activations;

    explicit Layer(PlanBuilder& plan)
        : greyscales(plan.input("greyscales")),
          weights(plan.input("weights")),
          activations(plan.output("activations")) {}
};

void plan(PlanBuilder& plan, const Run& run) {
    // A software device finishes one subgroup before the next, so each pass is another distant memory region
    // for the CPU's caches and prefetchers. Hence few passes.
    constexpr std::uint64_t passes = 4;
    if (run.limits.is_cpu)
        plan.set_default_grid(std::max<std::uint64_t>(64, divide_up(plan.tiles(), passes)));
    const Layer layer(plan);
    const StepBoundary boundary = run.facts.boundary;
    plan.upload(layer.greyscales);
    if (boundary != StepBoundary::round_trip) plan.upload(layer.weights);
    if (run.facts.is_fused) {
        set_formula(
            launch(plan, "the whole layer", "hidden_layer/fused",
                   {reads_each(layer.greyscales), reads_each(layer.weights), writes_each(layer.activations)}),
            run);
    } else {
        const auto end_step = [&] {
            if (boundary == StepBoundary::round_trip) plan.download(layer.activations);
            // The download has to finish before the upload.
            if (boundary != StepBoundary::nothing) plan.end_submit();
            if (boundary == StepBoundary::round_trip) plan.upload(layer.activations);
        };
        launch(plan, "normalise", "hidden_layer/normalise",
               {reads_each(layer.greyscales), writes_each(layer.activations)});
        end_step();
        if (boundary == StepBoundary::round_trip) plan.upload(layer.weights);
        launch(plan, "weigh", "hidden_layer/weigh",
               {reads_each(layer.weights), updates_each(layer.activations)});
        end_step();
        set_formula(launch(plan, "activate", "hidden_layer/activate", {updates_each(layer.activations)}),
                    run);
        if (boundary == StepBoundary::submission) plan.end_submit();
    }
    plan.download_main(layer.activations);
    // Two divisions, two products, two exponentials, a sum and a difference.
    plan.set_cost({layer.greyscales, layer.weights, layer.activations}, 8 * plan.elements());
}

/// Computes the mean from {sums of the workgroups, activations}.
Array compute_mean(std::span<const Array* const> arrays) {
    const auto sums = arrays[0]->as<float>();
    const double mean =
        std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(arrays[1]->count());
    return Array::of<double>({&mean, 1});
}

void plan_layer_and_mean(PlanBuilder& plan, const Run& run) {
    const std::uint64_t size = plan.workgroup_size();
    const Layer layer(plan);
    const PlanBuffer sums = plan.output("sums", ElementType::f32, {plan.workgroup_count()});
    plan.upload(layer.greyscales);
    plan.upload(layer.weights);
    Dispatch& launch = plan.launch("the layer and its sums", run.kernel(),
                                   {reads_each(layer.greyscales), reads_each(layer.weights),
                                    writes_each(layer.activations), updates(sums)});
    launch.push = {word(get_gain_f32(run.values)), word(bias)};
    launch.shared_bytes = sizeof(float) * size;
    launch.iterations_once = 2 + size;  // one invocation may add up all partial sums
    plan.download_main(layer.activations);
    plan.download(sums);
    plan.host_step("CPU computes the mean", "mean", &compute_mean, {"sums", "activations"});
    plan.set_cost({layer.greyscales, layer.weights, layer.activations}, 6 * plan.elements());
}

void add_formula_remarks(Remarks& add, const Run& run) {
    constexpr double max_exponent = 88.72;  // e^v overflows f32 from here on: ln(3.4e38)
    if (run[gain] == 0) add.note(gain, "Every activation is tanh(0) = 0.");
    if (run[formula] == Formula::stable) return;
    add.caution(formula,
                "Near v = 0, this formula subtracts two numbers close to 1, and few digits of the small "
                "difference are correct: the relative error is large.");
    // 254 / 255 times a weight; the largest of a hundred million weights is about 1.06.
    if (run[gain] * 1.06 > max_exponent)
        add.caution(gain,
                    "v goes up to about {}. Above {}, e^v overflows f32, and infinity divided by infinity is "
                    "not a number.",
                    format_significant(run[gain], 2), max_exponent);
}

void remarks(Remarks& add, const Run& run) {
    const Limits& limits = run.limits;
    const Plan& plan = run.plan;
    const Dispatch& main = plan.main();
    const std::uint64_t n = main.elements(), groups = main.workgroup_count(), each = kernel_bytes(plan) / n;
    add.note(each * n == plan.min_bytes
                 ? fmt::format("The kernel moves {} bytes per element, which is the minimum.", each)
                 : fmt::format("The kernels move {} bytes per element; the minimum is {}.", each,
                               plan.min_bytes / n));
    if (limits.is_cpu && run.facts.boundary == StepBoundary::round_trip)
        add.note(
            "On a software device, a transfer is a copy within host memory. On a discrete GPU, it crosses a "
            "bus.");
    const std::uint64_t bytes = plan.buffers.front().bytes();
    const std::size_t slices = slice(main, plan.buffers, limits).slices.size();
    if (slices > 1 && bytes >= limits.max_binding_bytes)
        add.note(key::elements,
                 "Each array takes {}; this device can bind {} at a time, so a launch runs as {} dispatches.",
                 format_bytes_beside(bytes, limits.max_binding_bytes),
                 format_bytes_beside(limits.max_binding_bytes, bytes), format_count(slices));
    if (groups > main.tiles())
        add.note(key::workgroup_count,
                 "Each invocation processes four pixels at a time, so some workgroups have no pixels.");
    if (groups < limits.multiprocessors && groups < main.tiles())
        add.caution(key::workgroup_count, "{} of {} multiprocessors have no work.",
                    limits.multiprocessors - groups, limits.multiprocessors);
    add_formula_remarks(add, run);
}

/// A single NaN activation makes the other three results NaN.
std::vector<Fact> result(const Run&, const Outputs& outputs) {
    const Array& activations = get(outputs, "activations");
    const NumberSummary all = summarize_numbers(activations);
    return {{"mean", "Mean activation", all.sum / static_cast<double>(activations.count())},
            {"min", "Smallest", all.smallest},
            {"max", "Largest", all.largest},
            {"not_numbers", "Not a number", all.nan_count}};
}

// Pictures. They are redrawn several times a second while runs arrive, so they sample this many
// activations.
constexpr std::size_t max_counted = 100'000, max_compared = 2'000;

/// Draws the steps over time. The array is labelled by its final content; until the last kernel it holds
/// values.
void draw_timeline(Figures& add) {
    std::optional<Plot> plot = make_variant_timeline(add.of());
    if (!plot) return;
    for (Timeline::Row& row : std::get<Timeline>(plot->content).rows) {
        const auto last_kernel =
            std::find_if(row.bars.rbegin(), row.bars.rend(),
                         [](const Timeline::Bar& bar) { return bar.color_role == ColorRole::kernel; });
        for (auto bar = row.bars.begin(); bar < last_kernel.base(); ++bar)
            if (const std::size_t at = bar->label.find(" activations"); at != std::string::npos)
                bar->label.replace(at, std::string::npos, " values");
    }
    add.plot(std::move(plot));
}

/// Draws the steps of each variant, and the bytes that they move per element.
void draw_plans(Figures& add, const Run& run) {
    enum Cell : std::uint8_t { up, computes, down, host };
    Cells cells{.kinds = {{"upload", ColorRole::upload},
                          {"kernel", ColorRole::kernel},
                          {"download", ColorRole::download},
                          {"host waits and submits again", ColorRole::wait}},
                .cell_name = "step"};
    std::vector<std::string> variants;
    std::vector<double> uploads, kernels, downloads;
    const auto n = static_cast<double>(run[key::elements]);
    for (const Variant& variant : run.variants()) {
        Experiment other = run.prepared.experiment;
        other.variant = variant.id;
        const Plan plan = prepare(*run.prepared.lesson, std::move(other), run.limits).plan;
        Cells::Row& row = cells.add_row(variant.id, plan.steps.size(), [&](std::size_t i) {
            const Step& step = plan.steps[i];
            return std::holds_alternative<Upload>(step)      ? up
                   : std::holds_alternative<Download>(step)  ? down
                   : std::holds_alternative<SubmitEnd>(step) ? host
                                                             : computes;
        });
        const auto count_steps = [&](Cell kind) { return word(std::ranges::count(row.kinds, kind)); };
        row.note = counted(count_steps(up) + count_steps(down), "transfer") + ", " +
                   counted(count_steps(host) + 1, "submission");
        variants.push_back(variant.id);
        uploads.push_back(static_cast<double>(uploaded_bytes(plan)) / n);
        kernels.push_back(static_cast<double>(kernel_bytes(plan)) / n);
        downloads.push_back(static_cast<double>(downloaded_bytes(plan)) / n);
    }
    add.cells("trips", "The steps of each variant", std::move(cells),
              "One cell per step. The width of a cell does not show its time.");
    add.figure("bytes", "Bytes moved per element", {}, "bytes per element")
        .categories(std::move(variants))
        .stacked("uploads", std::move(uploads), ColorRole::upload)
        .stacked("kernels", std::move(kernels), ColorRole::kernel)
        .stacked("downloads", std::move(downloads), ColorRole::download)
        .note(
            "Uploads and downloads cross between host and device; kernels read and write device memory. "
            "Times {}.",
            counted(run[key::elements], "element"));
}

/// Draws tanh up to the largest v of this gain, beside v itself.
void draw_tanh(Figures& add, const Run& run) {
    constexpr double min_end = 3;  // tanh is nearly 1 here
    const double end = std::max<double>(min_end, get_gain_f32(run.values));
    // On a linear axis, the bend would take only a few pixels.
    const AxisScale scale = end > 10 * min_end ? AxisScale::logarithmic : AxisScale::linear;
    const double begin = scale == AxisScale::logarithmic ? 0.01 : 0;
    add.figure("tanh", "v and tanh(v)", {"v", scale}, "activation")
        .line(
            "v", spaced_numbers(begin, 1, 101, scale), [](double v) { return v; }, ColorRole::quiet)
        .line("tanh(v)", spaced_numbers(begin, end, 301, scale), [](double v) { return std::tanh(v); });
}

/// Draws the user's picture and the layer's result. A matrix is drawn as a picture, too, but not if it has
/// only one or two rows: the file that --save-input writes here has two, all grey levels and all weights.
void draw_before_and_after(Figures& add, const NamedArray& greyscales, const PlotArray& activations) {
    constexpr std::uint64_t min_lines = 3;
    const std::uint64_t columns = greyscales.width;
    if (columns < min_lines || greyscales.array->count() / columns < min_lines) return;
    double brightest = 0;
    for (const double activation : activations.sampled(max_counted).numbers())
        brightest = std::max(brightest, activation);
    const double white = brightest > 0 ? brightest : 1;
    add.cells("picture", "Input and output",
              {.numbers = {{"greyscales", greyscales.width, greyscales.array},
                           {"activations", greyscales.width, activations.array, 0, white}}},
              fmt::format("White is grey level 255 on the left and activation {} on the right.",
                          format_significant(white)),
              Origin::measured);
}

/// Draws the relative error of sampled activations against |v|. The reference of the comparison is rounded to
/// f32, an error as large as those of interest, so the definition is evaluated again in double.
void draw_errors(Figures& add, const PlotArray& activations) {
    // A logarithmic axis cannot show an exact result; it is drawn at the bottom.
    constexpr double exact = 1e-9;
    const Pixels pixels(add.report()->input, add.report()->experiment.values);
    Points errors, bounds;
    std::map<double, double> allowed;  // by |v|
    std::size_t nan_count = 0;
    for_each_sampled(activations.count, max_compared, [&](std::size_t i) {
        const Bounded value = pixels.value(i), expected_value = tanh(value);
        const double gpu_value = activations.array->number(i), size = std::abs(value.value);
        if (std::abs(expected_value.value) < 1e-30) return;
        allowed.emplace(size, expected_value.error / std::abs(expected_value.value));
        nan_count += std::isnan(gpu_value);
        if (std::isnan(gpu_value)) return;
        errors.add(size, std::max(std::abs(gpu_value - expected_value.value) / std::abs(expected_value.value),
                                  exact));
    });
    for (const auto& [size, error] : allowed)
        bounds.add(size, error);
    const bool any = !errors.x.empty();
    add.figure("error", "Relative error against |v|", {"|v|", AxisScale::logarithmic},
               {"relative error", AxisScale::logarithmic})
        .only_if(any)
        .scatter("GPU", std::move(errors))
        .line("allowed", std::move(bounds), ColorRole::caution)
        .measured()
        .note("Compared with tanh in double; exact results are drawn at the bottom.")
        .note_if(nan_count > 0, "{} of the sampled results are not a number.", format_count(nan_count));
}

void pictures(Figures& add, const Run& run) {
    draw_timeline(add);
    if (!run.plan.steps.empty()) {
        draw_plans(add, run);
        add.access_map("greyscales", "pixel");
        draw_tanh(add, run);
    }
    const PlotArray activations = add.output("activations");
    if (!activations || add.report()->input.empty()) return;
    draw_before_and_after(add, add.report()->input.front(), activations);
    const PlotArray sample = activations.sampled(max_counted);
    const bool any_negative = std::ranges::any_of(sample.numbers(), [](double a) { return a < 0; });
    add.figure("activations", "Distribution of the activations", "activation")
        .distribution("activations", sample, any_negative ? -1 : 0, 1, 40);
    if (add.is_measured()) draw_errors(add, activations);
}

}  // namespace

const Lesson& lesson() {
    // Each invocation loads four neighbours at a time, with one load of 16 bytes.
    static const Lesson lesson = with_variants<Facts>(
        {.id = "hidden_layer",
         .title = "Hidden layer",
         .parameters = parameters(),
         .noun = "pixels",
         .input = input,
         .input_files = {".png", ".csv", ".npy"},
         .input_from_user = input_from_user,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"round_trips", "Three round trips",
           "Three launches; after each one, the values are downloaded and then uploaded again for the next."},
          {.boundary = StepBoundary::round_trip},
          {.kernel = "hidden_layer/normalise.comp", .per_invocation = 4}},
         {{"resident", "Stay on the device",
           "The same three launches, one submission each; the values stay in device memory between them."},
          {.boundary = StepBoundary::submission},
          {.kernel = "hidden_layer/weigh.comp", .per_invocation = 4}},
         {{"one_submit", "One submission",
           "The same three launches, recorded one after another and submitted once."},
          {},
          {.kernel = "hidden_layer/activate.comp", .per_invocation = 4}},
         {{"fused", "One kernel",
           "One launch does all three steps; the values between them are in registers."},
          {.is_fused = true},
          {.per_invocation = 4}}},
        {{{"layer_and_mean", "A layer and its mean", "Compute the activations and their mean in one launch."},
          {},
          {.uses_subgroups = true,
           .task = {.plan = plan_layer_and_mean,
                    .remarks = no_op,
                    .reference = layer_and_mean_reference,
                    .pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::hidden_layer
