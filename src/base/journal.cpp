#include "base/journal.h"

#include <zlib.h>

#include <array>
#include <cstring>
#include <utility>

namespace gridstride {

namespace {

/// Kind, length, checksum.
using RecordHead = std::array<std::uint32_t, 3>;

std::uint32_t record_checksum(const RecordHead& head, std::string_view bytes) {
    uLong checksum = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), 2 * sizeof head[0]);
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    return static_cast<std::uint32_t>(checksum);
}

}  // namespace

std::string journal_record(std::uint32_t kind, std::string_view bytes) {
    RecordHead head{kind, static_cast<std::uint32_t>(bytes.size()), 0};
    head[2] = record_checksum(head, bytes);
    std::string record(sizeof head, '\0');
    std::memcpy(record.data(), head.data(), sizeof head);
    return record.append(bytes);
}

UnreadRecords read_journal(std::string_view records,
                           const std::function<void(std::uint32_t kind, std::string_view bytes)>& handle) {
    UnreadRecords unread{.bytes_at_end = records.size()};
    std::size_t damaged_count = 0;  // damaged records since the last intact one
    std::string_view rest = records;
    while (rest.size() >= sizeof(RecordHead)) {
        RecordHead head;
        std::memcpy(head.data(), rest.data(), sizeof head);
        const std::size_t length = head[1];
        if (length > max_record_bytes || length > rest.size() - sizeof head) break;
        const std::string_view bytes = rest.substr(sizeof head, length);
        rest.remove_prefix(sizeof head + length);
        if (record_checksum(head, bytes) != head[2]) {
            ++damaged_count;
            continue;
        }
        handle(head[0], bytes);
        unread.damaged += std::exchange(damaged_count, 0);
        unread.bytes_at_end = rest.size();
    }
    return unread;
}

}  // namespace gridstride
