// Tests what modules require, as read from their words, and how clamping changes them.
#include "shader/inspect.h"

#include "shader/compiler.h"
#include "shader/kernel_store.h"
#include "test_includes.h"

namespace gridstride::shader::inspect_test {

using Words = std::vector<std::uint32_t>;

Words spirv_of(const std::string& body) {
    const CompileResult result =
        compile("#version 450\n" + body, "test.comp", {}, {fs::path(GRIDSTRIDE_SOURCE_DIR) / "shaders"});
    EXPECT_TRUE(result.ok()) << result.text();
    return result.spirv;
}
KernelRequirements needs_of(const std::string& body, const Words& constants = {}) {
    return inspect(spirv_of(body), constants);
}

constexpr const char* buffer_block = "layout(binding = 0) buffer D { uint d[]; };\n";

TEST(Inspect, ReadsLiteralAndSpecializedWorkgroupSizes) {
    const KernelRequirements fixed =
        needs_of("layout(local_size_x = 8, local_size_y = 4) in;\nvoid main() {}\n");
    EXPECT_TRUE(fixed.has_compute_main);
    EXPECT_THAT(fixed.local_size, ElementsAre(8, 4, 1));
    const std::string special = "layout(local_size_x_id = 0) in;\nvoid main() {}\n";
    EXPECT_THAT(needs_of(special, {96}).local_size, ElementsAre(96, 1, 1));
    EXPECT_THAT(needs_of(special).local_size, ElementsAre(1, 1, 1)) << "the default";
    EXPECT_THAT(needs_of("void main() {}\n").local_size, ElementsAre(1, 1, 1));
}

struct Written {
    const char* what;
    std::string body;
    bool is_written;
};

TEST(Inspect, DetectsWrittenBindings) {
    const std::string two =
        "layout(binding = 0) buffer A { float a[]; };\n"
        "layout(binding = 1) buffer B { float b[]; int n; };\n";
    const std::string end = "}\n";
    for (const Written& one : std::vector<Written>{
             {"nothing", "void main() {\n" + end, false},
             {"a load", "void main() {\nb[0] = a[1];\n" + end, false},
             {"the length", "void main() {\nb[0] = float(a.length());\n" + end, false},
             {"a store", "void main() {\na[1] = b[0];\n" + end, true},
             {"a store of a part of it", "void main() {\na[1] += 1.0;\n" + end, true},
             {"a function that stores", "void f() { a[1] = 2.0; }\nvoid main() {\nf();\n" + end, true},
             {"what a function leaves", "void f(out float x) { x = 2.0; }\nvoid main() {\nf(a[1]);\n" + end,
              true},
             {"what a function may change",
              "void f(inout float x) { x = 2.0; }\nvoid main() {\nf(a[1]);\n" + end, true},
             {"what a function is given",
              "float f(float x) { return x; }\nvoid main() {\nb[0] = f(a[1]);\n" + end, false},
             {"a result in an operand", "void main() {\nb[0] = modf(b[1], a[1]);\n" + end, true},
             {"a function that nobody calls", "void f() { a[1] = 2.0; }\nvoid main() {\n" + end, false},
         }) {
        const KernelRequirements needs = needs_of(two + one.body);
        const auto a = std::ranges::find(needs.bindings, 0U, &BindingRequirement::binding);
        EXPECT_EQ(a != needs.bindings.end() && a->is_written, one.is_written) << one.what;
    }
}

TEST(Inspect, DetectsAtomicWritesWithTheirLine) {
    const std::string buffer =
        "layout(binding = 3) buffer A { int a[]; };\n"
        "void f() {\n    atomicAdd(a[2], 1);\n}\n";
    const BindingRequirement need = needs_of(buffer + "void main() {\n    f();\n}\n").bindings.at(0);
    EXPECT_TRUE(need.is_written);
    EXPECT_EQ(need.write_file, "") << "the source's own file has no name of its own";
    EXPECT_EQ(need.write_line, 4U);
    for (const char* call : {"atomicMin(a[0], 1)", "atomicExchange(a[0], 1)", "atomicCompSwap(a[0], 1, 2)"})
        EXPECT_TRUE(needs_of(buffer.substr(0, buffer.find('\n') + 1) + "void main() { " + call + "; }\n")
                        .bindings.at(0)
                        .is_written)
            << call;
}

TEST(Inspect, ReadsClampedModules) {
    const std::vector<std::uint32_t> spirv = clamp_indices(spirv_of(
        "layout(binding = 0) buffer A { float a[]; };\nlayout(binding = 1) buffer B { float b[]; };\n"
        "void main() {\n    a[gl_GlobalInvocationID.x] = b[gl_LocalInvocationIndex];\n}\n"));
    for (const BindingRequirement& need : inspect(spirv, {}).bindings) {
        EXPECT_EQ(need.is_written, need.binding == 0);
        if (need.binding == 0) {
            EXPECT_EQ(need.write_line, 5U);
        }
    }
}

TEST(Inspect, WorkgroupMemoryFollowsSpecializationConstants) {
    const std::string source = std::string("layout(local_size_x_id = 0) in;\n") + buffer_block +
                               "layout(constant_id = 1) const uint extra = 3;\n"
                               "layout(constant_id = 2) const bool twice = false;\n"
                               "const uint length = (gl_WorkGroupSize.x + extra) * (twice ? 2u : 1u) / 1u;\n"
                               "shared uint a[length];\nshared bool flag;\n"
                               "void main() { a[0] = d[0]; flag = d[1] == 2u; barrier(); d[2] = a[d[3]] + "
                               "uint(flag); }\n";
    EXPECT_EQ(needs_of(source, {64, 0, 0}).shared_bytes, 64 * 4 + 4u);
    EXPECT_EQ(needs_of(source, {64, 8, 1}).shared_bytes, 2 * 72 * 4 + 4u);
    EXPECT_EQ(needs_of(source, {64}).shared_bytes, 67 * 4 + 4u);
}

TEST(Inspect, RefusesConstantDivisionByZero) {
    const auto shared_bytes = [](const std::string& length, std::uint32_t a, std::uint32_t b) {
        return needs_of(
                   "layout(local_size_x = 1) in;\nlayout(constant_id = 0) const int a = 8;\n"
                   "layout(constant_id = 1) const int b = 2;\nshared uint s[" +
                       length + "];\nvoid main() { s[0] = 1; }\n",
                   {a, b})
            .shared_bytes;
    };
    constexpr std::uint32_t lowest = 1U << 31;
    constexpr std::uint32_t minus_one = 0xffffffff;
    for (const std::string op : {"/", "%"}) {
        const std::string length = "(a " + op + " b == a ? 3 : 5)";
        EXPECT_THROW(shared_bytes(length, 7, 0), std::runtime_error) << op;
        EXPECT_EQ(shared_bytes(length, lowest, minus_one), op == "/" ? 3 * 4u : 5 * 4u) << op;
    }
    EXPECT_EQ(shared_bytes("-7 % b + 8 + a / b", 9, 2), (1 + 8 + 4) * 4u);
    EXPECT_EQ(shared_bytes("a % b + 8", 7, -2), (-1 + 8) * 4u);
}

TEST(Inspect, Evaluates64BitConstantLengths) {
    const std::string source =
        "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
        "layout(local_size_x = 1) in;\nlayout(constant_id = 0) const int a = 8;\n"
        "const int64_t wide = (int64_t(a) << 33) / 3L;\n"
        "shared uint s[int(wide >> 30) + (wide > 20000000000L ? 2 : 1)];\nvoid main() { s[0] = 1; }\n";
    EXPECT_EQ(needs_of(source, {8}).shared_bytes, (21 + 2) * 4u);
    EXPECT_EQ(needs_of(source, {6}).shared_bytes, (16 + 1) * 4u);
}

TEST(Inspect, LargeArraysDoNotOverflow) {
    const KernelRequirements needs =
        needs_of(std::string("layout(local_size_x = 1) in;\n") + buffer_block +
                 "shared vec4 a[65536][65536][65536];\nvoid main() { a[d[0]][d[1]][0] = vec4(d[2]); d[3] = "
                 "uint(a[0][d[4]][d[5]].x); }\n");
    EXPECT_GE(needs.shared_bytes, std::uint64_t{1} << 52);
    const KernelRequirements more = needs_of(
        std::string("layout(local_size_x = 1) in;\n") + buffer_block +
        "shared vec4 a[65536][65536][65536][65536];\nvoid main() { a[d[0]][d[1]][0][1] = vec4(d[2]); "
        "d[3] = uint(a[0][d[4]][d[5]][1].x); }\n");
    EXPECT_EQ(more.shared_bytes, std::numeric_limits<std::uint64_t>::max());
}

TEST(Inspect, UsesStd430Layouts) {
    const KernelRequirements needs =
        needs_of(std::string("layout(local_size_x = 1) in;\n") + buffer_block +
                 "shared vec3 a[3];\nshared mat3 m;\nstruct S { uint x; vec2 y; };\nshared S s[2];\n"
                 "void main() { a[d[0]] = vec3(1); m[d[1]] = vec3(2); s[d[2]].y = vec2(3); barrier();\n"
                 "d[3] = uint(a[d[4]].x + m[d[5]].y + s[d[6]].y.x); }\n");
    EXPECT_GE(needs.shared_bytes, 3 * 16 + 3 * 16 + 2 * 16u - 4u);
    EXPECT_LE(needs.shared_bytes, 3 * 16 + 3 * 16 + 2 * 16u + 16u);
}

TEST(Inspect, ListsBindingsAndPushConstants) {
    const KernelRequirements needs = needs_of(
        "#define PARAMETERS float mean; vec2 more;\n#include \"common/launch.glsl\"\n"
        "layout(binding = 1) buffer B { uint b[]; };\nlayout(set = 1, binding = 3) buffer C { uint c[]; };\n"
        "layout(binding = 4) uniform U { uint u; };\nlayout(binding = 5, r32ui) uniform uimage2D image;\n"
        "layout(binding = 6) buffer E { uint e[]; } many[2];\n"
        "void main() { b[0] = c[0] + u + launch.count + many[1].e[0]; imageStore(image, ivec2(0), uvec4(1)); "
        "}\n",
        {32});
    EXPECT_EQ(needs.push_bytes, 12 * 4 + 4 + 4 + 8u) << "the launch words, mean, padding, and more";
    ASSERT_EQ(needs.bindings.size(), 5u);
    for (const BindingRequirement& need : needs.bindings) {
        EXPECT_EQ(need.is_storage_buffer, need.binding == 1 || need.binding == 3 || need.binding == 6);
        EXPECT_EQ(need.array, need.binding == 6);
        EXPECT_EQ(need.set, need.binding == 3 ? 1u : 0u);
    }
}

TEST(Inspect, ReadsDeclaredBufferSizes) {
    const KernelRequirements needs = needs_of(
        "layout(local_size_x = 1) in;\n"
        "layout(binding = 0) buffer A { float a[100000000]; };\n"
        "layout(binding = 1) buffer B { uvec4 first; uint pad[7]; uint b[]; };\n"
        "layout(binding = 2) buffer C { uint c[]; };\n"
        "void main() { b[0] = c[0] + uint(a[1]); }\n");
    ASSERT_EQ(needs.bindings.size(), 3u);
    const std::uint64_t declared[] = {400'000'000, 16 + 7 * 4, 0};
    for (const BindingRequirement& need : needs.bindings)
        EXPECT_EQ(need.bytes, declared[need.binding]);
}

TEST(Inspect, NamesCapabilities) {
    const KernelRequirements needs = needs_of(
        "#extension GL_KHR_shader_subgroup_arithmetic : require\nlayout(local_size_x = 1) in;\n"
        "layout(binding = 0) buffer D { double d[]; };\nvoid main() { d[0] = subgroupAdd(d[1]); }\n");
    EXPECT_THAT(needs.capabilities, Contains("Float64"));
    EXPECT_THAT(needs.capabilities, Contains("GroupNonUniformArithmetic"));
    EXPECT_FALSE(needs.uses_shared_float_atomics);
    const KernelRequirements atomics = needs_of(
        "#extension GL_EXT_shader_atomic_float : require\nlayout(local_size_x = 1) in;\n"
        "layout(binding = 0) buffer D { float d[]; };\nshared float s;\n"
        "void main() { s = 0; barrier(); atomicAdd(s, d[0]); barrier(); d[1] = s; }\n");
    EXPECT_TRUE(atomics.uses_shared_float_atomics);
    EXPECT_THAT(atomics.extensions, Contains("SPV_EXT_shader_atomic_float_add"));
}

TEST(Inspect, DetectsLoops) {
    const std::string head =
        "layout(local_size_x = 1) in;\nlayout(binding = 0) buffer D { uint d[]; };\nvoid main() { ";
    EXPECT_FALSE(needs_of(head + "if (d[0] > 1u) d[1] = 2u; }\n").loops);
    EXPECT_TRUE(needs_of(head + "for (uint i = 0u; i < d[0]; ++i) d[i] = 2u; }\n").loops);
    EXPECT_TRUE(needs_of(head + "do { ++d[0]; } while (d[0] < 9u); }\n").loops);
}

TEST(Inspect, ListsSpecializationConstantsOfOtherWidths) {
    const std::string source =
        "layout(local_size_x = 1) in;\nlayout(constant_id = 1) const double wide = 2.0;\n"
        "layout(binding = 0) buffer D { double d[]; };\nvoid main() { d[0] = wide; }\n";
    EXPECT_THAT(needs_of(source, {1, 7}).non_word_constants, ElementsAre(1u));
    EXPECT_THAT(needs_of(source, {1}).non_word_constants, IsEmpty())
        << "a constant without a value is not listed";
}

TEST(Inspect, SurvivesDamagedModules) {
    const Words good = spirv_of(std::string("layout(local_size_x_id = 0) in;\n") + buffer_block +
                                "shared uint s[gl_WorkGroupSize.x];\nvoid main() { s[0] = d[0]; }\n");
    EXPECT_THROW(inspect(Words{}, Words{}), std::runtime_error);
    EXPECT_THROW(inspect(Words{1, 2, 3, 4, 5, 6}, Words{}), std::runtime_error);
    std::mt19937 random(4);
    for (int i = 0; i < 5000; ++i) {
        Words bad = good;
        for (int k = 0; k < 3; ++k)
            bad[random() % bad.size()] = random() % 3 == 0 ? random() : random() % 100;
        bad.resize(1 + random() % bad.size());
        try {
            inspect(bad, Words{64, 1});
        } catch (const std::runtime_error&) {
            // An error with a message is fine; a crash is not.
        }
    }
}

TEST(Inspect, ReadsAndClampsEveryShippedKernel) {
    const fs::path root = fs::path(GRIDSTRIDE_SOURCE_DIR) / "shaders";
    int kernels = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".comp") continue;
        const std::string file = entry.path().lexically_relative(root).generic_string();
        const std::string source = read_file(entry.path());
        for (const Build& build : parse_builds(source)) {
            const Words spirv = compile(source, file, build.defines, {root}).spirv;
            const Words clamped = clamp_indices(spirv);
            EXPECT_EQ(validate(clamped), "") << file;
            for (const Words& words : {spirv, clamped}) {
                const KernelRequirements needs = inspect(words, Words{64, 1, 1, 16, 1, 1});
                EXPECT_TRUE(needs.has_compute_main) << file;
                EXPECT_THAT(needs.local_size, ElementsAre(64, 1, 1)) << file;
                // The kernels that measure an empty launch and barriers access no memory.
                EXPECT_EQ(needs.bindings.empty(),
                          file == "ceilings/empty.comp" || file == "ceilings/barriers.comp")
                    << file;
                // The Vulkan specification guarantees this much on every device.
                EXPECT_LE(needs.shared_bytes, 16384u) << file;
                for (const BindingRequirement& need : needs.bindings)
                    EXPECT_TRUE(need.is_storage_buffer && !need.array && need.set == 0) << file;
            }
            ++kernels;
        }
    }
    EXPECT_GT(kernels, 15);
}

TEST(ClampIndices, RefusesInvalidModules) {
    EXPECT_THROW(clamp_indices({}), std::runtime_error);
    EXPECT_THROW(clamp_indices({1, 2, 3}), std::runtime_error);
}

TEST(ClampIndices, ClampsAnIndexOfUnknownValue) {
    const Words known = spirv_of(std::string("layout(local_size_x = 1) in;\n") + buffer_block +
                                 "void main() { uint a[4]; a[1] = 2; d[a[1] & 0u] = 1; }\n");
    const Words clamped = clamp_indices(known);
    EXPECT_GT(clamped.size(), known.size());
}

}  // namespace gridstride::shader::inspect_test
