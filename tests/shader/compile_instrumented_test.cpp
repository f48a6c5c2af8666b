// Tests at which sites an instrumented kernel records accesses, that the kernel is valid SPIR-V, and which
// kernels cannot be instrumented. tests/gpu/instrumented_kernel_test.cpp tests on the device what such
// kernels write.
#include "shader/compile_instrumented.h"

#include <regex>
#include <spirv-tools/libspirv.hpp>

#include "base/text.h"
#include "shader/inspect.h"
#include "shader/kernel_store.h"
#include "shader/recorder.h"
#include "test_includes.h"

namespace gridstride::shader::compile_instrumented_test {

using trace::Site;
using trace::SiteKind;
using trace::ValueType;
using Words = std::vector<std::uint32_t>;

const fs::path shader_folder = fs::path(GRIDSTRIDE_SOURCE_DIR) / "shaders";
constexpr std::uint32_t record_binding = 5;

InstrumentedKernel instrumented(const std::string& body, const Words& constants = {8, 1, 1}) {
    return compile_instrumented("#version 450\n" + body, "test.comp", {}, {shader_folder},
                                {record_binding, constants});
}
/// Checks that the module is valid before and after its indices are clamped, and returns its sites.
std::vector<Site> sites_of(const std::string& body, const Words& constants = {8, 1, 1}) {
    const InstrumentedKernel instrumented_kernel = instrumented(body, constants);
    EXPECT_TRUE(instrumented_kernel.compiled.ok()) << instrumented_kernel.compiled.text();
    EXPECT_EQ(validate(instrumented_kernel.compiled.spirv), "");
    EXPECT_EQ(validate(clamp_indices(instrumented_kernel.compiled.spirv)), "");
    return instrumented_kernel.sites;
}
std::string refusal_of(const std::string& body) {
    return message_of<std::runtime_error>([&] { instrumented(body); });
}

const std::string shader_head = "layout(local_size_x_id = 0) in;\n";
const std::string data_block = "layout(set = 0, binding = 0) buffer Data { uint data[]; };\n";

TEST(CompileInstrumented, SitesDescribeEachAccess) {
    const std::vector<Site> sites =
        sites_of(shader_head +
                 "layout(set = 0, binding = 2, std430) buffer Data { uint count; vec2 pairs[]; } b;\n"
                 "shared float tile[gl_WorkGroupSize.x][3];\n"
                 "void main() {\n"
                 "    uint i = gl_LocalInvocationIndex;\n"
                 "    tile[i][i] = b.pairs[i].x;\n"
                 "    b.pairs[b.count] = vec2(tile[1][2]);\n"
                 "}\n");
    ASSERT_EQ(sites.size(), 5u);
    const Site& read = sites[0];
    EXPECT_EQ(read.kind, SiteKind::load);
    EXPECT_EQ(read.file, "test.comp");
    EXPECT_EQ(read.line, 7u);
    EXPECT_EQ(read.variable, "pairs");
    EXPECT_EQ(read.member, ".x");
    EXPECT_EQ(read.space, trace::MemorySpace::buffer);
    EXPECT_EQ(read.binding, 2u);
    EXPECT_EQ(read.bytes, 4u);
    EXPECT_EQ(read.variable_bytes, 0u);
    EXPECT_EQ(read.first_byte, 8u);
    EXPECT_EQ(read.element_bytes, 8u);
    EXPECT_EQ(read.value, ValueType::f32);

    const Site& stored = sites[1];
    EXPECT_EQ(stored.kind, SiteKind::store);
    EXPECT_EQ(stored.line, 7u) << "not 4, which computes its length";
    EXPECT_EQ(stored.variable, "tile");
    EXPECT_EQ(stored.space, trace::MemorySpace::workgroup);
    EXPECT_EQ(stored.variable_bytes, 8 * 12u);
    EXPECT_EQ(stored.element_bytes, 12u);
    EXPECT_EQ(stored.bytes, 4u);

    const auto count = std::ranges::find(sites, "count", &Site::variable);
    ASSERT_NE(count, sites.end());
    EXPECT_EQ(count->line, 8u);
    EXPECT_EQ(count->variable_bytes, 4u);
    EXPECT_EQ(count->element_bytes, 0u);
    const Site& pair = sites.back();
    EXPECT_EQ(pair.kind, SiteKind::store);
    EXPECT_EQ(pair.components, 2u);
    EXPECT_EQ(pair.bytes, 8u);
}

TEST(CompileInstrumented, SiteLengthsFollowTheSpecializationConstants) {
    const std::string body = shader_head + data_block +
                             "layout(constant_id = 3) const uint n = 2;\n"
                             "shared uint tile[gl_WorkGroupSize.x * 2][n];\n"
                             "void main() { tile[1][0] = data[0]; }\n";
    for (const auto& [size, n] : {std::pair{32u, 3u}, {64u, 1u}}) {
        const Site tile = sites_of(body, {size, 1, 1, n}).back();
        EXPECT_EQ(tile.element_bytes, 4 * n);
        EXPECT_EQ(tile.variable_bytes, 4 * n * size * 2);
    }
}

TEST(CompileInstrumented, SitesNameTheFileAndLineOfTheAccess) {
    const fs::path folder = fs::path(::testing::TempDir()) / "gridstride_instrumented_lines";
    fs::create_directories(folder);
    write_file(folder / "parts.glsl",
               "shared uint first[gl_WorkGroupSize.x];\n"
               "shared uint second[gl_WorkGroupSize.x];\n"
               "void put(uint i) {\n"
               "    first[i] = 1u;\n"
               "    second[i] =\n        first[i];\n"
               "}\n");
    const InstrumentedKernel instrumented_kernel = compile_instrumented(
        "#version 450\n#extension GL_GOOGLE_include_directive : enable\nlayout(local_size_x_id = 0) in;\n"
        "#include \"parts.glsl\"\nshared uint third[gl_WorkGroupSize.x];\n"
        "void main() {\n    put(0u);\n    third[1] = second[2];\n    first[2] = third[1];\n}\n",
        "test.comp", {}, {folder}, {record_binding, {8, 1, 1}});
    std::vector<std::string> places;
    for (const Site& site : instrumented_kernel.sites)
        places.push_back(fmt::format("{}:{} {}", site.file, site.line, site.variable));
    // For a store that spans two lines, glslang 15 reports the first line, and glslang 12 the last.
    const auto two_lines = AnyOf("parts.glsl:5 second", "parts.glsl:6 second");
    EXPECT_THAT(places, ::testing::UnorderedElementsAre(
                            "test.comp:8 second", "test.comp:8 third", "test.comp:9 third",
                            "test.comp:9 first", "parts.glsl:4 first", "parts.glsl:6 first", two_lines));
    fs::remove_all(folder);
}

TEST(CompileInstrumented, SitesHaveTheTypeOfTheValue) {
    const std::vector<Site> sites = sites_of(
        "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
        "#extension GL_EXT_shader_8bit_storage : require\n"
        "#extension GL_EXT_shader_16bit_storage : require\n" +
        shader_head +
        "layout(set = 0, binding = 0) buffer A { int8_t a; u8vec2 b; int16_t c; u16vec4 d; float16_t e; "
        "f16vec3 f; };\n"
        "layout(set = 0, binding = 1) buffer B { int64_t g; u64vec3 h; double i; dvec2 j; mat3 k; };\n"
        "shared bool l;\n"
        "void main() { a = a; b = b; c = c; d = d; e = e; f = f; g = g; h = h; i = i; j = j; k = k; l = l; "
        "}\n");
    const std::vector<std::tuple<std::string, ValueType, std::uint32_t, std::uint64_t, std::uint32_t>>
        expected = {{"a", ValueType::i8, 1, 1, 1},    {"b", ValueType::u8, 2, 2, 2},
                    {"c", ValueType::i16, 1, 2, 1},   {"d", ValueType::u16, 4, 8, 4},
                    {"e", ValueType::f16, 1, 2, 1},   {"f", ValueType::f16, 3, 6, 3},
                    {"g", ValueType::i64, 1, 8, 2},   {"h", ValueType::u64, 3, 24, 4},
                    {"i", ValueType::f64, 1, 8, 2},   {"j", ValueType::f64, 2, 16, 4},
                    {"k", ValueType::none, 1, 44, 0}, {"l", ValueType::boolean, 1, 4, 1}};
    ASSERT_EQ(sites.size(), 2 * expected.size());
    for (std::size_t n = 0; n < sites.size(); ++n) {
        const auto& [name, type, components, bytes, words] = expected[n / 2];
        const Site& site = sites[n];
        EXPECT_EQ(site.kind, n % 2 == 0 ? SiteKind::load : SiteKind::store);
        EXPECT_EQ(site.variable, name);
        EXPECT_EQ(site.value, type) << name;
        EXPECT_EQ(site.components, components) << name;
        EXPECT_EQ(site.bytes, bytes) << name;
        EXPECT_EQ(trace::value_words(site), words) << name;
    }
}

TEST(CompileInstrumented, BarrierSitesHaveTheirScopeAndOrderedMemory) {
    const std::vector<Site> sites =
        sites_of("#extension GL_KHR_shader_subgroup_basic : enable\n" + shader_head + data_block +
                 "void main() {\n"
                 "    barrier();\n"
                 "    memoryBarrierBuffer();\n    barrier();\n"
                 "    groupMemoryBarrier(); barrier();\n"
                 "    memoryBarrierBuffer(); data[0] = 1u; barrier();\n"
                 "    subgroupMemoryBarrier(); barrier();\n"
                 "    subgroupBarrier();\n"
                 "}\n");
    std::vector<std::string> messages;
    for (const Site& site : sites) {
        if (site.kind != SiteKind::barrier) continue;
        EXPECT_TRUE(site.variable.empty());
        EXPECT_TRUE(site.acquires && site.releases);
        messages.push_back(fmt::format("{}{}{}{}", site.line, site.is_subgroup_barrier ? " subgroup" : "",
                                       site.orders_workgroup ? " shared" : "",
                                       site.orders_buffers ? " buffers" : ""));
    }
    EXPECT_THAT(messages, ElementsAre("6 shared", "8 shared buffers", "9 shared buffers", "10 shared",
                                      "11 shared", "12 subgroup shared buffers"));
}

TEST(CompileInstrumented, AtomicsAcquireAndReleaseWithMemoryBarriers) {
    const std::string body = shader_head + data_block + "void main() { atomicAdd(data[0], 1u);\n";
    const Site alone = sites_of(body + "}\n").front();
    EXPECT_FALSE(alone.acquires || alone.releases);
    const Site fenced = sites_of(body + "memoryBarrierBuffer(); }\n").front();
    EXPECT_TRUE(fenced.acquires && fenced.releases);
    const Site semantic =
        sites_of("#extension GL_KHR_memory_scope_semantics : require\n" + shader_head + data_block +
                 "void main() { atomicAdd(data[0], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, "
                 "gl_SemanticsRelease); }\n")
            .front();
    EXPECT_TRUE(semantic.releases && !semantic.acquires);
}

/// Compiles the source with recorder_source() appended, as assembly that `change` may change.
template <class Change>
std::vector<Site> sites_of_changed(const std::string& body, Change change) {
    const CompileResult compiled = compile("#version 450\n" + body, "test.comp", {}, {shader_folder}, {},
                                           recorder_source({record_binding}));
    EXPECT_TRUE(compiled.ok()) << compiled.text();
    const spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
    std::string text;
    EXPECT_TRUE(tools.Disassemble(compiled.spirv, &text, SPV_BINARY_TO_TEXT_OPTION_NO_HEADER));
    change(text);
    Words changed;
    EXPECT_TRUE(tools.Assemble(text, &changed, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS));
    const InstrumentedKernel instrumented_kernel =
        instrument_module(changed, "test.comp", {record_binding, {8, 1, 1}});
    EXPECT_EQ(validate(instrumented_kernel.compiled.spirv), "");
    EXPECT_EQ(validate(clamp_indices(instrumented_kernel.compiled.spirv)), "");
    return instrumented_kernel.sites;
}
void replace_all(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

/// glslang copies with a load and a store; other SPIR-V compilers emit OpCopyMemory.
TEST(CompileInstrumented, RecordsOpCopyMemoryAsALoadAndAStore) {
    const std::vector<Site> sites = sites_of_changed(
        shader_head + data_block +
            "shared uint tile[8];\nvoid main() { tile[gl_LocalInvocationIndex] = data[2]; }\n",
        [](std::string& text) {
            const std::regex load_and_store(
                " *(%\\d+) = OpLoad %\\d+ (%\\d+)\n((?:[^\n]*\n){0,3}?) *OpStore (%\\d+) \\1\n");
            text = std::regex_replace(text, load_and_store, "$3OpCopyMemory $4 $2\n",
                                      std::regex_constants::format_first_only);
        });
    ASSERT_EQ(sites.size(), 2U);
    const Site &load = sites[0], &store = sites[1];
    EXPECT_EQ(load.kind, SiteKind::load);
    EXPECT_EQ(load.variable, "data");
    EXPECT_EQ(store.kind, SiteKind::store);
    EXPECT_EQ(store.variable, "tile");
    for (const Site& site : {load, store}) {
        EXPECT_EQ(site.value, ValueType::none) << "the copied value is not available";
        EXPECT_EQ(site.bytes, 4U);
        EXPECT_EQ(site.line, 5U);
    }
}

TEST(CompileInstrumented, RecognizesBufferBlocks) {
    const std::vector<Site> sites = sites_of_changed(
        shader_head + data_block + "void main() { data[1] = data[2]; }\n", [](std::string& text) {
            replace_all(text, " Block\n", " BufferBlock\n");
            replace_all(text, "StorageBuffer", "Uniform");
        });
    ASSERT_EQ(sites.size(), 2U);
    for (const Site& site : sites) {
        EXPECT_EQ(site.variable, "data");
        EXPECT_EQ(site.space, trace::MemorySpace::buffer);
    }
}

TEST(CompileInstrumented, ReportsErrorsOfTheKernel) {
    const InstrumentedKernel instrumented_kernel =
        instrumented("layout(local_size_x = 1) in;\nvoid main() { uint a = missing; }\n");
    EXPECT_FALSE(instrumented_kernel.compiled.ok());
    EXPECT_THAT(instrumented_kernel.compiled.text(), HasSubstr("test.comp:3: error: 'missing'"));
    EXPECT_TRUE(instrumented_kernel.sites.empty());
}

TEST(CompileInstrumented, ReportsWhyAKernelCannotBeInstrumented) {
    EXPECT_THAT(
        refusal_of(shader_head +
                   "layout(set = 0, binding = 5) buffer D { uint d[]; };\nvoid main() { d[0] = 1u; }\n"),
        Mentions(5, "itself"));
    EXPECT_THAT(refusal_of(shader_head + "layout(set = 0, binding = 1) buffer D { uint d[]; } ds[3];\n"
                                         "void main() { ds[gl_LocalInvocationIndex].d[0] = 1u; }\n"),
                Mentions(1, "buffers"));
    EXPECT_THAT(
        refusal_of("#extension GL_EXT_buffer_reference : require\n" + shader_head +
                   "layout(buffer_reference, std430) buffer R { uint r[]; };\n"
                   "layout(push_constant) uniform P { R where; };\nvoid main() { where.r[0] = 1u; }\n"),
        Mentions("addresses"));
    EXPECT_THAT(
        refusal_of(shader_head + "uint gridstride_list[3];\nvoid main() { gridstride_list[0] = 1u; }\n"),
        Mentions("gridstride_", "yours"));
}

TEST(CompileInstrumented, AddsOneBufferAndFitsThePushConstants) {
    const std::string body = shader_head + data_block + "void main() { data[0] = 1u; }\n";
    const KernelRequirements needs = inspect(instrumented(body).compiled.spirv, {});
    ASSERT_EQ(needs.bindings.size(), 2u);
    EXPECT_EQ(needs.bindings[1].binding, record_binding);
    EXPECT_TRUE(needs.bindings[1].is_storage_buffer);
    EXPECT_EQ(needs.push_bytes, 36u);
}

TEST(CompileInstrumented, ReadsMultiprocessorAndClockOnlyIfRequested) {
    const std::string body =
        shader_head + data_block + "void main() { data[gl_GlobalInvocationID.x] = 1u; }\n";
    for (const bool placements : {false, true}) {
        const InstrumentedKernel instrumented_kernel =
            compile_instrumented("#version 450\n" + body, "test.comp", {}, {shader_folder},
                                 {record_binding, {8, 1, 1}, false, placements});
        ASSERT_TRUE(instrumented_kernel.compiled.ok()) << instrumented_kernel.compiled.text();
        EXPECT_EQ(instrumented_kernel.sites.size(), 1u) << "they are not accesses";
        const Words clamped = clamp_indices(instrumented_kernel.compiled.spirv);
        EXPECT_EQ(validate(clamped), "");
        const KernelRequirements needs = inspect(clamped, Words{8, 1, 1});
        for (const char* capability : {"ShaderSMBuiltinsNV", "ShaderClockKHR"})
            EXPECT_EQ(std::ranges::count(needs.capabilities, capability), placements ? 1 : 0) << capability;
    }
}

TEST(CompileInstrumented, InstrumentsEveryShippedKernel) {
    const std::set<std::string> empty{"ceilings/empty.comp", "gaussian/logistic_start.comp",
                                      "monte_carlo_pi/ball_start.comp"};  // no statement of its own
    std::size_t kernels = 0;
    for (const auto& entry : fs::recursive_directory_iterator(shader_folder)) {
        if (entry.path().extension() != ".comp") continue;
        const std::string file = entry.path().lexically_relative(shader_folder).generic_string();
        const std::string source = read_file(entry.path());
        for (const Build& build : parse_builds(source)) {
            SCOPED_TRACE(file + " " + build.name);
            const auto compile = [&] {
                return compile_instrumented(source, file, build.defines, {shader_folder},
                                            {8, {64, 1, 1}, true});
            };
            if (build.name == "matrix_units") {
                EXPECT_THROW(compile(), std::runtime_error);
                continue;
            }
            const InstrumentedKernel instrumented_kernel = compile();
            ASSERT_TRUE(instrumented_kernel.compiled.ok()) << instrumented_kernel.compiled.text();
            EXPECT_EQ(validate(clamp_indices(instrumented_kernel.compiled.spirv)), "");
            EXPECT_EQ(instrumented_kernel.sites.empty(), empty.contains(file));
            for (const Site& site : instrumented_kernel.sites) {
                EXPECT_GT(site.line, 0u);
                if (!file.starts_with("reduction/")) continue;  // without macros
                // The line of a site contains the variable; if the statement continues over lines, the line
                // before does.
                const std::string text = read_file(shader_folder / site.file);
                const std::vector<std::string_view> lines = split(text, '\n');
                ASSERT_TRUE(site.line > 1 && site.line <= lines.size());
                EXPECT_THAT(std::string(lines[site.line - 2]) + std::string(lines[site.line - 1]),
                            HasSubstr(site.kind == SiteKind::barrier ? "arrier()" : site.variable))
                    << site.file << ":" << site.line;
            }
            ++kernels;
        }
    }
    EXPECT_GT(kernels, 40u);
}

}  // namespace gridstride::shader::compile_instrumented_test
