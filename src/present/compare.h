// Compares CSV files of measurements from two machines or two days, and single runs of a session.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_progress.h"
#include "base/statistics.h"
#include "lesson/experiment.h"
#include "lesson/plot.h"

namespace gridstride {

/// Identifies what was measured. Rows with equal values form one group, across runs. The name of a user's
/// input is ignored; the checksum of its numbers is compared.
struct MeasurementKey {
    std::string lesson, variant;
    std::uint64_t elements = 0;
    std::uint64_t workgroup_size = 0;
    std::uint64_t workgroup_count = 0;  ///< the grid as launched
    std::string parameters;             ///< "name=value;name=value", as in the file
    auto operator<=>(const MeasurementKey&) const = default;
    std::string text() const;
};

struct DeviceName {
    std::string name, driver;
    bool is_cpu = false;
    auto operator<=>(const DeviceName&) const = default;
};

struct TimesFile {
    struct Group {
        MeasurementKey what;
        std::vector<std::vector<double>> runs;  ///< nanoseconds, by run, in the file's order
    };
    std::string name;                     ///< the file's name as given
    std::vector<DeviceName> devices;      ///< devices of the used rows, in order of first appearance
    std::vector<Group> groups;            ///< in order of first appearance
    std::uint64_t rows = 0;               ///< used rows
    std::uint64_t rows_not_ok = 0;        ///< skipped: their status is not ok
    std::uint64_t rows_without_time = 0;  ///< skipped: their field in this column is empty
};

inline constexpr std::array<const char*, 5> time_columns = {"upload_ns", "kernel_ns", "download_ns",
                                                            "wall_ns", "cpu_ns"};

/// Reads one column of a CSV that Gridstride wrote, or of several such CSVs concatenated with their headings.
/// Throws FileError with the faulty column or line, Refusal for a column outside time_columns, and Cancelled.
TimesFile read_times(const std::filesystem::path& path, const std::string& column,
                     FileProgress* progress = nullptr);
/// Like read_times(), from a text; `name` is used in messages.
TimesFile parse_times(std::string_view text, const std::string& name, const std::string& column);

enum class Difference {
    none,     ///< the 95 % intervals of the medians overlap
    faster,   ///< b takes less time
    slower,   ///< b takes more time
    unknown,  ///< fewer than two samples on one side, or a time of zero
};

struct ComparedGroup {
    MeasurementKey what;              ///< as in file a
    std::uint64_t workgroup_count_b;  ///< differs from a's if the two groups were matched without their grid
    Summary a, b;                     ///< nanoseconds, over all runs; a single run is widened by the drift
    Ratio b_over_a;
    Difference difference = Difference::unknown;
};

struct FileComparison {
    std::vector<ComparedGroup> groups;  ///< in a's order
    /// The 95th percentile of estimate_drift() over all groups with several runs in both files; nullopt if
    /// there is no such group.
    std::optional<double> drift;
    std::vector<MeasurementKey> only_a, only_b;
};

/// Compares groups that measured the same. Remaining groups are also matched without their grid, if exactly
/// one candidate remains on each side, because "auto" chooses another grid on another device.
FileComparison compare(const TimesFile& a, const TimesFile& b);

/// Returns the message for two files without a common group, with the number of groups and of unused rows.
std::string explain_no_common_groups(const TimesFile& a, const TimesFile& b);

struct DifferenceText {
    std::string percent;  ///< "+5.3 % (+4.1 … +6.6)"; empty if there is no ratio
    std::string verdict;  ///< "slower", "faster", "cannot be told apart", "too few samples"
    ColorRole color_role = ColorRole::quiet;
};
/// Describes the ratio of b's time to a's time.
DifferenceText describe_difference(const Ratio& r, Difference difference);

/// Returns "256", or "256 / 132" if the grids differ.
std::string grids_text(const ComparedGroup& group);
/// Returns "12 rows, 3 skipped because their status is not ok".
std::string row_counts_text(const TimesFile& file);
std::string comparison_summary_text(const FileComparison& comparison);

/// The reason why two runs are not compared: they did different work. The variant, the workgroup, the grid
/// and the kernel may differ, but not the program.
struct WorkMismatch {
    std::string label;     ///< "other elements", for a cell of a table
    std::string sentence;  ///< "Not compared: Elements was 1 024 in that run and is 4 096 here."
};
std::optional<WorkMismatch> find_work_mismatch(const Experiment& here, const Experiment& there);

/// Two series of times cannot be told apart if the 95 % intervals of their medians overlap.
DifferenceText describe_difference(const Summary& b, const Summary& a);

}  // namespace gridstride
