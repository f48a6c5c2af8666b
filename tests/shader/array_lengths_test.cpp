#include "shader/array_lengths.h"

#include "shader/compiler.h"
#include "shader/spirv_module.h"
#include "test_includes.h"

namespace gridstride::shader::array_lengths_test {

constexpr std::string_view kernel = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer A { float a[]; };
layout(set = 0, binding = 1, std430) buffer B { uint count; float b[]; };
float element(uint i) { return i < a.length() ? a[i] : 0; }
void main() {
    for (uint i = gl_GlobalInvocationID.x; i < count; i += 64) {
        float sum = 0;
        for (uint j = 0; j < count; ++j)
            sum += element(i + j) + b[j];
        b[i] = sum;
    }
}
)";

/// A query in a loop or in a function may be reached when no invocation of a subgroup is active.
TEST(ArrayLengths, AreQueriedOncePerBufferAtTheStartOfMain) {
    const CompileResult compiled = compile(kernel, "mine.comp", {}, {});
    ASSERT_TRUE(compiled.ok()) << compiled.text();
    const std::vector<std::uint32_t> clamped = clamp_indices(compiled.spirv);
    EXPECT_EQ(validate(clamped), "");
    std::set<std::uint32_t> buffers;
    std::uint32_t main = 0, function = 0;
    int blocks = 0;
    const SpirvModule module(clamped, {});
    for (const Instruction& i : module.instructions()) {
        if (opcode_of(i) == spv::OpEntryPoint) main = i[2];
        if (opcode_of(i) == spv::OpFunction) function = i[2], blocks = 0;
        if (opcode_of(i) == spv::OpLabel) ++blocks;
        if (opcode_of(i) != spv::OpArrayLength) continue;
        EXPECT_EQ(function, main);
        EXPECT_EQ(blocks, 1);
        EXPECT_TRUE(buffers.insert(i[3]).second) << "queried twice";
    }
    EXPECT_EQ(buffers.size(), 2U);
}

TEST(ArrayLengths, LeaveOtherModulesUnchanged) {
    const CompileResult compiled = compile("#version 450\nvoid main() {}\n", "mine.comp", {}, {});
    EXPECT_EQ(hoist_array_lengths(compiled.spirv), compiled.spirv);
}

}  // namespace gridstride::shader::array_lengths_test
