// GLSL functions that write records, appended to the source of an instrumented kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::shader {

/// Called at the start of main: begin(first element, row or layer of the dispatch, its first workgroup).
inline constexpr std::string_view begin_function = "gridstride_begin";
/// Called at each access: record(first word of the record, offset, value: uvec4).
inline constexpr std::string_view record_function = "gridstride_record";
/// Called before a barrier: barrier(first word of the record, 1 for a workgroup or 0 for a subgroup barrier,
/// the two numbers of BarrierIterations::iterations()).
inline constexpr std::string_view barrier_function = "gridstride_barrier";
/// Called before a branch: branch(number of the site, whether its condition is true). Only with
/// InstrumentationOptions::branches.
inline constexpr std::string_view branch_function = "gridstride_branch";
/// Called before each return of main: end().
inline constexpr std::string_view end_function = "gridstride_end";

/// The loops whose iterations a kernel counts instead of tracing its accesses, see loop_counter.h.
enum class CountedLoops {
    none,                 ///< record accesses
    all,                  ///< including [[unroll]] loops, which a driver need not unroll
    without_unroll_hint,  ///< for kernels whose [[unroll]] loops have constant bounds
};
constexpr CountedLoops last_enumerator(CountedLoops) {
    return CountedLoops::without_unroll_hint;
}

/// Options for tracing a launch of a kernel.
struct InstrumentationOptions {
    /// The binding of the record buffer, in set 0; the buffer of branch records has the next one.
    std::uint32_t binding = 0;
    std::vector<std::uint32_t> constants;  ///< constants[i]: specialisation constant i
    bool ballots = false;                  ///< the device supports subgroup ballots, see Trace::ballots
    bool placements = false;               ///< the device reports them, see Trace::placements
    CountedLoops counted_loops = CountedLoops::none;
    bool branches = false;             ///< record branches, too, see trace::words::BranchHead
    std::uint32_t subgroup_size = 32;  ///< with branches: the most lanes that a subgroup may have
    bool operator==(const InstrumentationOptions&) const = default;
};

/// Returns the GLSL of these functions. They write the storage buffers at set 0 and launch.binding in the
/// layouts of trace/trace.h. launch.constants is ignored.
std::string recorder_source(const InstrumentationOptions& launch);

}  // namespace gridstride::shader
