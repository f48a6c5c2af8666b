// Kernels that nobody vouches for stay inside the ranges that are bound to them, whichever way the driver
// has.
#include <gmock/gmock.h>
#include <vulkan/vulkan.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "gpu/compute.h"

namespace gridstride::gpu {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;

/// Asked of the driver without this room.
bool has_extension(const std::string& device, const char* extension) {
    const VkApplicationInfo application{
        VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, "", 0, "", 0, VK_API_VERSION_1_1};
    VkInstanceCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    create.pApplicationInfo = &application;
    VkInstance instance = nullptr;
    if (vkCreateInstance(&create, nullptr, &instance) != VK_SUCCESS) throw std::runtime_error("no instance");
    std::uint32_t count = 0;
    vkEnumeratePhysicalDevices(instance, &count, nullptr);
    std::vector<VkPhysicalDevice> handles(count);
    vkEnumeratePhysicalDevices(instance, &count, handles.data());
    bool found = false;
    for (const VkPhysicalDevice handle : handles) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(handle, &properties);
        if (properties.deviceName != device) continue;
        vkEnumerateDeviceExtensionProperties(handle, nullptr, &count, nullptr);
        std::vector<VkExtensionProperties> all(count);
        vkEnumerateDeviceExtensionProperties(handle, nullptr, &count, all.data());
        for (const VkExtensionProperties& one : all)
            found = found || std::strcmp(one.extensionName, extension) == 0;
    }
    vkDestroyInstance(instance, nullptr);
    return found;
}

/// With and without robust pipelines; where the driver has none, both are the same.
class Robust : public ::testing::TestWithParam<bool> {
 protected:
    void SetUp() override {
        enable_validation();
        if (!GetParam()) setenv("GRIDSTRIDE_PIPELINE_ROBUSTNESS", "0", 1);
    }
    void TearDown() override {
        unsetenv("GRIDSTRIDE_PIPELINE_ROBUSTNESS");
        EXPECT_THAT(take_validation_messages(), IsEmpty());
    }
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutPipelines, Robust, ::testing::Bool());

TEST_P(Robust, ByPipelinesWhereTheDriverCanAndElseByADeviceOfItsOwn) {
    const Device device;
    EXPECT_EQ(device.robustness(), Robustness::none) << "kernels that are measured pay for no checks";
    const bool by_pipelines =
        GetParam() && has_extension(device.limits().device_name, "VK_EXT_pipeline_robustness");
    EXPECT_EQ(device.robust().robustness(), by_pipelines ? Robustness::by_pipelines : Robustness::by_device);
    EXPECT_EQ(device.robust().limits().device_name, device.limits().device_name);
}

TEST_P(Robust, WhatLiesBesideTheBoundRangeStaysAsItIs) {
    constexpr std::size_t before = 1024, bound = 4096, behind = 60'000;
    constexpr std::uint32_t untouched = 0xA5A5A5A5u;
    const Device plain;
    Device device = plain.robust();
    // Longer than its buffer by declaration, so that no clamp to its length helps. (Mesa's software driver
    // looks at every index anyway; a GPU's does not.)
    const Kernel kernel(device,
                        spirv_of("layout(local_size_x_id = 0) in;\n"
                                 "layout(binding = 0) buffer Data { uint data[100000000]; };\n"
                                 "layout(push_constant) uniform Push { uint step; };\n"
                                 "void main() { data[gl_GlobalInvocationID.x * step] = 7u; }\n"),
                        "beyond", 1, sizeof(std::uint32_t), 64, {});
    Buffer data = upload_of(device, std::vector<std::uint32_t>(before + bound + behind, untouched));
    Commands commands(device);
    commands.begin();
    const BoundRange range{&data, before * sizeof(std::uint32_t), bound * sizeof(std::uint32_t)};
    const std::uint32_t step = 500;  // 128 invocations: up to element 63 500, of which 9 are inside
    commands.dispatch(kernel, {{range}}, {{step}}, 2);
    commands.barrier(Ordering::all);
    ASSERT_TRUE(commands.submit_and_wait(kDeadline));

    std::vector<std::uint32_t> words = words_of(data);
    for (std::size_t i = 0; i < bound; i += step)
        EXPECT_EQ(std::exchange(words[before + i], untouched), 7u) << i;
    EXPECT_THAT(words, Each(untouched));
}

}  // namespace
}  // namespace gridstride::gpu
