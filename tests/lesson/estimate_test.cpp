// Tests the estimates of a report's metrics by name, with their confidence intervals.

#include "lesson/lesson.h"

#include "lesson/metrics.h"
#include "test_includes.h"

namespace gridstride::estimate_test {

void expect(const std::optional<Estimate>& found, double value, double low, double high) {
    ASSERT_TRUE(found);
    EXPECT_DOUBLE_EQ(found->value, value);
    EXPECT_DOUBLE_EQ(found->low, low);
    EXPECT_DOUBLE_EQ(found->high, high);
}

Report report_of(std::vector<double> kernel) {
    Report report;
    report.status = Status::ok;
    report.timings.kernel.samples = std::move(kernel);
    return report;
}

TEST(Estimate, MedianHasItsIntervalOrTheSpanOfANoisySeries) {
    // In ten samples, the second to the ninth enclose the median with 97.9 % (binomial ranks).
    Report report = report_of({10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
    expect(estimate(report, "kernel_ns"), 55, 20, 90);
    report.timings.kernel.is_noisy = true;
    expect(estimate(report, "kernel_ns"), 55, 14.5, 95.5);  // the 5th and 95th percentile
    EXPECT_FALSE(estimate(report, "upload_ns"));
    EXPECT_FALSE(estimate(report, "nothing"));
    expect(estimate(report_of({7}), "kernel_ns"), 7, 7, 7);
}

TEST(Estimate, RateUsesTheIntervalOfTheTime) {
    Report report = report_of({10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
    report.bytes_moved = 1100;
    expect(estimate(report, "bytes_per_second"), 20e9, 1100e9 / 90, 55e9);
    EXPECT_FALSE(estimate(report, "fraction_of_copy")) << "no ceiling was measured";
    report.ceilings = Ceilings{.copy_bytes_per_second = 40e9, .empty_dispatch_ns = 900};
    expect(estimate(report, "fraction_of_copy"), 0.5, 1100 / 90.0 / 40, 55.0 / 40);
    EXPECT_DOUBLE_EQ(estimate(report, "fraction_of_copy")->value, *report.fraction_of_copy_ceiling());
    expect(estimate(report, "empty_dispatch_ns"), 900, 900, 900);
    EXPECT_FALSE(estimate(report, "empty_submit_ns"));
    EXPECT_FALSE(estimate(report, "fraction_of_upload"));
    report.uploaded_bytes = report.downloaded_bytes = 100;
    report.timings.upload.samples = {10};
    report.timings.download.samples = {20};
    report.ceilings->staged_upload_bytes_per_second = 20e9;
    report.ceilings->staged_download_bytes_per_second = 10e9;
    expect(estimate(report, "fraction_of_upload"), 0.5, 0.5, 0.5);
    expect(estimate(report, "fraction_of_download"), 0.5, 0.5, 0.5);
}

TEST(Estimate, RestAddsTheUncertaintiesOfItsParts) {
    Report report = report_of({100});
    report.timings.wall.samples = {900, 1000, 1100};
    report.timings.upload.samples = {190, 200, 210};
    expect(estimate(report, "rest_ns"), 700, 590, 810);
}

TEST(Estimate, CountsAreExact) {
    Report report = report_of({100});
    report.launch.workgroup = {64};
    report.launch.grid = {10};
    report.bytes_moved = 12;
    report.device.subgroup_size = 8;
    report.device.is_cpu = false;
    report.experiment = default_experiment(*find_lesson("reduction"));
    expect(estimate(report, "workgroup_size"), 64, 64, 64);
    expect(estimate(report, "invocations"), 640, 640, 640);
    expect(estimate(report, "bytes_moved"), 12, 12, 12);
    expect(estimate(report, "subgroup_size"), 8, 8, 8);
    expect(estimate(report, "is_cpu_device"), 0, 0, 0);
    expect(estimate(report, "from_cache"), 0, 0, 0);
    const auto elements = static_cast<double>(domain_extent(report.experiment).product());
    EXPECT_GT(elements, 0);
    expect(estimate(report, "elements"), elements, elements, elements);
    EXPECT_FALSE(estimate(report, "multiprocessors")) << "the driver does not say";
    report.device.multiprocessors = 132;
    expect(estimate(report, "multiprocessors"), 132, 132, 132);
    report.cache = {.working_set_bytes = 10, .cache_bytes = 20};
    expect(estimate(report, "from_cache"), 1, 1, 1);
}

TEST(Estimate, FactHasItsUncertainty) {
    Report report = report_of({100});
    report.result = {{"total", "Total", std::uint64_t{524800}}, {"pi", "Pi", 3.14, 0.01}};
    expect(estimate(report, "total"), 524800, 524800, 524800);
    expect(estimate(report, "pi"), 3.14, 3.12, 3.16);
}

TEST(Estimate, QuotientSpansTheExtremeRatios) {
    expect(divide({6, 4, 8}, {2, 1, 4}), 3, 1, 8);
    expect(divide({-6, -8, -4}, {2, 1, 4}), -3, -8, -1);
    EXPECT_FALSE(divide({1, 1, 1}, {0, 0, 0}));
    const auto unbounded = divide({1, 1, 1}, {2, -1, 4});
    ASSERT_TRUE(unbounded);
    EXPECT_EQ(unbounded->low, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(unbounded->high, std::numeric_limits<double>::infinity());
}

TEST(Estimate, VerdictIsUnknownIfTheRunIsNotJudged) {
    Report report = report_of({100});
    report.compare.judged_runs = 2;
    expect(estimate(report, "matches"), 1, 1, 1);
    expect(estimate(report, "wrong_fraction"), 0, 0, 0);
    report.status = Status::unjudged;
    EXPECT_FALSE(estimate(report, "matches"));
    EXPECT_FALSE(estimate(report, "wrong_fraction"));
    expect(estimate(report, "kernel_ns"), 100, 100, 100);
}

TEST(Estimate, ExistsForEveryCommonMetric) {
    Report report = report_of({100});
    for (Timing* timing : {&report.timings.upload, &report.timings.download, &report.timings.waiting,
                           &report.timings.wall, &report.timings.cpu})
        timing->samples = {1000};
    report.timings.allocate_ns = report.timings.compile_ns = 1;
    report.operations = 1;
    report.bytes_moved = report.uploaded_bytes = report.downloaded_bytes = 8;
    report.compare.judged_runs = 2;
    report.device.multiprocessors = 1;
    report.ceilings = Ceilings{.copy_bytes_per_second = 1,
                               .staged_upload_bytes_per_second = 1,
                               .staged_download_bytes_per_second = 1,
                               .empty_dispatch_ns = 1,
                               .empty_submit_ns = 1,
                               .operations_per_second = 1};
    for (const std::string_view name : common_metrics)
        EXPECT_TRUE(estimate(report, name)) << name;
}

}  // namespace gridstride::estimate_test
