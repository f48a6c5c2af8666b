#include "ui/plot/plot_maker.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "base/priority.h"
#include "ui/plot/series_data.h"

namespace gridstride::ui {

void PlotMaker::start_thread(std::function<void()> on_made) {
    on_made_ = std::move(on_made);
    thread_ = std::jthread([this](const std::stop_token& over) {
        work_beside_the_window();
        serve(over);
    });
}

void PlotMaker::order(PlotOrder order) {
    if (!thread_.joinable()) {
        newest_ = carry_out(order);
        return;
    }
    const std::lock_guard lock(mutex_);
    if (waiting_) order.ended.insert(order.ended.begin(), waiting_->ended.begin(), waiting_->ended.end());
    waiting_ = std::move(order);
    changed_.notify_all();
}

bool PlotMaker::busy() const {
    const std::lock_guard lock(mutex_);
    return waiting_ || at_work_;
}

bool PlotMaker::take_newest(std::shared_ptr<const PlotSet>& shown) {
    const std::lock_guard lock(mutex_);
    if (shown == newest_) return false;
    std::shared_ptr<const PlotSet> old = std::exchange(shown, newest_);
    if (old && thread_.joinable()) to_free_.push_back(std::move(old));
    changed_.notify_all();
    return true;
}

void PlotMaker::serve(const std::stop_token& over) {
    std::unique_lock lock(mutex_);
    const auto has_work = [this] { return waiting_ || !to_free_.empty(); };
    while (changed_.wait(lock, over, has_work) && !over.stop_requested()) {
        auto freed = std::exchange(to_free_, {});
        std::optional<PlotOrder> order = std::exchange(waiting_, std::nullopt);
        at_work_ = order.has_value();
        lock.unlock();
        freed.clear();
        std::shared_ptr<const PlotSet> made;
        if (order) made = carry_out(*order);
        order.reset();
        lock.lock();
        if (!made) continue;
        newest_ = std::move(made);
        at_work_ = false;
        lock.unlock();
        on_made_();
        lock.lock();
    }
}

std::shared_ptr<const PlotSet> PlotMaker::carry_out(const PlotOrder& order) {
    runs_.insert(runs_.end(), order.ended.begin(), order.ended.end());
    auto set = std::make_shared<PlotSet>();
    set->lesson = order.lesson;
    try {
        set->of_lesson = lesson_plots(order);
        for (const Plot& plot : *set->of_lesson)
            if (const auto* figure = std::get_if<Figure>(&plot.content))
                for (const Series& series : figure->series)
                    if (series.y_array) set->extents.push_back(extents_of(series.y_array, figure->y.scale));
        const auto add = [&](std::optional<Plot> plot) {
            if (plot) set->common.push_back(std::move(*plot));
        };
        const bool valid = order.asked && order.asked->valid();
        if (valid) add(launch_picture(order.asked->plan));
        if (order.report && !order.report->timings.wall.samples.empty()) {
            add(where_the_time_goes(*order.report, *order.lesson));
            add(kernel_samples(*order.report));
        }
        if (order.asked) add(time_per_variant(*order.asked, runs_));
        add(time_history(*order.lesson, runs_));
        add(roofline(*order.lesson, runs_));
        if (valid) add(occupancy_picture(*order.asked, order.registers));
    } catch (const std::exception& error) {
        // What is on the bench is worth more than its picture.
        log_warning(fmt::format("a picture of {} cannot be made: {}", order.lesson->id, error.what()));
        if (!set->of_lesson) set->of_lesson = std::make_shared<std::vector<Plot>>();
    }
    return set;
}

std::shared_ptr<const std::vector<Plot>> PlotMaker::lesson_plots(const PlotOrder& order) {
    // A picture of results is of the run that made them; what can be drawn without a run is of the bench.
    const bool of_report = order.report && !order.report->outputs.empty();
    if (!order.lesson->pictures || !order.asked || (!of_report && !order.asked->valid()))
        return std::make_shared<std::vector<Plot>>();
    // A change of the bench changes nothing in a picture of a run.
    if (auto drawn = drawn_.lock();
        drawn && of_report && drawn_report_.lock() == order.report && drawn_runs_ == runs_.size())
        return drawn;
    std::vector<const Report*> history;
    for (const HistoryEntry* run : runs_)
        // What a person's own kernel did says nothing about the variant's.
        if (run->report.experiment.lesson == order.lesson->id && !run->report.experiment.kernel)
            history.push_back(&run->report);
    const bool same = !of_report || order.report->experiment == order.asked->experiment;
    const Prepared of =
        same ? *order.asked : prepare(*order.lesson, order.report->experiment, order.asked->limits);
    auto made = std::make_shared<const std::vector<Plot>>(
        order.lesson->pictures({of, of_report ? order.report.get() : nullptr, history}));
    drawn_ = made;
    drawn_report_ = of_report ? order.report : nullptr;
    drawn_runs_ = runs_.size();
    return made;
}

}  // namespace gridstride::ui
