// Plots of measurements, from made-up reports and devices: their contents, and that they can be drawn.
#include "launch/h200.h"
#include "lesson/metrics.h"
#include "present/figures.h"
#include "test_includes.h"
#include "ui/limits/rates.h"
#include "ui/panels/panels.h"
#include "ui/plot/draw_plot.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::measurement_figures_test {

using test::h200;

Report make_report(const std::string& variant, double kernel_ns) {
    Report report;
    report.experiment.lesson = "reduction";
    report.experiment.variant = variant;
    report.status = Status::ok;
    report.experiment.values = Values(find_lesson("reduction")->parameters);
    report.device = h200();
    report.bytes_moved = 4'000'000;
    report.uploaded_bytes = 4'000'000;
    report.downloaded_bytes = 4;
    report.operations = 1'000'000;
    report.timings.kernel.samples = {kernel_ns};
    report.timings.kernel_repeats = 50;
    report.timings.kernel_in_wall.samples = {30'000};
    report.timings.upload.samples = {400'000};
    report.timings.download.samples = {2'000};
    report.timings.host.samples = {5'000};
    report.timings.wall.samples = {500'000};
    report.ceilings = Ceilings{.copy_bytes_per_second = 4e12,
                               .staged_upload_bytes_per_second = 2e10,
                               .staged_download_bytes_per_second = 2e10,
                               .pageable_upload_bytes_per_second = 5e9,
                               .pageable_download_bytes_per_second = 5e9,
                               .empty_dispatch_ns = 1500,
                               .empty_submit_ns = 20000,
                               .operations_per_second = 6e13};
    report.cache = {4'000'016, 128 << 20, 1, false};
    return report;
}

double sum_bars(const Plot& plot) {
    double sum = 0;
    for (const Series& series : std::get<Figure>(plot.content).series)
        sum += series.y.front();
    return sum;
}

TEST(TimeBreakdown, PartsAddUpForABatchedKernel) {
    const Report report = make_report("grid_stride", 8'000);
    const Plot plot = time_breakdown_plot(report);
    const std::vector<Series>& parts = std::get<Figure>(plot.content).series;
    EXPECT_EQ(parts[1].label, "kernel");
    EXPECT_DOUBLE_EQ(parts[1].y.front(), 30'000) << "the time within the run, not in the batch";
    EXPECT_EQ(parts[4].label, "submit and wait");
    EXPECT_DOUBLE_EQ(parts[4].y.front(), 63'000);
    EXPECT_DOUBLE_EQ(sum_bars(plot), 500'000);
    EXPECT_THAT(plot.note, HasSubstrs("30\u00a0µs", "8\u00a0µs"));
    EXPECT_DOUBLE_EQ(*metric(report, "rest_ns"), 63'000);
}

TEST(TimeBreakdown, NoteMentionsOnlyBatchedKernels) {
    Report report = make_report("grid_stride", 30'000);
    report.timings.kernel = report.timings.kernel_in_wall;
    EXPECT_THAT(time_breakdown_plot(report).note, Not(HasSubstr("over and over")));
    report.timings.kernel_repeats = 1;
    report.timings.kernel.samples = {8'000};
    EXPECT_THAT(time_breakdown_plot(report).note, HasSubstr("over and over"))
        << "in a batch, even with one repetition per sample";
}

TEST(Roofline, PlacesRunsByIntensityAndMeasuredRate) {
    const HistoryEntry slow{1, make_report("tree_interleaved", 8'000)},
        fast{2, make_report("grid_stride", 2'000)}, newer{3, make_report("grid_stride", 1'000)};
    HistoryEntry other{4, make_report("grid_stride", 10)};
    other.report.experiment.lesson = "gaussian";
    const std::vector<const HistoryEntry*> history = {&slow, &fast, &newer, &other};
    const auto plot = roofline_plot(*find_lesson("reduction"), history);
    ASSERT_TRUE(plot);
    const Figure& figure = std::get<Figure>(plot->content);
    ASSERT_EQ(figure.series.size(), 3u);
    const Series& roof = figure.series[0];
    // The ridge: 6e13 operations over 4e12 bytes.
    ASSERT_EQ(roof.x.size(), 3u);
    EXPECT_DOUBLE_EQ(roof.x[1], 15);
    EXPECT_DOUBLE_EQ(roof.y[1], 60'000);
    EXPECT_DOUBLE_EQ(roof.y[2], 60'000);
    EXPECT_DOUBLE_EQ(roof.y[0], roof.x[0] * 4000);
    EXPECT_EQ(figure.series[1].label, "tree_interleaved");
    EXPECT_THAT(figure.series[2].x, ElementsAre(0.25));
    EXPECT_THAT(figure.series[2].y, ElementsAre(1000)) << "the latest run, in Gop/s";
    EXPECT_THAT(plot->note, HasSubstr("may lie above"));
}

TEST(Roofline, NeedsCeilingsAndOperations) {
    HistoryEntry run{1, make_report("grid_stride", 1'000)};
    const std::vector<const HistoryEntry*> history = {&run};
    run.report.ceilings.reset();
    EXPECT_FALSE(roofline_plot(*find_lesson("reduction"), history));
    run.report = make_report("grid_stride", 1'000);
    run.report.operations = 0;
    EXPECT_FALSE(roofline_plot(*find_lesson("reduction"), history));
    EXPECT_FALSE(roofline_plot(*find_lesson("reduction"), {}));
}

PreparedExperiment prepare_reduction(std::uint64_t workgroup_size, const Limits& device = h200()) {
    Experiment experiment = default_experiment(*find_lesson("reduction"));
    experiment.variant = "grid_stride";
    experiment.values.set("elements", std::uint64_t{1} << 20);
    experiment.values.set("workgroup_size", workgroup_size);
    return prepare(experiment, device);
}

TEST(TimePerVariant, ComparesOnlyRunsOfTheSameExperiment) {
    const PreparedExperiment prepared = prepare_reduction(256);
    std::vector<HistoryEntry> entries;
    const auto add_run = [&](const std::string& variant, const auto& change) {
        Report report = make_report(variant, 1'000);
        report.experiment = prepared.experiment;
        report.experiment.variant = variant;
        change(report.experiment);
        report.drop_arrays();
        entries.push_back({entries.size() + 1, std::move(report)});
    };
    const auto bars = [&] {
        std::vector<const HistoryEntry*> runs;
        for (const HistoryEntry& entry : entries)
            runs.push_back(&entry);
        const auto plot = time_per_variant_plot(prepared, runs);
        return plot ? std::get<Figure>(plot->content).series.front().y.size() : 0;
    };
    add_run("subgroup", [](Experiment& other) { other.values.set("seed", std::uint64_t{2}); });
    add_run("subgroup", [](Experiment& other) { other.input.checksum = "0123abcd"; });
    add_run("subgroup", [](Experiment& other) {
        other.kernel = KernelSource{"void main() {}", "mine.comp", ""};
    });
    EXPECT_EQ(bars(), 0u);
    add_run("subgroup", [](const Experiment&) {});
    EXPECT_EQ(bars(), 1u);
    add_run("tree_sequential", [](const Experiment&) {});
    EXPECT_EQ(bars(), 2u);
}

TEST(OccupancyPlot, HasARowForEachResource) {
    const auto plot = occupancy_plot(prepare_reduction(256), 40);
    ASSERT_TRUE(plot);
    EXPECT_EQ(plot->origin, Origin::modelled);
    const auto& lanes = std::get<Cells>(plot->content);
    ASSERT_EQ(lanes.rows.size(), 3u);
    EXPECT_EQ(lanes.rows[0].label, "by subgroups");
    EXPECT_EQ(lanes.rows[1].label, "by registers");
    EXPECT_EQ(lanes.rows[1].note, "6, the limit");
    const std::vector<std::uint8_t>& cells = lanes.rows[1].kinds;
    ASSERT_EQ(cells.size(), 64u);
    EXPECT_EQ(std::ranges::count(cells, 2), 16) << "six workgroups of eight subgroups each";
    EXPECT_EQ(cells[7], 0);
    EXPECT_EQ(cells[8], 1);
    EXPECT_FALSE(occupancy_plot(prepare_reduction(256, Limits{}), 40)) << "a software device";
}

TEST(OccupancyPlot, CanBeDrawnInBothThemes) {
    const HistoryEntry run{1, make_report("grid_stride", 1'000)};
    const std::vector<const HistoryEntry*> history = {&run};
    for (const Mode mode : {Mode::dark, Mode::light}) {
        UiFrames ui(mode);
        PlotView occupancy_view, roofline_view;
        const Plot occupancy = *occupancy_plot(prepare_reduction(96), 0);
        const Plot roof = *roofline_plot(*find_lesson("reduction"), history);
        int vertices = 0;
        for (int i = 0; i < 3; ++i)
            ui.frame([&] {
                draw_plot("launch.occupancy", occupancy, occupancy_view, {380, 0}, false);
                draw_plot("timings.roofline", roof, roofline_view, {380, 250}, false);
                draw_rates(run.report, false);
                vertices = ImGui::GetWindowDrawList()->VtxBuffer.Size;
            });
        EXPECT_GT(vertices, 500);
    }
}

TEST(CacheDescription, DistinguishesWarmAndCold) {
    EXPECT_EQ(describe_cache({4 << 20, 32 << 20, 1, false}), "warm: 4\u00a0MiB fit the cache of 32\u00a0MiB");
    EXPECT_THAT(describe_cache({64 << 20, 32 << 20, 1, false}), HasSubstr("do not fit"));
    EXPECT_THAT(describe_cache({4 << 20, 32 << 20, 17, true}), HasSubstr("cold: 17 copies"));
    EXPECT_EQ(describe_cache({}), "");
}

}  // namespace gridstride::ui::measurement_figures_test
