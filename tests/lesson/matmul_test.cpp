// Tests the lesson on the matrix product without a GPU: its reference, its tolerance, and its launches.

#include "lesson/lesson_case.h"

namespace gridstride::matmul_test {

using namespace test;

const Lesson& matmul() {
    return *find_lesson("matmul");
}

Values values_of(std::uint64_t m, std::uint64_t n, std::uint64_t k, const Settings& others = {}) {
    Values values = values_with(matmul(), others);
    values.set("m", m);
    values.set("n", n);
    values.set("k", k);
    return values;
}

Expected right(const Values& values, const std::vector<float>& a, const std::vector<float>& b,
               const char* variant = "naive") {
    const PreparedExperiment prepared = prepare_case(matmul(), values, variant);
    require_valid(prepared);
    return prepared.task.reference({{"a", array_of(a)}, {"b", array_of(b)}}, prepared).front();
}
/// Returns the product, row by row.
std::vector<double> product(const Values& values, const std::vector<float>& a, const std::vector<float>& b,
                            const char* variant = "naive") {
    return sample_numbers(*right(values, a, b, variant).reference);
}

TEST(Matmul, MatchesAProductComputedByHand) {
    // 1 2 3     7  8
    // 4 5 6  x  9 10  =   58  64
    //          11 12     139 154
    const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {7, 8, 9, 10, 11, 12};
    EXPECT_THAT(product(values_of(2, 2, 3), a, b), ElementsAre(58, 64, 139, 154));
}

TEST(Matmul, ReadsTransposedFactors) {
    const std::vector<float> a = {1, 4, 2, 5, 3, 6}, b = {7, 9, 11, 8, 10, 12};
    EXPECT_THAT(product(values_of(2, 2, 3, {{"transposed", "both"}}), a, b), ElementsAre(58, 64, 139, 154));
    EXPECT_THAT(product(values_of(2, 2, 3, {{"transposed", "a"}}), a, {7, 8, 9, 10, 11, 12}),
                ElementsAre(58, 64, 139, 154));
}

TEST(Matmul, DistancesAreSumsOfSquaredDifferences) {
    EXPECT_THAT(product(values_of(2, 2, 2), {1, 2, 4, 6}, {1, 0, 0, 2}, "distances"),
                ElementsAre(0 + 4, 1 + 0, 9 + 36, 16 + 16));
}

double allowed_error(const Expected& one, std::size_t i) {
    return one.scale ? one.tolerance.relative * one.scale->number(i) : one.tolerance.relative;
}

TEST(Matmul, SumsOfSixteenthsAreExactAndOthersHaveABound) {
    EXPECT_EQ(allowed_error(right(values_of(1, 1, 2), {0.5, -0.9375}, {1, 0.0625}), 0), 0);
    EXPECT_GT(allowed_error(right(values_of(1, 1, 2), {0.5, 0.3F}, {1, 1}), 0), 2 * 0x1p-24 * 0.8);
    EXPECT_GT(allowed_error(right(values_of(1, 1, 2), {300, 0}, {300, 0}), 0), 0)
        << "these sums do not fit 24 bits";
    const double magnitude = std::hypot(3, 4.1) * 2;  // length of the row times that of the column
    EXPECT_NEAR(allowed_error(right(values_of(1, 2, 2), {3, 4.1F}, {1, 0, 0, 2}), 1) / magnitude, 2 * 0x1p-24,
                0x1p-40)
        << "a product and an addition are rounded";
}

TEST(Matmul, InputConsistsOfSixteenths) {
    const Input input = matmul().input(values_of(20, 30, 40));
    ASSERT_EQ(get(input, "a").count(), 800u);
    ASSERT_EQ(get(input, "b").count(), 1200u);
    for (const float number : get(input, "b").as<float>()) {
        EXPECT_EQ(number * 16, std::round(number * 16));
        EXPECT_LT(std::abs(number), 1);
    }
    EXPECT_NE(get(input, "a").as<float>()[0], get(input, "b").as<float>()[0]);
    const Input turned = matmul().input(values_of(20, 30, 40, {{"transposed", "a"}}));
    EXPECT_EQ(turned.front().width, 20u);
    EXPECT_EQ(input.front().width, 40u);
}

TEST(Matmul, LargeProductsAreComparedByRows) {
    EXPECT_FALSE(right(values_of(2, 2, 3), {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}).row_check);
    const Values values = values_of(1000, 500, 600);
    const PreparedExperiment prepared = prepare_case(matmul(), values, "prefetch");
    const Input input = matmul().input(values);
    const Expected expected = prepared.task.reference(input, prepared).front();
    ASSERT_TRUE(expected.row_check);
    EXPECT_EQ(expected.tolerance.relative, 0);
    EXPECT_THAT(expected.note, Mentions(1000));
    EXPECT_EQ(expected.row_check->sampled.front(), 0u);
    EXPECT_EQ(expected.row_check->sampled.back(), 999u);
    // The row check multiplies each row's numbers by the vector.
    const auto vector = expected.row_check->vector->as<double>();
    ASSERT_EQ(vector.size(), 500u);
    for (const std::uint64_t row : {0u, 421u, 999u}) {
        const Expected one = expected.row_check->row(row);
        double product = 0, first = 0;
        for (std::size_t column = 0; column < vector.size(); ++column)
            product += vector[column] * one.reference->as<double>()[column];
        for (std::size_t p = 0; p < 600; ++p)
            first +=
                double{get(input, "a").as<float>()[row * 600 + p]} * get(input, "b").as<float>()[p * 500];
        EXPECT_EQ(expected.reference->as<double>()[row], product);
        EXPECT_EQ(one.reference->as<double>()[0], first);
    }
    EXPECT_GE(*std::ranges::max_element(vector), 60'000) << "a number of the vector is one of 65 536";
    EXPECT_GE(*std::ranges::min_element(vector), 1) << "each column has a nonzero weight";
}

TEST(Matmul, PlansFitTheDeviceLimits) {
    for (const Limits& limits : {software_device(), large_gpu()})
        for (const Variant& variant : matmul().variants)
            for (const char* workgroup : {"1x1", "7x1", "8x4", "3x32", "16x16", "32x32"})
                for (const auto& [m, n, k] :
                     {std::tuple{1u, 1u, 1u}, {33u, 70u, 5u}, {1000u, 300u, 1031u}, {4096u, 4096u, 256u}})
                    for (const char* grid : {"auto", "1x1", "3x2"}) {
                        SCOPED_TRACE(
                            fmt::format("{} {} x {} x {} by {}, {}", variant.id, m, n, k, workgroup, grid));
                        const PreparedExperiment prepared = prepare_case(
                            matmul(), values_of(m, n, k, {{"workgroup", workgroup}, {"grid", grid}}),
                            variant.id, limits);
                        const Dispatch& main = prepared.plan.main();
                        if (!prepared.is_valid()) {
                            EXPECT_FALSE(slice(main, prepared.plan.buffers, limits).refusal.empty() &&
                                         main.shared_bytes <= limits.max_shared_bytes);
                            continue;
                        }
                        EXPECT_EQ(main.elements(), std::uint64_t{m} * n);
                        EXPECT_LE(main.shared_bytes, limits.max_shared_bytes);
                        if (variant.id == "naive") {
                            EXPECT_EQ(main.domain, (Extent{m, n})) << "x runs over the rows";
                        }
                    }
}

TEST(Matmul, AutoResultsPerInvocationKeepTheDeviceBusy) {
    const auto tile = [](std::uint64_t side, const char* workgroup, const Limits& limits) {
        return plan_of(matmul(), values_of(side, side, side, {{"workgroup", workgroup}}), "prefetch", limits)
            .main()
            .tile;
    };
    EXPECT_EQ(tile(4096, "16x16", large_gpu()), (Extent{128, 128}));
    EXPECT_EQ(tile(4096, "32x32", large_gpu()), (Extent{128, 128}))
        << "1024 invocations have registers for 4 x 4 each";
    EXPECT_EQ(tile(1024, "16x16", large_gpu()), (Extent{64, 128}))
        << "64 tiles of 128 x 128 would leave most multiprocessors idle";
    EXPECT_EQ(tile(256, "16x16", software_device()), (Extent{64, 64}));
    EXPECT_EQ(
        plan_of(matmul(), values_of(64, 64, 64, {{"results", "8x12"}}), "vec4", large_gpu()).main().tile,
        (Extent{128, 192}));
}

TEST(Matmul, PlanReportsAutoValues) {
    const auto chosen = [](const char* variant, const Limits& limits) {
        return plan_of(matmul(), values_of(4096, 4096, 64), variant, limits).auto_values;
    };
    EXPECT_THAT(chosen("prefetch", large_gpu()),
                ElementsAre(testing::Pair("results", "8x8"), testing::Pair("depth", "16")));
    EXPECT_THAT(chosen("tiled", large_gpu()),
                ElementsAre(testing::Pair("results", "1x1"), testing::Pair("depth", "16")));
}

TEST(Matmul, ArrangesSubgroupLanesInARectangleIfItFits) {
    const auto lanes = [](const char* workgroup, const char* variant, const Limits& limits) {
        const std::vector<std::uint32_t> constants =
            plan_of(matmul(), values_of(64, 64, 64, {{"workgroup", workgroup}}), variant, limits)
                .main()
                .constants;
        return Extent{constants.at(3), constants.at(4)};
    };
    EXPECT_EQ(lanes("16x16", "warp_tile", large_gpu()), (Extent{8, 4}));
    EXPECT_EQ(lanes("16x8", "prefetch", large_gpu()), (Extent{8, 4}));
    EXPECT_EQ(lanes("16x16", "prefetch", software_device()), (Extent{4, 2}));
    EXPECT_EQ(lanes("16x16", "vec4", large_gpu()), (Extent{16, 16})) << "the order of the workgroup";
    EXPECT_EQ(lanes("7x1", "warp_tile", large_gpu()), (Extent{7, 1})) << "no rectangle of 8 x 4 fits";
}

TEST(Matmul, RefusesUnsupportedTilesAndNotesUnusedParameters) {
    const auto refused = [](const Settings& values, const char* variant) {
        return remarks_on(prepare_case(matmul(), values_of(64, 64, 64, values), variant),
                          {Severity::refusal});
    };
    EXPECT_EQ(refused({}, "prefetch"), "");
    EXPECT_THAT(refused({{"results", "3x4"}}, "prefetch"), Mentions(4, 4, "3x4"));
    EXPECT_EQ(refused({{"results", "3x4"}}, "register_tile"), "");
    EXPECT_THAT(refused({{"depth", "6"}}, "vec4"), Mentions(4, 6));
    EXPECT_EQ(refused({{"depth", "6"}}, "tiled"), "");
    EXPECT_THAT(refused({{"results", "16x16"}, {"workgroup", "32x32"}}, "prefetch"),
                HasSubstr("workgroup memory"));

    const PreparedExperiment idle =
        prepare_case(matmul(), values_of(64, 64, 64, {{"results", "2x2"}, {"depth", "6"}}), "coalesced");
    EXPECT_THAT(remarks_on(idle, {Severity::note, "results"}), HasSubstr("computes one result"));
    EXPECT_THAT(remarks_on(idle, {Severity::note, "depth"}), HasSubstr("no tiles"));
}

TEST(Matmul, UserMatrixMustMatchTheTransposition) {
    for (const auto& [transposed, is_valid] :
         {std::pair{"none", true}, {"b", true}, {"a", false}, {"both", false}}) {
        const UserData six{.numbers = array_of<float>({1, 2, 3, 4, 5, 6}), .width = 3};
        const Experiment prepared{"matmul", "tiled", values_of(1, 5, 1, {{"transposed", transposed}}), six,
                                  std::nullopt};
        EXPECT_EQ(prepare(matmul(), prepared, software_device()).is_valid(), is_valid) << transposed;
    }
}

TEST(Matmul, BaselinesMatchTheReference) {
    const Values values = values_of(37, 29, 41, {{"transposed", "b"}});
    const Input input = matmul().input(values);
    const PreparedExperiment prepared = prepare_case(matmul(), values, "naive");
    const std::vector<double> c = sample_numbers(*prepared.task.reference(input, prepared).front().reference);
    // The numbers are multiples of 1/256, so small that their sums are exact.
    const double sum = std::accumulate(c.begin(), c.end(), 0.0);
    EXPECT_THAT(baselines_of(matmul(), input, values), Each(sum));
}

}  // namespace gridstride::matmul_test
