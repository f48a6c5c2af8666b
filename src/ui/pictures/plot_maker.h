// Makes the pictures of what is on the bench and of its runs, on a thread of its own: looking at millions of
// samples takes longer than a frame may.
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

/// What the pictures are of, as values.
struct PlotOrder {
    const Lesson* lesson = nullptr;
    std::shared_ptr<const Prepared> prepared;  ///< what is on the bench; null: there is no device yet
    std::uint32_t registers = 0;               ///< of an invocation; 0: not known
    std::shared_ptr<const Report> report;
    std::shared_ptr<const TakenRecording> recording;  ///< the newest; null: none
    bool running = false;  ///< until it ends, the report's pictures stay, whatever the bench holds
    /// Runs that ended since the order before, of any lesson. They stay where they are and as they are.
    std::vector<const HistoryEntry*> ended;
};

struct PlotSet {
    const Lesson* lesson = nullptr;
    std::shared_ptr<const std::vector<Plot>> of_lesson;
    std::vector<Plot> common;                  ///< those that every lesson has
    std::map<std::string, ValueRange> ranges;  ///< of parameters, that this input gives them
    /// Held, so that whoever draws the arrays finds them looked at.
    std::vector<std::shared_ptr<const DataRanges>> extents;
};

/// The picture of a lesson at its defaults, as a right run would give it.
struct CardOrder {
    const Lesson* lesson = nullptr;
    std::string plot;  ///< its id
};

class PlotMaker {
 public:
    /// From now on orders are carried out on a thread, which calls on_made after each; before, order() itself
    /// does it.
    void start_thread(std::function<void()> on_made);
    /// In place of one that still waits.
    void order(PlotOrder order);
    /// Made one after another, behind the orders.
    void order_cards(std::vector<CardOrder> cards);
    /// Stays as it is; null: none, or not made yet.
    const Plot* card(const Lesson& lesson) const;
    /// An order waits or is carried out, or a newer set than the one that is shown is made.
    bool busy(const std::shared_ptr<const PlotSet>& shown) const;
    /// Puts the newest set in place of the one that is shown, which the thread frees. False when that is the
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

    // Only whoever carries out orders touches these.
    std::vector<const HistoryEntry*> runs_;
    MadePictures pictures_;
    std::weak_ptr<const Report> drawn_report_;  ///< what drawn_ is of
    std::weak_ptr<const TakenRecording> drawn_recording_;
    std::size_t drawn_runs_ = 0;
    std::weak_ptr<const std::vector<Plot>> drawn_;
    std::shared_ptr<const Report> computed_;  ///< of the newest order that asked for one
    std::weak_ptr<const Array> ranged_;       ///< the first array of the input that ranges_ are of
    std::map<std::string, ValueRange> ranges_;

    std::jthread thread_;  ///< ends first
};

}  // namespace gridstride::ui
