#include "sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/units.h"
#include "session/advice.h"

namespace gridstride::app {

namespace {


/// Tables wider than this are cut into blocks of columns, one below the other.
constexpr std::size_t widest_table = 110;

/// One unit for the whole table, so that its numbers compare at a glance.
struct Scale {
    double nanoseconds = 1;
    std::string unit = "ns";
};

Scale scale_for(const Sweep& sweep) {
    const auto best = sweep.best();
    double shortest = best ? sweep.cells()[best->cell].kernel.median : 0;
    if (!best)
        for (const SweepCell& cell : sweep.cells())
            if (cell.state == CellState::done) shortest = std::max(shortest, cell.kernel.median);
    if (shortest >= 1e9) return {1e9, "s"};
    if (shortest >= 1e6) return {1e6, "ms"};
    if (shortest >= 1e3) return {1e3, "µs"};
    return {};
}

const Parameter& parameter_of(const Sweep& sweep, std::size_t axis) {
    return *find(sweep.spec().lesson->parameters, sweep.spec().axes[axis].parameter);
}

std::string value_text(const Sweep& sweep, std::size_t axis, std::size_t i) {
    return format(parameter_of(sweep, axis), sweep.spec().axes[axis].values[i]);
}

/// Code points, which is what fmt's widths count.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string right_aligned(const std::string& text, std::size_t columns) {
    return std::string(columns - std::min(columns, width(text)), ' ') + text;
}

class Table {
 public:
    explicit Table(const Sweep& sweep) : sweep_(sweep), scale_(scale_for(sweep)), best_(sweep.best()) {
        if (best_) ties_.insert(best_->ties.begin(), best_->ties.end());
    }

    std::string text() {
        const auto& spec = sweep_.spec();
        out_ = fmt::format("{} · {}{} · kernel time in {}, median{}\n", spec.lesson->id,
                           sweep_.device().device_name, sweep_.device().is_cpu ? " (software device)" : "",
                           scale_.unit, shows_intervals() ? " ± half its 95 % interval" : "");
        if (spec.axes.size() == 2)
            for (std::size_t variant = 0; variant < spec.variants.size(); ++variant)
                map_of(variant);
        else
            list();
        legend();
        best_sentences();
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
        std::string text = format_significant(cell.kernel.median / scale_.nanoseconds);
        if (shows_intervals() && cell.summary.count > 1)
            text += " ± " + format_significant(cell.summary.median_error / scale_.nanoseconds, 2);
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
            first = std::max(first, width(name));
        std::size_t widest = 8;
        for (std::size_t column = 0; column < column_names.size(); ++column) {
            widest = std::max(widest, width(column_names[column]) + 2);
            for (const auto& row : cells)
                widest = std::max(widest, width(row[column]));
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

    void legend() {
        std::array<std::set<std::string>, 2> said;  // refused, failed
        std::size_t pending = 0, wrong = 0, meant = 0;
        for (const SweepCell& cell : sweep_.cells()) {
            if (cell.state == CellState::pending || cell.state == CellState::running) ++pending;
            if (cell.state == CellState::done && !cell.right()) ++wrong;
            if (cell.state == CellState::done && cell.report->status == Status::wrong_on_purpose) ++meant;
            if (cell.state == CellState::refused) said[0].insert(cell.reasons.begin(), cell.reasons.end());
            if (cell.state == CellState::failed) said[1].insert(cell.reasons.begin(), cell.reasons.end());
        }
        out_ += '\n';
        if (pending > 0) out_ += fmt::format("·  not measured: {} cells\n", format_count(pending));
        if (wrong > 0)
            out_ += fmt::format("✗  the answer differs from the reference: {} cells{}\n", format_count(wrong),
                                meant > 0 ? fmt::format(", {} of them on purpose", format_count(meant)) : "");
        reasons("-  refused", said[0]);
        reasons("!  failed", said[1]);
    }

    void reasons(const char* mark, const std::set<std::string>& said) {
        constexpr std::size_t most = 4;
        std::size_t shown = 0;
        for (const std::string& reason : said) {
            if (++shown > most) break;
            out_ += fmt::format("{}: {}\n", mark, reason);
        }
        if (said.size() > most)
            out_ += fmt::format("{}: {} more reasons of this kind\n", mark, said.size() - most);
    }

    std::string best_time(const SweepCell& cell) const {
        const SweepSpec& spec = sweep_.spec();
        std::string text = format_time(cell.kernel.median).text();
        if (cell.summary.count > 1) text += " ± " + format_time(cell.summary.median_error).text();
        if (sweep_.objective() == Objective::kernel_ns_per_element && !spec.axes.empty())
            text += fmt::format(", {} an element", format_time(sweep_.cost(cell).median).text());
        return text;
    }

    void best_sentences() {
        if (!best_) {
            out_ += "No cell gave a right answer, so none is the best.\n";
            return;
        }
        const SweepCell& cell = sweep_.cells()[best_->cell];
        out_ += fmt::format("*  best{}: {}: {}\n",
                            sweep_.objective() == Objective::kernel_ns ? "" : " by time an element",
                            sweep_.describe(cell), best_time(cell));
        if (best_->confidence == 0) {
            out_ += "   One sample does not tell how sure that is. Take at least 6 for a 95 % interval.\n";
            return;
        }
        if (best_->confidence < 0.95)
            out_ += fmt::format("   {} samples enclose the median with {} only; from 6 on it is 95 %.\n",
                                cell.summary.count, format_percent(best_->confidence).text());
        if (best_->ties.empty() && sweep_.cells().size() > 1)
            out_ += "   No other cell's interval overlaps it.\n";
        if (!best_->ties.empty())
            out_ += fmt::format("=  ties with it, the intervals overlap: {}\n", tied_cells());
    }

    std::string tied_cells() const {
        constexpr std::size_t most = 5;
        std::string text;
        for (std::size_t i = 0; i < std::min(most, best_->ties.size()); ++i)
            text += (i > 0 ? "; " : "") + sweep_.describe(sweep_.cells()[best_->ties[i]]);
        if (best_->ties.size() > most) text += fmt::format("; and {} more", best_->ties.size() - most);
        return text;
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
    Scale scale_;
    std::optional<BestCell> best_;
    std::set<std::size_t> ties_;
    std::string out_;
};

}  // namespace

std::string sweep_table(const Sweep& sweep) {
    return Table(sweep).text();
}

}  // namespace gridstride::app
