#include "shader/spirv_writer.h"

namespace gridstride::shader {

namespace {

constexpr std::size_t bound_word = 3;

std::uint32_t first_word(spv::Op op, std::size_t words) {
    return static_cast<std::uint32_t>(words << spv::WordCountShift) | op;
}
bool is_type(spv::Op op) {
    return op >= spv::OpTypeVoid && op <= spv::OpTypeForwardPointer;
}
void append(std::vector<std::uint32_t>& to, std::span<const std::uint32_t> words) {
    to.insert(to.end(), words.begin(), words.end());
}

}  // namespace

SpirvWriter::SpirvWriter(std::span<const std::uint32_t> words, const SpirvModule& module)
    : id_bound_(words[bound_word]), words_(words.begin(), words.begin() + spirv_header_words) {
    for (const Instruction& i : module.instructions()) {
        const spv::Op op = opcode_of(i);
        if (!is_type(op) && op != spv::OpConstant) continue;
        std::vector<std::uint32_t> key{op};
        if (op == spv::OpConstant) key.push_back(i[1]);
        const std::size_t result = is_type(op) ? 1 : 2;
        key.insert(key.end(), i.begin() + static_cast<std::ptrdiff_t>(result) + 1, i.end());
        declarations_.emplace(std::move(key), i[result]);
    }
    uint_ = type(spv::OpTypeInt, {32, 0});
    types_ = {first_word(spv::OpTypeInt, 4), uint_, 32, 0};
    new_types_.clear();
}

void SpirvWriter::copy(const Instruction& instruction) {
    const spv::Op op = opcode_of(instruction);
    if (section_ == &words_ && is_type(op)) section_ = &types_;
    if (op == spv::OpFunction) section_ = &functions_;
    const bool is_uint = op == spv::OpTypeInt && instruction[1] == uint_;
    if (!is_uint) append(*section_, instruction);
}

void SpirvWriter::annotate(spv::Op op, std::initializer_list<std::uint32_t> operands) {
    annotations_.push_back(first_word(op, operands.size() + 1));
    append(annotations_, std::span(operands.begin(), operands.size()));
}

std::uint32_t SpirvWriter::add(spv::Op op, std::uint32_t type, std::span<const std::uint32_t> operands) {
    functions_.push_back(first_word(op, operands.size() + 3));
    functions_.push_back(type);
    functions_.push_back(id_bound_);
    append(functions_, operands);
    return id_bound_++;
}

std::uint32_t SpirvWriter::declare(spv::Op op, std::vector<std::uint32_t> operands, bool with_type) {
    operands.insert(operands.begin(), op);
    const auto [known, is_new] = declarations_.emplace(operands, id_bound_);
    if (!is_new) return known->second;
    operands.insert(operands.begin() + (with_type ? 2 : 1), id_bound_);
    operands.front() = first_word(op, operands.size());
    append(new_types_, operands);
    return id_bound_++;
}

std::uint32_t SpirvWriter::type(spv::Op op, std::initializer_list<std::uint32_t> operands) {
    return declare(op, operands, false);
}
std::uint32_t SpirvWriter::uints(std::uint32_t count) {
    return count == 1 ? uint_ : type(spv::OpTypeVector, {uint_, count});
}
std::uint32_t SpirvWriter::constant(std::uint32_t value) {
    return declare(spv::OpConstant, {uints(1), value}, true);
}
std::uint32_t SpirvWriter::structure(std::initializer_list<std::uint32_t> members) {
    new_types_.push_back(first_word(spv::OpTypeStruct, members.size() + 2));
    new_types_.push_back(id_bound_);
    append(new_types_, std::span(members.begin(), members.size()));
    return id_bound_++;
}
std::uint32_t SpirvWriter::variable(std::uint32_t pointer_type, spv::StorageClass storage) {
    new_types_.insert(new_types_.end(), {first_word(spv::OpVariable, 4), pointer_type, id_bound_,
                                         static_cast<std::uint32_t>(storage)});
    return id_bound_++;
}

std::vector<std::uint32_t> SpirvWriter::finish() && {
    words_[bound_word] = id_bound_;
    append(words_, annotations_);
    append(words_, types_);
    append(words_, new_types_);
    append(words_, functions_);
    return std::move(words_);
}

}  // namespace gridstride::shader
