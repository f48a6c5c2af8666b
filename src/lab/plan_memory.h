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
    struct Placed {
        gpu::Buffer buffer;
        std::uint64_t offset;  ///< of the data: behind the front guard, if there is one
        std::uint64_t bytes;   ///< rounded up to 16
    };
    std::vector<Placed> buffers;  ///< in the plan's order
    std::optional<gpu::Buffer> upload, download, guards;
    std::map<std::string, gpu::Buffer> pinned;  ///< by name of the host array that lies there
    std::vector<std::size_t> guarded;           ///< indices of outputs
    std::uint64_t sets = 1;                     ///< copies of the buffers, themselves among them
    double allocate_ns = 0;                     ///< what it took to make all this, the sets left out

    /// Throws std::runtime_error when the memory cannot be had.
    PlanMemory(const gpu::Device& device, const Plan& plan);

    /// Whether it would be made the same for this plan.
    bool fits(const gpu::Device& device, const Plan& plan) const;

    std::uint64_t working_set_bytes() const;

    /// The data of a buffer in one of the sets.
    gpu::BoundRange range(std::size_t buffer, std::uint64_t set) const;

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
    std::vector<gpu::Buffer> further_;  ///< by buffer: the sets beyond the first, one after another

    gpu::MemoryKind kind(std::size_t buffer) const;
    std::uint64_t stride(std::size_t buffer) const;  ///< from one set's bytes in further_ to the next one's
};

}  // namespace gridstride::lab
