// Tests which kernels the cache stores and returns, and when it compiles one again.
#include "lab/kernel_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "../base/message_of.h"
#include "mentions.h"
#include "shader/compiler.h"

namespace gridstride::lab::kernel_cache_test {

class KernelCacheTest : public testing::Test {
 protected:
    /// Returns a kernel that writes to one buffer, with so many push constants after those of the launch.
    static std::vector<std::uint32_t> compiled(std::size_t push = 0) {
        std::string words;
        for (std::size_t i = 0; i < launch_words + push; ++i)
            words += fmt::format("uint word_{};\n", i);
        const std::string source = fmt::format(
            "#version 450\nlayout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;\n"
            "layout(constant_id = 3) const uint added = 0;\n"
            "layout(push_constant) uniform Push {{\n{}}};\n"
            "layout(std430, binding = 0) buffer Out {{ uint numbers[]; }};\n"
            "void main() {{ numbers[0] = added + word_{}; }}\n",
            words, launch_words + push - 1);
        shader::CompileResult result = shader::compile(source, "test.comp", {}, {});
        EXPECT_TRUE(result.ok()) << result.text();
        return std::move(result.spirv);
    }
    static Dispatch dispatch(const std::string& kernel) {
        return {.label = "test", .kernel = kernel, .workgroup = {8}, .bindings = {{}}};
    }
    void put(const std::string& kernel, std::size_t push = 0) {
        kernels_.put(kernel, compiled(push), kernel);
    }

    KernelCache kernels_{gpu::Device()};
};

TEST_F(KernelCacheTest, CompilesAgainOnlyIfThePipelineDiffers) {
    put("a");
    Dispatch one = dispatch("a");
    const auto first = kernels_.get(one);
    one.label = "another launch of it";
    EXPECT_EQ(kernels_.get(one), first);
    const auto expect_another = [&](const char* what, const Dispatch& changed) {
        EXPECT_NE(kernels_.get(changed), first) << what;
        EXPECT_EQ(kernels_.get(changed), kernels_.get(changed)) << what;
    };
    Dispatch changed = one;
    changed.workgroup = {16};
    expect_another("a workgroup size", changed);
    changed = one;
    changed.constants = {7};
    expect_another("a constant", changed);
    changed = one;
    changed.bindings.push_back({});
    expect_another("a binding", changed);
    changed = one;
    changed.push = {1};
    expect_another("a push constant", changed);
    put("b");
    changed = one;
    changed.kernel = "b";
    expect_another("a name", changed);
    EXPECT_EQ(kernels_.get(one), first);
}

TEST_F(KernelCacheTest, RefusesKernelsThatReadMissingPushConstants) {
    put("reads_three", 3);
    Dispatch three = dispatch("reads_three");
    three.label = "the third";
    for (std::size_t constant_count = 0; constant_count < 3; ++constant_count) {
        three.push.assign(constant_count, 0);
        EXPECT_THAT(test::message_of<std::runtime_error>([&] { kernels_.get(three); }),
                    test::Mentions("reads_three", "the third", 12, 4 * constant_count));
    }
    for (std::size_t constant_count = 3; constant_count < 5; ++constant_count) {
        three.push.assign(constant_count, 0);
        EXPECT_NO_THROW(kernels_.get(three)) << constant_count;
    }
}

TEST_F(KernelCacheTest, RefusesMoreWorkgroupMemoryThanTheDeviceHas) {
    const std::uint64_t limit = gpu::Device().limits().max_shared_bytes;
    for (const std::uint64_t bytes : {limit, limit + 4}) {
        const std::string source = fmt::format(
            "#version 450\nlayout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;\n"
            "layout(std430, binding = 0) buffer Out {{ uint numbers[]; }};\n"
            "shared uint words[{}];\n"
            "void main() {{ words[numbers[0]] = 1; barrier(); numbers[0] = words[7]; }}\n",
            bytes / 4);
        shader::CompileResult result = shader::compile(source, "test.comp", {}, {});
        ASSERT_TRUE(result.ok()) << result.text();
        const std::string name = fmt::format("shares_{}", bytes);
        kernels_.put(name, std::move(result.spirv), name);
        if (bytes == limit)
            EXPECT_NO_THROW(kernels_.get(dispatch(name)));
        else
            EXPECT_THAT(test::message_of<Refusal>([&] { kernels_.get(dispatch(name)); }),
                        test::Mentions(name, bytes, limit));
    }
}

TEST_F(KernelCacheTest, DoesNotCompileUserSource) {
    Dispatch own = dispatch("mine");
    own.source = "#version 450\nvoid main() {}\n";
    own.file_source = KernelSource{.text = own.source, .name = "mine.comp", .folder = ""};
    EXPECT_THROW(kernels_.get(own), std::logic_error);
    own.file_source.reset();
    own.source = "no kernel";
    EXPECT_THROW(kernels_.get(own), std::logic_error);
    EXPECT_THROW(kernels_.get(dispatch("none_of_this_name")), std::runtime_error);
}

TEST_F(KernelCacheTest, ErasesOnlyTheKernelOfThatName) {
    put("a");
    put("ab");
    const auto a = kernels_.get(dispatch("a")), ab = kernels_.get(dispatch("ab"));
    kernels_.erase("a");
    EXPECT_EQ(kernels_.get(dispatch("ab")), ab);
    EXPECT_THROW(kernels_.get(dispatch("a")), std::runtime_error) << "its pipeline is erased too";
    put("a");
    EXPECT_NE(kernels_.get(dispatch("a")), a);
}

TEST_F(KernelCacheTest, DropsAllPipelinesWhenFullExceptThoseInUse) {
    put("a");
    Dispatch one = dispatch("a");
    const auto first = kernels_.get(one);
    std::size_t before = 1;
    for (std::uint32_t constant = 1; first.use_count() > 1; ++constant, ++before) {
        ASSERT_LE(before, 600U) << "the cache grows without a limit";
        one.constants = {constant};
        kernels_.get(one);
    }
    EXPECT_GE(before, 500U) << "a user may try hundreds of launches in one session";
    one.constants = {};
    EXPECT_NE(kernels_.get(one), first);
    EXPECT_FALSE(first->is_warm) << "its holder may keep using it";
}

}  // namespace gridstride::lab::kernel_cache_test
