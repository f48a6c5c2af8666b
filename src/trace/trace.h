// What the invocations of one launch did, recorded on the device itself: where in the kernel memory is
// accessed (sites), and a record of each access of the workgroups that were looked at. The kernel that
// recorded it comes from shader/record_accesses.h.
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

enum class SiteKind { load, store, atomic, barrier };
constexpr SiteKind last_of(SiteKind) {
    return SiteKind::barrier;
}
std::string_view name(SiteKind kind);  ///< "load"

enum class Space { workgroup, buffer };
constexpr Space last_of(Space) {
    return Space::buffer;
}
std::string_view name(Space space);  ///< "workgroup"

/// What the words of a record's value are.
enum class ValueType { none, boolean, i8, u8, i16, u16, f16, i32, u32, f32, i64, u64, f64 };
constexpr ValueType last_of(ValueType) {
    return ValueType::f64;
}

/// For whom an atomic is one: invocations outside of its scope may see it half done.
enum class Scope { invocation, subgroup, workgroup, device };
constexpr Scope last_of(Scope) {
    return Scope::device;
}

/// A place in the kernel's source that accesses memory or waits.
struct Site {
    SiteKind kind = SiteKind::load;
    std::string file;        ///< as the compiler names it; includes too
    std::uint32_t line = 0;  ///< from 1
    std::string variable;    ///< "sums"; of a buffer its one array, "numbers"; empty for a barrier
    std::string member;      ///< of an element that is a struct, ".velocity"; else empty
    Space space = Space::workgroup;
    std::uint32_t binding = 0;         ///< of a buffer
    std::uint64_t bytes = 0;           ///< of one access
    std::uint64_t variable_bytes = 0;  ///< of the whole variable; 0: its last array has no length
    std::uint64_t first_byte =
        0;  ///< of the variable's array in its space or buffer: index = (offset - first_byte) / element_bytes
    std::uint64_t element_bytes = 0;  ///< from one element of the outermost array to the next; 0: no array
    ValueType value = ValueType::none;
    std::uint32_t components = 1;  ///< of a vector
    // Of a barrier, and of an atomic's memory semantics.
    bool of_subgroup = false;       ///< a barrier of the subgroup alone
    bool orders_workgroup = false;  ///< accesses to workgroup memory before it are seen behind it
    bool orders_buffers = false;    ///< the same of storage buffers
    /// Of an atomic: it may order what stands before or behind it, by its own semantics or because the kernel
    /// has memory barriers, wherever they stand.
    bool acquires = false, releases = false;
    Scope scope = Scope::device;  ///< of an atomic
};

/// Words of the values that a site's records hold behind their head, at most four: one a component, two where
/// a component has 64 bits. 8- and 16-bit numbers are widened to 32 (f16 to the bits of f32). Of a load what
/// was read, of a store what is written, of an atomic what stood there before.
std::uint32_t value_words(const Site& site);

// The buffer that a recording kernel writes, in 32-bit words: a head, then records of one length, one after
// another, and behind the last a place that means nothing, for those that found no room. Behind that, where
// the device tells them, as many words for the stay of each workgroup.
namespace words {
enum Head : std::uint32_t {
    used,      ///< records asked for, until one has found no room
    capacity,  ///< records that there is room for
    first,     ///< workgroups from here, numbered in the whole launch, x fastest,
    last,      ///< to here, with it, record
    lost,      ///< records that there was no room for; stops near 2^31
    counting,  ///< 1: nothing is recorded, and the first word of record (workgroup - first) counts those that
               ///< the workgroup would make; that stops near 2^31, too
    below,     ///< workgroups of the launch along the dimensions below the one that it is cut along,
               ///< multiplied: 1 in one dimension
    head = 8,  ///< the first word of the records
};
enum Record : std::uint32_t {
    site,            ///< number of the site; bit 16 + i: the i-th index of the access left its array
    workgroup,       ///< in the whole launch
    invocation,      ///< bits 0-11: in its workgroup; 12-18: lane in its subgroup; 19-30: subgroup in its
                     ///< workgroup; 31: the first of the lanes that came to the site together, whose records
                     ///< follow by lane; only with Trace::ballots
    slice,           ///< element, row or layer that the dispatch began with; see launch/slices.h
    sequence,        ///< records of this invocation before it, in this dispatch
    epoch,           ///< barriers of the workgroup that it passed before, in this dispatch
    subgroup_epoch,  ///< barriers of its subgroup or its workgroup
    offset,          ///< bytes from the start of the variable or of the binding; modulo 2^32
    values,          ///< value_words() of them, of four; of a barrier iteration_key and innermost_iteration
    length = values + 4,
};
enum Stay : std::uint32_t {
    multiprocessor,
    begun = values,  ///< two words, the lower half first,
    ended = begun + 2,
};
}  // namespace words

/// One access, its words taken apart; slices put one behind another.
struct Record {
    std::uint32_t site = 0;
    std::uint32_t outside = 0;  ///< bit i: the i-th index left its array
    std::uint32_t workgroup = 0;
    std::uint16_t invocation = 0, subgroup = 0, lane = 0;
    std::uint32_t sequence = 0;  ///< of its invocation, over all slices
    std::uint32_t epoch = 0;
    std::uint32_t subgroup_epoch = 0;
    std::uint32_t dispatch = 0;  ///< of those that the launch was cut into, from 0: nothing of one happens
                                 ///< together with anything of another
    std::uint32_t request = 0;   ///< with Trace::ballots: the same in those that came to the site together
    std::uint64_t offset = 0;    ///< in the whole buffer
    std::array<std::uint32_t, 4> value{};

    // Of a barrier, in place of a value.
    /// Equal in the same iteration of all loops around it.
    std::uint32_t iteration_key() const { return value[0]; }
    /// Of the innermost loop, from 1; 0: it is in none.
    std::uint32_t innermost_iteration() const { return value[1]; }
};
/// Where no record is meant.
inline constexpr std::uint32_t no_record = UINT32_MAX;

/// How much of a buffer a launch must write.
enum class MustWrite {
    nothing,
    some,  ///< others may write it too, or it is read only as far as the data goes
    all,
};
constexpr MustWrite last_of(MustWrite) {
    return MustWrite::all;
}

/// A buffer that the launch binds.
struct TracedBuffer {
    std::string name;
    ElementType type = ElementType::u32;
    std::uint64_t elements = 0;
    bool output = false;
    MustWrite must_write = MustWrite::nothing;  ///< of an output
    bool sliced = false;
    std::uint64_t slice_bytes = 0;  ///< of a sliced buffer, for each element, row or layer of Record::slice
};

/// Where and when a workgroup ran, as its first invocation read it. Recording changes times, so the clock
/// tells what came before what, and no more.
struct Stay {
    std::uint32_t multiprocessor = 0;
    std::uint64_t begun = 0, ended = 0;  ///< on a clock of the device that has no unit
};

/// A recording, as it travels.
struct Trace {
    std::string reason;               ///< why it could not be made; empty: it was
    std::string kernel;               ///< its file, or the name of the person's own
    std::string source;               ///< of a kernel that was made or written for its plan, GLSL; else empty
    std::string launch;               ///< the label of the launch
    std::uint64_t launch_number = 0;  ///< of the plan's dispatches, from 0
    std::uint64_t launches = 1;
    Extent workgroup, grid;
    std::uint64_t first_workgroup = 0, last_workgroup = 0;  ///< recorded, with the last
    std::uint64_t lost = 0;                                 ///< records that there was no room for
    std::uint32_t subgroup_size = 0;
    bool ballots = false;     ///< the records say which lanes of a subgroup came to a site together
    std::uint32_t banks = 0;  ///< of workgroup memory, 4 bytes each; 0: not modelled for this device
    std::string banks_note;   ///< why not, or whose figures they are
    std::vector<Site> sites;
    std::vector<TracedBuffer> buffers;  ///< by binding
    std::vector<Stay> stays;            ///< of each recorded workgroup; empty: they are not known
    ArrayRef words;                     ///< u32: what the kernel wrote, head included

    bool complete() const { return reason.empty() && lost == 0; }
    bool whole_launch() const { return first_workgroup == 0 && last_workgroup + 1 == grid.product(); }
};

/// Whether any record is of a load, a store or an atomic.
bool has_access(const Trace& trace);

/// Taken apart and put in order: by workgroup, invocation and sequence. Linear in the records. Throws
/// std::runtime_error on words that no recording kernel writes.
std::vector<Record> records_of(const Trace& trace);

}  // namespace gridstride::trace
