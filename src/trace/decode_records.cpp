#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "trace/sort.h"
#include "trace/trace.h"

namespace gridstride::trace {

namespace {

[[noreturn]] void throw_unreadable(const std::string& what) {
    throw std::runtime_error("The trace cannot be read: " + what + " Trace the run again.");
}

struct RecordReader {
    const Trace& trace;
    std::span<const std::uint32_t> in;  ///< all words, head included

    bool has_lost_records() const { return trace.lost > 0 || in[words::lost] > 0; }

    std::vector<Record> read() const {
        if (in.size() < words::head)
            throw_unreadable(
                fmt::format("it has {} words, fewer than the {} of its head.", in.size(), +words::head));
        if (in[words::counting] != 0) throw_unreadable("it holds counts of records instead of records.");
        const std::size_t record_count = std::min(in[words::used], in[words::capacity]);
        if (record_count > (in.size() - words::head) / words::length)
            throw_unreadable(fmt::format("its head announces {} records, but its words hold {}.",
                                         record_count, (in.size() - words::head) / words::length));
        std::vector<Record> records;
        records.reserve(record_count);
        std::uint32_t request = 0;
        for (std::size_t i = 0; i < record_count; ++i) {
            const std::size_t at = words::head + i * words::length;
            const std::uint32_t number = in[at + words::site] & 0xFFFFU;
            if (number >= trace.sites.size() || trace.sites[number].kind == SiteKind::branch)
                throw_unreadable(fmt::format("word {} refers to place {} of the kernel, which has {}.", at,
                                             number, trace.sites.size()));
            records.push_back(record(at, number, trace.sites[number]));
            const bool begins_request = !trace.ballots || in[at + words::invocation] >> 31 != 0;
            if (begins_request) request = static_cast<std::uint32_t>(i);
            records.back().request = request;
        }
        return records;
    }

    /// `dispatch` holds the word `slice` until concatenate_dispatches() replaces it.
    Record record(std::size_t at, std::uint32_t number, const Site& site) const {
        const auto word = [&](words::Record which) { return in[at + which]; };
        const std::uint32_t invocation_word = word(words::invocation);
        Record record;
        record.site = number;
        record.out_of_bounds_mask = word(words::site) >> 16;
        record.workgroup = word(words::workgroup);
        record.invocation = static_cast<std::uint16_t>(invocation_word & 0xFFFU);
        record.lane = static_cast<std::uint16_t>(invocation_word >> 12 & 0x7FU);
        record.subgroup = static_cast<std::uint16_t>(invocation_word >> 19 & 0xFFFU);
        record.dispatch = word(words::slice);
        record.sequence = word(words::sequence);
        record.epoch = word(words::epoch);
        record.subgroup_epoch = word(words::subgroup_epoch);
        record.offset = word(words::offset);
        if (record.workgroup < trace.first_workgroup || record.workgroup > trace.last_workgroup)
            throw_unreadable(fmt::format("word {} refers to workgroup {}; {} to {} were traced.", at,
                                         record.workgroup, trace.first_workgroup, trace.last_workgroup));
        if (record.invocation >= trace.workgroup.product())
            throw_unreadable(fmt::format("word {} refers to invocation {} of a workgroup of {}.", at,
                                         record.invocation, trace.workgroup.product()));
        if (trace.subgroup_size > 0 && record.lane >= trace.subgroup_size)
            throw_unreadable(fmt::format("word {} refers to lane {} of a subgroup of {}.", at, record.lane,
                                         trace.subgroup_size));
        if (record.epoch > record.subgroup_epoch || record.subgroup_epoch > record.sequence)
            throw_unreadable(fmt::format("word {} counts more barriers than earlier records.", at));
        if (is_access(site) && site.space == MemorySpace::buffer) {
            if (site.binding >= trace.buffers.size())
                throw_unreadable(fmt::format("line {} of the kernel uses binding {}; {} were bound.",
                                             site.line, site.binding, trace.buffers.size()));
            const TracedBuffer& buffer = trace.buffers[site.binding];
            if (buffer.is_sliced) record.offset += record.dispatch * buffer.slice_bytes;
        }
        const std::size_t words =
            site.kind == SiteKind::barrier ? 2 : value_words(site) * (site.adds ? 2U : 1U);
        for (std::size_t i = 0; i < std::min(words, record.value.size()); ++i)
            record.value.at(i) = in[at + words::values + i];
        return record;
    }
};

/// Replaces the first element of each dispatch by the number of the dispatch, and makes the epochs run on
/// from one dispatch to the next, alike in all workgroups.
void concatenate_dispatches(std::vector<Record>& records) {
    std::vector<std::uint32_t> order = make_indices(records.size());
    sort_by(order, [&](std::uint32_t i) { return records[i].dispatch; });
    std::uint32_t dispatch = 0, epoch = 0, subgroup_epoch = 0;
    for_each_run(
        0, order.size(),
        [&](std::size_t a, std::size_t b) {
            return records[order[a]].dispatch == records[order[b]].dispatch;
        },
        [&](std::size_t begin, std::size_t end) {
            std::uint32_t epochs = 0, subgroup_epochs = 0;
            for (std::size_t i = begin; i < end; ++i) {
                Record& record = records[order[i]];
                epochs = std::max(epochs, record.epoch + 1);
                subgroup_epochs = std::max(subgroup_epochs, record.subgroup_epoch + 1);
                record.dispatch = dispatch;
                record.epoch += epoch;
                record.subgroup_epoch += subgroup_epoch;
            }
            ++dispatch;
            epoch += epochs;
            subgroup_epoch += subgroup_epochs;
        });
}

bool same_invocation(const Record& a, const Record& b) {
    return a.workgroup == b.workgroup && a.invocation == b.invocation;
}

}  // namespace

bool has_access(const Trace& trace) {
    if (!trace.words) return false;
    const std::span<const std::uint32_t> in = trace.words->as<std::uint32_t>();
    for (std::size_t at = words::head; at + words::length <= in.size(); at += words::length)
        if (const std::uint32_t number = in[at + words::site] & 0xFFFFU;
            number < trace.sites.size() && is_access(trace.sites[number]))
            return true;
    return false;
}

std::vector<Record> decode_records(const Trace& trace) {
    if (!trace.reason.empty() && !trace.words) return {};
    if (!trace.words || trace.words->type() != ElementType::u32) throw_unreadable("it has no words.");
    constexpr std::uint64_t max_invocations = 1 << 12;  // 12 bits of the word `invocation`
    if (trace.workgroup.product() > max_invocations)
        throw_unreadable(fmt::format("its workgroups have {} invocations, more than the limit of {}.",
                                     trace.workgroup.product(), max_invocations));
    const RecordReader reader{trace, trace.words->as<std::uint32_t>()};
    std::vector<Record> records = reader.read();
    concatenate_dispatches(records);

    std::vector<std::uint32_t> order = make_indices(records.size());
    sort_by(order, [&](std::uint32_t i) { return records[i].sequence; });
    sort_by(order, [&](std::uint32_t i) { return records[i].dispatch; });
    sort_by(order, [&](std::uint32_t i) { return records[i].invocation; });
    sort_by(order, [&](std::uint32_t i) { return records[i].workgroup; });

    const bool lost = reader.has_lost_records();
    std::vector<Record> sorted;
    sorted.reserve(records.size());
    std::uint32_t earlier_records = 0;  // records of the invocation in earlier dispatches
    const Record* previous = nullptr;
    for (const std::uint32_t i : order) {
        const Record& record = records[i];
        const bool continues_invocation = previous && same_invocation(*previous, record);
        const bool same_dispatch = continues_invocation && previous->dispatch == record.dispatch;
        const std::uint32_t expected = same_dispatch ? previous->sequence + 1 : 0;
        if (record.sequence < expected || (!lost && record.sequence != expected))
            throw_unreadable(
                fmt::format("invocation {} of workgroup {} continues with record {} instead of record {}.",
                            record.invocation, record.workgroup, record.sequence, expected));
        if (!continues_invocation)
            earlier_records = 0;
        else if (!same_dispatch)
            earlier_records = sorted.back().sequence + 1;
        sorted.push_back(record);
        sorted.back().sequence += earlier_records;
        previous = &record;
    }
    return sorted;
}

}  // namespace gridstride::trace
