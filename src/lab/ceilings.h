// The device's measured peak rates, to which each run's rates are compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "gpu/device.h"
#include "launch/limits.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// Size of the measured transfers, if the device has the memory. Smaller ones may come from a cache.
inline constexpr std::uint64_t transfer_bytes = std::uint64_t{64} << 20;

/// The cache file, with one entry for each device and driver version.
std::filesystem::path ceilings_file();

/// Loads the ceilings of this device and driver. Those that were never needed are 0. Returns nullopt if the
/// file has none, or is damaged; a damaged file is set aside.
std::optional<Ceilings> load_ceilings(const Limits& device, const std::filesystem::path& file);
/// Stores the ceilings. Those at 0 do not replace what the file has. Errors are only logged: the next start
/// measures again.
void store_ceilings(const Limits& device, const Ceilings& ceilings, const std::filesystem::path& file);

/// Returns the groups with which the metrics of a run and find_run_limits() compare it and its trace.
std::vector<CeilingGroup> needed_ceilings(const Report& report);

/// Measures groups of ceilings on the device and stores them: the best of several rounds over memory much
/// larger than a cache. Takes up to half a second for each. Returns them and the others of `known`.
Ceilings measure_ceilings(const gpu::Device& device, std::span<const CeilingGroup> groups, Ceilings known,
                          const std::filesystem::path& file);

}  // namespace gridstride::lab
