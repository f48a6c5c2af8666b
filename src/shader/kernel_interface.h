// Reads the interface of a kernel as GLSL declarations: its buffers, push constants, specialisation constants
// and workgroup size.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace gridstride::shader {

struct KernelInterface {
    struct Resource {
        std::uint32_t set = 0, binding = 0;
        std::string declaration;    ///< "readonly buffer float x[]"
        bool is_one_buffer = true;  ///< false: an image, a uniform buffer, an array of buffers …
        bool is_readable = true;    ///< not declared writeonly
        bool is_writable = true;    ///< not declared readonly
        bool has_padding = false;   ///< it has an array with padding between elements, as in std140
        /// The scalar types in a buffer, including those in vectors and structures: "uint", "float".
        std::set<std::string> scalars;
        bool operator==(const Resource&) const = default;
    };
    /// A member of the push constants, or a specialisation constant.
    struct Value {
        std::uint32_t offset_or_id = 0;  ///< its byte offset, or its constant id
        std::string declaration;         ///< "uint count"
        bool operator==(const Value&) const = default;
    };
    std::vector<Resource> resources;  ///< ordered by set and binding
    std::vector<Value> push_constants;
    std::vector<Value> constants;  ///< ordered by id; without unnamed ones that give the workgroup size
    /// The specialisation constant that gives each dimension of the workgroup size; nullopt: a literal.
    std::array<std::optional<std::uint32_t>, 3> size_ids;
    std::array<std::uint64_t, 3> sizes{1, 1, 1};  ///< the literals and the constants' defaults
    bool operator==(const KernelInterface&) const = default;
};

/// Reads the interface of a module. Names come from its debug information, which compile() keeps. Throws like
/// inspect().
KernelInterface read_interface(std::span<const std::uint32_t> spirv);

}  // namespace gridstride::shader
