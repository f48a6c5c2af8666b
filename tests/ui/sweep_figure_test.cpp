// Plots and texts of a sweep, from made-up reports.
#include "sweep/sweep_figure.h"
#include "csv_records.h"
#include "jobs/fake_lab.h"
#include "present/compare.h"
#include "sweep/sweep_text.h"
#include "sweep/sweep_values.h"
#include "test_includes.h"
#include "ui/plot/draw_plot.h"
#include "ui/plot/plot_state.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::sweep_figure_test {

const Lesson& reduction() {
    return *find_lesson("reduction");
}

Limits device() {
    return FakeLab().device;
}

Sweep make_sweep(const std::string& sizes, const std::string& elements,
                 const std::vector<std::string>& variants = {"tree_sequential", "grid_stride"}) {
    std::vector<ParameterText> parameter_texts = {{find(reduction().parameters, "workgroup_size"), sizes}};
    if (!elements.empty()) parameter_texts.push_back({find(reduction().parameters, "elements"), elements});
    SweepSpec spec = make_sweep_spec(reduction(), variants, parameter_texts, device());
    spec.sampling.samples = 6;
    return {std::move(spec), device()};
}

/// Runs `count` cells. kernel_time(request) returns the time of each in ns, or 0 for a wrong answer.
template <class KernelTime>
void measure(Sweep& sweep, std::size_t count, KernelTime kernel_time) {
    for (std::size_t run = 0; run < count; ++run) {
        const auto request = sweep.next();
        ASSERT_TRUE(request);
        Report report;
        report.is_final = true;
        report.experiment = request->experiment;
        const double time = kernel_time(*request);
        report.status = time > 0 ? Status::ok : Status::mismatch;
        report.timings.kernel.samples = {time + 50, time + 50, time + 50, time + 51, time + 49, time + 50};
        sweep.on_report(report, 1);
    }
}

/// The number of runs that measure the best cells again.
constexpr std::uint64_t repeat_run_count = repeat_rounds * max_repeated_cells;

double time_by_size(const lab::Request& request) {
    return static_cast<double>(request.experiment.values[key::workgroup_size]) *
           (request.experiment.variant == "grid_stride" ? 1 : 5);
}

TEST(SweepFigure, OneParameterGivesALinePerVariantWithIntervals) {
    Sweep sweep = make_sweep("256,64,2048,128", "");
    measure(sweep, 6 + repeat_run_count, time_by_size);
    ASSERT_TRUE(sweep.is_finished());
    const SweepLines lines = sweep_lines(sweep);
    const auto& figure = std::get<Figure>(lines.plot.content);
    ASSERT_EQ(figure.series.size(), 2U);
    EXPECT_EQ(figure.x.scale, AxisScale::logarithmic);
    EXPECT_THAT(figure.series[0].x, ElementsAre(64, 128, 256)) << "sorted, without the refused value";
    EXPECT_THAT(figure.series[1].y, ElementsAre(114, 178, 306));
    EXPECT_EQ(figure.series[1].y_low.front(), 113);
    EXPECT_EQ(figure.series[1].y_high.front(), 115);
    ASSERT_EQ(figure.markers.size(), 1U);
    EXPECT_EQ(figure.markers[0].x, 64);
    EXPECT_THAT(figure.markers[0].label, HasSubstr("grid_stride"));
    for (std::size_t s = 0; s < lines.cells.size(); ++s)
        for (std::size_t i = 0; i < lines.cells[s].size(); ++i) {
            const SweepCell& cell = sweep.cells()[lines.cells[s][i]];
            EXPECT_EQ(cell.variant, s);
            EXPECT_EQ(static_cast<double>(cell.experiment.values[key::workgroup_size]),
                      figure.series[s].x[i]);
        }
}

TEST(SweepFigure, WrongAnswersAreSeparateAndNeverTheBest) {
    Sweep sweep = make_sweep("64,128", "");
    measure(sweep, 4, [](const lab::Request& request) {
        return request.experiment.variant == "grid_stride" ? 0 : time_by_size(request);
    });
    const SweepLines lines = sweep_lines(sweep);
    const auto& figure = std::get<Figure>(lines.plot.content);
    ASSERT_EQ(figure.series.size(), 3U);
    EXPECT_EQ(figure.series[2].label, "wrong answer");
    EXPECT_EQ(figure.series[2].y.size(), 2U);
    EXPECT_TRUE(figure.series[1].y.empty());
    EXPECT_THAT(describe_best(sweep).best, HasSubstr("tree_sequential, workgroup_size = 64"));
}

TEST(SweepFigure, IntentionallyWrongRunsAreNeverTheBest) {
    const auto& parameters = reduction().parameters;
    for (const char* const barriers : {"all", "one_missing"}) {
        SweepSpec spec = make_sweep_spec(
            reduction(), {"tree_sequential"},
            {{find(parameters, "workgroup_size"), "64,128"}, {find(parameters, "barriers"), barriers}},
            device());
        spec.sampling.samples = 6;
        Sweep sweep(std::move(spec), device());
        measure(sweep, 2, time_by_size);
        const bool meant_to_be_right = std::string_view(barriers) == "all";
        EXPECT_EQ(describe_best(sweep).found, meant_to_be_right);
        EXPECT_EQ(sweep_lines(sweep).rings.empty(), !meant_to_be_right);
    }
}

const Cells& get_cells(const SweepMap& map) {
    return std::get<Cells>(map.plot.content);
}

TEST(SweepFigure, TwoParametersGiveAMap) {
    Sweep sweep = make_sweep("64,128,2048", "1024,4096");
    measure(sweep, 8, time_by_size);
    const SweepMap map = sweep_map(sweep, 1);
    const Cells& cells = get_cells(map);
    EXPECT_THAT(cells.x.categories, ElementsAre("64", "128", "2\u2009048"));
    ASSERT_EQ(cells.rows.size(), 2U);
    EXPECT_EQ(cells.rows[0].label, "4\u2009096") << "the second parameter runs upwards";
    ASSERT_EQ(map.cells.size(), 6U);
    const std::uint8_t refused = cells.rows[1].kinds[2];
    ASSERT_LT(refused, cells.kinds.size());
    EXPECT_EQ(cells.kinds[refused].label, "refused");
    EXPECT_GE(cells.rows[1].kinds[1], cells.kinds.size()) << "a right result has no kind, only a number";
    const Cells::Numbers& numbers = cells.numbers.at(0);
    EXPECT_TRUE(std::isnan(numbers.values->number(5))) << "refused";
    EXPECT_EQ(numbers.values->number(0), numbers.low);
    EXPECT_EQ(numbers.values->number(4), numbers.high);
    ASSERT_FALSE(map.rings.empty());
    const auto best = std::ranges::find_if(map.rings, [](const PlotHighlight& r) { return r.is_strong; });
    ASSERT_NE(best, map.rings.end());
    EXPECT_EQ(best->series, 0U) << "64 invocations and the most elements take the shortest time per element";
    EXPECT_EQ(best->index, 0U);
    for (const PlotHighlight& ring : sweep_map(sweep, 0).rings)
        EXPECT_FALSE(ring.is_strong);
    EXPECT_EQ(sweep.cells()[map.cells[4]].experiment.values[key::workgroup_size], 128U);
    EXPECT_EQ(sweep.cells()[map.cells[0]].experiment.values[key::elements], 4096U);
}

TEST(SweepFigure, LegendOfAMapNamesTheKindsThatItShows) {
    Sweep sweep = make_sweep("64,128", "1024,4096", {"grid_stride"});
    const auto legend_labels = [&] {
        std::vector<std::string> labels;
        const SweepMap map = sweep_map(sweep, 0);
        for (const Cells::Kind& kind : get_cells(map).kinds)
            if (!kind.label.empty()) labels.push_back(kind.label);
        return labels;
    };
    EXPECT_THAT(legend_labels(), ElementsAre("not measured yet"));
    measure(sweep, 4, time_by_size);
    EXPECT_THAT(legend_labels(), ElementsAre());
}

TEST(SweepFigure, MarksTheBestWithItsTiesAndRefusedValues) {
    Sweep sweep = make_sweep("64,2048,128", "");
    measure(sweep, 4, [](const lab::Request& request) {
        return request.experiment.variant == "grid_stride" ? 10 : 100;
    });
    const SweepLines lines = sweep_lines(sweep);
    const auto best = sweep.best();
    ASSERT_TRUE(best);
    ASSERT_EQ(lines.rings.size(), 2U);
    for (const PlotHighlight& ring : lines.rings) {
        EXPECT_EQ(ring.series, 1U) << "grid_stride";
        EXPECT_EQ(ring.is_strong, lines.cells[ring.series][ring.index] == best->cell);
    }
    EXPECT_NE(lines.rings[0].is_strong, lines.rings[1].is_strong);
    EXPECT_THAT(lines.crosses, ElementsAre(2048)) << "once for two variants";
    EXPECT_EQ(lines.plot.title, "Kernel time over workgroup size");
    EXPECT_THAT(lines.plot.note, HasSubstr("refused"));
}

TEST(SweepFigure, CsvOfAMapHasOneRowPerCell) {
    Sweep sweep = make_sweep("64,128,2048", "1024,4096");
    measure(sweep, 8, [](const lab::Request& request) {
        return request.experiment.values[key::elements] == 4096 &&
                       request.experiment.values[key::workgroup_size] == 128
                   ? 0
                   : time_by_size(request);
    });
    const std::vector<std::vector<std::string>> rows = parse_csv(plot_csv(sweep_map(sweep, 1).plot));
    ASSERT_EQ(rows.size(), 7U);
    EXPECT_THAT(rows[0],
                ElementsAre("Workgroup size (invocations)", "Elements", "variant", "kernel an element (ns)",
                            "kernel an element (ns) half 95 % interval", "status"));
    // The time is 64 + 50 ns, within 1 ns, divided by 1024 elements.
    EXPECT_THAT(rows[1], ElementsAre("64", "1024", "grid_stride", "0.111328125", "0.0009765625", "ok"));
    EXPECT_THAT(rows[3], ElementsAre("2048", "1024", "grid_stride", "", "", "refused"));
    EXPECT_EQ(rows[4][1], "4096");
    EXPECT_EQ(rows[5][5], "mismatch");
    EXPECT_NE(rows[5][3], "") << "a wrong answer has a time";
}

TEST(SweepFigure, PendingCellIsARowWithoutATime) {
    const Sweep sweep = make_sweep("64,128", "1024,4096", {"grid_stride"});
    const SweepMap map = sweep_map(sweep, 0);
    const auto rows = parse_csv(plot_csv(map.plot));
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_THAT(rows[1], ElementsAre("64", "1024", "grid_stride", "", "", "pending"));
    EXPECT_EQ(map.plot.id, "sweep");
    EXPECT_THAT(map.plot.note, HasSubstr("0 of 4 cells"));
    EXPECT_EQ(sweep_map(make_sweep("64,128", "1024,4096"), 1).plot.id, "sweep_grid_stride");
}

/// Draws the map of a measured sweep and uses it by mouse and keyboard.
class SweepMapUse : public DrawnTest {
 protected:
    SweepMapUse() : sweep_(make_sweep("64,128", "1024,4096")) {
        measure(sweep_, 8, time_by_size);
        map_ = sweep_map(sweep_, 0);
        body_ = [this] { draw(); };
    }
    void draw() {
        set_cursor({20, 20});
        draw_plot("map", map_.plot, view_, {360, 0});
        const PlotState& state = *view_.state;
        for (std::size_t i = 0; i < map_.cells.size(); ++i) {
            const Rect rect = cell_rect(state.area, i / 2, i % 2);
            register_widget(fmt::format("cell.{}", i), "cell", rect.min, rect.max);
        }
        hovered_ =
            state.hit ? std::optional(map_.cells[state.hit->series * 2 + state.hit->index]) : std::nullopt;
        if (state.was_hit_clicked) chosen_ = hovered_;
    }
    /// Presses the right button at `from` and releases it at `to`.
    void press_right(glm::vec2 from, glm::vec2 to) {
        move_to(from);
        frame([] { feed_mouse_button(1, true); });
        move_to(to);
        frame([] { feed_mouse_button(1, false); });
        frame();
    }

    Sweep sweep_;
    SweepMap map_;
    PlotView view_;
    std::optional<std::size_t> hovered_, chosen_;  ///< cells of the sweep
};

TEST_F(SweepMapUse, ClickChoosesACell) {
    frame();
    click("cell.3");
    EXPECT_EQ(chosen_, sweep_.index(0, 1, 0)) << "the lower right cell";
}

TEST_F(SweepMapUse, WheelAndDragDoNotMoveTheMap) {
    frame();
    const PlotArea before = view_.state->area;
    move_to({200, 90});
    frame([] { feed_mouse_wheel(3); });
    frame([] {
        feed_mouse_wheel(0);
        feed_mouse_button(0, true);
    });
    move_to({260, 90});
    frame([] { feed_mouse_button(0, false); });
    frame();
    EXPECT_TRUE(view_.is_fitted);
    EXPECT_EQ(view_.state->area.x, before.x);
    EXPECT_EQ(view_.state->area.min, before.min);
}

TEST_F(SweepMapUse, RightClickOpensTheMenuWithoutFit) {
    press_right({200, 90}, {200, 90});
    ASSERT_NE(find("map.menu.csv"), nullptr);
    EXPECT_EQ(find("map.menu.fit"), nullptr) << "a map has no view to fit";
    click("map.menu.copy");
    EXPECT_EQ(ImGui::GetClipboardText(), plot_csv(map_.plot));
    frame();
    EXPECT_EQ(find("map.menu.csv"), nullptr) << "the menu has closed";
    EXPECT_FALSE(view_.action);
    EXPECT_FALSE(chosen_) << "no cell was chosen";
}

TEST_F(SweepMapUse, RightDragOpensNoMenu) {
    press_right({200, 90}, {260, 90});
    EXPECT_EQ(find("map.menu.csv"), nullptr);
}

TEST_F(SweepMapUse, KeysOpenTheMenuAndTheMapGetsTheKeyboardBack) {
    frame();
    focus_widget("map");
    frame();
    press(Key::up);
    ASSERT_TRUE(hovered_);
    const std::size_t hovered_cell = *hovered_;
    EXPECT_EQ(hovered_cell, sweep_.index(0, 0, 1));
    press(Key::f10, {.shift = true});
    frame();
    ASSERT_NE(find("map.menu.copy"), nullptr);
    EXPECT_FALSE(hovered_) << "the menu has the keyboard";
    press(Key::tab);
    press(Key::enter);
    ASSERT_TRUE(view_.action);
    EXPECT_EQ(view_.action->file, PlotFile::csv);
    EXPECT_EQ(view_.action->plot->title, "Kernel time per element over workgroup size and elements");
    frame();
    EXPECT_EQ(hovered_, hovered_cell) << "the keyboard is on the same cell again";
    EXPECT_FALSE(chosen_);
}

TEST_F(SweepMapUse, PictureRespectsItsHeightLimit) {
    press_right({200, 90}, {200, 90});
    click("map.menu.png");
    ASSERT_TRUE(view_.action);
    const PlotAction action = *view_.action;
    PlotView other;
    const auto height = [&](float height_limit) {
        ui_.frame([&] {
            set_cursor({20, 20});
            draw_plot("picture", *action.plot, other, {360, height_limit});
        });
        return widget_rect("picture").height();
    };
    const float natural_height = height(0);
    EXPECT_GT(natural_height, 100);
    EXPECT_EQ(height(natural_height), natural_height);
    for (const float height_limit : {natural_height - 20, natural_height - 40.5F})
        EXPECT_THAT(height(height_limit), AllOf(testing::Le(height_limit), testing::Gt(height_limit - 3)));
}

TEST(SweepText, ReportsTies) {
    Sweep sweep = make_sweep("64,128", "");
    measure(sweep, 4 + repeat_run_count, [](const lab::Request& request) {
        return request.experiment.variant == "grid_stride" ? 10 : 100;
    });
    const BestSummary words = describe_best(sweep);
    EXPECT_THAT(words.best, HasSubstr("Best: grid_stride"));
    EXPECT_THAT(words.confidence_sentence, HasSubstr("A tie with one more: grid_stride, workgroup_size ="));
    EXPECT_THAT(describe_sweep_progress(sweep, false), HasSubstr("All 4 cells"));
}

TEST(SweepText, TooltipGivesTheReasonOfARefusal) {
    Sweep sweep = make_sweep("64,2048", "");
    const CellTooltip words = cell_tooltip(sweep, sweep.index(0, 1, 0));
    EXPECT_EQ(words.lines.back().second.find("workgroup_size = 2048"), 0U);
    EXPECT_FALSE(describe_best(sweep).found);
    EXPECT_THAT(missing_time_reasons(sweep, "").front(), HasSubstr("2 cells are refused"));
}

TEST(CompareText, DifferenceHasARangeAndOverlapIsNoDifference) {
    const std::vector<double> a = {100, 100, 101, 99, 100, 100}, b = {110, 111, 109, 110, 110, 110};
    const DifferenceText slower = describe_difference(summarize(b), summarize(a));
    EXPECT_EQ(slower.verdict, "slower");
    EXPECT_THAT(slower.percent, HasSubstr("+10 % (+"));
    EXPECT_EQ(describe_difference(summarize(a), summarize(b)).verdict, "faster");
    EXPECT_EQ(describe_difference(summarize(a), summarize(a)).verdict, "cannot be told apart");
    EXPECT_EQ(describe_difference(summarize(std::vector{100.0}), summarize(a)).verdict, "too few samples");
    EXPECT_EQ(describe_difference(summarize({}), summarize(a)).verdict, "no time");
}

}  // namespace gridstride::ui::sweep_figure_test
