// Writes and reads .zip files, in memory: no entry reaches the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace gridstride {

/// The limits of a .zip that is read, after unpacking.
inline constexpr std::size_t max_zip_entries = 10'000;
inline constexpr std::uintmax_t max_zip_bytes = std::uintmax_t{1} << 30;

struct ZipEntry {
    std::string name;
    std::string content;
    std::string problem;  ///< why it was not read; continues a sentence. Empty: it was
};

/// Calls take() for each entry but folders, in the archive's order. An entry with more than max_entry_bytes,
/// an absolute name or one with "..", a link and a device have a problem. Throws FileError for a file that is
/// no .zip or is damaged, and beyond the limits.
void read_zip(const std::filesystem::path& path, std::uintmax_t max_entry_bytes,
              const std::function<void(ZipEntry)>& take);

/// Writes a .zip of files: names and contents. Throws FileError.
void write_zip(const std::filesystem::path& path, const std::map<std::string, std::string>& files);

}  // namespace gridstride
