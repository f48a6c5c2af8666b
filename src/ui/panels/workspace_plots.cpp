// Connects plots and session: requests pictures, and applies what the user does in them.
#include <fmt/format.h>

#include <algorithm>

#include "present/figures.h"
#include "ui/panels/workspace.h"

namespace gridstride::ui {

/// A zoom refers to one set of data. If the lesson, step, variant or size changes, all plots show the whole
/// data again.
void Workspace::reset_zoom() {
    std::string of = fmt::format("{} {} {}", session.entry().id, session.step(), session.bench().variant());
    for (const std::string& domain : session.lesson().domain)
        of += fmt::format(" {}", std::get<std::uint64_t>(session.bench().values().at(domain)));
    if (of == zoom_key_) return;
    zoom_key_ = std::move(of);
    for (auto& [id, view] : plot_views)
        // Sweep plots show the sweep's data, which does not depend on the bench.
        if (!id.starts_with("sweep.")) view.is_fitted = true;
}

const Plot* Workspace::card_picture(const CourseEntry& shown_entry) {
    if (cards_revision_ != lesson_revision()) {
        cards_revision_ = lesson_revision();
        std::vector<CardRequest> cards;
        for (const CourseEntry& entry : course())
            if (CardRequest card{entry.lesson, entry.head.picture};
                !card.plot.empty() && !plot_maker.find_card(card))
                cards.push_back(std::move(card));
        plot_maker.request_cards(std::move(cards));
    }
    return plot_maker.find_card({shown_entry.lesson, shown_entry.head.picture});
}

const Plot* Workspace::comparison() {
    if (comparison_revision_ == session.revision()) return comparison_ ? &*comparison_ : nullptr;
    comparison_revision_ = session.revision();
    comparison_.reset();
    const StoryStep& step = session.shown_step();
    for (const std::size_t block : question_blocks(step)) {
        std::vector<const Report*> runs;
        for (const HistoryEntry* run : session.deciding_runs(block))
            runs.push_back(&run->report);
        if (runs.empty() || !session.prediction(block).outcome) continue;
        comparison_ = comparison_plot(get_question(step, block), runs);
    }
    return comparison_ ? &*comparison_ : nullptr;
}

std::optional<ValueRange> Workspace::slider_range(std::string_view parameter) const {
    if (!plots_ || plots_->lesson != &session.lesson()) return std::nullopt;
    const auto found = plots_->ranges.find(std::string(parameter));
    return found == plots_->ranges.end() ? std::nullopt : std::optional(found->second);
}

void Workspace::apply_marker_move(const MarkerMove& move) {
    const Parameter* parameter = find(session.lesson().parameters, move.parameter);
    if (!parameter) return;
    const double max_value = session.device() ? maximum(*parameter, *session.device()) : parameter->maximum;
    const double value = std::clamp(move.value, parameter->minimum, max_value);
    if (std::holds_alternative<std::uint64_t>(parameter->default_value))
        session.set_value(parameter->id, static_cast<std::uint64_t>(std::llround(value)));
    else if (std::holds_alternative<double>(parameter->default_value))
        session.set_value(parameter->id, value);
}

}  // namespace gridstride::ui
