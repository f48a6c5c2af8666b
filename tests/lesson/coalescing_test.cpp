// Tests the lesson on coalescing without a GPU: the reference of each order of reading, which invocation
// reads which rows, and the picture of sectors.

#include "lesson/analyzed_trace.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"
#include "trace/trace_builder.h"

namespace gridstride::coalescing_test {

using namespace test;

const Lesson& coalescing() {
    return *find_lesson("coalescing");
}

Values values_of(std::uint64_t elements,
                 std::initializer_list<std::pair<const char*, std::uint64_t>> others = {}) {
    Values values(coalescing().parameters);
    values.set("elements", elements);
    for (const auto& [name, value] : others)
        values.set(name, value);
    return values;
}

/// Returns the reference output for these numbers.
template <class T>
std::vector<T> right(const std::string& variant, const std::vector<float>& numbers,
                     std::initializer_list<std::pair<const char*, std::uint64_t>> others) {
    const PreparedExperiment prepared =
        prepare_case(coalescing(), values_of(numbers.size(), others), variant);
    require_valid(prepared);
    const std::vector<Expected> all = prepared.task.reference({{"x", array_of(numbers)}}, prepared);
    const std::span<const T> found = all.front().reference->as<T>();
    return {found.begin(), found.end()};
}

TEST(Coalescing, ComputesNormsOfRowsIncludingAShorterLastRow) {
    for (const char* variant : {"row_per_invocation", "row_per_workgroup", "row_per_subgroup"}) {
        EXPECT_THAT(right<double>(variant, {3, 4, 0, 12, -5}, {{"row_length", 2}}), ElementsAre(5, 12, 5));
        EXPECT_THAT(right<double>(variant, {2, 3, 6}, {{"row_length", 256}}), ElementsAre(7));
        EXPECT_THAT(right<double>(variant, {2, -3}, {{"row_length", 1}}), ElementsAre(2, 3));
    }
}

TEST(Coalescing, StridedVariantReadsEachStrideFromTheOffset) {
    const std::vector<float> numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_THAT(right<float>("strided", numbers, {{"stride", 3}, {"offset", 1}}), ElementsAre(1, 4, 7));
    EXPECT_THAT(right<float>("strided", numbers, {{"stride", 4}, {"offset", 0}}), ElementsAre(0, 4));
    EXPECT_THAT(right<float>("strided", numbers, {{"stride", 100}, {"offset", 7}}), ElementsAre(7));
    EXPECT_THAT(right<float>("strided", {9}, {{"stride", 2}}), ElementsAre(9));
    EXPECT_FALSE(prepare_case(coalescing(), values_of(8, {{"offset", 8}}), "strided").is_valid());
    EXPECT_TRUE(prepare_case(coalescing(), values_of(8, {{"offset", 8}}), "gather").is_valid());
}

TEST(Coalescing, GatherReadsTheHashedIndices) {
    std::vector<float> numbers(1000);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(i);
    // pcg(0), pcg(1) and pcg(2) by the paper's formula: 129708002, 2831084092 and 2055130248.
    const std::vector<float> all = right<float>("gather", numbers, {});
    EXPECT_THAT(std::vector(all.begin(), all.begin() + 3), ElementsAre(2, 92, 248));
    const std::vector<float> near = right<float>("gather", numbers, {{"reach", 16}});
    EXPECT_THAT(std::vector(near.begin(), near.begin() + 3), ElementsAre(2, 12, 8));
    EXPECT_THAT(near, Each(testing::Lt(16.0F)));
}

TEST(Coalescing, StructsAndArraysGiveTheSameDistances) {
    const float quarter_turn = 0.5F + std::acos(0.0F);
    const std::vector<float> structs = {0.5, 0.5, 8, 9, 1, 0.5, 8, 9, 0.5, quarter_turn, 8, 9, 0, 3, 8, 9};
    const std::vector<float> arrays = {0.5, 1, 0.5, 0, 0.5, 0.5, quarter_turn, 3, 8, 8, 8, 8, 9, 9, 9, 9};
    for (const auto& found : {right<double>("structs", structs, {}), right<double>("arrays", arrays, {})}) {
        ASSERT_EQ(found.size(), 4u);
        EXPECT_NEAR(found[0], 0, 1e-12);
        EXPECT_NEAR(found[1], 0.5, 1e-12);
        EXPECT_NEAR(found[2], std::sqrt(0.5), 1e-7);
        EXPECT_NEAR(found[3], 0.5, 1e-12);
    }
    EXPECT_EQ(right<double>("structs", {1}, {}).size(), 1u) << "missing components are 0";
}

TEST(Coalescing, DistanceToleranceFollowsTheCosineError) {
    const PreparedExperiment prepared = prepare_case(coalescing(), values_of(8), "structs");
    const auto all =
        prepared.task.reference({{"x", array_of<float>({0.5, 0.5, 0, 0, 0.5, 1.5, 0, 0})}}, prepared);
    const auto allowed = all.front().scale->as<double>();
    // The cosine is weighted with the radius 0.5. At the mast the distance is 0, and its error is the root of
    // the squared distance's error; elsewhere the slope of the root counts.
    EXPECT_NEAR(allowed[0], std::sqrt(0.5 * 0x1p-11), 1e-3);
    EXPECT_NEAR(allowed[1], 0.5 * 0x1p-11 / (2 * std::sqrt(0.5 - 0.5 * std::cos(1.0))), 1e-4);
}

TEST(Coalescing, SumsColumns) {
    EXPECT_THAT(right<double>("column_totals", {1, 2, 3, 4, 5}, {{"row_length", 2}}), ElementsAre(9, 6));
    EXPECT_THAT(right<double>("column_totals", {1, 2}, {{"row_length", 4}}), ElementsAre(1, 2, 0, 0));
}

TEST(Coalescing, PlansFitTheDeviceLimits) {
    Limits llvmpipe = software_device();
    llvmpipe.binding_alignment = 16;
    for (const std::uint64_t row_length : {1u, 37u, 256u, 65'000u})
        for_each_launch(coalescing(), {llvmpipe, large_gpu()},
                        {{1, 33, 1000, 100'003, 1 << 24}, {1, 7, 96, 256, 1024}, {0, 1, 3}},
                        [&](const std::string& variant, const Limits& limits, const Launch& launch) {
                            Values values = values_with(coalescing(), launch);
                            values.set("row_length", row_length);
                            const PreparedExperiment prepared =
                                prepare_case(coalescing(), values, variant, limits);
                            ASSERT_NO_THROW(require_valid(prepared));
                            const Dispatch& main = prepared.plan.main();
                            EXPECT_EQ(slice(main, prepared.plan.buffers, limits).refusal, "");
                            EXPECT_LE(main.shared_bytes, limits.max_shared_bytes);
                            if (launch.grid > 0) {
                                EXPECT_EQ(main.grid, Extent{launch.grid});
                            }
                            if (variant.starts_with("row")) {
                                EXPECT_EQ(main.tile.x % row_length, 0u) << "slices begin at row boundaries";
                            }
                        });
}

TEST(Coalescing, AssignsFewLongRowsToWholeWorkgroups) {
    const auto rows_at_once = [](std::uint64_t rows, std::uint64_t row_length, const Limits& limits) {
        const Plan plan = plan_of(coalescing(), values_of(rows * row_length, {{"row_length", row_length}}),
                                  "row_per_subgroup", limits);
        EXPECT_EQ(plan.main().tile.x, plan.main().constants.at(0) * row_length);
        return plan.main().constants.at(0);
    };
    EXPECT_EQ(rows_at_once(1 << 20, 256, large_gpu()), 8u) << "one for each subgroup of 32";
    EXPECT_EQ(rows_at_once(4096, 256, large_gpu()), 8u) << "few, but too short for 256 invocations";
    EXPECT_EQ(rows_at_once(256, 1 << 20, large_gpu()), 1u);
    EXPECT_EQ(rows_at_once(1 << 14, 1 << 14, large_gpu()), 8u) << "long, but there are enough";
    EXPECT_EQ(rows_at_once(4096, 256, software_device()), 32u) << "one for each subgroup of 8";
}

TEST(Coalescing, OnlyNormsHaveABaseline) {
    for (const Variant& variant : coalescing().variants)
        EXPECT_EQ(variant.has_baseline, variant.id.starts_with("row")) << variant.id;
}

std::shared_ptr<AnalyzedTrace> analyzed(const trace::test::TraceBuilder& builder) {
    auto analyzed_trace = std::make_shared<AnalyzedTrace>();
    auto report = std::make_shared<Report>();
    report->trace = builder.build();
    analyzed_trace->records = trace::decode_records(*report->trace);
    analyzed_trace->report = std::move(report);
    return analyzed_trace;
}

/// Makes a trace of one load by `lanes` lanes whose addresses are `bytes_apart` bytes apart.
std::shared_ptr<AnalyzedTrace> load_of(std::uint32_t lanes, std::uint64_t bytes_apart,
                                       std::uint32_t components = 1) {
    trace::test::TraceBuilder builder({lanes}, {1}, lanes);
    const std::uint32_t load =
        builder.add(trace::test::vector(trace::test::bound(trace::SiteKind::load, 7), components));
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        builder.at(0, lane, load, lane * bytes_apart, std::vector<std::uint32_t>(components, 1U));
    return analyzed(builder);
}

/// Makes a trace of one lane that loads once on each of these lines.
std::shared_ptr<AnalyzedTrace> loads_on(const std::vector<std::uint32_t>& lines) {
    trace::test::TraceBuilder builder({1}, {1}, 1);
    for (const std::uint32_t line : lines)
        builder.at(0, 0, builder.add(trace::test::bound(trace::SiteKind::load, line)), 0, {1U});
    return analyzed(builder);
}

Cells ruler_of(const std::shared_ptr<AnalyzedTrace>& traced) {
    const PreparedExperiment prepared = prepare_case(coalescing(), values_of(4096), "row_per_invocation");
    const std::vector<Plot> plots = make_plots({prepared, nullptr, {}, traced.get()});
    const Plot& ruler = *plot_of(plots, "ruler");
    EXPECT_EQ(ruler.origin, Origin::traced);
    EXPECT_THAT(ruler.note, HasSubstr("(modelled)"));
    return std::get<Cells>(ruler.content);
}

std::size_t count_of(const Cells& cells, const std::string& kind) {
    std::size_t count = 0;
    for (const Cells::Row& row : cells.rows)
        count += static_cast<std::size_t>(std::ranges::count_if(
            row.kinds, [&](std::uint8_t place) { return cells.kinds[place].label == kind; }));
    return count;
}

TEST(SectorRuler, DistantLanesFetchOneSectorEach) {
    const Cells cells = ruler_of(load_of(32, 1024));
    ASSERT_EQ(cells.rows.size(), 2u) << "sixteen sectors a row";
    EXPECT_EQ(cells.rows[0].note, "32 sectors, 12.5\u00a0% used");
    EXPECT_EQ(count_of(cells, "used by a lane"), 32u);
    EXPECT_EQ(count_of(cells, "fetched, but not used"), 7 * 32u);
    EXPECT_EQ(cells.rows[0].hover_texts[9], "bytes 1\u2009024 to 1\u2009027: lane 1")
        << "after eight cells and a gap";
}

TEST(SectorRuler, AdjacentLanesShareSectors) {
    const Cells cells = ruler_of(load_of(32, 4));
    ASSERT_EQ(cells.rows.size(), 1u);
    EXPECT_EQ(cells.rows[0].note, "4 sectors, 100\u00a0% used");
    EXPECT_EQ(count_of(cells, "used by a lane"), 32u);
    EXPECT_EQ(count_of(cells, "fetched, but not used"), 0u);
    EXPECT_EQ(count_of(cells, "not fetched"), 12 * 8u) << "the row continues after them";
}

TEST(SectorRuler, SixteenBytesPerLaneFillSixteenSectors) {
    const Cells cells = ruler_of(load_of(32, 16, 4));
    EXPECT_EQ(cells.rows.at(0).note, "16 sectors, 100\u00a0% used");
    EXPECT_EQ(count_of(cells, "used by a lane"), 128u);
}

TEST(SectorRuler, NumbersTheLoadsOfALine) {
    const auto labels = [](const std::vector<std::uint32_t>& lines) {
        std::vector<std::string> all;
        for (const Cells::Row& row : ruler_of(loads_on(lines)).rows)
            all.push_back(row.label);
        return all;
    };
    EXPECT_THAT(labels({7, 7}), ElementsAre("load 1", "load 2"));
    EXPECT_THAT(labels({9, 7, 9}), ElementsAre("line 7, load 1", "line 9, load 1", "line 9, load 2"));
}

TEST(SectorRuler, PictureNeedsNoRun) {
    const PreparedExperiment prepared = prepare_case(coalescing(), values_of(4096), "row_per_invocation");
    const std::vector<Plot> plots = make_plots({prepared});
    EXPECT_EQ(plot_of(plots, "sectors")->origin, Origin::modelled);
    // The lanes load from bytes 0, 12, 24 … 84: three sectors of eight words.
    EXPECT_EQ(content_of<Cells>(plots, "sectors").rows.at(0).note, "3 sectors, 33.3\u00a0% used");
}

TEST(StridePicture, ShowsTheLatestRunOfEachStride) {
    std::vector<Report> runs;
    const auto ran = [&](std::uint64_t stride, double kernel_ns, std::uint64_t results) {
        Report run = finished_run(coalescing(), values_of(4096, {{"stride", stride}}), "strided");
        run.timings.kernel.samples = {kernel_ns};
        run.result = {{"results", "Results", results}};
        runs.push_back(std::move(run));
    };
    ran(1, 4096, 4096);
    ran(8, 9999, 512);
    ran(8, 1024, 512);
    const PreparedExperiment prepared =
        prepare_case(coalescing(), values_of(4096, {{"stride", 8}}), "strided");
    const std::vector<const Report*> history = history_of(runs);
    const Series line =
        content_of<Figure>(make_plots({prepared, nullptr, history}), "per_stride").series.at(0);
    EXPECT_THAT(line.x, ElementsAre(1, 8));
    EXPECT_THAT(line.y, ElementsAre(1, 2)) << "nanoseconds for each number";
}

}  // namespace gridstride::coalescing_test
