#include "gpu/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <vector>

#include "gpu/buffer_impl.h"
#include "gpu/kernel_impl.h"

namespace gridstride::gpu {

namespace {

constexpr std::uint32_t kMostTimestamps = 4096;  // of one submission
constexpr std::uint32_t kSetsPerPool = 256;
constexpr std::uint32_t kBuffersPerPool = 8 * kSetsPerPool;

using Stage = vk::PipelineStageFlagBits;
using Access = vk::AccessFlagBits;

struct Dependency {
    vk::PipelineStageFlags from_stages;
    vk::AccessFlags from_accesses;
    vk::PipelineStageFlags to_stages;
    vk::AccessFlags to_accesses;
};

// Only writes need to be made available, so no read stands on the "from" side; that a write waits for an
// earlier read follows from the stages alone.
Dependency dependency(Ordering ordering) {
    const vk::AccessFlags shader = Access::eShaderRead | Access::eShaderWrite;
    const vk::AccessFlags transfer = Access::eTransferRead | Access::eTransferWrite;
    switch (ordering) {
        case Ordering::compute:
            return {Stage::eComputeShader, Access::eShaderWrite, Stage::eComputeShader, shader};
        case Ordering::all:
            return {Stage::eComputeShader | Stage::eTransfer, Access::eShaderWrite | Access::eTransferWrite,
                    Stage::eComputeShader | Stage::eTransfer | Stage::eHost,
                    shader | transfer | Access::eHostRead};
    }
    throw std::logic_error("an ordering that there is not");
}

}  // namespace

struct Commands::Impl {
    std::shared_ptr<DeviceCore> core;
    vk::raii::CommandPool command_pool{nullptr};
    vk::raii::CommandBuffer commands{nullptr};  ///< dies before its pool
    vk::raii::Fence finished{nullptr};
    vk::raii::QueryPool queries{nullptr};
    std::vector<vk::raii::DescriptorPool> descriptor_pools;
    std::size_t pool_in_use = 0;  ///< index into descriptor_pools; those before it are full

    bool recording = false;
    std::uint32_t timestamps = 0;      ///< recorded since begin()
    std::vector<std::uint64_t> ticks;  ///< of the last submission, one a timestamp

    // The last dispatch's state: a kernel that is repeated thousands of times takes one descriptor set.
    vk::Pipeline bound_pipeline;
    vk::DescriptorSetLayout set_layout;
    std::vector<vk::DescriptorBufferInfo> set_content;

    explicit Impl(std::shared_ptr<DeviceCore> owner);
    ~Impl();

    void require_recording() const;
    void wait_for_everything();
    void bind(const Kernel::Impl& kernel, std::vector<vk::DescriptorBufferInfo> content);
    vk::DescriptorSet allocate_set(const vk::DescriptorSetLayout& layout);
    void read_ticks();
};

Commands::Impl::Impl(std::shared_ptr<DeviceCore> owner) : core(std::move(owner)) {
    const vk::raii::Device& device = core->device;
    command_pool = vk::raii::CommandPool(
        device,
        vk::CommandPoolCreateInfo(vk::CommandPoolCreateFlagBits::eTransient, core->physical.queue_family));
    const vk::CommandBufferAllocateInfo one(*command_pool, vk::CommandBufferLevel::ePrimary, 1);
    commands = std::move(vk::raii::CommandBuffers(device, one).front());
    finished = vk::raii::Fence(device, vk::FenceCreateInfo());
    if (core->limits().timestamp_valid_bits > 0)
        queries = vk::raii::QueryPool(
            device, vk::QueryPoolCreateInfo({}, vk::QueryType::eTimestamp, kMostTimestamps));
}

Commands::Impl::~Impl() {
    if (core->given_up) abandon(core, command_pool, commands, finished, queries, descriptor_pools);
}

void Commands::Impl::require_recording() const {
    if (!recording) throw std::logic_error("Commands: begin() comes before recording and submitting");
}

/// Orders execution alone: memory that a caller forgot to order stays a hazard, for validation to find.
void Commands::Impl::wait_for_everything() {
    commands.pipelineBarrier(Stage::eAllCommands, Stage::eAllCommands, {}, {}, {}, {});
}

vk::DescriptorSet Commands::Impl::allocate_set(const vk::DescriptorSetLayout& layout) {
    while (true) {
        const bool fresh = pool_in_use == descriptor_pools.size();
        if (fresh) {
            const vk::DescriptorPoolSize size(vk::DescriptorType::eStorageBuffer, kBuffersPerPool);
            descriptor_pools.emplace_back(core->device, vk::DescriptorPoolCreateInfo({}, kSetsPerPool, size));
        }
        // The C call: the sets go with their pool, so none is owned one by one, and a full pool is no
        // exception.
        const vk::DescriptorSetAllocateInfo wanted(*descriptor_pools[pool_in_use], layout);
        VkDescriptorSet set = nullptr;
        const VkResult result = core->calls().vkAllocateDescriptorSets(
            *core->device, reinterpret_cast<const VkDescriptorSetAllocateInfo*>(&wanted), &set);
        if (result == VK_SUCCESS) return set;
        const bool is_full = result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
        if (!is_full || fresh)
            throw std::runtime_error("vkAllocateDescriptorSets: " + vk::to_string(vk::Result(result)));
        ++pool_in_use;
    }
}

void Commands::Impl::bind(const Kernel::Impl& kernel, std::vector<vk::DescriptorBufferInfo> content) {
    if (bound_pipeline != *kernel.pipeline) {
        commands.bindPipeline(vk::PipelineBindPoint::eCompute, *kernel.pipeline);
        bound_pipeline = *kernel.pipeline;
    }
    if (content.empty() || (set_layout == *kernel.set_layout && set_content == content)) return;

    const vk::DescriptorSet set = allocate_set(*kernel.set_layout);
    std::vector<vk::WriteDescriptorSet> writes;
    for (std::uint32_t i = 0; i < content.size(); ++i)
        writes.emplace_back(set, i, 0, vk::DescriptorType::eStorageBuffer, nullptr, content[i]);
    core->device.updateDescriptorSets(writes, {});
    commands.bindDescriptorSets(vk::PipelineBindPoint::eCompute, *kernel.pipeline_layout, 0, set, {});
    set_layout = *kernel.set_layout;
    set_content = std::move(content);
}

void Commands::Impl::read_ticks() {
    ticks.assign(timestamps, 0);
    if (timestamps == 0 || core->limits().timestamp_valid_bits == 0) return;
    // No "wait" flag: the fence says that they are there, and a wait could not be ended.
    const VkResult result = core->calls().vkGetQueryPoolResults(
        *core->device, *queries, 0, timestamps, ticks.size() * sizeof(std::uint64_t), ticks.data(),
        sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT);
    if (result != VK_SUCCESS)
        throw std::runtime_error("vkGetQueryPoolResults: " + vk::to_string(vk::Result(result)));
}

Commands::Commands(Device& device) : impl_(std::make_unique<Impl>(device.impl().core)) {}
Commands::~Commands() = default;
Commands::Commands(Commands&&) noexcept = default;
Commands& Commands::operator=(Commands&&) noexcept = default;

void Commands::begin() {
    Impl& my = *impl_;
    if (my.core->given_up)
        throw std::runtime_error("the device was given up: it did not finish an earlier submission");
    my.recording = false;
    my.command_pool.reset();
    for (vk::raii::DescriptorPool& pool : my.descriptor_pools)
        pool.reset();
    my.pool_in_use = 0;
    my.timestamps = 0;
    my.ticks.clear();
    my.bound_pipeline = nullptr;
    my.set_layout = nullptr;
    my.set_content.clear();

    my.commands.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    my.recording = true;
    // The fence made an earlier submission's writes available; this makes them visible.
    const vk::MemoryBarrier earlier(Access::eMemoryWrite, Access::eMemoryRead | Access::eMemoryWrite);
    my.commands.pipelineBarrier(Stage::eAllCommands, Stage::eAllCommands, {}, earlier, {}, {});
}

void Commands::copy(const Buffer& from, std::uint64_t from_offset, const Buffer& to, std::uint64_t to_offset,
                    std::uint64_t bytes) {
    impl_->require_recording();
    impl_->commands.copyBuffer(*from.impl().buffer, *to.impl().buffer,
                               vk::BufferCopy(from_offset, to_offset, bytes));
}

void Commands::fill(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) {
    impl_->require_recording();
    impl_->commands.fillBuffer(*buffer.impl().buffer, offset, bytes, word);
}

void Commands::dispatch(const Kernel& kernel, std::span<const BoundRange> bindings,
                        std::span<const std::uint32_t> push, const Extent& workgroups) {
    impl_->require_recording();
    const Kernel::Impl& used = kernel.impl();
    if (bindings.size() != used.storage_buffers || push.size_bytes() != used.push_bytes) {
        throw std::logic_error(
            fmt::format("kernel {} takes {} buffers and {} bytes of push constants, not {} and {}", used.name,
                        used.storage_buffers, used.push_bytes, bindings.size(), push.size_bytes()));
    }
    std::vector<vk::DescriptorBufferInfo> content;
    for (const BoundRange& range : bindings)
        content.emplace_back(*range.buffer->impl().buffer, range.offset, range.bytes);
    impl_->bind(used, std::move(content));
    if (!push.empty()) {
        impl_->commands.pushConstants<std::uint32_t>(
            *used.pipeline_layout, vk::ShaderStageFlagBits::eCompute, 0,
            vk::ArrayProxy<const std::uint32_t>(static_cast<std::uint32_t>(push.size()), push.data()));
    }
    const auto along = [&](unsigned dimension) {
        return static_cast<std::uint32_t>(workgroups.along(dimension));
    };
    impl_->commands.dispatch(along(0), along(1), along(2));
}

void Commands::barrier(Ordering ordering) {
    impl_->require_recording();
    const Dependency d = dependency(ordering);
    const vk::MemoryBarrier memory(d.from_accesses, d.to_accesses);
    impl_->commands.pipelineBarrier(d.from_stages, d.to_stages, {}, memory, {}, {});
}

std::uint32_t Commands::timestamp() {
    Impl& my = *impl_;
    my.require_recording();
    if (my.timestamps == kMostTimestamps)
        throw std::logic_error(
            fmt::format("Commands: over {} timestamps in one submission", kMostTimestamps));
    const std::uint32_t number = my.timestamps++;
    if (my.core->limits().timestamp_valid_bits == 0) return number;

    if (number == 0) my.commands.resetQueryPool(*my.queries, 0, kMostTimestamps);
    // Every timestamp at the same stage, or a difference would hold the time between two stages as well.
    my.wait_for_everything();
    my.commands.writeTimestamp(Stage::eAllCommands, *my.queries, number);
    my.wait_for_everything();
    return number;
}

bool Commands::submit_and_wait(std::chrono::nanoseconds deadline) {
    Impl& my = *impl_;
    my.require_recording();
    DeviceCore& core = *my.core;
    my.recording = false;
    try {
        my.commands.end();
        const vk::SubmitInfo submission({}, {}, *my.commands);
        {
            const std::lock_guard lock(core.queue_mutex);
            core.queue.submit(submission, *my.finished);
        }
        const auto timeout = static_cast<std::uint64_t>(std::max<std::int64_t>(deadline.count(), 0));
        if (core.device.waitForFences(*my.finished, true, timeout) == vk::Result::eTimeout) {
            core.given_up = true;
            return false;
        }
        core.device.resetFences(*my.finished);
        my.read_ticks();
    } catch (const vk::DeviceLostError& error) {
        throw std::runtime_error(fmt::format(
            "{} was lost ({}): the driver stopped it, most often because a kernel ran too long or wrote "
            "where it must not",
            core.limits().device_name, error.what()));
    }
    return true;
}

double Commands::nanoseconds(std::uint32_t from, std::uint32_t to) const {
    const Limits& limits = impl_->core->limits();
    if (limits.timestamp_valid_bits == 0) return 0;
    if (std::max(from, to) >= impl_->ticks.size())
        throw std::logic_error("Commands: a timestamp that the last submission does not have");
    const std::uint64_t mask = limits.timestamp_valid_bits >= 64
                                   ? std::numeric_limits<std::uint64_t>::max()
                                   : (std::uint64_t{1} << limits.timestamp_valid_bits) - 1;
    return static_cast<double>((impl_->ticks[to] - impl_->ticks[from]) & mask) * limits.timestamp_period_ns;
}

}  // namespace gridstride::gpu
