// Records in an append-only file. Each has its length and a checksum, so that a record cut short by a crash
// does not affect those before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gridstride {

/// A longer record is treated as damaged.
inline constexpr std::size_t max_record_bytes = std::size_t{64} << 20;

/// Returns the record's bytes in the file: kind, length, CRC-32 (zlib's, of kind, length and bytes), then the
/// bytes.
std::string journal_record(std::uint32_t kind, std::string_view bytes);

/// The part of a journal that could not be read.
struct UnreadRecords {
    std::size_t damaged = 0;       ///< damaged records followed by intact ones
    std::size_t bytes_at_end = 0;  ///< bytes after the last intact record
    bool operator==(const UnreadRecords&) const = default;
};
/// Calls take for each intact record. A damaged record is skipped by its length; if the length is damaged
/// too, reading stops.
UnreadRecords read_journal(std::string_view records,
                           const std::function<void(std::uint32_t kind, std::string_view bytes)>& handle);

}  // namespace gridstride
