#include "sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "present/verdict_words.h"
#include "session/advice.h"
#include "session/sweep_words.h"

namespace gridstride::app {

namespace {

/// Tables wider than this are cut into blocks of columns, one below the other.
constexpr std::size_t widest_table = 110;

/// One unit for the whole table, so that its numbers compare at a glance: that of the best time, or of the
/// longest where none is the best.
std::string unit_for(const Sweep& sweep) {
    if (const auto best = sweep.best()) return format_time(sweep.cells()[best->cell].kernel.median).unit;
    double longest = 0;
    for (const SweepCell& cell : sweep.cells())
        longest = std::max(longest, cell.kernel.median);
    return format_time(longest).unit;
}

std::string value_text(const Sweep& sweep, std::size_t axis, std::size_t i) {
    return format(sweep.parameter(axis), sweep.spec().axes[axis].values[i]);
}

std::string right_aligned(const std::string& text, std::size_t columns) {
    return std::string(columns - std::min(columns, characters(text)), ' ') + text;
}

class Table {
 public:
    explicit Table(const Sweep& sweep) : sweep_(sweep), unit_(unit_for(sweep)), best_(sweep.best()) {
        if (best_) ties_.insert(best_->ties.begin(), best_->ties.end());
    }

    std::string text() {
        const auto& spec = sweep_.spec();
        out_ = fmt::format("{} · {} · kernel time in {}, median{}\n", spec.lesson->id,
                           device_in_words(sweep_.device().device_name, sweep_.device().is_cpu), unit_,
                           shows_intervals() ? " ± half its 95 % interval" : "");
        if (spec.axes.size() == 2)
            for (std::size_t variant = 0; variant < spec.variants.size(); ++variant)
                map_of(variant);
        else
            list();
        legend();
        advice();
        return std::move(out_);
    }

 private:
    /// A table of two parameters has no room for them.
    bool shows_intervals() const { return sweep_.spec().axes.size() < 2; }

    std::string cell_text(std::size_t i) const {
        const SweepCell& cell = sweep_.cells()[i];
        switch (cell.state) {
            case CellState::pending:
            case CellState::running:
                return "·  ";
            case CellState::refused:
                return "-  ";
            case CellState::failed:
                return "!  ";
            case CellState::done:
                break;
        }
        std::string text = number_in_unit(cell.kernel.median, unit_);
        if (shows_intervals() && cell.summary.count > 1)
            text += " ± " + number_in_unit(cell.summary.median_error, unit_, 2);
        const char* mark = "  ";
        if (!cell.right())
            mark = " ✗";
        else if (best_ && best_->cell == i)
            mark = " *";
        else if (ties_.contains(i))
            mark = " =";
        return text + mark;
    }

    void rows(const std::vector<std::string>& row_names, const std::vector<std::string>& column_names,
              const std::vector<std::vector<std::string>>& cells) {
        std::size_t first = 0;
        for (const std::string& name : row_names)
            first = std::max(first, characters(name));
        std::size_t widest = 8;
        for (std::size_t column = 0; column < column_names.size(); ++column) {
            widest = std::max(widest, characters(column_names[column]) + 2);
            for (const auto& row : cells)
                widest = std::max(widest, characters(row[column]));
        }
        const std::size_t room = widest_table - std::min(first, widest_table);
        const std::size_t block = std::max<std::size_t>(room / (widest + 2), 1);
        for (std::size_t from = 0; from < column_names.size(); from += block) {
            const std::size_t to = std::min(from + block, column_names.size());
            if (from > 0) out_ += '\n';
            out_ += std::string(first, ' ');
            for (std::size_t column = from; column < to; ++column)
                out_ += "  " + right_aligned(column_names[column] + "  ", widest);
            out_ += '\n';
            for (std::size_t row = 0; row < row_names.size(); ++row) {
                out_ += right_aligned(row_names[row], first);
                for (std::size_t column = from; column < to; ++column)
                    out_ += "  " + right_aligned(cells[row][column], widest);
                out_ += '\n';
            }
        }
    }

    /// Two parameters: one map a variant.
    void map_of(std::size_t variant) {
        const auto& axes = sweep_.spec().axes;
        out_ += fmt::format("\n{}: {} downwards, {} to the right\n", sweep_.spec().variants[variant],
                            axes[0].parameter, axes[1].parameter);
        std::vector<std::string> row_names, column_names;
        for (std::size_t column = 0; column < axes[1].values.size(); ++column)
            column_names.push_back(value_text(sweep_, 1, column));
        std::vector<std::vector<std::string>> cells;
        for (std::size_t row = 0; row < axes[0].values.size(); ++row) {
            row_names.push_back(value_text(sweep_, 0, row));
            auto& texts = cells.emplace_back();
            for (std::size_t column = 0; column < column_names.size(); ++column)
                texts.push_back(cell_text(sweep_.index(variant, row, column)));
        }
        rows(row_names, column_names, cells);
    }

    /// One parameter or none: variants to the right, or downwards when nothing else is swept.
    void list() {
        const auto& spec = sweep_.spec();
        std::vector<std::vector<std::string>> cells;
        out_ += '\n';
        if (spec.axes.empty()) {
            for (std::size_t variant = 0; variant < spec.variants.size(); ++variant)
                cells.push_back({cell_text(variant)});
            return rows(spec.variants, {"kernel"}, cells);
        }
        std::vector<std::string> row_names;
        for (std::size_t row = 0; row < spec.axes[0].values.size(); ++row) {
            row_names.push_back(fmt::format("{} = {}", spec.axes[0].parameter, value_text(sweep_, 0, row)));
            auto& texts = cells.emplace_back();
            for (std::size_t variant = 0; variant < spec.variants.size(); ++variant)
                texts.push_back(cell_text(sweep_.index(variant, row, 0)));
        }
        rows(row_names, spec.variants, cells);
    }

    /// The marks of the table, and what there is to say of them.
    void legend() {
        const auto pending = std::count_if(sweep_.cells().begin(), sweep_.cells().end(),
                                           [](const SweepCell& cell) { return !cell.report; });
        out_ += '\n';
        if (pending > 0)
            out_ += "·  not measured: " + counted(static_cast<std::size_t>(pending), "cell") + '\n';
        const std::vector<std::string> reasons = cells_without_time(sweep_, "--json has each cell's");
        if (!reasons.empty()) out_ += "-  refused   !  failed   ✗  differs from the reference\n";
        for (const std::string& reason : reasons)
            out_ += "   " + reason + '\n';
        const BestWords words = best_words(sweep_);
        if (words.found) out_ += "*  ";
        if (!words.best.empty()) out_ += words.best + '\n';
        if (!words.sure.empty()) out_ += (ties_.empty() ? "   " : "=  ") + words.sure + '\n';
    }

    void advice() {
        out_ += "\nThe usual advice, against these measurements\n";
        for (const Advice& advice : weigh_advice(sweep_))
            out_ += fmt::format("{} {}: {}\n",
                                !advice.holds   ? "?"
                                : *advice.holds ? "✓"
                                                : "✗",
                                advice.title, advice.sentence);
    }

    const Sweep& sweep_;
    std::string unit_;
    std::optional<BestCell> best_;
    std::set<std::size_t> ties_;
    std::string out_;
};

}  // namespace

std::string sweep_table(const Sweep& sweep) {
    return Table(sweep).text();
}

}  // namespace gridstride::app
