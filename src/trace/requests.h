// Memory requests: the accesses that the lanes of a subgroup issue together, and their cost by the models of
// the vendors' guides (NVIDIA, "CUDA C++ Programming Guide", compute capabilities; "CUDA C++ Best Practices
// Guide", coalesced access). Addresses and lanes are traced; sectors, banks and turns are modelled.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

/// The n-th execution of one site by one subgroup. If the device supports ballots, the active lanes are
/// recorded. Otherwise each lane's executions are counted between two barriers of the subgroup, and equal
/// counts form a request; a request never spans a barrier.
struct Request {
    std::uint32_t site = 0;
    std::uint32_t workgroup = 0;
    std::uint16_t subgroup = 0;
    std::uint32_t execution = 0;       ///< of this site by this subgroup, from 0
    std::size_t first = 0, count = 0;  ///< range in Requests::records
};

/// All requests, ordered by workgroup, subgroup, site and execution. Barriers are excluded.
struct Requests {
    std::vector<Request> all;
    std::vector<std::uint32_t> records;  ///< each request's records by lane: indices into decode_records()

    std::span<const std::uint32_t> of(const Request& request) const {
        return std::span(records).subspan(request.first, request.count);
    }
};
/// Groups the records of accesses, which decode_records() returned, into requests of subgroups.
Requests group_requests(const Trace& trace, std::span<const Record> records);

/// The sectors of 32 bytes that a request to a storage buffer fetches. The buffer is assumed to be aligned to
/// a sector.
struct Sectors {
    std::uint64_t fetched = 0;
    std::uint64_t min_fetched = 0;  ///< the fewest sectors that hold as many bytes
    std::uint64_t bytes = 0;        ///< distinct bytes that the lanes requested
};
constexpr std::uint64_t sector_bytes = 32;
Sectors count_sectors(const Site& site, std::span<const Record> records,
                      std::span<const std::uint32_t> request);

/// The turns that a request to workgroup memory takes. In a turn each bank delivers one word, to all lanes
/// that request it. Accesses of 8 bytes are served in two halves of the lanes and those of 16 bytes in four
/// quarters; a part without lanes takes no turn. For other sizes the first words of all lanes are served,
/// then the second.
struct BankTurns {
    static constexpr std::size_t max_banks = 64;
    std::array<std::uint16_t, max_banks> words{};  ///< distinct words per bank, summed over the parts
    std::uint32_t turns = 0;
    std::uint32_t min_turns = 0;  ///< the fewest turns for as many distinct words
};
/// Returns nullopt if banks are not modelled for this device, or for an access of this size.
std::optional<BankTurns> count_bank_turns(const Trace& trace, const Site& site,
                                          std::span<const Record> records,
                                          std::span<const std::uint32_t> request);

}  // namespace gridstride::trace
