// The best launch that a sweep found for some work on a device, stored between sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "jobs/sweep.h"
#include "lesson/lesson.h"
#include "lesson/report.h"

namespace gridstride {

/// The best launch for its lesson, variant, device and size_class().
struct TunedLaunch {
    /// The experiment of the best cell. Of a user's input, only the name is stored.
    Experiment experiment;
    /// The ids of the launch parameters that belong to the result, in the lesson's order: those that were
    /// swept, and those that differed from their default.
    std::vector<std::string> parameters;
    std::string device, driver;  ///< names, sanitized by printable()
    std::string when;            ///< in the format of utc_now()
    Estimate kernel_ns;          ///< median with its interval
    std::size_t ties = 0;        ///< number of launches that cannot be distinguished from it
    /// The median of the default launch divided by this one's; nullopt if the sweep did not measure the
    /// default.
    std::optional<Estimate> default_over_best;
};

/// Returns the power of two nearest to `elements` (the product of the domain) by ratio. Work of one class
/// shares a tuned launch.
std::uint64_t size_class(std::uint64_t elements);

struct SweepTuning {
    std::vector<TunedLaunch> best;      ///< one per lesson, variant, device and size class
    std::vector<std::string> left_out;  ///< sentences: why the best launch of some work is not stored
};
/// Returns the best launch of each set of cells that do the same work with at least two launches. Leaves out
/// launches whose time is noisy or has less than 95 % confidence; ties are kept. Returns nothing if the sweep
/// is not finished.
SweepTuning find_best_launches(const Sweep& sweep);

/// Adds `others` to `known`. A launch replaces one for the same lesson, variant, device and size class unless
/// that one was found later.
void merge_tuned(std::vector<TunedLaunch>& known, const std::vector<TunedLaunch>& others);

/// Returns the launch for this lesson, variant, size class and device, or null. It may be stale.
const TunedLaunch* find_tuned(const std::vector<TunedLaunch>& known, const Experiment& experiment,
                              const Limits& device);
/// Returns true if the launch was measured with another driver, under which another launch may be best.
bool is_stale(const TunedLaunch& tuned, const Limits& device);

/// Returns the parameters, for example "workgroup_size = 256, workgroup_count = 64".
std::string describe_launch(const TunedLaunch& tuned);
/// Returns sentences: when and with which values the launch was found, its time, and the gain over the
/// default. Values that the experiment shares are left out.
std::string describe_tuned(const TunedLaunch& tuned, const Experiment& experiment);
std::string describe_staleness(const TunedLaunch& tuned, const Limits& device);
/// Returns at most 4 lines: which launches of a sweep are stored, and which are not.
std::vector<std::string> describe_stored_launches(const SweepTuning& tuned);

}  // namespace gridstride
