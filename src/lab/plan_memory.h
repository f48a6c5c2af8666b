// The device memory of a plan: its buffers with their guards, staging, and further copies of the buffers for
// timings that caches must not help.
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

/// Copies between host and device pass through staging memory of at most this size, piece by piece.
inline constexpr std::uint64_t staging_limit = std::uint64_t{64} << 20;

constexpr std::uint64_t round_up_16(std::uint64_t bytes) {
    return (bytes + 15) & ~std::uint64_t{15};
}

struct PlanMemory {
    /// A piece of device memory: the arena, or one buffer of the plan.
    struct Block {
        std::string name;
        gpu::Buffer buffer;
        std::uint64_t data_bytes;  ///< of the plan's buffers in it
        bool mapped;               ///< it is the host's own memory
        std::uint64_t guard;       ///< bytes at each end; 0: nobody guards what only the host writes
    };
    struct Placed {
        std::size_t block;
        std::uint64_t offset;  ///< of the data in the block
        std::uint64_t bytes;   ///< as it is bound
        std::size_t place;     ///< buffers in the very same bytes have the same, counted from 0
    };
    std::vector<Block> blocks;
    std::vector<Placed> buffers;  ///< in the plan's order
    /// By place: those with which it has bytes in common, itself among them.
    std::vector<std::vector<std::size_t>> overlaps;
    std::optional<gpu::Buffer> upload, download, guards;
    std::map<std::string, gpu::Buffer> pinned;  ///< by name of the host array that lies there
    std::uint64_t sets = 1;                     ///< copies of the blocks, themselves among them
    double allocate_ns = 0;                     ///< what it took to make all this, the sets left out

    /// Throws std::runtime_error when the memory cannot be had.
    PlanMemory(const gpu::Device& device, const Plan& plan);

    /// Whether it would be made the same for this plan.
    bool fits(const gpu::Device& device, const Plan& plan) const;

    std::uint64_t working_set_bytes() const;  ///< of the blocks' data

    /// The data of a buffer in one of the sets.
    gpu::BoundRange range(std::size_t buffer, std::uint64_t set = 0) const;

    /// How many sets are wanted so that going round them exceeds a cache of so many bytes: twice its size,
    /// because caches do not always drop what was used longest ago. Less when memory is short.
    std::uint64_t sets_beyond(std::uint64_t cache_bytes, const Limits& limits) const;
    /// Makes the sets; what is in them is up to record_copies(). Throws std::runtime_error when the memory
    /// cannot be had; then there is one set, as before.
    void allocate_sets(std::uint64_t count);
    /// Records what fills the further sets with what the buffers hold now.
    void record_copies(gpu::Commands& commands) const;

 private:
    /// Which memory a plan wants on the host, and which of its buffers lie there.
    struct OnHost {
        std::uint64_t up = 0, down = 0;               ///< bytes of staging; 0: none is needed
        std::map<std::string, std::uint64_t> pinned;  ///< bytes by name of the host array
        std::set<std::size_t> mapped;                 ///< buffers of the plan
        bool operator==(const OnHost&) const = default;
    };
    static OnHost on_host(const Plan& plan);

    gpu::Device device_;
    std::vector<BufferSpec> specs_;
    OnHost on_host_;
    std::uint64_t alignment_;
    std::vector<gpu::Buffer> further_;  ///< by block: the sets beyond the first, one after another

    void find_places();
    void add_block(std::string name, std::uint64_t bytes, bool is_guarded, bool is_mapped);
    std::uint64_t stride(std::size_t block) const;  ///< from one set's bytes in further_ to the next one's
};

}  // namespace gridstride::lab
