// Histogram: thousands of invocations count into a few bins, and meet there.
#include "lesson/lesson.h"
#include "figures/figures.h"

#include <fmt/format.h>

#include <bit>
#include <mutex>

#include "base/parallel_for.h"
#include "base/units.h"
#include "histogram/histogram.h"
#include "lesson/stock.h"

namespace gridstride::lessons::histogram {

const std::vector<Way>& ways() {
    static const std::vector<Way> rows{
        {{"race", "Read, add, write",
          "Every invocation reads its number's count, adds 1 and writes the sum back, and nothing keeps "
          "others out meanwhile.",
          "histogram/race.comp", /*per_invocation=*/1, /*uses_subgroups=*/false, /*wrong_on_purpose=*/true}},
        {{"atomic_global", "Atomic counts",
          "Every invocation adds 1 to its number's count in global memory, with an atomic addition.",
          "histogram/atomic_global.comp"}},
        {{"atomic_shared", "Counts of each workgroup",
          "Each workgroup counts in workgroup memory, and at the end adds its counts to those in global "
          "memory.",
          "histogram/atomic_shared.comp", /*per_invocation=*/4},
         /*private_bins=*/true},
        {{"subgroup_replicas", "Several copies of each count",
          "As atomic_shared, with several copies of every count, so that the invocations of a subgroup "
          "rarely meet.",
          "histogram/subgroup_replicas.comp", /*per_invocation=*/4},
         /*private_bins=*/true,
         /*replicas=*/true},
    };
    return rows;
}

PrivateBins private_bins(const Way& way, std::uint64_t bins, std::uint64_t size, const Limits& limits) {
    PrivateBins made;
    if (!way.private_bins) return made;
    // One word is for the numbers that are ignored.
    const std::uint64_t room = std::max<std::uint64_t>(limits.max_shared_bytes / 4, 2) - 1;
    made.held = std::min(bins, room);
    if (way.replicas) {
        // More u32 than this would leave room for fewer workgroups at a time, and each would have more to
        // clear and to add up.
        constexpr std::uint64_t most_words_of_copies = 8192;
        const std::uint64_t fit = std::min(room, most_words_of_copies) / made.held;
        const std::uint64_t meet = std::min<std::uint64_t>(limits.subgroup_size, std::bit_ceil(size));
        made.copies = std::bit_floor(std::clamp<std::uint64_t>(fit, 1, meet));
    }
    // A power of two where it fits: moving `bins` does not make the driver compile a kernel for every stop.
    const std::uint64_t used = made.held * made.copies;
    made.words = std::bit_ceil(used) <= room ? std::bit_ceil(used) : used;
    return made;
}

namespace {

std::vector<Parameter> parameters() {
    // Far enough from the largest f32 (3.4e38) and, for its reciprocal, from the smallest, that no difference
    // and no quotient of range ends overflows.
    constexpr double largest_end = 1e30;
    Parameter bins =
        number_parameter(key::bins, "Bins", "Into how many bins of equal width the range is divided.", 10, 1,
                         4096, Invalidates::reference);
    bins.unit = "bins";
    Parameter spread =
        number_parameter(key::spread, "Spread", "The standard deviation of the random numbers.", 1, 1e-6,
                         1000, Invalidates::input);
    bins.scale = spread.scale = Scale::logarithmic;
    return common_parameters(
        10000, 256,
        {bins,
         number_parameter(key::range_min, "Range from",
                          "The least number that is counted; what is below is ignored.", -4, -largest_end,
                          largest_end, Invalidates::reference),
         number_parameter(key::range_max, "Range to",
                          "Numbers below it are counted; it and what is above are ignored.", 4, -largest_end,
                          largest_end, Invalidates::reference),
         spread});
}

/// "values": f32, normal with mean 0 and standard deviation `spread`, stream 0 of the seed.
Input input(const Values& values) {
    return {{"values", share(normal_f32(values[key::elements], values[key::seed], 0, values[key::spread]))}};
}

/// Rounded to f32. NaN and infinities are welcome: they are ignored like anything else outside the range.
Input input_from_user(const UserData& data, const Values&) {
    return {{"values", numbers_of_user<float>(data), data.width}};
}

/// counts: of each bin, as bin_of() says; ignored: of the numbers in no bin. Exact for every way to count.
std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    const auto numbers = get(input, "values").as<float>();
    const Bins bins = bins_of(asked.values());
    std::vector<std::uint32_t> counts(bins.count + 1);  // the last: of those in no bin
    std::mutex adding;
    parallel_for(numbers.size(), std::size_t{1} << 18, [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t> part(counts.size());
        for (const float x : numbers.subspan(begin, end - begin))
            ++part[bin_of(x, bins).value_or(bins.count)];
        const std::lock_guard lock(adding);
        for (std::size_t i = 0; i < part.size(); ++i)
            counts[i] += part[i];
    });
    const std::span<const std::uint32_t> all = counts;
    return {{"counts", share(all.first(bins.count))}, {"ignored", share(all.last(1))}};
}

/// As bin_of(), without branches; what is in no bin gets one more than the last.
inline std::uint32_t place_of(float x, const Bins& bins) {
    const bool inside = (x >= bins.min) & (x < bins.max);
    // 0 in place of what would not fit an integer. Where it fits it is not negative: truncation is floor.
    const auto bin = static_cast<std::int32_t>(inside ? (x - bins.min) / bins.width : 0.0f);
    return inside ? std::min(static_cast<std::uint32_t>(bin), bins.count - 1) : bins.count;
}

/// What the baselines return: the sum of all counts, each times its bin's number counted from 1.
double weighted_count(std::span<const float> numbers, const Values& values) {
    const Bins bins = bins_of(values);
    // Neighbouring numbers are counted in different tables: a CPU that counts the same bin twice in a row
    // waits for its own store.
    constexpr std::size_t tables = 4;
    const std::size_t places = bins.count + 1;
    std::vector<std::uint32_t> counts(tables * places);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        ++counts[(i % tables) * places + place_of(numbers[i], bins)];
    double sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (i % places < bins.count) sum += static_cast<double>(i % places + 1) * counts[i];
    return sum;
}

double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const auto numbers = get(input, "values").as<float>();
    // A few parts for each thread, no more: every part has tables to clear and to add up.
    const std::size_t part = std::max(std::size_t{1} << 16, numbers.size() / (8 * hardware_threads()));
    return in_parts(numbers.size(), part, [&](std::size_t begin, std::size_t end) {
        return weighted_count(numbers.subspan(begin, end - begin), values);
    });
}

/// What the kernels are told, as words for push constants: see shaders/histogram/binning.glsl.
std::vector<std::uint32_t> kernel_words(const Bins& bins) {
    // A kernel's quotient is an estimate, off by less than this, in bins. It multiplies by 1 / width: half an
    // ulp (2^-24) for the reciprocal, one ulp (2^-23) each for the product and the subtraction of a half on a
    // device that rounds in whatever direction, one between its difference x - min and the CPU's, and half an
    // ulp for the CPU's quotient: 4 ulp of at most count. The one more covers products of these errors, and
    // numbers so small that a device takes them for 0.
    const float error = 4 * static_cast<float>(bins.count + 1) * 0x1p-23f;
    // The width as a sum of two numbers of 12 significant bits: their products with a bin's number are exact.
    const float high = std::bit_cast<float>(std::bit_cast<std::uint32_t>(bins.width) & 0xFFFFF000u);
    const float low = bins.width - high;
    std::vector<std::uint32_t> words;
    for (const float number : {bins.min, bins.max, bins.width, high, low, 1 / bins.width, 0.5f - error})
        words.push_back(std::bit_cast<std::uint32_t>(number));
    words.push_back(bins.count);
    return words;
}

void plan(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    const Variant& variant = *run.variant;
    const Way& way = row_of(ways(), variant);
    const Bins bins = bins_of(values);
    const std::uint64_t size = plan.workgroup_size();
    // Each workgroup clears its bins first and adds them to the others' last.
    if (way.private_bins) plan.natural_grid(plan.fewest_filling_workgroups());

    const PlanBuffer numbers = plan.input("values", ElementType::f32, plan.domain());
    const PlanBuffer counts = plan.output("counts", ElementType::u32, {bins.count});
    const PlanBuffer ignored = plan.output("ignored", ElementType::u32, {1});
    plan.upload(numbers);
    plan.fill(counts, 0);
    plan.fill(ignored, 0);
    Dispatch& count = plan.launch("count", "histogram/" + variant.id,
                                  {reads_each(numbers), updates(counts), updates(ignored)});
    count.push = kernel_words(bins);
    count.iterations_once = 1;
    if (way.private_bins) {
        const PrivateBins own = private_bins(way, bins.count, size, plan.limits());
        count.constants = {static_cast<std::uint32_t>(own.words), static_cast<std::uint32_t>(own.copies),
                           own.held == bins.count ? 1u : 0u};
        count.shared_bytes = (own.words + 1) * sizeof(std::uint32_t);
        const std::uint64_t clearing = divide_up(own.held * own.copies, size);
        // For each bin one round of the loop over the bins, and one for each of its copies.
        const std::uint64_t adding = divide_up(own.held, size) * (2 + own.copies);
        count.iterations_once = clearing + adding + 4;
    }
    plan.download(counts);
    plan.download(ignored);
    plan.main_output("counts");
    // Every number is read once; the counts are nothing beside it. binning.glsl: four sums and differences
    // and a multiply-add of floats, a difference of whole numbers, a magnitude with its comparison, and the
    // count. The rare exact decision is left out.
    plan.costs(plan.elements() * sizeof(float), 10 * plan.elements());
}

void remark_on_range(Remarks& say, const Values& values) {
    // Below this the smallest floats, which devices may take for 0, would matter.
    constexpr float least_width = 1e-30f;
    const Bins bins = bins_of(values);
    const double from = values[key::range_min], to = values[key::range_max];
    // Next to the end that is further from 0 the floats lie furthest apart.
    const float far_end = std::max(std::abs(bins.min), std::abs(bins.max));
    const float step = std::nextafter(far_end, INFINITY) - far_end;
    std::string refusal;
    if (!(from < to))
        refusal = fmt::format(
            "range_min = {} is not below range_max = {}: the range is empty. Give a larger range_max or a "
            "smaller range_min.",
            from, to);
    else if (!(bins.min < bins.max))
        refusal = fmt::format(
            "range_min = {} and range_max = {} are the same f32 number: the range is empty. "
            "Give ends that are further apart.",
            from, to);
    else if (bins.width < least_width)
        refusal =
            fmt::format("A bin would be {:.3g} wide; {:.0e} is the least. Give a wider range or fewer bins.",
                        bins.width, least_width);
    if (!refusal.empty())
        say.refuse(key::range_max, std::move(refusal));
    else if (step > bins.width)
        say.caution(key::bins,
                    fmt::format("Bins are {:.3g} wide, but near {:.6g} there is one f32 number every {:.3g}: "
                                "some bins stay empty because no number falls into them.",
                                bins.width, far_end, step));
}

void remark_on_private_bins(Remarks& say, const Prepared& asked, const Way& way) {
    const Dispatch& main = asked.plan.main();
    const std::uint64_t bins = asked.values()[key::bins];
    const PrivateBins own = private_bins(way, bins, main.workgroup_size(), asked.limits);
    const std::string bytes = bytes_text(main.shared_bytes);
    const std::string held = format_count(own.held);
    if (own.held < bins)
        say.caution(key::bins, fmt::format("Workgroup memory ({}) holds {} of the {} bins; the others are "
                                           "counted in global memory.",
                                           bytes, held, format_count(bins)));
    else if (!way.replicas)
        say.note(key::bins, fmt::format("{} of workgroup memory for each workgroup's bins.", bytes));
    else if (own.copies > 1)
        say.note(key::bins, fmt::format("{} copies of each bin: {} of workgroup memory.", own.copies, bytes));
    else
        say.note(key::bins, "There is room for one copy of each bin: " + bytes +
                                " of workgroup memory. This is atomic_shared.");
    const std::uint64_t each = divide_up(main.elements(), std::min(main.workgroup_count(), main.tiles()));
    if (each < own.held)
        say.note(
            key::workgroup_count,
            fmt::format("A workgroup counts about {} numbers into {} bins and then adds up all the bins. "
                        "Fewer workgroups would add up less often.",
                        format_count(each), held));
}

void remarks(Remarks& say, const Prepared& asked) {
    const Way& way = row_of(ways(), *asked.variant);
    remark_on_range(say, asked.values());
    if (way.private_bins)
        remark_on_private_bins(say, asked, way);
    else if (way.wrong_on_purpose)
        say.caution(
            "No atomic additions: where counts get lost, the result says how many. The judge calls a result "
            "that differs \"wrong on purpose\".");
    else if (asked.limits.is_cpu)
        say.note(
            "On a software device few invocations run at the same time, so they hardly meet in a bin. On "
            "a GPU tens of thousands do.");
}

std::vector<Fact> result(const Prepared& run, const Outputs& outputs) {
    const Values& values = run.values();
    ArrayRef counts;
    for (const NamedArray& output : outputs)
        if (output.name == "counts") counts = output.array;
    std::uint64_t counted = 0;
    for (const std::uint32_t count : counts->as<std::uint32_t>())
        counted += count;
    const std::uint64_t ignored = get(outputs, "ignored").as<std::uint32_t>()[0];
    // A race can only lose; more than there are numbers would be a mistake that the judge names.
    const std::uint64_t elements = values[key::elements];
    const std::uint64_t lost = elements - std::min(elements, counted + ignored);
    return {{"counts", "Counts", counts}, {"lost", "Lost", lost}, {"ignored", "Ignored", ignored}};
}

// To make: pairs of numbers into a square of bins.

constexpr std::uint32_t side = 16;

Bins bins_along_a_side(const Values& values) {
    const Bins asked = bins_of(values);
    return {asked.min, asked.max, (asked.max - asked.min) / static_cast<float>(side), side};
}

/// counts[row * 16 + column] and ignored, as reference(): the last of an odd number belongs to no pair.
std::vector<Expected> reference_of_pairs(const Input& input, const Prepared& asked) {
    const auto numbers = get(input, "values").as<float>();
    const Bins bins = bins_along_a_side(asked.values());
    std::vector<std::uint32_t> counts(side * side);
    std::uint32_t ignored = 0;
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
        const auto column = bin_of(numbers[i], bins), row = bin_of(numbers[i + 1], bins);
        ++(column && row ? counts[*row * side + *column] : ignored);
    }
    return {{"counts", share(std::span<const std::uint32_t>(counts))},
            {"ignored", share<std::uint32_t>({&ignored, 1})}};
}

void plan_pairs(PlanBuilder& plan, const Prepared& run) {
    const Values& values = run.values();
    plan.natural_grid(plan.fewest_filling_workgroups());
    const PlanBuffer numbers = plan.input("values", ElementType::f32, plan.domain());
    const PlanBuffer counts = plan.output("counts", ElementType::u32, {side * side});
    const PlanBuffer ignored = plan.output("ignored", ElementType::u32, {1});
    plan.upload(numbers);
    plan.fill(counts, 0);
    plan.fill(ignored, 0);
    Dispatch& count = plan.launch("count the pairs", "histogram/pairs_start",
                                  {reads_each(numbers), updates(counts), updates(ignored)});
    count.push = kernel_words(bins_along_a_side(values));
    count.iterations_once = 2 * divide_up(side * side, plan.workgroup_size()) + 4;
    plan.download(counts);
    plan.download(ignored);
    plan.main_output("counts");
    plan.costs(plan.elements() * sizeof(float), 10 * plan.elements());
}

std::vector<Fact> result_of_pairs(const Prepared&, const Outputs& outputs) {
    std::uint64_t counted = 0;
    for (const std::uint32_t count : get(outputs, "counts").as<std::uint32_t>())
        counted += count;
    return {{"counted", "Pairs counted", counted},
            {"ignored", "Pairs ignored", std::uint64_t{get(outputs, "ignored").as<std::uint32_t>()[0]}}};
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "histogram",
        .title = "Histogram",
        .parameters = parameters(),
        .noun = "numbers",
        .variants = {ways().begin(), ways().end()},
        .default_variant = "atomic_shared",
        .exercises = {{.id = "pairs",
                       .title = "Pairs into 16 x 16 bins",
                       .summary = "Two numbers say a column and a row.",
                       .kernel = "histogram/pairs_start.comp",
                       .per_invocation = 2,
                       .is_baselines_work = false,
                       .solution = "histogram/pairs.comp",
                       .task = {.plan = &plan_pairs,
                                .remarks = nothing,
                                .reference = &reference_of_pairs,
                                .result = &result_of_pairs,
                                .pictures = nothing}}},
        .input = &input,
        .input_files = {".csv", ".txt", ".npy", ".png"},
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

}  // namespace gridstride::lessons::histogram
