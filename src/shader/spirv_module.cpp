#include "shader/spirv_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace gridstride::shader {

namespace {

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

template <class Map>
typename Map::mapped_type found_in(const Map& map, const typename Map::key_type& key) {
    const auto found = map.find(key);
    return found == map.end() ? typename Map::mapped_type{} : found->second;
}

}  // namespace

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}
std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t alignment) {
    return alignment < 2 ? bytes : times((plus(bytes, alignment - 1)) / alignment, alignment);
}

std::string text_at(const Instruction& i, std::size_t first) {
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
}

const SpirvType& SpirvModule::type(std::uint32_t id) const {
    static const SpirvType none;
    const auto found = types_.find(id);
    return found == types_.end() ? none : found->second;
}
std::uint32_t SpirvModule::type_of(std::uint32_t id) const {
    return found_in(type_of_, id);
}
std::string SpirvModule::name(std::uint32_t id) const {
    return found_in(names_, id);
}
std::string SpirvModule::member_name(std::uint32_t structure, std::uint32_t member) const {
    return found_in(member_names_, {structure, member});
}
std::string SpirvModule::string(std::uint32_t id) const {
    return found_in(strings_, id);
}
std::optional<std::uint32_t> SpirvModule::decoration(std::uint32_t id, spv::Decoration decoration) const {
    const auto found = decorations_.find({id, decoration});
    return found == decorations_.end() ? std::nullopt : std::optional(found->second);
}
std::optional<std::uint32_t> SpirvModule::decoration(std::uint32_t structure, std::uint32_t member,
                                                     spv::Decoration decoration) const {
    const auto of_member = member_decorations_.find({structure, member});
    if (of_member == member_decorations_.end()) return std::nullopt;
    const auto found = of_member->second.find(decoration);
    return found == of_member->second.end() ? std::nullopt : std::optional(found->second);
}
bool SpirvModule::to_storage_buffer(std::uint32_t pointer_type) const {
    const SpirvType& pointer = type(pointer_type);
    if (pointer.storage == spv::StorageClassStorageBuffer) return true;
    if (pointer.storage != spv::StorageClassUniform) return false;
    const SpirvType& held = type(pointer.element);
    const bool is_array = held.kind == SpirvType::Kind::array || held.kind == SpirvType::Kind::runtime_array;
    return decoration(is_array ? held.element : pointer.element, spv::DecorationBufferBlock).has_value();
}

void SpirvModule::read(const Instruction& i) {
    constants_.read(i);
    switch (opcode_of(i)) {
        case spv::OpString:
            strings_[word_of(i, 1)] = text_at(i, 2);
            return;
        case spv::OpName:
            names_[word_of(i, 1)] = text_at(i, 2);
            return;
        case spv::OpMemberName:
            member_names_[{word_of(i, 1), word_of(i, 2)}] = text_at(i, 3);
            return;
        case spv::OpDecorate:
            decorations_[{word_of(i, 1), word_of(i, 2)}] = i.size() > 3 ? i[3] : 1;
            return;
        case spv::OpMemberDecorate:
            member_decorations_[{word_of(i, 1), word_of(i, 2)}][word_of(i, 3)] = i.size() > 4 ? i[4] : 1;
            return;
        default:
            break;
    }
    // If word 1 is a known type, the instruction has a result of that type, because the id that a type
    // declaration defines is new.
    if (types_.contains(word_of(i, 1)))
        type_of_[word_of(i, 2)] = word_of(i, 1);
    else
        read_type(i);
}

void SpirvModule::read_type(const Instruction& i) {
    using Kind = SpirvType::Kind;
    const std::uint32_t element = word_of(i, 2);
    SpirvType made;
    switch (opcode_of(i)) {
        case spv::OpTypeVoid:
            break;
        case spv::OpTypeBool:
            made.kind = Kind::boolean;
            made.bytes = made.alignment = 4;
            break;
        case spv::OpTypeInt:
        case spv::OpTypeFloat:
            made.kind = opcode_of(i) == spv::OpTypeInt ? Kind::integer : Kind::floating;
            made.bits = word_of(i, 2);
            made.is_signed = word_of(i, 3) != 0;
            made.bytes = made.alignment = std::max(made.bits / 8, 1u);
            break;
        case spv::OpTypeVector:
        case spv::OpTypeMatrix: {
            const SpirvType& part = type(element);
            made.kind = opcode_of(i) == spv::OpTypeVector ? Kind::vector : Kind::matrix;
            made.element = element;
            made.count = word_of(i, 3);
            made.stride = rounded_up(part.bytes, part.alignment);
            made.alignment =
                made.kind == Kind::matrix ? part.alignment : times(part.bytes, made.count == 2 ? 2 : 4);
            made.bytes = times(made.count, made.stride);
            break;
        }
        case spv::OpTypeArray:
            made = array_of(i);
            break;
        case spv::OpTypeRuntimeArray:
            made.kind = Kind::runtime_array;
            made.element = element;
            made.alignment = type(element).alignment;
            made.stride =
                std::max<std::uint64_t>(rounded_up(type(element).bytes, made.alignment),
                                        decoration(word_of(i, 1), spv::DecorationArrayStride).value_or(0));
            break;
        case spv::OpTypeStruct:
            made = structure_of(i);
            break;
        case spv::OpTypePointer:
            made.kind = Kind::pointer;
            made.storage = word_of(i, 2);
            made.element = word_of(i, 3);
            break;
        default:
            return;
    }
    types_[word_of(i, 1)] = std::move(made);
}

SpirvType SpirvModule::array_of(const Instruction& i) const {
    const SpirvType& element = type(word_of(i, 2));
    const auto length = constants_.number(word_of(i, 3));
    SpirvType made;
    made.kind = SpirvType::Kind::array;
    made.element = word_of(i, 2);
    made.alignment = element.alignment;
    made.count = length.value_or(0);
    made.length_known = element.length_known && length.has_value();
    const std::uint64_t natural = rounded_up(element.bytes, element.alignment);
    made.stride =
        std::max<std::uint64_t>(natural, decoration(word_of(i, 1), spv::DecorationArrayStride).value_or(0));
    // With a declared stride, the last element has no padding after it.
    const std::uint64_t last = made.stride == natural ? natural : element.bytes;
    made.bytes = made.count == 0 ? 0 : plus(times(made.count - 1, made.stride), last);
    return made;
}

SpirvType SpirvModule::structure_of(const Instruction& i) const {
    SpirvType made;
    made.kind = SpirvType::Kind::structure;
    for (std::uint32_t m = 0; m + 2 < i.size(); ++m) {
        const SpirvType& member = type(i[m + 2]);
        made.alignment = std::max(made.alignment, member.alignment);
        made.length_known = made.length_known && member.length_known;
        const auto declared = decoration(i[1], m, spv::DecorationOffset);
        const std::uint64_t offset = declared ? *declared : rounded_up(made.bytes, member.alignment);
        made.members.push_back({i[m + 2], offset});
        made.bytes = std::max(made.bytes, plus(offset, member.bytes));
    }
    return made;
}

}  // namespace gridstride::shader
