// A kernel made to record what its invocations do: see trace/trace.h.
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

struct RecordingKernel {
    CompileResult compiled;          ///< not ok(): as compile() says it
    std::vector<trace::Site> sites;  ///< by their numbers
    /// Places that record once every function stands where it is called, as drivers put them.
    std::uint64_t inlined_sites = 0;
};

/// Compiles the source with recording in it: every load, store and atomic through storage buffers and
/// workgroup memory, and every barrier, leaves a record in that buffer, which the kernel itself must not use.
/// What the kernel computes stays the same. Indices are recorded as the source has them; clamp_indices() is
/// to come after. Lengths of arrays hang on the constants, and the sites hold for that launch alone. It has
/// the push constants of shaders/common/launch.glsl, whether or not the kernel declares them. Throws
/// std::runtime_error, with a sentence, where the module has what cannot be recorded.
RecordingKernel record_accesses(std::string_view source, const std::string& name, const Defines& defines,
                                const std::vector<std::filesystem::path>& include_roots,
                                const RecordedLaunch& launch);
/// The same of the module that such a source makes with recorder() behind it.
RecordingKernel record_module(const std::vector<std::uint32_t>& spirv, const std::string& name,
                              const RecordedLaunch& launch);

}  // namespace gridstride::shader
