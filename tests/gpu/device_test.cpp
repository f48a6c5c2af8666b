#include "gpu/device.h"

#include "gpu/instance.h"
#include "test_includes.h"

namespace gridstride::gpu::device_test {

DeviceInfo device_called(std::size_t index, const std::string& name, bool usable = true) {
    DeviceInfo info;
    info.index = index;
    info.limits.device_name = name;
    info.is_usable = usable;
    return info;
}

const std::vector<DeviceInfo> named_devices{device_called(0, "Old Card", false),
                                            device_called(1, "NVIDIA GeForce RTX 4090"),
                                            device_called(2, "llvmpipe (LLVM 15.0.6, 256 bits)")};

TEST(ChooseDevice, TakesTheFirstUsable) {
    EXPECT_EQ(find_device(named_devices, ""), 1u);
}

TEST(ChooseDevice, AcceptsANumberOrPartOfAName) {
    EXPECT_EQ(find_device(named_devices, "2"), 2u);
    EXPECT_EQ(find_device(named_devices, "LLVMpipe"), 2u);
    EXPECT_EQ(find_device(named_devices, "rtx"), 1u);
    EXPECT_EQ(find_device(named_devices, "4090"), 1u);
}

TEST(ChooseDevice, RefusalListsTheDevices) {
    for (const char* wanted : {"0", "7", "-1", "old card", "radeon"}) {
        try {
            find_device(named_devices, wanted);
            ADD_FAILURE() << wanted;
        } catch (const NoDevice& error) {
            EXPECT_THAT(error.what(), HasSubstr("1: NVIDIA GeForce RTX 4090")) << wanted;
            EXPECT_THAT(error.what(), HasSubstr("2: llvmpipe")) << wanted;
        }
    }
    EXPECT_THROW(find_device({}, ""), NoDevice);
    EXPECT_THROW(find_device({device_called(0, "x", false)}, ""), NoDevice);
}

TEST(ListDevices, DescribesEveryDeviceAndListsSoftwareLast) {
    const auto devices = list_devices();
    ASSERT_THAT(devices, Not(IsEmpty()));
    bool software_before = false;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const Limits& limits = devices[i].limits;
        EXPECT_EQ(devices[i].index, i);
        EXPECT_THAT(limits.device_name, Not(IsEmpty()));
        EXPECT_EQ(limits.device_name.find('\0'), std::string::npos);
        EXPECT_THAT(limits.driver_version, Not(IsEmpty()));
        EXPECT_EQ(limits.driver_version.find('\0'), std::string::npos);
        EXPECT_THAT(devices[i].api_version, HasSubstr("1."));
        EXPECT_FALSE(software_before && !limits.is_cpu) << "software comes last";
        software_before = limits.is_cpu;
    }
}

TEST(Device, HasTheLimitsThatVulkanGuarantees) {
    const Device device;
    const Limits& limits = device.limits();
    EXPECT_GE(limits.max_workgroup_size, 128u);
    EXPECT_GE(limits.max_grid.x, 65535u);
    EXPECT_GE(limits.max_workgroup.x, limits.max_workgroup_size);
    EXPECT_GE(limits.max_workgroup.y, 128u);
    EXPECT_GE(limits.max_workgroup.z, 64u);
    EXPECT_GE(limits.max_grid.y, 65535u);
    EXPECT_GE(limits.max_grid.z, 65535u);
    EXPECT_GE(limits.max_shared_bytes, 16384u);
    EXPECT_GE(limits.max_binding_bytes, 1u << 27);
    EXPECT_GE(limits.binding_alignment, 1u);
    EXPECT_LE(limits.binding_alignment, 256u);
    EXPECT_GT(limits.memory_bytes, 0u);
    EXPECT_GE(limits.subgroup_size, 1u);
    EXPECT_GT(limits.timestamp_period_ns, 0);
    EXPECT_TRUE(limits.integer_dot || !limits.integer_dot_accelerated);
}

TEST(Device, RecognizesTheSoftwareDriver) {
    const auto devices = list_devices();
    const std::size_t last = devices.size() - 1;
    const Limits& limits = devices[last].limits;
    if (limits.device_name.find("llvmpipe") == std::string::npos) GTEST_SKIP() << "no llvmpipe here";
    EXPECT_TRUE(limits.is_cpu);
    EXPECT_THAT(limits.driver_version, HasSubstr("llvmpipe Mesa"));
    int mesa = 0;
    ASSERT_EQ(std::sscanf(limits.driver_version.c_str(), "llvmpipe Mesa %d", &mesa), 1)
        << limits.driver_version;
    EXPECT_EQ(limits.loop_iterations, mesa < 25 ? 65535u : 0u);
    EXPECT_EQ(limits.timestamp_valid_bits, 64u);
    EXPECT_EQ(limits.multiprocessors, 0u);
    EXPECT_TRUE(limits.subgroup_arithmetic);
    EXPECT_TRUE(limits.float64);
    EXPECT_TRUE(limits.integer_dot);
    EXPECT_FALSE(limits.integer_dot_accelerated);
}

TEST(Device, OpensByName) {
    const std::string name = list_devices().front().limits.device_name;
    EXPECT_EQ(Device(name).limits().device_name, name);
    EXPECT_EQ(Device("0").limits().device_name, name);
    EXPECT_THROW(Device("no such device"), NoDevice);
    EXPECT_THROW(Device("99999999999999999999999"), NoDevice);
}

// The Vulkan loader reads its environment when it creates the instance, so each test needs its own process.
class DeviceDeathTest : public ::testing::Test {
 protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(DeviceDeathTest, MissingDriverGivesAdvice) {
    const auto try_it = [] {
        setenv("VK_ICD_FILENAMES", "/no/such/driver.json", 1);
        setenv("VK_DRIVER_FILES", "/no/such/driver.json", 1);
        try {
            list_devices();
        } catch (const NoDevice& error) {
            std::fputs(error.what(), stderr);
            std::_Exit(3);
        }
        std::_Exit(0);
    };
    EXPECT_EXIT(try_it(), ::testing::ExitedWithCode(3),
                "No Vulkan device.*mesa-vulkan-drivers.*VK_ICD_FILENAMES");
}

TEST_F(DeviceDeathTest, MissingValidationLayerGivesAdvice) {
    const auto try_it = [] {
        setenv("VK_LAYER_PATH", "/no/such/folder", 1);
        enable_validation();
        try {
            Device device;
        } catch (const std::runtime_error& error) {
            std::fputs(error.what(), stderr);
            std::_Exit(4);
        }
        std::_Exit(0);
    };
    EXPECT_EXIT(try_it(), ::testing::ExitedWithCode(4), "Install vulkan-validationlayers");
}

TEST(ValidationSetup, HasLayerAndMessengerIfEnabled) {
    enable_validation();
    const ValidationSetup setup = make_validation_setup();
    EXPECT_EQ(setup.layers.size(), 1u);
    EXPECT_NE(setup.chain, nullptr);
    ASSERT_NE(setup.messenger, nullptr);
    EXPECT_NE(setup.messenger->pfnUserCallback, nullptr);
    EXPECT_EQ(setup.messenger->pNext, nullptr);
}

}  // namespace gridstride::gpu::device_test
