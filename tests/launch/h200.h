// The limits of an NVIDIA H200 as lessons get them, for tests that need no device.
#pragma once

#include "launch/limits.h"

namespace gridstride::test {

inline Limits h200() {
    Limits limits;
    limits.is_cpu = false;
    limits.max_shared_bytes = 48 * 1024;
    limits.subgroup_size = 32;
    limits.multiprocessors = 132;
    limits.subgroups_per_multiprocessor = 64;
    limits.registers_per_multiprocessor = 65536;
    limits.workgroups_per_multiprocessor = 32;
    limits.cache_bytes = 128 << 20;
    return limits;
}

}  // namespace gridstride::test
