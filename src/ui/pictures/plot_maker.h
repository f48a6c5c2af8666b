// Makes the plots of the bench and of its runs on a separate thread: scanning millions of samples takes
// longer than a frame.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "figures/made_pictures.h"
#include "present/figures.h"

namespace gridstride::ui {

struct DataRanges;

/// The input of a set of plots, by value.
struct PlotOrder {
    const Lesson* lesson = nullptr;
    std::shared_ptr<const Prepared> prepared;  ///< the bench; null: there is no device yet
    std::uint32_t registers = 0;               ///< per invocation; 0: unknown
    std::shared_ptr<const Report> report;
    std::shared_ptr<const TakenRecording> recording;  ///< the newest; null: none
    bool running = false;  ///< a run is in flight: the plots of the last report stay until it ends
    /// Runs of any lesson since the last request. They must not move or change.
    std::vector<const HistoryEntry*> ended;
};

struct PlotSet {
    const Lesson* lesson = nullptr;
    std::shared_ptr<const std::vector<Plot>> of_lesson;
    std::vector<Plot> common;                  ///< plots that every lesson has
    std::map<std::string, ValueRange> ranges;  ///< by parameter id: ranges that depend on the input
    /// Keeps the ranges of the arrays cached for drawing, see extents_of().
    std::vector<std::shared_ptr<const DataRanges>> extents;
};

/// Requests the plot of a lesson at its default values, computed on the CPU.
struct CardOrder {
    const Lesson* lesson = nullptr;
    std::string plot;  ///< its id
};

class PlotMaker {
 public:
    /// Starts the thread, which calls on_made after each request. Without it, order() makes the plots itself.
    void start_thread(std::function<void()> on_made);
    /// Queues a request; it replaces a waiting one.
    void order(PlotOrder order);
    /// Queues cards, which are made one after another when no other request waits.
    void order_cards(std::vector<CardOrder> cards);
    /// Returns the plot of a lesson's card; null if there is none or it is not made yet. Never changes.
    const Plot* card(const Lesson& lesson) const;
    /// Returns true while a request waits or is being executed, or if a newer set than `shown` exists.
    bool busy(const std::shared_ptr<const PlotSet>& shown) const;
    /// Replaces `shown` by the newest set; the thread frees the old one. Returns false if `shown` is the
    /// newest.
    bool take_newest(std::shared_ptr<const PlotSet>& shown);

 private:
    void serve(const std::stop_token& over);
    std::shared_ptr<const PlotSet> carry_out(const PlotOrder& order);
    std::shared_ptr<const std::vector<Plot>> lesson_plots(const PlotOrder& order,
                                                          const std::shared_ptr<const Report>& of);
    std::shared_ptr<const Report> report_to_draw(const PlotOrder& order);
    void find_ranges(const Lesson& lesson, const Input& input);

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<PlotOrder> waiting_;
    std::vector<CardOrder> waiting_cards_;  ///< the last is next
    std::map<const Lesson*, Plot> cards_;
    bool at_work_ = false;
    std::shared_ptr<const PlotSet> newest_;
    std::vector<std::shared_ptr<const PlotSet>> to_free_;
    std::function<void()> on_made_;

    // Used only by the thread; without a thread, by order().
    std::vector<const HistoryEntry*> runs_;
    MadePictures pictures_;
    std::weak_ptr<const Report> drawn_report_;  ///< the inputs of drawn_
    std::weak_ptr<const TakenRecording> drawn_recording_;
    std::size_t drawn_runs_ = 0;
    std::weak_ptr<const std::vector<Plot>> drawn_;
    std::shared_ptr<const Report> computed_;  ///< cached; of the last request that needed one
    std::weak_ptr<const Array> ranged_;       ///< first array of the input of ranges_
    std::map<std::string, ValueRange> ranges_;

    std::jthread thread_;  ///< last member, so that it ends first
};

}  // namespace gridstride::ui
