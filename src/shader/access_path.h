// Resolves an access chain: from a variable through its structures and arrays to the accessed object.
#pragma once

#include <cstdint>
#include <vector>

#include "shader/spirv_module.h"
#include "trace/trace.h"

namespace gridstride::shader {

/// A pointer into a storage buffer or workgroup memory.
struct AccessChain {
    std::uint32_t variable = 0;
    std::vector<std::uint32_t> indices;  ///< ids, including those of structure members
};

struct AccessPath {
    struct Index {
        std::uint32_t id = 0;
        std::uint64_t stride = 0;  ///< bytes from one element to the next
        std::uint64_t count = 0;   ///< elements; 0: a runtime array, the last member of its buffer
    };
    trace::Site site;  ///< without kind, file and line
    std::uint32_t variable = 0;
    std::uint32_t type = 0;
    std::uint64_t offset = 0;       ///< constant part of the byte offset, from structure members
    std::vector<Index> indices;     ///< in source order
    std::uint32_t last_member = 0;  ///< number of the block member that holds the runtime array
    /// Bytes between the components of a non-contiguous vector (a column of a row-major matrix); else 0.
    std::uint64_t component_stride = 0;
};

/// Resolves the access to a place. Throws std::runtime_error, with the end of a sentence, if it cannot be
/// recorded, such as an access to an array of buffers.
AccessPath resolve_access(const SpirvModule& module, const AccessChain& chain);

/// Returns the value type of a number or vector; ValueType::none for structures, arrays and matrices.
trace::ValueType value_type(const SpirvModule& module, std::uint32_t type);

}  // namespace gridstride::shader
