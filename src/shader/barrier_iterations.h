// Changes an instrumented kernel to count the iterations of loops around barriers, so that a barrier's record
// shows in which iterations its invocation waits there.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "shader/spirv_module.h"
#include "shader/spirv_writer.h"

namespace gridstride::shader {

class BarrierIterations {
 public:
    /// Both must outlive this object.
    BarrierIterations(const SpirvModule& module, SpirvWriter& out);

    /// Adds code at the beginning of main that resets the counters.
    void begin(std::uint32_t main);
    /// Must be called with each instruction of the instrumented functions, before it is copied.
    void visit(const Instruction& i);
    /// Returns, at a barrier, the ids of two uints: a key that is equal for invocations in the same iteration
    /// of every enclosing loop, including loops in calling functions; and the iteration, from 1, of the
    /// innermost loop of its function, or 0 if there is none.
    std::pair<std::uint32_t, std::uint32_t> iterations();

 private:
    struct Loop {
        std::uint32_t header = 0, merge = 0;  ///< labels
        std::uint32_t counter = 0;            ///< its variable; 0: the loop contains no barrier
    };
    void find_loops_with_barriers();
    std::uint32_t load(std::uint32_t counter) { return out_.add(spv::OpLoad, out_.uints(1), {counter}); }
    void store(std::uint32_t counter, std::uint32_t value);

    const SpirvModule& module_;
    SpirvWriter& out_;
    std::map<std::uint32_t, std::uint32_t> counters_;  ///< variables, by the label of the loop's header
    std::map<std::uint32_t, std::vector<std::uint32_t>> counters_of_function_;  ///< the counters of its loops

    // State of the pass.
    std::uint32_t main_ = 0, function_ = 0, label_ = 0;
    std::vector<Loop> enclosing_loops_;          ///< enclosing loops, the outermost first
    std::vector<std::uint32_t> ended_counters_;  ///< counters of loops that end at this block
};

}  // namespace gridstride::shader
