// A driver that refuses to build a kernel returns only an error code; the message must add what else is
// known.

#include "base/units.h"
#include "gpu/device_impl.h"
#include "lab/user_kernels.h"
#include "test_includes.h"

namespace gridstride::lab::refused_pipeline_test {

VKAPI_ATTR VkResult VKAPI_CALL refuse(VkDevice, VkPipelineCache, std::uint32_t,
                                      const VkComputePipelineCreateInfo*, const VkAllocationCallbacks*,
                                      VkPipeline*) {
    return VK_ERROR_UNKNOWN;
}

/// Makes pipeline creation fail, because no driver here refuses a kernel. An NVIDIA H200's refuses one with
/// 60 kB of arrays.
void refuse_pipelines(const gpu::Device& device) {
    const auto& calls = device.core()->dispatcher();
    const_cast<std::remove_cvref_t<decltype(calls)>&>(calls).vkCreateComputePipelines = &refuse;
}

std::string message_of_kernel(const std::string& body) {
    gpu::Device device;
    UserKernels own(device, program());
    const Lesson& lesson = *find_lesson("reduction");
    Experiment experiment = default_experiment(lesson);
    experiment.variant = "tree_sequential";
    const std::string text =
        "#version 450\n#extension GL_GOOGLE_include_directive : require\n"
        "#include \"common/launch.glsl\"\n"
        "layout(binding = 0) buffer Numbers { uint numbers[]; };\n"
        "layout(binding = 1) buffer Sums { uint sums[]; };\n"
        "void main() {" +
        body + "}\n";
    experiment.kernel = {text, "large.comp", ""};
    const PreparedExperiment prepared = prepare(std::move(experiment), device.limits());
    Plan plan = prepared.plan;
    Report report;
    own.substitute_kernels(plan, prepared, /*is_graded=*/false, Control{}, report);
    refuse_pipelines(own.kernels().device());
    return message_of<std::runtime_error>([&] { own.kernels().get(plan.main()); });
}

TEST(RefusedPipeline, NamesLargeInvocationArrays) {
    EXPECT_THAT(
        message_of_kernel("uint mine[15000]; for (uint i = 0; i < 15000; ++i) mine[i] = i * launch.count;\n"
                          "sums[workgroup()] = mine[numbers[0] % 15000];"),
        AllOf(Mentions("large.comp", "build"), HasSubstr("ErrorUnknown"),
              // The count includes the lengths of two buffers, and what a loop and an index need.
              AnyOf(HasSubstr(format_count(60'008) + " bytes for each invocation"),
                    HasSubstr(format_count(60'012) + " bytes for each invocation")),
              Mentions("arrays"), Not(HasSubstr("own/kernel"))));
}

TEST(RefusedPipeline, DoesNotBlameSmallVariables) {
    EXPECT_THAT(message_of_kernel("sums[workgroup()] = numbers[0];"),
                AllOf(Mentions("large.comp", "build"), HasSubstr("ErrorUnknown"),
                      Not(HasSubstr("each invocation")), Mentions("parts")));
}

}  // namespace gridstride::lab::refused_pipeline_test
