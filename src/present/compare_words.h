// A difference of two medians in words: the table of runs and the comparison of files say it alike.
#pragma once

#include <string>

#include "base/statistics.h"
#include "lesson/plot.h"
#include "present/compare.h"

namespace gridstride {

struct DifferenceWords {
    std::string percent;  ///< "+5.3 % (+4.1 … +6.6)"; empty where there is no ratio
    std::string verdict;  ///< "slower", "faster", "cannot be told apart", "too few samples"
    Ink ink = Ink::quiet;
};
/// Of b against a: more time is slower.
DifferenceWords difference_words(const Ratio& b_over_a, Difference difference);

/// "256", or "256 / 132" where the grids differ.
std::string grids_in_words(const ComparedGroup& group);
/// "12 rows, 3 left out because their status is not ok"
std::string rows_in_words(const TimesFile& file);
/// How many groups differ which way, and what the numbers in brackets are.
std::string summary_in_words(const FileComparison& comparison);

/// Of two series of times: they cannot be told apart while the 95 % intervals of the medians overlap.
DifferenceWords difference_words(const MedianInterval& b, const MedianInterval& a);

}  // namespace gridstride
