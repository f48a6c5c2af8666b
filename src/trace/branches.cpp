#include "trace/branches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

namespace gridstride::trace {

namespace {

/// Word `word` of a mask of 128 lanes.
Lanes lanes_of(std::uint32_t bits, std::size_t word) {
    return Lanes(bits) << (32 * word);
}

class BranchDecoder {
 public:
    explicit BranchDecoder(const Trace& trace) : trace_(trace) {
        for (std::uint32_t i = 0; i < trace.sites.size(); ++i)
            if (trace.sites[i].kind == SiteKind::branch) sites_.push_back(i);
    }

    std::vector<BranchExecution> decode() {
        if (!trace_.branch_words) return {};
        const std::uint32_t length = words::branch_record_length(trace_.subgroup_size);
        if (trace_.branch_words->type() != ElementType::u32 || trace_.branch_words->count() % length != 0)
            throw std::runtime_error("The trace's branches cannot be read. Trace the run again.");
        const std::span<const std::uint32_t> all = trace_.branch_words->as<std::uint32_t>();
        for (std::size_t at = 0; at < all.size(); at += length)
            add(all.subspan(at, length));
        std::ranges::stable_sort(executions_, {}, [](const BranchExecution& one) {
            return std::tuple(one.workgroup, one.subgroup);
        });
        std::map<std::tuple<std::uint32_t, std::uint16_t, std::uint32_t>, std::uint32_t> counts;
        for (BranchExecution& one : executions_)
            one.execution = counts[{one.workgroup, one.subgroup, one.site}]++;
        return std::move(executions_);
    }

 private:
    void add(std::span<const std::uint32_t> in) {
        const std::uint32_t invocation_word = in[words::invocation], invocation = invocation_word & 0xFFFU,
                            lane = invocation_word >> 12 & 0x7FU;
        BranchExecution one;
        one.workgroup = in[words::workgroup];
        one.subgroup = static_cast<std::uint16_t>(invocation_word >> 19 & 0xFFFU);
        one.earlier_records = in[words::earlier_records];
        const bool is_valid = in[words::site] < sites_.size() && one.workgroup >= trace_.first_workgroup &&
                              one.workgroup <= trace_.last_workgroup &&
                              invocation < trace_.workgroup.product();
        if (!is_valid)
            throw std::runtime_error(fmt::format(
                "The trace's branches cannot be read: one refers to branch {} of {} and to invocation "
                "{} of workgroup {}. Trace the run again.",
                in[words::site], sites_.size(), invocation, one.workgroup));
        one.site = sites_[in[words::site]];
        if (!trace_.ballots) return add_lane(one, invocation, lane, in);
        one.active = lanes_of(in[words::active], 0);
        one.taken = lanes_of(in[words::taken], 0);
        for (std::size_t word = 0; word < 3 && in.size() > words::branch_length; ++word) {
            one.active |= lanes_of(in[words::more_active + word], word + 1);
            one.taken |= lanes_of(in[words::more_taken + word], word + 1);
        }
        one.taken &= one.active;
        executions_.push_back(one);
    }

    /// Adds the record of one lane to the execution with the same count.
    void add_lane(BranchExecution one, std::uint32_t invocation, std::uint32_t lane,
                  std::span<const std::uint32_t> in) {
        const std::uint32_t slice = in[words::slice], epoch = in[words::branch_subgroup_epoch];
        const std::uint32_t count = counts_[{one.workgroup, invocation, one.site, slice, epoch}]++;
        const auto [found, is_new] = executions_by_count_.try_emplace(
            std::tuple(one.workgroup, one.subgroup, one.site, slice, epoch, count), executions_.size());
        if (is_new) executions_.push_back(one);
        BranchExecution& all = executions_[found->second];
        all.active.set(lane);
        if (in[words::taken] != 0) all.taken.set(lane);
    }

    const Trace& trace_;
    std::vector<std::uint32_t> sites_;  ///< of the branches
    std::vector<BranchExecution> executions_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>,
             std::uint32_t>
        counts_;  ///< by workgroup, invocation, site, slice and epoch
    std::map<
        std::tuple<std::uint32_t, std::uint16_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>,
        std::size_t>
        executions_by_count_;  ///< of executions_, by workgroup, subgroup, site, slice, epoch and count
};

}  // namespace

std::vector<BranchExecution> decode_branches(const Trace& trace) {
    return BranchDecoder(trace).decode();
}

std::vector<std::uint64_t> count_executions(const Trace& trace, std::span<const Record> records) {
    std::vector<std::uint64_t> counts(trace.sites.size());
    for (const Record& record : records)
        ++counts[record.site];
    for (const BranchExecution& branch : decode_branches(trace))
        counts[branch.site] += branch.active.count();
    return counts;
}

}  // namespace gridstride::trace
