// Two CSV files of measurements, from two machines or two days, set against each other group by group; and a
// difference of two medians in words, which the table of runs and the comparison of files say alike.
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

/// What was measured: rows that agree in all of it are one group, whichever run they come from. The name of a
/// person's own input does not count, the checksum of its numbers does.
struct Measured {
    std::string lesson, variant;
    std::uint64_t elements = 0;
    std::uint64_t workgroup_size = 0;
    std::uint64_t workgroup_count = 0;  ///< the grid as launched
    std::string parameters;             ///< "name=value;name=value", as in the file
    auto operator<=>(const Measured&) const = default;
    std::string text() const;  ///< one line that names all of it
};

struct DeviceName {
    std::string name, driver;
    bool is_cpu = false;
    auto operator<=>(const DeviceName&) const = default;
};

/// The times of one column of one file.
struct TimesFile {
    struct Group {
        Measured what;
        std::vector<std::vector<double>> runs;  ///< nanoseconds; of each run, in the file's order
    };
    std::string name;                 ///< the file's, as given
    std::vector<DeviceName> devices;  ///< of the rows that are used, in the order of their appearance
    std::vector<Group> groups;        ///< in the order of their appearance
    std::uint64_t rows = 0;           ///< used
    std::uint64_t rows_not_ok = 0;    ///< left out: their status is not ok
    std::uint64_t rows_without = 0;   ///< left out: nothing in this column
};

/// The columns that hold times.
inline constexpr std::array<const char*, 5> time_columns = {"upload_ns", "kernel_ns", "download_ns",
                                                            "wall_ns", "cpu_ns"};

/// Reads a CSV that this program wrote, or several put behind one another, each with its heading. Throws
/// FileError naming the file and the column or line that is not as it should be, and Refusal when there is no
/// such column of times; Cancelled.
TimesFile read_times(const std::filesystem::path& path, const std::string& column,
                     FileProgress* progress = nullptr);
/// The same from a text; name is for messages.
TimesFile parse_times(std::string_view text, const std::string& name, const std::string& column);

enum class Difference {
    none,     ///< the 95 % intervals of the medians overlap
    faster,   ///< b takes less time
    slower,   ///< b takes more time
    unknown,  ///< fewer than two samples on one side, or a time of zero
};

struct ComparedGroup {
    Measured what;                    ///< as in a
    std::uint64_t workgroup_count_b;  ///< differs from a's only where the grid alone told two groups apart
    Summary a, b;                     ///< nanoseconds, over all runs; of a single one with the drift in it
    Ratio b_over_a;
    Difference difference = Difference::unknown;
};

struct FileComparison {
    std::vector<ComparedGroup> groups;  ///< in a's order
    /// drift_of() the runs of a group, 95th percentile of both files' groups that have several; nullopt: none
    /// has.
    std::optional<double> drift;
    std::vector<Measured> only_a, only_b;
};

/// Groups that measured the same; of those left, groups that differ in the grid alone, where that leaves
/// one on each side: "auto" is another grid on another device.
FileComparison compare(const TimesFile& a, const TimesFile& b);

/// Why there is no group to compare, in a sentence.
std::string nothing_in_common(const TimesFile& a, const TimesFile& b);

struct DifferenceWords {
    std::string percent;  ///< "+5.3 % (+4.1 … +6.6)"; empty where there is no ratio
    std::string verdict;  ///< "slower", "faster", "cannot be told apart", "too few samples"
    Ink ink = Ink::quiet;
};
/// Of b over a: more time is slower.
DifferenceWords difference_words(const Ratio& r, Difference difference);

/// "256", or "256 / 132" where the grids differ.
std::string grids_in_words(const ComparedGroup& group);
/// "12 rows, 3 left out because their status is not ok"
std::string rows_in_words(const TimesFile& file);
/// How many groups differ which way, and what the numbers in brackets are.
std::string summary_in_words(const FileComparison& comparison);

/// Why two runs of this session are not held against each other: they did not do the same work. The variant,
/// the workgroup and the grid may differ, and the kernel may be the person's own, but not a program.
struct OtherWork {
    std::string few;       ///< "other elements", for a cell of a table
    std::string sentence;  ///< "Not compared: Elements is 1 024 there and 4 096 here."
};
/// nullopt: it is the same work.
std::optional<OtherWork> other_work(const Experiment& here, const Experiment& there);

/// Of two series of times: they cannot be told apart while the 95 % intervals of the medians overlap.
DifferenceWords difference_words(const Summary& b, const Summary& a);

}  // namespace gridstride
