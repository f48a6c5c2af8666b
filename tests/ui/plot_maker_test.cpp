// Another thread makes the plots: the window never waits for one, and the newest request wins.
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

/// Blocks the thread that makes plots until the test opens the gate, and counts its arrivals.
class Gate {
 public:
    void pass() {
        std::unique_lock lock(mutex_);
        ++arrivals_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return open_; });
    }
    void wait_for(int count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return arrivals_ >= count; });
    }
    void set_open(bool open) {
        {
            const std::lock_guard lock(mutex_);
            open_ = open;
        }
        changed_.notify_all();
    }
    int arrivals() {
        const std::lock_guard lock(mutex_);
        return arrivals_;
    }

 private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = true;
    int arrivals_ = 0;
};
Gate* gate = nullptr;

/// Adds a curve of the run's numbers, with the size of the workgroup in its title.
void add_gated_plot(Figures& add, const PreparedExperiment& run) {
    gate->pass();
    FigureBuilder& figure = add.figure("gated", std::to_string(run[key::workgroup_size])).measured();
    if (const Report* const report = add.report())
        figure.series(report->outputs.empty()
                          ? Series{.label = "input", .y_array = report->input.front().array}
                          : Series{.label = report->computed ? "computed" : "numbers",
                                   .y_array = report->outputs.front().array});
    figure.note(std::to_string(add.history().size()));
}

class PlotMakerTest : public testing::Test {
 protected:
    PlotMakerTest() : lesson_(*find_lesson("reduction")), session_(lab_, "en") {
        gate = &gate_;
        lesson_.task.pictures = &add_gated_plot;
        session_.open(entry_, 0);
        session_.pump();
        // Nothing runs while a question is open.
        if (const auto question = session_.open_question()) session_.skip_question(*question);
        workspace_.emplace(session_);
    }
    ~PlotMakerTest() override { gate_.set_open(true); }

    void start_thread() {
        workspace_->plot_maker.start_thread([this] {
            ++finished_sets_;
            finished_sets_.notify_all();
        });
    }
    void wait_for_sets(int count) {
        for (int now = finished_sets_; now < count; now = finished_sets_)
            finished_sets_.wait(now);
    }
    void set_size(std::uint64_t workgroup_size) { session_.set_value("workgroup_size", workgroup_size); }
    /// Refreshes the plots for the bench without a run of it.
    void stop_and_refresh() {
        session_.stop();
        workspace_->refresh_plots();
    }
    void answer_and_refresh(ArrayRef numbers) {
        answer(std::move(numbers));
        workspace_->refresh_plots();
    }
    const Plot* plot() const { return workspace_->find_plot("gated"); }
    /// Starts a request that waits at the gate.
    void start_blocked_request() {
        start_thread();
        gate_.set_open(false);
        set_size(32);
        EXPECT_FALSE(workspace_->refresh_plots());
        gate_.wait_for(1);
    }
    /// Runs the bench; the lab answers with these numbers as the output.
    void answer(ArrayRef numbers) {
        session_.run();
        Report report = answer_to(lab_.requests.back(), Status::ok);
        report.outputs = {{"numbers", std::move(numbers)}};
        report.timings.kernel.samples = {1, 2, 3};
        lab_.answers.push_back(std::move(report));
        session_.pump();
    }
    std::string title() const { return plot() ? plot()->title : "none"; }

    /// The label of the plot's series; "none" without a series.
    std::string series_label() const {
        if (!plot()) return "no plot";
        const auto& series = std::get<Figure>(plot()->content).series;
        return series.empty() ? "none" : series.front().label;
    }

    Gate gate_;
    std::atomic<int> finished_sets_ = 0;
    FakeLab lab_;
    Lesson lesson_;
    CourseEntry entry_{.lesson = &lesson_, .id = lesson_.id};
    Session session_;
    std::optional<Workspace> workspace_;
};

TEST_F(PlotMakerTest, NewestRequestWinsAndTheWindowDoesNotWait) {
    start_blocked_request();
    for (const std::uint64_t size : {64, 128, 256}) {
        set_size(size);
        EXPECT_FALSE(workspace_->refresh_plots());
    }
    EXPECT_TRUE(workspace_->has_pending_plots());
    EXPECT_EQ(title(), "none");
    gate_.set_open(true);
    wait_for_sets(2);
    EXPECT_TRUE(workspace_->refresh_plots());
    EXPECT_EQ(title(), "256");
    EXPECT_EQ(gate_.arrivals(), 2) << "the requests in between were skipped";
    EXPECT_FALSE(workspace_->refresh_plots());
    EXPECT_FALSE(workspace_->has_pending_plots());
}

TEST_F(PlotMakerTest, OldPlotStaysWhileTheNextIsMade) {
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
    session_.open(*find_course_entry("histogram"), 0);
    EXPECT_EQ(title(), "none") << "the plot belongs to another lesson";
}

TEST_F(PlotMakerTest, MakesThePlotOfARunOnce) {
    answer_and_refresh(array_of<float>({1, 2, 3}));
    const int before = gate_.arrivals();
    const Plot* first = plot();
    for (const std::uint64_t size : {32, 64, 128}) {
        set_size(size);
        EXPECT_TRUE(workspace_->refresh_plots());
    }
    EXPECT_EQ(gate_.arrivals(), before) << "the bench changed, the run did not";
    EXPECT_EQ(plot(), first);
    answer_and_refresh(array_of<float>({4, 5, 6}));
    EXPECT_EQ(gate_.arrivals(), before + 1);
    EXPECT_EQ(plot()->note, "2") << "the number of runs so far";
}

TEST_F(PlotMakerTest, IncludesRunsThatEndDuringARequest) {
    start_blocked_request();
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

TEST_F(PlotMakerTest, ShowsTheComputedResultBeforeARun) {
    workspace_->refresh_plots();
    EXPECT_EQ(series_label(), "computed");
    EXPECT_EQ(plot()->origin, Origin::computed);
    const auto& figure = std::get<Figure>(plot()->content);
    const std::uint64_t sums =
        divide_up(session_.bench().values()[key::elements], session_.bench().values()[key::workgroup_size]);
    EXPECT_EQ(figure.series.front().y_array->count(), sums) << "the reference's partial sums";
    answer_and_refresh(array_of<float>({1, 2, 3}));
    EXPECT_EQ(series_label(), "numbers");
    EXPECT_EQ(plot()->origin, Origin::measured);
    // The last result stays while the bench's next run is pending. Without one, it is not the bench's result.
    set_size(64);
    workspace_->refresh_plots();
    EXPECT_EQ(series_label(), "numbers");
    session_.stop();
    lab_.answers.push_back(answer_to(lab_.requests.back(), Status::stopped));
    session_.pump();
    set_size(session_.bench().values()[key::workgroup_size]);
    workspace_->refresh_plots();
    EXPECT_NE(series_label(), "numbers");
}

TEST_F(PlotMakerTest, DoesNotComputeIntentionallyWrongOrLargeRuns) {
    session_.set_value("barriers", ChoiceIndex{1});  // one barrier is missing
    stop_and_refresh();
    EXPECT_EQ(series_label(), "input");
    session_.set_value("barriers", ChoiceIndex{0});
    stop_and_refresh();
    EXPECT_EQ(series_label(), "computed");
    session_.set_value("elements", std::uint64_t{(1U << 20) + 1});
    stop_and_refresh();
    EXPECT_EQ(series_label(), "none");
}

TEST_F(PlotMakerTest, MakesCardsOnceAfterTheRequests) {
    start_thread();
    workspace_->plot_maker.request_cards({{&lesson_, "gated"}, {find_lesson("histogram"), "there is none"}});
    EXPECT_TRUE(workspace_->has_pending_plots());
    wait_for_sets(2);
    while (workspace_->plot_maker.is_busy(nullptr))
        std::this_thread::yield();
    const Plot* card = workspace_->plot_maker.find_card({&lesson_, "gated"});
    ASSERT_NE(card, nullptr);
    EXPECT_EQ(std::get<Figure>(card->content).series.front().label, "computed");
    EXPECT_EQ(workspace_->plot_maker.find_card({find_lesson("histogram"), "there is none"}), nullptr);
    EXPECT_EQ(workspace_->plot_maker.find_card({&lesson_, "gated"}), card);
}

std::optional<ValueRange> element_range(std::string_view parameter, const Input& input) {
    if (parameter != key::elements.id) return std::nullopt;
    return ValueRange{1, static_cast<double>(input.front().array->count())};
}

TEST_F(PlotMakerTest, LessonLimitsASliderByItsInput) {
    workspace_->refresh_plots();
    EXPECT_FALSE(workspace_->slider_range("elements").has_value());
    lesson_.effective_range = element_range;
    session_.set_value("elements", std::uint64_t{5000});
    stop_and_refresh();
    ASSERT_TRUE(workspace_->slider_range("elements").has_value());
    EXPECT_EQ(workspace_->slider_range("elements")->high, 5000);
    EXPECT_FALSE(workspace_->slider_range("workgroup_size").has_value());
}

TEST_F(PlotMakerTest, MarkerMoveIsClampedToTheParametersRange) {
    workspace_->apply_marker_move({"elements", 5000.4});
    EXPECT_EQ(session_.bench().values()[key::elements], 5000U);
    workspace_->apply_marker_move({"workgroup_size", -3});
    EXPECT_EQ(session_.bench().values()[key::workgroup_size], 1U);
    workspace_->apply_marker_move({"no such parameter", 7});
}

TEST_F(PlotMakerTest, NewDataResetsTheZoom) {
    PlotView& view = workspace_->plot_views["result.gated"];
    PlotView& sweep_view = workspace_->plot_views["sweep.plot.1"];
    workspace_->refresh_plots();
    const auto is_reset_by = [&](const std::function<void()>& change) {
        view.is_fitted = sweep_view.is_fitted = false;
        change();
        workspace_->refresh_plots();
        return view.is_fitted;
    };
    EXPECT_FALSE(is_reset_by([&] { set_size(64); })) << "the same data";
    EXPECT_TRUE(is_reset_by([&] { session_.set_variant("tree_interleaved"); }));
    EXPECT_TRUE(is_reset_by([&] { session_.set_value("elements", std::uint64_t{4096}); }));
    EXPECT_TRUE(is_reset_by([&] { session_.go_to_step(1); }));
    EXPECT_TRUE(is_reset_by([&] { session_.open(*find_course_entry("histogram"), 0); }));
    EXPECT_FALSE(sweep_view.is_fitted) << "the plot of a sweep keeps its zoom";
}

/// For the thread sanitizer: both threads work at full speed, and either one may release arrays.
TEST_F(PlotMakerTest, RequestsAndPlotsDoNotRace) {
    const BackgroundUnmapper unmapper;
    start_thread();
    double sum = 0;
    for (int i = 0; i < 200; ++i) {
        answer(std::make_shared<Array>(ElementType::f32, Array::shared_bytes));
        set_size(32u << (i % 4));
        workspace_->refresh_plots();
        if (plot()) {
            const Series& series = std::get<Figure>(plot()->content).series.front();
            SeriesData data;
            data.update(series, AxisScale::linear, AxisScale::linear);
            sum += data.y(0);
        }
    }
    EXPECT_EQ(sum, 0);
    workspace_.reset();  // while a request is pending
}

TEST_F(PlotMakerTest, ComputesTheExtentsOfAnArrayOnce) {
    const ArrayRef array = array_of<float>({3, 1, 2});
    const auto extents = get_extents(array, AxisScale::linear);
    EXPECT_EQ(get_extents(array, AxisScale::linear), extents);
    EXPECT_NE(get_extents(array, AxisScale::logarithmic), extents);
    EXPECT_EQ(extents->all.low, 1);
    EXPECT_EQ(extents->all.high, 3);
}

TEST_F(PlotMakerTest, RunsKeepTheirAddress) {
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
