// The trace of one launch, from a run on the device: the places in the kernel that access memory, wait or
// branch (sites), and a record of each access by the traced workgroups. shader/compile_instrumented.h makes
// the instrumented kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "launch/extent.h"

namespace gridstride::trace {

enum class SiteKind { load, store, atomic, barrier, branch };
constexpr SiteKind last_enumerator(SiteKind) {
    return SiteKind::branch;
}
std::string_view name(SiteKind kind);  ///< "load"

enum class MemorySpace { workgroup, buffer };
constexpr MemorySpace last_enumerator(MemorySpace) {
    return MemorySpace::buffer;
}
std::string_view name(MemorySpace space);  ///< "workgroup"

enum class ValueType { none, boolean, i8, u8, i16, u16, f16, i32, u32, f32, i64, u64, f64 };
constexpr ValueType last_enumerator(ValueType) {
    return ValueType::f64;
}

/// The scope of an atomic. Invocations outside its scope may observe it half done.
enum class Scope { invocation, subgroup, workgroup, device };
constexpr Scope last_enumerator(Scope) {
    return Scope::device;
}

/// A place in the kernel's source that accesses memory, waits or branches.
struct Site {
    SiteKind kind = SiteKind::load;
    std::string file;        ///< as the compiler names it; may be an included file
    std::uint32_t line = 0;  ///< from 1
    std::string variable;    ///< "sums"; for a buffer its array, "numbers"; empty for a barrier; for a branch
                             ///< "case 2" or "default" of a switch, else empty
    std::string member;      ///< ".velocity" if the element is a struct; else empty
    MemorySpace space = MemorySpace::workgroup;
    std::uint32_t binding = 0;         ///< of a buffer
    std::uint64_t bytes = 0;           ///< size of one access
    std::uint64_t variable_bytes = 0;  ///< size of the variable; 0: it ends with a runtime array
    /// Offset of the variable's array in its space or buffer: index = (offset - first_byte) / element_bytes.
    std::uint64_t first_byte = 0;
    std::uint64_t element_bytes = 0;  ///< stride of the outermost array; 0: not an array
    ValueType value = ValueType::none;
    std::uint32_t components = 1;  ///< of a vector
    // The memory semantics of a barrier or an atomic.
    bool is_subgroup_barrier = false;
    bool orders_workgroup = false;  ///< makes earlier accesses to workgroup memory visible after it
    bool orders_buffers = false;    ///< makes earlier accesses to storage buffers visible after it
    /// An atomic may order earlier or later accesses, by its own semantics or because the kernel contains
    /// memory barriers anywhere.
    bool acquires = false, releases = false;
    Scope scope = Scope::device;  ///< of an atomic
    bool adds = false;            ///< an atomic addition, whose records also have the number that it adds
    /// For a branch: whether the lanes for which its condition is true (false) count as active lanes, because
    /// they execute separate code that accesses no memory. So each piece of code counts once.
    bool counts_true = false, counts_false = false;
};

/// Returns false for a barrier or a branch.
constexpr bool is_access(const Site& site) {
    return site.kind != SiteKind::barrier && site.kind != SiteKind::branch;
}

/// Returns the bytes of one access to a storage buffer; 0 for a site that accesses none.
constexpr std::uint64_t buffer_bytes(const Site& site) {
    return is_access(site) && site.space == MemorySpace::buffer ? site.bytes : 0;
}

/// Returns how many words of value the records of a site hold, at most four: one per component, or two per
/// 64-bit component. 8- and 16-bit numbers are widened to 32 bits (f16 to the bits of f32). The value is what
/// a load read, what a store writes, and what an atomic found. If Site::adds, as many words follow, of the
/// number that is added.
std::uint32_t value_words(const Site& site);

// The layout of the buffer that an instrumented kernel writes, in 32-bit words: a head, then records of equal
// length, then one unused slot into which records beyond the capacity are written. If the device reports
// where workgroups run, a block of the same length follows for each of the launch's first workgroups
// (WorkgroupPlacement), whether their accesses are traced or not.
namespace words {
enum Head : std::uint32_t {
    used,      ///< records requested; stops when one does not fit
    capacity,  ///< records that fit
    first,     ///< first traced workgroup, numbered over the whole launch, x fastest
    last,      ///< last traced workgroup, inclusive
    lost,      ///< records that did not fit; stops near 2^31
    counting,  ///< 1: no access is recorded, and the first word of record (workgroup - first) counts the
               ///< records that the workgroup would make; stops near 2^31, too
    below,     ///< product of the launch's workgroups along the dimensions below the sliced one; 1 in one
               ///< dimension
    placed,    ///< workgroups, from the launch's first, whose placements are traced
    head = 8,  ///< the first word of the records
};
enum Record : std::uint32_t {
    site,            ///< number of the site; bit 16 + i: the i-th index of the access is out of bounds
    workgroup,       ///< numbered over the whole launch
    invocation,      ///< bits 0-11: in its workgroup; 12-18: lane in its subgroup; 19-30: subgroup in its
                     ///< workgroup; 31: the first of the lanes that executed the site together, whose records
                     ///< follow by lane; only with Trace::ballots
    slice,           ///< element, row or layer at which the dispatch begins; see launch/slices.h
    sequence,        ///< earlier records of this invocation in this dispatch
    epoch,           ///< workgroup barriers that it passed before, in this dispatch
    subgroup_epoch,  ///< subgroup and workgroup barriers that it passed before
    offset,          ///< bytes from the start of the variable or binding, modulo 2^32
    values,          ///< value_words() and the addend's, of four; for a barrier iteration_key and
                     ///< innermost_iteration
    length = values + 4,
};
enum WorkgroupPlacement : std::uint32_t {
    multiprocessor,
    start_time = values,  ///< two words, the lower half first
    end_time = start_time + 2,
};

// The layout of a second buffer that records branches: a head, then records of equal length, then one unused
// slot. While words::counting, the first word of record (workgroup - words::first), or of the unused slot if
// there are fewer, counts the branch records that the workgroup would make.
enum BranchHead : std::uint32_t {
    branch_used,      ///< records requested; may exceed the capacity
    branch_capacity,  ///< records that fit
    branch_last,      ///< last workgroup whose branches are traced, inclusive
    branch_lost,      ///< records that did not fit; stops near 2^31
    branch_head,      ///< the first word of the records
};
/// The first words are those of Record, with the number of the branch as `site`. With Trace::ballots the
/// first active lane records for all; otherwise each lane records for itself.
enum BranchRecord : std::uint32_t {
    earlier_records = slice + 1,  ///< words::used of the other buffer at this time
    branch_subgroup_epoch,        ///< like `subgroup_epoch`
    active,                       ///< bit i: lane i executes the branch; only with ballots
    taken,                        ///< bit i: and its condition is true; without ballots bit 0
    branch_length,
    // Further words of these masks, for subgroups of more than 32 lanes.
    more_active = branch_length,   ///< three words
    more_taken = more_active + 3,  ///< three words
    wide_branch_length = 2 * branch_length,
};
constexpr std::uint32_t branch_record_length(std::uint32_t subgroup_size) {
    return subgroup_size > 32 ? wide_branch_length : branch_length;
}
}  // namespace words

/// One decoded record. Offsets, sequence numbers and epochs run on over the slices of a launch.
struct Record {
    std::uint32_t site = 0;
    std::uint32_t out_of_bounds_mask = 0;  ///< bit i: the i-th index is out of bounds
    std::uint32_t workgroup = 0;
    std::uint16_t invocation = 0, subgroup = 0, lane = 0;
    std::uint32_t sequence = 0;  ///< within its invocation, over all slices
    std::uint32_t epoch = 0;
    std::uint32_t subgroup_epoch = 0;
    std::uint32_t dispatch = 0;  ///< slice of the launch, from 0; dispatches do not overlap in time
    /// The number of records that were made before it or, with Trace::ballots, before the first record of its
    /// request. So it is equal in the records of one request.
    std::uint32_t request = 0;
    std::uint64_t offset = 0;  ///< in the whole buffer
    std::array<std::uint32_t, 4> value{};

    /// For a barrier: equal in the same iteration of all enclosing loops.
    std::uint32_t iteration_key() const { return value[0]; }
    /// For a barrier: the iteration of the innermost loop, from 1; 0: it is in no loop.
    std::uint32_t innermost_iteration() const { return value[1]; }
};
inline constexpr std::uint32_t no_record = UINT32_MAX;

/// How much of an output a launch must write.
enum class MustWrite {
    nothing,
    some,  ///< other launches may write it too, or only a part of it is read
    all,
};
constexpr MustWrite last_enumerator(MustWrite) {
    return MustWrite::all;
}

struct TracedBuffer {
    std::string name;
    ElementType type = ElementType::u32;
    std::uint64_t elements = 0;
    bool output = false;
    MustWrite must_write = MustWrite::nothing;  ///< of an output
    bool starts_unwritten = false;              ///< an output that only this launch writes, not even a fill
    bool is_sliced = false;
    std::uint64_t slice_bytes = 0;  ///< of a sliced buffer: bytes per element, row or layer of words::slice
};

/// Where and when a workgroup ran, as its first invocation read it. Tracing changes the timing, so the
/// clock shows the order of events only.
struct WorkgroupPlacement {
    std::uint32_t multiprocessor = 0;
    std::uint64_t start_time = 0, end_time = 0;  ///< device clock, without a unit
};

/// A launch may have more workgroups. The placements of its first ones take 3 MiB of device memory.
inline constexpr std::uint64_t max_placements = 65'536;

/// A trace as the lab returns it. It is stored and sent in this form; decode_records() decodes it.
struct Trace {
    std::string reason;               ///< why there are no records; empty: there are
    std::string kernel;               ///< its file, or the name of the user's kernel
    std::string source;               ///< GLSL of a generated kernel or of the user's; else empty
    std::string launch;               ///< its label
    std::uint64_t launch_number = 0;  ///< among the plan's launches, from 0
    std::uint64_t launches = 1;
    Extent workgroup, grid;
    std::uint64_t first_workgroup = 0, last_workgroup = 0;  ///< traced, inclusive
    std::uint64_t lost = 0;                                 ///< records that did not fit
    std::uint32_t subgroup_size = 0;
    bool ballots = false;     ///< the records show which lanes executed a site together
    std::uint32_t banks = 0;  ///< of workgroup memory, 4 bytes each; 0: not modelled, in old files
    std::string banks_note;   ///< why not, or the source of the figures
    std::vector<Site> sites;
    std::vector<TracedBuffer> buffers;  ///< by binding
    /// By workgroup, for the launch's first max_placements; empty: the device does not report them.
    std::vector<WorkgroupPlacement> placements;
    std::uint32_t registers = 0;              ///< of the instrumented kernel for each invocation; 0: unknown
    ArrayRef words;                           ///< u32: the buffer that the kernel wrote, with its head
    std::uint64_t last_branch_workgroup = 0;  ///< branches are traced from first_workgroup to this one
    std::uint64_t lost_branches = 0;          ///< branch records that did not fit
    std::string branches_note;                ///< why branches are not traced; empty: they are
    ArrayRef branch_words;                    ///< u32: the branch records; null: there are none

    bool is_complete() const { return reason.empty() && lost == 0; }
    bool is_whole_launch() const { return first_workgroup == 0 && last_workgroup + 1 == grid.product(); }
};

/// Returns the largest number of workgroups that a multiprocessor held at once, among those with placements;
/// 0: unknown. The instrumented kernel may need more registers than the kernel itself.
std::uint64_t max_resident_workgroups(const Trace& trace);

/// Returns true if any record is a load, a store or an atomic.
bool has_access(const Trace& trace);

/// Decodes the records and sorts them by workgroup, invocation and sequence, in linear time. Throws
/// std::runtime_error if the words are not what an instrumented kernel writes.
std::vector<Record> decode_records(const Trace& trace);

}  // namespace gridstride::trace
