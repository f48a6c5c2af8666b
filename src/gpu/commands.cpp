#include "gpu/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <vector>

#include "base/elapsed.h"
#include "gpu/buffer_impl.h"
#include "gpu/kernel_impl.h"

namespace gridstride::gpu {

namespace {

constexpr std::uint32_t max_timestamps = 4096;  // in one submission
constexpr std::uint32_t first_timestamps = 64;  // reset with the first one
constexpr std::uint32_t sets_per_pool = 256;
constexpr std::uint32_t buffers_per_pool = 8 * sets_per_pool;

using Stage = vk::PipelineStageFlagBits;
using Access = vk::AccessFlagBits;

}  // namespace

struct Commands::Impl {
    std::shared_ptr<DeviceCore> core;
    vk::raii::CommandPool command_pool{nullptr};
    vk::raii::CommandBuffer commands{nullptr};  ///< dies before its pool
    vk::raii::Fence finished{nullptr};
    vk::raii::QueryPool queries{nullptr};
    std::vector<vk::raii::DescriptorPool> descriptor_pools;
    std::size_t pool_in_use = 0;  ///< index into descriptor_pools; the earlier ones are full

    bool is_recording = false;
    std::uint32_t timestamps = 0;      ///< recorded since begin()
    std::vector<std::uint64_t> ticks;  ///< of the last submission, one per timestamp

    // State of the last dispatch: a kernel repeated thousands of times uses one descriptor set.
    vk::Pipeline bound_pipeline;
    vk::DescriptorSetLayout set_layout;
    std::vector<vk::DescriptorBufferInfo> set_content;

    double waiting_ns = 0;  ///< of the last submission

    /// Returns false if the fence is not signalled in time.
    bool wait(std::chrono::nanoseconds max_wait, WaitMode waiting) const {
        if (waiting == WaitMode::sleep) {
            const auto timeout = static_cast<std::uint64_t>(std::max<std::int64_t>(max_wait.count(), 0));
            return core->device.waitForFences(*finished, true, timeout) != vk::Result::eTimeout;
        }
        const auto since = std::chrono::steady_clock::now();
        while (finished.getStatus() == vk::Result::eNotReady)
            if (std::chrono::steady_clock::now() - since > max_wait) return false;
        return true;
    }

    void require_recording() const {
        if (!is_recording) throw std::logic_error("Commands: call begin() before recording or submitting");
    }

    vk::DescriptorSet allocate_set(const vk::DescriptorSetLayout& layout) {
        while (true) {
            const bool is_new_pool = pool_in_use == descriptor_pools.size();
            if (is_new_pool) {
                const vk::DescriptorPoolSize size(vk::DescriptorType::eStorageBuffer, buffers_per_pool);
                descriptor_pools.emplace_back(core->device,
                                              vk::DescriptorPoolCreateInfo({}, sets_per_pool, size));
            }
            // The C call, because sets are freed with their pool, not one by one, and because a full pool is
            // an expected result, not an exception.
            const vk::DescriptorSetAllocateInfo allocation(*descriptor_pools[pool_in_use], layout);
            vk::DescriptorSet set;
            const vk::Result result =
                (*core->device).allocateDescriptorSets(&allocation, &set, core->dispatcher());
            if (result == vk::Result::eSuccess) return set;
            const bool is_full =
                result == vk::Result::eErrorOutOfPoolMemory || result == vk::Result::eErrorFragmentedPool;
            if (!is_full || is_new_pool)
                throw std::runtime_error("vkAllocateDescriptorSets: " + vk::to_string(result));
            ++pool_in_use;
        }
    }
};

Commands::Commands(const Device& device) : impl_(make_device_object<Impl>(device)) {
    Impl& state = *impl_;
    const DeviceCore& core = *state.core;
    state.command_pool = {core.device,
                          {vk::CommandPoolCreateFlagBits::eTransient, core.physical.queue_family}};
    const vk::CommandBufferAllocateInfo one(*state.command_pool, vk::CommandBufferLevel::ePrimary, 1);
    state.commands = std::move(vk::raii::CommandBuffers(core.device, one).front());
    state.finished = {core.device, vk::FenceCreateInfo()};
    if (core.limits().timestamp_valid_bits > 0)
        state.queries = {core.device, vk::QueryPoolCreateInfo({}, vk::QueryType::eTimestamp, max_timestamps)};
}

void Commands::begin() {
    Impl& state = *impl_;
    if (state.core->is_hung)
        throw std::runtime_error("the device can no longer be used: it did not finish an earlier submission");
    state.is_recording = false;
    state.command_pool.reset();
    for (vk::raii::DescriptorPool& pool : state.descriptor_pools)
        pool.reset();
    state.pool_in_use = 0;
    state.timestamps = 0;
    state.ticks.clear();
    state.bound_pipeline = nullptr;
    state.set_layout = nullptr;
    state.set_content.clear();

    state.commands.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    state.is_recording = true;
    // The fence covers availability of an earlier submission's writes; this barrier adds visibility.
    const vk::MemoryBarrier earlier(Access::eMemoryWrite, Access::eMemoryRead | Access::eMemoryWrite);
    state.commands.pipelineBarrier(Stage::eAllCommands, Stage::eAllCommands, {}, earlier, {}, {});
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
    Impl& state = *impl_;
    state.require_recording();
    const Kernel::Impl& kernel_impl = kernel.impl();
    if (bindings.size() != kernel_impl.storage_buffers || push.size_bytes() != kernel_impl.push_bytes) {
        throw std::logic_error(fmt::format(
            "kernel {} takes {} buffers and {} bytes of push constants, not {} and {}", kernel_impl.name,
            kernel_impl.storage_buffers, kernel_impl.push_bytes, bindings.size(), push.size_bytes()));
    }
    if (state.bound_pipeline != *kernel_impl.pipeline) {
        state.commands.bindPipeline(vk::PipelineBindPoint::eCompute, *kernel_impl.pipeline);
        state.bound_pipeline = *kernel_impl.pipeline;
    }
    std::vector<vk::DescriptorBufferInfo> content;
    for (const BoundRange& range : bindings)
        content.emplace_back(*range.buffer->impl().buffer, range.offset, range.bytes);
    if (!content.empty() && (state.set_layout != *kernel_impl.set_layout || state.set_content != content)) {
        const vk::DescriptorSet set = state.allocate_set(*kernel_impl.set_layout);
        std::vector<vk::WriteDescriptorSet> writes;
        for (std::uint32_t i = 0; i < content.size(); ++i)
            writes.emplace_back(set, i, 0, vk::DescriptorType::eStorageBuffer, nullptr, content[i]);
        state.core->device.updateDescriptorSets(writes, {});
        state.commands.bindDescriptorSets(vk::PipelineBindPoint::eCompute, *kernel_impl.pipeline_layout, 0,
                                          set, {});
        state.set_layout = *kernel_impl.set_layout;
        state.set_content = std::move(content);
    }
    if (!push.empty())
        state.commands.pushConstants<std::uint32_t>(
            *kernel_impl.pipeline_layout, vk::ShaderStageFlagBits::eCompute, 0,
            vk::ArrayProxy<const std::uint32_t>(static_cast<std::uint32_t>(push.size()), push.data()));
    const auto along = [&](unsigned dimension) {
        return static_cast<std::uint32_t>(workgroups.along(dimension));
    };
    state.commands.dispatch(along(0), along(1), along(2));
}

void Commands::barrier(Ordering ordering) {
    impl_->require_recording();
    vk::PipelineStageFlags before = Stage::eComputeShader, after = before;
    // Only writes need a source access mask. That a write waits for an earlier read follows from the stages.
    vk::AccessFlags src_access = Access::eShaderWrite;
    vk::AccessFlags dst_access = Access::eShaderRead | Access::eShaderWrite;
    if (ordering == Ordering::all) {
        before |= Stage::eTransfer;
        after = before;
        src_access |= Access::eTransferWrite;
        dst_access |= Access::eTransferRead | Access::eTransferWrite;
    }
    impl_->commands.pipelineBarrier(before, after, {}, vk::MemoryBarrier(src_access, dst_access), {}, {});
}

std::uint32_t Commands::timestamp() {
    Impl& state = *impl_;
    state.require_recording();
    if (state.timestamps == max_timestamps)
        throw std::logic_error(
            fmt::format("Commands: more than {} timestamps in one submission", max_timestamps));
    const std::uint32_t number = state.timestamps++;
    if (state.core->limits().timestamp_valid_bits == 0) return number;

    // Few submissions take many, so the queries are reset in blocks, each as long as all before it: a reset
    // of all took a validation layer more than the rest of a short submission.
    if (number == 0 || (number >= first_timestamps && std::has_single_bit(number)))
        state.commands.resetQueryPool(*state.queries, number, std::max(number, first_timestamps));
    // Orders execution only: a missing memory dependency of the caller stays a hazard that validation
    // reports.
    const auto wait_for_everything = [&] {
        state.commands.pipelineBarrier(Stage::eAllCommands, Stage::eAllCommands, {}, {}, {}, {});
    };
    // All timestamps use one stage, so that a difference does not include the time between two stages.
    wait_for_everything();
    state.commands.writeTimestamp(Stage::eAllCommands, *state.queries, number);
    wait_for_everything();
    return number;
}

bool Commands::submit_and_wait(std::chrono::nanoseconds timeout, WaitMode waiting) {
    Impl& state = *impl_;
    state.require_recording();
    DeviceCore& core = *state.core;
    state.is_recording = false;
    try {
        // A fence orders device work only; host reads also need this barrier.
        const vk::MemoryBarrier for_host(Access::eMemoryWrite, Access::eHostRead);
        state.commands.pipelineBarrier(Stage::eAllCommands, Stage::eHost, {}, for_host, {}, {});
        state.commands.end();
        const vk::SubmitInfo submission({}, {}, *state.commands);
        {
            const std::lock_guard lock(core.queue_mutex);
            core.queue.submit(submission, *state.finished);
        }
        const Stopwatch stopwatch;
        const bool ended = state.wait(timeout, waiting);
        state.waiting_ns = 1e6 * stopwatch.spent().cpu_ms;
        if (!ended) {
            core.is_hung = true;
            return false;
        }
        core.device.resetFences(*state.finished);
        state.ticks.assign(state.timestamps, 0);
        if (state.timestamps > 0 && core.limits().timestamp_valid_bits > 0) {
            // No wait flag: the fence guarantees the results, and such a wait could not be interrupted.
            constexpr std::size_t size = sizeof(std::uint64_t);
            const vk::Result result =
                (*core.device)
                    .getQueryPoolResults(*state.queries, 0, state.timestamps, state.ticks.size() * size,
                                         state.ticks.data(), size, vk::QueryResultFlagBits::e64,
                                         core.dispatcher());
            if (result != vk::Result::eSuccess)
                throw std::runtime_error("vkGetQueryPoolResults: " + vk::to_string(result));
        }
    } catch (const vk::DeviceLostError& error) {
        throw std::runtime_error(fmt::format(
            "{} was lost ({}): the driver stopped it, most often because a kernel ran too long or accessed "
            "memory out of bounds",
            core.limits().device_name, error.what()));
    }
    return true;
}

double Commands::waiting_ns() const {
    return impl_->waiting_ns;
}

double Commands::nanoseconds(std::uint32_t from, std::uint32_t to) const {
    const Limits& limits = impl_->core->limits();
    if (limits.timestamp_valid_bits == 0) return 0;
    if (std::max(from, to) >= impl_->ticks.size())
        throw std::logic_error("Commands: the last submission has no such timestamp");
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - limits.timestamp_valid_bits);
    return static_cast<double>((impl_->ticks[to] - impl_->ticks[from]) & mask) * limits.timestamp_period_ns;
}

}  // namespace gridstride::gpu
