// The device's measured peak rates, to which each run's rates are compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "gpu/device.h"
#include "launch/limits.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// Size of the measured transfers, if the device has the memory. Smaller ones may come from a cache.
inline constexpr std::uint64_t transfer_bytes = std::uint64_t{64} << 20;

/// The cache file, with one entry for each device and driver version.
std::filesystem::path ceilings_file();

/// Loads the ceilings of this device and driver. Returns nullopt if the file has none, or not all of them, or
/// is damaged; a damaged file is set aside.
std::optional<Ceilings> load_ceilings(const Limits& device, const std::filesystem::path& file);
/// Stores the ceilings. Errors are only logged: the next start measures again.
void store_ceilings(const Limits& device, const Ceilings& ceilings, const std::filesystem::path& file);

/// Measures the ceilings on the device and stores them: the best of several rounds over memory much larger
/// than a cache. Takes about two seconds.
Ceilings measure_ceilings(gpu::Device& device, const std::filesystem::path& file);

}  // namespace gridstride::lab
