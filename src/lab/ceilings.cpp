#include "lab/ceilings.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "gpu/buffer.h"
#include "gpu/commands.h"

namespace gridstride::lab {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// Much larger than any last-level cache where there is memory for it.
std::uint64_t copy_size(const Limits& device) {
    const std::uint64_t wanted = device.is_cpu ? std::uint64_t{64} << 20 : std::uint64_t{1} << 30;
    return std::min(wanted, device.memory_bytes / 8) & ~std::uint64_t{15};
}

std::string key_of(const Limits& device) { return device.device_name + " | " + device.driver_version; }

Json load_all(const std::filesystem::path& file) {
    try {
        Json all = Json::parse(read_file(file));
        if (all.is_object()) return all;
    } catch (const std::exception&) {
        // Never measured, or damaged: both mean to measure again.
    }
    return Json::object();
}

}  // namespace

Ceilings measure_ceilings(gpu::Device& device) {
    const std::uint64_t bytes = copy_size(device.limits());
    const gpu::Buffer from(device, bytes, gpu::MemoryKind::device);
    const gpu::Buffer to(device, bytes, gpu::MemoryKind::device);
    gpu::Commands commands(device);
    constexpr auto patience = std::chrono::seconds(20);

    commands.begin();
    // Real memory behind both, and not zeros: some devices compress those.
    commands.fill(from, 0, bytes, 0x9E3779B9u);
    commands.fill(to, 0, bytes, 0x7F4A7C15u);
    if (!commands.submit_and_wait(patience)) throw std::runtime_error("The device did not finish a copy of its own memory in 20 s.");

    constexpr int rounds = 10;
    const int copies_a_round = device.limits().is_cpu ? 1 : 4;
    double best = 0;
    for (int round = 0; round < rounds; ++round) {
        commands.begin();
        const Clock::time_point start = Clock::now();
        const std::uint32_t first = commands.timestamp();
        for (int copy = 0; copy < copies_a_round; ++copy) {
            if (copy > 0) commands.barrier(gpu::Ordering::all);
            commands.copy(from, 0, to, 0, bytes);
        }
        const std::uint32_t last = commands.timestamp();
        if (!commands.submit_and_wait(patience)) throw std::runtime_error("The device did not finish a copy of its own memory in 20 s.");
        double ns = commands.nanoseconds(first, last);
        if (ns <= 0) ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
        best = std::max(best, 2.0 * static_cast<double>(bytes) * copies_a_round / ns * 1e9);
    }
    return {best};
}

std::optional<Ceilings> load_ceilings(const Limits& device, const std::filesystem::path& file) {
    const Json all = load_all(file);
    const auto found = all.find(key_of(device));
    if (found == all.end() || !found->is_object()) return std::nullopt;
    const double copy = found->value("copy_bytes_per_second", 0.0);
    if (!(copy > 0)) return std::nullopt;
    return Ceilings{copy};
}

void store_ceilings(const Limits& device, const Ceilings& ceilings, const std::filesystem::path& file) {
    Json all = load_all(file);
    all[key_of(device)] = {{"copy_bytes_per_second", ceilings.copy_bytes_per_second}};
    try {
        std::filesystem::create_directories(file.parent_path());
        write_file(file, all.dump(2) + "\n");
    } catch (const std::exception& error) {
        spdlog::debug("the ceilings were not cached: {}", error.what());
    }
}

}  // namespace gridstride::lab
