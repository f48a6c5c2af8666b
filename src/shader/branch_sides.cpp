#include "shader/branch_sides.h"

#include <algorithm>

namespace gridstride::shader {

std::set<std::uint32_t> branch_targets(const Instruction& i) {
    switch (opcode_of(i)) {
        case spv::OpBranch:
            return {word_at(i, 1)};
        case spv::OpBranchConditional:
            return {word_at(i, 2), word_at(i, 3)};
        case spv::OpSwitch: {
            std::set<std::uint32_t> targets{word_at(i, 2)};
            for (std::size_t at = 4; at < i.size(); at += 2)
                targets.insert(i[at]);
            return targets;
        }
        default:
            return {};
    }
}

BranchSides::BranchSides(const SpirvModule& module) {
    std::set<std::uint32_t> joins;                      // merge and continue blocks
    std::map<std::uint32_t, std::uint32_t> only_jumps;  // by label: the target of a block without other code
    std::uint32_t label = 0;
    bool is_empty = false;
    for (const Instruction& i : module.instructions()) {
        for (const std::uint32_t target : branch_targets(i))
            ++predecessors_[target];
        switch (opcode_of(i)) {
            case spv::OpFunctionEnd:
                function_ends_.insert(position_of_.size());
                break;
            case spv::OpLabel:
                label = word_at(i, 1);
                position_of_.emplace(label, position_of_.size());
                is_empty = true;
                break;
            case spv::OpLine:
                if (label != 0) first_lines_.try_emplace(label, i);
                break;
            case spv::OpNoLine:
                break;
            case spv::OpLoopMerge:
                loop_merges_.insert(word_at(i, 1));
                if ((word_at(i, 3) & spv::LoopControlUnrollMask) != 0) unrolled_merges_.insert(word_at(i, 1));
                joins.insert(word_at(i, 2));
                [[fallthrough]];
            case spv::OpSelectionMerge:
                joins.insert(word_at(i, 1));
                is_empty = false;
                break;
            case spv::OpBranch:
                if (is_empty) only_jumps[label] = word_at(i, 1);
                break;
            case spv::OpReturn:
            case spv::OpKill:
            case spv::OpUnreachable:
                if (is_empty) empty_blocks_.insert(label);
                break;
            default:
                is_empty = false;
        }
    }
    for (const auto& [block, target] : only_jumps)
        if (joins.contains(target)) empty_blocks_.insert(block);
}

bool BranchSides::is_of_unrolled_loop(const Instruction& i) const {
    return opcode_of(i) == spv::OpBranchConditional &&
           (unrolled_merges_.contains(word_at(i, 2)) || unrolled_merges_.contains(word_at(i, 3)));
}

Instruction BranchSides::first_line(std::uint32_t label) const {
    const auto found = first_lines_.find(label);
    return found == first_lines_.end() ? Instruction() : found->second;
}

bool BranchSides::has_own_code(std::uint32_t target, std::uint32_t merge) const {
    if (empty_blocks_.contains(target) || loop_merges_.contains(target)) return false;
    const auto found = predecessors_.find(target);
    return target != merge || (found != predecessors_.end() && found->second == 1);
}

void BranchSides::visit(const Instruction& i) {
    switch (opcode_of(i)) {
        case spv::OpFunction:
            open_merges_.clear();
            break;
        case spv::OpLabel:
            label_ = word_at(i, 1);
            while (!open_merges_.empty() && open_merges_.back() == label_)
                open_merges_.pop_back();
            break;
        case spv::OpSelectionMerge:
        case spv::OpLoopMerge:
            open_merges_.push_back(word_at(i, 1));
            break;
        default:
            break;
    }
}

/// Blocks are ordered by nesting: those of a side come before the block where it joins another.
std::optional<std::size_t> BranchSides::add_side(const Instruction& branch, std::uint32_t target,
                                                 std::uint32_t merge) {
    const auto found = position_of_.find(target);
    if (found == position_of_.end() || !has_own_code(target, merge)) return std::nullopt;
    const bool is_inside = merge != 0 && target != merge;
    Side side{{found->second, open_merges_.size() + (is_inside ? 1 : 0)},
              *function_ends_.upper_bound(found->second)};
    std::set<std::uint32_t> ends = branch_targets(branch);
    if (is_inside) ends.insert(merge);
    if (!open_merges_.empty()) ends.insert(open_merges_.back());
    for (const std::uint32_t end : ends)
        if (const auto at = position_of_.find(end); at != position_of_.end() && at->second > found->second)
            side.end = std::min(side.end, at->second);
    sides_.push_back(side);
    return sides_.size() - 1;
}

bool BranchSides::has_access(std::size_t side) const {
    const Side& of = sides_.at(side);
    return std::ranges::any_of(accesses_, [&](const Place& access) {
        return access.position >= of.begin.position && access.position < of.end &&
               access.depth == of.begin.depth;
    });
}

}  // namespace gridstride::shader
