#include "lab/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/shared_file.h"
#include "base/statistics.h"
#include "base/text.h"
#include "base/utc_time.h"
#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "gpu/kernel.h"
#include "lab/kernel_cache.h"
#include "shader/kernel_store.h"
#include "storage/notices.h"
#include "storage/saved_file.h"

namespace gridstride::lab {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr auto submit_timeout = std::chrono::seconds(20);
/// An idle GPU needs this long to raise its clocks; it keeps them up while it has work.
constexpr auto warm_up_time = std::chrono::milliseconds(400);
/// The time per ceiling. The best round counts, and many short rounds are more likely to include it.
constexpr auto round_time = std::chrono::milliseconds(80);
constexpr int min_rounds = 4;

constexpr std::uint64_t MiB = 1 << 20;
constexpr std::uint32_t copy_workgroup_size = 256;
/// Fits in the last-level cache of a GPU, and exceeds the caches of its multiprocessors.
constexpr std::uint64_t cached_bytes = 8 * MiB;
/// Bytes that a loading kernel reads per iteration: four loads of 16 bytes.
constexpr double bytes_per_iteration = 64;

std::uint64_t copy_size(const Limits& device) {
    const std::uint64_t preferred_bytes = device.is_cpu ? 64 * MiB : 1024 * MiB;
    return std::min(preferred_bytes, device.memory_bytes / 8) & ~std::uint64_t{15};
}

/// The best grid for a copy depends on the device, so several are tried: from one that fills the device once
/// to one with a single load for each invocation.
std::vector<std::uint32_t> copy_grids(const Limits& limits, std::uint32_t quads) {
    if (limits.is_cpu) return {64};
    const auto capped = [&](std::uint32_t loads_per_invocation) {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(quads / (loads_per_invocation * copy_workgroup_size), limits.max_grid.x));
    };
    std::vector<std::uint32_t> grids = {1024, 4096};
    if (limits.multiprocessors > 0) grids = {limits.multiprocessors * 8, limits.multiprocessors * 16};
    grids.push_back(capped(4));
    grids.push_back(capped(1));
    return grids;
}

class Measurement {
 public:
    explicit Measurement(const gpu::Device& device)
        : device_(device),
          limits_(device.limits()),
          bytes_(copy_size(limits_)),
          from_(device, bytes_, gpu::MemoryKind::device),
          to_(device, bytes_, gpu::MemoryKind::device),
          commands_(device) {
        commands_.begin();
        // Commits the memory of both buffers. Not zeros, because some devices compress those.
        commands_.fill(from_, 0, bytes_, 0x9E3779B9u);
        commands_.fill(to_, 0, bytes_, 0x7F4A7C15u);
        finish();
    }

    void measure(std::span<const CeilingGroup> groups, Ceilings& ceilings) {
        warm_up();
        for (const CeilingGroup group : groups)
            measure(group, ceilings);
    }

 private:
    void measure(CeilingGroup group, Ceilings& ceilings) {
        switch (group) {
            case CeilingGroup::copies:
                ceilings.copy_bytes_per_second = copy();
                return;
            case CeilingGroup::transfers:
                return measure_transfers(ceilings);
            case CeilingGroup::mapped_memory:
                return measure_mapped(ceilings);
            case CeilingGroup::launches:
                ceilings.empty_dispatch_ns = empty_dispatch_ns();
                ceilings.empty_submit_ns = empty_submit_ns();
                return;
            case CeilingGroup::arithmetic:
                return measure_arithmetic(ceilings);
            case CeilingGroup::cache:
                ceilings.cache_bytes_per_second = read_cached();
                return;
            case CeilingGroup::workgroup_memory:
                ceilings.workgroup_memory_bytes_per_second =
                    kernel_rate("ceilings/read_workgroup", {to()}, bytes_per_iteration, iterations());
                return;
            case CeilingGroup::barriers:
                ceilings.barriers_per_second =
                    kernel_rate("ceilings/barriers", {}, 1.0 / copy_workgroup_size, iterations());
                return;
            case CeilingGroup::atomics:
                ceilings.atomics_per_second = atomics((1 << 20) - 1);
                ceilings.contended_atomics_per_second = atomics(0);
                return;
            case CeilingGroup::latencies:
                ceilings.latencies = latencies();
        }
    }

    void finish() {
        if (!commands_.submit_and_wait(submit_timeout))
            throw std::runtime_error(
                fmt::format("The device did not finish a measurement of its ceilings in {} s. Close other "
                            "programs that use it, or update its driver.",
                            submit_timeout.count()));
    }

    void warm_up() {
        if (limits_.is_cpu) return;
        for (const Clock::time_point since = Clock::now(); Clock::now() - since < warm_up_time;)
            device_ns(1, [&] { commands_.copy(from_, 0, to_, 0, bytes_); });
    }

    /// Returns the minimum of several rounds, in nanoseconds.
    static double best_time(const std::function<double()>& round) {
        const Clock::time_point since = Clock::now();
        double best = round();
        for (int rounds = 1; rounds < min_rounds || Clock::now() - since < round_time; ++rounds)
            best = std::min(best, round());
        return best;
    }

    /// Returns the device time of one repeat of the commands of record(), which run after those of untimed().
    double device_ns(
        int repeats, const std::function<void()>& record, const std::function<void()>& untimed = [] {}) {
        commands_.begin();
        untimed();
        commands_.barrier(gpu::Ordering::all);
        const Clock::time_point start = Clock::now();
        const std::uint32_t first = commands_.timestamp();
        for (int repeat = 0; repeat < repeats; ++repeat) {
            if (repeat > 0) commands_.barrier(gpu::Ordering::all);
            record();
        }
        const std::uint32_t last = commands_.timestamp();
        finish();
        const double ns = commands_.nanoseconds(first, last);
        return (ns > 0 ? ns : nanoseconds_since(start)) / repeats;
    }

    double best_rate(double amount, int repeats, const std::function<void()>& record) {
        return amount / best_time([&] { return device_ns(repeats, record); }) * 1e9;
    }

    /// Like best_rate(), of host work, by the host's clock.
    static double best_host_rate(double amount, const std::function<void()>& work) {
        return amount * 1e9 / best_time([&] {
                   const Clock::time_point start = Clock::now();
                   work();
                   return nanoseconds_since(start);
               });
    }

    gpu::Kernel kernel(const char* name, std::uint32_t buffers, std::uint32_t extra_words = 0) {
        return gpu::Kernel(device_, shader::load_kernel(name), name, buffers,
                           static_cast<std::uint32_t>((launch_words + extra_words) * sizeof(std::uint32_t)),
                           std::array<std::uint32_t, 3>{copy_workgroup_size, 1, 1});
    }

    double copy() {
        const double moved_bytes = 2.0 * static_cast<double>(bytes_);
        const int repeats = limits_.is_cpu ? 1 : 4;
        double best = best_rate(moved_bytes, repeats, [&] { commands_.copy(from_, 0, to_, 0, bytes_); });
        const gpu::Kernel copier = kernel("ceilings/copy", 2);
        const std::vector<gpu::BoundRange> bindings = {{&from_, 0, bytes_}, {&to_, 0, bytes_}};
        const auto quads = static_cast<std::uint32_t>(bytes_ / 16);
        for (const std::uint32_t workgroups : copy_grids(limits_, quads)) {
            const LaunchWords push = make_launch_words(quads, workgroups);
            best = std::max(best, best_rate(moved_bytes, repeats, [&] {
                                commands_.dispatch(copier, bindings, push, {workgroups});
                            }));
        }
        return best;
    }

    void measure_transfers(Ceilings& ceilings) {
        const std::uint64_t bytes = std::min(transfer_bytes, bytes_);
        const auto amount = static_cast<double>(bytes);
        std::vector<std::byte> pageable(bytes, std::byte{0x5A});
        {
            gpu::Buffer staging(device_, bytes, gpu::MemoryKind::upload);
            const auto send = [&] { commands_.copy(staging, 0, to_, 0, bytes); };
            std::memcpy(staging.mapped().data(), pageable.data(), bytes);
            ceilings.staged_upload_bytes_per_second = best_rate(amount, 1, send);
            ceilings.pageable_upload_bytes_per_second = best_host_rate(amount, [&] {
                std::memcpy(staging.mapped().data(), pageable.data(), bytes);
                submit(send);
            });
        }
        gpu::Buffer staging(device_, bytes, gpu::MemoryKind::download);
        const auto fetch = [&] { commands_.copy(from_, 0, staging, 0, bytes); };
        ceilings.staged_download_bytes_per_second = best_rate(amount, 1, fetch);
        ceilings.pageable_download_bytes_per_second = best_host_rate(amount, [&] {
            submit(fetch);
            std::memcpy(pageable.data(), staging.mapped().data(), bytes);
        });
    }

    void submit(const std::function<void()>& record) {
        commands_.begin();
        record();
        finish();
    }

    void measure_mapped(Ceilings& ceilings) {
        // The host-visible part of a GPU's memory may be small: 256 MiB, shared with other processes.
        const std::uint64_t bytes = std::min(32 * MiB, bytes_);
        std::optional<gpu::Buffer> mapped;
        try {
            mapped.emplace(device_, bytes, gpu::MemoryKind::mapped);
        } catch (const std::runtime_error&) {
            return;  // the device has no such memory, or none left
        }
        const std::vector<std::byte> pageable(bytes, std::byte{0x5A});
        ceilings.mapped_write_bytes_per_second = best_host_rate(static_cast<double>(bytes), [&] {
            std::memcpy(mapped->mapped().data(), pageable.data(), bytes);
        });
        const gpu::Kernel reader = kernel("ceilings/read", 2);
        const auto quads = static_cast<std::uint32_t>(bytes / 16);
        const std::vector<gpu::BoundRange> bindings = {{&*mapped, 0, bytes}, {&to_, 0, bytes}};
        const std::uint32_t workgroups = copy_grids(limits_, quads).front();
        const LaunchWords push = make_launch_words(quads, workgroups);
        const auto read = [&] { commands_.dispatch(reader, bindings, push, {workgroups}); };
        // The cache can hold the whole buffer (50 MB on an H200), so a large copy evicts it first.
        const auto empty_cache = [&] { commands_.copy(from_, 0, to_, 0, bytes_); };
        ceilings.mapped_read_bytes_per_second =
            static_cast<double>(bytes) * 1e9 / best_time([&] { return device_ns(1, read, empty_cache); });
    }

    /// Returns how many workgroups fill the device several times.
    std::uint32_t filling_workgroups() const {
        return limits_.is_cpu ? 32 : limits_.multiprocessors > 0 ? limits_.multiprocessors * 16 : 2048;
    }

    /// Returns the rate, per second, of a kernel that moves or computes `amount` in each loop iteration of an
    /// invocation.
    double kernel_rate(const char* name, std::vector<gpu::BoundRange> bindings, double amount,
                       std::uint32_t iterations, std::span<const std::uint32_t> parameters = {},
                       int repeats = 1) {
        const gpu::Kernel measured = kernel(name, static_cast<std::uint32_t>(bindings.size()),
                                            static_cast<std::uint32_t>(parameters.size()));
        const std::uint32_t workgroups = filling_workgroups();
        const LaunchWords launch = make_launch_words(iterations, workgroups);
        std::vector<std::uint32_t> push(launch.begin(), launch.end());
        push.insert(push.end(), parameters.begin(), parameters.end());
        return best_rate(amount * iterations * copy_workgroup_size * workgroups, repeats,
                         [&] { commands_.dispatch(measured, bindings, push, {workgroups}); });
    }

    gpu::BoundRange from() const { return {&from_, 0, bytes_}; }
    gpu::BoundRange to() const { return {&to_, 0, bytes_}; }

    /// Returns the loop iterations of a measuring kernel. With 64, a launch takes 60 ms on two CPU cores.
    std::uint32_t iterations() const { return limits_.is_cpu ? 64 : 1024; }

    double read_cached() {
        const auto cached_quads = static_cast<std::uint32_t>(std::min(cached_bytes, bytes_) / 16);
        return kernel_rate("ceilings/read_cached", {from(), to()}, bytes_per_iteration,
                           std::min(iterations(), 256U), std::array{std::bit_floor(cached_quads)});
    }

    /// Returns the rate of atomic additions. mask: the last word that they go to, a power of two minus one.
    double atomics(std::uint32_t mask) {
        constexpr std::uint32_t additions = 8;
        return kernel_rate("ceilings/atomics", {to()}, 1, additions, std::array{mask});
    }

    std::vector<LoadLatency> latencies() {
        constexpr std::uint64_t min_footprint = std::uint64_t{4} << 10, line_bytes = 128;
        constexpr std::uint32_t loads = 8192;
        const gpu::Kernel writer = kernel("ceilings/cycle", 1), chaser = kernel("ceilings/chase", 2);
        const std::array<gpu::BoundRange, 2> bindings = {{{&from_, 0, bytes_}, {&to_, 0, bytes_}}};
        const std::span<const gpu::BoundRange> cycle = std::span(bindings).first(1);
        std::vector<LoadLatency> measured;
        for (std::uint64_t footprint = min_footprint; footprint <= bytes_; footprint *= 4) {
            const auto lines = static_cast<std::uint32_t>(footprint / line_bytes);
            const std::uint32_t workgroups = divide_up(std::min(lines, 65536U), copy_workgroup_size);
            commands_.begin();
            commands_.fill(to_, 0, sizeof(std::uint32_t), 0);  // where the first launch begins
            commands_.dispatch(writer, cycle, make_launch_words(lines, workgroups), {workgroups});
            finish();
            const double ns = best_time([&] {
                return device_ns(
                    1, [&] { commands_.dispatch(chaser, bindings, make_launch_words(loads, 1), {1}); });
            });
            measured.push_back({footprint, ns / loads});
        }
        return measured;
    }

    void measure_arithmetic(Ceilings& ceilings) {
        // Multiply-adds converge to 1, which is neither 0 nor infinite.
        constexpr std::array factor_and_summand = {std::bit_cast<std::uint32_t>(0.9999F),
                                                   std::bit_cast<std::uint32_t>(0.0001F)};
        constexpr double operations_an_iteration = 64, byte_operations_per_iteration = 256;
        ceilings.operations_per_second =
            arithmetic_rate("ceilings/fma.f32", operations_an_iteration, factor_and_summand);
        if (limits_.float16)
            ceilings.half_operations_per_second =
                arithmetic_rate("ceilings/fma.f16", operations_an_iteration, factor_and_summand);
        if (limits_.integer_dot) {
            constexpr std::array bytes = {0x01FF7F80U};
            ceilings.byte_operations_per_second =
                arithmetic_rate("ceilings/dot", byte_operations_per_iteration, bytes);
        }
    }

    double arithmetic_rate(const char* name, double operations_an_iteration,
                           std::span<const std::uint32_t> parameters) {
        constexpr std::uint32_t iterations = 1024;
        return kernel_rate(name, {{&to_, 0, bytes_}}, operations_an_iteration, iterations, parameters,
                           limits_.is_cpu ? 1 : 4);
    }

    double empty_dispatch_ns() {
        constexpr int dispatches = 500;
        const gpu::Kernel empty = kernel("ceilings/empty", 0);
        const LaunchWords push = make_launch_words(1, 1);
        return best_time(
            [&] { return device_ns(dispatches, [&] { commands_.dispatch(empty, {}, push, {1}); }); });
    }

    double empty_submit_ns() {
        constexpr int submissions = 101;
        std::vector<double> times;
        for (int i = 0; i < submissions; ++i) {
            const Clock::time_point start = Clock::now();
            commands_.begin();
            finish();
            times.push_back(nanoseconds_since(start));
        }
        return median(times);
    }

    const gpu::Device& device_;
    const Limits& limits_;
    std::uint64_t bytes_;
    gpu::Buffer from_, to_;
    gpu::Commands commands_;
};

std::string device_key(const Limits& device) {
    return device.device_name + " | " + device.driver_version;
}

/// Files of version 1 have no version member: each member is a device.
constexpr SavedFormat ceilings_format{"The devices' ceilings", 1, "; they are measured again",
                                      std::uintmax_t{1} << 20};
/// Writers hold the file's lock for a few milliseconds.
constexpr std::chrono::seconds cache_lock_timeout{2};

/// Parses the entry of one device. A member that it does not have is 0. Throws FileError if one has an
/// impossible value.
Ceilings parse_ceilings(const std::string& device, const Json& entry) {
    const auto refuse = [&](std::string_view what) {
        throw FileError(fmt::format("{} of the device {} is missing or damaged", what, quote_text(device)));
    };
    Ceilings ceilings;
    for (const CeilingMember& member : ceiling_members) {
        const auto value = entry.find(member.id);
        if (value == entry.end()) continue;  // an earlier version did not measure it
        double& ceiling = ceilings.*member.value;
        ceiling = value->is_number() ? value->get<double>() : -1;
        if (!std::isfinite(ceiling) || ceiling < 0) refuse(member.id);
    }
    if (const auto latencies = entry.find("latencies"); latencies != entry.end()) {
        if (!latencies->is_array()) refuse("latencies");
        for (const Json& latency : *latencies) {
            if (!latency.is_array() || latency.size() != 2 || !latency[0].is_number_unsigned() ||
                !latency[1].is_number())
                refuse("latencies");
            ceilings.latencies.push_back({latency[0].get<std::uint64_t>(), latency[1].get<double>()});
        }
    }
    const auto measured_utc = entry.find("measured_utc");
    if (measured_utc == entry.end() || !measured_utc->is_string()) refuse("measured_utc");
    ceilings.measured_utc = measured_utc->get<std::string>();
    return ceilings;
}

Json make_entry(const Ceilings& ceilings) {
    Json entry = Json::object();
    for (const CeilingMember& member : ceiling_members)
        entry[member.id] = ceilings.*member.value;
    for (const LoadLatency& latency : ceilings.latencies)
        entry["latencies"].push_back({latency.footprint_bytes, latency.ns});
    entry["measured_utc"] = ceilings.measured_utc;
    return entry;
}

/// Reads the entries of all devices. Throws FileError if a newer version wrote the file, or it is something
/// else.
Json read_all(const std::filesystem::path& file, const Descriptor* lock = nullptr) {
    Json all = Json::object();
    const auto parse = [&](const Json& json) {
        all = json;
        all.erase("schema_version");
        for (const auto& [device, entry] : all.items())
            parse_ceilings(device, entry);
    };
    return read_saved_file(file, ceilings_format, parse, lock) ? std::move(all) : Json::object();
}

}  // namespace

std::filesystem::path ceilings_file() {
    return cache_directory() / "ceilings.json";
}

std::optional<Ceilings> load_ceilings(const Limits& device, const std::filesystem::path& file) {
    Json all;
    try {
        all = read_all(file);
    } catch (const FileError& error) {
        notify_user(fmt::format("{} The device's ceilings are measured at every start until it is removed.",
                                error.what()));
        return std::nullopt;
    }
    const auto found = all.find(device_key(device));
    if (found == all.end()) return std::nullopt;
    Ceilings ceilings = parse_ceilings(found.key(), *found);
    // An earlier version measured f32 only.
    if ((device.float16 && ceilings.half_operations_per_second <= 0) ||
        (device.integer_dot && ceilings.byte_operations_per_second <= 0))
        ceilings.operations_per_second = 0;
    return ceilings;
}

void store_ceilings(const Limits& device, const Ceilings& ceilings, const std::filesystem::path& file) {
    const std::string key = device_key(device);
    try {
        parse_ceilings(key, make_entry(ceilings));
        create_folders(file.parent_path());
        const std::optional<Descriptor> lock = lock_file(file, cache_lock_timeout);
        if (!lock) throw FileError("another process holds its lock");
        Json all = read_all(file, &*lock);
        Ceilings merged = ceilings;
        if (const auto found = all.find(key); found != all.end())
            add_missing(merged, parse_ceilings(key, *found));
        all[key] = make_entry(merged);
        write_file(file, all.dump(2) + "\n");
    } catch (const std::exception& error) {
        log_debug(fmt::format("the ceilings were not cached: {}", error.what()));
    }
}

std::vector<CeilingGroup> needed_ceilings(const Report& report) {
    std::vector<CeilingGroup> groups = {CeilingGroup::copies, CeilingGroup::transfers,
                                        CeilingGroup::launches};
    const auto add_if = [&](bool is_needed, CeilingGroup group) {
        if (is_needed) groups.push_back(group);
    };
    add_if(report.operations > 0, CeilingGroup::arithmetic);
    // The roofline has a line of the cache.
    add_if(report.operations > 0 || report.cache.from_cache(), CeilingGroup::cache);
    if (!report.trace) return groups;
    const auto any_site = [&](auto has) { return std::ranges::any_of(report.trace->sites, has); };
    using trace::MemorySpace, trace::Site, trace::SiteKind;
    const auto in_buffer = [](const Site& site, SiteKind kind) {
        return site.kind == kind && site.space == MemorySpace::buffer;
    };
    add_if(any_site([](const Site& site) { return is_access(site) && site.space == MemorySpace::workgroup; }),
           CeilingGroup::workgroup_memory);
    add_if(any_site(
               [](const Site& site) { return site.kind == SiteKind::barrier && !site.is_subgroup_barrier; }),
           CeilingGroup::barriers);
    add_if(any_site([&](const Site& site) { return in_buffer(site, SiteKind::atomic); }),
           CeilingGroup::atomics);
    add_if(any_site([&](const Site& site) { return in_buffer(site, SiteKind::load); }),
           CeilingGroup::latencies);
    return groups;
}

Ceilings measure_ceilings(const gpu::Device& device, std::span<const CeilingGroup> groups, Ceilings known,
                          const std::filesystem::path& file) {
    Measurement(device).measure(groups, known);
    known.measured_utc = utc_now();
    store_ceilings(device.limits(), known, file);
    return known;
}

}  // namespace gridstride::lab
