// What travels between compile_apart() and serve_compile(): see base/wire.h.
#pragma once

#include <cstdint>

#include "base/wire.h"
#include "shader/compile_apart.h"

namespace gridstride::shader {

/// A job with the limits that its process sets itself.
struct CompileOrder {
    CompileJob job;
    std::uint32_t cpu_seconds = 0;
    std::uint64_t memory_bytes = 0;
};

}  // namespace gridstride::shader
