#include "lab/ceilings.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "gpu/kernel.h"
#include "lab/kernel_cache.h"
#include "shader/kernel_store.h"

namespace gridstride::lab {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// Much larger than any last-level cache where there is memory for it.
std::uint64_t copy_size(const Limits& device) {
    const std::uint64_t wanted = device.is_cpu ? std::uint64_t{64} << 20 : std::uint64_t{1} << 30;
    return std::min(wanted, device.memory_bytes / 8) & ~std::uint64_t{15};
}

std::string key_of(const Limits& device) {
    return device.device_name + " | " + device.driver_version;
}

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

namespace {

constexpr auto patience = std::chrono::seconds(20);
constexpr int rounds = 10;
constexpr auto wake_time = std::chrono::milliseconds(400);

void finish(gpu::Commands& commands) {
    if (!commands.submit_and_wait(patience))
        throw std::runtime_error("The device did not finish a copy of its own memory in 20 s.");
}

/// Bytes a second of the best round: what record() puts into the command buffer moves so many bytes.
double best_rate(gpu::Commands& commands, double bytes, int repeats, bool raises_clocks,
                 const std::function<void()>& record) {
    double best = 0;
    // A GPU that was idle needs a while to raise its clocks: rounds go on until they bring nothing new.
    const Clock::time_point since = Clock::now();
    for (int round = 0; round < rounds || (raises_clocks && Clock::now() - since < wake_time); ++round) {
        commands.begin();
        const Clock::time_point start = Clock::now();
        const std::uint32_t first = commands.timestamp();
        for (int repeat = 0; repeat < repeats; ++repeat) {
            if (repeat > 0) commands.barrier(gpu::Ordering::all);
            record();
        }
        const std::uint32_t last = commands.timestamp();
        finish(commands);
        double ns = commands.nanoseconds(first, last);
        if (ns <= 0) ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
        best = std::max(best, bytes * repeats / ns * 1e9);
    }
    return best;
}

}  // namespace

namespace {

/// The best grid for a copy is a matter of the device, so several are tried: from one that fills it once to
/// one that needs one pass over the data.
std::vector<std::uint32_t> copy_grids(const Limits& limits, std::uint32_t one_pass) {
    if (limits.is_cpu) return {64};
    if (limits.multiprocessors == 0) return {1024, 4096, one_pass};
    return {limits.multiprocessors * 8, limits.multiprocessors * 16, one_pass};
}

}  // namespace

Ceilings measure_ceilings(gpu::Device& device) {
    const Limits& limits = device.limits();
    const std::uint64_t bytes = copy_size(limits);
    const gpu::Buffer from(device, bytes, gpu::MemoryKind::device);
    const gpu::Buffer to(device, bytes, gpu::MemoryKind::device);
    gpu::Commands commands(device);

    commands.begin();
    // Real memory behind both, and not zeros: some devices compress those.
    commands.fill(from, 0, bytes, 0x9E3779B9u);
    commands.fill(to, 0, bytes, 0x7F4A7C15u);
    commands.barrier(gpu::Ordering::all);
    finish(commands);

    const double moved = 2.0 * static_cast<double>(bytes);
    const int repeats = limits.is_cpu ? 1 : 4;
    const double by_copy =
        best_rate(commands, moved, repeats, !limits.is_cpu, [&] { commands.copy(from, 0, to, 0, bytes); });

    constexpr std::uint32_t size = 256;
    constexpr std::uint32_t push_bytes = launch_words * sizeof(std::uint32_t);
    const gpu::Kernel kernel(device, shader::load_kernel("ceilings/copy"), "ceilings/copy", 2, push_bytes,
                             size, {});
    const std::vector<gpu::BoundRange> bindings = {{&from, 0, bytes}, {&to, 0, bytes}};
    const auto quads = static_cast<std::uint32_t>(bytes / 16);
    double best = by_copy;
    for (const std::uint32_t workgroups : copy_grids(limits, quads / (4 * size))) {
        const std::vector<std::uint32_t> push = {0, quads, quads, 0, workgroups, 1, 1};
        best = std::max(best, best_rate(commands, moved, repeats, !limits.is_cpu,
                                        [&] { commands.dispatch(kernel, bindings, push, workgroups); }));
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
