#include "trace/requests.h"

#include <algorithm>
#include <utility>

#include "trace/sort.h"

namespace gridstride::trace {

namespace {

/// Returns for each record a number that is equal within a request: the recorded one, or how often its
/// invocation executed the site since the last barrier of its subgroup.
std::vector<std::uint32_t> request_keys(const Trace& trace, std::span<const Record> records) {
    std::vector<std::uint32_t> turns(records.size());
    if (trace.ballots) {
        std::ranges::transform(records, turns.begin(), &Record::request);
        return turns;
    }
    struct Count {
        std::uint32_t interval = 0;
        std::uint32_t executions = 0;
    };
    std::vector<Count> counts(trace.sites.size());
    std::uint32_t interval = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const Record& record = records[i];
        const bool same_invocation = i > 0 && records[i - 1].workgroup == record.workgroup &&
                                     records[i - 1].invocation == record.invocation &&
                                     records[i - 1].subgroup_epoch == record.subgroup_epoch;
        if (!same_invocation) ++interval;
        Count& count = counts[record.site];
        if (count.interval != interval) count = {interval, 0};
        turns[i] = count.executions++;
    }
    return turns;
}

}  // namespace

Requests group_requests(const Trace& trace, std::span<const Record> records) {
    const std::vector<std::uint32_t> turns = request_keys(trace, records);
    Requests requests;
    std::vector<std::uint32_t>& order = requests.records;
    for (std::uint32_t i = 0; i < records.size(); ++i)
        if (is_access(trace.sites[records[i].site])) order.push_back(i);
    sort_by(order, [&](std::uint32_t i) { return records[i].lane; });
    sort_by(order, [&](std::uint32_t i) { return turns[i]; });
    sort_by(order, [&](std::uint32_t i) { return records[i].subgroup_epoch; });
    sort_by(order, [&](std::uint32_t i) { return records[i].site; });
    sort_by(order, [&](std::uint32_t i) { return records[i].subgroup; });
    sort_by(order, [&](std::uint32_t i) { return records[i].workgroup; });

    const auto same_place = [](const auto& a, const auto& b) {
        return a.workgroup == b.workgroup && a.subgroup == b.subgroup && a.site == b.site;
    };
    const auto together = [&](std::size_t a, std::size_t b) {
        const Record& one = records[order[a]];
        const Record& other = records[order[b]];
        return same_place(one, other) && one.subgroup_epoch == other.subgroup_epoch &&
               turns[order[a]] == turns[order[b]];
    };
    for_each_run(0, order.size(), together, [&](std::size_t begin, std::size_t end) {
        const Record& record = records[order[begin]];
        const bool again = !requests.all.empty() && same_place(requests.all.back(), record);
        const std::uint32_t execution = again ? requests.all.back().execution + 1 : 0;
        requests.all.push_back(
            {record.site, record.workgroup, record.subgroup, execution, begin, end - begin});
    });
    return requests;
}

Sectors count_sectors(const Site& site, std::span<const Record> records,
                      std::span<const std::uint32_t> request) {
    std::vector<std::uint64_t> offsets;
    for (const std::uint32_t i : request)
        offsets.push_back(records[i].offset);
    std::sort(offsets.begin(), offsets.end());  // at most 128 lanes
    Sectors sectors;
    std::uint64_t bytes_end = 0, sectors_end = 0;  // end of what is counted already
    for (const std::uint64_t offset : offsets) {
        const std::uint64_t end = offset + std::max<std::uint64_t>(site.bytes, 1);
        if (end > bytes_end) sectors.bytes += end - std::max(offset, bytes_end);
        bytes_end = std::max(bytes_end, end);
        const std::uint64_t first = offset / sector_bytes, last = (end - 1) / sector_bytes + 1;
        if (last > sectors_end) sectors.fetched += last - std::max(first, sectors_end);
        sectors_end = std::max(sectors_end, last);
    }
    sectors.min_fetched = (sectors.bytes + sector_bytes - 1) / sector_bytes;
    return sectors;
}

std::optional<BankTurns> count_bank_turns(const Trace& trace, const Site& site,
                                          std::span<const Record> records,
                                          std::span<const std::uint32_t> request) {
    constexpr std::uint64_t word_bytes = 4, max_bytes = 1024;
    if (trace.banks == 0 || trace.banks > BankTurns::max_banks || site.bytes > max_bytes) return std::nullopt;
    // A part is served together: some of the lanes with all their words, or all lanes with their n-th word.
    const bool by_lanes = site.bytes == 8 || site.bytes == 16;
    const std::uint64_t parts = std::max<std::uint64_t>(site.bytes / word_bytes, 1);
    const std::uint64_t lanes = std::max<std::uint64_t>(trace.subgroup_size / parts, 1);
    BankTurns banks;
    std::vector<std::uint64_t> word_indices;
    for (std::uint64_t part = 0; part < parts; ++part) {
        word_indices.clear();
        for (const std::uint32_t i : request) {
            const std::uint64_t first = records[i].offset / word_bytes;
            if (by_lanes && std::min<std::uint64_t>(records[i].lane / lanes, parts - 1) == part)
                for (std::uint64_t word = 0; word < parts; ++word)
                    word_indices.push_back(first + word);
            if (!by_lanes) word_indices.push_back(first + part);
        }
        if (word_indices.empty()) continue;
        std::sort(word_indices.begin(), word_indices.end());
        word_indices.erase(std::unique(word_indices.begin(), word_indices.end()), word_indices.end());
        std::array<std::uint16_t, BankTurns::max_banks> words{};
        for (const std::uint64_t word : word_indices)
            ++words.at(word % trace.banks);
        for (std::size_t bank = 0; bank < trace.banks; ++bank)
            banks.words.at(bank) = static_cast<std::uint16_t>(banks.words.at(bank) + words.at(bank));
        banks.turns += *std::max_element(words.begin(), words.end());
        banks.min_turns += static_cast<std::uint32_t>((word_indices.size() + trace.banks - 1) / trace.banks);
    }
    return banks;
}

}  // namespace gridstride::trace
