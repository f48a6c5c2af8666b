// The pictures and words of a sweep, from made-up reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/sweep_values.h"
#include "ui/compare_words.h"
#include "ui/sweep_figure.h"
#include "ui/sweep_map_view.h"
#include "ui/sweep_words.h"
#include "ui/ui_frame.h"

namespace gridstride::ui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Lesson& reduction() {
    return *find_lesson("reduction");
}

Limits device() {
    Limits limits;
    limits.max_workgroup_size = 1024;
    limits.max_workgroup_count = 65535;
    limits.max_shared_bytes = 32768;
    limits.max_binding_bytes = 1 << 27;
    limits.memory_bytes = 1 << 30;
    limits.subgroup_size = 8;
    return limits;
}

lab::Sweep make_sweep(const std::string& sizes, const std::string& elements) {
    std::vector<lab::WrittenValues> written = {{find(reduction().parameters, "workgroup_size"), sizes}};
    if (!elements.empty()) written.push_back({find(reduction().parameters, "elements"), elements});
    lab::SweepSpec spec = lab::sweep_of(reduction(), {"tree_sequential", "grid_stride"}, written, device());
    spec.sampling.samples = 6;
    return {std::move(spec), device(), [] { return 0.0; }};
}

/// Runs `count` cells; kernel(request) says how long each takes, 0: a wrong answer.
template <class Kernel>
void measure(lab::Sweep& sweep, std::size_t count, Kernel kernel) {
    for (std::uint64_t id = 1; id <= count; ++id) {
        const auto request = sweep.next_request(id);
        ASSERT_TRUE(request);
        Report report;
        report.request = id;
        report.final = true;
        report.lesson = request->lesson;
        report.variant = request->variant;
        report.values = request->values;
        const double time = kernel(*request);
        report.status = time > 0 ? Status::ok : Status::mismatch;
        report.timings.kernel.samples = {time + 50, time + 50, time + 50, time + 51, time + 49, time + 50};
        sweep.take(report);
    }
}

double by_size(const lab::Request& request) {
    return static_cast<double>(request.values[key::workgroup_size]) *
           (request.variant == "grid_stride" ? 1 : 5);
}

TEST(SweepFigure, OneParameterIsALineAVariantWithIntervals) {
    lab::Sweep sweep = make_sweep("256,64,2048,128", "");
    measure(sweep, 6, by_size);
    ASSERT_TRUE(sweep.finished());
    const SweepLines lines = sweep_lines(sweep);
    const auto& figure = std::get<Figure>(lines.plot.content);
    ASSERT_EQ(figure.series.size(), 2U);
    EXPECT_EQ(figure.x.scale, AxisScale::logarithmic);
    EXPECT_THAT(figure.series[0].x, ElementsAre(64, 128, 256)) << "in order, the refused one left out";
    EXPECT_THAT(figure.series[1].y, ElementsAre(114, 178, 306));
    EXPECT_EQ(figure.series[1].y_low.front(), 113);
    EXPECT_EQ(figure.series[1].y_high.front(), 115);
    ASSERT_EQ(figure.markers.size(), 1U);
    EXPECT_EQ(figure.markers[0].x, 64);
    EXPECT_THAT(figure.markers[0].label, HasSubstr("grid_stride"));
    for (std::size_t s = 0; s < lines.cells.size(); ++s)
        for (std::size_t i = 0; i < lines.cells[s].size(); ++i) {
            const lab::SweepCell& cell = sweep.cells()[lines.cells[s][i]];
            EXPECT_EQ(cell.variant, s);
            EXPECT_EQ(static_cast<double>(cell.values[key::workgroup_size]), figure.series[s].x[i]);
        }
}

TEST(SweepFigure, WrongAnswersStandApartAndAreNeverTheBest) {
    lab::Sweep sweep = make_sweep("64,128", "");
    measure(sweep, 4, [](const lab::Request& request) {
        return request.variant == "grid_stride" ? 0 : by_size(request);
    });
    const SweepLines lines = sweep_lines(sweep);
    const auto& figure = std::get<Figure>(lines.plot.content);
    ASSERT_EQ(figure.series.size(), 3U);
    EXPECT_EQ(figure.series[2].label, "wrong answer");
    EXPECT_EQ(figure.series[2].y.size(), 2U);
    EXPECT_TRUE(figure.series[1].y.empty());
    EXPECT_THAT(best_words(sweep).best, HasSubstr("tree_sequential, workgroup_size = 64"));
}

TEST(SweepFigure, TwoParametersAreAMap) {
    lab::Sweep sweep = make_sweep("64,128,2048", "1024,4096");
    measure(sweep, 8, by_size);
    const SweepMap map = sweep_map(sweep, 1);
    EXPECT_THAT(map.x_labels, ElementsAre("64", "128", "2\u2009048"));
    EXPECT_EQ(map.y_labels.size(), 2U);
    ASSERT_EQ(map.cells.size(), 6U);
    EXPECT_EQ(map.cells[2].state, lab::CellState::refused);
    EXPECT_TRUE(map.cells[2].text.empty());
    EXPECT_TRUE(map.cells[3].best) << "64 invocations, most elements: the least time an element";
    EXPECT_FALSE(sweep_map(sweep, 0).cells[3].best);
    EXPECT_EQ(map.shade(map.low), 0);
    EXPECT_EQ(map.shade(map.high), 1);
    EXPECT_EQ(sweep.cells()[map.cells[1].cell].values[key::workgroup_size], 128U);
    EXPECT_EQ(sweep.cells()[map.cells[3].cell].values[key::elements], 4096U);
}

TEST(SweepFigure, AClickOnTheMapChoosesItsCell) {
    lab::Sweep sweep = make_sweep("64,128", "1024,4096");
    measure(sweep, 3, by_size);
    const SweepMap map = sweep_map(sweep, 0);
    UiFrames frames;
    std::optional<std::size_t> chosen;
    const auto body = [&] {
        const MapTouch touch = draw_sweep_map("map", map, 360);
        if (touch.chosen) chosen = touch.pointed;
    };
    frames.click("map.1.0", body);
    ASSERT_TRUE(chosen);
    EXPECT_EQ(*chosen, sweep.index(0, 1, 0));
}

TEST(SweepWords, TiesAreSaid) {
    lab::Sweep sweep = make_sweep("64,128", "");
    measure(sweep, 4,
            [](const lab::Request& request) { return request.variant == "grid_stride" ? 10 : 100; });
    const BestWords words = best_words(sweep);
    EXPECT_THAT(words.best, HasSubstr("Best: grid_stride"));
    EXPECT_THAT(words.sure, HasSubstr("A tie with one more: grid_stride, workgroup_size ="));
    EXPECT_THAT(sweep_progress_words(sweep), HasSubstr("All 4 cells"));
}

TEST(SweepWords, TheReasonOfARefusalIsReadAtItsCell) {
    lab::Sweep sweep = make_sweep("64,2048", "");
    const CellWords words = cell_words(sweep, sweep.index(0, 1, 0));
    EXPECT_EQ(words.lines.back().second.find("workgroup_size = 2048"), 0U);
    EXPECT_FALSE(best_words(sweep).found);
    EXPECT_THAT(cells_without_time(sweep).front(), HasSubstr("2 cells are refused"));
}

TEST(CompareWords, ADifferenceCarriesItsRangeAndOverlapIsNone) {
    const std::vector<double> a = {100, 100, 101, 99, 100, 100}, b = {110, 111, 109, 110, 110, 110};
    const DifferenceWords slower = difference_words(median_interval(b), median_interval(a));
    EXPECT_EQ(slower.verdict, "slower");
    EXPECT_THAT(slower.percent, HasSubstr("+10 % (+"));
    EXPECT_EQ(difference_words(median_interval(a), median_interval(b)).verdict, "faster");
    EXPECT_EQ(difference_words(median_interval(a), median_interval(a)).verdict, "cannot be told apart");
    EXPECT_EQ(difference_words(median_interval(std::vector{100.0}), median_interval(a)).verdict,
              "too few samples");
    EXPECT_EQ(difference_words(median_interval({}), median_interval(a)).verdict, "no time");
}

}  // namespace
}  // namespace gridstride::ui
