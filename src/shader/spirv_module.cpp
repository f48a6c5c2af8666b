#include "shader/spirv_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace gridstride::shader {

namespace {

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

template <class Map>
typename Map::mapped_type find_or_default(const Map& map, const typename Map::key_type& key) {
    const auto found = map.find(key);
    return found == map.end() ? typename Map::mapped_type{} : found->second;
}

}  // namespace

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}
std::uint64_t round_up(std::uint64_t bytes, std::uint64_t alignment) {
    return alignment < 2 ? bytes
                         : saturating_multiply((saturating_add(bytes, alignment - 1)) / alignment, alignment);
}

std::string string_at(const Instruction& i, std::size_t first) {
    std::string decoded;
    for (std::size_t w = first; w < i.size(); ++w)
        for (int shift = 0; shift < 32; shift += 8) {
            const char c = static_cast<char>((i[w] >> shift) & 0xff);
            if (c == '\0') return decoded;
            decoded += c;
        }
    return decoded;
}

SpirvModule::SpirvModule(std::span<const std::uint32_t> words, std::span<const std::uint32_t> constants)
    : constants_(constants) {
    if (words.size() < spirv_header_words || words[0] != spv::MagicNumber)
        throw std::runtime_error("it is not a SPIR-V module");
    std::size_t at = spirv_header_words;
    while (at < words.size()) {
        const std::size_t length = words[at] >> spv::WordCountShift;
        if (length == 0 || length > words.size() - at)
            throw std::runtime_error(fmt::format("its instruction at word {} is truncated", at));
        instructions_.push_back(words.subspan(at, length));
        read(instructions_.back());
        at += length;
    }
    main_begin_ = find_main_begin();
}

std::size_t SpirvModule::find_main_begin() const {
    bool in_main = false;
    for (std::size_t n = 0; n < instructions_.size(); ++n) {
        const spv::Op op = opcode_of(instructions_[n]);
        if (op == spv::OpFunction) in_main = word_at(instructions_[n], 2) == main_;
        const bool is_before_code = op == spv::OpFunction || op == spv::OpFunctionParameter ||
                                    op == spv::OpLabel || op == spv::OpVariable || op == spv::OpLine ||
                                    op == spv::OpNoLine;
        if (in_main && !is_before_code) return n;
    }
    return instructions_.size();
}

const SpirvType& SpirvModule::type(std::uint32_t id) const {
    static const SpirvType none;
    const auto found = types_.find(id);
    return found == types_.end() ? none : found->second;
}
std::uint32_t SpirvModule::type_of(std::uint32_t id) const {
    return find_or_default(type_of_, id);
}
std::string SpirvModule::name(std::uint32_t id) const {
    return find_or_default(names_, id);
}
std::string SpirvModule::member_name(std::uint32_t structure, std::uint32_t member) const {
    return find_or_default(member_names_, {structure, member});
}
std::string SpirvModule::string(std::uint32_t id) const {
    return find_or_default(strings_, id);
}
std::optional<std::uint32_t> SpirvModule::decoration(std::uint32_t id, spv::Decoration decoration) const {
    const auto found = decorations_.find({id, decoration});
    return found == decorations_.end() ? std::nullopt : std::optional(found->second);
}
std::optional<std::uint32_t> SpirvModule::decoration(std::uint32_t structure, std::uint32_t member,
                                                     spv::Decoration decoration) const {
    const auto decorations = member_decorations_.find({structure, member});
    if (decorations == member_decorations_.end()) return std::nullopt;
    const auto found = decorations->second.find(decoration);
    return found == decorations->second.end() ? std::nullopt : std::optional(found->second);
}
bool SpirvModule::points_to_storage_buffer(std::uint32_t pointer_type) const {
    const SpirvType& pointer = type(pointer_type);
    if (pointer.storage == spv::StorageClassStorageBuffer) return true;
    if (pointer.storage != spv::StorageClassUniform) return false;
    const SpirvType& pointee = type(pointer.element);
    const bool is_array =
        pointee.kind == SpirvType::Kind::array || pointee.kind == SpirvType::Kind::runtime_array;
    return decoration(is_array ? pointee.element : pointer.element, spv::DecorationBufferBlock).has_value();
}

void SpirvModule::read(const Instruction& i) {
    constants_.read(i);
    switch (opcode_of(i)) {
        case spv::OpEntryPoint:
            main_ = word_at(i, 2);
            return;
        case spv::OpString:
            strings_[word_at(i, 1)] = string_at(i, 2);
            return;
        case spv::OpName:
            names_[word_at(i, 1)] = string_at(i, 2);
            return;
        case spv::OpMemberName:
            member_names_[{word_at(i, 1), word_at(i, 2)}] = string_at(i, 3);
            return;
        case spv::OpDecorate:
            decorations_[{word_at(i, 1), word_at(i, 2)}] = i.size() > 3 ? i[3] : 1;
            return;
        case spv::OpMemberDecorate:
            member_decorations_[{word_at(i, 1), word_at(i, 2)}][word_at(i, 3)] = i.size() > 4 ? i[4] : 1;
            return;
        default:
            break;
    }
    // If word 1 is a known type, the instruction has a result of that type, because the id that a type
    // declaration defines is new.
    if (types_.contains(word_at(i, 1)))
        type_of_[word_at(i, 2)] = word_at(i, 1);
    else
        read_type(i);
}

void SpirvModule::read_type(const Instruction& i) {
    using Kind = SpirvType::Kind;
    const std::uint32_t element = word_at(i, 2);
    SpirvType result;
    switch (opcode_of(i)) {
        case spv::OpTypeVoid:
            break;
        case spv::OpTypeBool:
            result.kind = Kind::boolean;
            result.bytes = result.alignment = 4;
            break;
        case spv::OpTypeInt:
        case spv::OpTypeFloat:
            result.kind = opcode_of(i) == spv::OpTypeInt ? Kind::integer : Kind::floating;
            result.bits = word_at(i, 2);
            result.is_signed = word_at(i, 3) != 0;
            result.bytes = result.alignment = std::max(result.bits / 8, 1u);
            break;
        case spv::OpTypeVector:
        case spv::OpTypeMatrix: {
            const SpirvType& part = type(element);
            result.kind = opcode_of(i) == spv::OpTypeVector ? Kind::vector : Kind::matrix;
            result.element = element;
            result.count = word_at(i, 3);
            result.stride = round_up(part.bytes, part.alignment);
            result.alignment = result.kind == Kind::matrix
                                   ? part.alignment
                                   : saturating_multiply(part.bytes, result.count == 2 ? 2 : 4);
            result.bytes = saturating_multiply(result.count, result.stride);
            break;
        }
        case spv::OpTypeArray:
            result = make_array_type(i);
            break;
        case spv::OpTypeRuntimeArray:
            result.kind = Kind::runtime_array;
            result.element = element;
            result.alignment = type(element).alignment;
            result.stride =
                std::max<std::uint64_t>(round_up(type(element).bytes, result.alignment),
                                        decoration(word_at(i, 1), spv::DecorationArrayStride).value_or(0));
            break;
        case spv::OpTypeStruct:
            result = make_structure_type(i);
            break;
        case spv::OpTypePointer:
            result.kind = Kind::pointer;
            result.storage = word_at(i, 2);
            result.element = word_at(i, 3);
            break;
        default:
            return;
    }
    types_[word_at(i, 1)] = std::move(result);
}

SpirvType SpirvModule::make_array_type(const Instruction& i) const {
    const SpirvType& element = type(word_at(i, 2));
    const auto length = constants_.number(word_at(i, 3));
    SpirvType result;
    result.kind = SpirvType::Kind::array;
    result.element = word_at(i, 2);
    result.alignment = element.alignment;
    result.count = length.value_or(0);
    result.has_known_length = element.has_known_length && length.has_value();
    const std::uint64_t packed_stride = round_up(element.bytes, element.alignment);
    result.stride = std::max<std::uint64_t>(
        packed_stride, decoration(word_at(i, 1), spv::DecorationArrayStride).value_or(0));
    // With a declared stride, the last element has no padding after it.
    const std::uint64_t last = result.stride == packed_stride ? packed_stride : element.bytes;
    result.bytes =
        result.count == 0 ? 0 : saturating_add(saturating_multiply(result.count - 1, result.stride), last);
    return result;
}

SpirvType SpirvModule::make_structure_type(const Instruction& i) const {
    SpirvType result;
    result.kind = SpirvType::Kind::structure;
    for (std::uint32_t m = 0; m + 2 < i.size(); ++m) {
        const SpirvType& member = type(i[m + 2]);
        result.alignment = std::max(result.alignment, member.alignment);
        result.has_known_length = result.has_known_length && member.has_known_length;
        const auto declared_offset = decoration(i[1], m, spv::DecorationOffset);
        const std::uint64_t offset =
            declared_offset ? *declared_offset : round_up(result.bytes, member.alignment);
        result.members.push_back({i[m + 2], offset});
        result.bytes = std::max(result.bytes, saturating_add(offset, member.bytes));
    }
    return result;
}

}  // namespace gridstride::shader
