#include "lab/plan_memory.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/elapsed.h"
#include "lab/judge.h"

namespace gridstride::lab {

PlanMemory::OnHost PlanMemory::on_host(const Plan& plan) {
    OnHost wanted;
    // elements: those to copy; 0: all.
    const auto want = [&](std::size_t buffer, HostMemory memory, const std::string& array,
                          std::uint64_t elements, std::uint64_t& staging) {
        const BufferSpec& spec = plan.buffers[buffer];
        const std::uint64_t bytes = spec.bound_bytes();
        const std::uint64_t copied = elements > 0 ? elements * byte_size(spec.type) : bytes;
        if (memory == HostMemory::pageable) staging = std::min(staging + copied, staging_limit);
        if (memory == HostMemory::pinned) wanted.pinned[array] = bytes;
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

namespace {

gpu::MemoryKind kind_of(bool mapped) {
    // Kernels reach host memory over the bus. It is of kind `download` because the host reads the results
    // there.
    return mapped ? gpu::MemoryKind::download : gpu::MemoryKind::device;
}

}  // namespace

void PlanMemory::find_places() {
    std::map<std::tuple<std::size_t, std::uint64_t, std::uint64_t>, std::size_t> known;
    std::map<std::size_t, std::vector<const Placed*>> in_block;  // one of each place
    for (Placed& placed : buffers) {
        const auto [entry, is_new] =
            known.try_emplace({placed.block, placed.offset, placed.bytes}, known.size());
        placed.place = entry->second;
        if (is_new) in_block[placed.block].push_back(&placed);
    }
    overlaps.resize(known.size());
    for (const auto& [block, places] : in_block)
        for (const Placed* a : places)
            for (const Placed* b : places)
                if (a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
                    overlaps[a->place].push_back(b->place);
}

void PlanMemory::add_block(std::string name, std::uint64_t bytes, bool is_guarded, bool is_mapped) {
    const std::uint64_t guard = is_guarded ? alignment_ : 0;
    blocks.push_back({std::move(name), gpu::Buffer(device_, bytes + 2 * guard, kind_of(is_mapped)), bytes,
                      is_mapped, guard});
}

PlanMemory::PlanMemory(const gpu::Device& device, const Plan& plan)
    : device_(device),
      specs_(plan.buffers),
      on_host_(on_host(plan)),
      alignment_(std::max({guard_bytes, arena_alignment, device.limits().binding_alignment})) {
    const auto start = std::chrono::steady_clock::now();
    if (const std::uint64_t bytes = arena_bytes(plan); bytes > 0) add_block("the arena", bytes, true, false);
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const BufferSpec& spec = plan.buffers[i];
        if (!spec.place) add_block(spec.name, spec.bound_bytes(), spec.output, on_host_.mapped.contains(i));
        const std::size_t block = spec.place ? 0 : blocks.size() - 1;
        buffers.push_back({block, blocks[block].guard + spec.place.value_or(0), spec.bound_bytes(), 0});
    }
    find_places();
    if (on_host_.up > 0) upload.emplace(device, on_host_.up, gpu::MemoryKind::upload);
    if (on_host_.down > 0) download.emplace(device, on_host_.down, gpu::MemoryKind::download);
    for (const auto& [array, bytes] : on_host_.pinned)
        pinned.emplace(array, gpu::Buffer(device, bytes, gpu::MemoryKind::download));
    const auto guarded = std::ranges::count_if(blocks, [](const Block& block) { return block.guard > 0; });
    if (guarded > 0)
        guards.emplace(device, static_cast<std::uint64_t>(guarded) * 2 * guard_bytes,
                       gpu::MemoryKind::download);
    allocate_ns = nanoseconds_since(start);
}

bool PlanMemory::fits(const gpu::Device& device, const Plan& plan) const {
    return device_ == device && specs_ == plan.buffers && on_host_ == on_host(plan);
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
    const Placed& placed = buffers[buffer];
    if (set == 0) return {&blocks[placed.block].buffer, placed.offset, placed.bytes};
    return {&further_[placed.block], (set - 1) * stride(placed.block) + placed.offset, placed.bytes};
}

std::uint64_t PlanMemory::sets_beyond(std::uint64_t cache_bytes, const Limits& limits) const {
    const std::uint64_t used = working_set_bytes();
    std::uint64_t taken = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        taken += stride(i);
    const std::uint64_t wanted = (2 * cache_bytes + used - 1) / used;
    const std::uint64_t most = limits.memory_bytes / 4 / taken;  // leaves memory to others
    return std::max<std::uint64_t>(1, std::min(wanted, most));
}

void PlanMemory::allocate_sets(std::uint64_t count) {
    sets = 1;
    further_.clear();
    if (count <= 1) return;
    std::vector<gpu::Buffer> made;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        made.emplace_back(device_, (count - 1) * stride(i), kind_of(blocks[i].mapped));
    further_ = std::move(made);
    sets = count;
}

void PlanMemory::record_copies(gpu::Commands& commands) const {
    for (std::size_t i = 0; i < further_.size(); ++i)
        commands.copy(blocks[i].buffer, 0, further_[i], 0, blocks[i].buffer.bytes());
    // The filled part doubles each time: a few large copies instead of many small ones.
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
