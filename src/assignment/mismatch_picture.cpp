#include "assignment/mismatch_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/array.h"

namespace gridstride {

namespace {

constexpr std::uint64_t elements_beside = 16;  ///< on each side of the first wrong one
// Pixels.
constexpr double column_width = 20, plot_height = 120, min_width = 520;

/// The numbers of one output from `first` on; NaN for those that were never written.
struct Excerpt {
    std::uint64_t first = 0;
    std::vector<double> found, expected;
};

Excerpt take_excerpt(const Mismatch& wrong, const Array& found, const Array& expected) {
    Excerpt excerpt{.first = wrong.index - std::min(wrong.index, elements_beside)};
    const double fill = wrong.is_unwritten ? found.number(wrong.index) : std::nan("");
    const std::uint64_t end = std::min({wrong.index + elements_beside + 1, found.count(), expected.count()});
    for (std::uint64_t i = excerpt.first; i < end; ++i) {
        excerpt.found.push_back(found.number(i) == fill ? std::nan("") : found.number(i));
        excerpt.expected.push_back(expected.number(i));
    }
    return excerpt;
}

/// Maps numbers to heights, with 0 in the range.
class HeightScale {
 public:
    explicit HeightScale(const Excerpt& excerpt) {
        for (const auto* numbers : {&excerpt.found, &excerpt.expected})
            for (const double number : *numbers)
                if (std::isfinite(number)) {
                    low_ = std::min(low_, number);
                    high_ = std::max(high_, number);
                }
    }

    double y(double number) const {
        return plot_height * (high_ > low_ ? (high_ - number) / (high_ - low_) : 1);
    }

    std::string draw_bar(double x, double width, double number, const char* color) const {
        if (!std::isfinite(number)) return {};
        return fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'/>", x,
                           std::min(y(number), y(0)), width, std::max(std::abs(y(number) - y(0)), 1.0),
                           color);
    }

 private:
    double low_ = 0, high_ = 0;
};

}  // namespace

std::string draw_mismatch(const Report& report) {
    const std::optional<Mismatch>& wrong = report.compare.first_mismatch;
    if (!report.is_wrong() || report.has_truncated_loops || !wrong) return {};
    const Array* const found = find(report.outputs, wrong->output);
    const Array* const expected = find(report.expected, wrong->output);
    if (!found || !expected || wrong->index >= std::min(found->count(), expected->count())) return {};
    const Excerpt excerpt = take_excerpt(*wrong, *found, *expected);
    const HeightScale scale(excerpt);
    const double width = column_width * static_cast<double>(excerpt.found.size());
    const double wrong_x = column_width * static_cast<double>(wrong->index - excerpt.first) + 6;
    std::string bars;
    for (std::size_t i = 0; i < excerpt.found.size(); ++i) {
        const double x = column_width * static_cast<double>(i);
        const bool is_right = excerpt.found[i] == excerpt.expected[i];
        bars += scale.draw_bar(x + 1, column_width - 2, excerpt.expected[i], "lightgray");
        bars +=
            scale.draw_bar(x + 6, column_width - 12, excerpt.found[i], is_right ? "steelblue" : "crimson");
    }
    const std::string caption =
        fmt::format("elements {} to {} of {}: gray is expected, narrow is found{}", excerpt.first,
                    excerpt.first + excerpt.found.size() - 1, wrong->output,
                    wrong->is_unwritten ? "; without a narrow bar: never written" : "");
    return fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
        "font-family='sans-serif' font-size='12'>{2}<text x='{3}' y='{4}'>↑</text><text x='0' "
        "y='{5}'>{6}</text></svg>",
        std::max(width, min_width), plot_height + 40, bars, wrong_x, plot_height + 14, plot_height + 34,
        caption);
}

}  // namespace gridstride
