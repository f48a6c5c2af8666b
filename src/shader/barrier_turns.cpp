#include "shader/barrier_turns.h"

#include <algorithm>
#include <set>

namespace gridstride::shader {

namespace {

/// Blocks are ordered by nesting: those between a loop's header and its merge block belong to the loop.
template <class Loops>
void leave_loops(Loops& around, std::uint32_t label, auto left) {
    while (!around.empty() && around.back().merge == label) {
        left(around.back());
        around.pop_back();
    }
}

}  // namespace

BarrierTurns::BarrierTurns(const SpirvModule& module, SpirvWriter& out) : module_(module), out_(out) {
    find_loops_with_barriers();
}

void BarrierTurns::find_loops_with_barriers() {
    struct Call {
        std::uint32_t caller = 0, callee = 0;
        std::vector<std::uint32_t> loops;  ///< headers
    };
    std::map<std::uint32_t, std::uint32_t> function_of;  ///< by header
    std::set<std::uint32_t> waiting_functions, waiting_loops;
    std::vector<Call> calls;
    std::vector<Loop> around;
    std::uint32_t function = 0, label = 0;
    const auto headers = [&] {
        std::vector<std::uint32_t> all;
        for (const Loop& loop : around)
            all.push_back(loop.header);
        return all;
    };
    const auto wait_in = [&](std::uint32_t in, const std::vector<std::uint32_t>& loops) {
        waiting_loops.insert(loops.begin(), loops.end());
        return waiting_functions.insert(in).second;
    };
    for (const Instruction& i : module_.instructions()) {
        switch (opcode_of(i)) {
            case spv::OpFunction:
                function = word_of(i, 2);
                around.clear();
                break;
            case spv::OpLabel:
                label = word_of(i, 1);
                leave_loops(around, label, [](const Loop&) {});
                break;
            case spv::OpLoopMerge:
                around.push_back({.header = label, .merge = word_of(i, 1)});
                function_of[label] = function;
                break;
            case spv::OpFunctionCall:
                calls.push_back({function, word_of(i, 3), headers()});
                break;
            case spv::OpControlBarrier:
                if (module_.constants().number(word_of(i, 1)) != spv::ScopeSubgroup)
                    wait_in(function, headers());
                break;
            default:
                break;
        }
    }
    for (bool found = true; found;) {
        found = false;
        for (const Call& call : calls)
            if (waiting_functions.contains(call.callee)) found |= wait_in(call.caller, call.loops);
    }
    const std::uint32_t pointer =
        waiting_loops.empty() ? 0 : out_.type(spv::OpTypePointer, {spv::StorageClassPrivate, out_.uints(1)});
    for (const std::uint32_t header : waiting_loops) {
        counters_[header] = out_.variable(pointer, spv::StorageClassPrivate);
        of_function_[function_of[header]].push_back(counters_[header]);
    }
}

void BarrierTurns::store(std::uint32_t counter, std::uint32_t value) {
    const std::uint32_t words[] = {3U << spv::WordCountShift | spv::OpStore, counter, value};
    out_.copy(words);
}

void BarrierTurns::begin(std::uint32_t main) {
    main_ = main;
    for (const auto& [header, counter] : counters_)
        store(counter, out_.constant(0));
}

/// Resets counters so that each is 0 outside its loop, however the loop was exited.
void BarrierTurns::before(const Instruction& i) {
    const spv::Op op = opcode_of(i);
    if (op == spv::OpFunction) {
        function_ = word_of(i, 2);
        around_.clear();
        left_.clear();
    }
    if (op == spv::OpLabel) {
        label_ = word_of(i, 1);
        leave_loops(around_, label_, [&](const Loop& loop) {
            if (loop.counter != 0) left_.push_back(loop.counter);
        });
        return;
    }
    if (op == spv::OpPhi || op == spv::OpVariable || op == spv::OpLine || op == spv::OpNoLine) return;
    for (const std::uint32_t counter : left_)
        store(counter, out_.constant(0));
    left_.clear();
    if (op == spv::OpLoopMerge) {
        const auto found = counters_.find(label_);
        const std::uint32_t counter = found == counters_.end() ? 0 : found->second;
        if (counter != 0)
            store(counter, out_.add(spv::OpIAdd, out_.uints(1), {load(counter), out_.constant(1)}));
        around_.push_back({label_, word_of(i, 1), counter});
    }
    if ((op == spv::OpReturn || op == spv::OpReturnValue) && function_ != main_)
        for (const std::uint32_t counter : of_function_[function_])
            store(counter, out_.constant(0));
}

std::pair<std::uint32_t, std::uint32_t> BarrierTurns::turns() {
    constexpr std::uint32_t odd = 2654435761U;  // Knuth's multiplicative hash
    const std::uint32_t uint = out_.uints(1), none = out_.constant(0);
    std::uint32_t all = none, innermost = none;
    for (const auto& [header, counter] : counters_) {
        const std::uint32_t turn = load(counter);
        if (!around_.empty() && around_.back().counter == counter) innermost = turn;
        all = all == none ? turn
                          : out_.add(spv::OpIAdd, uint,
                                     {out_.add(spv::OpIMul, uint, {all, out_.constant(odd)}), turn});
    }
    return {all, innermost};
}

}  // namespace gridstride::shader
