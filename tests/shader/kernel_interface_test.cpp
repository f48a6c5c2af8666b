// Tests the description, in GLSL terms, of a kernel's interface: the bindings and constants that a launch
// provides.
#include "shader/kernel_interface.h"

#include "shader/compiler.h"
#include "test_includes.h"

namespace gridstride::shader::kernel_interface_test {

KernelInterface of(const std::string& declarations, const std::string& body = "") {
    const CompileResult compiled =
        compile("#version 450\n" + declarations + "\nvoid main() {" + body + "}\n", "mine.comp", {}, {});
    EXPECT_TRUE(compiled.ok()) << compiled.text();
    return compiled.ok() ? read_interface(compiled.spirv) : KernelInterface();
}

TEST(KernelInterface, ListsDeclarationsEvenIfUnused) {
    const KernelInterface found = of(R"(
layout(local_size_x_id = 0, local_size_y = 4) in;
layout(constant_id = 7) const bool fast = true;
layout(constant_id = 8) const bool safe = false;
layout(constant_id = 3) const uint depth = 16;
layout(binding = 1) writeonly buffer B { vec4 quads[]; };
layout(binding = 0) readonly buffer A { uint count; float numbers[]; };
layout(set = 2, binding = 0) buffer C { uint grid[4][8]; };
layout(binding = 5) uniform U { mat4 turn; };
layout(push_constant) uniform P { uint n; layout(offset = 16) float scale; ivec2 at[2]; } p;
)");
    ASSERT_EQ(found.resources.size(), 4u);
    EXPECT_EQ(found.resources[0].declaration, "readonly buffer {uint count; float numbers[]}");
    EXPECT_FALSE(found.resources[0].is_writable);
    EXPECT_EQ(found.resources[1].declaration, "writeonly buffer vec4 quads[]");
    EXPECT_FALSE(found.resources[1].is_readable);
    EXPECT_TRUE(found.resources[1].is_writable);
    EXPECT_FALSE(found.resources[2].is_one_buffer);
    EXPECT_EQ(found.resources[2].binding, 5u);
    EXPECT_EQ(found.resources[3].declaration, "buffer uint grid[4][8]");
    EXPECT_EQ(found.resources[3].set, 2u);
    const std::vector<KernelInterface::Value> push = {
        {0, "uint n"}, {16, "float scale"}, {24, "ivec2 at[2]"}};
    EXPECT_EQ(found.push_constants, push);
    const std::vector<KernelInterface::Value> constants = {
        {3, "uint depth"}, {7, "bool fast"}, {8, "bool safe"}};
    EXPECT_EQ(found.constants, constants);
    EXPECT_EQ(found.size_ids[0], 0u);
    EXPECT_EQ(found.size_ids[1], std::nullopt);
    EXPECT_EQ(found.sizes[1], 4u);
}

TEST(KernelInterface, DetectsPaddingBetweenElements) {
    const auto has_padding = [](const std::string& layout, const std::string& array) {
        return of("layout(" + layout + "binding = 0) buffer A { " + array + "; };")
            .resources.at(0)
            .has_padding;
    };
    EXPECT_TRUE(has_padding("std140, ", "uint n[]"));
    EXPECT_TRUE(has_padding("std140, ", "vec2 n[4]"));
    EXPECT_FALSE(has_padding("std140, ", "vec4 n[]"));
    EXPECT_FALSE(has_padding("std430, ", "uint n[]"));
    EXPECT_FALSE(has_padding("", "uint n[]")) << "std430 is the default layout of a buffer";
    EXPECT_FALSE(has_padding("", "vec3 n[]"));
}

TEST(KernelInterface, ListsTheScalarTypesOfABuffer) {
    const KernelInterface found = of(R"(
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
struct Particle { vec3 at; int kind; };
layout(binding = 0) buffer A { uvec4 quads[]; };
layout(binding = 1) buffer B { uint count; Particle particles[4]; };
layout(binding = 2) buffer C { int16_t a; u8vec2 b; uint64_t c; mat2 d; float16_t e[2][3]; };
)");
    using Set = std::set<std::string>;
    ASSERT_EQ(found.resources.size(), 3u);
    EXPECT_EQ(found.resources[0].scalars, Set({"uint"}));
    EXPECT_EQ(found.resources[1].scalars, Set({"uint", "float", "int"}));
    EXPECT_EQ(found.resources[2].scalars, Set({"int16_t", "uint8_t", "uint64_t", "float", "float16_t"}));
}

TEST(KernelInterface, ReadsLiteralWorkgroupSizes) {
    const KernelInterface found = of("layout(local_size_x = 32, local_size_y = 2) in;");
    EXPECT_EQ(found.size_ids[0], std::nullopt);
    EXPECT_EQ(found.sizes[0], 32u);
    EXPECT_EQ(found.sizes[1], 2u);
    const KernelInterface named =
        of("layout(local_size_x = 32) in;\nlayout(binding = 0) buffer A { uint a; };",
           "a = gl_WorkGroupSize.x;");
    EXPECT_EQ(named.sizes[0], 32u);
    EXPECT_EQ(named.size_ids[0], std::nullopt);
}

}  // namespace gridstride::shader::kernel_interface_test
