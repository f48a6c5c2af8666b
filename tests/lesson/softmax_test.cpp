// Tests the lesson on softmax without a GPU: its reference and tolerance, which invocations compute a row,
// and the inputs that it refuses.

#include "base/text.h"
#include "figures/load_counts.h"
#include "launch/h200.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"
#include "trace/trace_builder.h"

namespace gridstride::softmax_test {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity();

const Lesson& softmax() {
    return *find_lesson("softmax");
}

Values values_of(std::uint64_t columns, std::uint64_t rows, const Settings& others = {}) {
    Values values = values_with(softmax(), others);
    values.set("columns", columns);
    values.set("rows", rows);
    return values;
}

std::vector<Expected> expected_for(const std::string& variant, std::uint64_t columns,
                                   const std::vector<float>& numbers) {
    const PreparedExperiment prepared =
        prepare_case(softmax(), values_of(columns, numbers.size() / columns), variant);
    require_valid(prepared);
    return prepared.task.reference({{"x", array_of(numbers)}}, prepared);
}

/// Returns the reference for these rows.
std::vector<double> right(const std::string& variant, std::uint64_t columns,
                          const std::vector<float>& numbers) {
    return sample_numbers(*expected_for(variant, columns, numbers).front().reference);
}

const std::vector<const char*> variants_of_softmax = {"three_passes", "two_passes", "one_pass",
                                                      "several_workgroups", "no_maximum"};

TEST(Softmax, ReferenceIsTheDefinition) {
    const auto log3 = static_cast<float>(std::log(3.0));
    for (const char* variant : variants_of_softmax) {
        EXPECT_THAT(right(variant, 2, {0, log3, log3, 0}),
                    Pointwise(DoubleNear(1e-7), {0.25, 0.75, 0.75, 0.25}));
        EXPECT_THAT(right(variant, 4, {7, 7, 7, 7}), Each(0.25));
        EXPECT_THAT(right(variant, 1, {-5, 1e15F, 0}), Each(1)) << "one number per row";
        for (const float mask : {-INFINITY, -1e30F})
            EXPECT_THAT(right(variant, 3, {2, mask, 2}), ElementsAre(0.5, 0, 0.5)) << "masked";
        EXPECT_THAT(right(variant, 2, {1000, 1000 + log3}), Pointwise(DoubleNear(1e-4), {0.25, 0.75}));
        EXPECT_THAT(right(variant, 2, {-1e30F, 1e30F}), ElementsAre(0, 1));
    }
}

TEST(Softmax, ComputesNormsLayerNormsAndLogSumsOfRows) {
    EXPECT_THAT(right("row_norm", 2, {3, 4, 5, -12}), ElementsAre(5, 13));
    const double deviation = std::sqrt(1 + 1e-5);
    EXPECT_THAT(right("layer_norm", 2, {1, 3, 7, 5}),
                Pointwise(DoubleNear(1e-12), {-1 / deviation, 1 / deviation, 1 / deviation, -1 / deviation}));
    EXPECT_THAT(right("layer_norm", 3, {2, 2, 2}), Each(0)) << "no division by 0";
    EXPECT_THROW(right("layer_norm", 2, {1, 2, -INFINITY, 3}), Refusal);
    for (const char* norm : {"row_norm", "layer_norm"})
        EXPECT_THROW(right(norm, 2, {1, 2, -1e30F, 3}), Refusal) << norm;
    EXPECT_THAT(right("row_log_sum", 2, {1000, 1000, -1000, -1000}),
                Pointwise(DoubleNear(1e-9), {1000 + std::log(2.0), -1000 + std::log(2.0)}));
}

/// Computes the probabilities as an f32 kernel does, rounding after each operation.
std::vector<float> shares_in_f32(const std::vector<float>& row) {
    const float top = *std::ranges::max_element(row);
    float sum = 0;
    for (const float number : row)
        sum += std::exp(number - top);
    std::vector<float> shares;
    for (const float number : row)
        shares.push_back(std::exp(number - top) / sum);
    return shares;
}

TEST(Softmax, F32ErrorsAreWithinATightBound) {
    std::vector<float> row(1000);
    for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = static_cast<float>((i * 739) % 1000) / 50 - 10;
    const std::vector<float> found = shares_in_f32(row);
    const Expected expected = expected_for("three_passes", row.size(), row).front();
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double share = expected.reference->number(i);
        const double allowed =
            expected.tolerance.absolute + expected.tolerance.relative * expected.scale->number(i);
        EXPECT_LE(std::abs(found[i] - share), allowed) << i;
        EXPECT_LT(allowed, 5e-5 * share) << "a row that lacks one of a thousand numbers is far beyond that";
    }
}

TEST(Softmax, BoundDependsOnTheWorkgroup) {
    const auto allowed = [](const char* workgroup) {
        const PreparedExperiment prepared =
            prepare_case(softmax(), values_of(1 << 16, 1, {{"workgroup", workgroup}}), "one_pass");
        std::vector<float> row(1 << 16, 0.5F);
        return prepared.task.reference({{"x", array_of(row)}}, prepared).front().scale->number(0) * (1 << 16);
    };
    EXPECT_GT(allowed("1x1"), 4 * allowed("256x1")) << "one invocation adds all numbers";
}

TEST(Softmax, AssignsShortRowsToSubgroupsAndLongOnesToWorkgroups) {
    const auto plan = [](std::uint64_t columns, const Settings& others, const Limits& limits) {
        const Plan built_plan = plan_of(softmax(), values_of(columns, 1000, others), "one_pass", limits);
        EXPECT_EQ(built_plan.main().tile, (Extent{columns, built_plan.main().constants.at(0)}));
        return built_plan.main().constants;
    };
    const Limits gpu = large_gpu(), cpu = software_device();
    // The values are: rows at once, quads per invocation, and whether a row consists of whole quads.
    EXPECT_THAT(plan(1024, {}, gpu), ElementsAre(8, 8, 1)) << "32 lanes hold 8 quads each: 1 024 numbers";
    EXPECT_THAT(plan(1028, {}, gpu), ElementsAre(1, 2, 1)) << "257 quads for 256 invocations";
    EXPECT_THAT(plan(1022, {}, gpu), ElementsAre(1, 2, 0)) << "an unaligned row may span 257 quads";
    EXPECT_THAT(plan(8192, {}, gpu), ElementsAre(1, 8, 1));
    EXPECT_THAT(plan(262'144, {}, gpu), ElementsAre(1, 8, 1)) << "no more than the limit";
    EXPECT_THAT(plan(262'144, {{"kept", "16"}, {"workgroup", "512x1"}}, gpu), ElementsAre(1, 16, 1));
    EXPECT_THAT(plan(64, {}, gpu), ElementsAre(8, 1, 1));
    EXPECT_THAT(plan(64, {{"team", "workgroup"}}, gpu), ElementsAre(1, 1, 1));
    EXPECT_THAT(plan(8192, {{"team", "subgroup"}}, gpu), ElementsAre(8, 8, 1)) << "in eight rounds";
    EXPECT_THAT(plan(64, {{"workgroup", "24x8"}}, gpu), ElementsAre(1, 1, 1)) << "no whole subgroups along x";
    EXPECT_THAT(plan(64, {{"workgroup", "32x8"}}, gpu), ElementsAre(8, 1, 1));
    EXPECT_THAT(plan(128, {}, cpu), ElementsAre(32, 4, 1));
    EXPECT_THAT(plan(132, {}, cpu), ElementsAre(1, 1, 1));
}

TEST(Softmax, DividesRowsAmongNoMoreWorkgroupsThanRunAtOnce) {
    const auto plan = [](std::uint64_t columns, const Settings& others, const Limits& limits) {
        const Plan built_plan =
            plan_of(softmax(), values_of(columns, 3, others), "several_workgroups", limits);
        const std::vector<std::uint32_t>& constants = built_plan.main().constants;
        EXPECT_EQ(built_plan.main().tile, (Extent{4 * constants.at(4), 1}));
        return constants;
    };
    const Limits gpu = h200(), cpu = software_device();
    // After those of the other variants: workgroups that share a row, quads of a part, and rows that load at
    // the same time.
    EXPECT_THAT(plan(1024, {}, gpu), ElementsAre(1, 1, 1, 1, 256, 3));
    EXPECT_THAT(plan(262'144, {}, gpu), ElementsAre(1, 16, 1, 16, 4096, 8)) << "264 workgroups at once";
    EXPECT_THAT(plan(262'144, {{"kept", "8"}}, gpu), ElementsAre(1, 8, 1, 32, 2048, 8)) << "528 of them";
    EXPECT_THAT(plan(262'143, {}, gpu), ElementsAre(1, 16, 0, 17, 4096, 7)) << "a row may span one more quad";
    EXPECT_THAT(plan(262'144, {{"grid", "3x2"}}, gpu), ElementsAre(1, 16, 1, 6, 3 * 4096, 1))
        << "in three rounds";
    EXPECT_THAT(plan(262'144, {{"team", "subgroup"}}, gpu), ElementsAre(1, 16, 1, 16, 4096, 8));
    EXPECT_THAT(plan(32'768, {}, cpu), ElementsAre(1, 4, 1, 2, 4 * 1024, 3)) << "two threads";
    const Plan built_plan = plan_of(softmax(), values_of(262'144, 3), "several_workgroups", gpu);
    const auto words = std::ranges::find(built_plan.buffers, "words", &BufferSpec::name);
    ASSERT_NE(words, built_plan.buffers.end());
    EXPECT_EQ(words->elements(), 1 + 3 * (1 + 2 * 16))
        << "of three rows: a count, and two words for each part";
}

TEST(Softmax, RemarksDescribeTheTeamOfARowAndWhatItKeeps) {
    const auto remarks_for = [](std::uint64_t columns, const Settings& others = {}) {
        return remarks_on(prepare_case(softmax(), values_of(columns, 4, others), "one_pass", large_gpu()));
    };
    EXPECT_THAT(remarks_for(1024), Mentions(32, 1024));
    EXPECT_THAT(remarks_for(16'384), Mentions(8192, 16384));
    EXPECT_THAT(remarks_for(64, {{"team", "subgroup"}, {"workgroup", "24x1"}}), Mentions(24, 32));
    EXPECT_THAT(remarks_for(64, {{"grid", "2x1"}}), Mentions(1, 2));
    EXPECT_THAT(remarks_on(prepare_case(softmax(), values_of(262'144, 4, {{"team", "subgroup"}}),
                                        "several_workgroups", h200())),
                AllOf(HasSubstr("whole workgroups"), Mentions(16 * 256)));
}

TEST(Softmax, CautionsIfExponentialsOverflowF32) {
    const auto cautions = [](const std::string& variant, const std::string& offset) {
        return remarks_on(prepare_case(softmax(), values_of(64, 4, {{"offset", offset}}), variant),
                          {Severity::caution});
    };
    EXPECT_EQ(cautions("no_maximum", "0"), "");
    EXPECT_THAT(cautions("no_maximum", "100"), Mentions("infinity"));
    EXPECT_THAT(cautions("no_maximum", "-200"), HasSubstr("0 / 0"));
    EXPECT_EQ(cautions("one_pass", "100"), "");
}

TEST(Softmax, PlansFitTheDeviceLimits) {
    Limits llvmpipe = software_device();
    llvmpipe.binding_alignment = 16;
    for (const Limits& limits : {llvmpipe, large_gpu()})
        for (const Variant& variant : softmax().variants)
            for (const std::uint64_t columns : {1u, 37u, 1024u, 65'001u, 1u << 20})
                for (const std::uint64_t rows : {1u, 37u, 70'000u})
                    for (const char* workgroup : {"1x1", "7x1", "3x32", "256x1", "32x32"})
                        for (const char* grid : {"auto", "1x1", "2x3"}) {
                            if (columns * rows > 1u << 26) continue;
                            const bool is_slow = columns > 1u << 16 && std::string(workgroup) < "256x1" &&
                                                 std::string(workgroup) != "1x1";
                            if (is_slow || (columns > 65'001 && std::string(workgroup) == "1x1")) continue;
                            SCOPED_TRACE(fmt::format("{}, {} rows of {}, {} workgroups of {}", variant.id,
                                                     rows, columns, grid, workgroup));
                            const Values values =
                                values_of(columns, rows, {{"workgroup", workgroup}, {"grid", grid}});
                            const PreparedExperiment prepared =
                                prepare_case(softmax(), values, variant.id, limits);
                            ASSERT_NO_THROW(require_valid(prepared));
                            expect_sound(prepared);
                            const std::uint64_t results = prepared.plan.buffers.back().elements();
                            EXPECT_THAT(results, AnyOf(rows, columns * rows));
                            EXPECT_EQ(prepared.plan.min_bytes, 4 * (columns * rows + results));
                        }
}

TEST(Softmax, UserFileIsAMatrixOrARow) {
    Experiment matrix_experiment = default_experiment(softmax());
    matrix_experiment.input.numbers = array_of<double>({1, 2, 3, 4, 5, 6});
    matrix_experiment.input.width = 3;
    const PreparedExperiment matrix = prepare(matrix_experiment, software_device());
    EXPECT_EQ(matrix.lesson->domain_extent(matrix.values()), (Extent{3, 2}));
    const Input input = softmax().input_from_user(matrix.experiment.input, matrix.values());
    EXPECT_EQ(input.front().width, 3u);
    EXPECT_EQ(get(input, "x").number(4), 5);
    matrix_experiment.input.width = 0;
    const PreparedExperiment row = prepare(matrix_experiment, software_device());
    EXPECT_EQ(row.lesson->domain_extent(row.values()), (Extent{6, 1}));
}

/// Returns the lesson's refusal of a file with these numbers, three to a row.
std::string refusal_of(const std::vector<double>& numbers) {
    const UserData data{.numbers = array_of(numbers), .width = 3};
    return message_of<Refusal>([&] { softmax().input_from_user(data, values_of(3, numbers.size() / 3)); });
}

TEST(Softmax, RefusesUndefinedNumbersAndRowsWithTheirPlace) {
    for (const double mask : {-infinity, -1e9, -1e30, -3.4e38})
        EXPECT_EQ(refusal_of({1, mask, 3}), not_thrown) << mask;
    for (const double bad : {std::nan(""), infinity, 1e16, -1e39}) {
        EXPECT_THAT(refusal_of({1, 2, 3, 4, 5, bad}), Mentions("Row 2, column 3: ", "replace"));
    }
    EXPECT_THAT(refusal_of({1, 2, 3, -infinity, -infinity, -infinity}),
                Mentions("Row 2, columns 1 to 3: all numbers are -inf", "unmasked"));
}

TEST(Softmax, ReportsProbabilitiesAndNaNCount) {
    const auto facts_with = [](const char* output, const std::vector<float>& numbers) {
        return facts_of(softmax(), values_of(2, 2), {{output, array_of(numbers)}});
    };
    const std::vector<Fact> facts = facts_with("shares", {0.25, 0.75, 0.5, 0.5});
    EXPECT_EQ(number_of(facts, "largest"), 0.75);
    EXPECT_EQ(number_of(facts, "smallest"), 0.25);
    EXPECT_EQ(number_of(facts, "first_sum"), 1);
    EXPECT_EQ(number_of(facts, "not_numbers"), 0);
    const std::vector<float> broken = {NAN, NAN, 0, 1};
    EXPECT_EQ(number_of(facts_with("shares", broken), "not_numbers"), 2);
    EXPECT_THROW(number_of(facts_with("norms", broken), "first_sum"), std::out_of_range);
}

TEST(Softmax, OnlyNoMaximumIsWrongAndOnlySharesHaveABaseline) {
    for (const Variant& variant : softmax().variants) {
        EXPECT_EQ(variant.wrong_on_purpose, variant.id == "no_maximum") << variant.id;
        const Plan plan = plan_of(softmax(), values_of(4, 2), variant.id);
        EXPECT_EQ(variant.has_baseline, plan.main_output == "shares") << variant.id;
    }
}

TEST(Softmax, BaselinesAreCloseToTheReference) {
    constexpr std::size_t columns = 1000, rows = 40;  // several parts
    const Values values = values_of(columns, rows, {{"spread", "8"}, {"offset", "-300"}});
    const Input input = softmax().input(values);
    const PreparedExperiment prepared = prepare_case(softmax(), values, "one_pass");
    const std::vector<Expected> expected = prepared.task.reference(input, prepared);
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row)
        sum += expected.front().reference->number(row * columns);
    const auto [one_thread, all_threads] = baselines_of(softmax(), input, values);
    EXPECT_NEAR(one_thread, sum, 1e-5 * sum);
    EXPECT_NEAR(all_threads, sum, 1e-5 * sum);
}

TEST(SoftmaxPictures, OnlinePictureEndsWithTheRowsMaximumAndSum) {
    const PreparedExperiment prepared = prepare_case(softmax(), values_of(4, 1), "two_passes");
    Report report = finished_run(softmax(), prepared.values(), "two_passes");
    report.input = {{"x", array_of<float>({0, 1, -1, 3})}};
    report.outputs = {{"shares", array_of<float>({0.25, 0.25, 0.25, 0.25})}};
    const auto figure = content_of<Figure>(make_plots({prepared, &report}), "online");
    EXPECT_THAT(figure.series.at(1).y, ElementsAre(0, 1, 1, 3));
    const double sum = std::exp(-3.0) + std::exp(-2.0) + std::exp(-4.0) + 1;
    EXPECT_NEAR(figure.series.at(2).y.back(), sum, 1e-12);
    EXPECT_NEAR(figure.series.at(2).y.at(1), 1 + std::exp(-1.0), 1e-12);
}

TEST(SoftmaxPictures, CountsNaNAndDrawsNoBarForIt) {
    const PreparedExperiment prepared = prepare_case(softmax(), values_of(4, 1), "no_maximum");
    Report report = finished_run(softmax(), prepared.values(), "no_maximum");
    report.input = {{"x", array_of<float>({100, 100, -100, 3})}};
    report.outputs = {{"shares", array_of<float>({NAN, NAN, 0, 0})}};
    const std::vector<Plot> plots = make_plots({prepared, &report});
    EXPECT_THAT(plot_of(plots, "row")->note, Mentions(2));
    EXPECT_EQ(plot_of(plots, "curve"), nullptr) << "the logarithmic axis cannot show 0";
}

TEST(SoftmaxPictures, LoadedBytesFollowFromTheKeptPart) {
    const auto bytes_loaded = [](std::uint64_t columns) {
        const PreparedExperiment prepared =
            prepare_case(softmax(), values_of(columns, 4), "one_pass", large_gpu());
        return content_of<Figure>(make_plots({prepared}), "bytes").series.at(0).y;
    };
    EXPECT_THAT(bytes_loaded(1024), ElementsAre(12, 8, 4, 4));
    EXPECT_THAT(bytes_loaded(16'384), ElementsAre(12, 8, 6, 4)) << "one workgroup keeps half";
}

TEST(LoadCounts, CountEachElementOfTheFirstRows) {
    trace::test::TraceBuilder builder({8}, {1}, 8);
    const std::uint32_t load =
        builder.add(trace::test::vector(trace::test::bound(trace::SiteKind::load, 7), 4));
    // Eight lanes load eight quads; the first two quads are loaded twice.
    for (std::uint32_t lane = 0; lane < 8; ++lane)
        builder.at(0, lane, load, lane * 16, {1, 1, 1, 1});
    for (std::uint32_t lane = 0; lane < 2; ++lane)
        builder.at(0, lane, load, lane * 16, {1, 1, 1, 1});
    const trace::Trace trace = builder.build();
    const Cells cells = draw_row_load_counts(trace, trace::decode_records(trace), {"numbers", 16}).cells;
    ASSERT_EQ(cells.rows.size(), 8u) << "the first rows";
    EXPECT_THAT(cells.rows[0].note, Mentions("1.5", "average"));
    EXPECT_EQ(cells.rows[1].note, "read once");
    EXPECT_EQ(cells.rows[2].note, "read 0 times");
    EXPECT_EQ(join(cells.rows[0].cell_texts, ""), "2222222211111111");
}

}  // namespace gridstride::softmax_test
