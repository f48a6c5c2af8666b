// Requests: what the lanes of a subgroup ask of memory together, and what that costs by the models of the
// vendors' guides (NVIDIA, "CUDA C++ Programming Guide", compute capabilities; "CUDA C++ Best Practices
// Guide", coalesced access). Addresses and lanes are recorded; sectors, banks and turns are modelled.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

/// One site of one subgroup at its n-th execution. Which lanes belong to it is recorded where the device has
/// ballots. Else executions are counted lane by lane between two barriers of the subgroup, and those on
/// either side of one are never the same.
struct Request {
    std::uint32_t site = 0;
    std::uint32_t workgroup = 0;
    std::uint16_t subgroup = 0;
    std::uint32_t execution = 0;  ///< of this subgroup at this site, from 0
    std::size_t first = 0, count = 0;
};

/// All but barriers, by workgroup, subgroup, site and execution.
struct Requests {
    std::vector<Request> all;
    std::vector<std::uint32_t> records;  ///< of each request, by lane: places in records_of()

    std::span<const std::uint32_t> of(const Request& request) const {
        return std::span(records).subspan(request.first, request.count);
    }
};
Requests requests_of(const Trace& trace, std::span<const Record> records);

/// What a request to a storage buffer fetches: sectors of 32 bytes, the buffer starting with one.
struct Sectors {
    std::uint64_t fetched = 0;
    std::uint64_t min_fetched = 0;  ///< that hold as many bytes
    std::uint64_t bytes = 0;        ///< that some lane asked for
};
constexpr std::uint64_t sector_bytes = 32;
Sectors sectors_of(const Site& site, std::span<const Record> records, std::span<const std::uint32_t> request);

/// What a request to workgroup memory takes: a bank gives one of its words a turn, to all who ask for it.
/// Accesses of 8 bytes go in two halves of the lanes and those of 16 bytes in four quarters, a part without
/// lanes taking no turn; of other sizes, all lanes' first words go first, then their second ones.
struct BankTurns {
    static constexpr std::size_t max_banks = 64;
    std::array<std::uint16_t, max_banks> words{};  ///< of each bank, distinct ones of each part added
    std::uint32_t turns = 0;
    std::uint32_t min_turns = 0;  ///< that so many distinct words take, however they lie
};
/// nullopt: not modelled for this device, or for an access of this size.
std::optional<BankTurns> bank_turns(const Trace& trace, const Site& site, std::span<const Record> records,
                                    std::span<const std::uint32_t> request);

}  // namespace gridstride::trace
