// Makes the plots of the bench and of its runs on a separate thread: scanning millions of samples takes
// longer than a frame.
#pragma once

#include <compare>
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

#include "figures/picture_cache.h"
#include "present/figures.h"

namespace gridstride::ui {

struct BlockRanges;

/// The input of a set of plots, by value.
struct PlotRequest {
    const Lesson* lesson = nullptr;
    std::shared_ptr<const PreparedExperiment> prepared;  ///< the bench; null: there is no device yet
    std::uint32_t registers = 0;                         ///< per invocation; 0: unknown
    std::shared_ptr<const Report> report;
    std::shared_ptr<const AnalyzedTrace> trace;  ///< the newest; null: none
    bool is_running = false;  ///< a run is in flight: the plots of the last report stay until it ends
    /// Runs of any lesson since the last request. They must not move or change.
    std::vector<const HistoryEntry*> ended_runs;
};

struct PlotSet {
    const Lesson* lesson = nullptr;
    std::shared_ptr<const std::vector<Plot>> lesson_specific;
    std::vector<Plot> common;                  ///< plots that every lesson has
    std::map<std::string, ValueRange> ranges;  ///< by parameter id: ranges that depend on the input
    /// Keeps the ranges of the arrays cached for drawing, see get_extents().
    std::vector<std::shared_ptr<const BlockRanges>> extents;
};

/// Requests the plot of a lesson at its default values, computed on the CPU.
struct CardRequest {
    const Lesson* lesson = nullptr;
    std::string plot;  ///< its id
    auto operator<=>(const CardRequest&) const = default;
};

class PlotMaker {
 public:
    /// Starts the thread, which calls on_done after each request. Without it, request() makes the plots
    /// itself.
    void start_thread(std::function<void()> on_done);
    /// Queues a request; it replaces a waiting one.
    void request(PlotRequest request);
    /// Queues cards, which are made one after another when no other request waits.
    void request_cards(std::vector<CardRequest> cards);
    /// Returns the plot of a card; null if there is none or it is not made yet. Never changes.
    const Plot* find_card(const CardRequest& card) const;
    /// Returns true while a request waits or is being executed, or if a newer set than `shown` exists.
    bool is_busy(const std::shared_ptr<const PlotSet>& shown) const;
    /// Replaces `shown` by the newest set; the thread frees the old one. Returns false if `shown` is the
    /// newest.
    bool take_newest(std::shared_ptr<const PlotSet>& shown);

 private:
    void run_worker(const std::stop_token& stop);
    std::shared_ptr<const PlotSet> make_plots(const PlotRequest& request);
    std::shared_ptr<const std::vector<Plot>> lesson_plots(const PlotRequest& request,
                                                          const std::shared_ptr<const Report>& of);
    std::shared_ptr<const Report> report_to_draw(const PlotRequest& request);
    void find_ranges(const Lesson& lesson, const Input& input);

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<PlotRequest> queued_;
    std::vector<CardRequest> queued_cards_;  ///< the last is next
    std::map<CardRequest, Plot> cards_;
    bool is_working_ = false;
    std::shared_ptr<const PlotSet> newest_;
    std::vector<std::shared_ptr<const PlotSet>> to_free_;
    std::function<void()> on_done_;

    // Used only by the thread; without a thread, by request().
    std::vector<const HistoryEntry*> runs_;
    PictureCache pictures_;
    std::weak_ptr<const Report> drawn_report_;  ///< the inputs of drawn_
    std::weak_ptr<const AnalyzedTrace> drawn_trace_;
    std::size_t drawn_runs_ = 0;
    std::weak_ptr<const std::vector<Plot>> drawn_;
    std::shared_ptr<const Report> computed_;   ///< cached; of the last request that needed one
    std::weak_ptr<const Array> ranges_array_;  ///< first array of the input of ranges_
    std::map<std::string, ValueRange> ranges_;

    std::jthread thread_;  ///< last member, so that it ends first
};

}  // namespace gridstride::ui
