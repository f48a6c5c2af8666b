#include "shader/compile_instrumented.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "shader/access_path.h"
#include "shader/barrier_iterations.h"
#include "shader/branch_sides.h"
#include "shader/loop_counter.h"
#include "shader/recorder.h"
#include "shader/recorder_calls.h"
#include "shader/spirv_module.h"
#include "shader/spirv_writer.h"

namespace gridstride::shader {

namespace {

using trace::SiteKind;

constexpr std::size_t max_sites = std::size_t{1} << 16;  // see trace::words::site

bool acquires(std::uint32_t semantics) {
    return (semantics & (spv::MemorySemanticsAcquireMask | spv::MemorySemanticsAcquireReleaseMask |
                         spv::MemorySemanticsSequentiallyConsistentMask)) != 0;
}
bool releases(std::uint32_t semantics) {
    return (semantics & (spv::MemorySemanticsReleaseMask | spv::MemorySemanticsAcquireReleaseMask |
                         spv::MemorySemanticsSequentiallyConsistentMask)) != 0;
}

trace::Scope to_trace_scope(std::uint32_t scope) {
    switch (scope) {
        case spv::ScopeWorkgroup:
            return trace::Scope::workgroup;
        case spv::ScopeSubgroup:
            return trace::Scope::subgroup;
        case spv::ScopeInvocation:
            return trace::Scope::invocation;
        default:
            return trace::Scope::device;
    }
}

/// Capabilities with which memory can be accessed without an access chain.
constexpr std::pair<std::uint32_t, std::string_view> unsupported_capabilities[] = {
    {spv::CapabilityVariablePointers, "pointers that are selected at run time (VariablePointers)"},
    {spv::CapabilityVariablePointersStorageBuffer,
     "pointers that are selected at run time (VariablePointers)"},
    {spv::CapabilityPhysicalStorageBufferAddresses, "addresses of buffers (buffer_reference)"},
    {spv::CapabilityWorkgroupMemoryExplicitLayoutKHR, "blocks in workgroup memory, which may overlap"},
    {spv::CapabilityCooperativeMatrixNV, "cooperative matrices"},
    {6022, "cooperative matrices"},  // CooperativeMatrixKHR, which Debian 12's spirv.hpp does not name
};

/// Rewrites a module in one pass, with calls of the recorder functions.
class Instrumentation {
 public:
    Instrumentation(std::span<const std::uint32_t> spirv, const std::string& name,
                    const InstrumentationOptions& launch)
        : module_(spirv, launch.constants),
          out_(spirv, module_),
          calls_(module_, out_),
          barrier_iterations_(module_, out_),
          branch_sides_(module_),
          name_(name),
          binding_(launch.binding),
          records_branches_(launch.branches) {}

    /// Returns the new module. Call it before sites() and inlined_sites().
    std::vector<std::uint32_t> write();
    std::vector<trace::Site> sites() && {
        for (const auto& [branch, is_true, side] : sides_)
            (is_true ? branches_[branch].counts_true : branches_[branch].counts_false) =
                !branch_sides_.has_access(side);
        sites_.insert(sites_.end(), branches_.begin(), branches_.end());
        return std::move(sites_);
    }
    std::uint64_t inlined_sites() const { return count_inlined_sites(module_.main()); }

 private:
    void find_reachable_functions();
    std::uint64_t count_inlined_sites(std::uint32_t function) const;
    void find_length_computations();
    void declare(const Instruction& i);
    void track_line(std::span<const Instruction> from);
    std::string file_name(std::uint32_t id) const;
    /// from: the instruction and those after it.
    void instrument(std::span<const Instruction> from);

    void track_pointer(const Instruction& i);
    bool points_to_traced_memory(std::uint32_t pointer) const;
    bool has_accesses(std::uint32_t function) const;
    AccessPath access_path_for(std::uint32_t pointer) const;
    std::uint32_t constant(std::uint32_t id) const;
    /// value: id of the value read or written; 0: not available.
    void record(SiteKind kind, AccessPath path, std::uint32_t value, std::uint32_t addend = 0);
    /// scope, semantics: ids of constants.
    /// addend: the id of the number that it adds; 0: it does not add.
    void record_atomic(AccessPath path, std::uint32_t value, std::uint32_t scope, std::uint32_t semantics,
                       std::uint32_t addend = 0);
    void record_components(SiteKind kind, const AccessPath& path, std::uint32_t vector);
    void record_barrier(const Instruction& i);
    /// Records the branch that follows the instruction or is the instruction itself, if there is one.
    void record_branch(std::span<const Instruction> from);
    void record_case(const Instruction& i, std::uint32_t target, std::uint32_t merge);
    void record_branch(trace::Site site, std::uint32_t condition);
    /// Adds a side of the branch that is traced next.
    void add_side(const Instruction& branch, bool is_true, std::uint32_t target, std::uint32_t merge);
    trace::Site site_here(trace::Site site, SiteKind kind);
    std::uint32_t add_site(trace::Site site, SiteKind kind);

    SpirvModule module_;
    SpirvWriter out_;
    RecorderCalls calls_;
    BarrierIterations barrier_iterations_;
    BranchSides branch_sides_;
    std::string name_;  ///< file name of the kernel's source
    std::uint32_t binding_;
    bool records_branches_;
    std::vector<trace::Site> sites_, branches_;
    struct Side {
        std::size_t branch = 0;  ///< index into branches_
        bool is_true = false;
        std::size_t side = 0;  ///< of branch_sides_
    };
    std::vector<Side> sides_;
    std::map<std::uint32_t, AccessChain> chains_;                  ///< by pointer
    std::set<std::uint32_t> reachable_functions_;                  ///< functions that main reaches
    std::map<std::uint32_t, std::vector<std::uint32_t>> callees_;  ///< callees of a function, one per call
    std::set<std::uint32_t> functions_with_accesses_;
    std::map<std::uint32_t, std::uint64_t> site_counts_;  ///< number of sites, by function
    /// The module contains memory barriers. Then any atomic may publish earlier accesses.
    bool has_fences_ = false;
    std::uint32_t source_file_ = 0;          ///< id of the string that names the kernel's source
    std::set<std::uint32_t> after_lengths_;  ///< first value after a computed array length

    // State of the pass.
    std::uint32_t function_ = 0;
    std::uint32_t first_file_ = 0, first_line_ = 0;  ///< first line of the function
    std::string file_;
    std::uint32_t line_ = 0;
    std::uint32_t fence_ = 0;     ///< semantics of memory barriers since the last access, in the same block
    bool follows_merge_ = false;  ///< the previous instruction names the merge block of this branch
};

void Instrumentation::find_reachable_functions() {
    std::uint32_t caller = 0;
    for (const Instruction& i : module_.instructions()) {
        const spv::Op op = opcode_of(i);
        if (op == spv::OpFunction) caller = i[2];
        if (op == spv::OpFunctionCall) callees_[caller].push_back(i[3]);
        const bool is_access =
            ((op == spv::OpLoad || is_atomic(op)) && points_to_traced_memory(word_at(i, 3))) ||
            ((op == spv::OpStore || op == spv::OpAtomicStore) && points_to_traced_memory(word_at(i, 1)));
        if (is_access) functions_with_accesses_.insert(caller);
        if (op == spv::OpMemoryBarrier && constant(i[2]) != spv::MemorySemanticsMaskNone) has_fences_ = true;
    }
    std::vector<std::uint32_t> reached{module_.main()};
    while (!reached.empty()) {
        const std::uint32_t next = reached.back();
        reached.pop_back();
        if (reachable_functions_.insert(next).second)
            reached.insert(reached.end(), callees_[next].begin(), callees_[next].end());
    }
}

/// Terminates because GLSL has no recursion.
std::uint64_t Instrumentation::count_inlined_sites(std::uint32_t function) const {
    std::map<std::uint32_t, std::uint64_t> known;
    const auto count = [&](auto again, std::uint32_t of) -> std::uint64_t {
        if (const auto found = known.find(of); found != known.end()) return found->second;
        const auto own = site_counts_.find(of);
        std::uint64_t all = own == site_counts_.end() ? 0 : own->second;
        if (const auto calls = callees_.find(of); calls != callees_.end())
            for (const std::uint32_t callee : calls->second)
                all = saturating_add(all, again(again, callee));
        return known[of] = all;
    };
    return count(count, function);
}

/// glslang computes an array length that depends on specialisation constants where a statement first uses the
/// array, and gives the rest of that statement the line of the array's declaration. This finds the first
/// value after each such computation, so that track_line() can ignore that line.
void Instrumentation::find_length_computations() {
    std::set<std::uint32_t> lengths, function_ids;
    bool in_function = false;
    for (const Instruction& i : module_.instructions()) {
        const spv::Op op = opcode_of(i);
        if (op == spv::OpSpecConstantOp) lengths.insert(i[2]);
        if (in_function && op != spv::OpFunction && op != spv::OpVariable && module_.has_value(i))
            function_ids.insert(i[2]);
        in_function = in_function || op == spv::OpFunction;
    }
    for (const std::uint32_t length : lengths)
        if (const auto next = function_ids.upper_bound(length); next != function_ids.end())
            after_lengths_.insert(*next);
}

std::vector<std::uint32_t> Instrumentation::write() {
    find_reachable_functions();
    find_length_computations();
    const std::span<const Instruction> all = module_.instructions();
    for (std::size_t n = 0; n < all.size(); ++n) {
        const Instruction& i = all[n];
        const spv::Op op = opcode_of(i);
        if (op == spv::OpFunction) function_ = i[2];
        if (op == spv::OpFunctionEnd) first_line_ = 0;
        if (op == spv::OpLine) track_line(all.subspan(n));  // the first one precedes its function
        if (n == module_.main_begin()) {
            calls_.begin();
            barrier_iterations_.begin(module_.main());
        }
        if (function_ == 0)
            declare(i);
        else if (reachable_functions_.contains(function_))
            instrument(all.subspan(n));
        else
            out_.copy(i);
    }
    return std::move(out_).finish();
}

void Instrumentation::declare(const Instruction& i) {
    const spv::Op op = opcode_of(i);
    if (op == spv::OpCapability)
        for (const auto& [capability, what] : unsupported_capabilities)
            if (i[1] == capability) throw std::runtime_error(fmt::format("it uses {}", what));
    if (op == spv::OpSource && source_file_ == 0)
        source_file_ = word_at(i, 3);  // OpSource of includes follow
    if (op == spv::OpVariable && points_to_traced_memory(i[2])) chains_[i[2]] = {i[2], {}};
    calls_.declare(i);
}

/// from: the OpLine and the instructions after it.
void Instrumentation::track_line(std::span<const Instruction> from) {
    const std::uint32_t file = from[0][1];
    const std::uint32_t line = from[0][2];
    if (first_line_ == 0) std::tie(first_file_, first_line_) = std::pair(file, line);
    const auto next =
        std::find_if(from.begin(), from.end(), [&](const Instruction& i) { return module_.has_value(i); });
    const bool is_length_computation = next != from.end() && after_lengths_.contains((*next)[2]);
    if (is_length_computation && (file != first_file_ || line < first_line_)) return;
    file_ = file_name(file);
    line_ = line;
}

std::string Instrumentation::file_name(std::uint32_t id) const {
    return id == source_file_ ? name_ : module_.string(id);
}

bool Instrumentation::has_accesses(std::uint32_t function) const {
    if (functions_with_accesses_.contains(function)) return true;
    const auto calls = callees_.find(function);
    return calls != callees_.end() &&
           std::ranges::any_of(calls->second, [&](std::uint32_t callee) { return has_accesses(callee); });
}

bool Instrumentation::points_to_traced_memory(std::uint32_t pointer) const {
    if (chains_.contains(pointer)) return true;  // the type of a pointer into a BufferBlock does not show it
    const std::uint32_t type = module_.type_of(pointer);
    return module_.type(type).storage == spv::StorageClassWorkgroup || module_.points_to_storage_buffer(type);
}

void Instrumentation::track_pointer(const Instruction& i) {
    const spv::Op op = opcode_of(i);
    const bool is_chain = op == spv::OpAccessChain || op == spv::OpInBoundsAccessChain;
    const auto base = is_chain || op == spv::OpCopyObject ? chains_.find(i[3]) : chains_.end();
    if (base == chains_.end()) {
        if (!points_to_traced_memory(i[2])) return;
        throw std::runtime_error("it passes a pointer into memory to a function, or selects one at run time");
    }
    AccessChain chain = base->second;
    if (is_chain) chain.indices.insert(chain.indices.end(), i.begin() + 4, i.end());
    chains_[i[2]] = std::move(chain);
}

AccessPath Instrumentation::access_path_for(std::uint32_t pointer) const {
    return resolve_access(module_, chains_.at(pointer));
}

std::uint32_t Instrumentation::constant(std::uint32_t id) const {
    return static_cast<std::uint32_t>(module_.constants().number(id).value_or(0));
}

void Instrumentation::instrument(std::span<const Instruction> from) {
    const Instruction& i = from[0];
    const spv::Op op = opcode_of(i);
    barrier_iterations_.visit(i);
    if (module_.has_value(i)) track_pointer(i);
    if (op == spv::OpLabel || op == spv::OpFunctionCall) fence_ = 0;
    if (records_branches_) {
        record_branch(from);
        branch_sides_.visit(i);
        if (op == spv::OpFunctionCall && has_accesses(i[3])) branch_sides_.add_access();
    }

    // Stores are recorded before the instruction, loads after it.
    if (op == spv::OpStore && points_to_traced_memory(i[1])) {
        record(SiteKind::store, access_path_for(i[1]), i[2]);
    } else if (op == spv::OpAtomicStore && points_to_traced_memory(i[1])) {
        record_atomic(access_path_for(i[1]), i[4], i[2], i[3]);
    } else if (op == spv::OpControlBarrier) {
        record_barrier(i);
    } else if (op == spv::OpMemoryBarrier) {
        const bool reaches_workgroup =
            constant(i[1]) != spv::ScopeSubgroup && constant(i[1]) != spv::ScopeInvocation;
        if (reaches_workgroup) fence_ |= constant(i[2]);
    } else if (op == spv::OpCopyMemory) {
        if (points_to_traced_memory(i[2])) record(SiteKind::load, access_path_for(i[2]), 0);
        if (points_to_traced_memory(i[1])) record(SiteKind::store, access_path_for(i[1]), 0);
    } else if (op == spv::OpReturn && function_ == module_.main()) {
        calls_.end();
    }
    out_.copy(i);
    if (op == spv::OpLoad && points_to_traced_memory(i[3]))
        record(SiteKind::load, access_path_for(i[3]), i[2]);
    else if (is_atomic(op) && op != spv::OpAtomicStore && points_to_traced_memory(i[3]))
        record_atomic(access_path_for(i[3]), i[2], i[4], i[5],
                      op == spv::OpAtomicIAdd || op == spv::OpAtomicFAddEXT ? i[6] : 0);
}

void Instrumentation::record_atomic(AccessPath path, std::uint32_t value, std::uint32_t scope,
                                    std::uint32_t semantics, std::uint32_t addend) {
    path.site.scope = to_trace_scope(constant(scope));
    path.site.acquires = has_fences_ || acquires(constant(semantics));
    path.site.releases = has_fences_ || releases(constant(semantics));
    path.site.adds = addend != 0;
    record(SiteKind::atomic, std::move(path), value, addend);
}

void Instrumentation::record(SiteKind kind, AccessPath path, std::uint32_t value, std::uint32_t addend) {
    fence_ = 0;
    trace::Site& site = path.site;
    const bool is_reserved = site.binding == binding_ || (records_branches_ && site.binding == binding_ + 1);
    if (site.space == trace::MemorySpace::buffer && is_reserved)
        throw std::runtime_error(
            fmt::format("it uses binding {} itself, which is reserved for the records", site.binding));
    if (path.component_stride > 0 && value != 0) {
        record_components(kind, path, value);
        return;
    }
    if (value == 0) site.value = trace::ValueType::none;
    const std::uint32_t number = add_site(site, kind);
    if (records_branches_) branch_sides_.add_access();
    calls_.access(number, path, value, addend);
}

/// Records a vector whose components are not contiguous, one record per component.
void Instrumentation::record_components(SiteKind kind, const AccessPath& path, std::uint32_t vector) {
    const SpirvType& whole = module_.type(path.type);
    for (std::uint32_t n = 0; n < whole.count; ++n) {
        AccessPath one = path;
        one.type = whole.element;
        one.offset += n * std::exchange(one.component_stride, 0);
        one.site.bytes = whole.stride;
        one.site.components = 1;
        record(kind, one, out_.add(spv::OpCompositeExtract, one.type, {vector, n}));
    }
}

void Instrumentation::record_barrier(const Instruction& i) {
    const std::uint32_t semantics = constant(i[3]) | std::exchange(fence_, 0);
    trace::Site site;
    site.is_subgroup_barrier = constant(i[1]) == spv::ScopeSubgroup;
    site.acquires = acquires(semantics);
    site.releases = releases(semantics);
    // With subgroup memory scope, a workgroup barrier does not order memory between subgroups.
    const trace::Scope memory_scope = to_trace_scope(constant(i[2]));
    const bool reaches_far_enough =
        memory_scope >= (site.is_subgroup_barrier ? trace::Scope::subgroup : trace::Scope::workgroup);
    const bool orders = site.acquires && site.releases && reaches_far_enough;
    site.orders_workgroup = orders && (semantics & spv::MemorySemanticsWorkgroupMemoryMask) != 0;
    site.orders_buffers = orders && (semantics & spv::MemorySemanticsUniformMemoryMask) != 0;
    calls_.barrier(add_site(site, SiteKind::barrier), site.is_subgroup_barrier,
                   barrier_iterations_.iterations());
}

void Instrumentation::record_branch(std::span<const Instruction> from) {
    const auto is_conditional = [](const Instruction& i) {
        return opcode_of(i) == spv::OpBranchConditional || opcode_of(i) == spv::OpSwitch;
    };
    const spv::Op op = opcode_of(from[0]);
    const bool is_merge = op == spv::OpSelectionMerge || op == spv::OpLoopMerge;
    if (std::exchange(follows_merge_, is_merge)) return;  // recorded before the merge instruction
    const Instruction& branch = is_merge && from.size() > 1 ? from[1] : from[0];
    if (!is_conditional(branch) || module_.constants().number(branch[1]) ||
        branch_sides_.is_of_unrolled_loop(branch))
        return;
    const std::uint32_t merge = is_merge ? from[0][1] : 0;
    if (opcode_of(branch) == spv::OpSwitch) {
        for (const std::uint32_t target : branch_targets(branch))
            record_case(branch, target, merge);
        return;
    }
    add_side(branch, true, branch[2], merge);
    add_side(branch, false, branch[3], merge);
    record_branch(site_here({}, SiteKind::branch), branch[1]);
}

/// Records which lanes go to one target of a switch.
void Instrumentation::record_case(const Instruction& i, std::uint32_t target, std::uint32_t merge) {
    const SpirvType& type = module_.type(module_.type_of(i[1]));
    if (type.bits != 32 || target == merge) return;
    const bool is_default = i[2] == target;
    const std::uint32_t boolean = out_.type(spv::OpTypeBool, {});
    std::vector<std::string> labels;
    std::uint32_t condition = 0;
    // The default is taken by the lanes that no other label takes.
    for (std::size_t at = 3; at + 1 < i.size(); at += 2) {
        if ((i[at + 1] == target) == is_default) continue;
        labels.push_back(type.is_signed ? fmt::format("{}", static_cast<std::int32_t>(i[at]))
                                        : fmt::format("{}", i[at]));
        const std::uint32_t is_equal = out_.add(spv::OpIEqual, boolean, {i[1], out_.constant(i[at])});
        condition = condition == 0 ? is_equal : out_.add(spv::OpLogicalOr, boolean, {condition, is_equal});
    }
    if (condition == 0) return;
    if (is_default) condition = out_.add(spv::OpLogicalNot, boolean, {condition});
    trace::Site site = site_here({}, SiteKind::branch);
    // The switch itself may have no line.
    if (const Instruction line = branch_sides_.first_line(target); !line.empty()) {
        site.file = file_name(line[1]);
        site.line = line[2];
    }
    site.variable = is_default ? "default" : "case " + join(labels, ", ");
    add_side(i, true, target, merge);
    record_branch(std::move(site), condition);
}

void Instrumentation::add_side(const Instruction& branch, bool is_true, std::uint32_t target,
                               std::uint32_t merge) {
    if (const auto side = branch_sides_.add_side(branch, target, merge))
        sides_.push_back({branches_.size(), is_true, *side});
}

void Instrumentation::record_branch(trace::Site site, std::uint32_t condition) {
    if (branches_.size() >= max_sites)
        throw std::runtime_error(fmt::format("it has more than {} branches", max_sites));
    branches_.push_back(std::move(site));
    calls_.branch(static_cast<std::uint32_t>(branches_.size() - 1), condition);
}

trace::Site Instrumentation::site_here(trace::Site site, SiteKind kind) {
    ++site_counts_[function_];
    site.kind = kind;
    site.file = file_;
    site.line = line_;
    return site;
}

std::uint32_t Instrumentation::add_site(trace::Site site, SiteKind kind) {
    if (sites_.size() >= max_sites)
        throw std::runtime_error(fmt::format("it has more than {} places that access memory", max_sites));
    sites_.push_back(site_here(std::move(site), kind));
    return static_cast<std::uint32_t>(sites_.size() - 1);
}

}  // namespace

InstrumentedKernel compile_instrumented(std::string_view source, const std::string& name,
                                        const Defines& defines,
                                        const std::vector<std::filesystem::path>& include_roots,
                                        const InstrumentationOptions& launch, const TextFiles& files) {
    CompileResult compiled =
        compile(source, name, defines, include_roots, files,
                launch.counted_loops == CountedLoops::none ? recorder_source(launch)
                                                           : iteration_counter_source(launch.binding));
    if (!compiled.ok()) {
        // Compiled alone, so that the errors are those of the kernel itself.
        InstrumentedKernel alone{compile(source, name, defines, include_roots, files), {}};
        if (!alone.compiled.ok()) return alone;
        throw std::runtime_error(fmt::format(
            "This kernel cannot be traced: with the instrumentation appended to its source, the compiler "
            "reports \"{}\". Names that begin with gridstride_ are reserved: rename yours.",
            compiled.diagnostics.empty() ? "" : compiled.diagnostics.front().text));
    }
    InstrumentedKernel instrumented = instrument_module(compiled.spirv, name, launch);
    compiled.spirv = std::move(instrumented.compiled.spirv);
    instrumented.compiled = std::move(compiled);
    return instrumented;
}

InstrumentedKernel instrument_module(const std::vector<std::uint32_t>& spirv, const std::string& name,
                                     const InstrumentationOptions& launch) {
    try {
        InstrumentedKernel instrumented;
        if (launch.counted_loops != CountedLoops::none) {
            instrumented.compiled.spirv = instrument_loops(spirv, launch.counted_loops);
        } else {
            Instrumentation instrumentation(spirv, name, launch);
            instrumented.compiled.spirv = instrumentation.write();
            instrumented.inlined_sites = instrumentation.inlined_sites();
            instrumented.sites = std::move(instrumentation).sites();
        }
        if (const std::string invalid = validate(instrumented.compiled.spirv); !invalid.empty())
            throw std::runtime_error(invalid);
        return instrumented;
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("This kernel cannot be traced: {}.", error.what()));
    }
}

}  // namespace gridstride::shader
