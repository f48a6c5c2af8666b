// Untrusted kernels cannot access memory outside the ranges that are bound to them.

#include "gpu/compute.h"

#include "test_includes.h"

namespace gridstride::gpu::robust_test {

class RobustDevice : public ::testing::Test {
 protected:
    void SetUp() override { enable_validation(); }
    void TearDown() override { EXPECT_THAT(take_validation_messages(), IsEmpty()); }
};

TEST_F(RobustDevice, IsASeparateDevice) {
    const Device device;
    EXPECT_FALSE(device.is_robust()) << "kernels that are measured pay for no checks";
    EXPECT_TRUE(device.open_robust().is_robust());
    EXPECT_EQ(device.open_robust().limits().device_name, device.limits().device_name);
}

TEST_F(RobustDevice, DoesNotWriteOutsideTheBoundRange) {
    constexpr std::size_t before = 1024, bound = 4096, behind = 60'000;
    constexpr std::uint32_t untouched = 0xA5A5A5A5u;
    const Device plain;
    Device device = plain.open_robust();
    // The declared array is longer than its buffer, so clamping indices to its length does not help.
    // (Mesa's software driver checks every index anyway; GPU drivers do not.)
    const Kernel kernel(device,
                        spirv_of("layout(local_size_x_id = 0) in;\n"
                                 "layout(binding = 0) buffer Data { uint data[100000000]; };\n"
                                 "layout(push_constant) uniform Push { uint step; };\n"
                                 "void main() { data[gl_GlobalInvocationID.x * step] = 7u; }\n"),
                        "beyond", 1, sizeof(std::uint32_t), std::array{64u});
    Buffer data = upload_of(device, std::vector<std::uint32_t>(before + bound + behind, untouched));
    Commands commands(device);
    commands.begin();
    const BoundRange range{&data, before * sizeof(std::uint32_t), bound * sizeof(std::uint32_t)};
    const std::uint32_t step = 500;  // 128 invocations reach element 63 500; 9 of them are in bounds
    commands.dispatch(kernel, {{range}}, {{step}}, {2});
    commands.barrier(Ordering::all);
    ASSERT_TRUE(commands.submit_and_wait(device_deadline));

    std::vector<std::uint32_t> words = make_launch_words(data);
    for (std::size_t i = 0; i < bound; i += step)
        EXPECT_EQ(std::exchange(words[before + i], untouched), 7u) << i;
    EXPECT_THAT(words, Each(untouched));
}

}  // namespace gridstride::gpu::robust_test
