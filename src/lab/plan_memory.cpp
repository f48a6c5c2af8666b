#include "lab/plan_memory.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/elapsed.h"
#include "lab/judge.h"

namespace gridstride::lab {

PlanMemory::HostMemoryNeeds PlanMemory::host_memory_needs(const Plan& plan) {
    HostMemoryNeeds needs;
    // elements: those to copy; 0: all.
    const auto add_need = [&](std::size_t buffer, HostMemory memory, const std::string& array,
                              std::uint64_t elements, std::uint64_t& staging) {
        const BufferSpec& spec = plan.buffers[buffer];
        const std::uint64_t bytes = spec.bound_bytes();
        const std::uint64_t copied_bytes = elements > 0 ? elements * byte_size(spec.type) : bytes;
        if (memory == HostMemory::pageable) staging = std::min(staging + copied_bytes, staging_limit);
        if (memory == HostMemory::pinned) needs.pinned[array] = bytes;
        if (memory == HostMemory::mapped) needs.mapped.insert(buffer);
    };
    for (const Step& step : plan.steps) {
        if (const auto* upload = std::get_if<Upload>(&step))
            add_need(upload->buffer, upload->memory, upload->input, upload->elements, needs.up);
        if (const auto* download = std::get_if<Download>(&step))
            add_need(download->buffer, download->memory, plan.buffers[download->buffer].name, 0, needs.down);
    }
    return needs;
}

namespace {

gpu::MemoryKind get_memory_kind(bool is_mapped) {
    // Kernels reach host memory over the bus. It is of kind `download` because the host reads the results
    // there.
    return is_mapped ? gpu::MemoryKind::download : gpu::MemoryKind::device;
}

}  // namespace

void PlanMemory::assign_ranges() {
    std::map<std::tuple<std::size_t, std::uint64_t, std::uint64_t>, std::size_t> known;
    std::map<std::size_t, std::vector<const BufferRange*>> ranges_by_block;  // one of each place
    for (BufferRange& buffer_range : buffers) {
        const auto [entry, is_new] =
            known.try_emplace({buffer_range.block, buffer_range.offset, buffer_range.bytes}, known.size());
        buffer_range.range_index = entry->second;
        if (is_new) ranges_by_block[buffer_range.block].push_back(&buffer_range);
    }
    overlaps.resize(known.size());
    for (const auto& [block, places] : ranges_by_block)
        for (const BufferRange* a : places)
            for (const BufferRange* b : places)
                if (a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
                    overlaps[a->range_index].push_back(b->range_index);
}

void PlanMemory::add_block(std::string name, std::uint64_t bytes, bool is_guarded, bool is_mapped) {
    const std::uint64_t guard = is_guarded ? alignment_ : 0;
    blocks.push_back({std::move(name), gpu::Buffer(device_, bytes + 2 * guard, get_memory_kind(is_mapped)),
                      bytes, is_mapped, guard});
}

PlanMemory::PlanMemory(const gpu::Device& device, const Plan& plan)
    : device_(device),
      specs_(plan.buffers),
      host_memory_needs_(host_memory_needs(plan)),
      alignment_(std::max({guard_bytes, arena_alignment, device.limits().binding_alignment})) {
    const auto start = std::chrono::steady_clock::now();
    if (const std::uint64_t bytes = arena_bytes(plan); bytes > 0) add_block("the arena", bytes, true, false);
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const BufferSpec& spec = plan.buffers[i];
        if (!spec.arena_offset)
            add_block(spec.name, spec.bound_bytes(), spec.output, host_memory_needs_.mapped.contains(i));
        const std::size_t block = spec.arena_offset ? 0 : blocks.size() - 1;
        buffers.push_back(
            {block, blocks[block].guard + spec.arena_offset.value_or(0), spec.bound_bytes(), 0});
    }
    assign_ranges();
    if (host_memory_needs_.up > 0) upload.emplace(device, host_memory_needs_.up, gpu::MemoryKind::upload);
    if (host_memory_needs_.down > 0)
        download.emplace(device, host_memory_needs_.down, gpu::MemoryKind::download);
    for (const auto& [array, bytes] : host_memory_needs_.pinned)
        pinned.emplace(array, gpu::Buffer(device, bytes, gpu::MemoryKind::download));
    const auto guarded = std::ranges::count_if(blocks, [](const Block& block) { return block.guard > 0; });
    if (guarded > 0)
        guards.emplace(device, static_cast<std::uint64_t>(guarded) * 2 * guard_bytes,
                       gpu::MemoryKind::download);
    allocate_ns = nanoseconds_since(start);
}

bool PlanMemory::matches(const gpu::Device& device, const Plan& plan) const {
    return device_ == device && specs_ == plan.buffers && host_memory_needs_ == host_memory_needs(plan);
}

std::uint64_t PlanMemory::working_set_bytes() const {
    std::uint64_t bytes = 0;
    for (const Block& block : blocks)
        bytes += block.data_bytes;
    return bytes;
}

std::uint64_t PlanMemory::stride(std::size_t block) const {
    return (blocks[block].buffer.bytes() + alignment_ - 1) / alignment_ * alignment_;
}

gpu::BoundRange PlanMemory::range(std::size_t buffer, std::uint64_t set) const {
    const BufferRange& buffer_range = buffers[buffer];
    if (set == 0) return {&blocks[buffer_range.block].buffer, buffer_range.offset, buffer_range.bytes};
    return {&extra_sets_[buffer_range.block], (set - 1) * stride(buffer_range.block) + buffer_range.offset,
            buffer_range.bytes};
}

std::uint64_t PlanMemory::sets_exceeding(std::uint64_t cache_bytes, const Limits& limits) const {
    const std::uint64_t used_bytes = working_set_bytes();
    std::uint64_t set_bytes = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        set_bytes += stride(i);
    const std::uint64_t needs = (2 * cache_bytes + used_bytes - 1) / used_bytes;
    const std::uint64_t max_sets = limits.memory_bytes / 4 / set_bytes;  // leaves memory to others
    return std::max<std::uint64_t>(1, std::min(needs, max_sets));
}

void PlanMemory::allocate_sets(std::uint64_t count) {
    sets = 1;
    extra_sets_.clear();
    if (count <= 1) return;
    std::vector<gpu::Buffer> copies;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        copies.emplace_back(device_, (count - 1) * stride(i), get_memory_kind(blocks[i].is_mapped));
    extra_sets_ = std::move(copies);
    sets = count;
}

void PlanMemory::record_copies(gpu::Commands& commands) const {
    for (std::size_t i = 0; i < extra_sets_.size(); ++i)
        commands.copy(blocks[i].buffer, 0, extra_sets_[i], 0, blocks[i].buffer.bytes());
    // The filled part doubles each time: a few large copies instead of many small ones.
    for (std::uint64_t copies = 1; copies < sets - 1;) {
        const std::uint64_t more = std::min(copies, sets - 1 - copies);
        commands.barrier(gpu::Ordering::all);
        for (std::size_t i = 0; i < extra_sets_.size(); ++i)
            commands.copy(extra_sets_[i], 0, extra_sets_[i], copies * stride(i), more * stride(i));
        copies += more;
    }
    commands.barrier(gpu::Ordering::all);
}

}  // namespace gridstride::lab
