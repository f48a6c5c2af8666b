// Pictures are made beside the window: it never waits for one, and the newest order wins.
#include "ui/pictures/plot_maker.h"

#include <condition_variable>
#include <mutex>

#include "base/shared_memory.h"
#include "figures/figures.h"
#include "jobs/fake_lab.h"
#include "test_includes.h"
#include "ui/panels/workspace.h"
#include "ui/pictures/series_data.h"

namespace gridstride::ui::plot_maker_test {

/// Holds up whoever makes pictures until the test opens it, and counts.
class Gate {
 public:
    void pass() {
        std::unique_lock lock(mutex_);
        ++arrived_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return open_; });
    }
    void wait_for(int arrived) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return arrived_ >= arrived; });
    }
    void set_open(bool open) {
        {
            const std::lock_guard lock(mutex_);
            open_ = open;
        }
        changed_.notify_all();
    }
    int arrived() {
        const std::lock_guard lock(mutex_);
        return arrived_;
    }

 private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = true;
    int arrived_ = 0;
};
Gate* gate = nullptr;

/// A curve over the run's own numbers, and the workgroup's size in the title.
void gated_pictures(Figures& add, const PreparedExperiment& run) {
    gate->pass();
    FigureBuilder& figure = add.figure("gated", std::to_string(run[key::workgroup_size])).measured();
    if (const Report* const report = add.report())
        figure.series(
            {.label = report->computed ? "computed" : "numbers", .y_array = report->outputs.front().array});
    figure.note(std::to_string(add.history().size()));
}

class PlotMakerTest : public testing::Test {
 protected:
    PlotMakerTest() : lesson_(*find_lesson("reduction")), session_(lab_, "en") {
        gate = &gate_;
        lesson_.task.pictures = &gated_pictures;
        session_.open(lesson_, 0);
        session_.pump();
        // Nothing runs while a question is open.
        if (const auto question = session_.open_question()) session_.skip_question(*question);
        workspace_.emplace(session_);
    }
    ~PlotMakerTest() override { gate_.set_open(true); }

    void start_thread() {
        workspace_->plot_maker.start_thread([this] {
            ++made_;
            made_.notify_all();
        });
    }
    void wait_for_sets(int made) {
        for (int now = made_; now < made; now = made_)
            made_.wait(now);
    }
    void set_size(std::uint64_t workgroup_size) { session_.set_value("workgroup_size", workgroup_size); }
    /// Of what stands on the bench, without a run of it.
    void stop_and_refresh() {
        session_.stop();
        workspace_->refresh_plots();
    }
    void answer_and_refresh(ArrayRef numbers) {
        answer(std::move(numbers));
        workspace_->refresh_plots();
    }
    const Plot* plot() const { return workspace_->find_plot("gated"); }
    /// An order that is being made, and waits.
    void hold_up_an_order() {
        start_thread();
        gate_.set_open(false);
        set_size(32);
        EXPECT_FALSE(workspace_->refresh_plots());
        gate_.wait_for(1);
    }
    /// A run of the bench with these numbers as its output.
    void answer(ArrayRef numbers) {
        session_.run();
        Report report = answer_to(lab_.requests.back(), Status::ok);
        report.outputs = {{"numbers", std::move(numbers)}};
        report.timings.kernel.samples = {1, 2, 3};
        lab_.answers.push_back(std::move(report));
        session_.pump();
    }
    std::string title() const { return plot() ? plot()->title : "none"; }

    /// What the picture's series is called; "none" without one.
    std::string drawn() const {
        if (!plot()) return "no picture";
        const auto& series = std::get<Figure>(plot()->content).series;
        return series.empty() ? "none" : series.front().label;
    }

    Gate gate_;
    std::atomic<int> made_ = 0;
    FakeLab lab_;
    Lesson lesson_;
    Session session_;
    std::optional<Workspace> workspace_;
};

TEST_F(PlotMakerTest, TheWindowDoesNotWaitAndTheNewestOrderWins) {
    hold_up_an_order();
    for (const std::uint64_t size : {64, 128, 256}) {
        set_size(size);
        EXPECT_FALSE(workspace_->refresh_plots());
    }
    EXPECT_TRUE(workspace_->plots_pending());
    EXPECT_EQ(title(), "none");
    gate_.set_open(true);
    wait_for_sets(2);
    EXPECT_TRUE(workspace_->refresh_plots());
    EXPECT_EQ(title(), "256");
    EXPECT_EQ(gate_.arrived(), 2) << "those in between were not made";
    EXPECT_FALSE(workspace_->refresh_plots());
    EXPECT_FALSE(workspace_->plots_pending());
}

TEST_F(PlotMakerTest, WhatIsShownStaysWhileTheNextIsMade) {
    start_thread();
    set_size(32);
    workspace_->refresh_plots();
    wait_for_sets(1);
    workspace_->refresh_plots();
    gate_.set_open(false);
    set_size(64);
    workspace_->refresh_plots();
    gate_.wait_for(2);
    EXPECT_FALSE(workspace_->refresh_plots());
    EXPECT_EQ(title(), "32");
    session_.open(*find_lesson("histogram"), 0);
    EXPECT_EQ(title(), "none") << "another lesson's";
}

TEST_F(PlotMakerTest, APictureOfARunIsMadeOnceForIt) {
    answer_and_refresh(array_of<float>({1, 2, 3}));
    const int made = gate_.arrived();
    const Plot* first = plot();
    for (const std::uint64_t size : {32, 64, 128}) {
        set_size(size);
        EXPECT_TRUE(workspace_->refresh_plots());
    }
    EXPECT_EQ(gate_.arrived(), made) << "the bench changed, the run did not";
    EXPECT_EQ(plot(), first);
    answer_and_refresh(array_of<float>({4, 5, 6}));
    EXPECT_EQ(gate_.arrived(), made + 1);
    EXPECT_EQ(plot()->note, "2") << "runs so far";
}

TEST_F(PlotMakerTest, RunsThatEndWhileAnOrderWaitsAreNotLost) {
    hold_up_an_order();
    for (int i = 0; i < 5; ++i) {
        answer_and_refresh(array_of<float>({1, 2, 3}));
    }
    gate_.set_open(true);
    wait_for_sets(2);
    workspace_->refresh_plots();
    EXPECT_EQ(plot()->note, "5");
    const auto& history = std::get<Figure>(workspace_->find_plot("time_history")->content);
    EXPECT_EQ(history.series.front().y.size(), 5u);
}

TEST_F(PlotMakerTest, BeforeARunThePictureIsOfWhatARightOneGives) {
    workspace_->refresh_plots();
    EXPECT_EQ(drawn(), "computed");
    EXPECT_EQ(plot()->origin, Origin::computed);
    const auto& figure = std::get<Figure>(plot()->content);
    const std::uint64_t sums =
        divide_up(session_.bench().values()[key::elements], session_.bench().values()[key::workgroup_size]);
    EXPECT_EQ(figure.series.front().y_array->count(), sums) << "the reference's partial sums";
    answer_and_refresh(array_of<float>({1, 2, 3}));
    EXPECT_EQ(drawn(), "numbers");
    EXPECT_EQ(plot()->origin, Origin::measured);
    // While the bench's next run is in the air the last result stays; where none is, it is not the bench's.
    set_size(64);
    workspace_->refresh_plots();
    EXPECT_EQ(drawn(), "numbers");
    session_.stop();
    lab_.answers.push_back(answer_to(lab_.requests.back(), Status::stopped));
    session_.pump();
    set_size(session_.bench().values()[key::workgroup_size]);
    workspace_->refresh_plots();
    EXPECT_NE(drawn(), "numbers");
}

TEST_F(PlotMakerTest, WhatIsWrongOnPurposeOrTooLargeIsNotComputed) {
    session_.set_value("barriers", ChoiceIndex{1});  // one is missing
    stop_and_refresh();
    EXPECT_EQ(drawn(), "none");
    session_.set_value("barriers", ChoiceIndex{0});
    stop_and_refresh();
    EXPECT_EQ(drawn(), "computed");
    session_.set_value("elements", std::uint64_t{(1U << 20) + 1});
    stop_and_refresh();
    EXPECT_EQ(drawn(), "none");
}

TEST_F(PlotMakerTest, CardsAreMadeOnceBehindTheOrders) {
    start_thread();
    workspace_->plot_maker.request_cards({{&lesson_, "gated"}, {find_lesson("histogram"), "there is none"}});
    EXPECT_TRUE(workspace_->plots_pending());
    wait_for_sets(2);
    while (workspace_->plot_maker.busy(nullptr))
        std::this_thread::yield();
    const Plot* card = workspace_->plot_maker.card(lesson_);
    ASSERT_NE(card, nullptr);
    EXPECT_EQ(std::get<Figure>(card->content).series.front().label, "computed");
    EXPECT_EQ(workspace_->plot_maker.card(*find_lesson("histogram")), nullptr);
    EXPECT_EQ(workspace_->plot_maker.card(lesson_), card);
}

std::optional<ValueRange> range_of_elements(std::string_view parameter, const Input& input) {
    if (parameter != key::elements.id) return std::nullopt;
    return ValueRange{1, static_cast<double>(input.front().array->count())};
}

TEST_F(PlotMakerTest, ALessonSaysTheRangeOfAParameterFromItsInput) {
    workspace_->refresh_plots();
    EXPECT_FALSE(workspace_->slider_range("elements").has_value());
    lesson_.effective_range = range_of_elements;
    session_.set_value("elements", std::uint64_t{5000});
    stop_and_refresh();
    ASSERT_TRUE(workspace_->slider_range("elements").has_value());
    EXPECT_EQ(workspace_->slider_range("elements")->high, 5000);
    EXPECT_FALSE(workspace_->slider_range("workgroup_size").has_value());
}

TEST_F(PlotMakerTest, WhatIsDraggedInAPlotIsPutOnTheBenchWithinItsRange) {
    workspace_->apply_marker_move({"elements", 5000.4});
    EXPECT_EQ(session_.bench().values()[key::elements], 5000U);
    workspace_->apply_marker_move({"workgroup_size", -3});
    EXPECT_EQ(session_.bench().values()[key::workgroup_size], 1U);
    workspace_->apply_marker_move({"no such parameter", 7});
}

TEST_F(PlotMakerTest, AZoomEndsWithItsData) {
    PlotView& view = workspace_->plot_views["result.gated"];
    PlotView& of_sweep = workspace_->plot_views["sweep.plot.1"];
    workspace_->refresh_plots();
    const auto after = [&](const std::function<void()>& change) {
        view.fitted = of_sweep.fitted = false;
        change();
        workspace_->refresh_plots();
        return view.fitted;
    };
    EXPECT_FALSE(after([&] { set_size(64); })) << "the same data";
    EXPECT_TRUE(after([&] { session_.set_variant("tree_interleaved"); }));
    EXPECT_TRUE(after([&] { session_.set_value("elements", std::uint64_t{4096}); }));
    EXPECT_TRUE(after([&] { session_.go_to_step(1); }));
    EXPECT_TRUE(after([&] { session_.open(*find_lesson("histogram"), 0); }));
    EXPECT_FALSE(of_sweep.fitted) << "a sweep's picture is its own";
}

/// For the thread sanitizer: both sides at full speed, with arrays that are let go of on either.
TEST_F(PlotMakerTest, OrdersAndPicturesGoToAndFroWithoutARace) {
    const BackgroundUnmapper unmaps_apart;
    start_thread();
    double seen = 0;
    for (int i = 0; i < 200; ++i) {
        answer(std::make_shared<Array>(ElementType::f32, Array::shared_bytes));
        set_size(32u << (i % 4));
        workspace_->refresh_plots();
        if (plot()) {
            const Series& series = std::get<Figure>(plot()->content).series.front();
            SeriesData data;
            data.update(series, AxisScale::linear, AxisScale::linear);
            seen += data.y(0);
        }
    }
    EXPECT_EQ(seen, 0);
    workspace_.reset();  // with an order under way
}

TEST_F(PlotMakerTest, AnArrayIsLookedAtOnceForAllWhoDrawIt) {
    const ArrayRef array = array_of<float>({3, 1, 2});
    const auto extents = get_extents(array, AxisScale::linear);
    EXPECT_EQ(get_extents(array, AxisScale::linear), extents);
    EXPECT_NE(get_extents(array, AxisScale::logarithmic), extents);
    EXPECT_EQ(extents->all.low, 1);
    EXPECT_EQ(extents->all.high, 3);
}

TEST_F(PlotMakerTest, ARunStaysWhereItIsHoweverManyFollow) {
    answer(array_of<float>({1}));
    const HistoryEntry* first = &session_.runs().all().front();
    for (int i = 0; i < 100; ++i)
        answer(array_of<float>({1}));
    EXPECT_EQ(&session_.runs().all().front(), first);
    EXPECT_EQ(session_.runs().selected(), &session_.runs().all().back());
    session_.runs().select(1);
    EXPECT_EQ(session_.runs().selected(), first);
    session_.runs().pin(7);
    EXPECT_EQ(session_.runs().pinned()->number, 7u);
    EXPECT_EQ(csv_row_count(session_.all_reports()), 303u);
}

}  // namespace gridstride::ui::plot_maker_test
