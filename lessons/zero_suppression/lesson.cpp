// Zero suppression: only the samples of a waveform that rise above the noise are kept.
#include "figures/lesson_headers.h"

namespace gridstride::lessons::zero_suppression {

namespace {

enum class Rule { signed_value, magnitude };
constexpr Key<std::uint64_t> threshold{"threshold"};
constexpr Key<Rule> rule{"rule"};

using Sample = std::int16_t;
using Samples = std::span<const Sample>;
constexpr int max_sample = std::numeric_limits<Sample>::max();

std::vector<Parameter> parameters() {
    return common_parameters(
        100000, 256,
        {number_parameter(threshold, "Threshold",
                          "Samples below it are noise: they become 0 or are left out.", 15, 0, max_sample,
                          Invalidates::reference),
         choice_parameter(rule, "Rule",
                          "What is compared with the threshold: the sample with its sign, or its magnitude, "
                          "which also keeps pulses that point down.",
                          Invalidates::reference,
                          {{"signed", "signed: value"}, {"magnitude", "magnitude: |value|"}})});
}

/// The grid that "auto" chooses: one invocation for each load, or as many workgroups as the device holds at
/// once.
enum class Grid { each_load, each_load_on_gpus, resident };

struct Facts {
    Grid grid = Grid::resident;
    bool uses_single_samples = true;  ///< loads or stores 16 bits at a time, so there are two builds of it
    bool is_in_registers = false;     ///< of a compaction: see shaders/zero_suppression/tile.glsl
};
using Run = gridstride::Run<Facts>;

// The definitions.

/// Distinguishes samples that survive from noise.
struct Survives {
    Rule rule;
    std::uint64_t threshold;

    bool operator()(int sample) const {  // an int holds the magnitude of -32768
        return (rule == Rule::magnitude ? std::abs(sample) : sample) >= static_cast<int>(threshold);
    }
    /// Returns the samples, with 0 in place of each that does not survive.
    ArrayRef silence(Samples samples) const {
        return generate_array<Sample>(samples.size(), [=, *this](std::size_t i) {
            return (*this)(samples[i]) ? samples[i] : Sample{0};
        });
    }
};

std::vector<Expected> reference(const Input& input, const Run& run) {
    const Survives survives{run[rule], run[threshold]};
    return {{"silenced", survives.silence(get(input, "samples").as<Sample>())}};
}

/// "kept" holds the positions of the survivors in rising order, then their values.
std::vector<Expected> compact_reference(const Input& input, const Run& run) {
    const Samples samples = get(input, "samples").as<Sample>();
    const Survives survives{run[rule], run[threshold]};
    std::vector<std::int32_t> surviving_positions, values;
    for (std::size_t i = 0; i < samples.size(); ++i)
        if (survives(samples[i])) {
            surviving_positions.push_back(static_cast<std::int32_t>(i));
            values.push_back(samples[i]);
        }
    surviving_positions.insert(surviving_positions.end(), values.begin(), values.end());
    return {{"kept", share<std::int32_t>(surviving_positions)},
            {"kept_count", share_scalar(word(values.size()))}};
}

/// The exercise silences by magnitude, and counts what each rule removes.
std::vector<Expected> both_reference(const Input& input, const Run& run) {
    const Samples samples = get(input, "samples").as<Sample>();
    const Survives by_sign{Rule::signed_value, run[threshold]}, by_magnitude{Rule::magnitude, run[threshold]};
    const auto count_removed = [&](const Survives& survives) {
        return word(std::ranges::count_if(samples, std::not_fn(survives)));
    };
    const std::array removed = {count_removed(by_sign), count_removed(by_magnitude)};
    return {{"silenced", by_magnitude.silence(samples)}, {"removed", share<std::uint32_t>(removed)}};
}

// The input: four pulses in noise, or the user's samples.

/// Sample i of n is max(sin(23 i / n) - 0.3, 0) * 300 plus normal noise of standard deviation 3, truncated
/// towards zero. Computed in double from strict_sin and, for the noise, the normal quantile of
/// (w + 1/2) / 2^32 with w the i-th word of Philox stream 0.
Input input(const Values& values) {
    const std::size_t n = values[key::elements];
    const std::uint64_t seed = values[key::seed];
    const std::array philox_key = {word(seed), word(seed >> 32)};
    // Not by fill_normal_f32: at 2^28 samples its floats would take twice the memory of all samples.
    return {{"samples", generate_array<Sample>(n, [&](std::size_t i) {
                 const std::uint64_t block = i / 4;
                 const std::uint32_t random_bits =
                     philox4x32({word(block), word(block >> 32), 0, 0}, philox_key)[i % 4];
                 const double angle = static_cast<double>(i) / (static_cast<double>(n) / 23);
                 const double pulse = std::max(strict_sin(angle) - 0.3, 0.0) * 300;
                 const double noise = 3 * normal_quantile((static_cast<double>(random_bits) + 0.5) * 0x1p-32);
                 return static_cast<Sample>(pulse + noise);
             })}};
}

/// The range of useful thresholds: all thresholds above the largest magnitude give the same result.
std::optional<ValueRange> effective_range(std::string_view parameter, const Input& input) {
    if (parameter != threshold.id) return std::nullopt;
    int strongest = 0;
    for (const Sample sample : get(input, "samples").as<Sample>())
        strongest = std::max(strongest, std::abs(int{sample}));
    return ValueRange{0, static_cast<double>(std::min(strongest + 1, max_sample))};
}

std::string sample_error(double number) {
    if (number >= -max_sample - 1 && number <= max_sample && number == std::floor(number)) return {};
    return fmt::format(
        "{} is not a whole number from -32768 to 32767, as samples of 16 bits are. {}", number,
        std::isfinite(number) ? "Scale and round the numbers first." : "Remove or replace it.");
}

Input input_from_user(const UserData& data, const Values&) {
    return {{"samples", convert_user_numbers<Sample>(data, &sample_error)}};
}

/// Sets the samples in [from, to] to 0 and returns how many are not 0 afterwards.
double on_cpu(const Input& input, const Values& values, SumRanges sum_ranges) {
    const Samples samples = get(input, "samples").as<Sample>();
    const std::span<Sample> silenced = scratch_array(ElementType::i16, samples.size()).as<Sample>();
    // At threshold 0 by magnitude nothing is noise: the range [1, -1] is empty.
    const auto to = static_cast<Sample>(static_cast<int>(values[threshold]) - 1);
    const auto from = values[rule] == Rule::signed_value ? Sample{INT16_MIN} : static_cast<Sample>(-to);
    return sum_ranges(samples.size(), std::size_t{1} << 16, [=](std::size_t begin, std::size_t end) {
        // The count of a block has 16 bits, so that the compiler's vector instructions process as many counts
        // as samples at a time.
        constexpr std::size_t block = 4096;
        std::uint64_t count = 0;
        for (std::size_t start = begin; start < end; start += block) {
            std::uint16_t not_zero = 0;
            for (std::size_t i = start; i < std::min(start + block, end); ++i) {
                const Sample sample = samples[i];
                silenced[i] = ((sample >= from) & (sample <= to)) ? Sample{0} : sample;
                not_zero = static_cast<std::uint16_t>(not_zero + (silenced[i] != 0 ? 1 : 0));
            }
            count += not_zero;
        }
        return static_cast<double>(count);
    });
}

// The launches.

/// Adds a launch of a kernel that tests which samples survive.
Dispatch& launch_on_samples(PlanBuilder& plan, const Run& run, std::string label, const std::string& kernel,
                            std::vector<Binding> bindings) {
    Dispatch& launch = plan.launch(std::move(label), kernel, std::move(bindings));
    launch.constants = {run[rule] == Rule::magnitude ? 1u : 0u};
    launch.push = {word(run[threshold])};
    launch.iterations_once = 2;  // the loop by fours ends, and then the loop by ones
    return launch;
}

/// The build of the variant's kernel for this device.
std::string select_kernel_build(const Run& run) {
    if (!run.facts.uses_single_samples) return run.kernel();
    return run.kernel() + (run.limits.storage16 ? ".storage16" : ".words");
}

void plan(PlanBuilder& plan, const Run& run) {
    // Without 16-bit storage, an invocation processes one 32-bit word of two samples instead of one sample.
    if (run.variant.per_invocation == 1 && !run.limits.storage16) plan.set_per_invocation(2);
    const Grid grid = run.facts.grid;
    if (grid == Grid::resident || (grid == Grid::each_load_on_gpus && run.limits.is_cpu))
        plan.set_default_grid(plan.resident_workgroups());
    const PlanBuffer samples = plan.upload_input("samples", ElementType::i16);
    const PlanBuffer silenced = plan.output("silenced", ElementType::i16);
    launch_on_samples(plan, run, "silence the noise", select_kernel_build(run),
                      {reads_each(samples), writes_each(silenced)});
    plan.download_main(silenced);
    // With threshold 0, a zero in the output may be a survivor.
    if (run[threshold] == 0 && run[rule] == Rule::signed_value)
        plan.host_step("CPU counts zeros that survive", "kept_count",
                       [](std::span<const Array* const> arrays) {
                           const auto count = static_cast<std::uint64_t>(std::ranges::count_if(
                               arrays[0]->as<Sample>(), [](Sample sample) { return sample >= 0; }));
                           return Array::of<std::uint64_t>({&count, 1});
                       },
                       {"samples"});
    plan.set_cost({samples, silenced}, 2 * plan.elements());  // a magnitude and a comparison of whole numbers
}

/// {positions, values, kept_count} -> the first kept_count positions, then as many values.
Array trim_to_kept(std::span<const Array* const> arrays) {
    const std::size_t count = std::min<std::size_t>(arrays[2]->as<std::uint32_t>()[0], arrays[0]->count());
    Array survivors(ElementType::i32, 2 * count);
    const auto out = survivors.as<std::int32_t>();
    std::ranges::copy(arrays[0]->as<std::int32_t>().first(count), out.begin());
    arrays[1]->visit([&](auto values) {
        std::ranges::transform(values.first(count), out.last(count).begin(),
                               [](auto value) { return static_cast<std::int32_t>(value); });
    });
    return survivors;
}

/// Count, prefix sum, scatter: see the shaders. A tile is the samples that a workgroup processes in one pass.
void plan_compact(PlanBuilder& plan, const Run& run) {
    const bool in_registers = run.facts.is_in_registers;
    // Times eight samples of an invocation. In registers, four were fastest on an NVIDIA H200 (2^26 samples:
    // 145 us; two took 152, eight 151); with fewer samples, there would be too few workgroups.
    const std::uint64_t vectors = !in_registers ? 1 : plan.elements() < std::uint64_t{1} << 22 ? 2 : 4;
    plan.set_per_invocation(8 * vectors);
    if (!in_registers) plan.set_default_grid(plan.resident_workgroups());
    const std::uint64_t size = plan.workgroup_size(), tiles = plan.tiles();
    const ElementType value_type = run.limits.storage16 ? ElementType::i16 : ElementType::i32;
    const PlanBuffer samples = plan.upload_input("samples", ElementType::i16);
    const PlanBuffer tile_counts = plan.output("tile_counts", ElementType::u32, {tiles});
    const PlanBuffer kept_count = plan.output("kept_count", ElementType::u32, {1});
    // As long as the samples; the first kept_count of them are used.
    const PlanBuffer positions = plan.output("positions", ElementType::i32);
    const PlanBuffer kept_values = plan.output("values", value_type, plan.domain());
    const auto kernel = [&](std::string_view step) {
        return fmt::format("zero_suppression/{}_{}", in_registers ? "registers" : "compact", step);
    };

    Dispatch& count = launch_on_samples(plan, run, "count the survivors of each tile", kernel("count"),
                                        {reads_each(samples), writes(tile_counts)});
    // The pass, four words of each mask, the tree or fewer rounds over the sums of the subgroups.
    count.iterations_per_pass = 1 + vectors * (4 + 1) + (tree_levels(size) + 2);
    count.shared_bytes = 4 * size;
    count.constants.push_back(word(vectors));

    Dispatch& scan = plan.launch_one_workgroup("places of the tiles", kernel("scan"),
                                               {updates_each(tile_counts), updates(kept_count)}, tiles, 4);
    const std::uint64_t scan_size = scan.workgroup_size();
    scan.iterations_per_pass = 1 + (tree_levels(scan_size) + 2);
    scan.iterations_once = 1;
    scan.shared_bytes = 4 * (scan_size + 1);

    Dispatch& scatter =
        launch_on_samples(plan, run, "survivors to their places", select_kernel_build(run),
                          {reads_each(samples), reads(tile_counts), writes(positions), writes(kept_values)});
    // The pass, four words of each mask, the prefix sum, the samples gathered and written.
    scatter.iterations_per_pass = 1 + vectors * (4 + 1) + (tree_levels(size) + 2) + 2 * (8 * vectors + 1);
    scatter.shared_bytes = 4 * (8 + (in_registers ? 1 : 0)) * size;
    scatter.constants.push_back(word(vectors));

    plan.download({positions, kept_values, kept_count});
    plan.host_step("CPU drops what is unused", "kept", &trim_to_kept, {"positions", "values", "kept_count"});
    plan.main_output("kept", 2);
    // Per sample: a magnitude, a comparison and an addition of the prefix sum. The bytes written depend on
    // the data and are not counted.
    plan.set_cost({samples}, 3 * plan.elements());
}

void plan_both(PlanBuilder& plan, const Run& run) {
    const PlanBuffer samples = plan.upload_input("samples", ElementType::i16);
    const PlanBuffer silenced = plan.output("silenced", ElementType::i16);
    const PlanBuffer removed = plan.filled_output("removed", ElementType::u32, {2});
    Dispatch& launch = launch_on_samples(plan, run, "both rules", run.kernel(),
                                         {reads_each(samples), writes_each(silenced), updates(removed)});
    launch.constants = {1u};                             // silence() compares the magnitude
    launch.iterations_once = 4 + plan.workgroup_size();  // a student may let one invocation add for all
    plan.download_main(silenced);
    plan.download(removed);
    plan.set_cost({samples, silenced}, 4 * plan.elements());
}

void add_common_remarks(Remarks& add, const Run& run) {
    if (run[threshold] == 0)
        add.note(threshold, run[rule] == Rule::magnitude ? "No magnitude is below 0: every sample survives."
                                                         : "Only negative samples are below 0.");
    if (const std::uint64_t passes = run.plan.main().passes();
        run.facts.grid == Grid::each_load && run[key::workgroup_count] == 0 && passes > 1)
        add.note(key::workgroup_count,
                 "One invocation for each sample would take more than the {} workgroups that "
                 "this device allows, so the loop of each invocation runs up to {} times.",
                 format_count(run.limits.max_grid.x), format_count(passes));
}

void remarks(Remarks& add, const Run& run) {
    if (!run.facts.uses_single_samples)
        add.note("Eight samples per load, as 32-bit words: this variant needs no 16-bit storage.");
    else
        add.note(run.limits.storage16 ? "This device loads and stores single 16-bit numbers: an invocation "
                                        "takes one sample at a time."
                                      : "This device cannot load or store single 16-bit numbers: an "
                                        "invocation takes a 32-bit word, two samples, at a time.");
    add_common_remarks(add, run);
}

void remarks_on_compact(Remarks& add, const Run& run) {
    add.note(
        run.limits.storage16
            ? "This device stores single 16-bit numbers: a kept value takes 2 bytes."
            : "This device cannot store single 16-bit numbers: a kept value takes 4 bytes in its memory.");
    add.note(
        "The bandwidth counts the 2 bytes of each sample once; compact reads them twice and also writes the "
        "survivors.");
    const std::uint64_t max_elements = run.limits.max_binding_bytes / 4;
    if (run[key::elements] > max_elements)
        add.refuse(key::elements,
                   "compact allocates a position of 4 bytes for every sample, in one binding; this device "
                   "can bind at most {} (maxStorageBufferRange), enough for {} samples.",
                   format_byte_text(run.limits.max_binding_bytes), format_count(max_elements));
    add_common_remarks(add, run);
}

/// Returns how many samples survived, according to the outputs.
std::uint64_t count_kept(const Values& values, const Outputs& outputs) {
    const std::uint64_t samples = values[key::elements];
    if (const Array* count = find(outputs, "kept_count"); count && !count->empty())
        return std::min(static_cast<std::uint64_t>(count->number(0)), samples);
    // A sample of 0 survives at threshold 0 only.
    if (values[threshold] == 0) return samples;
    const Array* const silenced = find(outputs, "silenced");
    if (!silenced) return 0;
    return static_cast<std::uint64_t>(
        parallel_sum(samples, std::size_t{1} << 18, [&](std::size_t begin, std::size_t end) {
            const Samples part = silenced->as<Sample>().subspan(begin, end - begin);
            return static_cast<double>(part.size() - static_cast<std::size_t>(std::ranges::count(part, 0)));
        }));
}

std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    const std::uint64_t samples = run[key::elements], surviving_samples = count_kept(run.values, outputs);
    // The size of the sparse form, whatever the variant stores: a count of 4 bytes and, for each kept sample,
    // a position of 4 bytes and a value of 2.
    const double compression =
        2.0 * static_cast<double>(samples) / (4.0 + 6.0 * static_cast<double>(surviving_samples));
    return {{"kept", "Kept", surviving_samples},
            {"suppressed", "Suppressed", samples - surviving_samples},
            {"compression_ratio", "Compression, as positions and values", compression}};
}

std::vector<Fact> both_result(const Run&, const Outputs& outputs) {
    const auto removed_counts = get(outputs, "removed").as<std::uint32_t>();
    return {{"removed_signed", "Removed by the rule \"signed\"", std::uint64_t{removed_counts[0]}},
            {"removed_magnitude", "Removed by the rule \"magnitude\"", std::uint64_t{removed_counts[1]}}};
}

// Pictures.

/// Pictures are redrawn several times a second: derived series have at most this many points,
constexpr std::size_t max_drawn = 100000;
/// and at most this many samples are examined one by one.
constexpr std::size_t max_examined = std::size_t{1} << 22;

using Positions = std::span<const std::int32_t>;
Positions positions_of(const Array& surviving_samples) {
    return surviving_samples.as<std::int32_t>().first(surviving_samples.count() / 2);
}

/// Adds a marker at the threshold, which can be dragged, and at its negative if magnitudes are compared; both
/// only inside [low, high].
void mark_threshold(FigureBuilder& figure, const Values& values, bool is_on_y, double low = -HUGE_VAL,
                    double high = HUGE_VAL) {
    const auto at = static_cast<double>(values[threshold]);
    if (low <= at && at <= high) figure.marker({at, "threshold", is_on_y, std::string(threshold.id), 1});
    if (values[rule] == Rule::magnitude && at > 0 && low <= -at && -at <= high)
        figure.marker({.x = -at, .label = is_on_y ? "negative threshold" : "", .is_on_y = is_on_y});
}

/// Adds a figure of the samples with the threshold.
FigureBuilder& draw_samples(Figures& add, const Values& values, std::string id, std::string title,
                            std::string label, ColorRole color_role) {
    FigureBuilder& figure = add.figure(std::move(id), std::move(title), "sample", "value")
                                .waveform(std::move(label), add.input("samples"), color_role);
    mark_threshold(figure, values, /*is_on_y=*/true);
    return figure;
}

/// Adds the waveform before and after. Survivors of the compact variant are points, at most max_drawn of
/// them.
void draw_waveform(Figures& add, const Values& values) {
    FigureBuilder& figure =
        draw_samples(add, values, "waveform", "Before and after", "before", ColorRole::quiet);
    if (const PlotArray silenced = add.output("silenced")) figure.waveform("after", silenced);
    if (const PlotArray surviving_samples = add.output("kept")) {
        const Positions positions = positions_of(*surviving_samples.array);
        const auto heights = surviving_samples.array->as<std::int32_t>().last(positions.size());
        Points survivors;
        for_each_sampled(positions.size(), max_drawn,
                         [&](std::size_t i) { survivors.add(positions[i], heights[i]); });
        figure.scatter("kept", std::move(survivors))
            .note_if(positions.size() > max_drawn, "{} of the {} kept samples are drawn.",
                     format_count(max_drawn), format_count(positions.size()));
    }
    figure.measured(add.is_measured());
}

/// Adds the samples minus the GPU's result.
void draw_removed(Figures& add, Samples samples) {
    const Samples examined = samples.first(std::min(samples.size(), max_examined));
    std::vector<std::int32_t> removed(examined.begin(), examined.end());
    const PlotArray silenced = add.output("silenced"), kept = add.output("kept");
    if (silenced.all == samples.size()) {
        std::ranges::transform(removed, silenced.array->as<Sample>(), removed.begin(), std::minus());
    } else if (kept.array) {
        // Positions rise, so only the first removed.size() can be below that size.
        for (const std::int32_t position :
             positions_of(*kept.array).first(std::min(kept.all / 2, removed.size())))
            if (static_cast<std::size_t>(position) < removed.size())
                removed[static_cast<std::size_t>(position)] = 0;
    } else {
        return;
    }
    add.figure("removed", "What was removed", "sample", "value")
        .note("The samples before minus those after.")
        .waveform("removed", {share<std::int32_t>(removed), true, samples.size(), removed.size()},
                  ColorRole::series);
}

void draw_amplitudes(Figures& add, const Values& values, const Array& samples) {
    std::vector<double> numbers = sample_numbers(samples, max_drawn);
    const double low = std::ranges::min(numbers), high = std::ranges::max(numbers);
    constexpr double max_bins = 60;
    const double width = std::floor((high - low) / max_bins) + 1;
    const Survives survives{values[rule], values[threshold]};
    const auto first_kept = std::partition(
        numbers.begin(), numbers.end(), [&](double sample) { return !survives(static_cast<int>(sample)); });
    FigureBuilder& figure =
        add.figure("amplitudes", "How often each value occurs", "value", {"samples", AxisScale::logarithmic});
    const auto bars = [&](std::string label, ColorRole color_role, std::span<const double> some) {
        // Each value is the centre of an interval of width 1.
        figure.histogram(std::move(label), some, low - 0.5, width,
                         static_cast<std::size_t>((high - low) / width) + 1, color_role, Mark::stacked_bars);
    };
    bars("below", ColorRole::quiet, {numbers.begin(), first_kept});
    bars("survive", ColorRole::kernel, {first_kept, numbers.end()});
    mark_threshold(figure, values, /*is_on_y=*/false, low - width, high + width);
    figure.note_if(numbers.size() < samples.count(), "{} of the {} samples are counted.",
                   format_count(numbers.size()), format_count(samples.count()));
}

/// Returns the first sample of the compaction's picture: shortly before the first place where half of the
/// samples survive, so that both kinds are seen; else before the first survivor.
std::size_t find_window_start(Positions positions) {
    constexpr std::size_t max_searched = 100000, together = 16;
    std::int64_t found = positions.front();
    for (std::size_t i = 0; i + together <= std::min(positions.size(), max_searched); ++i)
        if (std::int64_t{positions[i + together - 1]} - positions[i] < std::int64_t{2 * together}) {
            found = positions[i];
            break;
        }
    return static_cast<std::size_t>(std::max<std::int64_t>(found - 16, 0));
}

/// Adds up to 64 samples from find_window_start() on, before and after compaction.
void draw_compaction(Figures& add, Samples samples) {
    enum Cell : std::uint8_t { left_out, survivor, unused };
    const PlotArray surviving_samples = add.output("kept");
    if (surviving_samples.all < 2) return;
    const Positions positions = positions_of(*surviving_samples.array);
    const std::size_t first = find_window_start(positions);
    const std::size_t shown = std::min(std::size_t{64}, samples.size() - std::min(first, samples.size()));
    std::vector<std::uint8_t> before(shown, left_out), after(shown, unused);
    std::size_t count = 0;
    // A wrong result may contain a position twice.
    for (auto position = std::ranges::lower_bound(positions, static_cast<std::int32_t>(first));
         position != positions.end() && count < shown; ++position) {
        const std::size_t cell = static_cast<std::size_t>(*position) - first;
        if (cell >= shown) break;
        before[cell] = after[count++] = survivor;
    }
    add.cells(
        "compaction", "Before and after compaction",
        {.kinds = {{"below", ColorRole::quiet}, {"survives", ColorRole::kernel}, {"free", ColorRole::wait}},
         .rows = {{"samples", std::move(before), fmt::format("from number {}", format_count(first))},
                  {"kept", std::move(after), fmt::format("{} of {}", count, shown)}},
         .cell_name = "sample"},
        "The first samples with survivors. Order is kept: the position of each survivor in the output is the "
        "number of survivors before it.",
        add.origin());
}

/// Adds the output of each rule as a function of the sample.
void draw_rule(Figures& add, const Run& run) {
    const auto limit = static_cast<double>(run[threshold]);
    const double far = 2 * std::max(limit, 1.0);
    FigureBuilder& figure = add.figure("rule", "The output for each sample", "sample", "output");
    const auto draw = [&](Rule by) {
        const bool keeps_both = by == Rule::magnitude;
        figure.line(keeps_both ? "magnitude" : "signed", {-far, -limit, -limit, limit, limit, far},
                    {keeps_both ? -far : 0, keeps_both ? -limit : 0, 0, 0, limit, far},
                    by == run[rule] ? ColorRole::kernel : ColorRole::quiet);
    };
    // The chosen rule is drawn last, so its colour covers the parts that both share.
    draw(run[rule] == Rule::magnitude ? Rule::signed_value : Rule::magnitude);
    draw(run[rule]);
    mark_threshold(figure.whole_numbers(), run.values, /*is_on_y=*/false, 0);
}

/// Adds how many samples, words, loads and survivors fit into 32 bytes.
void draw_bytes(Figures& add) {
    constexpr std::size_t bytes = 32;
    enum Cell : std::uint8_t { one, next, position };
    Cells cells{.kinds = {{"one", ColorRole::kernel},
                          {"the next", ColorRole::upload},
                          {"its position", ColorRole::quiet}},
                .cell_name = "byte"};
    const auto row = [&](std::string label, std::size_t before, std::size_t size) {
        const auto kind_of = [&](std::size_t byte) {
            return byte % size < before ? position : byte / size % 2 == 1 ? next : one;
        };
        cells.add_row(std::move(label), bytes, kind_of, fmt::format("{} × {} bytes", bytes / size, size));
    };
    row("samples", 0, 2);
    row("words", 0, 4);
    row("uvec4", 0, 16);
    row("survivors", 4, 6);
    add.cells("bytes", fmt::format("What fits into {} bytes", bytes), std::move(cells));
}

void pictures(Figures& add, const Run& run) {
    if (const PlotArray input = add.input("samples")) {
        const Samples samples = input.array->as<Sample>();
        const Values& values = add.report()->experiment.values;
        draw_samples(add, values, "recording", "The recording", "samples", ColorRole::series);
        draw_waveform(add, values);
        draw_removed(add, samples);
        draw_compaction(add, samples);
        draw_amplitudes(add, values, *input.array);
    }
    if (run.plan.steps.empty()) return;
    add.access_map("samples", "sample");
    draw_bytes(add);
    draw_rule(add, run);
}

/// Adds the steps of the first prefix sum in the last launch.
void compact_pictures(Figures& add, const Run& run) {
    pictures(add, run);
    if (run.plan.steps.empty()) return;
    LevelLabels words;
    words.reads = {{"adds a value from its left", ColorRole::kernel}, "add", "step"};
    words.acts = words.stores = {};
    words.file = "zero_suppression/scan.glsl";
    words.max_rows = tree_levels(run.plan.main().workgroup_size());
    add.traced("scan", "A prefix sum, step by step", draw_levels(words), /*launch=*/2);
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "zero_suppression",
         .title = "Zero suppression",
         .parameters = parameters(),
         .noun = "samples",
         .input = input,
         .input_files = {".csv", ".txt", ".npy", ".wav"},
         .input_from_user = input_from_user,
         .effective_range = effective_range,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"per_sample", "One invocation per sample", "Each invocation reads one sample and stores it or 0."},
          {.grid = Grid::each_load}},
         {{"grid_stride", "Grid-stride loop",
           "As many invocations as the device holds at once; each strides over the samples, with four loads "
           "in flight at once."}},
         {{"packed", "Eight samples per load",
           "Like grid_stride, with loads and stores of 16 bytes, which hold eight samples each."},
          {.grid = Grid::each_load_on_gpus, .uses_single_samples = false},
          {.per_invocation = 8}},
         {{"compact", "Compaction",
           "Only the samples that survive are stored, with their positions: count, prefix sum, scatter."},
          {},
          {.kernel = "zero_suppression/compact_scatter.comp",
           .per_invocation = 8,
           .task = {.plan = plan_compact,
                    .remarks = remarks_on_compact,
                    .reference = compact_reference,
                    .pictures = compact_pictures}}},
         {{"compact_registers", "Compaction in registers",
           "Like compact, with the tile in registers, sums of subgroups, and stores of two survivors at a "
           "time."},
          {.grid = Grid::each_load, .is_in_registers = true},
          {.kernel = "zero_suppression/registers_scatter.comp",
           .per_invocation = 8,
           .uses_subgroups = true,
           .task = {.plan = plan_compact, .remarks = remarks_on_compact, .reference = compact_reference}}}},
        {{{"count_both", "Both rules in one pass",
           "Silence by magnitude, and count the samples that each rule removes."},
          {},
          {.per_invocation = 2,
           .uses_subgroups = true,
           .has_baseline = false,
           .task = {.plan = plan_both,
                    .remarks = no_op,
                    .reference = both_reference,
                    .result = both_result,
                    .pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::zero_suppression
