// Matrix product: 2 m n k operations on m k + k n numbers, so how often is each number fetched?
#include "figures/lesson_headers.h"
#include "tensor/product.h"

namespace gridstride::lessons::matmul {

namespace {

enum class Transposed { none, a, b, both };

constexpr Key<std::uint64_t> m{"m"}, n{"n"}, k{"k"};
constexpr Key<Extent> results{"results"};     ///< per invocation, x = 0: auto
constexpr Key<std::uint64_t> depth{"depth"};  ///< the part of k in a tile; 0: auto
constexpr Key<Transposed> transposed{"transposed"};

std::vector<Parameter> parameters() {
    const auto count = [](Key<std::uint64_t> key, const char* help) {
        return domain_parameter(std::string(key.id), std::string(key.id), 128, help)
            .up_to(1 << 20)
            .with_unit("");
    };
    return common_parameters(
        {count(n, "Columns of b and of the product."), count(m, "Rows of a and of the product.")}, {16, 16},
        {count(k, "Columns of a, rows of b."),
         number_parameter(
             results, "Results per invocation",
             "Columns x rows of c that each invocation computes, in variants where it computes several.",
             Extent{0, 1}, 1, 256, Invalidates::launch)
             .in_powers_of_two()
             .or_auto(),
         number_parameter(depth, "Tile depth",
                          "How much of k a workgroup loads at a time, in variants with tiles.", 0, 1, 64,
                          Invalidates::launch)
             .in_powers_of_two()
             .or_auto(),
         choice_parameter(transposed, "Transposed in memory",
                          "Which of the factors are stored column by column.", Invalidates::input,
                          {{"none", "none"}, {"a", "a"}, {"b", "b"}, {"both", "both"}})});
}

struct Facts {
    tensor::ProductKernel kernel = {};
    bool x_is_row = false;  ///< its x are the rows of c
};
using Run = gridstride::Run<Facts>;

// The factors, as stored in memory.

using View = tensor::Matrix;

View view(std::uint64_t rows, std::uint64_t columns, bool is_transposed) {
    return is_transposed ? View{rows, columns, 1, rows} : View{rows, columns, columns, 1};
}
View parse_view(const Values& values) {
    const Transposed transposition = values[transposed];
    return view(values[m], values[k], transposition == Transposed::a || transposition == Transposed::both);
}
View get_b_view(const Values& values) {
    const Transposed transposition = values[transposed];
    return view(values[k], values[n], transposition == Transposed::b || transposition == Transposed::both);
}

struct Factor {
    View view;
    std::span<const float> numbers;
    double operator()(std::uint64_t row, std::uint64_t column) const { return numbers[view.at(row, column)]; }
};

// The definition, and a check of large products that does not compute them again.

/// Returns whether all numbers are multiples of 1/16.
bool are_sixteenths(std::span<const float> numbers) {
    return std::ranges::all_of(numbers, [](float number) { return number * 16 == std::round(number * 16); });
}

/// Returns the Euclidean lengths of a's rows or of b's columns.
std::vector<double> compute_lengths(std::uint64_t count, std::uint64_t each, const auto& number) {
    std::vector<double> all(count);
    parallel_for_each(count, each, [&](std::size_t i) {
        double sum = 0;
        for (std::uint64_t p = 0; p < each; ++p)
            sum += number(i, p) * number(i, p);
        all[i] = std::sqrt(sum);
    });
    return all;
}

/// The rounding errors of a result grow with the sum of its products' magnitudes, which is at most the length
/// of its row of a times the length of its column of b (Cauchy-Schwarz).
struct Product {
    static constexpr double step = 1.0 / 256;  ///< of the results, if both factors are multiples of 1/16

    Factor a, b;
    std::vector<double> rows = compute_lengths(a.view.rows, a.view.columns, a);
    std::vector<double> columns =
        compute_lengths(b.view.columns, b.view.rows, [&](auto column, auto p) { return b(p, column); });
    double longest_column = std::ranges::max(columns), largest = std::ranges::max(rows) * longest_column;
    bool is_exact = largest < exact_sum_limit(step) && are_sixteenths(a.numbers) && are_sixteenths(b.numbers);

    void compute_row(std::uint64_t row, ExpectedBuilder& out, std::uint64_t first) const {
        std::vector<double> sums(columns.size());
        for (std::uint64_t p = 0; p < a.view.columns; ++p) {
            const double left = a(row, p);
            for (std::uint64_t column = 0; column < sums.size(); ++column)
                sums[column] += left * b(p, column);
        }
        for (std::uint64_t column = 0; column < sums.size(); ++column)
            out.set(first + column, bound_product_sum(sums[column], rows[row] * columns[column],
                                                      is_exact ? 0 : a.view.columns));
    }
    Expected compute_all() const {
        ExpectedBuilder c(rows.size() * columns.size());
        parallel_for_each(rows.size(), 1,
                          [&](std::size_t row) { compute_row(row, c, row * columns.size()); });
        return std::move(c).build("c");
    }
};

/// Checks rows of c with a vector: c times the vector equals a times (b times the vector).
///
/// If results are exact, the vector's numbers are integers, so small that sums of 256ths are exact as well.
/// The probability that a wrong row passes is 1 / (number of values of a vector element): of all vectors that
/// differ in one element only, at which the row is wrong, at most one gives the right product. In 256ths, the
/// sums must stay below 2^53, and each is at most a row's length times those of b's columns, weighted by the
/// vector.
///
/// If results are rounded, so are the products, and the errors of a row's results add up as the root of their
/// squares. If a row deviates by more than that, each of its numbers is compared.
Expected by_rows(const std::shared_ptr<const Product>& c, std::uint64_t seed) {
    constexpr std::uint64_t max_rows = 8;  ///< compared number by number in any case
    const std::uint64_t rows = c->rows.size(), columns = c->columns.size(), each = c->a.view.columns;
    const double capacity = 0x1p53 * Product::step /
                            (static_cast<double>(columns) * std::max({1.0, c->largest, c->longest_column}));
    const auto value_count = static_cast<std::uint32_t>(std::clamp(capacity, 2.0, 65536.0));
    std::vector<std::uint32_t> random_words(columns);
    fill_random_u32(random_words, seed, 7);
    // No element is 0, so that every column is checked.
    const ArrayRef vector = generate_array<double>(
        columns, [&](std::size_t i) { return static_cast<double>(1 + random_words[i] % value_count); });
    const auto x = vector->as<double>();
    const ArrayRef b_times_x = generate_array<double>(each, [&](std::size_t p) {
        double sum = 0;
        for (std::uint64_t column = 0; column < columns; ++column)
            sum += c->b(p, column) * x[column];
        return sum;
    });
    double weighted_squares = 0;
    for (std::uint64_t column = 0; column < columns; ++column)
        weighted_squares += std::pow(x[column] * c->columns[column], 2);
    Expected products = make_expected("c", rows, [&](std::size_t row) {
        double sum = 0;
        for (std::uint64_t p = 0; p < each; ++p)
            sum += c->a(row, p) * b_times_x->as<double>()[p];
        return Bounded{sum, c->is_exact ? 0
                                        : probabilistic_rounding_error(each) * c->rows[row] *
                                              std::sqrt(weighted_squares)};
    });
    products.row_check = FreivaldsCheck{
        .vector = vector, .step = c->is_exact ? Product::step : 0, .row = [c, columns](std::uint64_t row) {
            ExpectedBuilder numbers(columns);
            c->compute_row(row, numbers, 0);
            return std::move(numbers).build("c");
        }};
    std::vector<std::uint64_t>& sampled = products.row_check->sampled;
    for_each_sampled(rows, max_rows, [&](std::size_t row) { sampled.push_back(row); });
    if (sampled.back() + 1 < rows) sampled.push_back(rows - 1);
    products.note = fmt::format(
        "Checked with Freivalds' method: each of the {} rows is multiplied by a random vector and compared "
        "{}; {} rows are also compared number by number.",
        format_count(rows),
        c->is_exact ? fmt::format("exactly, so that a wrong row passes with a probability of at most 1 in {}",
                                  format_count(value_count))
                    : std::string("within the expected rounding error"),
        sampled.size());
    return products;
}

std::vector<Expected> reference(const Input& input, const Run& run) {
    /// Two cores repeat this many within half a second.
    constexpr auto max_multiplications = static_cast<double>(std::uint64_t{1} << 28);
    const auto c =
        std::make_shared<const Product>(Product{{parse_view(run.values), get(input, "a").as<float>()},
                                                {get_b_view(run.values), get(input, "b").as<float>()}});
    const bool is_large =
        static_cast<double>(run[m]) * static_cast<double>(run[n]) * static_cast<double>(run[k]) >
        max_multiplications;
    return {is_large ? by_rows(c, run[key::seed]) : c->compute_all()};
}

// Exercise: the distance of each row of a from each column of b.

/// The difference, which counts twice in its square, and the square are rounded as well, like four more
/// terms.
std::vector<Expected> distances_reference(const Input& input, const Run& run) {
    const Factor a{parse_view(run.values), get(input, "a").as<float>()},
        b{get_b_view(run.values), get(input, "b").as<float>()};
    const std::uint64_t columns = run[n], each = run[k];
    return {make_expected("c", run[m] * columns, [&](std::size_t i) {
        TermSum squares;
        for (std::uint64_t p = 0; p < each; ++p) {
            const double difference = a(i / columns, p) - b(p, i % columns);
            squares += TermSum(Bounded{difference * difference});
        }
        return squares.rounded(each + 4);
    })};
}

void add_distance_remarks(Remarks& add, const Run& run) {
    constexpr std::uint64_t limit = std::uint64_t{1} << 31;
    if (run[m] * run[n] > limit / run[k])
        add.refuse(k,
                   "The CPU also computes every distance, so m x n x k must be at most {}. Reduce m, n or k.",
                   format_count(limit));
}

// The input.

/// From -15/16 to 15/16 in steps of 1/16: sums of their products are exact in f32, so that a result is right
/// or wrong, independently of the order of additions.
ArrayRef random_sixteenths(std::uint64_t count, std::uint64_t seed, std::uint32_t stream) {
    std::vector<std::uint32_t> random_words(count);
    fill_random_u32(random_words, seed, stream);
    return generate_array<float>(
        count, [&](std::size_t i) { return (static_cast<float>(random_words[i] % 31) - 15) / 16; });
}

Input add_b(ArrayRef a, const Values& values) {
    const View view_a = parse_view(values), view_b = get_b_view(values);
    return {
        {"a", std::move(a), word(view_a.pitch())},
        {"b", random_sixteenths(view_b.rows * view_b.columns, values[key::seed], 1), word(view_b.pitch())}};
}

Input input(const Values& values) {
    return add_b(random_sixteenths(values[m] * values[k], values[key::seed], 0), values);
}

/// The file contains a, row by row.
Input input_from_user(const UserData& data, const Values& values) {
    return add_b(convert_user_numbers<float>(data, &check_finite_f32), values);
}

// The product on the CPU: as in the kernels, a block of results stays in registers in the loop over k.

constexpr std::size_t block_rows = 4, block_columns = 8;

/// Copies b in strips of eight columns, so that the numbers in a row of a strip are adjacent.
void copy_to_strips(std::span<const float> b, const View& view, std::span<float> out) {
    for (std::uint64_t strip = 0; strip < divide_up(view.columns, block_columns); ++strip)
        for (std::uint64_t p = 0; p < view.rows; ++p)
            for (std::uint64_t j = 0; j < block_columns; ++j) {
                const std::uint64_t column = strip * block_columns + j;
                out[(strip * view.rows + p) * block_columns + j] =
                    column < view.columns ? b[view.at(p, column)] : 0;
            }
}

using Block = std::array<std::array<float, block_columns>, block_rows>;

/// Multiplies the rows of a from `first` on by a strip.
Block compute_block(std::span<const float> a, const View& view, std::uint64_t first, const float* strip) {
    Block sums{};
    std::array<std::uint64_t, block_rows> row;
    for (std::size_t i = 0; i < block_rows; ++i)
        row[i] = std::min(first + i, view.rows - 1);
    for (std::uint64_t p = 0; p < view.columns; ++p, strip += block_columns)
        for (std::size_t i = 0; i < block_rows; ++i) {
            const float left = a[view.at(row[i], p)];
            for (std::size_t j = 0; j < block_columns; ++j)
                sums[i][j] += left * strip[j];
        }
    return sums;
}

double on_cpu(const Input& input, const Values& values, SumRanges sum_ranges) {
    const auto a = get(input, "a").as<float>();
    const View view_a = parse_view(values), view_b = get_b_view(values);
    const std::uint64_t columns = view_b.columns, c_count = view_a.rows * columns,
                        strips_count = divide_up(columns, block_columns) * block_columns * view_b.rows;
    const auto capacity = scratch_array(ElementType::f32, c_count + strips_count).as<float>();
    const auto c = capacity.first(c_count), strips = capacity.subspan(c_count);
    copy_to_strips(get(input, "b").as<float>(), view_b, strips);
    return sum_ranges(divide_up(view_a.rows, block_rows), 4, [&](std::size_t begin, std::size_t end) {
        for (std::uint64_t first = begin * block_rows; first < std::min(end * block_rows, view_a.rows);
             first += block_rows)
            for (std::uint64_t column = 0; column < columns; column += block_columns) {
                const Block block = compute_block(a, view_a, first, &strips[column * view_b.rows]);
                for (std::uint64_t i = 0; i < std::min<std::uint64_t>(block_rows, view_a.rows - first); ++i)
                    std::copy_n(block[i].begin(), std::min<std::uint64_t>(block_columns, columns - column),
                                &c[(first + i) * columns + column]);
            }
        const std::uint64_t end_row = std::min<std::uint64_t>(end * block_rows, view_a.rows);
        return fast_sum<float>(
            c.subspan(begin * block_rows * columns, (end_row - begin * block_rows) * columns));
    });
}

// The launch.

void plan(PlanBuilder& plan, const Run& run) {
    const View view_a = parse_view(run.values), view_b = get_b_view(run.values);
    const tensor::Tiling tiling = tensor::choose_tiling(run.limits, run.workgroup(), run[m], run[n],
                                                        run.facts.kernel, run[results], run[depth]);
    const Extent tile{run.workgroup().x * tiling.results.x, run.workgroup().y * tiling.results.y};
    plan.set_tile(tile);
    plan.report_auto(results.id, text_of(tiling.results));
    plan.report_auto(depth.id, std::to_string(tiling.depth));

    const auto upload = [&](const char* name, const View& of) {
        return plan.upload_input(name, ElementType::f32, {of.pitch(), of.rows * of.columns / of.pitch()});
    };
    const PlanBuffer a = upload("a", view_a), b = upload("b", view_b), c = plan.output("c");
    Dispatch& launch = plan.launch("the product", run.kernel(),
                                   {reads(a), reads(b), run.facts.x_is_row ? writes(c) : writes_each(c)});
    if (run.facts.x_is_row) {
        launch.domain = {run[m], run[n]};
        if (run[key::grid].x == 0) {
            const Extent tiles = divide_up(launch.domain, tile), limit = run.limits.max_grid;
            launch.grid = {std::min(tiles.x, limit.x), std::min(tiles.y, limit.y)};
        }
    }
    tensor::set_up_product_launch(launch, run.limits, view_a, view_b, run.facts.kernel, tiling);
    plan.download_main(c, run[m]);
    plan.set_cost({a, b, c}, 2 * run[m] * run[n] * run[k]);
}

void remarks(Remarks& add, const Run& run) {
    const tensor::ProductKernel& kernel = run.facts.kernel;
    if (run.prepared.experiment.input.numbers && parse_view(run.values).row_stride == 1 && run[m] > 1)
        add.refuse(transposed, "The matrix of a file is stored row by row. Choose none or b.");
    const Extent each = run[results];
    if (each.x > 0 && !kernel.has_several_results)
        add.note(results, "In this variant each invocation computes one result.");
    if (run[depth] > 0 && !kernel.has_tiles) add.note(depth, "This variant has no tiles.");
    if (!kernel.uses_quads) return;
    if (each.x > 0 && (each.x % 4 != 0 || each.y % 4 != 0))
        add.refuse(results,
                   "This variant computes blocks of 4 x 4 results, but {} is not made of such blocks. Give "
                   "multiples of 4, such as 8x4.",
                   text_of(each));
    if (run[depth] % 4 != 0)
        add.refuse(
            depth,
            "This variant loads 4 numbers at a time, but {} is not a multiple of 4. Give 4, 8, 12 or more.",
            run[depth]);
}

std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    const Array& c = get(outputs, "c");
    const NumberSummary all = summarize_numbers(c);
    std::vector<Fact> facts = {{"first", "First result", c.number(0)},
                               {"smallest", "Smallest", all.smallest},
                               {"largest", "Largest", all.largest},
                               {"mean", "Mean", all.sum / static_cast<double>(c.count())}};
    if (const Extent each = run[results]; each.x > 0)
        facts.push_back({"results_each", "Results per invocation", each.product()});
    return facts;
}

// Pictures.

/// Draws three small matrices, with the elements that one result, or a tile of results, needs.
void draw_needs(Figures& add, bool is_tile) {
    constexpr std::uint64_t side = 8;
    enum Cell : std::uint8_t { unneeded, from_a, from_b, from_c, gap };
    const auto is_row = [&](std::uint64_t row) { return is_tile ? row >= 4 : row == 5; };
    const auto is_column = [&](std::uint64_t column) { return is_tile ? column < 4 : column == 2; };
    Cells cells{.kinds = {{"not needed", ColorRole::quiet, Cells::Fill::outlined},
                          {"a: rows of the results", ColorRole::kernel},
                          {"b: columns of the results", ColorRole::upload},
                          {is_tile ? "c: the results" : "c: the result", ColorRole::cpu}},
                .cell_name = "number"};
    for (std::uint64_t row = 0; row < side; ++row)
        cells.add_row({}, 3 * side + 2, [&](std::size_t i) {
            const std::uint64_t matrix = i / (side + 1), column = i % (side + 1);
            if (column == side) return gap;
            if (matrix == 0) return is_row(row) ? from_a : unneeded;
            if (matrix == 1) return is_column(column) ? from_b : unneeded;
            return is_row(row) && is_column(column) ? from_c : unneeded;
        });
    add.cells("needs", is_tile ? "What a tile of the product needs" : "What one number of the product needs",
              std::move(cells), "From left to right: a, b and c.");
}

/// Returns a matrix, or a corner of a large one, with colours from dark to bright that are symmetric around
/// 0.
Cells::Numbers make_symmetric_colors(const std::string& label, const PlotArray& numbers,
                                     std::uint64_t pitch) {
    Cells::Numbers corner = matrix_corner(label, *numbers.array, pitch);
    corner.high = std::max(std::abs(corner.low), std::abs(corner.high));
    corner.low = -corner.high;
    return corner;
}

void draw_matrices(Figures& add, const Run& run) {
    const PlotArray a = add.input("a"), b = add.input("b"), c = add.output("c");
    if (!a || !b || !c) return;
    Cells cells{.shades = Cells::Shades::viridis};
    cells.numbers = {make_symmetric_colors("a", a, parse_view(run.values).pitch()),
                     make_symmetric_colors("b", b, get_b_view(run.values).pitch()),
                     make_symmetric_colors("c", c, run[n])};
    add.cells("matrices", "The two factors and their product", std::move(cells),
              "As stored in memory; of a large matrix, only a corner. Bright is positive, dark is negative.",
              add.origin());
}

/// Draws which results the first subgroups of a workgroup store.
TraceDrawing draw_subgroups(const trace::Trace& trace, std::span<const trace::Record> records,
                            const Run& run) {
    constexpr std::uint64_t limit = 64;
    const std::uint64_t columns = run[n], shown_rows = std::min(run[m], limit),
                        shown_columns = std::min(columns, limit);
    enum Cell : std::uint8_t { first, second, other_subgroup, other_workgroup };
    Cells cells{.kinds = {{"first subgroup", ColorRole::kernel},
                          {"second subgroup", ColorRole::upload},
                          {"other subgroups of this workgroup", ColorRole::quiet},
                          {"other workgroups", ColorRole::quiet, Cells::Fill::outlined}},
                .cell_name = "result"};
    std::set<std::uint64_t> rows, result_columns;  // of the first subgroup
    std::vector<std::uint8_t> owners(shown_rows * shown_columns, other_workgroup);
    for (const trace::Record& record : records) {
        const trace::Site& site = trace.sites[record.site];
        const bool stores_result =
            site.kind == trace::SiteKind::store && site.space == trace::MemorySpace::buffer &&
            record.workgroup == trace.first_workgroup && record.out_of_bounds_mask == 0;
        if (!stores_result) continue;
        for (std::uint64_t byte = record.offset; byte < record.offset + site.bytes; byte += sizeof(float)) {
            const std::uint64_t row = byte / sizeof(float) / columns, column = byte / sizeof(float) % columns;
            if (row < shown_rows && column < shown_columns)
                owners[row * shown_columns + column] =
                    static_cast<std::uint8_t>(std::min<unsigned>(record.subgroup, other_subgroup));
            if (record.subgroup != 0) continue;
            rows.insert(row);
            result_columns.insert(column);
        }
    }
    for (std::uint64_t row = 0; row < shown_rows; ++row)
        cells.add_row({}, shown_columns,
                      [&](std::size_t column) { return owners[row * shown_columns + column]; });
    return {remove_unused_kinds(std::move(cells)),
            fmt::format("The upper left corner of c. The first subgroup's results lie in {} and {}: for each "
                        "place along k, it needs that many numbers of a and of b.",
                        counted(rows.size(), "row"), counted(result_columns.size(), "column"))};
}

/// Draws the best run of each variant with the current m, n, k and transpositions.
void draw_ladder(Figures& add, const Run& run) {
    std::map<std::string_view, double> rates;
    double ceiling = 0;
    const auto consider_report = [&](const Report* one) {
        if (!one || one->operations_per_second() <= 0 || one->experiment.kernel) return;
        const Values& of = one->experiment.values;
        const bool is_same = of[m] == run[m] && of[n] == run[n] && of[k] == run[k];
        if (!is_same || of[transposed] != run[transposed]) return;
        double& best = rates[one->experiment.variant];
        best = std::max(best, one->operations_per_second() / 1e9);
        if (one->ceilings) ceiling = one->ceilings->operations_per_second / 1e9;
    };
    std::ranges::for_each(add.history(), consider_report);
    consider_report(add.report());
    std::vector<std::string> names;
    std::vector<double> bars;
    for (const Variant& variant : run.variants())
        if (const auto rate = rates.find(variant.id); rate != rates.end()) {
            names.push_back(variant.id);
            bars.push_back(rate->second);
        }
    FigureBuilder& ladder = add.figure("ladder", "Operations per second", "variant", {"rate", "GFLOP/s"})
                                .only_if(!rates.empty())
                                .measured()
                                .categories(std::move(names))
                                .bars({}, std::move(bars))
                                .note("The best run of each variant at this size.");
    ladder.note_if(rates.size() < run.variants().size(), "Variants that are missing have not run yet.");
    if (ceiling > 0)
        ladder.marker({.x = ceiling, .label = "multiply-add ceiling", .is_on_y = true})
            .note("Dashed: the measured multiply-add rate of this device, {} GFLOP/s.",
                  format_significant(ceiling));
}

void pictures(Figures& add, const Run& run) {
    draw_needs(add, run.facts.kernel.has_tiles);
    draw_matrices(add, run);
    if (run.plan.steps.empty()) return;
    add.traced(
        "reuse", "How often each number is loaded",
        draw_load_counts({{"a", parse_view(run.values).pitch()}, {"b", get_b_view(run.values).pitch()}}));
    add.traced("subgroups", "Where the results of each subgroup lie",
               [&](const auto& trace, auto records) { return draw_subgroups(trace, records, run); });
    draw_ladder(add, run);
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "matmul",
         .title = "Matrix product",
         .parameters = parameters(),
         .domain = {"n", "m"},
         .noun = "results",
         .input = input,
         .input_files = {".npy", ".png", ".csv"},
         .input_extent = {"k", "m"},
         .input_from_user = input_from_user,
         .reference_depends_on_variant = false,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"naive", "One result each, by columns",
           "Each invocation computes one result; neighbouring invocations compute results of one column."},
          {.x_is_row = true}},
         {{"coalesced", "One result each, by rows",
           "The same, but neighbouring invocations compute results of one row."}},
         {{"tiled", "Tiles",
           "The invocations of a workgroup load the numbers that they need into workgroup memory, tile by "
           "tile."},
          {.kernel = {.has_tiles = true}}},
         {{"register_tile", "Several results each",
           "Each invocation computes a block of results, and uses each loaded number several times."},
          {.kernel = {.has_tiles = true, .has_several_results = true}}},
         {{"vec4", "16 bytes per load", "The same with loads and stores of four numbers."},
          {.kernel = {.has_tiles = true, .has_several_results = true, .uses_quads = true}}},
         {{"warp_tile", "Subgroup tiles",
           "The lanes of a subgroup compute a compact rectangle of the product."},
          {.kernel = {.has_tiles = true,
                      .has_several_results = true,
                      .uses_quads = true,
                      .has_subgroup_tiles = true}}},
         {{"prefetch", "Prefetching the next tile",
           "While one tile is multiplied, the next is loaded into the other half of workgroup memory."},
          {.kernel = tensor::prefetch}}},
        {{{"distances", "Squared distances", "The squared distance of each row of a from each column of b."},
          {.kernel = {.has_tiles = true}},
          {.has_baseline = false,
           .task = {.remarks = add_distance_remarks, .reference = distances_reference}}}});
    return lesson;
}

}  // namespace gridstride::lessons::matmul
