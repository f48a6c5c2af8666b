// Softmax: what is written needs a sum over all of its row first, so what counts is how often the row is
// read.
#include "lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/units.h"
#include "lesson/fast_math.h"
#include "lesson/stock.h"
#include "softmax/reference.h"
#include "softmax/softmax.h"

namespace gridstride::lessons::softmax {

namespace {

std::vector<Parameter> parameters() {
    Parameter kept = number_parameter(
        key::kept, "Quads kept",
        "How many loads of 16 bytes each invocation has in its registers at a time. auto: what a row needs.",
        0, 1, 16, Shapes::launch);
    kept.unit = "quads";
    kept.automatic = true;
    Parameter columns =
        domain_parameter("columns", "Columns", 1024, "How many numbers stand in a row of the matrix.");
    columns.maximum = 1 << 20;
    Parameter spread = number_parameter(key::spread, "Spread", "The standard deviation of the numbers.", 1.0,
                                        0.001, 1000, Shapes::input);
    spread.scale = Scale::logarithmic;
    return common_parameters(
        {std::move(columns), domain_parameter("rows", "Rows", 256, "How many rows the matrix has.")},
        {256, 1},
        {number_parameter(key::offset, "Offset", "What is added to every number.", 0.0, -1000, 1000,
                          Shapes::input),
         std::move(spread), std::move(kept),
         choice_parameter(key::team, "A row is done by",
                          "Who shares a row: the lanes of a subgroup, or all of a workgroup.", Shapes::launch,
                          {{"auto", "auto"}, {"subgroup", "a subgroup"}, {"workgroup", "a workgroup"}})});
}

// The input: normal numbers around the offset, or the user's.

Input matrix(ArrayRef numbers, const Values& values) {
    return {{"x", std::move(numbers), word(values[key::columns])}};
}

Input input(const Values& values) {
    return matrix(share(normal_f32(values[key::columns] * values[key::rows], values[key::seed],
                                   values[key::offset], values[key::spread])),
                  values);
}

/// -inf, and very low numbers such as -1e30, mask their place: its probability is 0. What else is not finite
/// has no probability.
Input input_from_user(const UserData& data, const Values& values) {
    constexpr double largest = largest_squarable, masked = -std::numeric_limits<double>::infinity();
    const Array& given = *data.numbers;
    const std::uint64_t columns = values[key::columns];
    const auto refuse = [&](std::size_t i, const std::string& why) {
        throw Refusal(fmt::format("{}: {}", place_in_matrix(i, columns), why));
    };
    for (std::size_t begin = 0; begin < given.count(); begin += columns) {
        bool any = false;
        for (std::size_t i = begin; i < begin + columns; ++i) {
            const double number = given.number(i);
            const bool fits =
                number == masked || (number <= largest && std::isfinite(static_cast<float>(number)));
            if (!fits)
                refuse(i, fmt::format("{} cannot be used in softmax. Numbers are at most {:g}; -inf, or a "
                                      "very low one that "
                                      "f32 holds, such as -1e30, masks its place. Remove or replace it.",
                                      number, largest));
            any = any || number != masked;
        }
        if (!any)
            throw Refusal(
                fmt::format("Row {}, columns 1 to {}: all are -inf, so their probabilities are 0 / 0. "
                            "Leave at least one number of the row unmasked.",
                            format_count(begin / columns + 1), format_count(columns)));
    }
    return matrix(numbers_of_user<float>(data), values);
}

/// The shares on the CPU: a row's maximum, its exponentials and their sum, and the division, while the row is
/// in the cache.
double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const auto x = get(input, "x").as<float>();
    const std::uint64_t columns = values[key::columns];
    const auto shares = kept_room(ElementType::f32, x.size()).as<float>();
    const std::size_t block = divide_up(std::uint64_t{1} << 14, columns);
    return in_parts(values[key::rows], block, [=](std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) {
            const float* const from = x.data() + row * columns;
            float* const to = shares.data() + row * columns;
            const float top = fast_maximum({from, columns});
            for (std::size_t i = 0; i < columns; ++i)
                to[i] = clamped_exp_of_minus(top - from[i]);
            const float inverse = 1 / static_cast<float>(fast_sum(std::span<const float>(to, columns)));
            for (std::size_t i = 0; i < columns; ++i)
                to[i] *= inverse;
        }
        return double{shares[first * columns]} + shares[last * columns - 1];
    });
}

// The launches.

}  // namespace

Team team_of(const Values& values, const Limits& limits) {
    return tensor::team_of(limits, workgroup_of(values), values[key::columns], values[key::team],
                           values[key::kept]);
}

namespace {

/// How a variant goes over a row.
struct Way : Variant {
    std::uint64_t passes = 1;      ///< over a row
    std::uint64_t part_bytes = 8;  ///< what a subgroup leaves in workgroup memory
    const char* output = "shares";
    std::uint64_t operations = 5;  ///< a number: maximum, difference, exponential, sum, product
    std::vector<Expected> (*define)(const Input& input, const Values& values, const Team& team) = nullptr;
};
Way way_to_shares(const char* id, const char* title, const char* summary, std::uint64_t passes) {
    Way way{{.id = id, .title = title, .summary = summary, .uses_subgroups = true}, passes};
    way.define = &shares_of_rows;
    return way;
}
std::vector<Way> ways_to_shares() {
    std::vector<Way> all = {
        way_to_shares("three_passes", "Three passes", "The row's maximum, then its sum, then its shares.", 3),
        way_to_shares("two_passes", "Two passes", "Maximum and sum together, then the shares.", 2),
        way_to_shares("one_pass", "One pass", "What a row's last round brought stays in registers.", 2),
        way_to_shares("no_maximum", "Without the maximum",
                      "The definition as it is written: the sum, then the shares.", 2)};
    all.back().wrong_on_purpose = true;
    all.back().define = &shares_without_maximum;
    return all;
}
const std::vector<Way>& ways() {
    static const std::vector<Way> all = [] {
        std::vector<Way> ways = ways_to_shares();
        ways.push_back({{.id = "row_norm",
                         .title = "Row norm",
                         .summary = "The root of the sum of a row's squares.",
                         .uses_subgroups = true,
                         .is_baselines_work = false},
                        /*passes=*/1,
                        /*part_bytes=*/4,
                        "norms",
                        /*operations=*/2,
                        &norms_of_rows});
        ways.push_back({{.id = "layer_norm",
                         .title = "Layer norm",
                         .summary = "A row less its mean, over its standard deviation.",
                         .uses_subgroups = true,
                         .is_baselines_work = false},
                        /*passes=*/2,
                        /*part_bytes=*/12,
                        "normed",
                        /*operations=*/6,
                        &layer_norms});
        for (Way& way : ways)
            way.kernel = fmt::format("softmax/{}.comp", way.id);
        return ways;
    }();
    return all;
}

void plan(PlanBuilder& plan, const Values& values, const Variant& variant) {
    const Way& way = row_of(ways(), variant);
    const Team team = team_of(values, plan.limits());
    const std::uint64_t columns = values[key::columns], rows = values[key::rows];
    const bool leaves_one = way.output == std::string_view("norms");
    plan.take_tile({columns, team.rows_at_once});
    plan.chose(key::kept.id, std::to_string(team.quads_each));
    const PlanBuffer x = plan.input("x", ElementType::f32, plan.domain());
    const PlanBuffer out =
        plan.output(way.output, ElementType::f32, leaves_one ? Extent{rows} : plan.domain());
    plan.upload(x);
    Dispatch& launch = plan.launch("each row", "softmax/" + variant.id,
                                   {reads_each(x), leaves_one ? writes(out) : writes_each(out)});
    tensor::set_up_rows(launch, team, columns, way.passes, way.part_bytes);
    plan.download(out);
    plan.costs(sizeof(float) * (plan.elements() + (leaves_one ? rows : plan.elements())),
               way.operations * plan.elements());
    plan.main_output(way.output, leaves_one ? 1 : rows);
}

std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    return row_of(ways(), *asked.variant)
        .define(input, asked.values(), team_of(asked.values(), asked.limits));
}

/// Numbers are seldom more than four deviations from the offset.
void remarks_on_exponentials(Remarks& say, const Values& values) {
    constexpr double largest_exponent = 88.72, least_exponent = -87.34;  // of f32: ln(3.4e38), ln(1.18e-38)
    const double offset = values[key::offset], beyond = 4 * values[key::spread];
    if (offset + beyond > largest_exponent)
        say.caution(
            key::offset,
            fmt::format("exp(x) is more than f32 can hold from x = {} on, and infinity over infinity is "
                        "not a number.",
                        largest_exponent));
    if (offset + beyond < least_exponent)
        say.caution(key::offset, fmt::format("exp(x) is as good as 0 from x = {} down, and 0 over 0 is not a "
                                             "number.",
                                             least_exponent));
}

void remarks(Remarks& say, const Prepared& asked) {
    const Values& values = asked.values();
    if (asked.variant->id == "no_maximum") remarks_on_exponentials(say, values);
    const Team team = team_of(values, asked.limits);
    const bool by_subgroups = team.rows_at_once > 1;
    if (!by_subgroups && values[key::team] == TeamChoice::subgroup)
        say.caution(key::team,
                    fmt::format("Workgroups of {} along x are no whole subgroups of {}: all of a workgroup "
                                "share a row.",
                                workgroup_of(values).x, asked.limits.subgroup_size));
    say.note(key::team, fmt::format("{} invocations share a row.", format_count(team.invocations)));
    const std::uint64_t held = 4 * team.quads_each * team.invocations;
    say.note(key::kept, team.rounds == 1
                            ? fmt::format("A row of {} numbers fits in their registers.",
                                          format_count(values[key::columns]))
                            : fmt::format("Their registers hold {} of a row's {} numbers.",
                                          format_count(held), format_count(values[key::columns])));
}

std::vector<Fact> result(const Values& values, const Outputs& outputs) {
    if (outputs.empty() || outputs.front().array->empty()) return {};
    const std::string& name = outputs.front().name;
    const ArrayRef& array = outputs.front().array;
    const auto numbers = array->as<float>();
    const FloatSummary all = summary_of(numbers);
    std::vector<Fact> facts = {{"largest", "Largest", all.largest}, {"smallest", "Smallest", all.smallest}};
    if (name == "shares") {
        double sum = 0;
        for (const float share : numbers.first(std::min<std::size_t>(values[key::columns], numbers.size())))
            sum += share;
        facts.push_back({"first_sum", "Sum of the first row's shares", sum});
    }
    facts.push_back({"not_numbers", "Not a number", all.not_numbers});
    if (const std::uint64_t kept = values[key::kept]; kept > 0) {
        facts.push_back({"kept", "Quads kept", kept});
        facts.push_back({"room", "Numbers that a workgroup's registers have room for",
                         4 * kept * workgroup_of(values).product()});
    }
    return facts;
}

// To make: the logarithm of each row's sum of exponentials, a row for each workgroup.

std::vector<Expected> log_sums_reference(const Input& input, const Prepared& asked) {
    return log_sums_of_rows(input, asked.values());
}

void plan_log_sums(PlanBuilder& plan, const Values& values, const Variant&) {
    plan.take_tile({values[key::columns], 1});
    const PlanBuffer x = plan.input("x", ElementType::f32, plan.domain());
    const PlanBuffer sums = plan.output("log_sums", ElementType::f32, {values[key::rows]});
    plan.upload(x);
    Dispatch& launch = plan.launch("each row", "softmax/row_log_sum_start", {reads_each(x), writes(sums)});
    launch.constants = {1};  // row at once
    // A student may go over a row up to three times, and an invocation over the parts of all.
    launch.iterations_per_pass = 3 * (values[key::columns] + 1) + plan.workgroup_size() + 2;
    launch.shared_bytes = 2 * sizeof(float) * plan.workgroup_size();
    plan.download(sums);
    plan.costs(sizeof(float) * (plan.elements() + values[key::rows]), 4 * plan.elements());
    plan.main_output("log_sums");
}

}  // namespace

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "softmax",
        .title = "Softmax",
        .parameters = parameters(),
        .domain = {"columns", "rows"},
        .noun = "numbers",
        .variants = {ways().begin(), ways().end()},
        .default_variant = "three_passes",
        .exercises = {{{"row_log_sum", "The logarithm of each row's sum", "Of exp(x), however large x is.",
                        "softmax/row_log_sum_start.comp", /*per_invocation=*/1, /*uses_subgroups=*/true},
                       /*solution=*/"softmax/row_log_sum.comp",
                       {.plan = &plan_log_sums,
                        .remarks = nullptr,
                        .reference = &log_sums_reference,
                        .result = &result,
                        .pictures = &pictures}}},
        .input = &input,
        .input_files = {".npy", ".png", ".csv"},
        .input_from_user = &input_from_user,
        .task = {.plan = &plan,
                 .remarks = &remarks,
                 .reference = &reference,
                 .result = &result,
                 .pictures = &pictures},
        .reference_depends_on_launch = true,
        .baselines = {on_one_thread(&on_cpu), on_all_threads(&on_cpu)},
    };
    return lesson;
}

}  // namespace gridstride::lessons::softmax
