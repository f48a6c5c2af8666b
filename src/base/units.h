// Numbers formatted for people: thousands separated by a thin space (U+2009), a no-break space between value
// and unit, three significant digits unless a count is exact.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gridstride {

std::string format_count(std::uint64_t value);  ///< 524800 -> "524 800"
/// Formats as 21.4, 0.193, 1 230, 5.96e-8, 4.2e15: rounded, without trailing zeros, with an exponent only
/// from 1e15 on and below 1e-5; "NaN", "inf".
std::string format_significant(double value, int digits = 3);

struct Quantity {
    std::string number;        ///< "21.4"
    std::string unit;          ///< "µs"
    std::string text() const;  ///< "21.4 µs"
};
Quantity format_time(double nanoseconds);  ///< ns, µs, ms, s
/// Formats a time in a given unit, so that several times in a column compare at a glance.
std::string format_in_unit(double nanoseconds, std::string_view unit, int digits = 3);
Quantity format_bytes(double bytes);                ///< B, KiB, MiB, GiB
std::string format_byte_text(std::uint64_t bytes);  ///< format_bytes() as text
/// Like format_byte_text(), but in whole bytes if the two numbers would look equal: for a value beside its
/// limit.
std::string format_bytes_beside(std::uint64_t bytes, std::uint64_t other);
Quantity format_bandwidth(double bytes_per_second);  ///< MB/s, GB/s, TB/s: powers of ten, as vendors count
Quantity format_percent(double fraction);            ///< 0.113 -> "11.3 %"

std::string format_duration(double seconds);   ///< "34 s", "12 min", "1.5 h"; "less than 1 s"
std::string format_time_left(double seconds);  ///< "about 34 s left", "less than 1 s left"

/// Returns "1 sample", "1 230 samples" in the language of the program, if both forms are given as literals.
/// many: null if `one` only takes an s.
std::string counted(std::uint64_t count, const char* one, const char* many = nullptr);

}  // namespace gridstride
