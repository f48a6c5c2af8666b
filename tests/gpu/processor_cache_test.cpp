#include "gpu/device.h"

#include "test_includes.h"

namespace gridstride::gpu::processor_cache_test {

class ProcessorCache : public ::testing::Test {
 protected:
    ProcessorCache() { std::filesystem::remove_all(folder_); }
    ~ProcessorCache() override { std::filesystem::remove_all(folder_); }
    void add(const std::string& index, const std::string& type, const std::string& size) {
        std::filesystem::create_directories(folder_ / index);
        std::ofstream(folder_ / index / "type") << type << "\n";
        std::ofstream(folder_ / index / "size") << size << "\n";
    }
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / "gridstride_processor_cache_test";
};

TEST_F(ProcessorCache, IsTheLargestDataCache) {
    add("index0", "Data", "48K");
    add("index1", "Instruction", "999999K");
    add("index2", "Unified", "32768K");
    add("index3", "Unified", "2M");
    std::ofstream(folder_ / "uevent") << "\n";
    EXPECT_EQ(processor_cache_bytes(folder_), std::uint64_t{32} << 20);
}

TEST_F(ProcessorCache, IsUnknownIfNothingCanBeRead) {
    EXPECT_EQ(processor_cache_bytes(folder_), 0u);
    add("index0", "Unified", "many");
    EXPECT_EQ(processor_cache_bytes(folder_), 0u);
}

TEST_F(ProcessorCache, EveryDeviceHasACacheSize) {
    for (const DeviceInfo& device : list_devices()) {
        EXPECT_GT(device.limits.cache_bytes, 0u) << device.limits.device_name;
        EXPECT_TRUE(device.limits.is_cpu || device.limits.is_cache_assumed);
    }
}

}  // namespace gridstride::gpu::processor_cache_test
