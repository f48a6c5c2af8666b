// Tests the kernels of the lesson on tensor cores as a device with matrix units gets them, without one.

#include "lab/user_kernels.h"
#include "launch/h200.h"
#include "lesson/lesson.h"
#include "shader/compiler.h"
#include "shader/cooperative_matrix.h"
#include "test_includes.h"

namespace gridstride::lab::tensor_cores_test {

TEST(TensorCores, AdmitsEachKernelOnADeviceWithMatrixUnits) {
    const Lesson& lesson = *find_lesson("tensor_cores");
    Limits device = test::h200();
    device.storage16 = device.float16 = device.cooperative_matrix = true;
    for (const auto& [variants, has_bytes] :
         {std::pair(&lesson.variants, true), {&lesson.variants, false}, {&lesson.exercises, false}})
        for (const Variant& variant : *variants) {
            device.byte_matrices = has_bytes;
            Experiment experiment = default_experiment(lesson);
            experiment.variant = variant.id;
            const PreparedExperiment run = prepare(lesson, std::move(experiment), device);
            ASSERT_TRUE(run.is_valid()) << variant.id;
            const Dispatch& launch = run.plan.main();
            const shader::CompileResult kernel =
                shader::compile(launch.source + launch.file_source->text, "kernel.comp", {},
                                {data_directory() / "shaders"}, launch.file_source->lesson_files);
            ASSERT_TRUE(kernel.ok()) << variant.id << ": " << kernel.text();
            const shader::KernelRequirements needs =
                admit(kernel.spirv, launch_interface(run.plan, launch), device);
            const bool has_fragments = variant.id == "bytes" ? has_bytes : variant.id != "f32";
            EXPECT_EQ(std::ranges::count(needs.capabilities, shader::cooperative_matrix_capability),
                      has_fragments ? 1 : 0)
                << variant.id;
            // Tiles of 128 rows of 64 + 8 f16, and of 64 rows of 128 + 8.
            const bool is_deep = variant.id == "prefetched";
            EXPECT_EQ(needs.shared_bytes == 2U * (128 * 72 + 64 * 136), is_deep) << variant.id;
        }
}

}  // namespace gridstride::lab::tensor_cores_test
