// Tests that kernels in other languages are distinguished from GLSL with a mistake.
#include "shader/foreign_language.h"

#include "shader/compiler.h"
#include "test_environment.h"
#include "test_includes.h"

namespace gridstride::shader::foreign_language_test {

struct Pasted {
    const char* language;
    const char* source;
    std::uint32_t line;
    std::vector<const char*> words;  ///< of the first message
};

TEST(ForeignLanguage, FirstDiagnosticNamesItAndTheGlslEquivalents) {
    const std::vector<Pasted> all = {
        {"CUDA C++",
         "// A comment first.\n__global__ void add(float* a, int n) {\n"
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) a[i] += 1;\n}\n",
         2,
         {"On this line `__global__`", "`blockIdx.x` is `gl_WorkGroupID.x`",
          "`blockDim.x` is `gl_WorkGroupSize.x`", "`threadIdx.x` is `gl_LocalInvocationID.x`"}},
        {"CUDA C++",
         "#version 450\nlayout(binding = 0) buffer A { float a[]; };\nvoid main() {\n"
         "    uint i = blockIdx.y; __syncthreads();\n}\n",
         4,
         {"On this line `blockIdx.y` is `gl_WorkGroupID.y`, `__syncthreads` is `barrier()`"}},
        {"HLSL",
         "RWStructuredBuffer<uint> v : register(u0);\n[numthreads(64, 1, 1)]\n"
         "void main(uint3 id : SV_DispatchThreadID) { v[id.x] += 1; }\n",
         1,
         {"On this line `RWStructuredBuffer`", "`SV_DispatchThreadID` is `gl_GlobalInvocationID`"}},
        {"OpenCL C",
         "__kernel void add(__global float* a, __local float* t) {\n    int i = get_global_id(0);\n"
         "    t[get_local_id(1)] = a[i];\n    barrier(CLK_LOCAL_MEM_FENCE);\n}\n",
         1,
         {"`__local` is `shared`", "`get_global_id(0)` is `gl_GlobalInvocationID.x`",
          "`get_local_id(1)` is `gl_LocalInvocationID.y`"}},
        {"OpenCL C",
         "kernel void add(global float* a) {\n    a[get_global_id(0)] += 1;\n}\n",
         1,
         {"`global` is a buffer", "`get_global_id(0)`"}},
        {"OpenCL C",
         "__kernel void add(__global float* a) {\n    float3 v = a[get_global_id(2)];\n}\n",
         1,
         {"`float3` is `vec3`", "`get_global_id(2)` is `gl_GlobalInvocationID.z`"}},
        {"WGSL",
         "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n@compute @workgroup_size(64)\n"
         "fn main(@builtin(global_invocation_id) id: vec3<u32>) { workgroupBarrier(); a[id.x] += 1u; }\n",
         1,
         {"`u32` is `uint`", "`global_invocation_id` is `gl_GlobalInvocationID`"}},
        {"Metal",
         "#include <metal_stdlib>\nusing namespace metal;\nkernel void add(device float* a [[buffer(0)]],\n"
         "                uint i [[thread_position_in_grid]]) { a[i] += 1; }\n",
         1,
         {"`thread_position_in_grid` is `gl_GlobalInvocationID`"}},
        {"Python",
         "from numba import cuda\n@cuda.jit\ndef add(a):\n    a[cuda.threadIdx.x] += 1\n",
         1,
         {"On other lines `@cuda`", "`threadIdx.x` is `gl_LocalInvocationID.x`"}},
        {"Python",
         "@triton.jit\ndef add(a, n: tl.constexpr):\n    i = tl.program_id(0)\n    tl.store(a + i, 1)\n",
         1,
         {"On this line `@triton`", "`program_id(0)` is `gl_WorkGroupID.x`"}},
    };
    for (const Pasted& pasted : all) {
        const CompileResult result = compile(pasted.source, "pasted.comp", {}, {});
        ASSERT_FALSE(result.ok()) << pasted.source;
        const Diagnostic& first = result.diagnostics.front();
        EXPECT_THAT(first.text,
                    AllOf(HasSubstr(fmt::format("looks like {}", pasted.language)), Mentions("GLSL")));
        EXPECT_EQ(first.line, pasted.line) << first.text;
        EXPECT_EQ(first.file, "pasted.comp");
        for (const char* words : pasted.words)
            EXPECT_THAT(first.text, HasSubstr(words));
        EXPECT_GT(result.diagnostics.size(), 1u) << "the compiler's own diagnostics follow";
    }
}

TEST(ForeignLanguage, OneWordIsEnoughIfTheCompilerFailsOnIt) {
    struct Slip {
        const char* language;
        const char* top;   ///< line 3
        const char* body;  ///< line 5
        const char* message;
    };
    for (const Slip& slip : std::vector<Slip>{
             {"HLSL", "", "InterlockedAdd(a[0], 1u);", "`InterlockedAdd` is `atomicAdd()`"},
             {"CUDA C++", "", "a[blockIdx.x] = 1u;", "`blockIdx.x` is `gl_WorkGroupID.x`"},
             {"CUDA C++", "__shared__ float t[64];", "", "`__shared__` is `shared`"},
             {"OpenCL C", "", "uint i = get_global_id(0);",
              "`get_global_id(0)` is `gl_GlobalInvocationID.x`"},
             {"HLSL", "groupshared float t[64];", "", "`groupshared` is `shared`"},
             {"WGSL", "@builtin(global_invocation_index) uint i;", "", "`@builtin` is not needed"},
             {"WGSL", "", "u32 i = 0;", "`u32` is `uint`"}}) {
        const CompileResult result =
            compile(fmt::format("#version 450\nlayout(binding = 0) buffer A {{ uint a[]; }};\n{}\n"
                                "void main() {{\n{}\n}}\n",
                                slip.top, slip.body),
                    "mine.comp", {}, {});
        ASSERT_FALSE(result.ok());
        const Diagnostic& first = result.diagnostics.front();
        EXPECT_THAT(first.text, HasSubstrs(fmt::format("looks like {}", slip.language),
                                           std::string("On this line ") + slip.message));
        EXPECT_EQ(first.line, *slip.top ? 3u : 5u) << first.text;
    }
    // On other lines these words prove nothing, nor does a name that the user may have forgotten to declare.
    for (const char* body : {"uint blockIdx = 0u; a[blockIdx] = wrong;", "a[0] = wrong; // blockIdx",
                             "float x = var * 2;", "a[0] = wrong;\nuint i = warpSize;"}) {
        const CompileResult result = compile(
            fmt::format(
                "#version 450\nlayout(binding = 0) buffer A {{ uint a[]; }};\nvoid main() {{\n{}\n}}\n",
                body),
            "mine.comp", {}, {});
        ASSERT_FALSE(result.ok());
        EXPECT_THAT(result.diagnostics.front().text, Not(HasSubstr("looks like"))) << body;
    }
}

TEST(ForeignLanguage, RespectsLineDirectives) {
    const auto found = detect_foreign_language(
        "#version 450\n#line 1\n\nvoid main() { uint i = blockIdx.x;\n__syncthreads(); }\n", "mine", 3);
    ASSERT_TRUE(found);
    EXPECT_THAT(found->text, Mentions("__syncthreads", "line"));
}

TEST(ForeignLanguage, IgnoresNamesThatTheSourceDeclares) {
    const std::string body =
        "#version 450\n#define __syncthreads barrier\n#define float4 vec4\nlayout(local_size_x_id = 0) in;\n"
        "uint atomicCAS(uint a) { return a; }\n"
        "void main() {\n    uvec3 threadIdx = gl_LocalInvocationID; // as CUDA's blockDim and warpSize\n"
        "    const uint blockIdx = gl_WorkGroupID.x + threadIdx.x + atomicCAS(1u);\n    __syncthreads();\n";
    const CompileResult result = compile(body + "    float4 x = wrong;\n}\n", "mine.comp", {}, {});
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.diagnostics.front().text, Not(HasSubstr("looks like")));
    // A single word may be a typing error.
    EXPECT_FALSE(detect_foreign_language("#version 450\nvoid main() { x = fn(); }\n", "mine.comp", 2));
    EXPECT_FALSE(detect_foreign_language("", "mine.comp", 0));
}

/// Tests every shipped kernel unchanged, and with a character removed or replaced at regular distances.
TEST(ForeignLanguage, IsNotDetectedInGlslWithTypos) {
    std::size_t files = 0;
    for (const char* const folder : {"shaders", "lessons"})
        for (const auto& entry : fs::recursive_directory_iterator(data_directory() / folder)) {
            if (entry.path().extension() != ".comp") continue;
            ++files;
            const std::string text = read_file(entry.path());
            const std::size_t step = std::max<std::size_t>(text.size() / sample_of(40, 10), 1);
            for (std::size_t at = 0; at < text.size(); at += step)
                for (const char* instead : {"", "@", "}", "\""}) {
                    std::string broken = text;
                    broken.replace(at, 1, instead);
                    const auto found = detect_foreign_language(broken, "mine.comp", 1);
                    ASSERT_FALSE(found) << entry.path() << " at " << at << ": " << found->text;
                }
        }
    EXPECT_GT(files, 100u);
}

}  // namespace gridstride::shader::foreign_language_test
