#include "shader/spirv_constants.h"

#include <spirv/unified1/spirv.hpp>

namespace gridstride::shader {

namespace {

constexpr std::uint32_t bool_bits = 32;

std::uint64_t extend(std::uint64_t bits, std::uint32_t width, bool is_signed) {
    if (width >= 64) return bits;
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    bits &= mask;
    return is_signed && (bits >> (width - 1)) != 0 ? bits | ~mask : bits;
}

/// Returns a op b, or op a; nullopt if the operation is unknown or its result undefined in SPIR-V. Signed
/// operations use sign extension of their operands, unsigned ones zero extension.
std::optional<std::uint64_t> evaluate_operation(spv::Op op, std::uint64_t a, std::uint64_t b,
                                                std::uint32_t width) {
    const auto sa = static_cast<std::int64_t>(extend(a, width, true));
    const auto sb = static_cast<std::int64_t>(extend(b, width, true));
    const std::uint64_t ua = extend(a, width, false);
    const std::uint64_t ub = extend(b, width, false);
    const std::int64_t remainder =
        sb == 0 || sb == -1 ? 0 : sa % sb;  // the lowest number divided by -1 overflows
    switch (op) {
        case spv::OpIAdd:
            return a + b;
        case spv::OpISub:
            return a - b;
        case spv::OpIMul:
            return a * b;
        case spv::OpUDiv:
            return ub == 0 ? std::nullopt : std::optional(ua / ub);
        case spv::OpUMod:
            return ub == 0 ? std::nullopt : std::optional(ua % ub);
        case spv::OpSDiv:
            if (sb == -1) return std::uint64_t{0} - a;
            return sb == 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(sa / sb));
        case spv::OpSRem:
            return sb == 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(remainder));
        case spv::OpSMod:
            if (sb == 0) return std::nullopt;
            return static_cast<std::uint64_t>(remainder != 0 && (remainder < 0) != (sb < 0) ? remainder + sb
                                                                                            : remainder);
        case spv::OpShiftLeftLogical:
            return ub < width ? std::optional(a << ub) : std::nullopt;
        case spv::OpShiftRightLogical:
            return ub < width ? std::optional(ua >> ub) : std::nullopt;
        case spv::OpShiftRightArithmetic:
            return ub < width ? std::optional(static_cast<std::uint64_t>(sa >> ub)) : std::nullopt;
        case spv::OpBitwiseOr:
        case spv::OpLogicalOr:
            return a | b;
        case spv::OpBitwiseAnd:
        case spv::OpLogicalAnd:
            return a & b;
        case spv::OpBitwiseXor:
            return a ^ b;
        case spv::OpIEqual:
        case spv::OpLogicalEqual:
            return ua == ub;
        case spv::OpINotEqual:
        case spv::OpLogicalNotEqual:
            return ua != ub;
        case spv::OpULessThan:
            return ua < ub;
        case spv::OpULessThanEqual:
            return ua <= ub;
        case spv::OpUGreaterThan:
            return ua > ub;
        case spv::OpUGreaterThanEqual:
            return ua >= ub;
        case spv::OpSLessThan:
            return sa < sb;
        case spv::OpSLessThanEqual:
            return sa <= sb;
        case spv::OpSGreaterThan:
            return sa > sb;
        case spv::OpSGreaterThanEqual:
            return sa >= sb;
        case spv::OpSNegate:
            return std::uint64_t{0} - a;
        case spv::OpNot:
            return ~a;
        case spv::OpLogicalNot:
            return a == 0;
        case spv::OpSConvert:
            return static_cast<std::uint64_t>(sa);
        case spv::OpUConvert:
            return ua;
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<std::uint64_t> SpirvConstants::number(std::uint32_t id) const {
    const auto found = numbers_.find(id);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second.value);
}

const std::vector<std::uint32_t>& SpirvConstants::parts(std::uint32_t id) const {
    static const std::vector<std::uint32_t> none;
    const auto found = composites_.find(id);
    return found == composites_.end() ? none : found->second;
}

void SpirvConstants::set_number(std::uint32_t type_id, std::uint32_t id, std::uint64_t bits) {
    const Type t = types_[type_id];
    if (t.bits > 0 && !t.is_float) numbers_[id] = {extend(bits, t.bits, t.is_signed), t.bits};
}

void SpirvConstants::read(const Instruction& i) {
    const std::size_t words = i.size();
    switch (static_cast<spv::Op>(i[0] & spv::OpCodeMask)) {
        case spv::OpDecorate:
            if (words >= 4 && i[2] == spv::DecorationSpecId) spec_ids_[i[1]] = i[3];
            break;
        case spv::OpTypeBool:
            if (words >= 2) types_[i[1]] = {bool_bits, false, false};
            break;
        case spv::OpTypeInt:
            if (words >= 4 && i[2] >= 1 && i[2] <= 64) types_[i[1]] = {i[2], i[3] != 0, false};
            break;
        case spv::OpTypeFloat:
            if (words >= 3) types_[i[1]] = {i[2], false, true};
            break;
        case spv::OpConstantComposite:
        case spv::OpSpecConstantComposite:
            if (words >= 3) composites_[i[2]] = {i.begin() + 3, i.end()};
            break;
        case spv::OpConstantNull:
        case spv::OpConstantTrue:
        case spv::OpConstantFalse:
        case spv::OpSpecConstantTrue:
        case spv::OpSpecConstantFalse:
        case spv::OpConstant:
        case spv::OpSpecConstant:
            if (words >= 3) read_constant(i);
            break;
        case spv::OpSpecConstantOp:
            if (words >= 5) read_operation(i);
            break;
        default:
            break;
    }
}

void SpirvConstants::read_constant(const Instruction& i) {
    const auto op = static_cast<spv::Op>(i[0] & spv::OpCodeMask);
    std::uint64_t bits = op == spv::OpConstantTrue || op == spv::OpSpecConstantTrue ? 1 : 0;
    if (i.size() >= 4) bits = i[3];
    if (i.size() >= 5) bits |= std::uint64_t{i[4]} << 32;

    // Only specialisation constants have a SpecId.
    const auto spec_id = spec_ids_.find(i[2]);
    if (spec_id != spec_ids_.end() && spec_id->second < given_.size()) {
        bits = given_[spec_id->second];
        if (op != spv::OpSpecConstant) bits = bits != 0;
        if (types_[i[1]].bits != 32) non_word_ids_.push_back(spec_id->second);
    }
    set_number(i[1], i[2], bits);
}

void SpirvConstants::read_operation(const Instruction& i) {
    const auto op = static_cast<spv::Op>(i[3]);
    if (op == spv::OpCompositeExtract && i.size() == 6) {
        const auto from = composites_.find(i[4]);
        if (from == composites_.end() || i[5] >= from->second.size()) return;
        if (const auto value = number(from->second[i[5]])) set_number(i[1], i[2], *value);
        return;
    }
    const auto a = numbers_.find(i[4]);
    if (a == numbers_.end()) return;
    const auto [value, width] = a->second;
    std::optional<std::uint64_t> result;
    if (op == spv::OpSelect && i.size() == 7) {
        result = number(value != 0 ? i[5] : i[6]);
    } else if (i.size() == 5) {
        result = evaluate_operation(op, value, 0, width);
    } else if (i.size() == 6) {
        if (const auto b = number(i[5])) result = evaluate_operation(op, value, *b, width);
    }
    if (result) set_number(i[1], i[2], *result);
}

}  // namespace gridstride::shader
