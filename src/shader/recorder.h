// What a recording kernel leaves its records with: GLSL that is compiled behind the kernel's own source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::shader {

/// First of all: begin(element, row or layer that the dispatch begins with, its first workgroup).
inline constexpr std::string_view begin_function = "gridstride_begin";
/// record(first word of the record, offset, value: uvec4)
inline constexpr std::string_view record_function = "gridstride_record";
/// Before a barrier: barrier(first word of the record, 1: of the workgroup, 0: of a subgroup, the two numbers
/// of BarrierTurns::turns())
inline constexpr std::string_view barrier_function = "gridstride_barrier";
/// Wherever the kernel comes to its end: end()
inline constexpr std::string_view end_function = "gridstride_end";

/// Which loops a kernel counts the iterations of, instead of recording its accesses: see loop_counter.h.
enum class CountedLoops {
    none,                 ///< it records accesses
    all,                  ///< also those with [[unroll]], which a driver need not unroll
    without_unroll_hint,  ///< for kernels whose [[unroll]] loops have constant bounds
};
constexpr CountedLoops last_of(CountedLoops) {
    return CountedLoops::without_unroll_hint;
}

/// The launch that a kernel is to record.
struct RecordedLaunch {
    std::uint32_t binding = 0;             ///< in set 0, of the records' buffer
    std::vector<std::uint32_t> constants;  ///< [i] is the value of specialisation constant i
    bool ballots = false;                  ///< the device's subgroups have them: see Trace::ballots
    bool stays = false;                    ///< the device tells them: see Trace::stays
    CountedLoops counted_loops = CountedLoops::none;
    bool operator==(const RecordedLaunch&) const = default;
};

/// The source, with those functions; they write the storage buffer at set 0 and the launch's binding: see
/// trace/trace.h. Its constants are not looked at.
std::string recorder(const RecordedLaunch& launch);

}  // namespace gridstride::shader
