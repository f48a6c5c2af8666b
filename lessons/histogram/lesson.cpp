// Histogram: thousands of invocations count into a few bins and conflict there.
#include "figures/lesson_headers.h"
#include "lesson/metrics.h"

#include <mutex>

namespace gridstride::lessons::histogram {

namespace {

constexpr Key<std::uint64_t> bins{"bins"};
constexpr std::uint64_t max_bins = 4096;
constexpr Key<double> range_min{"range_min"}, range_max{"range_max"}, spread{"spread"};

std::vector<Parameter> parameters() {
    // Ranges end here so that no difference and no quotient of their ends overflows f32 (3.4e38), and no
    // reciprocal underflows.
    constexpr double max_range_end = 1e30;
    return common_parameters(
        10000, 256,
        {number_parameter(bins, "Bins", "The number of bins of equal width that the range is divided into.",
                          10, 1, max_bins, Invalidates::reference)
             .logarithmic()
             .with_unit("bins"),
         number_parameter(range_min, "Range from",
                          "The smallest number that is counted; numbers below it are ignored.", -4,
                          -max_range_end, max_range_end, Invalidates::reference),
         number_parameter(range_max, "Range to", "The end of the range: it and larger numbers are ignored.",
                          4, -max_range_end, max_range_end, Invalidates::reference),
         number_parameter(spread, "Spread", "The standard deviation of the random numbers.", 1, 1e-6, 1000,
                          Invalidates::input)
             .logarithmic()});
}

/// How a variant counts.
struct Facts {
    /// each workgroup counts in workgroup memory, then adds its bins to the global ones
    bool has_private_bins = false;
    bool has_replicas = false;  ///< several copies of each private bin
};
using Run = gridstride::Run<Facts>;

// The definition.

/// A range [min, max) in `count` bins of equal width, all in f32.
struct Bins {
    float min = 0, max = 0;
    std::uint32_t count = 1;
    float width = (max - min) / static_cast<float>(count);  ///< of one bin
};
Bins get_bins(const Values& values) {
    return {static_cast<float>(values[range_min]), static_cast<float>(values[range_max]), word(values[bins])};
}

/// floor((x - min) / width) in f32 for min <= x < max, else range.count (also for NaN). A number just below
/// max whose quotient rounds up to `count` is in the last bin. Branch-free, for the baseline.
std::uint32_t find_bin(float x, const Bins& range) {
    const bool is_inside = (x >= range.min) & (x < range.max);
    // 0 instead of values that do not fit an integer. Those that fit are not negative, so truncation is
    // floor.
    const auto bin = static_cast<std::int32_t>(is_inside ? (x - range.min) / range.width : 0.0f);
    return is_inside ? std::min(static_cast<std::uint32_t>(bin), range.count - 1) : range.count;
}

/// For each bin, the number of i below `count` in it, then the number in no bin. Exact for each variant.
std::vector<Expected> expected_counts(std::size_t count, std::uint32_t bin_count, const auto& get_bin) {
    std::vector<std::uint32_t> counts(bin_count + 1);
    std::mutex adding;
    parallel_for(count, std::size_t{1} << 18, [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t> part(counts.size());
        for (std::size_t i = begin; i < end; ++i)
            ++part[get_bin(i)];
        const std::lock_guard lock(adding);
        std::ranges::transform(part, counts, counts.begin(), std::plus());
    });
    const std::span<const std::uint32_t> all = counts;
    return {{"counts", share(all.first(bin_count))}, {"ignored", share(all.last(1))}};
}

std::vector<Expected> reference(const Input& input, const Run& run) {
    const auto numbers = get(input, "values").as<float>();
    const Bins range = get_bins(run.values);
    return expected_counts(numbers.size(), range.count,
                           [&](std::size_t i) { return find_bin(numbers[i], range); });
}

// Exercise: count pairs of numbers in a square of bins.

constexpr std::uint32_t side = 16;

Bins get_side_bins(const Values& values) {
    return {static_cast<float>(values[range_min]), static_cast<float>(values[range_max]), side};
}

/// counts[row * 16 + column]. If the number of elements is odd, the last one has no pair.
std::vector<Expected> pairs_reference(const Input& input, const Run& run) {
    const auto numbers = get(input, "values").as<float>();
    const Bins range = get_side_bins(run.values);
    return expected_counts(numbers.size() / 2, side * side, [&](std::size_t i) {
        const std::uint32_t column = find_bin(numbers[2 * i], range),
                            row = find_bin(numbers[2 * i + 1], range);
        return column < side && row < side ? row * side + column : side * side;
    });
}

// The input: normal numbers with mean 0, or the user's.

Input input(const Values& values) {
    return {{"values", share(normal_f32(values[key::elements], values[key::seed], 0, values[spread]))}};
}

/// NaN and infinities are allowed; they are ignored like all numbers outside the range.
Input input_from_user(const UserData& data, const Values&) {
    return {{"values", convert_user_numbers<float>(data), data.width}};
}

/// Returns the sum of all counts, weighted by the bin's number from 1.
double on_cpu(const Input& input, const Values& values, SumRanges sum_ranges) {
    const auto numbers = get(input, "values").as<float>();
    const Bins range = get_bins(values);
    // Each part clears and adds up tables of its own, so there are only a few parts per thread.
    const std::size_t block = std::max(std::size_t{1} << 16, numbers.size() / (8 * hardware_threads()));
    return sum_ranges(numbers.size(), block, [&](std::size_t begin, std::size_t end) {
        // Neighbouring numbers go to different tables: a CPU that increments the same bin twice in a row
        // waits for its own store.
        constexpr std::size_t tables = 4;
        const std::size_t slots_per_table = range.count + 1;
        std::vector<std::uint32_t> counts(tables * slots_per_table);
        for (std::size_t i = begin; i < end; ++i)
            ++counts[(i % tables) * slots_per_table + find_bin(numbers[i], range)];
        double sum = 0;
        for (std::size_t i = 0; i < counts.size(); ++i)
            if (i % slots_per_table < range.count)
                sum += static_cast<double>(i % slots_per_table + 1) * counts[i];
        return sum;
    });
}

// The launches.

/// The bins of a workgroup of `size` invocations in workgroup memory.
struct PrivateBins {
    std::uint64_t held_bins = 0;  ///< bins 0 … held_bins - 1; the others are in global memory
    std::uint64_t copies = 1;     ///< copies of each bin: a power of two, at most the subgroup size
    std::uint64_t words = 1;      ///< u32 of workgroup memory, at least held_bins * copies
};
PrivateBins compute_private_bins(const Facts& facts, std::uint64_t count, std::uint64_t size,
                                 const Limits& limits) {
    PrivateBins private_layout;
    // One word counts the ignored numbers.
    const std::uint64_t max_words = std::max<std::uint64_t>(limits.max_shared_bytes / 4, 2) - 1;
    private_layout.held_bins = std::min(count, max_words);
    if (facts.has_replicas) {
        // More u32 would reduce the number of resident workgroups, and each would clear and add up more.
        constexpr std::uint64_t max_words_of_copies = 8192;
        const std::uint64_t max_copies = std::min(max_words, max_words_of_copies) / private_layout.held_bins;
        const std::uint64_t max_conflicts =
            std::min<std::uint64_t>(limits.subgroup_size, std::bit_ceil(size));
        private_layout.copies = std::bit_floor(std::clamp<std::uint64_t>(max_copies, 1, max_conflicts));
    }
    // A power of two if it fits, so that the driver need not compile a kernel for every value of `bins`.
    const std::uint64_t used_words = private_layout.held_bins * private_layout.copies;
    private_layout.words = std::bit_ceil(used_words) <= max_words ? std::bit_ceil(used_words) : used_words;
    return private_layout;
}

/// The kernels' push constants: see shaders/histogram/binning.glsl.
std::vector<std::uint32_t> make_push_constants(const Bins& range) {
    // The largest error, in bins, of a kernel's estimated quotient. It multiplies by 1 / width: half an ulp
    // (2^-24) for the reciprocal, one ulp (2^-23) each for the product and for the subtraction of a half on a
    // device with any rounding direction, one for the difference between its x - min and the CPU's, and half
    // an ulp for the CPU's quotient: 4 ulp of at most count. One more covers products of these errors, and
    // numbers that a device flushes to 0.
    const float error = 4 * static_cast<float>(range.count + 1) * 0x1p-23f;
    // The width as a sum of two numbers of 12 significant bits, whose products with a bin's number are exact.
    const float high = std::bit_cast<float>(word(range.width) & 0xFFFFF000u), low = range.width - high;
    return {word(range.min), word(range.max),       word(range.width),  word(high),
            word(low),       word(1 / range.width), word(0.5f - error), range.count};
}

/// Calls set_up to change the launch.
template <class SetUp>
void plan_counting(PlanBuilder& plan, const Run& run, std::string label, const Bins& range,
                   std::uint64_t count, SetUp set_up) {
    // Each workgroup clears its bins first, and adds them to the global ones last.
    if (run.facts.has_private_bins) plan.set_default_grid(plan.min_busy_workgroups());
    const PlanBuffer numbers = plan.upload_input("values");
    const PlanBuffer counts = plan.filled_output("counts", ElementType::u32, {count});
    const PlanBuffer ignored = plan.filled_output("ignored", ElementType::u32, {1});
    Dispatch& launch =
        plan.launch(std::move(label), run.kernel(), {reads_each(numbers), updates(counts), updates(ignored)});
    launch.push = make_push_constants(range);
    set_up(launch);
    plan.download_main(counts);
    plan.download(ignored);
    // The counts are small compared with the numbers. binning.glsl: four float sums and differences, a
    // multiply-add, an integer difference, a magnitude with its comparison, and the increment. The rare exact
    // decision is not counted.
    plan.set_cost({numbers}, 10 * plan.elements());
}

void plan(PlanBuilder& plan, const Run& run) {
    plan_counting(plan, run, "count", get_bins(run.values), run[bins], [&](Dispatch& launch) {
        launch.iterations_once = 1;
        if (!run.facts.has_private_bins) return;
        const std::uint64_t size = plan.workgroup_size();
        const PrivateBins private_layout = compute_private_bins(run.facts, run[bins], size, run.limits);
        launch.constants = {word(private_layout.words), word(private_layout.copies),
                            private_layout.held_bins == run[bins] ? 1u : 0u};
        launch.shared_bytes = (private_layout.words + 1) * sizeof(std::uint32_t);
        const std::uint64_t clear_iterations =
            divide_up(private_layout.held_bins * private_layout.copies, size);
        // For each bin, one iteration of the loop over the bins, and one per copy.
        const std::uint64_t add_iterations =
            divide_up(private_layout.held_bins, size) * (2 + private_layout.copies);
        launch.iterations_once = clear_iterations + add_iterations + 4;
    });
}

void plan_pairs(PlanBuilder& plan, const Run& run) {
    plan_counting(plan, run, "count the pairs", get_side_bins(run.values), side * side,
                  [&](Dispatch& launch) {
                      launch.iterations_once = 2 * divide_up(side * side, plan.workgroup_size()) + 4;
                  });
}

void add_range_remarks(Remarks& add, const Run& run) {
    // Below this, subnormal floats, which a device may flush to 0, would matter.
    constexpr float min_width = 1e-30f;
    const Bins range = get_bins(run.values);
    const double from = run[range_min], to = run[range_max];
    // Floats are most widely spaced near the end with the larger magnitude.
    const float far_end = std::max(std::abs(range.min), std::abs(range.max));
    const float step = std::nextafter(far_end, INFINITY) - far_end;
    if (!(from < to))
        add.refuse(range_max,
                   "range_min = {} is not below range_max = {}: the range is empty. Give a larger range_max "
                   "or a smaller range_min.",
                   from, to);
    else if (!(range.min < range.max))
        add.refuse(range_max,
                   "range_min = {} and range_max = {} are the same f32 number: the range is empty. Give ends "
                   "that are further apart.",
                   from, to);
    else if (range.width < min_width)
        add.refuse(range_max,
                   "A bin would be {:.3g} wide, but the minimum is {:.0e}. Give a wider range or fewer bins.",
                   range.width, min_width);
    else if (step > range.width)
        add.caution(bins,
                    "Bins are {:.3g} wide, but near {:.6g} there is one f32 number every {:.3g}: some bins "
                    "stay empty because no number falls into them.",
                    range.width, far_end, step);
}

void add_private_bins_remarks(Remarks& add, const Run& run) {
    const Dispatch& main = run.plan.main();
    const PrivateBins private_layout =
        compute_private_bins(run.facts, run[bins], main.workgroup_size(), run.limits);
    const std::string bytes = format_byte_text(main.shared_bytes);
    const std::string held_bins = format_count(private_layout.held_bins);
    if (private_layout.held_bins < run[bins])
        add.caution(bins,
                    "Workgroup memory ({}) holds {} of the {} bins; the others are counted in global memory.",
                    bytes, held_bins, format_count(run[bins]));
    else if (!run.facts.has_replicas)
        add.note(bins, "{} of workgroup memory for each workgroup's bins.", bytes);
    else if (private_layout.copies > 1)
        add.note(bins, "{} copies of each bin: {} of workgroup memory.", private_layout.copies, bytes);
    else
        add.note(
            bins,
            "Only one copy of each bin fits, in {} of workgroup memory: this is the same as atomic_shared.",
            bytes);
    const std::uint64_t each = divide_up(main.elements(), std::min(main.workgroup_count(), main.tiles()));
    if (each < private_layout.held_bins)
        add.note(key::workgroup_count,
                 "Each workgroup counts about {} into {} and then adds all its bins to the "
                 "global ones. With fewer workgroups, fewer bins would be added.",
                 counted(each, "number"), counted(private_layout.held_bins, "bin"));
}

void remarks(Remarks& add, const Run& run) {
    add_range_remarks(add, run);
    if (run.facts.has_private_bins)
        add_private_bins_remarks(add, run);
    else if (run.variant.wrong_on_purpose)
        add.caution(
            "No atomic additions: counts may get lost, and the result says how many. A result that differs "
            "is reported as \"wrong on purpose\".");
    else if (run.limits.is_cpu)
        add.note(
            "On a software device, few invocations run at the same time, so they rarely conflict in a bin. "
            "On a GPU, many more run at the same time.");
}

std::uint64_t sum_counts(const Outputs& outputs) {
    const auto counts = get(outputs, "counts").as<std::uint32_t>();
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}
std::uint64_t get_ignored(const Outputs& outputs) {
    return get(outputs, "ignored").as<std::uint32_t>()[0];
}

std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    // A race can only lose counts. A total above the number of elements is reported by the comparison.
    const std::uint64_t found = sum_counts(outputs) + get_ignored(outputs);
    return {{"counts", "Counts", find_ref(outputs, "counts")},
            {"lost", "Lost", run[key::elements] - std::min(run[key::elements], found)},
            {"ignored", "Ignored", get_ignored(outputs)}};
}

std::vector<Fact> pairs_result(const Run&, const Outputs& outputs) {
    return {{"counted", "Pairs counted", sum_counts(outputs)},
            {"ignored", "Pairs ignored", get_ignored(outputs)}};
}

// Pictures.

FigureBuilder& add_bins_figure(Figures& add, const Bins& range, std::string id, std::string title,
                               std::string what = "count") {
    return add.figure(std::move(id), std::move(title), "value", std::move(what))
        .value_labels(range.count <= 20);
}
/// One bar per bin.
Series bars(const Bins& range, std::string label, Mark mark, ColorRole color_role,
            std::vector<double> heights) {
    const double half = (double{range.max} - range.min) / range.count / 2;
    return {std::move(label),
            mark,
            color_role,
            {},
            spaced_numbers(range.min + half, range.max - half, range.count),
            std::move(heights)};
}
/// Counts the numbers [begin, end) of the array, up to its end.
Series make_counts_series(const Bins& range, std::string label, Mark mark, const Array& numbers,
                          std::size_t begin, std::size_t end) {
    std::vector<double> counts(range.count + 1);
    for (std::size_t i = begin; i < std::min(end, numbers.count()); ++i)
        ++counts[find_bin(static_cast<float>(numbers.number(i)), range)];
    counts.pop_back();
    return bars(range, std::move(label), mark, ColorRole::series, std::move(counts));
}

void draw_counts(Figures& add, const Run& run, const Report& report) {
    const Bins range = get_bins(report.experiment.values);
    const std::uint64_t ignored = get_ignored(report.outputs);
    const std::uint64_t elements = report.experiment.values[key::elements];
    const std::string all = format_count(elements);
    const std::vector<double> counts = sample_numbers(get(report.outputs, "counts"));
    FigureBuilder& figure =
        add_bins_figure(add, range, "counts", "Counts, " + counted(range.count, "bin"))
            .series(bars(range, report.computed ? "count" : "GPU", Mark::bars, ColorRole::upload, counts));
    if (ignored == elements)
        figure.note("Every number lies outside the range and is ignored. Set range_min and range_max.");
    else if (ignored > 0)
        figure.note("{} of {} numbers lie outside the range and are ignored.", format_count(ignored), all);
    if (report.computed) return;
    std::vector<double> right = sample_numbers(*report.correct_values("counts"));
    figure.series(bars(range, "CPU", Mark::outline_bars, ColorRole::cpu, right)).measured();
    if (!run.variant.wrong_on_purpose) return;
    for (std::size_t i = 0; i < right.size(); ++i)
        right[i] -= counts[i];
    const auto lost_count = static_cast<std::uint64_t>(metric(report, "lost").value_or(0));
    add_bins_figure(add, range, "lost", "Lost counts per bin", "lost counts")
        .series(bars(range, "lost", Mark::bars, ColorRole::wrong, std::move(right)))
        .measured()
        .note("{} of {} numbers were not counted in this run.", format_count(lost_count), all);
}

/// Returns the user's numbers, else the first `max_count` of the lesson's.
ArrayRef first_numbers(const Run& run, std::uint64_t max_count) {
    if (const ArrayRef& numbers = run.prepared.experiment.input.numbers) return numbers;
    return share(normal_f32(std::min(max_count, run[key::elements]), run[key::seed], 0, run[spread]));
}

void draw_first_numbers(Figures& add, const Run& run) {
    constexpr std::uint64_t max_count = 1000;
    const Bins range = get_bins(run.values);
    const ArrayRef numbers = first_numbers(run, max_count);
    add_bins_figure(add, range, "first_numbers",
                    fmt::format("The first {} in {}",
                                counted(std::min<std::size_t>(max_count, numbers->count()), "number"),
                                counted(range.count, "bin")))
        .series(make_counts_series(range, "count", Mark::bars, *numbers, 0, max_count));
}

/// Draws what each of the first workgroups has counted before any of them continues with its next numbers.
void draw_private_counts(Figures& add, const Run& run) {
    constexpr std::uint64_t max_workgroups = 4;
    const Bins range = get_bins(run.values);
    const Dispatch& launch = run.plan.main();
    const std::uint64_t tile = launch.elements_per_workgroup();
    const std::uint64_t workgroups =
        std::min({max_workgroups, launch.workgroup_count(), divide_up(launch.elements(), tile)});
    const ArrayRef numbers = first_numbers(run, workgroups * tile);
    FigureBuilder& figure = add_bins_figure(
        add, range, "own_counts", fmt::format("Counts of the first {}", counted(workgroups, "workgroup")));
    for (std::uint64_t w = 0; w < workgroups; ++w)
        figure.series(make_counts_series(range, fmt::format("workgroup {}", w), Mark::stacked_bars, *numbers,
                                         w * tile, (w + 1) * tile));
    figure.note("Each has counted its first {} in its workgroup memory.", counted(tile, "number"));
}

/// Draws two invocations that increment the same count, 41.
void draw_two_additions(Figures& add) {
    enum Step : std::uint8_t { read, sum, write, wait };
    const std::vector<std::uint8_t> now = {read, sum, write}, later = {wait, wait, wait, read, sum, write};
    add.cells("two_additions", "Two additions to one count",
              {.kinds = {{"reads the count", ColorRole::upload},
                         {"adds 1", ColorRole::kernel},
                         {"writes the sum", ColorRole::download},
                         {"has not started", ColorRole::quiet, Cells::Fill::outlined}},
               .rows = {{"A", now, "reads 41, writes 42"},
                        {"then B", later, "reads 42, writes 43"},
                        {"A", now, "reads 41, writes 42"},
                        {"and B", now, "reads 41, writes 42: one is lost"}},
               .cell_name = "step"},
              "Above: one after the other. Below: both at the same time. Time goes to the right.",
              Origin::modelled);
}

/// Draws which invocations of a subgroup increment the same count together.
void draw_contention(Figures& add, bool is_race) {
    const ConflictLabels words{
        .alone = {"alone in its bin", ColorRole::kernel},
        .first = {is_race ? "one of them is counted" : "adds first", ColorRole::upload},
        .later = {is_race ? "overwritten" : "waits", is_race ? ColorRole::wrong : ColorRole::caution},
        .elsewhere = {"counts nothing", ColorRole::quiet},
        .in_arrays = true};
    add.traced("contention", "Conflicts in the first subgroups", draw_conflicts(words));
}

/// Draws the size of a workgroup's private bins, in bytes, against the number of bins.
void draw_workgroup_memory(Figures& add, const Run& run) {
    FigureBuilder& figure =
        add.figure("workgroup_memory", "Workgroup memory for private bins", {"bins", AxisScale::logarithmic},
                   {"workgroup memory", "B", AxisScale::logarithmic});
    const auto at = spaced_numbers(1, max_bins, std::bit_width(max_bins), AxisScale::logarithmic);
    for (const Variant& variant : run.variants()) {
        if (!Run::get_facts(variant).has_private_bins) continue;
        const auto bytes = [&](double count) {
            const PrivateBins private_layout =
                compute_private_bins(Run::get_facts(variant), static_cast<std::uint64_t>(std::round(count)),
                                     run[key::workgroup_size], run.limits);
            return static_cast<double>(private_layout.held_bins * private_layout.copies *
                                       sizeof(std::uint32_t));
        };
        figure.line(variant.id, at, bytes, ColorRole::series);
    }
    const auto limit = static_cast<double>(run.limits.max_shared_bytes);
    figure.line("limit of this device", {at.front(), at.back()}, {limit, limit}, ColorRole::caution);
}

/// Draws kernel times of runs that differ from the current settings only in this parameter, the seed and the
/// variant.
void draw_times(Figures& add, const Run& run, std::string id, std::string_view parameter) {
    const std::string& label = find(run.prepared.lesson->parameters, parameter)->label;
    const auto matches_settings = [&](const Report& one) {
        Values values = one.experiment.values;
        for (const std::string_view free : {parameter, key::seed.id})
            values.set(free, run.values.at(free));
        return values == run.values && one.experiment.input.name.empty() && !one.experiment.kernel;
    };
    add.figure(std::move(id), "Kernel time against " + label, {}, {"kernel", "ns", AxisScale::logarithmic})
        .latest_by(
            parameter, [](const Report& one) { return metric(one, "kernel_ns"); }, matches_settings)
        .x({label, AxisScale::logarithmic})
        .only_if(add.latest_by(parameter, matches_settings).size() > 1)
        .note("Runs so far that differ from the current settings only in {} and the variant.", label);
}

void pictures(Figures& add, const Run& run) {
    if (add.output("counts")) draw_counts(add, run, *add.report());
    if (!run.plan.steps.empty()) {
        draw_first_numbers(add, run);
        draw_two_additions(add);
        draw_contention(add, run.variant.wrong_on_purpose);
        if (run.facts.has_private_bins) draw_private_counts(add, run);
        draw_workgroup_memory(add, run);
    }
    draw_times(add, run, "time_against_spread", spread.id);
    draw_times(add, run, "time_against_bins", bins.id);
    draw_times(add, run, "time_against_workgroups", key::workgroup_count.id);
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "histogram",
         .title = "Histogram",
         .parameters = parameters(),
         .noun = "numbers",
         .default_variant = "atomic_shared",
         .input = input,
         .input_files = {".csv", ".txt", ".npy", ".png"},
         .input_from_user = input_from_user,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"race", "Read, add, write",
           "Every invocation loads its number's count, adds 1 and stores the sum, while others may do the "
           "same."},
          {},
          {.wrong_on_purpose = true}},
         {{"atomic_global", "Atomic counts",
           "Every invocation adds 1 to its number's count in global memory, with an atomic addition."}},
         {{"atomic_shared", "Counts per workgroup",
           "Each workgroup counts in workgroup memory and finally adds its counts to those in global "
           "memory."},
          {.has_private_bins = true},
          {.per_invocation = 4}},
         {{"subgroup_replicas", "Several copies of each count",
           "As atomic_shared, with several copies of every count, so that the invocations of a subgroup "
           "rarely conflict."},
          {.has_private_bins = true, .has_replicas = true},
          {.per_invocation = 4}}},
        {{{"pairs", "Pairs into 16 x 16 bins",
           "Each pair of numbers selects the column and the row of a bin."},
          {.has_private_bins = true},
          {.per_invocation = 2,
           .has_baseline = false,
           .task = {.plan = plan_pairs,
                    .remarks = no_op,
                    .reference = pairs_reference,
                    .result = pairs_result,
                    .pictures = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::histogram
