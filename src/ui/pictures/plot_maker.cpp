#include "ui/pictures/plot_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/priority.h"
#include "lesson/computed_report.h"
#include "ui/pictures/series_data.h"

namespace gridstride::ui {

namespace {

/// A variant that is wrong on purpose has no computed report: its results would not show the error.
bool can_be_computed(const Prepared& prepared) {
    return prepared.valid() && !is_wrong_on_purpose(*prepared.lesson, prepared.experiment) &&
           prepared.elements() <= max_computed_elements;
}

/// Makes the plot of a card. It assumes a device with all subgroup features, since cards are drawn before a
/// device is open.
std::optional<Plot> make_card(const CardOrder& card) {
    Limits limits;
    limits.subgroup_arithmetic = limits.subgroup_ballot = limits.subgroup_shuffle = true;
    try {
        const Prepared prepared = prepare(*card.lesson, default_experiment(*card.lesson), limits);
        if (!prepared.valid()) return std::nullopt;
        std::optional<Report> report;
        if (can_be_computed(prepared)) report = computed_report(prepared);
        for (Plot& plot : MadePictures().of({prepared, report ? &*report : nullptr}))
            if (plot.id == card.plot && plot.missing.empty()) return std::move(plot);
    } catch (const std::exception& error) {
        log_warning(fmt::format("cannot plot the card of {}: {}", card.lesson->id, error.what()));
    }
    return std::nullopt;
}

}  // namespace

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

void PlotMaker::order_cards(std::vector<CardOrder> cards) {
    if (!thread_.joinable()) {
        for (const CardOrder& card : cards)
            if (auto made = make_card(card)) cards_.emplace(card.lesson, std::move(*made));
        return;
    }
    std::ranges::reverse(cards);
    const std::lock_guard lock(mutex_);
    waiting_cards_ = std::move(cards);
    changed_.notify_all();
}

const Plot* PlotMaker::card(const Lesson& lesson) const {
    const std::lock_guard lock(mutex_);
    const auto found = cards_.find(&lesson);
    return found == cards_.end() ? nullptr : &found->second;
}

bool PlotMaker::busy(const std::shared_ptr<const PlotSet>& shown) const {
    const std::lock_guard lock(mutex_);
    return waiting_ || at_work_ || !waiting_cards_.empty() || newest_ != shown;
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
    const auto has_work = [this] { return waiting_ || !to_free_.empty() || !waiting_cards_.empty(); };
    while (changed_.wait(lock, over, has_work) && !over.stop_requested()) {
        auto freed = std::exchange(to_free_, {});
        std::optional<PlotOrder> order = std::exchange(waiting_, std::nullopt);
        std::optional<CardOrder> card;
        if (!order && !waiting_cards_.empty()) {
            card = std::move(waiting_cards_.back());
            waiting_cards_.pop_back();
        }
        at_work_ = order || card;
        lock.unlock();
        freed.clear();
        std::shared_ptr<const PlotSet> made;
        std::optional<Plot> made_card;
        if (order) made = carry_out(*order);
        if (card) made_card = make_card(*card);
        order.reset();
        lock.lock();
        if (!made && !card) continue;
        if (made) newest_ = std::move(made);
        if (made_card) cards_.emplace(card->lesson, std::move(*made_card));
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
        const std::shared_ptr<const Report> of = report_to_draw(order);
        set->of_lesson = lesson_plots(order, of);
        if (of) find_ranges(*order.lesson, of->input);
        if (of) set->ranges = ranges_;
        for (const Plot& plot : *set->of_lesson)
            if (const auto* figure = std::get_if<Figure>(&plot.content))
                for (const Series& series : figure->series)
                    if (series.y_array) set->extents.push_back(extents_of(series.y_array, figure->y.scale));
        const auto add = [&](std::optional<Plot> plot) {
            if (plot) set->common.push_back(std::move(*plot));
        };
        const bool valid = order.prepared && order.prepared->valid();
        if (order.report && !order.report->timings.wall.samples.empty()) {
            add(where_the_time_goes(*order.report));
            add(kernel_samples(*order.report));
        }
        if (order.prepared) add(time_per_variant(*order.prepared, runs_));
        add(time_history(*order.lesson, runs_));
        add(roofline(*order.lesson, runs_));
        if (valid) add(occupancy_picture(*order.prepared, order.registers));
    } catch (const std::exception& error) {
        log_warning(fmt::format("cannot make a plot of {}: {}", order.lesson->id, error.what()));
        if (!set->of_lesson) set->of_lesson = std::make_shared<std::vector<Plot>>();
    }
    return set;
}

std::shared_ptr<const Report> PlotMaker::report_to_draw(const PlotOrder& order) {
    if (!order.prepared) return nullptr;
    // Applies to the user's own kernel too: its expected result is the same.
    const bool of_bench = order.report && same_question(order.report->experiment, order.prepared->experiment);
    const bool stays = of_bench || order.running || !order.prepared->valid();
    if (order.report && !order.report->outputs.empty() && stays) return order.report;
    // A run without outputs is not replaced by a computed report.
    if (of_bench || !can_be_computed(*order.prepared)) return nullptr;
    if (!computed_ || computed_->experiment != order.prepared->experiment)
        computed_ = std::make_shared<const Report>(computed_report(*order.prepared));
    return computed_;
}

void PlotMaker::find_ranges(const Lesson& lesson, const Input& input) {
    const std::shared_ptr<const Array> first = input.empty() ? nullptr : input.front().array;
    if (first && ranged_.lock() == first) return;
    ranged_ = first;
    ranges_.clear();
    if (!lesson.range_of || !first) return;
    for (const Parameter& parameter : lesson.parameters)
        if (const auto range = lesson.range_of(parameter.id, input)) ranges_.emplace(parameter.id, *range);
}

std::shared_ptr<const std::vector<Plot>> PlotMaker::lesson_plots(const PlotOrder& order,
                                                                 const std::shared_ptr<const Report>& of) {
    // A plot of results belongs to the run that produced them; a plot that needs no run belongs to the bench.
    if (!order.prepared || (!of && !order.prepared->valid())) return std::make_shared<std::vector<Plot>>();
    // A change of the bench does not change the plots of a run.
    if (auto drawn = drawn_.lock(); drawn && of && drawn_report_.lock() == of &&
                                    drawn_recording_.lock() == order.recording && drawn_runs_ == runs_.size())
        return drawn;
    std::vector<const Report*> history;
    for (const HistoryEntry* run : runs_)
        // Runs of the user's own kernel are not part of the variant's history.
        if (run->report.experiment.lesson == order.lesson->id && !run->report.experiment.kernel)
            history.push_back(&run->report);
    const bool same = !of || of->experiment == order.prepared->experiment;
    const Prepared made_of =
        same ? *order.prepared : prepare(*order.lesson, of->experiment, order.prepared->limits);
    auto made = std::make_shared<const std::vector<Plot>>(
        pictures_.of({made_of, of.get(), history, order.recording.get()}));
    drawn_ = made;
    drawn_report_ = of;
    drawn_recording_ = order.recording;
    drawn_runs_ = runs_.size();
    return made;
}

}  // namespace gridstride::ui
