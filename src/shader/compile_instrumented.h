// Instruments a kernel to record a trace of its accesses and barriers, see trace/trace.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "shader/compiler.h"
#include "shader/recorder.h"
#include "trace/trace.h"

namespace gridstride::shader {

struct InstrumentedKernel {
    CompileResult compiled;  ///< if not ok(), the diagnostics of compile()
    /// Indexed by site number. Branches follow the others; their records number them from 0.
    std::vector<trace::Site> sites;
    /// The number of sites after inlining all calls, as drivers do.
    std::uint64_t inlined_sites = 0;
};

/// Compiles the source with instrumentation: every load, store and atomic on storage buffers and workgroup
/// memory, and every barrier, writes a record to the buffer at launch.binding, which the kernel itself must
/// not use, and with launch.branches every branch one to the buffer after it. The results of the kernel are
/// unchanged. Indices are recorded before clamping, so call clamp_indices() afterwards. Array lengths depend
/// on the specialisation constants, so the sites are valid for this launch only. The module has the push
/// constants of shaders/common/launch.glsl, even if the kernel does not declare them. Throws
/// std::runtime_error, with a sentence, if the module cannot be traced.
InstrumentedKernel compile_instrumented(std::string_view source, const std::string& name,
                                        const Defines& defines,
                                        const std::vector<std::filesystem::path>& include_roots,
                                        const InstrumentationOptions& launch, const TextFiles& files = {});
/// Like compile_instrumented(), for a module that was compiled with recorder_source() appended.
InstrumentedKernel instrument_module(const std::vector<std::uint32_t>& spirv, const std::string& name,
                                     const InstrumentationOptions& launch);

}  // namespace gridstride::shader
