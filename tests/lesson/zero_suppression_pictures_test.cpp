// Tests the pictures of the zero suppression lesson as data.

#include "lesson/building_blocks.h"
#include "lesson/zero_suppression_case.h"
#include "test_includes.h"

namespace gridstride::zero_suppression_pictures_test {

using namespace test;
using namespace test::zero_suppression;

/// Makes the report of a run with correct outputs.
Report report_of(const PreparedExperiment& prepared) {
    Report report = finished_run(suppression(), prepared.values(), prepared.variant->id, prepared.limits);
    report.timings.kernel.samples = {1000};
    report.input = suppression().input(prepared.values());
    for (const Expected& expected : prepared.task.reference(report.input, prepared))
        report.outputs.push_back({expected.output, expected.reference});
    return report;
}

TEST(ZeroSuppression, PicturesShowInputAndRemovedSamples) {
    for (const Setting& setting :
         {Setting{}, Setting{.elements = 1}, Setting{.elements = 250000, .rule = magnitude},
          Setting{.threshold = 32767}})
        for (const Variant& variant : suppression().variants) {
            SCOPED_TRACE(variant.id);
            const PreparedExperiment prepared = prepare_case(suppression(), values_of(setting), variant.id);
            const Report report = report_of(prepared);
            const auto plots = make_plots({prepared, &report});
            EXPECT_EQ(content_of<Figure>(plots, "waveform").series.at(0).y_array.get(),
                      report.input.at(0).array.get())
                << "raw, never copied";
            const auto samples = get(report.input, "samples").as<std::int16_t>();
            std::vector<double> gone;
            for (const std::int16_t sample : samples) {
                const int size = setting.rule == magnitude ? std::abs(sample) : sample;
                gone.push_back(size >= static_cast<int>(setting.threshold) ? 0 : sample);
            }
            const ArrayRef drawn = content_of<Figure>(plots, "removed").series.at(0).y_array;
            ASSERT_TRUE(drawn);
            EXPECT_EQ(sample_numbers(*drawn), gone);
            double counted = 0;
            for (const Series& bars : content_of<Figure>(plots, "amplitudes").series)
                counted = std::accumulate(bars.y.begin(), bars.y.end(), counted);
            EXPECT_EQ(counted, static_cast<double>(std::min<std::size_t>(samples.size(), 100000)));
            EXPECT_TRUE(plot_of(plots, "who"));
        }
}

TEST(ZeroSuppression, ListsPicturesBeforeARun) {
    const PreparedExperiment prepared = prepare_case(suppression(), values_of({}), "packed");
    const auto before = make_plots({prepared});
    std::vector<std::string> ids;
    for (const Plot& plot : before) {
        ids.push_back(plot.id);
        EXPECT_EQ(plot.origin, plot.id == "who" ? Origin::traced : Origin::computed) << plot.id;
    }
    EXPECT_THAT(ids, ElementsAre("who", "bytes", "rule"));
    const PreparedExperiment compact = prepare_case(suppression(), values_of({}), "compact");
    const auto compact_plots = make_plots({compact});
    ASSERT_TRUE(plot_of(compact_plots, "scan"));
    EXPECT_EQ(plot_of(compact_plots, "scan")->launch, 2U) << "the first launch counts with a tree";
    const PreparedExperiment out_of_range = prepare_case(suppression(), values_of({.size = 0}), "packed");
    EXPECT_TRUE(make_plots({out_of_range}).empty());
}

TEST(ZeroSuppression, InputPictureDoesNotShowTheResult) {
    const PreparedExperiment prepared = prepare_case(suppression(), values_of({}), "per_sample");
    const Report report = report_of(prepared);
    const auto series = content_of<Figure>(make_plots({prepared, &report}), "recording").series;
    EXPECT_EQ(series.at(0).y_array.get(), report.input.at(0).array.get());
    const ArrayRef& silenced = report.outputs.at(0).array;
    for (const Series& one : series)
        EXPECT_NE(one.y_array.get(), silenced.get()) << "the result would answer how many survive";
}

/// Returns the height of a step curve at x; at a step, the height to its right.
double height_at(const Series& line, double x) {
    double y = line.y.front();
    for (std::size_t i = 0; i + 1 < line.x.size() && line.x[i] <= x; ++i) {
        const double width = line.x[i + 1] - line.x[i];
        y = width > 0 ? std::lerp(line.y[i], line.y[i + 1], std::min((x - line.x[i]) / width, 1.0))
                      : line.y[i + 1];
    }
    return y;
}

TEST(ZeroSuppression, ThresholdRangeFollowsTheSamplesAndPicturesHaveItsMarker) {
    const auto highest = [](const std::vector<std::int16_t>& samples) {
        return suppression().effective_range("threshold", samples_of(samples))->high;
    };
    EXPECT_EQ(highest({3, -20, 7}), 21);
    EXPECT_EQ(highest({0}), 1);
    EXPECT_EQ(highest({-32768}), 32767) << "the maximum of the parameter";
    EXPECT_FALSE(suppression().effective_range("elements", samples_of({3})));

    const PreparedExperiment prepared = prepare_case(suppression(), values_of({.rule = magnitude}), "packed");
    const Report report = report_of(prepared);
    const auto plots = make_plots({prepared, &report});
    for (const char* id : {"recording", "waveform", "amplitudes"}) {
        const auto markers = content_of<Figure>(plots, id).markers;
        ASSERT_EQ(markers.size(), 2u) << id;
        EXPECT_EQ(markers[0].x, 15) << id;
        EXPECT_EQ(markers[0].parameter, "threshold") << id;
        EXPECT_EQ(markers[1].x, -15) << id;
        EXPECT_EQ(markers[1].parameter, "") << id << ": there is no negative threshold";
    }
}

TEST(ZeroSuppression, RulePictureMatchesTheReference) {
    const PreparedExperiment prepared = prepare_case(suppression(), values_of({.threshold = 5}), "packed");
    for (const Series& line : content_of<Figure>(make_plots({prepared}), "rule").series)
        for (std::int16_t sample = -9; sample <= 9; ++sample) {
            if (sample == -5) continue;  // the step itself
            const auto plots =
                reference_of({sample}, 5, line.label == "signed" ? signed_value : magnitude, "packed");
            EXPECT_DOUBLE_EQ(height_at(line, sample), exactly(plots, "silenced").number(0))
                << line.label << ' ' << sample;
        }
}

TEST(ZeroSuppression, BytesPictureShowsElementSizes) {
    const PreparedExperiment prepared = prepare_case(suppression(), values_of({}), "packed");
    // Counts the changes of kind: samples have 2 bytes, words 4, loads 16, survivors 4 and 2.
    std::vector<int> changes;
    for (const Cells::Row& row : content_of<Cells>(make_plots({prepared}), "bytes").rows) {
        EXPECT_EQ(row.kinds.size(), 32u);
        int count = 0;
        for (std::size_t i = 1; i < row.kinds.size(); ++i)
            count += row.kinds[i] != row.kinds[i - 1];
        changes.push_back(count);
    }
    EXPECT_THAT(changes, ElementsAre(15, 7, 1, 10));
}

TEST(ZeroSuppression, CompactionPictureShowsSurvivorsContiguous) {
    const PreparedExperiment prepared = prepare_case(suppression(), values_of({}), "compact");
    const Report report = report_of(prepared);
    const auto lanes = content_of<Cells>(make_plots({prepared, &report}), "compaction").rows;
    ASSERT_EQ(lanes.size(), 2u);
    const auto before = std::ranges::count(lanes[0].kinds, 1);
    EXPECT_GE(before, 16);
    EXPECT_LT(before, 64);
    const auto& after = lanes[1].kinds;
    EXPECT_EQ(std::count(after.begin(), after.begin() + before, 1), before);
    EXPECT_EQ(std::ranges::count(after, 1), before);
}

}  // namespace gridstride::zero_suppression_pictures_test
