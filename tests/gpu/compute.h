// Helpers for the tests of gpu/: kernels from GLSL, and copies between vectors and buffers.
#pragma once

#include "gpu/commands.h"
#include "shader/compiler.h"
#include "test_includes.h"

namespace gridstride::gpu {

/// This is long enough for the software driver on a busy machine.
constexpr std::chrono::minutes device_deadline{5};

inline std::vector<std::uint32_t> spirv_of(const std::string& body) {
    const auto root = std::filesystem::path(GRIDSTRIDE_SOURCE_DIR) / "shaders";
    const auto result = shader::compile("#version 450\n" + body, "test.comp", {}, {root});
    if (!result.ok()) throw std::runtime_error(result.text());
    return result.spirv;
}

inline Buffer upload_of(const Device& device, const std::vector<std::uint32_t>& words) {
    Buffer buffer(device, words.size() * sizeof(std::uint32_t), MemoryKind::upload);
    std::memcpy(buffer.mapped().data(), words.data(), buffer.bytes());
    return buffer;
}

inline std::vector<std::uint32_t> make_launch_words(const Buffer& buffer) {
    std::vector<std::uint32_t> words(buffer.bytes() / sizeof(std::uint32_t));
    std::memcpy(words.data(), buffer.mapped().data(), words.size() * sizeof(std::uint32_t));
    return words;
}

inline BoundRange whole(const Buffer& buffer) {
    return {&buffer, 0, buffer.bytes()};
}

/// Adds push constant `step` to every word of a buffer.
inline Kernel add_kernel(const Device& device, std::uint32_t workgroup_size = 64) {
    const auto spirv = spirv_of(
        "layout(local_size_x_id = 0) in;\n"
        "layout(set = 0, binding = 0) buffer Data { uint data[]; };\n"
        "layout(push_constant) uniform Push { uint step; };\n"
        "void main() { if (gl_GlobalInvocationID.x < data.length()) data[gl_GlobalInvocationID.x] += step; "
        "}\n");
    return Kernel(device, spirv, "add", 1, sizeof(std::uint32_t), std::array{workgroup_size});
}

}  // namespace gridstride::gpu
