// One layer of a neural network: the least arithmetic, so that what counts is how often its bytes are moved.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/parallel_for.h"
#include "base/units.h"
#include "hidden_layer/hidden_layer.h"
#include "launch/slices.h"
#include "lesson/fast_math.h"
#include "lesson/stock.h"

namespace gridstride::lessons::hidden_layer {

namespace {

std::vector<Parameter> parameters() {
    std::vector<Parameter> all = common_parameters(
        1'000'000, 256,
        {number_parameter(key::gain, "Gain", "Multiplies the weighed value before tanh.", 1, 0, 1000,
                          Invalidates::reference),
         choice_parameter(key::formula, "tanh",
                          "How tanh is computed: as its definition is written, or in another form.",
                          Invalidates::launch,
                          {{"stable", "stable"}, {"as_written", "as written", /*wrong_on_purpose=*/true}})});
    all.front().help = "How many pixels the layer has: one grey level, one weight and one activation each.";
    all.front().maximum = 1u << 28;  // 1 GiB for each of the three arrays
    return all;
}

// The input: a grey level and a weight for each pixel.

/// Beside the grey levels "weights": normal, mean 0.5, standard deviation 0.1 (stream 1 of the seed), f32.
Input with_weights(ArrayRef greyscales, std::uint32_t width, const Values& values) {
    Array weights = normal_f32(greyscales->count(), values[key::seed], 0.5, 0.1, 1);
    return {{"greyscales", std::move(greyscales), width}, {"weights", share(std::move(weights))}};
}

/// "greyscales": floor(255 u), u uniform in [0, 1) (stream 0), so whole numbers 0 … 254, as f32.
Input input(const Values& values) {
    Array greyscales = uniform_f32(values[key::elements], values[key::seed], 0, 255);
    const auto out = greyscales.as<float>();
    parallel_for(out.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            out[i] = std::floor(out[i]);
    });
    return with_weights(share(std::move(greyscales)), 0, values);
}

/// A number that is not finite, or whose magnitude is above 1e30, could overflow on its way to tanh.
std::string why_no_grey_level(double number) {
    constexpr double largest = 1e30;
    if (std::abs(number) <= largest) return {};
    return fmt::format(
        "{} cannot be a grey level. Those are finite, usually 0 to 255, and at most {:g} here. Remove or "
        "replace it.",
        number, largest);
}

/// A picture's width goes along.
Input input_from_user(const UserData& data, const Values& values) {
    return with_weights(numbers_of_user<float>(data, &why_no_grey_level), data.width, values);
}

}  // namespace

// The definition.

Bounded activation(double greyscale, double weight, double gain) {
    const Bounded weighed = Bounded{greyscale} / Bounded{255} * Bounded{weight};
    return tanh(Bounded{gain} * weighed);
}

namespace {

/// Both in f32, so that those of 100 million fit. The reference is rounded by half an ulp, what is allowed by
/// as much of itself.
std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    const auto greyscales = get(input, "greyscales").as<float>();
    const auto weights = get(input, "weights").as<float>();
    const double gain = gain_f32(asked.values());
    Array activations(ElementType::f32, greyscales.size()), allowed(ElementType::f32, greyscales.size());
    const auto out = activations.as<float>(), errors = allowed.as<float>();
    parallel_for(out.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Bounded right = activation(greyscales[i], weights[i], gain);
            out[i] = static_cast<float>(right.value);
            errors[i] = static_cast<float>(right.error + ulp_of_f32 * std::abs(right.value));
        }
    });
    return {{"activations", share(std::move(activations)), {0, 1}, share(std::move(allowed))}};
}

/// tanh within some units in the last place, by the kernels' formulas.
// Comparisons are made on the bits of positive floats, which order as whole numbers do, and the branch-free
// choice at the end is made by bits too: with `a < b ? x : y` on floats the compiler computes only the one
// that is wanted, which takes a branch, and gives up on vector instructions.
inline float fast_tanh(float v) {
    const float size = std::abs(v);
    const auto size_bits = std::bit_cast<std::int32_t>(size);
    constexpr auto forty = std::bit_cast<std::int32_t>(40.0f);  // from there on 1 - e^(-2 |v|) is 1 in f32
    const float q = exp_of_minus(2 * std::bit_cast<float>(size_bits < forty ? size_bits : forty));
    const float far = std::copysign((1 - q) / (1 + q), v);
    const float s = v * v;
    float p = -5.70498872745e-3f * s + 2.06390887954e-2f;
    p = p * s - 5.37397155531e-2f;
    p = p * s + 1.33314422036e-1f;
    p = p * s - 3.33332819422e-1f;
    const float near = v + v * (s * p);
    constexpr auto boundary = std::bit_cast<std::int32_t>(0.625f);
    const std::uint32_t is_near = size_bits < boundary ? ~0u : 0u;
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(near) & is_near) |
                                (std::bit_cast<std::uint32_t>(far) & ~is_near));
}

/// The layer on the CPU, written to be fast, in a form that compilers turn into vector instructions: the time
/// that the GPU is compared with. One pass over memory, as in the fused kernel. All activations go into an
/// array of their own; the answer is their sum.
double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const auto greyscales = get(input, "greyscales").as<float>();
    const auto weights = get(input, "weights").as<float>();
    const float gain = gain_f32(values);
    Array activations(ElementType::f32, greyscales.size());
    const auto out = activations.as<float>();
    return in_parts(out.size(), std::size_t{1} << 15, [=](std::size_t first, std::size_t last) {
        // In blocks that are still in the cache when they are summed.
        constexpr std::size_t block = 4096;
        double total = 0;
        for (std::size_t begin = first; begin < last; begin += block) {
            const std::size_t count = std::min(block, last - begin);
            const float* grey = greyscales.data() + begin;
            const float* weight = weights.data() + begin;
            float* activation = out.data() + begin;
            for (std::size_t i = 0; i < count; ++i)
                activation[i] = fast_tanh(gain * (grey[i] / 255.0f * weight[i]));
            total += fast_sum(std::span<const float>(activation, count));
        }
        return total;
    });
}

// The plan.

/// What a plan is written with. The values on their way from grey level to activation are kept where the
/// activations will be, so every way needs 12 bytes of device memory an element: 100 million fit in 1.2 GB.
struct Layer {
    PlanBuffer greyscales, weights, activations;
    float gain;
    bool as_written;
};

void launch(PlanBuilder& plan, const char* label, const char* kernel, std::vector<Binding> bindings,
            const Layer* activates = nullptr) {
    Dispatch& launch = plan.launch(label, kernel, std::move(bindings));
    // The unrolled loop takes several passes an iteration, so one a pass is an upper bound; two for the
    // loops' ends.
    launch.iterations_per_pass = 1;
    launch.iterations_once = 2;
    if (!activates) return;
    launch.constants = {activates->as_written ? 1u : 0u};
    launch.push = {std::bit_cast<std::uint32_t>(activates->gain)};
}

void normalise(PlanBuilder& plan, const Layer& layer) {
    launch(plan, "normalise", "hidden_layer/normalise",
           {reads_each(layer.greyscales), writes_each(layer.activations)});
}
void weigh(PlanBuilder& plan, const Layer& layer) {
    launch(plan, "weigh", "hidden_layer/weigh", {reads_each(layer.weights), updates_each(layer.activations)});
}
void activate(PlanBuilder& plan, const Layer& layer) {
    launch(plan, "activate", "hidden_layer/activate", {updates_each(layer.activations)}, &layer);
}
void bring_back_and_upload_again(PlanBuilder& plan, const Layer& layer) {
    plan.download(layer.activations);
    plan.end_submit();  // what goes up has to have come down
    plan.upload(layer.activations);
}

struct Way : Variant {
    void (*write)(PlanBuilder& plan, const Layer& layer);  ///< from the first upload to the last launch
};

/// An invocation takes four neighbours at a time: one load of 16 bytes.
constexpr std::uint64_t quad = 4;

const std::vector<Way>& ways() {
    static const std::vector<Way> all = {
        {{"round_trips", "Three round trips",
          "Three launches, and after each the values come back to the host and go up again for the next.",
          "hidden_layer/normalise.comp", quad},
         [](PlanBuilder& plan, const Layer& layer) {
             plan.upload(layer.greyscales);
             normalise(plan, layer);
             bring_back_and_upload_again(plan, layer);
             plan.upload(layer.weights);
             weigh(plan, layer);
             bring_back_and_upload_again(plan, layer);
             activate(plan, layer);
         }},
        {{"resident", "Stay on the device",
          "The same three launches, one submission each; the values stay in device memory between them.",
          "hidden_layer/weigh.comp", quad},
         [](PlanBuilder& plan, const Layer& layer) {
             plan.upload(layer.greyscales);
             plan.upload(layer.weights);
             for (const auto step : {&normalise, &weigh, &activate}) {
                 step(plan, layer);
                 plan.end_submit();
             }
         }},
        {{"one_submit", "One submission",
          "The same three launches, recorded one after another and submitted once.",
          "hidden_layer/activate.comp", quad},
         [](PlanBuilder& plan, const Layer& layer) {
             plan.upload(layer.greyscales);
             plan.upload(layer.weights);
             for (const auto step : {&normalise, &weigh, &activate})
                 step(plan, layer);
         }},
        {{"fused", "One kernel",
          "One launch does all three steps; what they pass on never leaves the registers.",
          "hidden_layer/fused.comp", quad},
         [](PlanBuilder& plan, const Layer& layer) {
             plan.upload(layer.greyscales);
             plan.upload(layer.weights);
             launch(plan, "the whole layer", "hidden_layer/fused",
                    {reads_each(layer.greyscales), reads_each(layer.weights), writes_each(layer.activations)},
                    &layer);
         }},
    };
    return all;
}

void plan(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    const std::uint64_t n = plan.elements();
    // A software device runs one subgroup to its end before the next, so each pass is another far-off place
    // that the processor's caches and prefetchers have to follow: few passes.
    constexpr std::uint64_t passes = 4;
    if (plan.limits().is_cpu) plan.natural_grid(std::max<std::uint64_t>(64, divide_up(plan.tiles(), passes)));
    const Layer layer{plan.input("greyscales", ElementType::f32, {n}),
                      plan.input("weights", ElementType::f32, {n}),
                      plan.output("activations", ElementType::f32, {n}), gain_f32(values),
                      values[key::formula] == Formula::as_written};
    row_of(ways(), variant).write(plan, layer);
    plan.download(layer.activations);
    // Two divisions, two products, two exponentials, a sum and a difference.
    plan.costs(3 * 4 * n, 8 * n);
    plan.main_output("activations");
}

void remarks_on_formula(Remarks& say, const Values& values) {
    constexpr double largest_exponent = 88.72;  // e^v is beyond the largest f32 from here on: ln(3.4e38)
    const double gain = values[key::gain];
    if (gain == 0) say.note(key::gain, "Every activation is tanh(0) = 0.");
    if (values[key::formula] == Formula::stable) return;
    say.caution(key::formula,
                "Near v = 0 the difference of two numbers close to 1 has few digits left: relative to the "
                "small answer the error is large.");
    // 254 / 255 times a weight; of a hundred million weights the largest is near 1.06.
    if (gain * 1.06 > largest_exponent)
        say.caution(key::gain, fmt::format("v goes up to about {}. Above {} e^v is more than f32 can hold, "
                                           "and infinity divided by infinity is not a number.",
                                           format_significant(gain, 2), largest_exponent));
}

void remarks(Remarks& say, const Prepared& asked) {
    const Limits& limits = asked.limits;
    const Plan& plan = asked.plan;
    const Dispatch& main = plan.main();
    const std::uint64_t n = main.elements();
    const std::uint64_t groups = main.workgroup_count();
    const std::uint64_t each = kernel_bytes(plan) / n;
    say.note(each * n == plan.least_bytes
                 ? fmt::format("The kernel moves {} bytes an element: the least there is.", each)
                 : fmt::format("The kernels move {} bytes an element; {} is the least.", each,
                               plan.least_bytes / n));
    const auto trips = std::count_if(plan.steps.begin(), plan.steps.end(),
                                     [](const Step& step) { return std::holds_alternative<Download>(step); });
    if (limits.is_cpu && trips > 1)
        say.note(
            "On a software device a trip is a copy within the computer's own memory. A GPU's crosses a bus.");
    const std::uint64_t bytes = plan.buffers.front().bytes();
    const std::size_t slices = slice(main, plan.buffers, limits).slices.size();
    if (slices > 1 && bytes >= limits.max_binding_bytes)
        say.note(key::elements,
                 fmt::format("Each array is {}; this device binds {} at a time, so a launch runs as {} "
                             "dispatches.",
                             bytes_text(bytes), bytes_text(limits.max_binding_bytes), format_count(slices)));
    if (groups > main.tiles()) say.note(key::workgroup_count, "An invocation takes four pixels at a time.");
    if (groups < limits.multiprocessors && groups < main.tiles())
        say.caution(key::workgroup_count,
                    fmt::format("{} of {} multiprocessors have nothing to do.",
                                limits.multiprocessors - groups, limits.multiprocessors));
    remarks_on_formula(say, asked.values());
}

/// A single activation that is not a number makes the other three results not a number too.
std::vector<Fact> result(const Prepared&, const Outputs& outputs) {
    const Array* const found = find(outputs, "activations");
    if (!found || found->empty()) return {};
    const FloatSummary all = summary_of(found->as<float>());
    return {{"mean", "Mean activation", all.sum / static_cast<double>(found->count())},
            {"min", "Smallest", all.smallest},
            {"max", "Largest", all.largest},
            {"not_numbers", "Not a number", all.not_numbers}};
}

// To make: a layer with a bias, and with max(0, v) in place of tanh, and the mean of its activations in the
// same launch.

constexpr float bias = -0.25F;

/// v = gain * (grey / 255 * weight) + bias, or 0 where that is below 0. Of v's first part 4 u, with u = 2^-23
/// as above, and one rounding of the sum: of their magnitudes 5 u, which max() passes on at most. The mean is
/// off by as much of the mean magnitude, and by what an f32 sum of a workgroup's numbers in any order is: the
/// CPU adds the workgroups' sums in double.
std::vector<Expected> layer_and_mean_reference(const Input& input, const Prepared& asked) {
    const auto greyscales = get(input, "greyscales").as<float>();
    const auto weights = get(input, "weights").as<float>();
    const double gain = gain_f32(asked.values());
    Array activations(ElementType::f64, greyscales.size()), magnitudes(ElementType::f64, greyscales.size());
    const auto out = activations.as<double>(), sizes = magnitudes.as<double>();
    parallel_for(out.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double weighed = gain * (double{greyscales[i]} / 255 * weights[i]);
            out[i] = std::max(0.0, weighed + bias);
            sizes[i] = std::abs(weighed) + std::abs(double{bias});
        }
    });
    const auto mean_of = [](std::span<const double> numbers) {
        return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
    };
    const double mean = mean_of(out), mean_magnitude = mean_of(sizes);
    constexpr double of_each = 5 * 0x1p-23;
    // A workgroup's numbers, and one addition more for each slice, of which there are no more than passes.
    const Dispatch& launch = asked.plan.main();
    const std::uint64_t chain = launch.passes() * (launch.elements_per_workgroup() + 1);
    const double of_sum = tolerance_of_f32_sum(chain, greyscales.size()).relative;
    return {{"activations", share(std::move(activations)), {0, of_each}, share(std::move(magnitudes))},
            {"mean", share<double>({&mean, 1}), {0, of_each + of_sum}, share<double>({&mean_magnitude, 1})}};
}

/// {sums of the workgroups, activations} -> the mean of the activations.
Array mean_of_sums(std::span<const Array* const> arrays) {
    const auto sums = arrays[0]->as<float>();
    const double mean =
        std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(arrays[1]->count());
    return Array::of<double>({&mean, 1});
}

void plan_layer_and_mean(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const std::uint64_t size = plan.workgroup_size();
    const PlanBuffer greyscales = plan.input("greyscales", ElementType::f32, plan.domain());
    const PlanBuffer weights = plan.input("weights", ElementType::f32, plan.domain());
    const PlanBuffer activations = plan.output("activations", ElementType::f32, plan.domain());
    const PlanBuffer sums = plan.output("sums", ElementType::f32, {plan.workgroup_count()});
    plan.upload(greyscales);
    plan.upload(weights);
    Dispatch& launch =
        plan.launch("the layer and its sums", "hidden_layer/layer_and_mean_start",
                    {reads_each(greyscales), reads_each(weights), writes_each(activations), updates(sums)});
    launch.push = {std::bit_cast<std::uint32_t>(gain_f32(values)), std::bit_cast<std::uint32_t>(bias)};
    launch.shared_bytes = sizeof(float) * size;
    launch.iterations_once = 2 + size;  // one invocation may add up what all have
    plan.download(activations);
    plan.download(sums);
    plan.host_step("CPU takes the mean", "mean", &mean_of_sums, {"sums", "activations"});
    plan.costs(3 * 4 * plan.elements(), 6 * plan.elements());
    plan.main_output("activations");
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "hidden_layer",
        .title = "Hidden layer",
        .parameters = parameters(),
        .noun = "pixels",
        .variants = {ways().begin(), ways().end()},
        .default_variant = "round_trips",
        .exercises = {{.id = "layer_and_mean",
                       .title = "A layer and its mean",
                       .summary = "Both in one launch.",
                       .kernel = "hidden_layer/layer_and_mean_start.comp",
                       .uses_subgroups = true,
                       .is_baselines_work = false,
                       .solution = "hidden_layer/layer_and_mean.comp",
                       .task = {.plan = &plan_layer_and_mean,
                                .remarks = nothing,
                                .reference = &layer_and_mean_reference,
                                .result = &result,
                                .pictures = nothing}}},
        .input = &input,
        .input_files = {".png", ".csv", ".npy"},
        .input_from_user = &input_from_user,
        .task = {.plan = &plan,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = drawn_by(&pictures)},
        .baseline = &on_cpu,
    };
    return lesson;
}

}  // namespace gridstride::lessons::hidden_layer
