#include "shader/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <spirv-tools/libspirv.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "shader/spirv_module.h"

namespace gridstride::shader {

namespace {

/// Returns "Float64", or the number of a capability that SPIRV-Tools does not know. SPIRV-Tools names
/// capabilities only in disassembly, so this disassembles a module that declares nothing else.
std::string capability_name(std::uint32_t capability) {
    const std::vector<std::uint32_t> module{
        spv::MagicNumber, 0x00010000, 0, 1, 0, 2U << spv::WordCountShift | spv::OpCapability, capability};
    std::string text;
    constexpr std::string_view before = "OpCapability ";
    if (!spvtools::SpirvTools(SPV_ENV_UNIVERSAL_1_6)
             .Disassemble(module, &text, SPV_BINARY_TO_TEXT_OPTION_NO_HEADER) ||
        !text.starts_with(before))
        return std::to_string(capability);
    text.erase(0, before.size());
    text.erase(std::min(text.find_first_of(" \n"), text.size()));
    return text;
}

/// Finds the variables that a module writes, through access chains and function parameters.
class WriteFinder {
 public:
    explicit WriteFinder(const SpirvModule& module) : module_(module) {}

    /// Must be called with all instructions in module order.
    void read(const Instruction& i);
    /// Calls written(id, file, line) for each id that a write may reach, in the order of the writes.
    void for_each_target(const auto& written) const;

 private:
    struct Write {
        std::uint32_t pointer;
        std::string file;  ///< empty: the kernel's own
        std::uint32_t line;
    };
    void write(std::uint32_t pointer) { writes_.push_back({pointer, file_, line_}); }

    const SpirvModule& module_;
    std::uint32_t source_file_ = 0;  ///< the string that names the kernel's source
    std::string file_;
    std::uint32_t line_ = 0;
    std::uint32_t function_ = 0;
    std::map<std::uint32_t, std::vector<std::uint32_t>> parameters_;  ///< by function
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> calls_;
    std::map<std::uint32_t, std::vector<std::uint32_t>>
        pointer_sources_;  ///< for each pointer, those it derives from
    std::vector<Write> writes_;
};

void WriteFinder::read(const Instruction& i) {
    const spv::Op op = opcode_of(i);
    switch (op) {
        case spv::OpSource:
            if (source_file_ == 0) source_file_ = word_at(i, 3);  // OpSource of includes follow
            break;
        case spv::OpLine:
            file_ = word_at(i, 1) == source_file_ ? "" : module_.string(word_at(i, 1));
            line_ = word_at(i, 2);
            break;
        case spv::OpFunction:
            function_ = word_at(i, 2);
            break;
        case spv::OpFunctionParameter:
            parameters_[function_].push_back(word_at(i, 2));
            break;
        case spv::OpFunctionCall:
            calls_.emplace_back(word_at(i, 3), i.size() > 4 ? std::vector(i.begin() + 4, i.end())
                                                            : std::vector<std::uint32_t>());
            break;
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
        case spv::OpCopyObject:
            pointer_sources_[word_at(i, 2)].push_back(word_at(i, 3));
            break;
        case spv::OpSelect:
            pointer_sources_[word_at(i, 2)] = {word_at(i, 4), word_at(i, 5)};
            break;
        case spv::OpPhi:
            for (std::size_t n = 3; n < i.size(); n += 2)
                pointer_sources_[word_at(i, 2)].push_back(i[n]);
            break;
        case spv::OpStore:
        case spv::OpAtomicStore:
        case spv::OpCopyMemory:
            write(word_at(i, 1));
            break;
        case spv::OpExtInst:  // functions such as modf() store a result through a pointer operand
            for (std::size_t n = 5; n < i.size(); ++n)
                write(i[n]);
            break;
        default:
            if (is_atomic(op) && op != spv::OpAtomicLoad) write(word_at(i, 3));
    }
}

void WriteFinder::for_each_target(const auto& written) const {
    // A function may be called before the module defines it.
    auto pointer_sources = pointer_sources_;
    for (const auto& [function, arguments] : calls_) {
        const auto parameters = parameters_.find(function);
        if (parameters == parameters_.end()) continue;
        for (std::size_t n = 0; n < std::min(arguments.size(), parameters->second.size()); ++n)
            pointer_sources[parameters->second[n]].push_back(arguments[n]);
    }
    for (const Write& write : writes_) {
        std::set<std::uint32_t> visited;
        std::vector<std::uint32_t> pending{write.pointer};
        while (!pending.empty()) {
            const std::uint32_t pointer = pending.back();
            pending.pop_back();
            if (!visited.insert(pointer).second) continue;
            written(pointer, write.file, write.line);
            if (const auto found = pointer_sources.find(pointer); found != pointer_sources.end())
                pending.insert(pending.end(), found->second.begin(), found->second.end());
        }
    }
}

class Inspector {
 public:
    Inspector(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> constants)
        : module_(spirv, constants) {}

    KernelRequirements read_requirements() &&;

 private:
    void read(const Instruction& i);
    void read_variable(const Instruction& i);
    void read_resource(const Instruction& variable);
    void read_workgroup_size();

    SpirvModule module_;
    WriteFinder writes_{module_};
    KernelRequirements requirements_;
    std::map<std::uint32_t, std::size_t> binding_of_;  ///< index into requirements_.bindings, by variable
    std::uint32_t main_ = 0;
    std::uint32_t workgroup_size_ = 0;  ///< id of its constant; 0: none
};

KernelRequirements Inspector::read_requirements() && {
    for (const Instruction& i : module_.instructions())
        read(i);
    if (workgroup_size_ != 0) read_workgroup_size();
    writes_.for_each_target([&](std::uint32_t variable, const std::string& file, std::uint32_t line) {
        const auto found = binding_of_.find(variable);
        if (found == binding_of_.end()) return;
        BindingRequirement& requirement = requirements_.bindings[found->second];
        if (std::exchange(requirement.is_written, true)) return;
        requirement.write_file = file;
        requirement.write_line = line;
    });
    requirements_.non_word_constants = module_.constants().non_word_ids();
    return std::move(requirements_);
}

void Inspector::read(const Instruction& i) {
    writes_.read(i);
    switch (opcode_of(i)) {
        case spv::OpCapability:
            requirements_.capabilities.push_back(capability_name(word_at(i, 1)));
            break;
        case spv::OpExtension:
            requirements_.extensions.push_back(string_at(i, 1));
            break;
        case spv::OpEntryPoint:
            if (word_at(i, 1) == spv::ExecutionModelGLCompute && string_at(i, 3) == "main") {
                requirements_.has_compute_main = true;
                main_ = word_at(i, 2);
            }
            break;
        case spv::OpExecutionMode:
            if (word_at(i, 1) == main_ && word_at(i, 2) == spv::ExecutionModeLocalSize)
                requirements_.local_size = {word_at(i, 3), word_at(i, 4), word_at(i, 5)};
            break;
        case spv::OpDecorate:
            if (word_at(i, 2) == spv::DecorationBuiltIn && word_at(i, 3) == spv::BuiltInWorkgroupSize)
                workgroup_size_ = word_at(i, 1);
            break;
        case spv::OpVariable:
            read_variable(i);
            break;
        case spv::OpLoopMerge:
            requirements_.loops = true;
            break;
        case spv::OpAtomicFAddEXT:
            if (module_.type(module_.type_of(word_at(i, 3))).storage == spv::StorageClassWorkgroup)
                requirements_.uses_shared_float_atomics = true;
            break;
        default:
            break;
    }
}

void Inspector::read_variable(const Instruction& i) {
    const SpirvType& pointee = module_.type(module_.type(word_at(i, 1)).element);
    if (!pointee.has_known_length) throw std::runtime_error("the length of an array cannot be computed");
    const std::uint64_t bytes = round_up(pointee.bytes, pointee.alignment);
    switch (word_at(i, 3)) {
        case spv::StorageClassWorkgroup:
            requirements_.shared_bytes =
                saturating_add(round_up(requirements_.shared_bytes, pointee.alignment), pointee.bytes);
            break;
        case spv::StorageClassPrivate:
        case spv::StorageClassFunction:
            requirements_.private_bytes = saturating_add(requirements_.private_bytes, bytes);
            break;
        case spv::StorageClassPushConstant:
            requirements_.push_bytes = std::max(requirements_.push_bytes, pointee.bytes);
            break;
        case spv::StorageClassUniformConstant:
        case spv::StorageClassUniform:
        case spv::StorageClassStorageBuffer:
            read_resource(i);
            break;
        default:
            break;
    }
}

void Inspector::read_resource(const Instruction& variable) {
    const std::uint32_t pointer = word_at(variable, 1);
    const std::uint32_t id = word_at(variable, 2);
    const SpirvType& pointee = module_.type(module_.type(pointer).element);
    BindingRequirement requirement;
    requirement.set = module_.decoration(id, spv::DecorationDescriptorSet).value_or(0);
    requirement.binding = module_.decoration(id, spv::DecorationBinding).value_or(0);
    requirement.array = pointee.is_array();
    requirement.bytes = requirement.array ? module_.type(pointee.element).bytes : pointee.bytes;
    requirement.is_storage_buffer = module_.points_to_storage_buffer(pointer);
    binding_of_[id] = requirements_.bindings.size();
    requirements_.bindings.push_back(requirement);
}

void Inspector::read_workgroup_size() {
    const std::vector<std::uint32_t>& parts = module_.constants().parts(workgroup_size_);
    for (std::size_t axis = 0; axis < std::min<std::size_t>(parts.size(), 3); ++axis) {
        const auto size = module_.constants().number(parts[axis]);
        if (!size) throw std::runtime_error("its workgroup size cannot be computed");
        requirements_.local_size[axis] = *size;
    }
}

}  // namespace

KernelRequirements inspect(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> constants) {
    return Inspector(spirv, constants).read_requirements();
}

}  // namespace gridstride::shader
