#include "shader/loop_counter.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "shader/appended_code.h"
#include "shader/spirv_module.h"
#include "shader/spirv_writer.h"

namespace gridstride::shader {

namespace {

constexpr std::string_view begin_counting = "gridstride_begin_counting";
constexpr std::string_view count_iteration = "gridstride_count_iteration";

/// Invocations that iterate together count once: the first one adds 1 and the others add 0, without a branch.
/// If the x extent of the workgroup is not a multiple of the subgroup size, Mesa's software driver gives
/// several subgroups the same gl_SubgroupID; then the index of a subgroup's first invocation identifies it.
constexpr std::string_view counter_text = R"(
layout(set = 0, binding = $binding, std430) coherent buffer $Iterations { uint $max_iterations; uint $of_subgroup[]; };
uint $subgroup;

void $begin_counting() {
    uint $workgroup = gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);
    uint $invocations = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;
    if (gl_WorkGroupSize.x % gl_SubgroupSize == 0u)
        $subgroup = $workgroup * ($invocations / gl_SubgroupSize) + gl_SubgroupID;
    else
        $subgroup = $workgroup * $invocations + subgroupBroadcastFirst(gl_LocalInvocationIndex);
    $subgroup %= uint($of_subgroup.length());
    $of_subgroup[$subgroup] = 0u;
}

void $count_iteration() {
    uint $one = mix(0u, 1u, subgroupElect());
    atomicMax($max_iterations, atomicAdd($of_subgroup[$subgroup], $one) + $one);
}
)";

/// Rewrites a module in one pass, with calls of the counter.
class LoopInstrumentation {
 public:
    LoopInstrumentation(const std::vector<std::uint32_t>& spirv, CountedLoops counted)
        : module_(spirv, {}), out_(spirv, module_), counts_all_loops_(counted == CountedLoops::all) {
        for (const Instruction& i : module_.instructions()) {
            if (opcode_of(i) != spv::OpFunction) continue;
            const std::string name = module_.name(i[2]);
            const std::string_view bare = std::string_view(name).substr(0, name.find('('));
            if (bare == begin_counting) begin_ = i[2];
            if (bare == count_iteration) count_ = i[2], void_ = i[1];
        }
        if (begin_ == 0 || count_ == 0)
            throw std::runtime_error("the iteration counter is not in the module");
    }

    std::vector<std::uint32_t> write() {
        for (std::size_t n = 0; n < module_.instructions().size(); ++n) {
            const Instruction& i = module_.instructions()[n];
            if (n == module_.main_begin()) call(begin_);
            // OpLoopMerge is the second-last instruction of a loop's header block, before the branch.
            if (opcode_of(i) == spv::OpLoopMerge &&
                (counts_all_loops_ || (i[3] & spv::LoopControlUnrollMask) == 0))
                call(count_);
            out_.copy(i);
        }
        return std::move(out_).finish();
    }

 private:
    void call(std::uint32_t function) { out_.add(spv::OpFunctionCall, void_, {function}); }

    SpirvModule module_;
    SpirvWriter out_;
    bool counts_all_loops_;
    std::uint32_t begin_ = 0, count_ = 0, void_ = 0;
};

}  // namespace

std::uint64_t iteration_counter_words(std::uint64_t width, std::uint64_t invocations,
                                      std::uint64_t workgroups, std::uint64_t subgroup_size) {
    const bool has_full_subgroups = subgroup_size > 0 && width % subgroup_size == 0;
    return workgroups * (has_full_subgroups ? invocations / subgroup_size : invocations);
}

std::string iteration_counter_source(std::uint32_t binding) {
    return make_appended_code("iterations", "#extension GL_KHR_shader_subgroup_ballot : enable\n",
                              fmt::format("#define $binding {}\n", binding).append(counter_text));
}

std::vector<std::uint32_t> instrument_loops(const std::vector<std::uint32_t>& spirv, CountedLoops counted) {
    return LoopInstrumentation(spirv, counted).write();
}

}  // namespace gridstride::shader
