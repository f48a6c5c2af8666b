// The best launch that a sweep found for some work on a device, as it is remembered from one start of the
// program to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "jobs/sweep.h"
#include "lesson/lesson.h"
#include "lesson/report.h"

namespace gridstride {

/// It counts for its lesson, variant, device and size_class().
struct Tuned {
    /// The best cell's. Of a person's own input it has the name alone.
    Experiment experiment;
    /// Which of its values are the launch that won, in the lesson's order: of the parameters that shape the
    /// launch alone, those that were swept and those that were held away from their default.
    std::vector<std::string> parameters;
    std::string device, driver;  ///< their names, printable()
    std::string when;            ///< as of utc_time()
    Estimate kernel_ns;          ///< median with its interval
    std::size_t ties = 0;        ///< so many other launches could not be told apart from it
    /// The default launch's median over it; nullopt: the sweep did not measure that.
    std::optional<Estimate> default_over_best;
};

/// Work of about one size: the power of two that is nearest to the count of elements (the domain's product),
/// by their ratio.
std::uint64_t size_class(std::uint64_t elements);

/// What a sweep that is finished leaves to remember.
struct TunedBySweep {
    std::vector<Tuned> best;            ///< of two that count for the same the one that came later
    std::vector<std::string> left_out;  ///< sentences: why the best of some work is not among them
};
/// Of each set of its cells that do the same work with two launches or more. A best that is noisy, or whose
/// interval has less than 95 %, is left out; one that ties is not.
TunedBySweep tuned_by(const Sweep& sweep);

/// Adds them, in the place of those that count for the same unless these were found later.
void remember(std::vector<Tuned>& known, const std::vector<Tuned>& others);

/// Null: there is none for this lesson, variant, size and device. It may be stale.
const Tuned* find_tuned(const std::vector<Tuned>& known, const Experiment& experiment, const Limits& device);
/// It was measured with another driver: another launch may be the best by now.
bool is_stale(const Tuned& tuned, const Limits& device);

/// "workgroup_size = 256, workgroup_count = 64"
std::string launch_in_words(const Tuned& tuned);
/// When and at what it was found, its time, how much that is against the default: sentences without what the
/// experiment has in common with it.
std::string found_in_words(const Tuned& tuned, const Experiment& experiment);
/// Why a stale one is not used.
std::string stale_in_words(const Tuned& tuned, const Limits& device);
/// A few lines: what is remembered of a sweep, and what is not.
std::vector<std::string> remembered_in_words(const TunedBySweep& tuned);

}  // namespace gridstride
