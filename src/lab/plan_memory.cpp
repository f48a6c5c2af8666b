#include "lab/plan_memory.h"

#include <algorithm>

#include "base/elapsed.h"
#include "lab/judge.h"

namespace gridstride::lab {

PlanMemory::OnHost PlanMemory::on_host(const Plan& plan) {
    OnHost wanted;
    // elements: those that are copied; 0: all.
    const auto want = [&](std::size_t buffer, HostMemory memory, const std::string& array,
                          std::uint64_t elements, std::uint64_t& staging) {
        const BufferSpec& spec = plan.buffers[buffer];
        const std::uint64_t bytes = round_up_16(spec.bytes());
        const std::uint64_t copied = elements > 0 ? elements * byte_size(spec.type) : bytes;
        if (memory == HostMemory::pageable) staging = std::min(staging + copied, staging_limit);
        if (memory == HostMemory::pinned) wanted.pinned[array] = std::max<std::uint64_t>(bytes, 16);
        if (memory == HostMemory::mapped) wanted.mapped.insert(buffer);
    };
    for (const Step& step : plan.steps) {
        if (const auto* upload = std::get_if<Upload>(&step))
            want(upload->buffer, upload->memory, upload->input, upload->elements, wanted.up);
        if (const auto* download = std::get_if<Download>(&step))
            want(download->buffer, download->memory, plan.buffers[download->buffer].name, 0, wanted.down);
    }
    return wanted;
}

PlanMemory::PlanMemory(const gpu::Device& device, const Plan& plan)
    : device_(device),
      specs_(plan.buffers),
      on_host_(on_host(plan)),
      alignment_(std::max(guard_bytes, device.limits().binding_alignment)) {
    const std::uint64_t guard = alignment_;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const BufferSpec& spec = plan.buffers[i];
        const std::uint64_t bytes = std::max<std::uint64_t>(round_up_16(spec.bytes()), 16);
        const std::uint64_t offset = spec.output ? guard : 0;
        buffers.push_back({gpu::Buffer(device, bytes + 2 * offset, kind(i)), offset, bytes});
        if (spec.output) guarded.push_back(i);
    }
    if (on_host_.up > 0) upload.emplace(device, on_host_.up, gpu::MemoryKind::upload);
    if (on_host_.down > 0) download.emplace(device, on_host_.down, gpu::MemoryKind::download);
    for (const auto& [array, bytes] : on_host_.pinned)
        pinned.emplace(array, gpu::Buffer(device, bytes, gpu::MemoryKind::download));
    if (!guarded.empty()) guards.emplace(device, guarded.size() * 2 * guard_bytes, gpu::MemoryKind::download);
    allocate_ns = nanoseconds_since(start);
}

bool PlanMemory::fits(const gpu::Device& device, const Plan& plan) const {
    return device_ == device && specs_ == plan.buffers && on_host_ == on_host(plan);
}

std::uint64_t PlanMemory::working_set_bytes() const {
    std::uint64_t bytes = 0;
    for (const Placed& placed : buffers)
        bytes += placed.bytes;
    return bytes;
}

gpu::MemoryKind PlanMemory::kind(std::size_t buffer) const {
    // The host's own memory, which kernels reach over the bus: the host reads what they wrote there.
    return on_host_.mapped.contains(buffer) ? gpu::MemoryKind::download : gpu::MemoryKind::device;
}

std::uint64_t PlanMemory::stride(std::size_t buffer) const {
    return (buffers[buffer].buffer.bytes() + alignment_ - 1) / alignment_ * alignment_;
}

gpu::BoundRange PlanMemory::range(std::size_t buffer, std::uint64_t set) const {
    const Placed& placed = buffers[buffer];
    if (set == 0) return {&placed.buffer, placed.offset, placed.bytes};
    return {&further_[buffer], (set - 1) * stride(buffer) + placed.offset, placed.bytes};
}

std::uint64_t PlanMemory::sets_beyond(std::uint64_t cache_bytes, const Limits& limits) const {
    const std::uint64_t used = working_set_bytes();
    std::uint64_t taken = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i)
        taken += stride(i);
    const std::uint64_t wanted = (2 * cache_bytes + used - 1) / used;
    const std::uint64_t most = limits.memory_bytes / 4 / taken;  // others want memory too
    return std::max<std::uint64_t>(1, std::min(wanted, most));
}

void PlanMemory::allocate_sets(std::uint64_t count) {
    sets = 1;
    further_.clear();
    if (count <= 1) return;
    std::vector<gpu::Buffer> made;
    for (std::size_t i = 0; i < buffers.size(); ++i)
        made.emplace_back(device_, (count - 1) * stride(i), kind(i));
    further_ = std::move(made);
    sets = count;
}

void PlanMemory::record_copies(gpu::Commands& commands) const {
    for (std::size_t i = 0; i < further_.size(); ++i)
        commands.copy(buffers[i].buffer, 0, further_[i], 0, buffers[i].buffer.bytes());
    // What is there doubles each time: a few large copies in place of many small ones.
    for (std::uint64_t made = 1; made < sets - 1;) {
        const std::uint64_t more = std::min(made, sets - 1 - made);
        commands.barrier(gpu::Ordering::all);
        for (std::size_t i = 0; i < further_.size(); ++i)
            commands.copy(further_[i], 0, further_[i], made * stride(i), more * stride(i));
        made += more;
    }
    commands.barrier(gpu::Ordering::all);
}

}  // namespace gridstride::lab
