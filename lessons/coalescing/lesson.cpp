// Coalescing: reading the same numbers in different orders changes how many bytes the device fetches.
#include "figures/lesson_headers.h"

#include "coalescing/coalescing.h"

namespace gridstride::lessons::coalescing {

namespace {

std::vector<Parameter> parameters() {
    const auto number = [](Key<std::uint64_t> key, const char* label, const char* help,
                           std::uint64_t default_value, double minimum, double maximum) {
        Parameter parameter =
            number_parameter(key, label, help, default_value, minimum, maximum, Invalidates::reference);
        parameter.unit = "numbers";
        return parameter;
    };
    std::vector<Parameter> own = {
        number(key::row_length, "Row length", "How many of the numbers stand in a row of the matrix.", 256, 1,
               1 << 20),
        number(key::stride, "Stride", "Every so many of the numbers are taken.", 2, 1, 4096),
        number(key::offset, "Offset", "So many numbers are left out at the front.", 0, 0, 64),
        number(key::reach, "Reach", "A gather takes its numbers from so many at the front.", 1 << 24, 1,
               1 << 30)};
    for (Parameter& parameter : own)
        if (parameter.minimum > 0) parameter.scale = Scale::logarithmic;
    return common_parameters(1 << 20, 256, std::move(own));
}

/// Uniform in [0, 1): the numbers of a matrix, or radii and angles.
Input input(const Values& values) {
    return {{"x", share(uniform_f32(values[key::elements], values[key::seed]))}};
}

// The definitions.

constexpr double ulp = 0x1p-23;
/// sqrt is 1 / inversesqrt. Vulkan allows 2 ulp for inversesqrt and 2.5 for the division.
constexpr double root_rounding = 5 * ulp;

/// The elements [begin, end) of a matrix row.
struct Row {
    std::size_t begin, end;
};
Row row_of_matrix(std::size_t row, std::size_t row_length, std::size_t count) {
    return {row * row_length, std::min((row + 1) * row_length, count)};
}

/// The norm of each row. A square is rounded once, the root halves the sum's relative error, and a device may
/// flush squares below the smallest normal number to 0.
std::vector<Expected> norms_of_rows(const Input& input, const Run& run) {
    const auto x = get(input, "x").as<float>();
    const std::uint64_t row_length = run[key::row_length];
    Array norms(ElementType::f64, divide_up(x.size(), row_length));
    const auto right = norms.as<double>();
    parallel_for(right.size(), divide_up(std::uint64_t{1} << 14, row_length),
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t row = begin; row < end; ++row) {
                         const auto [first, last] = row_of_matrix(row, row_length, x.size());
                         double sum = 0;
                         for (std::size_t i = first; i < last; ++i)
                             sum += double{x[i]} * x[i];
                         right[row] = std::sqrt(sum);
                     }
                 });
    const Tolerance of_sum = f32_sum_tolerance(row_length, row_length);
    return {{"norms",
             share(std::move(norms)),
             {std::sqrt(of_sum.absolute), (of_sum.relative + ulp) / 2 + root_rounding}}};
}

/// Returns how many elements a stride takes, from the offset on.
std::uint64_t count_strided_elements(const Values& values) {
    return divide_up(values[key::elements] - std::min(values[key::elements] - 1, values[key::offset]),
                     values[key::stride]);
}
std::vector<Expected> every_so_many(const Input& input, const Run& run) {
    const auto x = get(input, "x").as<float>();
    const std::uint64_t offset = run[key::offset], stride = run[key::stride];
    return {{"taken", generate_array<float>(count_strided_elements(run.values),
                                            [&](std::size_t i) { return x[offset + i * stride]; })}};
}

/// The hash of gather.comp.
std::uint32_t hash(std::uint32_t i) {
    const std::uint32_t state = i * 747796405U + 2891336453U;
    const std::uint32_t word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737U;
    return (word >> 22) ^ word;
}
std::uint32_t reach_of(const Values& values) {
    return static_cast<std::uint32_t>(std::min(values[key::reach], values[key::elements]));
}
std::vector<Expected> from_anywhere(const Input& input, const Run& run) {
    const auto x = get(input, "x").as<float>();
    const std::uint32_t reach = reach_of(run.values);
    return {{"gathered", generate_array<float>(x.size(), [&](std::size_t i) {
                 return x[hash(static_cast<std::uint32_t>(i)) % reach];
             })}};
}

constexpr std::uint64_t members = 4;  ///< members of a particle; two are read
std::uint64_t particle_count(const Values& values) {
    return divide_up(values[key::elements], members);
}

/// The distance of each particle from the mast. Member m of particle p is at p * step_of_particle + m *
/// step_of_member; elements behind the input are 0.
///
/// With r and s the radii, the square is r^2 + s^2 - 2 r s cos(a). Vulkan bounds the error of the cosine
/// between -pi and pi by 2^-11; the rest rounds at most eight times, to (r + s)^2 ulp each. An error e of a
/// square D becomes e / sqrt(D) in the root, and at most sqrt(e).
std::vector<Expected> distances_of(const Input& input, const Values& values, std::uint64_t step_of_particle,
                                   std::uint64_t step_of_member) {
    constexpr double mast_radius = 0.5, mast_angle = 0.5;  // as in polar.glsl
    const auto x = get(input, "x").as<float>();
    const std::uint64_t count = particle_count(values);
    Array distances(ElementType::f64, count), off_by(ElementType::f64, count);
    const auto right = distances.as<double>(), scale = off_by.as<double>();
    const auto number = [&](std::uint64_t i) { return i < x.size() ? double{x[i]} : 0.0; };
    parallel_for(count, std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            const double radius = number(p * step_of_particle),
                         angle = number(p * step_of_particle + step_of_member);
            const double both = 2 * radius * mast_radius;
            const double square = std::max(
                radius * radius + mast_radius * mast_radius - both * std::cos(angle - mast_angle), 0.0);
            right[p] = std::sqrt(square);
            const double error = both * 0x1p-11 + 8 * ulp * (radius + mast_radius) * (radius + mast_radius);
            scale[p] =
                std::min(std::sqrt(error), error / std::max(right[p], 1e-30)) + root_rounding * right[p];
        }
    });
    return {{"distances", share(std::move(distances)), {0, 1}, share(std::move(off_by))}};
}
std::vector<Expected> distances_of_structs(const Input& input, const Run& run) {
    return distances_of(input, run.values, members, 1);
}
std::vector<Expected> distances_of_arrays(const Input& input, const Run& run) {
    return distances_of(input, run.values, 1, particle_count(run.values));
}

/// Computes the norms with independent partial sums, which the compiler can vectorise.
double on_cpu(const Input& input, const Values& values, SumRanges sum_ranges) {
    const auto x = get(input, "x").as<float>();
    const std::uint64_t row_length = values[key::row_length];
    const auto norms = scratch_array(ElementType::f32, divide_up(x.size(), row_length)).as<float>();
    const std::size_t block = divide_up(std::uint64_t{1} << 15, row_length);
    return sum_ranges(norms.size(), block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const auto [first, last] = row_of_matrix(row, row_length, x.size());
            constexpr std::size_t width = 32;
            std::array<float, width> sums{};
            std::size_t i = first;
            for (; i + width <= last; i += width)
                for (std::size_t k = 0; k < width; ++k)
                    sums[k] += x[i + k] * x[i + k];
            for (; i < last; ++i)
                sums[0] += x[i] * x[i];
            norms[row] = std::sqrt(static_cast<float>(fast_sum<float>(sums)));
        }
        return double{norms[begin]} + norms[end - 1];
    });
}

// The launches.

/// A GPU gets one workgroup per piece of work, a CPU only as many as it runs at once.
std::uint64_t at_once_on_cpu(const PlanBuilder& plan) {
    return plan.limits().is_cpu ? plan.resident_workgroups() : UINT64_MAX;
}

/// The work of a workgroup in one pass over the matrix.
struct Pass {
    std::uint64_t rows;
    /// of an invocation, including the last test of each loop, because rows may be short
    std::uint64_t iterations;
    std::uint64_t max_workgroups = UINT64_MAX;  ///< for the automatic grid
    bool adds_across = true;                    ///< the invocations add up their sums in workgroup memory
};

void plan_rows(PlanBuilder& plan, const Run& run, const Pass& pass,
               std::vector<std::uint32_t> constants = {}) {
    const std::uint64_t row_length = run[key::row_length], row_count = divide_up(plan.elements(), row_length);
    plan.set_default_grid(
        std::min({divide_up(row_count, pass.rows), pass.max_workgroups, at_once_on_cpu(plan)}));
    const PlanBuffer x = plan.input("x");
    const PlanBuffer norms = plan.output("norms", ElementType::f32, {row_count});
    plan.upload(x);
    Dispatch& launch = plan.launch("the norm of each row", run.kernel(), {reads_each(x), writes(norms)});
    launch.tile = {pass.rows * row_length};
    launch.push = {word(row_length)};
    launch.constants = std::move(constants);
    launch.iterations_per_pass = pass.iterations;
    launch.shared_bytes = pass.adds_across ? plan.workgroup_size() * sizeof(float) : 0;
    plan.download(norms);
    plan.set_cost(sizeof(float) * (plan.elements() + row_count), 2 * plan.elements());
    plan.main_output("norms");
}

void plan_row_per_invocation(PlanBuilder& plan, const Run& run) {
    plan.set_per_invocation(run[key::row_length]);
    plan_rows(plan, run,
              {plan.workgroup_size(), run[key::row_length] + 2, UINT64_MAX, /*adds_across=*/false});
}

/// Returns the width of a full subgroup of the workgroup.
std::uint64_t lanes_of(const PlanBuilder& plan) {
    return std::min<std::uint64_t>(plan.limits().subgroup_size, plan.workgroup_size());
}
std::uint64_t subgroups_of(const PlanBuilder& plan) {
    return divide_up(plan.workgroup_size(), lanes_of(plan));
}

void plan_row_per_workgroup(PlanBuilder& plan, const Run& run) {
    const std::uint64_t rounds = divide_up(run[key::row_length], plan.workgroup_size()),
                        across = divide_up(subgroups_of(plan), lanes_of(plan));
    plan_rows(plan, run, {1, rounds + across + 3});
}

void plan_row_per_subgroup(PlanBuilder& plan, const Run& run) {
    const std::uint64_t row_length = run[key::row_length], row_count = divide_up(plan.elements(), row_length),
                        subgroups = subgroups_of(plan);
    // With few rows, some multiprocessors would be idle. Then all subgroups of a workgroup share a row, if it
    // is long enough.
    const std::uint64_t enough = plan.limits().is_cpu ? 1 : plan.resident_workgroups() * subgroups / 2;
    const bool shared = row_count < enough && row_length >= 4 * plan.workgroup_size();
    const std::uint64_t rows = shared ? 1 : subgroups;
    // Each lane loads four quads at a time.
    const std::uint64_t team = rows == 1 ? plan.workgroup_size() : lanes_of(plan),
                        rounds = divide_up(divide_up(row_length, 4), 4 * team),
                        across = divide_up(subgroups, lanes_of(plan));
    // More workgroups than resident ones let some load while others add up. On an NVIDIA H200 (2^20 rows of
    // 256), 16 times as many reached 1.01 of a copy, 4 times as many 0.99, and equally many 0.98.
    const std::uint64_t max_workgroups = 16 * plan.resident_workgroups();
    plan_rows(plan, run, {rows, rounds + across + 4, max_workgroups}, {word(rows)});
}

/// Results that each depend on several numbers anywhere in x.
struct Results {
    const char* output;
    std::uint64_t count;
    std::uint64_t read_for_each, operations_for_each;
};

/// `numbers` is the size of x; elements behind the input are 0.
void plan_results(PlanBuilder& plan, const Run& run, const Results& results, std::uint64_t numbers,
                  std::vector<std::uint32_t> push) {
    plan.set_default_grid(std::min(divide_up(results.count, plan.workgroup_size()), at_once_on_cpu(plan)));
    const PlanBuffer x = plan.input("x", ElementType::f32, {numbers});
    const PlanBuffer out = plan.output(results.output, ElementType::f32, {results.count});
    if (numbers > plan.elements()) plan.fill(x, 0, /*is_untimed=*/true);
    plan.upload(x, plan.elements());
    Dispatch& launch = plan.launch("each of the results", run.kernel(), {reads(x), writes_each(out)});
    launch.domain = {results.count};
    launch.push = std::move(push);
    plan.download(out);
    plan.set_cost(sizeof(float) * (results.read_for_each + 1) * results.count,
                  results.operations_for_each * results.count);
    plan.main_output(results.output);
}

void plan_strided(PlanBuilder& plan, const Run& run) {
    plan_results(plan, run, {"taken", count_strided_elements(run.values), 1, 0}, plan.elements(),
                 {word(run[key::stride]), word(run[key::offset])});
}
void plan_gather(PlanBuilder& plan, const Run& run) {
    plan_results(plan, run, {"gathered", plan.elements(), 1, 0}, plan.elements(), {reach_of(run.values)});
}
void plan_particles(PlanBuilder& plan, const Run& run) {
    const std::uint64_t count = particle_count(run.values);
    plan_results(plan, run, {"distances", count, 2, 10}, members * count, {});
}

void remarks(Remarks& say, const Run& run) {
    const Values& values = run.values;
    if (run.variant.id == "strided" && values[key::offset] >= values[key::elements])
        say.refuse(key::offset,
                   fmt::format("There are {} numbers, so none is left behind an offset of {}.",
                               format_count(values[key::elements]), format_count(values[key::offset])));
}

std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    const Values& values = run.values;
    if (outputs.empty() || outputs.front().array->empty()) return {};
    const std::string& name = outputs.front().name;
    const ArrayRef& array = outputs.front().array;
    const FloatSummary all = summarize_floats(array->as<float>());
    std::vector<Fact> facts = {{"results", "Results", std::uint64_t{array->count()}},
                               {"smallest", "Smallest", all.smallest},
                               {"largest", "Largest", all.largest}};
    if (name == "taken") facts.push_back({"left_out", "Left out at the front", values[key::offset]});
    return facts;
}

// Exercise: the sum of each column, with all lanes busy even if there are few columns.

std::vector<Expected> column_sums_reference(const Input& input, const Run& run) {
    const auto x = get(input, "x").as<float>();
    const std::uint64_t row_length = run[key::row_length];
    Array sums(ElementType::f64, row_length);
    const auto right = sums.as<double>();
    std::ranges::fill(right, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i)
        right[i % row_length] += x[i];
    const std::uint64_t rows = divide_up(x.size(), row_length);
    return {{"sums", share(std::move(sums)), f32_sum_tolerance(rows, rows)}};
}

/// All workgroups process the same rows, so a pass of the grid counts as one row per workgroup.
void plan_column_sums(PlanBuilder& plan, const Run& run) {
    const Values& values = run.values;
    const std::uint64_t row_length = values[key::row_length];
    plan.set_default_grid(divide_up(row_length, plan.workgroup_size()));
    const PlanBuffer x = plan.input("x");
    const PlanBuffer sums = plan.output("sums", ElementType::f32, {row_length});
    plan.upload(x);
    const std::uint64_t grid = plan.workgroup_count(),
                        rows = std::min(grid, divide_up(plan.elements(), row_length));
    Dispatch& launch =
        plan.launch("the sum of each column", "coalescing/column_totals_start", {reads(x), updates(sums)});
    launch.tile = {row_length};
    launch.push = {word(row_length)};
    launch.shared_bytes = sizeof(float) * plan.workgroup_size();
    const std::uint64_t columns_each = divide_up(row_length, grid * plan.workgroup_size());
    launch.iterations_per_pass = rows * columns_each;
    // If lanes share a column, one of them may add up all partial sums.
    launch.iterations_once = (plan.workgroup_size() + 2) * columns_each;
    plan.download(sums);
    plan.set_cost(sizeof(float) * (plan.elements() + row_length), plan.elements());
    plan.main_output("sums");
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "coalescing",
         .title = "Coalescing",
         .parameters = parameters(),
         .noun = "numbers",
         .input = input,
         .baseline = on_cpu},
        {.remarks = remarks, .reference = norms_of_rows, .result = result, .pictures = pictures},
        {{{"row_per_invocation", "A row for each invocation",
           "Each invocation goes through a row of its own."},
          {},
          {.task = {.plan = plan_row_per_invocation}}},
         {{"row_per_workgroup", "A row for each workgroup",
           "The invocations of a workgroup go through a row side by side."},
          {},
          {.uses_subgroups = true, .task = {.plan = plan_row_per_workgroup}}},
         {{"row_per_subgroup", "A row for each subgroup",
           "The lanes of a subgroup go through a row side by side, 16 bytes to a load."},
          {},
          {.uses_subgroups = true, .task = {.plan = plan_row_per_subgroup}}},
         {{"strided", "Every so many", "Each invocation takes one number, a stride behind its neighbour's."},
          {},
          {.has_baseline = false, .task = {.plan = plan_strided, .reference = every_so_many}}},
         {{"gather", "From anywhere", "Each invocation takes a number from a place that a hash gives it."},
          {},
          {.has_baseline = false, .task = {.plan = plan_gather, .reference = from_anywhere}}},
         {{"structs", "Array of structs", "The four numbers of a particle stand side by side."},
          {},
          {.has_baseline = false, .task = {.plan = plan_particles, .reference = distances_of_structs}}},
         {{"arrays", "Struct of arrays", "All radii stand side by side, then all angles."},
          {},
          {.has_baseline = false, .task = {.plan = plan_particles, .reference = distances_of_arrays}}}},
        {{{"column_totals", "The sum of each column", "Of a matrix with rows of any length."},
          {},
          {.uses_subgroups = true,
           .has_baseline = false,
           .task = {.plan = plan_column_sums, .remarks = no_op, .reference = column_sums_reference}}}});
    return lesson;
}

}  // namespace gridstride::lessons::coalescing
