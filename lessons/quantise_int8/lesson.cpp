// Quantisation to int8: a quarter of the memory for 256 levels, and the effect of the rounding on a product.
#include "figures/lesson_headers.h"
#include "graph/bytes.h"
#include "graph/quantization.h"

namespace gridstride::lessons::quantise_int8 {

namespace {

using tensor::ByteMatrix, tensor::padded, tensor::Scheme;
enum class DotMethod { automatic, instruction, shifts };

constexpr Key<std::uint64_t> columns{"columns"}, rows{"rows"}, vectors{"vectors"};
constexpr Key<double> mean{"mean"}, outlier{"outlier"};
constexpr Key<Scheme> scheme{"scheme"};
constexpr Key<DotMethod> dot{"dot"};

const std::vector<Parameter::Choice> schemes = {{"zero_point", "one scale and a zero point"},
                                                {"symmetric", "one scale, symmetric"},
                                                {"by_row", "one scale per row, symmetric"}};

std::vector<Parameter> parameters() {
    return common_parameters(
        {domain_parameter("columns", "Columns", 1024,
                          "Weights per row, and numbers per vector. With more than 65 536, a sum of products "
                          "of bytes could overflow 32 bits.")
             .up_to(tensor::max_byte_columns),
         domain_parameter("rows", "Rows", 1024, "Rows of weights, and results per vector.")
             .up_to(tensor::max_byte_rows)},
        {256, 1},
        {number_parameter(vectors, "Vectors", "The number of vectors that the weights are multiplied by.", 1,
                          1, 8, Invalidates::input),
         number_parameter(mean, "Mean", "The mean of the weights; their standard deviation is 1.", 0.0, -10,
                          10, Invalidates::input),
         number_parameter(
             outlier, "Outlier",
             "The value of the weight in the middle of the matrix. 0: it is random like the others.", 0.0,
             -1000, 1000, Invalidates::input)
             .with_unit("deviations"),
         choice_parameter(scheme, "Scheme", "How scale and zero point of the weights are chosen.",
                          Invalidates::input, schemes),
         choice_parameter(dot, "Dot product of four",
                          "How the dot product of four bytes (DP4A) is computed. auto: by the device's "
                          "instruction, if it has one.",
                          Invalidates::launch,
                          {{"auto", "auto"}, {"instruction", "instruction"}, {"shifts", "shifts"}})});
}

struct Facts {
    bool has_byte_weights = true, has_byte_vectors = false;  ///< else f32
};
using Run = gridstride::Run<Facts>;

RowTeam choose_team(const Run& run) {
    return tensor::byte_row_team(run.limits, run.workgroup(), run[columns]);
}
bool uses_instruction(const Run& run) {
    return run[dot] == DotMethod::automatic ? run.limits.integer_dot : run[dot] == DotMethod::instruction;
}

// The input: weights, a few vectors, and both as bytes, because trained weights are quantised only once.

/// Vectors begin at multiples of four numbers and are padded with 0.
Input quantise_input(ArrayRef weights, const Values& values) {
    const std::uint64_t length = values[columns], pitch = padded(length);
    const Array normal_numbers = normal_f32(length * values[vectors], values[key::seed], 0, 1, 1);
    ArrayRef x = generate_array<float>(pitch * values[vectors], [&](std::size_t i) {
        return i % pitch < length ? normal_numbers.as<float>()[i / pitch * length + i % pitch] : 0.0F;
    });
    const ByteMatrix quantised_weights = tensor::quantize_matrix(std::move(weights), length, values[scheme]),
                     quantised_x = tensor::quantize_matrix(std::move(x), pitch, Scheme::per_row);
    return {{"weights", quantised_weights.numbers, word(length)},
            {"x", quantised_x.numbers, word(pitch)},
            {"bytes", quantised_weights.bytes, word(pitch)},
            {"steps", quantised_weights.scales},
            {"zero_points", quantised_weights.zero_points},
            {"x_bytes", quantised_x.bytes, word(pitch)},
            {"x_steps", quantised_x.scales}};
}

/// The matrices of the input, as f32 and as bytes.
struct Matrices {
    ByteMatrix weights, x;
};
Matrices get_matrices(const Input& input, const Values& values) {
    const auto array = [&](std::string_view name) { return find_ref(input, name); };
    return {{array("weights"), array("bytes"), array("steps"), array("zero_points"), values[columns]},
            {array("x"), array("x_bytes"), array("x_steps"), nullptr, padded(values[columns])}};
}

Input input(const Values& values) {
    Array weights = normal_f32(values[columns] * values[rows], values[key::seed], values[mean], 1);
    if (values[outlier] != 0)
        weights.as<float>()[values[rows] / 2 * values[columns] + values[columns] / 2] =
            static_cast<float>(values[outlier]);
    return quantise_input(share(std::move(weights)), values);
}

/// Rejects magnitudes above 1e15, for which scales and sums of products could overflow f32.
Input input_from_user(const UserData& data, const Values& values) {
    const NumberCheck check = max_magnitude_check(
        1e15,
        "{} cannot be quantised: weights are finite and at most {} in magnitude. Remove or replace it.");
    return quantise_input(convert_user_numbers<float>(data, check), values);
}

// The definitions.

/// A number of y: computed from what the device multiplies, and exact, from the unrounded numbers. Rounding
/// to bytes changes each product by at most (w + e)(x + d) - w x, where e and d are half a scale.
struct Product {
    Bounded computed, exact;
};
Product compute_product(const ByteMatrix::Row& weights, const ByteMatrix::Row& x, const Facts& facts,
                        std::uint64_t chain) {
    const double e = facts.has_byte_weights ? weights.params.scale / 2.0 : 0,
                 d = facts.has_byte_vectors ? x.params.scale / 2.0 : 0;
    double exact = 0, sum = 0, magnitude = 0, max_change = 0;
    for (std::size_t i = 0; i < weights.numbers.size(); ++i) {
        const double w = weights.numbers[i], number = x.numbers[i];
        const double product = (facts.has_byte_weights ? weights.bytes[i] - weights.params.zero_point : w) *
                               (facts.has_byte_vectors ? x.bytes[i] : number);
        exact += w * number;
        sum += product;
        magnitude += std::abs(product);
        max_change += std::abs(number) * e + std::abs(w) * d + e * d;
    }
    // A sum of integers is exact until it is converted to f32. Otherwise, each product is rounded, and lanes
    // also add the padding of the vectors.
    Bounded computed = facts.has_byte_vectors
                           ? rounded_to_f32(sum)
                           : bound_sum(sum, magnitude, 0, padded(weights.numbers.size()) + 2, false, chain);
    if (facts.has_byte_vectors)
        computed = Bounded{weights.params.scale} * Bounded{x.params.scale} * computed;
    else if (facts.has_byte_weights)
        computed = Bounded{weights.params.scale} * computed;
    return {computed, {exact, max_change + computed.error}};
}

/// Each product with bytes is checked twice: against the product of its bytes, and against the product of the
/// unrounded numbers. A lane adds its numbers, or the dot products of its words; then the lanes are added,
/// then the partial results of the subgroups.
std::vector<Expected> reference(const Input& input, const Run& run) {
    constexpr std::uint64_t products = 2, lanes = 128;
    const RowTeam team = choose_team(run);
    const std::uint64_t length = run[columns], results = run[rows] * run[vectors],
                        chain = 4 * divide_up(padded(length) / 4, team.invocations) + 2 * lanes +
                                team.merges + products;
    const Matrices of = get_matrices(input, run.values);
    ExpectedBuilder computed(results), exact(results);
    parallel_for_each(results, length, [&](std::size_t i) {
        const Product one =
            compute_product(of.weights.row(i % run[rows]), of.x.row(i / run[rows]), run.facts, chain);
        computed.set(i, one.computed);
        exact.set(i, one.exact);
    });
    std::vector<Expected> all;
    if (run.facts.has_byte_weights) all.push_back(std::move(computed).build("y"));
    all.push_back(std::move(exact).build("y"));
    all.back().distance_id = "largest_error";
    all.back().distance_label = "Largest error of a result";
    return all;
}

/// The error of each restored weight must be at most half a scale.
std::vector<Expected> round_trip_reference(const Input& input, const Run& run) {
    const ByteMatrix weights = get_matrices(input, run.values).weights;
    return {{"bytes", weights.bytes},
            {"steps", weights.scales},
            {"zero_points", weights.zero_points},
            {.output = "restored",
             .reference = weights.numbers,
             .tolerance = {0, 0.5},
             .scale = generate_array<double>(
                 weights.numbers->count(),
                 [&](std::size_t i) { return double{weights.row(i / weights.columns).params.scale}; }),
             .distance_id = "largest_error_steps",
             .distance_label = "Largest error of a weight, in steps of its scale",
             .distance_in_scale = true}};
}

double on_cpu(const Input& input, const Values& values, SumRanges sum_ranges) {
    const auto weights = get(input, "weights").as<float>(), x = get(input, "x").as<float>();
    const std::uint64_t length = values[columns], results = values[rows];
    const auto y = scratch_array(ElementType::f32, results * values[vectors]).as<float>();
    return sum_ranges(y.size(), divide_up(1 << 14, length), [=](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i) {
            // For each row, all vectors in turn, so that the row stays in the cache.
            const std::size_t vectors_each = y.size() / results, row = i / vectors_each, v = i % vectors_each;
            sum += y[v * results + row] =
                fast_dot(weights.subspan(row * length, length), x.subspan(v * padded(length), length));
        }
        return sum;
    });
}

// The launches. The tensor engine uses the same kernels: see tensor/bytes.h. A graph quantises and multiplies
// in one plan; here, the bytes are the input of products whose workgroups, grid and dot product are
// parameters.

Extent get_scales_extent(const Run& run) {
    return {run[scheme] == Scheme::per_row ? run[rows] : 1};
}
std::vector<Binding> upload_bytes(PlanBuilder& plan, const Run& run) {
    return {reads(plan.upload_input("bytes", ElementType::i8, {padded(run[columns]), run[rows]})),
            reads(plan.upload_input("steps", ElementType::f32, get_scales_extent(run))),
            reads(plan.upload_input("zero_points", ElementType::i32, get_scales_extent(run)))};
}
/// Returns the size of the weights as bytes, with their scales and zero points.
std::uint64_t count_stored_bytes(const Values& values) {
    const std::uint64_t words = values[scheme] == Scheme::per_row      ? values[rows]
                                : values[scheme] == Scheme::asymmetric ? 2
                                                                       : 1;
    return padded(values[columns]) * values[rows] + sizeof(float) * words;
}

void add_row_launch(PlanBuilder& plan, const Run& run, std::string label, std::string kernel,
                    std::vector<Binding> bindings, std::uint64_t part_bytes = 0) {
    tensor::set_up_byte_launch(plan.launch(std::move(label), std::move(kernel), std::move(bindings)),
                               choose_team(run), run[scheme], run[columns], run[vectors], part_bytes);
}

void plan_round_trip(PlanBuilder& plan, const Run& run) {
    plan.set_tile({run[columns], choose_team(run).rows_at_once});
    const PlanBuffer weights = plan.upload_input("weights");
    const PlanBuffer ranges = plan.output("ranges", ElementType::f32, {2, run[rows]});
    const PlanBuffer bytes = plan.output("bytes", ElementType::i8, {padded(run[columns]), run[rows]});
    const PlanBuffer scales = plan.output("steps", ElementType::f32, get_scales_extent(run));
    const PlanBuffer zero_points = plan.output("zero_points", ElementType::i32, get_scales_extent(run));
    const PlanBuffer restored = plan.output("restored");
    add_row_launch(plan, run, "range of each row", "quantise_int8/ranges",
                   {reads_each(weights), writes(ranges)}, tensor::range_part_bytes);
    tensor::set_up_scale_launch(
        plan.launch_one_workgroup("scales and zero points", "quantise_int8/steps",
                                  {reads(ranges), writes(scales), writes(zero_points)}, run[rows], 1),
        run[scheme]);
    add_row_launch(plan, run, "quantise", run.kernel(),
                   {writes(bytes), reads(scales), reads(zero_points), reads_each(weights)});
    add_row_launch(plan, run, "dequantise", "quantise_int8/dequantise",
                   {reads(bytes), reads(scales), reads(zero_points), writes_each(restored)});
    plan.download_main(bytes, run[rows]);
    plan.download({scales, zero_points, restored});
    // Each weight is loaded (4 bytes), stored as a byte, and stored restored (4): a division and a product.
    plan.set_cost(plan.elements() * 9, 2 * plan.elements());
}

void plan(PlanBuilder& plan, const Run& run) {
    const auto [has_byte_weights, has_byte_vectors] = run.facts;
    plan.set_tile({run[columns], choose_team(run).rows_at_once});
    const char* const build = !has_byte_weights       ? ""
                              : !has_byte_vectors     ? ".padded"
                              : uses_instruction(run) ? ".instruction"
                                                      : ".shifts";
    std::vector<Binding> bindings =
        has_byte_weights ? upload_bytes(plan, run) : std::vector{reads_each(plan.upload_input("weights"))};
    const ElementType x_type = has_byte_vectors ? ElementType::i8 : ElementType::f32;
    std::uint64_t vector_bytes = padded(run[columns]) * byte_size(x_type) + sizeof(float) * run[rows];
    bindings.push_back(reads(
        plan.upload_input(has_byte_vectors ? "x_bytes" : "x", x_type, {padded(run[columns]), run[vectors]})));
    if (has_byte_vectors) {
        bindings.push_back(reads(plan.upload_input("x_steps", ElementType::f32, {run[vectors]})));
        vector_bytes += sizeof(float);
    }
    const PlanBuffer y = plan.output("y", ElementType::f32, {run[rows], run[vectors]});
    bindings.push_back(writes(y));
    add_row_launch(plan, run, "product", run.kernel() + build, std::move(bindings),
                   tensor::product_part_bytes);
    plan.download_main(y, run[vectors]);
    plan.set_cost((has_byte_weights ? count_stored_bytes(run.values) : sizeof(float) * plan.elements()) +
                      run[vectors] * vector_bytes,
                  2 * run[vectors] * plan.elements());
}

void remarks(Remarks& add, const Run& run) {
    if (run.prepared.experiment.input.numbers && (run[mean] != 0 || run[outlier] != 0))
        add.note("The weights of your file are used as they are: mean and outlier have no effect.");
    if (!run.facts.has_byte_weights)
        add.note(scheme, "This variant uses the weights in f32, so the scheme has no effect.");
    if (!run.facts.has_byte_vectors || !uses_instruction(run)) return;
    if (!run.limits.integer_dot)
        add.refuse(dot,
                   "This device has no instruction for the dot product of four bytes. Choose dot = shifts.");
    else
        add.note(dot, run.limits.integer_dot_accelerated
                          ? "The kernel uses an instruction that this device reports as accelerated."
                          : "The kernel uses an instruction that this device does not report as accelerated: "
                            "it may be as slow as shifts.");
}

std::vector<Fact> round_trip_result(const Run& run, const Outputs& outputs) {
    const std::uint64_t length = run[columns], pitch = padded(length);
    const auto bytes = get(outputs, "bytes").as<std::int8_t>();
    std::set<std::int8_t> used;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (i % pitch < length) used.insert(bytes[i]);
    std::vector<double> scales = sample_numbers(get(outputs, "steps"));
    std::ranges::sort(scales);
    return {{"places", "Byte values used", std::uint64_t{used.size()}},
            {"step", "Largest scale", scales.back()},
            {"middle_step", "Median scale", scales[scales.size() / 2]},
            {"zero_point", "Zero point of the first row", get(outputs, "zero_points").number(0)},
            {"f32_bytes", "Weights in f32, bytes", sizeof(float) * length * run[rows]},
            {"int8_bytes", "Weights in int8 with their scales, bytes", count_stored_bytes(run.values)},
            {"bytes_of_steps", "Scales, bytes", sizeof(float) * scales.size()},
            {"columns", "Columns", length}};
}

std::vector<Fact> result(const Run&, const Outputs& outputs) {
    const auto y = get(outputs, "y").as<float>();
    double squares = 0;
    for (const float number : y)
        squares += double{number} * number;
    return {{"first", "First result", double{y[0]}},
            {"size", "Root mean square of the results", std::sqrt(squares / static_cast<double>(y.size()))}};
}

// Exercise: the squared distance of the vector of bytes from each row of bytes.

void plan_distances(PlanBuilder& plan, const Run& run) {
    const std::uint64_t words = padded(run[columns]) / 4;
    plan.set_tile({run[columns], 1});
    std::vector<Binding> bindings = upload_bytes(plan, run);
    const PlanBuffer x = plan.upload_input("x_bytes", ElementType::i8, {4 * words, run[vectors]});
    const PlanBuffer distances = plan.output("distances", ElementType::i32, {run[rows]});
    bindings.insert(bindings.end(), {reads(x), writes(distances)});
    Dispatch& launch = plan.launch("each row", run.kernel(), std::move(bindings));
    launch.constants = {1, word(static_cast<std::uint64_t>(run[scheme]))};
    // A student's kernel may process single bytes, and one invocation may add the partial results of all.
    launch.iterations_per_pass = 5 * (words + 1) + plan.workgroup_size() + 2;
    launch.shared_bytes = sizeof(std::int32_t) * plan.workgroup_size();
    plan.download_main(distances);
    plan.set_cost(count_stored_bytes(run.values) + 4 * words + sizeof(float) * run[rows],
                  3 * plan.elements());
}

void add_distance_remarks(Remarks& add, const Run& run) {
    constexpr std::uint64_t max_columns = ((std::uint64_t{1} << 31) - 1) / (255 * 255);
    if (run[columns] > max_columns)
        add.refuse(columns,
                   "With {} columns, the sum of squared differences of up to 255 can overflow 32 bits. Give "
                   "at most {} columns.",
                   format_count(run[columns]), format_count(max_columns));
}

std::vector<Expected> distances_reference(const Input& input, const Run& run) {
    const Matrices of = get_matrices(input, run.values);
    const auto squared = [](std::int32_t a, std::int32_t b) { return (a - b) * (a - b); };
    return {{"distances", generate_array<std::int32_t>(run[rows], [&](std::size_t row) {
                 const auto bytes = of.weights.row(row).bytes;
                 return std::transform_reduce(bytes.begin(), bytes.end(), of.x.row(0).bytes.begin(), 0,
                                              std::plus(), squared);
             })}};
}

std::vector<Fact> distances_result(const Run&, const Outputs& outputs) {
    const auto [smallest, largest] = std::ranges::minmax(get(outputs, "distances").as<std::int32_t>());
    return {{"smallest", "Smallest", double(smallest)}, {"largest", "Largest", double(largest)}};
}

// Pictures. Those of the weights are computed before the first run.

constexpr std::uint64_t max_rows_shown = 64;

struct PictureData {
    const Report& report;
    const Values& values = report.experiment.values;
    const Matrices input = get_matrices(report.input, values);
    std::uint64_t length = values[columns], row_count = values[rows];
    std::span<const float> weights = input.weights.numbers->as<float>();

    ByteMatrix::Row row(std::uint64_t i) const { return input.weights.row(i); }
    void mark_large_weight(FigureBuilder& figure, double at) const {
        if (values[outlier] != 0 && !report.experiment.input.numbers)
            figure.marker(
                {.x = at, .label = fmt::format("outlier, {}", format_significant(values[outlier]))});
    }
};

void draw_counts(Figures& add, const PictureData& of) {
    constexpr std::size_t bins = 128;
    const auto [smallest, largest] = std::ranges::minmax(of.weights);
    const double width = std::max((double{largest} - smallest) / bins, 1e-30);
    FigureBuilder& sizes = add.figure("weights", "The weights before quantisation", "weight", "weights")
                               .histogram("weights", sample_numbers(*of.input.weights.numbers), smallest,
                                          width, bins, ColorRole::upload)
                               .note("{} from {} to {}.", counted(of.weights.size(), "weight"),
                                     format_significant(smallest), format_significant(largest));
    of.mark_large_weight(sizes, of.values[outlier]);

    const PlotArray gpu_bytes = add.output("bytes");
    ByteMatrix weights = of.input.weights;
    if (gpu_bytes) weights.bytes = gpu_bytes.array;
    std::vector<double> all;
    for (std::uint64_t row = 0; row < of.row_count; ++row)
        std::ranges::copy(weights.row(row).bytes, std::back_inserter(all));
    const auto scales = of.input.weights.scales->as<float>();
    const auto [min_scale, max_scale] = std::ranges::minmax(scales);
    FigureBuilder& places =
        add.figure("places", "Number of weights per byte value", "byte", "weights")
            .whole_numbers()
            .histogram("weights", all, -128.5, 1, 256, ColorRole::upload)
            .note_if(scales.size() == 1, "The scale is {}.", format_significant(min_scale))
            .note_if(scales.size() > 1, "The scales of the rows are {} to {}.", format_significant(min_scale),
                     format_significant(max_scale))
            .note("{} of 256 byte values are used; the zero point is {}.",
                  256 - std::ranges::count(make_histogram(all, -128.5, 1, 256).y, 0),
                  of.row(0).params.zero_point)
            .measured(gpu_bytes && add.is_measured());
    of.mark_large_weight(places, all[of.row_count / 2 * of.length + of.length / 2]);
}

void draw_errors(Figures& add, const PictureData& of) {
    constexpr double shown_steps = 6;
    constexpr std::size_t max_points = 3000;
    const PlotArray restored = add.output("restored");
    Points errors;
    for (std::uint64_t i = 0; i < of.weights.size() && errors.x.size() < max_points; ++i) {
        const auto [numbers, bytes, params] = of.row(i / of.length);
        const double number = of.weights[i], scale = params.scale,
                     back = restored ? restored.array->number(i) : params.dequantize(bytes[i % of.length]);
        if (std::abs(number) <= shown_steps * scale && std::isfinite(back))
            errors.add(number / scale, (back - number) / scale);
    }
    const std::string shown = counted(errors.x.size(), "weight");
    add.figure("errors", "Rounding error of the weights", {"weight", "steps"}, {"error", "steps"})
        .scatter("weight", std::move(errors))
        .note(
            "The first {} within {} steps of 0. A step is the scale; each weight is rounded to the nearest "
            "multiple of it.",
            shown, shown_steps)
        .measured(restored && add.is_measured());
}

/// Draws the scales of the rows around the middle of the matrix, where a large weight may be.
void draw_steps(Figures& add, const PictureData& of) {
    const std::uint64_t shown = std::min(of.row_count, max_rows_shown), first = of.row_count / 2 - shown / 2;
    const auto compute_row_scale = [&](std::uint64_t begin, std::uint64_t count) {
        const auto [low, high] =
            std::ranges::minmax(of.weights.subspan(begin * of.length, count * of.length));
        return double{
            choose_quantization_params(Scheme::symmetric, std::min(low, 0.0F), std::max(high, 0.0F)).scale};
    };
    Points scales;
    for (std::uint64_t row = first; row < first + shown; ++row)
        scales.add(static_cast<double>(row), compute_row_scale(row, 1));
    add.figure("steps", "The scale that each row needs", "row", "scale")
        .whole_numbers()
        .bars("scale of a row", std::move(scales))
        .marker({.x = compute_row_scale(0, of.row_count), .label = "one scale for all rows", .is_on_y = true})
        .note("Rows {} to {} of {}, symmetric.", format_count(first), format_count(first + shown - 1),
              format_count(of.row_count));
}

void draw_schemes(Figures& add, const PictureData& of) {
    constexpr std::uint64_t max_weights = 1 << 22;
    FigureBuilder& figure =
        add.figure("schemes", "Rounding error of the weights, by scheme", {}, {"error of the weights", "%"});
    if (of.weights.size() > max_weights) {
        figure.missing(
            fmt::format("This is computed for matrices of up to {} weights. Set fewer rows or columns.",
                        format_count(max_weights)));
        return;
    }
    std::vector<std::string> names;
    std::vector<double> errors;
    Values values = of.values;
    for (std::uint32_t i = 0; i < schemes.size(); ++i) {
        values.set(scheme.id, ChoiceIndex{i});
        names.push_back(fmt::format(
            "{}: {:.3f} bytes", schemes[i].label,
            static_cast<double>(count_stored_bytes(values)) / static_cast<double>(of.weights.size())));
        errors.push_back(100 * relative_error(tensor::quantize_matrix(of.input.weights.numbers, of.length,
                                                                      static_cast<Scheme>(i))));
    }
    figure.categories(std::move(names))
        .bars("", std::move(errors))
        .note(
            "Root mean square of the errors, divided by that of the weights. The labels give the bytes per "
            "weight, which are 4 in f32.");
}

/// Draws the first weights of the matrix, grouped by loads of 4 bytes, and their products with the first
/// vector.
void draw_words(Figures& add, const PictureData& of) {
    enum Cell : std::uint8_t { first_load, next_load, computed };
    const std::uint64_t shown = std::min<std::uint64_t>(8, of.length);
    const ByteMatrix::Row first = of.row(0);
    const auto x = of.input.x.row(0).bytes;
    Cells cells{.kinds = {{"a load of 4 bytes", ColorRole::kernel},
                          {"the next load", ColorRole::upload},
                          {"computed", ColorRole::quiet, Cells::Fill::outlined}},
                .cell_name = "weight"};
    /// together: the number of cells that one load fetches; 0: the cells are computed.
    const auto row = [&](std::string label, std::uint64_t together, auto text_of) {
        Cells::Row& cells_row = cells.add_row(std::move(label), shown, [&](std::size_t i) {
            return together == 0 ? computed : i / together % 2 == 0 ? first_load : next_load;
        });
        for (std::uint64_t i = 0; i < shown; ++i)
            cells_row.cell_texts.push_back(text_of(i));
    };
    const std::int32_t zero_point = first.params.zero_point;
    const auto product = [&](std::uint64_t i) { return (first.bytes[i] - zero_point) * x[i]; };
    std::int32_t sum = 0;
    row("weights in f32", 1, [&](std::uint64_t i) { return fmt::format("{:.2f}", first.numbers[i]); });
    row("weights as bytes", 4, [&](std::uint64_t i) { return std::to_string(first.bytes[i]); });
    row("x as bytes", 4, [&](std::uint64_t i) { return std::to_string(x[i]); });
    row(zero_point == 0 ? "products" : "(byte - zero point) times x", 0,
        [&](std::uint64_t i) { return std::to_string(product(i)); });
    row("sum so far", 0, [&](std::uint64_t i) { return std::to_string(sum += product(i)); });
    const std::string zero = zero_point == 0 ? "" : fmt::format(" The zero point is {}.", zero_point);
    add.cells("words", "Loads of 4 bytes, and the products of their numbers", std::move(cells),
              fmt::format("The first {} of {}.{}", counted(shown, "weight"), format_count(of.length), zero));
}

void draw_results(Figures& add, const PictureData& of, const Run& run) {
    const PlotArray y = add.output("y");
    if (!y || !add.is_measured()) return;
    const std::uint64_t shown = std::min(of.row_count, max_rows_shown);
    Points errors, worst_case;
    for (std::uint64_t row = 0; row < shown; ++row) {
        const Product expected_product = compute_product(of.row(row), of.input.x.row(0), {}, 0);
        worst_case.add(static_cast<double>(row),
                       expected_product.exact.error - expected_product.computed.error);
        const double error = std::abs(y.array->number(row) - expected_product.exact.value);
        if (error != 0 && std::isfinite(error)) errors.add(static_cast<double>(row), error);
    }
    FigureBuilder& figure =
        add.figure("results", "Error of the results, compared with unrounded numbers", "row",
                   {"distance from the exact result", AxisScale::logarithmic})
            .whole_numbers()
            .scatter("error of a result", std::move(errors))
            .note("The first {} of {} rows, the first vector.", shown, format_count(of.row_count))
            .measured();
    if (run.facts.has_byte_weights)
        figure.line("half a step per weight, all in one direction", std::move(worst_case), ColorRole::quiet);
}

void pictures(Figures& add, const Run& run) {
    if (!add.report() || add.report()->input.empty()) return;
    const PictureData of{*add.report()};
    draw_counts(add, of);
    draw_errors(add, of);
    draw_steps(add, of);
    draw_schemes(add, of);
    draw_words(add, of);
    draw_results(add, of, run);
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "quantise_int8",
         .title = "Quantisation to int8",
         .parameters = parameters(),
         .domain = {"columns", "rows"},
         .noun = "weights",
         .input = input,
         .input_files = {".npy", ".png", ".csv"},
         .input_from_user = input_from_user,
         .reference_depends_on_launch = true,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"round_trip", "Round trip", "The weights are quantised to bytes and dequantised again."},
          {},
          {.kernel = "quantise_int8/quantise.comp",
           .uses_subgroups = true,
           .has_baseline = false,
           .task = {.plan = plan_round_trip,
                    .reference = round_trip_reference,
                    .result = round_trip_result}}},
         {{"f32", "f32", "The product with the weights in f32."},
          {.has_byte_weights = false},
          {.uses_subgroups = true}},
         {{"int8_weights", "Weights as bytes",
           "The weights are bytes, and become f32 again before they are multiplied."},
          {},
          {.uses_subgroups = true}},
         {{"int8", "Weights and vectors as bytes",
           "The vectors are bytes, too: integers are multiplied, four at a time."},
          {.has_byte_vectors = true},
          {.uses_subgroups = true}}},
        {{{"row_distances", "Squared distances",
           "The squared distance of a vector of bytes from each row of bytes."},
          {},
          {.uses_subgroups = true,
           .has_baseline = false,
           .task = {.plan = plan_distances,
                    .remarks = add_distance_remarks,
                    .reference = distances_reference,
                    .result = distances_result}}}});
    return lesson;
}

}  // namespace gridstride::lessons::quantise_int8
