// What a kernel's source declares of what a launch fills in, in the words of GLSL: its buffers, push
// constants, specialisation constants and workgroup size.
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
        bool is_one_buffer = true;  ///< else an image, a uniform buffer, an array of buffers …
        bool is_readable = true;    ///< not declared writeonly
        bool is_writable = true;    ///< not declared readonly
        bool has_padding = false;   ///< an array in it has bytes between its elements, as in std140
        /// The types of the numbers in a buffer, whatever vectors and structures they are in: "uint",
        /// "float".
        std::set<std::string> scalars;
        bool operator==(const Resource&) const = default;
    };
    /// A member of the push constants, or a specialisation constant.
    struct Value {
        std::uint32_t place = 0;  ///< its first byte, or its id
        std::string declaration;  ///< "uint count"
        bool operator==(const Value&) const = default;
    };
    std::vector<Resource> resources;  ///< by set and binding
    std::vector<Value> push_constants;
    std::vector<Value> constants;  ///< by id; without those that are the workgroup's size and have no name
    /// Of each dimension the specialisation constant that gives its size; nullopt: a literal does.
    std::array<std::optional<std::uint32_t>, 3> size_ids;
    std::array<std::uint64_t, 3> sizes{1, 1, 1};  ///< the literals, and the constants' defaults
    bool operator==(const KernelInterface&) const = default;
};

/// Names are those of the module's debug information, which compile() leaves in it. Throws as inspect().
KernelInterface interface_of(std::span<const std::uint32_t> spirv);

}  // namespace gridstride::shader
