#include "shader/barrier_iterations.h"

#include <algorithm>
#include <set>

namespace gridstride::shader {

namespace {

/// Blocks are ordered by nesting: those between a loop's header and its merge block belong to the loop.
template <class Loops>
void leave_loops(Loops& enclosing_loops, std::uint32_t label, auto on_leave) {
    while (!enclosing_loops.empty() && enclosing_loops.back().merge == label) {
        on_leave(enclosing_loops.back());
        enclosing_loops.pop_back();
    }
}

}  // namespace

BarrierIterations::BarrierIterations(const SpirvModule& module, SpirvWriter& out)
    : module_(module), out_(out) {
    find_loops_with_barriers();
}

void BarrierIterations::find_loops_with_barriers() {
    struct Call {
        std::uint32_t caller = 0, callee = 0;
        std::vector<std::uint32_t> loops;  ///< headers
    };
    std::map<std::uint32_t, std::uint32_t> function_of;  ///< by header
    std::set<std::uint32_t> functions_with_barriers, loops_with_barriers;
    std::vector<Call> calls;
    std::vector<Loop> enclosing_loops;
    std::uint32_t function = 0, label = 0;
    const auto headers = [&] {
        std::vector<std::uint32_t> all;
        for (const Loop& loop : enclosing_loops)
            all.push_back(loop.header);
        return all;
    };
    const auto add_barrier_in = [&](std::uint32_t in, const std::vector<std::uint32_t>& loops) {
        loops_with_barriers.insert(loops.begin(), loops.end());
        return functions_with_barriers.insert(in).second;
    };
    for (const Instruction& i : module_.instructions()) {
        switch (opcode_of(i)) {
            case spv::OpFunction:
                function = word_at(i, 2);
                enclosing_loops.clear();
                break;
            case spv::OpLabel:
                label = word_at(i, 1);
                leave_loops(enclosing_loops, label, [](const Loop&) {});
                break;
            case spv::OpLoopMerge:
                enclosing_loops.push_back({.header = label, .merge = word_at(i, 1)});
                function_of[label] = function;
                break;
            case spv::OpFunctionCall:
                calls.push_back({function, word_at(i, 3), headers()});
                break;
            case spv::OpControlBarrier:
                if (module_.constants().number(word_at(i, 1)) != spv::ScopeSubgroup)
                    add_barrier_in(function, headers());
                break;
            default:
                break;
        }
    }
    for (bool found = true; found;) {
        found = false;
        for (const Call& call : calls)
            if (functions_with_barriers.contains(call.callee))
                found |= add_barrier_in(call.caller, call.loops);
    }
    const std::uint32_t pointer =
        loops_with_barriers.empty()
            ? 0
            : out_.type(spv::OpTypePointer, {spv::StorageClassPrivate, out_.uints(1)});
    for (const std::uint32_t header : loops_with_barriers) {
        counters_[header] = out_.variable(pointer, spv::StorageClassPrivate);
        counters_of_function_[function_of[header]].push_back(counters_[header]);
    }
}

void BarrierIterations::store(std::uint32_t counter, std::uint32_t value) {
    const std::uint32_t words[] = {3U << spv::WordCountShift | spv::OpStore, counter, value};
    out_.copy(words);
}

void BarrierIterations::begin(std::uint32_t main) {
    main_ = main;
    for (const auto& [header, counter] : counters_)
        store(counter, out_.constant(0));
}

/// Resets counters so that each is 0 outside its loop, however the loop was exited.
void BarrierIterations::visit(const Instruction& i) {
    const spv::Op op = opcode_of(i);
    if (op == spv::OpFunction) {
        function_ = word_at(i, 2);
        enclosing_loops_.clear();
        ended_counters_.clear();
    }
    if (op == spv::OpLabel) {
        label_ = word_at(i, 1);
        leave_loops(enclosing_loops_, label_, [&](const Loop& loop) {
            if (loop.counter != 0) ended_counters_.push_back(loop.counter);
        });
        return;
    }
    if (op == spv::OpPhi || op == spv::OpVariable || op == spv::OpLine || op == spv::OpNoLine) return;
    for (const std::uint32_t counter : ended_counters_)
        store(counter, out_.constant(0));
    ended_counters_.clear();
    if (op == spv::OpLoopMerge) {
        const auto found = counters_.find(label_);
        const std::uint32_t counter = found == counters_.end() ? 0 : found->second;
        if (counter != 0)
            store(counter, out_.add(spv::OpIAdd, out_.uints(1), {load(counter), out_.constant(1)}));
        enclosing_loops_.push_back({label_, word_at(i, 1), counter});
    }
    if ((op == spv::OpReturn || op == spv::OpReturnValue) && function_ != main_)
        for (const std::uint32_t counter : counters_of_function_[function_])
            store(counter, out_.constant(0));
}

std::pair<std::uint32_t, std::uint32_t> BarrierIterations::iterations() {
    constexpr std::uint32_t hash_multiplier = 2654435761U;  // Knuth's multiplicative hash
    const std::uint32_t uint = out_.uints(1), none = out_.constant(0);
    std::uint32_t all = none, innermost = none;
    for (const auto& [header, counter] : counters_) {
        const std::uint32_t iteration = load(counter);
        if (!enclosing_loops_.empty() && enclosing_loops_.back().counter == counter) innermost = iteration;
        all = all == none
                  ? iteration
                  : out_.add(spv::OpIAdd, uint,
                             {out_.add(spv::OpIMul, uint, {all, out_.constant(hash_multiplier)}), iteration});
    }
    return {all, innermost};
}

}  // namespace gridstride::shader
