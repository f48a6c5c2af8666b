// What a device can do at best, measured on it: the yardsticks beside every rate.
#pragma once

namespace gridstride {

/// Bytes a second, operations a second, nanoseconds. 0: not measured, or the device has nothing of the kind.
struct Ceilings {
    /// Device to device, bytes read plus bytes written. The better of vkCmdCopyBuffer, which some drivers
    /// hand to a slower engine, and a copying kernel (shaders/ceilings/copy.comp).
    double copy_bytes_per_second = 0;

    // From host to device and back, bytes counted once.
    double staged_upload_bytes_per_second = 0;    ///< the device's copy out of mapped staging memory alone
    double staged_download_bytes_per_second = 0;  ///< the device's copy into it alone
    double pageable_upload_bytes_per_second =
        0;  ///< memcpy from ordinary memory into staging, then that copy
    double pageable_download_bytes_per_second = 0;  ///< that copy, then memcpy into ordinary memory
    double mapped_write_bytes_per_second =
        0;  ///< the host writing straight into memory of the device that it sees
    double mapped_read_bytes_per_second = 0;  ///< a kernel reading that memory

    double empty_dispatch_ns = 0;  ///< a dispatch of one workgroup that does nothing, and its barrier
    double empty_submit_ns = 0;    ///< submitting an empty command buffer and waiting, host clock, median

    /// f32 multiply-adds counted as two (shaders/ceilings/fma.comp).
    double operations_per_second = 0;

    bool operator==(const Ceilings&) const = default;
};

}  // namespace gridstride
