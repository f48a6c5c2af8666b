// Records in a file that is only ever added to. Each says how long it is and has a checksum, so that where a
// process or a disk ended in the middle of one, all before it still counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gridstride {

/// Longer ones are taken for damage.
inline constexpr std::size_t max_record_bytes = std::size_t{64} << 20;

/// As it stands in the file: kind, length and CRC-32 (zlib's, of kind, length and bytes), then the bytes.
std::string journal_record(std::uint32_t kind, std::string_view bytes);

/// What read_journal() did not read.
struct UnreadRecords {
    std::size_t damaged = 0;       ///< records with whole ones after them
    std::size_t bytes_at_end = 0;  ///< after the last whole record; how many records they were is not known
    bool operator==(const UnreadRecords&) const = default;
};
/// Hands over the records that are whole. A damaged one is skipped by its length; where the length is damaged
/// too, nothing after it is read.
UnreadRecords read_journal(std::string_view records,
                           const std::function<void(std::uint32_t kind, std::string_view bytes)>& take);

}  // namespace gridstride
