// The sides of a kernel's branches: the code that runs only for the lanes that go there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "shader/spirv_module.h"

namespace gridstride::shader {

class BranchSides {
 public:
    explicit BranchSides(const SpirvModule& module);

    /// Returns true for the condition of an [[unroll]] loop: all lanes iterate alike, and drivers remove it.
    bool is_of_unrolled_loop(const Instruction& i) const;
    /// Returns the OpLine of the first code of a block; an empty span if it has none.
    Instruction first_line(std::uint32_t label) const;

    /// Must be called with each instruction of the instrumented functions, in order.
    void visit(const Instruction& i);
    /// Adds the side of a branch that begins at `target`. merge: the branch's merge block; 0: it has none.
    /// Returns nullopt if the side has no code except return, break or continue, if it ends a loop, or if the
    /// other lanes come there, too.
    std::optional<std::size_t> add_side(const Instruction& branch, std::uint32_t target, std::uint32_t merge);
    /// Notes that the current instruction accesses memory.
    void add_access() { accesses_.push_back(current_position()); }
    /// Returns true if all lanes of the side access memory: not only those of a further branch.
    bool has_access(std::size_t side) const;

 private:
    struct Place {
        std::size_t position = 0;
        std::size_t depth = 0;  ///< branches and loops around it
    };
    struct Side {
        Place begin;
        std::size_t end = 0;  ///< position
    };
    Place current_position() const { return {position_of_.at(label_), open_merges_.size()}; }
    bool has_own_code(std::uint32_t target, std::uint32_t merge) const;

    std::map<std::uint32_t, std::size_t> position_of_;  ///< by label: its place among all blocks
    std::set<std::size_t> function_ends_;               ///< positions after a function's last block
    std::set<std::uint32_t> empty_blocks_, loop_merges_, unrolled_merges_;
    std::map<std::uint32_t, Instruction> first_lines_;     ///< by label
    std::map<std::uint32_t, std::uint32_t> predecessors_;  ///< by label: how many blocks branch there

    // State of the pass.
    std::uint32_t label_ = 0;
    std::vector<std::uint32_t> open_merges_;  ///< of the branches and loops around, the outermost first
    std::vector<Place> accesses_;
    std::vector<Side> sides_;
};

/// Returns the labels to which a block's last instruction branches; empty for other instructions.
std::set<std::uint32_t> branch_targets(const Instruction& i);

}  // namespace gridstride::shader
