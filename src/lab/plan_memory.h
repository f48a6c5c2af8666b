// The device memory of a plan: its buffers with their guards, staging memory, and further copies of the
// buffers for timings with a cold cache.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "gpu/device.h"
#include "launch/plan.h"

namespace gridstride::lab {

/// Copies between host and device pass through staging memory of at most this size, in pieces.
inline constexpr std::uint64_t staging_limit = std::uint64_t{64} << 20;

constexpr std::uint64_t round_up_16(std::uint64_t bytes) {
    return (bytes + 15) & ~std::uint64_t{15};
}

struct PlanMemory {
    struct Block {
        std::string name;
        gpu::Buffer buffer;
        std::uint64_t data_bytes;  ///< of the plan's buffers in the block
        bool is_mapped;            ///< the block is host memory
        std::uint64_t guard;       ///< bytes at each end; 0: not guarded, because only the host writes it
    };
    struct BufferRange {
        std::size_t block;
        std::uint64_t offset;     ///< of the data in the block
        std::uint64_t bytes;      ///< rounded up as it is bound
        std::size_t range_index;  ///< index of its byte range; buffers with the same range share it
    };
    std::vector<Block> blocks;
    std::vector<BufferRange> buffers;  ///< in the plan's order
    /// By range_index: the ranges that overlap it, itself included.
    std::vector<std::vector<std::size_t>> overlaps;
    std::optional<gpu::Buffer> upload, download, guards;
    std::map<std::string, gpu::Buffer> pinned;  ///< by name of the host array
    std::uint64_t sets = 1;                     ///< copies of the blocks, including the first
    double allocate_ns = 0;                     ///< of the allocation, without further sets

    /// Throws std::runtime_error if the memory cannot be allocated.
    PlanMemory(const gpu::Device& device, const Plan& plan);

    /// Returns true if this memory can be reused for the plan.
    bool matches(const gpu::Device& device, const Plan& plan) const;

    std::uint64_t working_set_bytes() const;  ///< of the blocks' data

    /// Returns the bytes of a plan's buffer in one set of the rotated copies; set 0 is the original.
    gpu::BoundRange range(std::size_t buffer, std::uint64_t set = 0) const;

    /// Returns how many sets exceed twice a cache of this size: caches do not always evict the least recently
    /// used data. Returns fewer if memory is short.
    std::uint64_t sets_exceeding(std::uint64_t cache_bytes, const Limits& limits) const;
    /// Allocates the sets; record_copies() fills them. Throws std::runtime_error if the memory cannot be
    /// allocated; there is then one set, as before.
    void allocate_sets(std::uint64_t count);
    /// Records commands that fill the further sets with the buffers' current contents.
    void record_copies(gpu::Commands& commands) const;

 private:
    /// The host memory that a plan needs, and the buffers in it.
    struct HostMemoryNeeds {
        std::uint64_t up = 0, down = 0;               ///< bytes of staging memory; 0: none
        std::map<std::string, std::uint64_t> pinned;  ///< bytes by name of the host array
        std::set<std::size_t> mapped;                 ///< buffers of the plan
        bool operator==(const HostMemoryNeeds&) const = default;
    };
    static HostMemoryNeeds host_memory_needs(const Plan& plan);

    gpu::Device device_;
    std::vector<BufferSpec> specs_;
    HostMemoryNeeds host_memory_needs_;
    std::uint64_t alignment_;
    std::vector<gpu::Buffer> extra_sets_;  ///< by block: the sets after the first, contiguous

    void assign_ranges();
    void add_block(std::string name, std::uint64_t bytes, bool is_guarded, bool is_mapped);
    std::uint64_t stride(std::size_t block) const;  ///< between two sets in extra_sets_
};

}  // namespace gridstride::lab
