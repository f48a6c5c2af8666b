#include "present/compare_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace gridstride {

namespace {

std::string signed_percent(double part) {
    return (part < 0 ? "−" : "+") + format_significant(100 * std::fabs(part));
}

}  // namespace

DifferenceWords difference_words(const Ratio& r, Difference difference) {
    DifferenceWords words;
    if (r.value > 0 && difference != Difference::unknown)
        words.percent = fmt::format("{} % ({} … {})", signed_percent(r.value - 1), signed_percent(r.low - 1),
                                    signed_percent(r.high - 1));
    else if (r.value > 0)
        words.percent = fmt::format("{} %", signed_percent(r.value - 1));
    switch (difference) {
        case Difference::none:
            words.verdict = "cannot be told apart";
            break;
        case Difference::faster:
            words.verdict = "faster";
            words.ink = Ink::right;
            break;
        case Difference::slower:
            words.verdict = "slower";
            words.ink = Ink::wrong;
            break;
        case Difference::unknown:
            words.verdict = "too few samples";
            break;
    }
    return words;
}

std::string grids_in_words(const ComparedGroup& group) {
    std::string words = format_count(group.what.workgroup_count);
    if (group.workgroup_count_b != group.what.workgroup_count)
        words += " / " + format_count(group.workgroup_count_b);
    return words;
}

std::string rows_in_words(const TimesFile& file) {
    std::string words = counted(file.rows, "row");
    if (file.rows_not_ok > 0)
        words += fmt::format(", {} left out because their status is not ok", format_count(file.rows_not_ok));
    if (file.rows_without > 0)
        words += fmt::format(", {} left out because they hold no such time", format_count(file.rows_without));
    return words;
}

std::string summary_in_words(const FileComparison& comparison) {
    const auto count = [&](Difference wanted) {
        return std::count_if(comparison.groups.begin(), comparison.groups.end(),
                             [&](const ComparedGroup& group) { return group.difference == wanted; });
    };
    std::string words = fmt::format("{}: b is faster in {}, slower in {}; in {} the two cannot be told apart",
                                    counted(comparison.groups.size(), "group"), count(Difference::faster),
                                    count(Difference::slower), count(Difference::none));
    if (const auto unknown = count(Difference::unknown); unknown > 0)
        words += fmt::format(", in {} there are too few samples", unknown);
    return words +
           ". In brackets the range that the 95 % intervals of both medians leave; where they overlap, the "
           "two "
           "cannot be told apart.";
}

DifferenceWords difference_words(const MedianInterval& b, const MedianInterval& a) {
    if (!(a.median > 0) || !(b.median > 0)) return {"", "no time", Ink::quiet};
    const Ratio r = ratio(b, a);
    if (a.confidence == 0 || b.confidence == 0) return difference_words(r, Difference::unknown);
    if (overlap(a, b)) return difference_words(r, Difference::none);
    return difference_words(r, r.value < 1 ? Difference::faster : Difference::slower);
}

}  // namespace gridstride
