// Zero suppression: of a long recording, only what rises out of the noise is kept.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "base/parallel_for.h"
#include "base/random.h"
#include "base/strict_math.h"
#include "base/units.h"
#include "lesson/stock.h"
#include "zero_suppression/zero_suppression.h"

namespace gridstride::lessons::zero_suppression {

namespace {

constexpr int most_threshold = std::numeric_limits<std::int16_t>::max();

std::vector<Parameter> parameters() {
    return common_parameters(
        100000, 256,
        {number_parameter(key::threshold, "Threshold",
                          "Samples below it are noise: they become 0, or are left out.", 15, 0,
                          most_threshold, Invalidates::reference),
         choice_parameter(
             key::rule, "Rule",
             "What is compared with the threshold: the sample with its sign, or its magnitude, which also "
             "keeps pulses that point down.",
             Invalidates::reference, {{"signed", "signed: value"}, {"magnitude", "magnitude: |value|"}})});
}

/// What "auto" stands for: an invocation for each load, or as many workgroups as the device holds at once.
enum class Grid { each_load, each_load_on_gpus, resident };

struct Way : Variant {
    Grid grid = Grid::resident;
    bool single_samples = true;  ///< it touches 16 bits at a time in memory, and so comes in two builds
    bool compacts = false;       ///< three launches keep the survivors alone; else one silences the rest
};

const std::vector<Way>& ways() {
    static const std::vector<Way> all = {
        {{"per_sample", "One invocation a sample", "Every invocation looks at one sample and stores it or 0.",
          "zero_suppression/per_sample.comp"},
         Grid::each_load},
        {{"grid_stride", "Each takes many",
          "A grid that fits the device goes over all samples; each invocation has four loads under way at "
          "once.",
          "zero_suppression/grid_stride.comp"}},
        {{"packed", "Eight samples a load",
          "As grid_stride, with loads and stores of 16 bytes that hold eight samples each.",
          "zero_suppression/packed.comp", 8},
         Grid::each_load_on_gpus,
         false},
        {{"compact", "Keep the survivors alone",
          "Only samples above the threshold are stored, with their positions: count, prefix sum, scatter.",
          "zero_suppression/compact_scatter.comp", 8},
         Grid::resident,
         true,
         true},
    };
    return all;
}

/// "samples", i16: sample i of n is max(sin(23 i / n) - 0.3, 0) * 300, four pulses, plus normal noise of
/// standard deviation 3, truncated towards zero. Computed in double from strict_sin and, for the noise, the
/// normal quantile of (w + 1/2) / 2^32 with w the i-th word of Philox stream 0.
Input input(const Values& values) {
    const std::size_t n = values[key::elements];
    const std::uint64_t seed = values[key::seed];
    const std::array philox_key = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    Array samples(ElementType::i16, n);
    const auto out = samples.as<std::int16_t>();
    // Not by fill_normal_f32: at 2^28 samples its floats would take twice the memory of all samples.
    parallel_for((n + 3) / 4, std::size_t{1} << 10, [&](std::size_t begin, std::size_t end) {
        for (std::size_t block = begin; block < end; ++block) {
            const auto words = philox4x32({static_cast<std::uint32_t>(block),
                                           static_cast<std::uint32_t>(std::uint64_t{block} >> 32), 0, 0},
                                          philox_key);
            for (std::size_t i = 4 * block; i < std::min(4 * block + 4, n); ++i) {
                const double angle = static_cast<double>(i) / (static_cast<double>(n) / 23);
                const double pulse = std::max(strict_sin(angle) - 0.3, 0.0) * 300;
                const double noise = 3 * normal_quantile((static_cast<double>(words[i % 4]) + 0.5) * 0x1p-32);
                out[i] = static_cast<std::int16_t>(pulse + noise);
            }
        }
    });
    return {{"samples", share(std::move(samples))}};
}

/// Above the strongest sample every threshold does the same.
std::optional<ValueRange> range_of(std::string_view parameter, const Input& input) {
    if (parameter != key::threshold.id) return std::nullopt;
    int strongest = 0;
    for (const std::int16_t sample : get(input, "samples").as<std::int16_t>())
        strongest = std::max(strongest, std::abs(int{sample}));
    return ValueRange{0, static_cast<double>(std::min(strongest + 1, most_threshold))};
}

std::string why_no_sample(double number) {
    using Sample = std::numeric_limits<std::int16_t>;
    if (number >= Sample::min() && number <= Sample::max() && number == std::floor(number)) return {};
    return fmt::format(
        "{} is not a whole number from -32768 to 32767, as samples of 16 bits are. {}", number,
        std::isfinite(number) ? "Scale and round the numbers first." : "Remove or replace it.");
}

Input input_from_user(const UserData& data, const Values&) {
    return {{"samples", numbers_of_user<std::int16_t>(data, &why_no_sample)}};
}

}  // namespace

bool survives(std::int16_t sample, Rule rule, std::uint64_t threshold) {
    const int value = sample;  // in int, where -32768 has a positive twin
    return (rule == Rule::magnitude ? std::abs(value) : value) >= static_cast<int>(threshold);
}

namespace {

/// "silenced", i16: every sample that does not survive is 0. Of a way that compacts instead: "kept", i32, the
/// survivors' positions in rising order and then their values, and "kept_count". Exact.
std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    const Samples samples = get(input, "samples").as<std::int16_t>();
    const auto is_kept = [rule = asked.values()[key::rule], threshold = asked.values()[key::threshold]](
                             std::int16_t sample) { return survives(sample, rule, threshold); };

    if (!row_of(ways(), *asked.variant).compacts) {
        Array silenced(ElementType::i16, samples.size());
        std::replace_copy_if(samples.begin(), samples.end(), silenced.as<std::int16_t>().begin(),
                             std::not_fn(is_kept), std::int16_t{0});
        return {{"silenced", share(std::move(silenced))}};
    }

    const auto count = static_cast<std::uint32_t>(std::count_if(samples.begin(), samples.end(), is_kept));
    Array kept(ElementType::i32, 2 * std::size_t{count});
    const auto positions = kept.as<std::int32_t>().first(count);
    const auto values = kept.as<std::int32_t>().last(count);
    std::size_t next = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (!is_kept(samples[i])) continue;
        positions[next] = static_cast<std::int32_t>(i);
        values[next++] = samples[i];
    }
    return {{"kept", share(std::move(kept))}, {"kept_count", share<std::uint32_t>({&count, 1})}};
}

/// Noise is what lies in [from, to]. Compared in 16 bits, so that the compiler's vector instructions take as
/// many samples at a time as fit.
std::uint64_t silence_part(Samples samples, std::int16_t* silenced, std::int16_t from, std::int16_t to) {
    // So many at a time as the 16-bit count of them can hold, and counted while they are still in the cache.
    constexpr std::size_t block = 4096;
    std::uint64_t kept = 0;
    for (std::size_t start = 0; start < samples.size(); start += block) {
        const std::size_t here = std::min(block, samples.size() - start);
        const std::int16_t* in = samples.data() + start;
        std::int16_t* out = silenced + start;
        for (std::size_t i = 0; i < here; ++i)
            out[i] = ((in[i] >= from) & (in[i] <= to)) ? std::int16_t{0} : in[i];
        std::uint16_t not_zero = 0;
        for (std::size_t i = 0; i < here; ++i)
            not_zero = static_cast<std::uint16_t>(not_zero + (out[i] != 0 ? 1 : 0));
        kept += not_zero;
    }
    return kept;
}

/// The same work on the CPU, written to be fast: silences all samples and returns how many are not 0
/// afterwards.
double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const Samples samples = get(input, "samples").as<std::int16_t>();
    std::int16_t* const silenced = kept_room(ElementType::i16, samples.size()).as<std::int16_t>().data();
    // Nothing is noise at threshold 0 by magnitude: a range that is empty.
    const auto below = static_cast<std::int16_t>(static_cast<int>(values[key::threshold]) - 1);
    const bool is_signed = values[key::rule] == Rule::signed_value;
    const auto from = is_signed ? std::int16_t{INT16_MIN} : static_cast<std::int16_t>(-below);
    return in_parts(samples.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        return static_cast<double>(
            silence_part(samples.subspan(begin, end - begin), silenced + begin, from, below));
    });
}

/// {positions, values, kept_count} -> the positions that are used, then as many values.
Array keep_what_is_used(std::span<const Array* const> arrays) {
    const Array& values = *arrays[1];
    const auto positions = arrays[0]->as<std::int32_t>();
    const std::size_t count = std::min<std::size_t>(arrays[2]->as<std::uint32_t>()[0], positions.size());
    Array kept(ElementType::i32, 2 * count);
    const auto out = kept.as<std::int32_t>();
    std::copy_n(positions.begin(), count, out.begin());
    if (values.type() == ElementType::i16)
        std::copy_n(values.as<std::int16_t>().begin(), count, out.begin() + count);
    else
        std::copy_n(values.as<std::int32_t>().begin(), count, out.begin() + count);
    return kept;
}

/// {samples} -> how many survive the rule "signed" at threshold 0.
Array count_not_negative(std::span<const Array* const> arrays) {
    const Samples samples = arrays[0]->as<std::int16_t>();
    const auto count = static_cast<std::uint64_t>(
        std::count_if(samples.begin(), samples.end(), [](std::int16_t sample) { return sample >= 0; }));
    return Array::of<std::uint64_t>({&count, 1});
}

/// A launch over the samples of a kernel that asks which of them survive.
Dispatch& ask_samples(PlanBuilder& plan, const Values& values, std::string label, const std::string& kernel,
                      std::vector<Binding> bindings) {
    Dispatch& launch = plan.launch(std::move(label), "zero_suppression/" + kernel, std::move(bindings));
    launch.constants = {values[key::rule] == Rule::magnitude ? 1u : 0u};
    launch.push = {static_cast<std::uint32_t>(values[key::threshold])};
    launch.iterations_once = 2;  // the loop by fours ends, and then the loop by ones
    return launch;
}

/// Count, prefix sum, scatter: see the shaders. A tile is what a workgroup takes in one pass.
void compact(PlanBuilder& plan, const Values& values, PlanBuffer samples, const std::string& build) {
    const std::uint64_t size = plan.workgroup_size(), tiles = plan.tiles();
    const ElementType value_type = plan.limits().storage16 ? ElementType::i16 : ElementType::i32;
    const PlanBuffer tile_counts = plan.output("tile_counts", ElementType::u32, {tiles});
    const PlanBuffer kept_count = plan.output("kept_count", ElementType::u32, {1});
    // As long as the samples; the first kept_count of them are used.
    const PlanBuffer positions = plan.output("positions", ElementType::i32, plan.domain());
    const PlanBuffer kept_values = plan.output("values", value_type, plan.domain());

    Dispatch& count = ask_samples(plan, values, "count the survivors of each tile", "compact_count",
                                  {reads_each(samples), writes(tile_counts)});
    // The pass, four words of the mask, the tree.
    count.iterations_per_pass = 1 + (4 + 1) + (tree_levels(size) + 1);
    count.shared_bytes = 4 * size;

    Dispatch& scan = plan.launch_one("places of the tiles", "zero_suppression/compact_scan",
                                     {updates_each(tile_counts), updates(kept_count)}, tiles, 4);
    const std::uint64_t scan_size = scan.workgroup_size();
    scan.iterations_per_pass = 1 + (tree_levels(scan_size) + 1);
    scan.iterations_once = 1;
    scan.shared_bytes = 4 * scan_size;

    Dispatch& scatter =
        ask_samples(plan, values, "survivors to their places", "compact_scatter" + build,
                    {reads_each(samples), reads(tile_counts), writes(positions), writes(kept_values)});
    // The pass, four words of the mask, the prefix sum, eight samples gathered and up to eight written.
    scatter.iterations_per_pass = 1 + (4 + 1) + (tree_levels(size) + 1) + (8 + 1) + (8 + 1);
    scatter.shared_bytes = 4 * 8 * size;

    for (const PlanBuffer buffer : {positions, kept_values, kept_count})
        plan.download(buffer);
    plan.host_step("CPU drops what is unused", "kept", &keep_what_is_used,
                   {"positions", "values", "kept_count"});
    plan.main_output("kept", 2);
    // Every sample must be read once. What is written depends on the data and is not counted. A magnitude, a
    // comparison and an addition of the prefix sum.
    plan.costs(2 * plan.elements(), 3 * plan.elements());
}

void plan(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    const Way& way = row_of(ways(), variant);
    const Limits& limits = plan.limits();
    // Without 16-bit storage an invocation that would own one sample owns a word of two.
    if (way.per_invocation == 1 && !limits.storage16) plan.take_per_invocation(2);
    const bool each_load =
        way.grid == Grid::each_load || (way.grid == Grid::each_load_on_gpus && !limits.is_cpu);
    if (!each_load) plan.natural_grid(plan.resident_workgroups());
    const std::string build = !way.single_samples ? "" : limits.storage16 ? ".storage16" : ".words";

    const PlanBuffer samples = plan.input("samples", ElementType::i16, plan.domain());
    plan.upload(samples);
    if (way.compacts) return compact(plan, values, samples, build);

    const PlanBuffer silenced = plan.output("silenced", ElementType::i16, plan.domain());
    ask_samples(plan, values, "silence the noise", way.id + build,
                {reads_each(samples), writes_each(silenced)});
    plan.download(silenced);
    // There a zero in the output does not tell whether it survived.
    if (values[key::threshold] == 0 && values[key::rule] == Rule::signed_value)
        plan.host_step("CPU counts zeros that survive", "kept_count", &count_not_negative, {"samples"});
    plan.main_output("silenced");
    // Two bytes in and two bytes out, for every sample; a magnitude and a comparison of whole numbers.
    plan.costs(4 * plan.elements(), 2 * plan.elements());
}

void remarks(Remarks& say, const Prepared& asked) {
    const Way& way = row_of(ways(), *asked.variant);
    const Limits& limits = asked.limits;
    const Values& values = asked.values();
    if (way.compacts) {
        say.note(limits.storage16 ? "This device stores single 16-bit numbers: a kept value takes 2 bytes."
                                  : "This device cannot store single 16-bit numbers: a kept value takes 4 "
                                    "bytes in its memory.");
        say.note(
            "The bandwidth counts the 2 bytes of each sample once; compact reads them twice and also writes "
            "what survives.");
        const std::uint64_t most = limits.max_binding_bytes / 4;
        if (values[key::elements] > most)
            say.refuse(
                key::elements,
                fmt::format(
                    "compact keeps room for a position of 4 bytes for every sample, bound in one piece; "
                    "this device binds {} at most (maxStorageBufferRange), room for {} samples.",
                    bytes_text(limits.max_binding_bytes), format_count(most)));
    } else if (way.single_samples) {
        say.note(limits.storage16 ? "This device loads and stores single 16-bit numbers: an invocation takes "
                                    "one sample at a time."
                                  : "This device cannot load or store single 16-bit numbers: an invocation "
                                    "takes a 32-bit word, two samples, at a time.");
    } else {
        say.note("Eight samples a load, as 32-bit words: this variant asks for no 16-bit storage.");
    }
    if (values[key::threshold] == 0)
        say.note(key::threshold, values[key::rule] == Rule::magnitude
                                     ? "No magnitude is below 0: every sample survives."
                                     : "Only negative samples are below 0.");
    if (const std::uint64_t passes = asked.plan.main().passes();
        way.grid == Grid::each_load && values[key::workgroup_count] == 0 && passes > 1)
        say.note(
            key::workgroup_count,
            fmt::format("One invocation for each sample would take more than the {} workgroups that this "
                        "device allows, so the grid goes over the samples {} times.",
                        format_count(limits.max_grid.x), format_count(passes)));
}

/// How many samples survived, from what came back.
std::uint64_t kept_of(const Values& values, const Outputs& outputs) {
    const std::uint64_t samples = values[key::elements];
    if (const Array* count = find(outputs, "kept_count"); count && !count->empty())
        return std::min(static_cast<std::uint64_t>(count->number(0)), samples);
    // At threshold 0 a sample of 0 survives too; at any other a 0 was silenced, or was noise from the start.
    if (values[key::threshold] == 0) return samples;
    const Array* silenced = find(outputs, "silenced");
    if (!silenced) return 0;
    const Samples all = silenced->as<std::int16_t>();
    const auto zeros = [&](std::size_t begin, std::size_t end) {
        return static_cast<double>(std::ranges::count(all.subspan(begin, end - begin), 0));
    };
    return all.size() - static_cast<std::uint64_t>(sum_of_parts(all.size(), std::size_t{1} << 18, zeros));
}

std::vector<Fact> result(const Prepared& run, const Outputs& outputs) {
    const Values& values = run.values();
    const std::uint64_t samples = values[key::elements];
    const std::uint64_t kept = kept_of(values, outputs);
    // As its sparse form, whatever a variant stores: a count of 4 bytes, and for each kept sample a position
    // of 4 bytes and a value of 2.
    const double compression = 2.0 * static_cast<double>(samples) / (4.0 + 6.0 * static_cast<double>(kept));
    return {{"kept", "Kept", kept},
            {"suppressed", "Suppressed", samples - kept},
            {"compression_ratio", "Compression, as positions and values", compression}};
}

// To make: both rules in one pass, which counts what they remove.

std::vector<Expected> reference_of_both(const Input& input, const Prepared& asked) {
    const Samples samples = get(input, "samples").as<std::int16_t>();
    const std::uint64_t threshold = asked.values()[key::threshold];
    Array silenced(ElementType::i16, samples.size());
    const auto out = silenced.as<std::int16_t>();
    std::array<std::uint32_t, 2> removed{};
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const bool by_magnitude = !survives(samples[i], Rule::magnitude, threshold);
        removed[0] += survives(samples[i], Rule::signed_value, threshold) ? 0 : 1;
        removed[1] += by_magnitude ? 1 : 0;
        out[i] = by_magnitude ? std::int16_t{0} : samples[i];
    }
    return {{"silenced", share(std::move(silenced))},
            {"removed", share(std::span<const std::uint32_t>(removed))}};
}

void plan_both(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const PlanBuffer samples = plan.input("samples", ElementType::i16, plan.domain());
    const PlanBuffer silenced = plan.output("silenced", ElementType::i16, plan.domain());
    const PlanBuffer removed = plan.output("removed", ElementType::u32, {2});
    plan.upload(samples);
    plan.fill(removed, 0);
    Dispatch& launch = plan.launch("both rules", "zero_suppression/count_both_start",
                                   {reads_each(samples), writes_each(silenced), updates(removed)});
    launch.constants = {1u};  // silence() goes by the magnitude
    launch.push = {static_cast<std::uint32_t>(values[key::threshold])};
    launch.iterations_once = 4 + plan.workgroup_size();  // one invocation may add up what all have
    plan.download(silenced);
    plan.download(removed);
    plan.main_output("silenced");
    plan.costs(4 * plan.elements(), 4 * plan.elements());
}

std::vector<Fact> result_of_both(const Prepared&, const Outputs& outputs) {
    const auto removed = get(outputs, "removed").as<std::uint32_t>();
    return {{"removed_signed", "Removed by the rule \"signed\"", std::uint64_t{removed[0]}},
            {"removed_magnitude", "Removed by the rule \"magnitude\"", std::uint64_t{removed[1]}}};
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "zero_suppression",
        .title = "Zero suppression",
        .parameters = parameters(),
        .noun = "samples",
        .variants = {ways().begin(), ways().end()},
        .default_variant = "per_sample",
        .exercises = {{.id = "count_both",
                       .title = "Both rules in one pass",
                       .summary = "And it counts what each of them removes.",
                       .kernel = "zero_suppression/count_both_start.comp",
                       .per_invocation = 2,
                       .uses_subgroups = true,
                       .is_baselines_work = false,
                       .solution = "zero_suppression/count_both.comp",
                       .task = {.plan = &plan_both,
                                .remarks = nothing,
                                .reference = &reference_of_both,
                                .result = &result_of_both,
                                .pictures = nothing}}},
        .input = &input,
        .input_files = {".csv", ".txt", ".npy", ".wav"},
        .input_from_user = &input_from_user,
        .range_of = &range_of,
        .task = {.plan = &plan,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = drawn_by(&pictures)},
        .baseline = &on_cpu,
    };
    return lesson;
}

}  // namespace gridstride::lessons::zero_suppression
