// The measured peak rates and latencies of a device, as a baseline for other rates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/language.h"

namespace gridstride {

/// The time of a load whose address the load before it returned.
struct LoadLatency {
    std::uint64_t footprint_bytes = 0;  ///< all loads go to this much memory, in random order
    double ns = 0;
    bool operator==(const LoadLatency&) const = default;
};

/// Bytes per second, operations per second, nanoseconds. 0 means not measured or not available.
struct Ceilings {
    /// Device to device, bytes read plus bytes written. The larger of vkCmdCopyBuffer, for which some drivers
    /// use a slower engine, and a copy kernel (shaders/ceilings/copy.comp).
    double copy_bytes_per_second = 0;

    // From host to device and back, each byte counted once.
    double staged_upload_bytes_per_second = 0;    ///< the device's copy from mapped staging memory
    double staged_download_bytes_per_second = 0;  ///< the device's copy to mapped staging memory
    double pageable_upload_bytes_per_second = 0;  ///< memcpy from pageable to staging memory, then that copy
    double pageable_download_bytes_per_second = 0;  ///< that copy, then memcpy to pageable memory
    double mapped_write_bytes_per_second = 0;       ///< the host writes to host-visible device memory
    double mapped_read_bytes_per_second = 0;        ///< a kernel reads that memory

    double empty_dispatch_ns = 0;  ///< a dispatch of one workgroup that does nothing, with its barrier
    double empty_submit_ns = 0;    ///< submitting an empty command buffer and waiting for it, host clock

    // Arithmetic; a multiply-add counts as two operations (shaders/ceilings/fma.comp).
    double operations_per_second = 0;       ///< of f32
    double half_operations_per_second = 0;  ///< of f16, where the device has it
    /// Operations on signed bytes, if the device has an instruction for the dot product of four with four:
    /// one dot product and its addition to a sum count as eight operations (shaders/ceilings/dot.comp).
    double byte_operations_per_second = 0;

    // Within the device.
    double cache_bytes_per_second = 0;             ///< loads from a footprint that fits in the cache
    double workgroup_memory_bytes_per_second = 0;  ///< loads without bank conflicts
    double barriers_per_second = 0;                ///< of all workgroups; each has 256 invocations
    // 32-bit additions, counted for each invocation.
    double atomics_per_second = 0;            ///< to many addresses
    double contended_atomics_per_second = 0;  ///< all to one address
    std::vector<LoadLatency> latencies =
        {};  ///< by increasing footprint, which shows the levels of the cache

    std::string measured_utc;  ///< the time of measurement, from utc_now()

    bool operator==(const Ceilings&) const = default;
};

/// Ceilings that are measured together, when a run or a finding first needs one of them.
enum class CeilingGroup {
    copies,
    transfers,
    mapped_memory,
    launches,
    arithmetic,
    cache,
    workgroup_memory,
    barriers,
    atomics,
    latencies,
};
inline constexpr CeilingGroup all_ceiling_groups[] = {
    CeilingGroup::copies,     CeilingGroup::transfers, CeilingGroup::mapped_memory,    CeilingGroup::launches,
    CeilingGroup::arithmetic, CeilingGroup::cache,     CeilingGroup::workgroup_memory, CeilingGroup::barriers,
    CeilingGroup::atomics,    CeilingGroup::latencies};

/// A number of the ceilings, for files, JSON and tables.
struct CeilingMember {
    enum class Unit { bytes_per_second, operations_per_second, per_second, ns };

    const char* id;
    const char* label;
    CeilingGroup group;
    Unit unit;
    double Ceilings::*value;
    bool is_on_every_device = true;  ///< positive once it is measured
};
inline constexpr CeilingMember ceiling_members[] = {
    {"copy_bytes_per_second", tr_later("copy within the device"), CeilingGroup::copies,
     CeilingMember::Unit::bytes_per_second, &Ceilings::copy_bytes_per_second},
    {"staged_upload_bytes_per_second", tr_later("upload from staging"), CeilingGroup::transfers,
     CeilingMember::Unit::bytes_per_second, &Ceilings::staged_upload_bytes_per_second},
    {"staged_download_bytes_per_second", tr_later("download to staging"), CeilingGroup::transfers,
     CeilingMember::Unit::bytes_per_second, &Ceilings::staged_download_bytes_per_second},
    {"pageable_upload_bytes_per_second", tr_later("upload, ordinary memory"), CeilingGroup::transfers,
     CeilingMember::Unit::bytes_per_second, &Ceilings::pageable_upload_bytes_per_second},
    {"pageable_download_bytes_per_second", tr_later("download, ordinary memory"), CeilingGroup::transfers,
     CeilingMember::Unit::bytes_per_second, &Ceilings::pageable_download_bytes_per_second},
    {"mapped_write_bytes_per_second", tr_later("host writes mapped memory"), CeilingGroup::mapped_memory,
     CeilingMember::Unit::bytes_per_second, &Ceilings::mapped_write_bytes_per_second, false},
    {"mapped_read_bytes_per_second", tr_later("kernel reads mapped memory"), CeilingGroup::mapped_memory,
     CeilingMember::Unit::bytes_per_second, &Ceilings::mapped_read_bytes_per_second, false},
    {"empty_dispatch_ns", tr_later("empty dispatch"), CeilingGroup::launches, CeilingMember::Unit::ns,
     &Ceilings::empty_dispatch_ns},
    {"empty_submit_ns", tr_later("empty submit and its wait"), CeilingGroup::launches,
     CeilingMember::Unit::ns, &Ceilings::empty_submit_ns},
    {"operations_per_second", tr_later("f32 multiply-adds"), CeilingGroup::arithmetic,
     CeilingMember::Unit::operations_per_second, &Ceilings::operations_per_second},
    {"half_operations_per_second", tr_later("f16 multiply-adds"), CeilingGroup::arithmetic,
     CeilingMember::Unit::operations_per_second, &Ceilings::half_operations_per_second, false},
    {"byte_operations_per_second", tr_later("dot products of 4 bytes"), CeilingGroup::arithmetic,
     CeilingMember::Unit::operations_per_second, &Ceilings::byte_operations_per_second, false},
    {"cache_bytes_per_second", tr_later("loads from the cache"), CeilingGroup::cache,
     CeilingMember::Unit::bytes_per_second, &Ceilings::cache_bytes_per_second},
    {"workgroup_memory_bytes_per_second", tr_later("loads from workgroup memory"),
     CeilingGroup::workgroup_memory, CeilingMember::Unit::bytes_per_second,
     &Ceilings::workgroup_memory_bytes_per_second},
    {"barriers_per_second", tr_later("barriers of workgroups"), CeilingGroup::barriers,
     CeilingMember::Unit::per_second, &Ceilings::barriers_per_second},
    {"atomics_per_second", tr_later("atomic additions"), CeilingGroup::atomics,
     CeilingMember::Unit::per_second, &Ceilings::atomics_per_second},
    {"contended_atomics_per_second", tr_later("atomic additions, one address"), CeilingGroup::atomics,
     CeilingMember::Unit::per_second, &Ceilings::contended_atomics_per_second},
};

/// Returns whether a group is measured. Members that not every device has may be 0.
inline bool is_measured(const Ceilings& ceilings, CeilingGroup group) {
    if (group == CeilingGroup::latencies) return !ceilings.latencies.empty();
    bool any = false;
    for (const CeilingMember& member : ceiling_members) {
        if (member.group != group) continue;
        if (member.is_on_every_device && ceilings.*member.value <= 0) return false;
        any = any || ceilings.*member.value > 0;
    }
    return any;
}

/// Takes over from others what is not measured.
inline void add_missing(Ceilings& ceilings, const Ceilings& others) {
    for (const CeilingMember& member : ceiling_members)
        if (ceilings.*member.value <= 0) ceilings.*member.value = others.*member.value;
    if (ceilings.latencies.empty()) ceilings.latencies = others.latencies;
}

}  // namespace gridstride
