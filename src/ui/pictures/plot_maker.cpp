#include "ui/pictures/plot_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/priority.h"
#include "lesson/compute_report.h"
#include "ui/pictures/series_data.h"

namespace gridstride::ui {

namespace {

std::optional<Plot> make_card(const CardRequest& card) {
    try {
        for (Plot& plot : make_computed_plots(*card.lesson, default_experiment(*card.lesson)))
            if (plot.id == card.plot) return std::move(plot);
    } catch (const std::exception& error) {
        log_warning(fmt::format("cannot plot the card of {}: {}", card.lesson->id, error.what()));
    }
    return std::nullopt;
}

}  // namespace

void PlotMaker::start_thread(std::function<void()> on_done) {
    on_done_ = std::move(on_done);
    thread_ = std::jthread([this](const std::stop_token& stop) {
        lower_thread_priority();
        run_worker(stop);
    });
}

void PlotMaker::request(PlotRequest request) {
    if (!thread_.joinable()) {
        newest_ = make_plots(request);
        return;
    }
    const std::lock_guard lock(mutex_);
    if (queued_)
        request.ended_runs.insert(request.ended_runs.begin(), queued_->ended_runs.begin(),
                                  queued_->ended_runs.end());
    queued_ = std::move(request);
    changed_.notify_all();
}

void PlotMaker::request_cards(std::vector<CardRequest> cards) {
    if (!thread_.joinable()) {
        for (const CardRequest& card : cards)
            if (auto result = make_card(card)) cards_.emplace(card, std::move(*result));
        return;
    }
    std::ranges::reverse(cards);
    const std::lock_guard lock(mutex_);
    queued_cards_ = std::move(cards);
    changed_.notify_all();
}

const Plot* PlotMaker::find_card(const CardRequest& card) const {
    const std::lock_guard lock(mutex_);
    const auto found = cards_.find(card);
    return found == cards_.end() ? nullptr : &found->second;
}

bool PlotMaker::is_busy(const std::shared_ptr<const PlotSet>& shown) const {
    const std::lock_guard lock(mutex_);
    return queued_ || is_working_ || !queued_cards_.empty() || newest_ != shown;
}

bool PlotMaker::take_newest(std::shared_ptr<const PlotSet>& shown) {
    const std::lock_guard lock(mutex_);
    if (shown == newest_) return false;
    std::shared_ptr<const PlotSet> old = std::exchange(shown, newest_);
    if (old && thread_.joinable()) to_free_.push_back(std::move(old));
    changed_.notify_all();
    return true;
}

void PlotMaker::run_worker(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto has_work = [this] { return queued_ || !to_free_.empty() || !queued_cards_.empty(); };
    while (changed_.wait(lock, stop, has_work) && !stop.stop_requested()) {
        auto to_free = std::exchange(to_free_, {});
        std::optional<PlotRequest> request = std::exchange(queued_, std::nullopt);
        std::optional<CardRequest> card;
        if (!request && !queued_cards_.empty()) {
            card = std::move(queued_cards_.back());
            queued_cards_.pop_back();
        }
        is_working_ = request || card;
        lock.unlock();
        to_free.clear();
        std::shared_ptr<const PlotSet> result;
        std::optional<Plot> card_plot;
        if (request) result = make_plots(*request);
        if (card) card_plot = make_card(*card);
        request.reset();
        lock.lock();
        if (!result && !card) continue;
        if (result) newest_ = std::move(result);
        if (card_plot) cards_.emplace(*card, std::move(*card_plot));
        is_working_ = false;
        lock.unlock();
        on_done_();
        lock.lock();
    }
}

std::shared_ptr<const PlotSet> PlotMaker::make_plots(const PlotRequest& request) {
    runs_.insert(runs_.end(), request.ended_runs.begin(), request.ended_runs.end());
    auto set = std::make_shared<PlotSet>();
    set->lesson = request.lesson;
    try {
        const std::shared_ptr<const Report> of = report_to_draw(request);
        set->lesson_specific = lesson_plots(request, of);
        if (of) find_ranges(*request.lesson, of->input);
        if (of) set->ranges = ranges_;
        for (const Plot& plot : *set->lesson_specific)
            if (const auto* figure = std::get_if<Figure>(&plot.content))
                for (const Series& series : figure->series)
                    if (series.y_array) set->extents.push_back(get_extents(series.y_array, figure->y.scale));
        const auto add = [&](std::optional<Plot> plot) {
            if (plot) set->common.push_back(std::move(*plot));
        };
        const bool valid = request.prepared && request.prepared->is_valid();
        if (request.report && !request.report->timings.wall.samples.empty()) {
            add(time_breakdown_plot(*request.report));
            add(kernel_samples_plot(*request.report));
        }
        if (request.prepared) add(time_per_variant_plot(*request.prepared, runs_));
        add(time_history_plot(*request.lesson, runs_));
        add(roofline_plot(*request.lesson, runs_));
        if (valid) add(occupancy_plot(*request.prepared, request.registers));
    } catch (const std::exception& error) {
        log_warning(fmt::format("cannot make a plot of {}: {}", request.lesson->id, error.what()));
        if (!set->lesson_specific) set->lesson_specific = std::make_shared<std::vector<Plot>>();
    }
    return set;
}

std::shared_ptr<const Report> PlotMaker::report_to_draw(const PlotRequest& request) {
    if (!request.prepared) return nullptr;
    // Applies to the user's own kernel too: its expected result is the same.
    const bool of_bench =
        request.report && same_expected_results(request.report->experiment, request.prepared->experiment);
    const bool stays = of_bench || request.is_running || !request.prepared->is_valid();
    if (request.report && !request.report->outputs.empty() && stays) return request.report;
    // A run without outputs is not replaced by a computed report.
    if (of_bench) return nullptr;
    if (!computed_ || computed_->experiment != request.prepared->experiment) {
        std::optional<Report> report = compute_report_for_pictures(*request.prepared);
        if (!report) return nullptr;
        computed_ = std::make_shared<const Report>(*std::move(report));
    }
    return computed_;
}

void PlotMaker::find_ranges(const Lesson& lesson, const Input& input) {
    const std::shared_ptr<const Array> first = input.empty() ? nullptr : input.front().array;
    if (first && ranges_array_.lock() == first) return;
    ranges_array_ = first;
    ranges_.clear();
    if (!lesson.effective_range || !first) return;
    for (const Parameter& parameter : lesson.parameters)
        if (const auto range = lesson.effective_range(parameter.id, input))
            ranges_.emplace(parameter.id, *range);
}

std::shared_ptr<const std::vector<Plot>> PlotMaker::lesson_plots(const PlotRequest& request,
                                                                 const std::shared_ptr<const Report>& of) {
    // A plot of results belongs to the run that produced them; a plot that needs no run belongs to the bench.
    if (!request.prepared || (!of && !request.prepared->is_valid()))
        return std::make_shared<std::vector<Plot>>();
    // A change of the bench does not change the plots of a run.
    if (auto drawn = drawn_.lock(); drawn && of && drawn_report_.lock() == of &&
                                    drawn_trace_.lock() == request.trace && drawn_runs_ == runs_.size())
        return drawn;
    std::vector<const Report*> history;
    for (const HistoryEntry* run : runs_)
        // Runs of the user's own kernel are not part of the variant's history.
        if (run->report.experiment.lesson == request.lesson->id && !run->report.experiment.kernel)
            history.push_back(&run->report);
    const bool same = !of || of->experiment == request.prepared->experiment;
    const PreparedExperiment source =
        same ? *request.prepared : prepare(*request.lesson, of->experiment, request.prepared->limits);
    auto result = std::make_shared<const std::vector<Plot>>(
        pictures_.of({source, of.get(), history, request.trace.get()}));
    drawn_ = result;
    drawn_report_ = of;
    drawn_trace_ = request.trace;
    drawn_runs_ = runs_.size();
    return result;
}

}  // namespace gridstride::ui
