// Softmax: each output needs a sum over its whole row, so the time depends on how often a row is read.
#include "figures/lesson_headers.h"
#include "lesson/metrics.h"
#include "tensor/rows.h"

namespace gridstride::lessons::softmax {

namespace {

using tensor::Team, tensor::TeamChoice;
using Row = std::span<const Bounded>;
using OutputRow = std::span<Bounded>;

constexpr Key<std::uint64_t> columns{"columns"}, rows{"rows"}, kept{"kept"};  // kept = 0: auto
constexpr Key<double> offset{"offset"}, spread{"spread"};
constexpr Key<TeamChoice> team{"team"};

std::vector<Parameter> parameters() {
    return common_parameters(
        {domain_parameter("columns", "Columns", 1024, "The number of columns of the matrix.").up_to(1 << 20),
         domain_parameter("rows", "Rows", 256, "The number of rows of the matrix.")},
        {256, 1},
        {number_parameter(offset, "Offset", "This value is added to every number.", 0.0, -1000, 1000,
                          Invalidates::input),
         number_parameter(spread, "Spread", "The standard deviation of the numbers.", 1.0, 0.001, 1000,
                          Invalidates::input)
             .logarithmic(),
         number_parameter(kept, "Quads in registers",
                          "How many quads (four numbers, one load of 16 bytes) each invocation keeps in "
                          "registers at a time. auto: as many as a row needs.",
                          0, 1, 16, Invalidates::launch)
             .or_auto()
             .with_unit("quads"),
         choice_parameter(team, "Row processed by",
                          "Which invocations share a row: the lanes of one subgroup, or the whole workgroup.",
                          Invalidates::launch,
                          {{"auto", "auto"}, {"subgroup", "a subgroup"}, {"workgroup", "a workgroup"}})});
}

struct Facts {
    std::uint64_t passes = 1;      ///< times that the kernel reads a row
    std::uint64_t part_bytes = 8;  ///< size of a subgroup's partial result in workgroup memory
    std::uint64_t operations = 5;  ///< per number: maximum, difference, exponential, sum, product
    const char* output = "shares";
    void (*define)(Row row, OutputRow out, const Summation& summation) = nullptr;
    bool one_output_per_row = false;  ///< the output has one number per row
    bool merges_rounds = false;       ///< merging two rounds takes more than an addition
    bool adds_each_load = false;      ///< adds every load to one running sum, instead of one per round
    bool needs_squares = false;       ///< adds squares, so the numbers must be at most max_squarable
    bool keeps_last_round = false;    ///< keeps the last round of a row in registers
    bool divides_rows = false;        ///< divides a row among several workgroups
};
using Run = gridstride::Run<Facts>;

constexpr std::uint64_t max_polls = 1000;  ///< mirrors shaders/softmax/several_workgroups.comp

/// The team of a workgroup, and the workgroups that share a row. `rounds` are those of a workgroup.
struct SharedTeam : Team {
    std::uint64_t workgroups = 1;
    std::uint64_t max_loading_rows = 1;  ///< whose loads may be in flight at the same time
    std::uint64_t quads_per_round() const { return quads_per_invocation * invocations; }
    /// Returns how many numbers of a row the registers of its team hold.
    std::uint64_t held_numbers() const { return 4 * quads_per_round() * workgroups; }
};

/// Returns how many workgroups of a team run at once. A software driver runs one on each thread.
std::uint64_t count_concurrent_workgroups(const Team& of, const Limits& limits) {
    if (limits.is_cpu) return 2;
    const std::uint64_t resident_workgroups = count_resident_workgroups(of.invocations, limits);
    if (limits.registers_per_multiprocessor == 0) return resident_workgroups;
    // The kernel needs about twice the registers that hold the numbers.
    const std::uint64_t registers = 8 * of.quads_per_invocation * of.invocations;
    return std::min(
        resident_workgroups,
        limits.multiprocessors * std::max<std::uint64_t>(limits.registers_per_multiprocessor / registers, 1));
}

/// As many workgroups share a row as their registers need to hold it, and no more than run at once, because
/// they wait for each other.
SharedTeam divide_rows(const Run& run) {
    // On an H200, rows of 2^18 numbers took 3 % more time with 8 quads.
    constexpr std::uint64_t max_quads = 16;
    const auto choose = [&](std::uint64_t quads) {
        return tensor::choose_team(run.limits, run.workgroup(), run[columns], TeamChoice::workgroup, quads);
    };
    SharedTeam shared{choose(run[kept])};
    if (run[kept] == 0 && shared.rounds > 1 && !run.limits.is_cpu) shared = {choose(max_quads)};
    std::uint64_t max_workgroups = count_concurrent_workgroups(shared, run.limits);
    if (const Extent grid = requested_grid(run.values); grid.x > 0)
        max_workgroups = std::min(max_workgroups, grid.product());
    const std::uint64_t rounds = shared.rounds;
    shared.rounds = divide_up(rounds, std::min(rounds, max_workgroups));
    shared.workgroups = divide_up(rounds, shared.rounds);
    shared.merges += divide_up(shared.workgroups, shared.invocations) + shared.merges;
    // No more than half of the workgroups load at the same time.
    shared.max_loading_rows = run.limits.is_cpu || shared.workgroups == 1
                                  ? run[rows]
                                  : std::max<std::uint64_t>(max_workgroups / (2 * shared.workgroups), 1);
    return shared;
}

SharedTeam choose_team(const Run& run, const Facts& facts) {
    if (facts.divides_rows) return divide_rows(run);
    return {tensor::choose_team(run.limits, run.workgroup(), run[columns], run[team], run[kept])};
}
SharedTeam choose_team(const Run& run) {
    return choose_team(run, run.facts);
}

// The definitions.

void softmax(Row row, OutputRow out, const Summation& summation) {
    gridstride::softmax(row, out, summation);
}
void softmax_without_maximum(Row row, OutputRow out, const Summation& summation) {
    gridstride::softmax(row, out, summation, /*subtracts_maximum=*/false);
}
void norm(Row row, OutputRow out, const Summation& summation) {
    out[0] = sqrt(sum_of_squares(row, summation));
}
void layer_norm(Row row, OutputRow out, const Summation& summation) {
    const Moments row_moments = moments(row, summation);
    const Bounded deviation = sqrt(row_moments.variance + Bounded{1e-5});
    std::ranges::transform(row, out.begin(),
                           [&](const Bounded& x) { return (x - row_moments.mean) / deviation; });
}
void row_log_sum(Row row, OutputRow out, const Summation&) {
    out[0] = log_sum_exp(row);
}

constexpr double max_squarable = 1e15;  ///< a million squares of this are less than the largest f32

std::string squaring_error(double number) {
    if (std::abs(number) <= max_squarable || std::isinf(number)) return {};
    return fmt::format(
        "{:g} is too large: the sum of the squares of numbers beyond {:g} may overflow f32. Choose a variant "
        "of softmax, or replace the number.",
        number, max_squarable);
}
std::string mean_error(double number) {
    if (std::isfinite(number)) return squaring_error(number);
    return fmt::format(
        "{:g} is not finite, so its row has no mean. Choose a variant of softmax, or replace the number.",
        number);
}

/// The longest chain of additions: a lane adds its numbers, then its rounds; then the lanes of a subgroup are
/// added; then each lane adds its part of the subgroups' sums, and the lanes are added again.
std::vector<Expected> reference(const Input& input, const Run& run) {
    const Array& x = get(input, "x");
    if (run.facts.needs_squares)
        require_numbers(x, run[columns], run.facts.one_output_per_row ? &squaring_error : &mean_error);
    constexpr std::uint64_t lanes = 128;
    const SharedTeam chosen_team = choose_team(run);
    const std::uint64_t lane_chain = run.facts.adds_each_load
                                         ? chosen_team.quads_per_invocation * chosen_team.rounds
                                         : chosen_team.quads_per_invocation + chosen_team.rounds;
    const Summation summation{
        .chain = lane_chain + 2 + 2 * lanes + chosen_team.merges,
        .merges = chosen_team.merges + (run.facts.merges_rounds ? chosen_team.rounds + 3 : 0)};
    return {make_expected_by_rows(run.facts.output, x, run[columns],
                                  run.facts.one_output_per_row ? 1 : run[columns],
                                  [&](Row row, OutputRow out) { run.facts.define(row, out, summation); })};
}

// The input: normally distributed numbers around the offset, or the user's.

Input input(const Values& values) {
    return {
        {"x",
         share(normal_f32(values[columns] * values[rows], values[key::seed], values[offset], values[spread])),
         word(values[columns])}};
}

/// Allows -inf and very low numbers such as -1e30: they mask their element, whose probability becomes 0.
std::string logit_error(double number) {
    const bool is_masked = number == -HUGE_VAL;
    if (is_masked || (number <= max_squarable && std::isfinite(static_cast<float>(number)))) return {};
    return fmt::format(
        "{} cannot be an input of softmax. Numbers may be at most {:g}; -inf, or a very low number that f32 "
        "can hold, such as -1e30, masks its element. Remove or replace the number.",
        format_exact(number), max_squarable);
}

Input input_from_user(const UserData& data, const Values& values) {
    const ArrayRef x = convert_user_numbers<float>(data, &logit_error);
    const auto numbers = x->as<float>();
    for (std::size_t first = 0; first < numbers.size(); first += values[columns])
        if (std::ranges::all_of(numbers.subspan(first, values[columns]),
                                [](float n) { return n == -HUGE_VALF; }))
            throw Refusal(
                "Row {}, columns 1 to {}: all numbers are -inf, so their probabilities are 0 / 0. Leave at "
                "least one number of the row unmasked.",
                format_count(first / values[columns] + 1), format_count(values[columns]));
    return {{"x", x, word(values[columns])}};
}

/// Computes the probabilities row by row, so that the row is in the cache for the maximum, the exponentials
/// and the division. Returns the sum of each row's first probability.
double on_cpu(const Input& input, const Values& values, SumRanges sum_ranges) {
    const auto x = get(input, "x").as<float>();
    const std::uint64_t length = values[columns];
    const auto probabilities = scratch_array(ElementType::f32, x.size()).as<float>();
    return sum_ranges(values[rows], divide_up(1 << 14, length), [=](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t row = first; row < last; ++row) {
            const auto from = x.subspan(row * length, length);
            const auto to = probabilities.subspan(row * length, length);
            const float row_max = fast_max(from);
            for (std::size_t i = 0; i < length; ++i)
                to[i] = exp_negative_clamped(row_max - from[i]);
            const float inverse_sum = 1 / static_cast<float>(fast_sum<float>(to));
            for (float& share : to)
                share *= inverse_sum;
            sum += to[0];
        }
        return sum;
    });
}

// The launches.

void plan(PlanBuilder& plan, const Run& run) {
    const SharedTeam chosen_team = choose_team(run);
    plan.set_tile({run[columns], chosen_team.rows_at_once});
    plan.report_auto(kept.id, std::to_string(chosen_team.quads_per_invocation));
    const PlanBuffer x = plan.upload_input("x");
    const PlanBuffer out = plan.output(run.facts.output, ElementType::f32,
                                       run.facts.one_output_per_row ? Extent{run[rows]} : plan.domain());
    Dispatch& launch =
        plan.launch("each row", run.kernel(),
                    {reads_each(x), run.facts.one_output_per_row ? writes(out) : writes_each(out)});
    tensor::set_up_row_launch(launch, chosen_team, run[columns], run.facts.passes, run.facts.part_bytes);
    plan.download_main(out, run.facts.one_output_per_row ? 1 : run[rows]);
    plan.set_cost({x, out}, run.facts.operations * plan.elements());
}

/// The workgroups that share a row exchange two words for each part of it, and count those that have read
/// them; the first word counts the parts of all rows that have been published. A workgroup that stops waiting
/// reads the whole row itself.
void plan_shared_rows(PlanBuilder& plan, const Run& run) {
    const SharedTeam chosen_team = choose_team(run);
    const std::uint64_t quads_of_part = chosen_team.rounds * chosen_team.quads_per_round();
    plan.set_tile({4 * quads_of_part, 1});
    plan.report_auto(kept.id, std::to_string(chosen_team.quads_per_invocation));
    const PlanBuffer x = plan.upload_input("x");
    const PlanBuffer words =
        plan.output("words", ElementType::u32, {1 + run[rows] * (1 + 2 * chosen_team.workgroups)});
    const PlanBuffer out = plan.output(run.facts.output, ElementType::f32, plan.domain());
    plan.fill(words, 0, run.fill_time_of_kept_array());
    Dispatch& launch =
        plan.launch("each row", run.kernel(), {reads_each(x), writes_each(out), updates(words)});
    tensor::set_up_row_launch(launch, chosen_team, run[columns], run.facts.passes, run.facts.part_bytes);
    for (const std::uint64_t constant : {chosen_team.workgroups, quads_of_part, chosen_team.max_loading_rows})
        launch.constants.push_back(word(constant));
    launch.iterations_per_pass +=
        (chosen_team.rounds + 1) * chosen_team.workgroups + 3 * (chosen_team.merges + 2);
    launch.iterations_once = max_polls;
    plan.download_main(out, run[rows]);
    plan.set_cost({x, out}, run.facts.operations * plan.elements());
}

/// Each workgroup processes one row. The loop limits allow a student's kernel to read the row up to three
/// times, and one invocation to add the partial results of all.
void plan_log_sums(PlanBuilder& plan, const Run& run) {
    plan.set_tile({run[columns], 1});
    const PlanBuffer x = plan.upload_input("x");
    const PlanBuffer sums = plan.output("log_sums", ElementType::f32, {run[rows]});
    Dispatch& launch = plan.launch("each row", run.kernel(), {reads_each(x), writes(sums)});
    launch.constants = {1};  // rows per workgroup
    launch.iterations_per_pass = 3 * (run[columns] + 1) + plan.workgroup_size() + 2;
    launch.shared_bytes = 2 * sizeof(float) * plan.workgroup_size();
    plan.download_main(sums);
    plan.set_cost({x, sums}, 4 * plan.elements());
}

void remarks(Remarks& add, const Run& run) {
    const SharedTeam chosen_team = choose_team(run);
    if (run[team] == TeamChoice::subgroup && run.facts.divides_rows)
        add.caution(team, "In this variant whole workgroups share a row.");
    else if (run[team] == TeamChoice::subgroup && chosen_team.rows_at_once == 1)
        add.caution(team,
                    "A workgroup of {} along x does not consist of whole subgroups of {}, so the whole "
                    "workgroup shares a row.",
                    run.workgroup().x, run.limits.subgroup_size);
    add.note(team, "Each row has {}.",
             counted(chosen_team.workgroups * chosen_team.invocations, "invocation"));
    if (chosen_team.rounds == 1)
        add.note(kept, "A row of {} fits in the registers of its invocations.",
                 counted(run[columns], "number"));
    else
        add.note(kept, "The registers hold {} of the {} of a row; the others are read again.",
                 format_count(chosen_team.held_numbers()), counted(run[columns], "number"));
}

/// Assumes that numbers are rarely more than four standard deviations from the offset.
void add_remarks_without_maximum(Remarks& add, const Run& run) {
    constexpr double largest = 88.72, min_exponent = -87.34;  // exponents of f32: ln(3.4e38), ln(1.18e-38)
    const double extreme = run[offset] + 4 * run[spread];
    if (extreme > largest)
        add.caution(offset,
                    "exp(x) overflows f32 above x = {}, and infinity divided by infinity is not a number.",
                    largest);
    if (extreme < min_exponent)
        add.caution(offset, "exp(x) is practically 0 below x = {}, and 0 / 0 is not a number.", min_exponent);
    remarks(add, run);
}

std::vector<Fact> result(const Run& run, const Outputs& outputs) {
    const auto numbers = outputs.front().array->as<float>();
    const NumberSummary all = summarize_numbers(*outputs.front().array);
    std::vector<Fact> facts = {{"largest", "Largest", all.largest}, {"smallest", "Smallest", all.smallest}};
    if (outputs.front().name == "shares")
        facts.push_back({"first_sum", "Sum of the probabilities of the first row",
                         std::accumulate(&numbers[0], &numbers[0] + run[columns], 0.0)});
    facts.push_back({"not_numbers", "Not a number", all.nan_count});
    if (run[kept] > 0) {
        facts.push_back({"kept", "Quads in registers", run[kept]});
        facts.push_back({"room", "Numbers that the registers of a workgroup can hold",
                         4 * run[kept] * run.workgroup().product()});
    }
    return facts;
}

// Pictures.

void draw_online_rule(Figures& add, const PlotArray& x) {
    std::vector<double> running_maxima, running_sums;
    double row_max = -HUGE_VAL, running_sum = 0;
    for (const double number : x.numbers()) {
        if (number > row_max) running_sum *= std::exp(row_max - number);
        row_max = std::max(row_max, number);
        running_sum += std::exp(number - row_max);
        running_maxima.push_back(row_max);
        running_sums.push_back(running_sum);
    }
    add.figure("online", "Running maximum and sum of the online algorithm", "column", "number, and sum")
        .bars("number", x, ColorRole::upload)
        .line("maximum so far, m", std::move(running_maxima))
        .line("sum of exp(x \u2212 m) so far", std::move(running_sums), ColorRole::download)
        .note("Where m rises, the sum is rescaled to the new m.");
}

void draw_bytes(Figures& add, const Run& run) {
    std::vector<std::string> titles;
    std::vector<double> loaded_bytes;
    for (const Variant& variant : run.variants()) {
        const Facts& facts = Run::get_facts(variant);
        if (facts.define != &softmax) continue;
        titles.push_back(variant.title);
        const double held_fraction =
            std::min(1.0, static_cast<double>(choose_team(run, facts).held_numbers()) /
                              static_cast<double>(run[columns]));
        loaded_bytes.push_back(
            4 * (static_cast<double>(facts.passes) - (facts.keeps_last_round ? held_fraction : 0)));
    }
    add.figure("bytes", "Bytes per number, for rows of this length", {}, "bytes")
        .categories(titles)
        .stacked("loaded", loaded_bytes, ColorRole::upload)
        .stacked("stored", std::vector<double>(titles.size(), 4), ColorRole::download)
        .note("Repeated loads may be served by a cache.");
}

void pictures(Figures& add, const Run& run) {
    constexpr std::size_t max_bars = 64, max_points = 2048;
    const std::uint64_t n = run[columns];
    const bool one_output_per_row = run.facts.one_output_per_row;
    const PlotArray x = add.input("x").row(n), out = add.output(run.facts.output),
                    probabilities = add.output("shares").row(n);
    add.figure("row", one_output_per_row ? "The result, one number per row" : "The first row, after",
               one_output_per_row ? "row" : "column", probabilities ? "probability" : "number")
        .bars(run.facts.output, (one_output_per_row ? out : out.row(n)).first(max_bars));
    add.figure("numbers", "The first row, before", "column", "number")
        .bars("x", x.first(max_bars), ColorRole::upload);
    add.figure("curve", "Probability against number", "number", {"probability", AxisScale::logarithmic})
        .scatter("probability", x, probabilities.sampled(max_points))
        .note("The first row. A number that is larger by 1 has e times the probability.");
    draw_online_rule(add, x.first(max_bars));
    if (run.plan.steps.empty()) return;
    add.traced("reads", "How often each number is read", draw_row_load_counts({"x", n}));
    add.access_map("x", "number");
    draw_bytes(add, run);
    add.figure("per_length", "Time per number against the length of rows", {},
               {"time per number", "ns", AxisScale::logarithmic})
        .latest_by(columns.id,
                   [](const Report& one) {
                       return metric(one, "kernel_ns").value_or(0) / metric(one, "elements").value_or(1);
                   })
        .note("The latest run with each length. Run other lengths to extend the lines.");
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson = with_variants<Facts>(
        {.id = "softmax",
         .title = "Softmax",
         .parameters = parameters(),
         .domain = {"columns", "rows"},
         .noun = "numbers",
         .input = input,
         .input_files = {".npy", ".png", ".csv"},
         .input_from_user = input_from_user,
         .reference_depends_on_launch = true,
         .baseline = on_cpu},
        {.plan = plan, .remarks = remarks, .reference = reference, .result = result, .pictures = pictures},
        {{{"three_passes", "Three passes",
           "Reads each row three times: for its maximum, for its sum, and for the probabilities."},
          {.passes = 3, .define = softmax},
          {.uses_subgroups = true}},
         {{"two_passes", "Two passes",
           "Computes maximum and sum in one pass, then the probabilities in a second."},
          {.passes = 2, .define = softmax},
          {.uses_subgroups = true}},
         {{"one_pass", "One pass",
           "As two_passes, but the numbers of the last round stay in registers and are not read again."},
          {.passes = 2, .define = softmax, .keeps_last_round = true},
          {.uses_subgroups = true}},
         {{"several_workgroups", "Several workgroups per row",
           "Divides a row among workgroups, which keep it in registers and wait for each other."},
          {.passes = 2, .define = softmax, .keeps_last_round = true, .divides_rows = true},
          {.uses_subgroups = true, .task = {.plan = plan_shared_rows}}},
         {{"no_maximum", "Without the maximum",
           "The definition as written: the sum of exp(x), then the probabilities."},
          {.passes = 2, .define = softmax_without_maximum},
          {.uses_subgroups = true,
           .wrong_on_purpose = true,
           .task = {.remarks = add_remarks_without_maximum}}},
         {{"row_norm", "Row norm", "The square root of the sum of a row's squares."},
          {.part_bytes = 4,
           .operations = 2,
           .output = "norms",
           .define = norm,
           .one_output_per_row = true,
           .adds_each_load = true,
           .needs_squares = true},
          {.uses_subgroups = true, .has_baseline = false}},
         {{"layer_norm", "Layer norm", "Each row minus its mean, divided by its standard deviation."},
          {.passes = 2,
           .part_bytes = 12,
           .operations = 6,
           .output = "normed",
           .define = layer_norm,
           .merges_rounds = true,
           .needs_squares = true},
          {.uses_subgroups = true, .has_baseline = false}}},
        {{{"row_log_sum", "The logarithm of each row's sum",
           "The logarithm of the sum of exp(x), without overflow for large x."},
          {.output = "log_sums", .define = row_log_sum, .one_output_per_row = true},
          {.uses_subgroups = true, .task = {.plan = plan_log_sums, .remarks = no_op}}}});
    return lesson;
}

}  // namespace gridstride::lessons::softmax
