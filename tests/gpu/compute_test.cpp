#include "gpu/compute.h"

#include "test_includes.h"

namespace gridstride::gpu::compute_test {

std::vector<std::uint32_t> counting(std::size_t count) {
    std::vector<std::uint32_t> words(count);
    std::iota(words.begin(), words.end(), 1u);
    return words;
}

class ComputeTest : public ::testing::Test {
 protected:
    static void SetUpTestSuite() {
        enable_validation();
        device = std::make_unique<Device>();
    }
    static void TearDownTestSuite() { device.reset(); }
    void SetUp() override { take_validation_messages(); }
    // No test in this file may cause a validation message.
    void TearDown() override { EXPECT_THAT(take_validation_messages(), IsEmpty()); }

    static std::unique_ptr<Device> device;
};
std::unique_ptr<Device> ComputeTest::device;

TEST_F(ComputeTest, MapsOnlyHostVisibleMemoryKinds) {
    Buffer on_device(*device, 1000, MemoryKind::device);
    EXPECT_EQ(on_device.bytes(), 1000u);
    EXPECT_TRUE(on_device.mapped().empty());
    for (const MemoryKind kind : {MemoryKind::upload, MemoryKind::download}) {
        Buffer buffer(*device, 1000, kind);
        ASSERT_EQ(buffer.mapped().size(), 1000u);
        std::memset(buffer.mapped().data(), 0x5a, 1000);
        EXPECT_EQ(buffer.mapped()[999], std::byte{0x5a});
    }
    EXPECT_EQ(Buffer(*device, 0, MemoryKind::device).bytes(), 0u);
}

TEST_F(ComputeTest, FailedAllocationNamesSizeDeviceAndHeap) {
    try {
        Buffer(*device, std::uint64_t{1} << 50, MemoryKind::device);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("GiB"));
        EXPECT_THAT(error.what(), HasSubstr(device->limits().device_name));
        EXPECT_THAT(error.what(), HasSubstr("heap"));
    }
}

TEST_F(ComputeTest, UploadsComputesAndDownloads) {
    const auto input = counting(1000);
    Buffer up = upload_of(*device, input);
    Buffer data(*device, up.bytes(), MemoryKind::device);
    Buffer down(*device, up.bytes(), MemoryKind::download);
    const Kernel add = add_kernel(*device);
    Commands commands(*device);
    // The lab reuses one object in the same way.
    for (std::uint32_t step = 1; step <= 3; ++step) {
        commands.begin();
        commands.copy(up, 0, data, 0, up.bytes());
        commands.barrier(Ordering::all);
        commands.dispatch(add, std::vector{whole(data)}, std::vector{step}, {16});
        commands.barrier(Ordering::all);
        commands.copy(data, 0, down, 0, down.bytes());
        commands.barrier(Ordering::all);
        ASSERT_TRUE(commands.submit_and_wait(device_deadline));
        const auto output = make_launch_words(down);
        for (std::size_t i = 0; i < input.size(); ++i)
            ASSERT_EQ(output[i], input[i] + step) << i;
    }
}

TEST_F(ComputeTest, ResultsPersistAcrossSubmissions) {
    Buffer data(*device, 4096, MemoryKind::device);
    Buffer down(*device, 4096, MemoryKind::download);
    const Kernel add = add_kernel(*device);
    Commands commands(*device);
    commands.begin();
    commands.fill(data, 0, data.bytes(), 5);
    ASSERT_TRUE(commands.submit_and_wait(device_deadline));
    commands.begin();
    commands.dispatch(add, std::vector{whole(data)}, std::vector{7u}, {16});
    ASSERT_TRUE(commands.submit_and_wait(device_deadline));
    commands.begin();
    commands.copy(data, 0, down, 0, down.bytes());
    commands.barrier(Ordering::all);
    ASSERT_TRUE(commands.submit_and_wait(device_deadline));
    EXPECT_THAT(make_launch_words(down), Each(12u));
}

TEST_F(ComputeTest, FillsAndCopiesRanges) {
    Buffer up = upload_of(*device, counting(16));
    Buffer down(*device, 64, MemoryKind::download);
    Commands commands(*device);
    commands.begin();
    commands.fill(down, 0, 64, 0xdeadbeef);
    commands.barrier(Ordering::all);
    commands.copy(up, 8, down, 32, 12);
    commands.barrier(Ordering::all);
    ASSERT_TRUE(commands.submit_and_wait(device_deadline));
    const auto words = make_launch_words(down);
    for (std::size_t i = 0; i < words.size(); ++i)
        EXPECT_EQ(words[i], i >= 8 && i < 11 ? i - 8 + 3 : 0xdeadbeef) << i;
}

TEST_F(ComputeTest, SpecializesWorkgroupSizeAndConstants) {
    const auto spirv = spirv_of(
        "layout(local_size_x_id = 0) in;\n"
        "layout(constant_id = 3) const uint factor = 1;\n"
        "layout(constant_id = 4) const uint offset = 0;\n"
        "layout(set = 0, binding = 0) writeonly buffer Data { uint data[]; };\n"
        "shared uint sizes[gl_WorkGroupSize.x];\n"
        "void main() {\n"
        "    sizes[gl_LocalInvocationID.x] = gl_WorkGroupSize.x;\n"
        "    barrier();\n"
        "    data[gl_GlobalInvocationID.x] = factor * gl_WorkGroupID.x + offset + 1000 * sizes[0];\n"
        "}\n");
    Buffer down(*device, 96 * 4, MemoryKind::download);
    Commands commands(*device);
    for (const std::uint32_t size : {1u, 8u, 32u, 96u}) {
        const Kernel kernel(*device, spirv, "sizes", 1, 0, std::array{size, 1u, 1u, 10u, 3u});
        commands.begin();
        commands.dispatch(kernel, std::vector{whole(down)}, {}, {96 / size});
        commands.barrier(Ordering::all);
        ASSERT_TRUE(commands.submit_and_wait(device_deadline));
        const auto words = make_launch_words(down);
        for (std::uint32_t i = 0; i < 96; ++i)
            ASSERT_EQ(words[i], 10 * (i / size) + 3 + 1000 * size) << size << ' ' << i;
    }
}

TEST_F(ComputeTest, DispatchesThreeDimensions) {
    const auto spirv = spirv_of(
        "layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;\n"
        "layout(set = 0, binding = 0) writeonly buffer Data { uint data[]; };\n"
        "void main() {\n"
        "    uvec3 all = gl_NumWorkGroups * gl_WorkGroupSize, at = gl_GlobalInvocationID;\n"
        "    uvec3 of = gl_WorkGroupID;\n"
        "    data[(at.z * all.y + at.y) * all.x + at.x] =\n"
        "        100 * gl_NumWorkGroups.x + 10 * gl_NumWorkGroups.y + gl_NumWorkGroups.z\n"
        "        + 1000 * ((of.z * 10 + of.y) * 10 + of.x);\n"
        "}\n");
    constexpr std::uint32_t across = 4 * 3, down = 2 * 2, deep = 3 * 5;
    Buffer data(*device, across * down * deep * 4, MemoryKind::download);
    const Kernel kernel(*device, spirv, "volume", 1, 0, std::array{4u, 2u, 3u});
    Commands commands(*device);
    commands.begin();
    commands.fill(data, 0, data.bytes(), 0);
    commands.barrier(Ordering::all);
    commands.dispatch(kernel, std::vector{whole(data)}, {}, {3, 2, 5});
    commands.barrier(Ordering::all);
    ASSERT_TRUE(commands.submit_and_wait(device_deadline));
    const auto words = make_launch_words(data);
    for (std::uint32_t i = 0; i < words.size(); ++i) {
        const std::uint32_t x = i % across, y = i / across % down, z = i / (across * down);
        ASSERT_EQ(words[i], 325 + 1000 * (100 * (z / 3) + 10 * (y / 2) + x / 4)) << x << ' ' << y << ' ' << z;
    }
}

TEST_F(ComputeTest, BindsRangesAndPushesConstantsPerDispatch) {
    const std::uint64_t align = device->limits().binding_alignment;
    Buffer data(*device, 4 * align, MemoryKind::download);
    const Kernel add = add_kernel(*device, 1);
    Commands commands(*device);
    commands.begin();
    commands.fill(data, 0, data.bytes(), 0);
    commands.barrier(Ordering::all);
    // The dispatches outnumber the sets of one descriptor pool, and alternate between two ranges.
    for (std::uint32_t i = 0; i < 700; ++i) {
        const std::vector range{BoundRange{&data, (1 + i % 2) * align, 4}};
        commands.dispatch(add, range, std::vector{1 + i % 2}, {1});
        commands.barrier(Ordering::compute);
    }
    commands.barrier(Ordering::all);
    ASSERT_TRUE(commands.submit_and_wait(device_deadline));
    const auto words = make_launch_words(data);
    const std::size_t step = align / 4;
    EXPECT_EQ(words[0], 0u);
    EXPECT_EQ(words[step], 350u);
    EXPECT_EQ(words[2 * step], 700u);
    EXPECT_EQ(std::accumulate(words.begin(), words.end(), 0u), 1050u);
}

TEST_F(ComputeTest, RunsSeveralKernelsWithSeveralBuffers) {
    const auto spirv = spirv_of(
        "layout(local_size_x_id = 0) in;\n"
        "layout(set = 0, binding = 0) readonly buffer A { uint a[]; };\n"
        "layout(set = 0, binding = 1) readonly buffer B { uint b[]; };\n"
        "layout(set = 0, binding = 2) writeonly buffer C { uint c[]; };\n"
        "void main() { uint i = gl_GlobalInvocationID.x; c[i] = 100 * a[i] + b[i]; }\n");
    const Kernel join(*device, spirv, "join", 3, 0, std::array{8u});
    const Kernel add = add_kernel(*device);
    const Kernel nothing(*device, spirv_of("layout(local_size_x_id = 0) in; void main() {}\n"), "nothing", 0,
                         0, {});
    Buffer a = upload_of(*device, counting(64));
    Buffer b = upload_of(*device, counting(64));
    Buffer c(*device, 256, MemoryKind::download);
    Commands commands(*device);
    commands.begin();
    commands.dispatch(join, std::vector{whole(a), whole(b), whole(c)}, {}, {8});
    commands.dispatch(nothing, {}, {}, {1});
    commands.barrier(Ordering::compute);
    commands.dispatch(add, std::vector{whole(c)}, std::vector{1u}, {1});
    commands.barrier(Ordering::compute);
    commands.dispatch(add, std::vector{whole(a)}, std::vector{1u}, {1});
    commands.barrier(Ordering::compute);
    commands.dispatch(add, std::vector{whole(c)}, std::vector{2u}, {1});
    commands.barrier(Ordering::all);
    ASSERT_TRUE(commands.submit_and_wait(device_deadline));
    const auto words = make_launch_words(c);
    for (std::uint32_t i = 0; i < 64; ++i)
        EXPECT_EQ(words[i], 101 * (i + 1) + 3);
}

TEST_F(ComputeTest, MisuseThrowsALogicError) {
    const Kernel add = add_kernel(*device);
    Buffer data(*device, 64, MemoryKind::device);
    Commands commands(*device);
    EXPECT_THROW(commands.barrier(Ordering::all), std::logic_error);
    EXPECT_THROW(commands.submit_and_wait(device_deadline), std::logic_error);
    commands.begin();
    EXPECT_THROW(commands.dispatch(add, {}, std::vector{1u}, {1}), std::logic_error);
    EXPECT_THROW(commands.dispatch(add, std::vector{whole(data)}, {}, {1}), std::logic_error);
    ASSERT_TRUE(commands.submit_and_wait(device_deadline));
    EXPECT_THROW(commands.timestamp(), std::logic_error);
}

TEST_F(ComputeTest, ObjectsKeepTheirDeviceAlive) {
    auto other = std::make_unique<Device>();
    Buffer data(*other, 64, MemoryKind::download);
    Commands commands(*other);
    other.reset();
    commands.begin();
    commands.fill(data, 0, 64, 9);
    commands.barrier(Ordering::all);
    ASSERT_TRUE(commands.submit_and_wait(device_deadline));
    EXPECT_THAT(make_launch_words(data), Each(9u));
}

TEST_F(ComputeTest, TimestampsMatchTheWallClock) {
    if (device->limits().timestamp_valid_bits == 0) GTEST_SKIP() << "no timestamps";
    // The kernel does about 10^9 additions. Its loops stay below the software driver's iteration limit.
    const Kernel spin(*device,
                      spirv_of("layout(local_size_x_id = 0) in;\n"
                               "layout(set = 0, binding = 0) buffer Data { uint data[]; };\n"
                               "void main() {\n"
                               "    uint x = gl_GlobalInvocationID.x;\n"
                               "    for (uint i = 0; i < 20000; ++i) x = x * 1664525u + 1013904223u;\n"
                               "    data[gl_GlobalInvocationID.x] = x;\n"
                               "}\n"),
                      "spin", 1, 0, std::array{64u});
    Buffer data(*device, 4 * 64 * 512, MemoryKind::device);
    Commands commands(*device);
    const auto run = [&] {
        commands.begin();
        const auto first = commands.timestamp();
        const auto second = commands.timestamp();
        commands.dispatch(spin, std::vector{whole(data)}, {}, {512});
        const auto third = commands.timestamp();
        EXPECT_EQ(first, 0u);
        EXPECT_EQ(third, 2u);
        EXPECT_TRUE(commands.submit_and_wait(device_deadline));
        EXPECT_GE(commands.nanoseconds(first, second), 0);
        EXPECT_NEAR(commands.nanoseconds(first, third),
                    commands.nanoseconds(first, second) + commands.nanoseconds(second, third), 1);
        return commands.nanoseconds(second, third);
    };
    run();  // the first dispatch compiles
    const auto start = std::chrono::steady_clock::now();
    const double device_ns = run();
    const double wall_ns =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    EXPECT_GT(device_ns, 10e3);
    EXPECT_LT(device_ns, wall_ns);
    EXPECT_GT(device_ns, wall_ns / 10 - 1e6) << "wall " << wall_ns;
    EXPECT_THROW(commands.nanoseconds(0, 3), std::logic_error);
}

TEST_F(ComputeTest, LimitsTimestampsPerSubmission) {
    Commands commands(*device);
    for (int round = 0; round < 2; ++round) {
        commands.begin();
        std::uint32_t last = 0;
        for (int i = 0; i < 4096; ++i)
            last = commands.timestamp();
        EXPECT_EQ(last, 4095u);
        EXPECT_THROW(commands.timestamp(), std::logic_error);
        ASSERT_TRUE(commands.submit_and_wait(device_deadline));
        EXPECT_GE(commands.nanoseconds(0, last), 0);
    }
}

// A dispatch cannot be aborted, but must not keep the process from ending. The test needs its own process,
// because the driver's threads stay busy afterwards.
TEST(BusyDeviceDeathTest, DestructorsReturnWhileTheDeviceIsBusy) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto try_it = [](WaitMode waiting) {
        {
            Device device;
            Buffer data(device, 4 * 64, MemoryKind::device);
            const Kernel spin(
                device,
                spirv_of("layout(local_size_x_id = 0) in;\n"
                         "layout(set = 0, binding = 0) buffer Data { uint data[]; };\n"
                         "void main() {\n"
                         "    uint x = data[gl_LocalInvocationID.x];\n"
                         "    for (uint i = 0; i < 60000; ++i) x = x * 1664525u + 1013904223u;\n"
                         "    data[gl_LocalInvocationID.x] = x;\n"
                         "}\n"),
                "spin", 1, 0, std::array{64u});
            Commands commands(device);
            commands.begin();
            for (int i = 0; i < 3000; ++i)
                commands.dispatch(spin, std::vector{whole(data)}, {}, {65535});
            const auto start = std::chrono::steady_clock::now();
            if (commands.submit_and_wait(std::chrono::milliseconds(200), waiting)) std::_Exit(1);
            if (std::chrono::steady_clock::now() - start > device_deadline) std::_Exit(2);
            try {
                commands.begin();
                std::_Exit(3);
            } catch (const std::runtime_error&) {
            }
            data = Buffer(device, 64, MemoryKind::device);
        }
        std::_Exit(7);
    };
    for (const WaitMode waiting : {WaitMode::sleep, WaitMode::poll})
        EXPECT_EXIT(try_it(waiting), ::testing::ExitedWithCode(7), "");
}

}  // namespace gridstride::gpu::compute_test
