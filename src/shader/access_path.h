// Where an access chain leads: from a variable through its structures and arrays to what is accessed.
#pragma once

#include <cstdint>
#include <vector>

#include "shader/spirv_module.h"
#include "trace/trace.h"

namespace gridstride::shader {

/// A pointer into a storage buffer or workgroup memory.
struct Place {
    std::uint32_t variable = 0;
    std::vector<std::uint32_t> indices;  ///< ids, members of structures included
};

struct AccessPath {
    /// Of an array, a vector or a matrix.
    struct Index {
        std::uint32_t id = 0;
        std::uint64_t stride = 0;  ///< bytes that it counts for
        std::uint64_t count = 0;   ///< 0: an array without a length, the last member of its buffer
    };
    trace::Site site;  ///< without kind, file and line
    std::uint32_t variable = 0;
    std::uint32_t type = 0;         ///< of what is accessed
    std::uint64_t offset = 0;       ///< of what no index says
    std::vector<Index> indices;     ///< as written
    std::uint32_t last_member = 0;  ///< of the buffer's block: that without a length
    std::uint64_t scatter = 0;      ///< bytes between the components of a vector that do not lie together:
                                    ///< a column of a matrix that is stored by rows; else 0
};

/// Throws std::runtime_error, with the end of a sentence, on what cannot be recorded: an array of buffers.
AccessPath path_of(const SpirvModule& module, const Place& place);

/// The words of what is accessed: none of structures, arrays and matrices.
trace::ValueType value_type(const SpirvModule& module, std::uint32_t type);

}  // namespace gridstride::shader
