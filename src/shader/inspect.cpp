#include "shader/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <glslang/SPIRV/spirv.hpp>
#include <limits>
#include <map>
#include <spirv-tools/libspirv.hpp>
#include <stdexcept>

#include "shader/spirv_constants.h"

namespace gridstride::shader {

namespace {

constexpr std::size_t header_words = 5;

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}
std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t alignment) {
    return alignment < 2 ? bytes : times((plus(bytes, alignment - 1)) / alignment, alignment);
}

struct Type {
    enum class Kind { other, pointer, structure, array, runtime_array } kind = Kind::other;
    std::uint64_t bytes = 0;  ///< laid out as in std430, booleans in 4 bytes
    std::uint64_t alignment = 1;
    std::uint32_t storage = 0;  ///< of a pointer
    std::uint32_t element = 0;  ///< what a pointer or an array is of
    bool length_known = true;   ///< of all arrays inside
};

/// A string among the words of an instruction.
std::string text_at(const Instruction& i, std::size_t first) {
    std::string text;
    for (std::size_t w = first; w < i.size(); ++w)
        for (int shift = 0; shift < 32; shift += 8) {
            const char c = static_cast<char>((i[w] >> shift) & 0xff);
            if (c == '\0') return text;
            text += c;
        }
    return text;
}

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

/// Reads a module once, from front to back: whatever is used has been declared before.
class Inspector {
 public:
    explicit Inspector(std::span<const std::uint32_t> given) : constants_(given) {}

    void read(const Instruction& i);
    KernelNeeds finish() &&;

 private:
    void read_decoration(const Instruction& i);
    void read_type(const Instruction& i);
    Type array_of(const Instruction& i);
    Type structure_of(const Instruction& i);
    void read_variable(const Instruction& i);
    void read_resource(std::uint32_t id, std::uint32_t storage, std::uint32_t type_id);

    SpirvConstants constants_;
    KernelNeeds needs_;
    std::uint32_t main_ = 0;
    std::uint32_t workgroup_size_ = 0;  ///< the constant that holds it; 0: none
    // Of what was not declared there is the default.
    std::map<std::uint32_t, Type> types_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> decorations_;
    std::map<std::uint32_t, std::uint32_t> pointers_;  ///< pointer values: their types
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> offsets_;  ///< by structure and member
};

void Inspector::read(const Instruction& i) {
    constants_.read(i);
    const std::size_t words = i.size();
    switch (static_cast<spv::Op>(i[0] & spv::OpCodeMask)) {
        case spv::OpCapability:
            if (words >= 2) needs_.capabilities.push_back(capability_name(i[1]));
            break;
        case spv::OpExtension:
            needs_.extensions.push_back(text_at(i, 1));
            break;
        case spv::OpEntryPoint:
            if (words >= 4 && i[1] == spv::ExecutionModelGLCompute && text_at(i, 3) == "main") {
                needs_.compute_main = true;
                main_ = i[2];
            }
            break;
        case spv::OpExecutionMode:
            if (words >= 6 && i[1] == main_ && i[2] == spv::ExecutionModeLocalSize)
                needs_.local_size = {i[3], i[4], i[5]};
            break;
        case spv::OpDecorate:
            read_decoration(i);
            break;
        case spv::OpMemberDecorate:
            if (words >= 5 && i[3] == spv::DecorationOffset) offsets_[{i[1], i[2]}] = i[4];
            break;
        case spv::OpVariable:
            if (words >= 4) read_variable(i);
            break;
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
        case spv::OpFunctionParameter:
        case spv::OpCopyObject:
            if (words >= 3) pointers_[i[2]] = i[1];
            break;
        case spv::OpLoopMerge:
            needs_.loops = true;
            break;
        case spv::OpAtomicFAddEXT:
            if (words >= 4 && types_[pointers_[i[3]]].storage == spv::StorageClassWorkgroup)
                needs_.shared_float_atomics = true;
            break;
        default:
            read_type(i);
            break;
    }
}

void Inspector::read_decoration(const Instruction& i) {
    if (i.size() < 3) return;
    if (i[2] == spv::DecorationBuiltIn && i.size() >= 4 && i[3] == spv::BuiltInWorkgroupSize)
        workgroup_size_ = i[1];
    decorations_[{i[1], i[2]}] = i.size() >= 4 ? i[3] : 1;
}

Type Inspector::array_of(const Instruction& i) {
    const Type element = types_[i[2]];
    Type made = element;
    made.kind = Type::Kind::array;
    made.element = i[2];
    const auto length = constants_.number(i[3]);
    made.length_known = element.length_known && length.has_value();
    const std::uint64_t natural = rounded_up(element.bytes, element.alignment);
    const std::uint64_t stride =
        std::max<std::uint64_t>(natural, decorations_[{i[1], spv::DecorationArrayStride}]);
    // The last element takes no more than its own bytes where a stride is declared.
    const std::uint64_t count = length.value_or(0);
    made.bytes = count == 0 ? 0 : plus(times(count - 1, stride), stride == natural ? natural : element.bytes);
    return made;
}

Type Inspector::structure_of(const Instruction& i) {
    Type made;
    made.kind = Type::Kind::structure;
    std::uint64_t end = 0;
    for (std::size_t m = 2; m < i.size(); ++m) {
        const Type member = types_[i[m]];
        made.alignment = std::max(made.alignment, member.alignment);
        made.length_known = made.length_known && member.length_known;
        const auto offset = offsets_.find({i[1], static_cast<std::uint32_t>(m - 2)});
        const std::uint64_t at =
            offset != offsets_.end() ? offset->second : rounded_up(end, member.alignment);
        end = std::max(end, plus(at, member.bytes));
    }
    made.bytes = end;
    return made;
}

void Inspector::read_type(const Instruction& i) {
    const std::size_t words = i.size();
    Type made;
    switch (static_cast<spv::Op>(i[0] & spv::OpCodeMask)) {
        case spv::OpTypeBool:
            made.bytes = made.alignment = 4;
            break;
        case spv::OpTypeInt:
        case spv::OpTypeFloat:
            if (words < 3) return;
            made.bytes = made.alignment = std::max(i[2] / 8, 1u);
            break;
        case spv::OpTypeVector:
        case spv::OpTypeMatrix: {
            if (words < 4) return;
            const Type part = types_[i[2]];
            const bool is_matrix = (i[0] & spv::OpCodeMask) == spv::OpTypeMatrix;
            made.alignment = is_matrix ? part.alignment : times(part.bytes, i[3] == 2 ? 2 : 4);
            made.bytes = times(i[3], rounded_up(part.bytes, part.alignment));
            break;
        }
        case spv::OpTypeArray:
            if (words < 4) return;
            made = array_of(i);
            break;
        case spv::OpTypeRuntimeArray:
            if (words < 3) return;
            made.kind = Type::Kind::runtime_array;
            made.element = i[2];
            made.alignment = types_[i[2]].alignment;
            break;
        case spv::OpTypeStruct:
            if (words < 2) return;
            made = structure_of(i);
            break;
        case spv::OpTypePointer:
            if (words < 4) return;
            made.kind = Type::Kind::pointer;
            made.storage = i[2];
            made.element = i[3];
            break;
        default:
            return;
    }
    types_[i[1]] = made;
}

void Inspector::read_variable(const Instruction& i) {
    pointers_[i[2]] = i[1];
    const Type held = types_[types_[i[1]].element];
    if (!held.length_known) throw std::runtime_error("the length of an array cannot be worked out");
    const std::uint64_t bytes = rounded_up(held.bytes, held.alignment);
    switch (i[3]) {
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
            read_resource(i[2], i[3], types_[i[1]].element);
            break;
        default:
            break;
    }
}

void Inspector::read_resource(std::uint32_t id, std::uint32_t storage, std::uint32_t type_id) {
    BindingNeed need;
    need.set = decorations_[{id, spv::DecorationDescriptorSet}];
    need.binding = decorations_[{id, spv::DecorationBinding}];
    const Type::Kind kind = types_[type_id].kind;
    need.array = kind == Type::Kind::array || kind == Type::Kind::runtime_array;
    const std::uint32_t block = need.array ? types_[type_id].element : type_id;
    need.bytes = types_[block].bytes;
    need.storage_buffer =
        storage == spv::StorageClassStorageBuffer ||
        (storage == spv::StorageClassUniform && decorations_[{block, spv::DecorationBufferBlock}] != 0);
    needs_.bindings.push_back(need);
}

KernelNeeds Inspector::finish() && {
    if (workgroup_size_ != 0) {
        const std::vector<std::uint32_t> parts = constants_.parts(workgroup_size_);
        for (std::size_t axis = 0; axis < std::min<std::size_t>(parts.size(), 3); ++axis) {
            const auto size = constants_.number(parts[axis]);
            if (!size) throw std::runtime_error("its workgroup size cannot be worked out");
            needs_.local_size[axis] = *size;
        }
    }
    needs_.odd_constants = constants_.odd();
    return std::move(needs_);
}

}  // namespace

KernelNeeds inspect(std::span<const std::uint32_t> spirv, std::span<const std::uint32_t> constants) {
    if (spirv.size() < header_words || spirv[0] != spv::MagicNumber)
        throw std::runtime_error("it is no SPIR-V module");
    Inspector inspector(constants);
    std::size_t at = header_words;
    while (at < spirv.size()) {
        const std::size_t words = spirv[at] >> spv::WordCountShift;
        if (words == 0 || words > spirv.size() - at)
            throw std::runtime_error(fmt::format("its instruction at word {} has no end", at));
        inspector.read(spirv.subspan(at, words));
        at += words;
    }
    return std::move(inspector).finish();
}

}  // namespace gridstride::shader
