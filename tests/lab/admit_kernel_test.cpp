// Tests the check that users' kernels must pass, with damaged kernels. No test here reaches a driver.

#include "graph/bytes.h"
#include "lab/user_kernels.h"
#include "launch/h200.h"
#include "shader/compile_instrumented.h"
#include "shader/compiler.h"
#include "shader/cooperative_matrix.h"
#include "shader/kernel_store.h"
#include "test_includes.h"

namespace gridstride::lab::admit_kernel_test {

LaunchInterface launch_of(const Extent& workgroup, std::size_t bindings, std::size_t push_words = 0) {
    Plan plan{.buffers = std::vector<BufferSpec>(bindings)};
    Dispatch dispatch{.workgroup = workgroup, .push = std::vector<std::uint32_t>(push_words)};
    for (std::size_t n = 0; n < bindings; ++n)
        dispatch.bindings.push_back({n});
    return launch_interface(plan, dispatch);
}

TEST(AdmitKernel, RefusesInvalidSpirv) {
    const LaunchInterface launch = launch_of({64}, 5, 8);
    Limits device;
    device.device_name = "a device";
    device.subgroup_vote = device.subgroup_ballot = true;
    device.subgroup_arithmetic = device.float64 = device.storage16 = device.float32_atomic_add = true;
    std::mt19937 random(20261121);
    int refused = 0, admitted = 0;
    for (const std::string kernel : {"reduction/tree_sequential.u32", "reduction/single_pass.f32",
                                     "histogram/atomic_shared", "gaussian/vec4", "hidden_layer/fused"}) {
        const std::vector<std::uint32_t> good = shader::load_kernel(kernel);
        EXPECT_NO_THROW(admit(good, launch, device)) << kernel;
        for (int i = 0; i < 120; ++i) {
            std::vector<std::uint32_t> mutant = good;
            for (std::uint32_t flips = 1 + random() % 3; flips > 0; --flips) {
                std::uint32_t& word = mutant[random() % mutant.size()];
                word = random() % 2 == 0 ? word ^ (1u << (random() % 32)) : random() % 512;
            }
            const bool valid = shader::validate(mutant).empty();
            bool let_through = true;
            try {
                admit(mutant, launch, device);
            } catch (const std::runtime_error&) {
                let_through = false;
            }
            EXPECT_TRUE(valid || !let_through) << kernel << " mutant " << i;
            (let_through ? admitted : refused) += 1;
        }
    }
    EXPECT_GT(refused, 100);
    EXPECT_GT(admitted, 10) << "a check that refuses every kernel proves nothing";
}

TEST(AdmitKernel, RequiresDeviceSupportForSubgroupOperations) {
    struct Case {
        const char* extension;
        const char* value;
        const char* capability;
        bool Limits::*supported;
    };
    const Case cases[] = {
        {"vote", "subgroupAll(d[0] > 1u) ? 1u : 0u", "GroupNonUniformVote", &Limits::subgroup_vote},
        {"arithmetic", "subgroupAdd(d[0])", "GroupNonUniformArithmetic", &Limits::subgroup_arithmetic},
        {"ballot", "subgroupBallot(d[0] > 1u).x", "GroupNonUniformBallot", &Limits::subgroup_ballot},
        {"shuffle", "subgroupShuffle(d[0], 1u)", "GroupNonUniformShuffle", &Limits::subgroup_shuffle},
        {"shuffle_relative", "subgroupShuffleUp(d[0], 1u)", "GroupNonUniformShuffleRelative",
         &Limits::subgroup_shuffle_relative},
        {"clustered", "subgroupClusteredAdd(d[0], 4u)", "GroupNonUniformClustered",
         &Limits::subgroup_clustered},
        {"quad", "subgroupQuadSwapHorizontal(d[0])", "GroupNonUniformQuad", &Limits::subgroup_quad},
    };
    const LaunchInterface launch = launch_of({64}, 1);
    for (const Case& c : cases) {
        const shader::CompileResult kernel = shader::compile(
            fmt::format("#version 450\n#extension GL_KHR_shader_subgroup_{} : require\n"
                        "layout(local_size_x_id = 0) in;\n"
                        "layout(binding = 0) buffer D {{ uint d[]; }};\nvoid main() {{ d[1] = {}; }}\n",
                        c.extension, c.value),
            "mine.comp", {}, {"."});
        ASSERT_TRUE(kernel.ok()) << c.extension;
        Limits device;
        device.device_name = "a device";
        device.*c.supported = true;
        EXPECT_NO_THROW(admit(kernel.spirv, launch, device)) << c.extension;
        device.*c.supported = false;
        try {
            admit(kernel.spirv, launch, device);
            ADD_FAILURE() << c.extension << " is admitted";
        } catch (const Refusal& refusal) {
            EXPECT_NE(std::string(refusal.what()).find(c.capability), std::string::npos) << refusal.what();
        }
    }
}

TEST(AdmitKernel, RequiresDeviceSupportForCooperativeMatrices) {
    const std::string source =
        "#version 450\n#include \"common/cooperative_matrix.glsl\"\nlayout(local_size_x_id = 0) in;\n"
        "layout(binding = 0) buffer A { uvec4 a[]; };\nlayout(binding = 1) buffer C { float c[]; };\n"
        "void main() {\n    FragmentA left;\n    FragmentB right;\n"
        "    coopMatLoad(left, a, 0, 2, ROW_MAJOR);\n    coopMatLoad(right, a, 0, 2, ROW_MAJOR);\n"
        "    Sums sums = coopMatMulAdd(left, right, zero_sums);\n"
        "    for (int e = 0; e < sums.length(); ++e) sums[e] = max(sums[e], 0.0);\n"
        "    coopMatStore(sums, c, 0, 16, ROW_MAJOR);\n}\n";
    const auto compile = [&](const shader::Defines& defines) {
        return shader::compile(source, "mine.comp", defines, {data_directory() / "shaders"});
    };
    const shader::CompileResult with = compile({{"HAS_MATRIX_UNITS", "1"}}), without = compile({});
    ASSERT_TRUE(with.ok()) << with.text();
    ASSERT_TRUE(without.ok()) << without.text();
    const LaunchInterface launch = launch_of({64}, 2);
    Limits device;
    device.device_name = "a device";
    device.float16 = true;
    EXPECT_NO_THROW(admit(without.spirv, launch, device));
    try {
        admit(with.spirv, launch, device);
        ADD_FAILURE() << "the kernel is admitted";
    } catch (const Refusal& refusal) {
        EXPECT_THAT(refusal.what(), HasSubstrs(std::string(shader::cooperative_matrix_capability),
                                               "common/cooperative_matrix.glsl"));
    }
    device.cooperative_matrix = true;
    EXPECT_NO_THROW(admit(with.spirv, launch, device));
    EXPECT_EQ(shader::clamp_indices(with.spirv), with.spirv) << "the elements of a fragment have no bounds";
    EXPECT_NE(shader::clamp_indices(without.spirv), without.spirv);
    try {
        shader::compile_instrumented(source, "mine.comp", {{"HAS_MATRIX_UNITS", "1"}},
                                     {data_directory() / "shaders"}, {});
        ADD_FAILURE() << "an untraceable kernel was instrumented";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("cooperative matrices"));
    }
}

TEST(AdmitKernel, RequiresDeviceSupportForIntegerDotProducts) {
    const std::vector<std::uint32_t> kernel = shader::load_kernel("quantise_int8/int8.instruction");
    const LaunchInterface launch = launch_of({64, 1}, 6);
    Limits device;
    device.device_name = "a device";
    device.subgroup_arithmetic = device.subgroup_ballot = true;
    EXPECT_THROW(admit(kernel, launch, device), Refusal);
    device.integer_dot = true;
    EXPECT_NO_THROW(admit(kernel, launch, device));
}

/// Only a device with matrix units runs this kernel, so its interface is checked here.
TEST(AdmitKernel, AdmitsTheProductOfBytesByMatrixUnits) {
    Limits device = test::h200();
    device.cooperative_matrix = device.byte_matrices = true;
    const std::optional<tensor::ByteTiling> tiling = tensor::choose_byte_tiling(device, 64, 64);
    ASSERT_TRUE(tiling);
    const shader::KernelRequirements needs =
        admit(shader::load_kernel(fmt::format("quantise_int8/int8_tiles.{}", tiling->build)),
              launch_of(tiling->workgroup, 6), device);
    EXPECT_EQ(std::ranges::count(needs.capabilities, shader::cooperative_matrix_capability), 1);
    EXPECT_LE(needs.shared_bytes, device.max_shared_bytes);
    EXPECT_LE(needs.shared_bytes, tiling->shared_bytes);
}

}  // namespace gridstride::lab::admit_kernel_test
