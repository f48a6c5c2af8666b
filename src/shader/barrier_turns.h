// Counts the turns of loops around barriers in a kernel that records, so that a barrier's record tells in
// which turns its invocation waits there.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "shader/spirv_module.h"
#include "shader/spirv_writer.h"

namespace gridstride::shader {

class BarrierTurns {
 public:
    /// Both outlive this.
    BarrierTurns(const SpirvModule& module, SpirvWriter& out);

    /// Where main begins.
    void begin(std::uint32_t main);
    /// Of each instruction of the functions in question, before it is copied.
    void before(const Instruction& i);
    /// At a barrier, ids of two uints: a number that is the same for invocations in the same turn of every
    /// loop around it, also where the loop is in a function that calls this one; and the turn, from 1, of the
    /// innermost loop of its own function, 0 where none is around it.
    std::pair<std::uint32_t, std::uint32_t> turns();

 private:
    struct Loop {
        std::uint32_t header = 0, merge = 0;  ///< labels
        std::uint32_t counter = 0;            ///< its variable; 0: no barrier is in the loop
    };
    void find_loops_with_barriers();
    std::uint32_t load(std::uint32_t counter) { return out_.add(spv::OpLoad, out_.uints(1), {counter}); }
    void store(std::uint32_t counter, std::uint32_t value);

    const SpirvModule& module_;
    SpirvWriter& out_;
    std::map<std::uint32_t, std::uint32_t> counters_;  ///< variables, by the label of the loop's header
    std::map<std::uint32_t, std::vector<std::uint32_t>> of_function_;  ///< the counters of its loops

    // Where the pass is.
    std::uint32_t main_ = 0, function_ = 0, label_ = 0;
    std::vector<Loop> around_;         ///< the outermost first
    std::vector<std::uint32_t> left_;  ///< counters of loops that end where this block begins
};

}  // namespace gridstride::shader
