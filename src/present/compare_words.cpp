#include "present/compare_words.h"

#include <fmt/format.h>

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

DifferenceWords difference_words(const MedianInterval& b, const MedianInterval& a) {
    if (!(a.median > 0) || !(b.median > 0)) return {"", "no time", Ink::quiet};
    const Ratio r = ratio(b, a);
    if (a.confidence == 0 || b.confidence == 0) return difference_words(r, Difference::unknown);
    if (overlap(a, b)) return difference_words(r, Difference::none);
    return difference_words(r, r.value < 1 ? Difference::faster : Difference::slower);
}

}  // namespace gridstride
