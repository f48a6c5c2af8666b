#include "shader/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <spirv-tools/libspirv.hpp>
#include <stdexcept>

#include "shader/spirv_module.h"

namespace gridstride::shader {

namespace {

/// "Float64"; the number of one that SPIRV-Tools does not know. It names capabilities in disassemblies alone,
/// so this takes apart a module that declares nothing else.
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

class Inspector {
 public:
    Inspector(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> given)
        : module_(spirv, given) {}

    KernelNeeds needs() &&;

 private:
    void read(const Instruction& i);
    void read_variable(const Instruction& i);
    void read_resource(const Instruction& variable);
    void read_workgroup_size();

    SpirvModule module_;
    KernelNeeds needs_;
    std::uint32_t main_ = 0;
    std::uint32_t workgroup_size_ = 0;  ///< the constant that holds it; 0: none
};

KernelNeeds Inspector::needs() && {
    for (const Instruction& i : module_.instructions())
        read(i);
    if (workgroup_size_ != 0) read_workgroup_size();
    needs_.odd_constants = module_.constants().odd();
    return std::move(needs_);
}

void Inspector::read(const Instruction& i) {
    switch (opcode_of(i)) {
        case spv::OpCapability:
            needs_.capabilities.push_back(capability_name(word_of(i, 1)));
            break;
        case spv::OpExtension:
            needs_.extensions.push_back(text_at(i, 1));
            break;
        case spv::OpEntryPoint:
            if (word_of(i, 1) == spv::ExecutionModelGLCompute && text_at(i, 3) == "main") {
                needs_.compute_main = true;
                main_ = word_of(i, 2);
            }
            break;
        case spv::OpExecutionMode:
            if (word_of(i, 1) == main_ && word_of(i, 2) == spv::ExecutionModeLocalSize)
                needs_.local_size = {word_of(i, 3), word_of(i, 4), word_of(i, 5)};
            break;
        case spv::OpDecorate:
            if (word_of(i, 2) == spv::DecorationBuiltIn && word_of(i, 3) == spv::BuiltInWorkgroupSize)
                workgroup_size_ = word_of(i, 1);
            break;
        case spv::OpVariable:
            read_variable(i);
            break;
        case spv::OpLoopMerge:
            needs_.loops = true;
            break;
        case spv::OpAtomicFAddEXT:
            if (module_.type(module_.type_of(word_of(i, 3))).storage == spv::StorageClassWorkgroup)
                needs_.shared_float_atomics = true;
            break;
        default:
            break;
    }
}

void Inspector::read_variable(const Instruction& i) {
    const SpirvType& held = module_.type(module_.type(word_of(i, 1)).element);
    if (!held.length_known) throw std::runtime_error("the length of an array cannot be worked out");
    const std::uint64_t bytes = rounded_up(held.bytes, held.alignment);
    switch (word_of(i, 3)) {
        case spv::StorageClassWorkgroup:
            needs_.shared_bytes = plus(rounded_up(needs_.shared_bytes, held.alignment), held.bytes);
            break;
        case spv::StorageClassPrivate:
        case spv::StorageClassFunction:
            needs_.private_bytes = plus(needs_.private_bytes, bytes);
            break;
        case spv::StorageClassPushConstant:
            needs_.push_bytes = std::max(needs_.push_bytes, held.bytes);
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
    const std::uint32_t pointer = word_of(variable, 1);
    const std::uint32_t id = word_of(variable, 2);
    const SpirvType& held = module_.type(module_.type(pointer).element);
    BindingNeed need;
    need.set = module_.decoration(id, spv::DecorationDescriptorSet).value_or(0);
    need.binding = module_.decoration(id, spv::DecorationBinding).value_or(0);
    need.array = held.is_array();
    need.bytes = need.array ? module_.type(held.element).bytes : held.bytes;
    need.storage_buffer = module_.to_storage_buffer(pointer);
    needs_.bindings.push_back(need);
}

void Inspector::read_workgroup_size() {
    const std::vector<std::uint32_t>& parts = module_.constants().parts(workgroup_size_);
    for (std::size_t axis = 0; axis < std::min<std::size_t>(parts.size(), 3); ++axis) {
        const auto size = module_.constants().number(parts[axis]);
        if (!size) throw std::runtime_error("its workgroup size cannot be worked out");
        needs_.local_size[axis] = *size;
    }
}

}  // namespace

KernelNeeds inspect(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> constants) {
    return Inspector(spirv, constants).needs();
}

}  // namespace gridstride::shader
