#include "shader/recorder_calls.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "shader/recorder.h"

namespace gridstride::shader {

namespace {

using TypeKind = SpirvType::Kind;

constexpr std::uint32_t first_flag = 16;  // bit of a record's first word; the site number is below it
constexpr std::uint32_t max_flags = 16;
constexpr std::size_t max_value_words = 4;
constexpr std::uint32_t first_byte_of_slice =
    28;  // in shaders/common/launch.glsl; the slice's first workgroup follows

}  // namespace

RecorderCalls::RecorderCalls(const SpirvModule& module, SpirvWriter& out)
    : module_(module), out_(out), uint_(out.uints(1)) {
    find_functions();
    find_launch_words();
}

void RecorderCalls::find_functions() {
    for (const Instruction& i : module_.instructions()) {
        if (opcode_of(i) != spv::OpFunction) continue;
        const std::string name = module_.name(i[2]);
        const std::string_view bare = std::string_view(name).substr(0, name.find('('));
        // A kernel may have functions of the same names; the recorder's come last.
        if (bare == begin_function) begin_ = i[2];
        if (bare == record_function) record_ = i[2];
        if (bare == barrier_function) barrier_ = i[2];
        if (bare == branch_function) branch_ = i[2];
        if (bare == end_function) end_ = i[2];
        if (i[2] == end_) void_ = i[1];
    }
}

/// Finds the push constants that say where a slice begins, see shaders/common/launch.glsl. The launch always
/// sets them; they are declared here if the kernel does not declare them.
void RecorderCalls::find_launch_words() {
    for (const Instruction& i : module_.instructions())
        if (opcode_of(i) == spv::OpVariable && i[3] == spv::StorageClassPushConstant) {
            launch_ = i[2];
            launch_block_ = module_.type(i[1]).element;
        }
    const SpirvType& block = module_.type(launch_block_);
    if (launch_ == 0) {
        launch_block_ = out_.structure({uint_, uint_});
        launch_ = out_.variable(out_.type(spv::OpTypePointer, {spv::StorageClassPushConstant, launch_block_}),
                                spv::StorageClassPushConstant);
        out_.annotate(spv::OpDecorate, {launch_block_, spv::DecorationBlock});
    }
    for (std::uint32_t n = 0; n < launch_members_.size(); ++n) {
        const auto byte = static_cast<std::uint32_t>(first_byte_of_slice + n * sizeof(std::uint32_t));
        const auto known = std::ranges::find(block.members, byte, &SpirvType::Member::offset);
        if (known != block.members.end() && known->type == uint_) {
            launch_members_[n] = static_cast<std::uint32_t>(known - block.members.begin());
        } else if (byte >= block.bytes) {
            launch_members_[n] = static_cast<std::uint32_t>(block.members.size()) + added_members_++;
            out_.annotate(spv::OpMemberDecorate,
                          {launch_block_, *launch_members_[n], spv::DecorationOffset, byte});
        }
    }
}

void RecorderCalls::declare(const Instruction& i) {
    std::vector<std::uint32_t> words(i.begin(), i.end());
    if (opcode_of(i) == spv::OpTypeStruct && i[1] == launch_block_) {
        words.insert(words.end(), added_members_, uint_);
        words[0] += added_members_ << spv::WordCountShift;
    }
    out_.copy(words);
}

std::uint32_t RecorderCalls::load_launch_word(std::size_t n) {
    if (!launch_members_[n]) return out_.constant(0);
    const std::uint32_t pointer_type = out_.type(spv::OpTypePointer, {spv::StorageClassPushConstant, uint_});
    const std::uint32_t pointer =
        out_.add(spv::OpAccessChain, pointer_type, {launch_, out_.constant(*launch_members_[n])});
    return out_.add(spv::OpLoad, uint_, {pointer});
}

void RecorderCalls::begin() {
    const std::uint32_t first = load_launch_word(0);
    call(begin_, {first, load_launch_word(1)});
}

void RecorderCalls::access(std::uint32_t site, const AccessPath& path, std::uint32_t value,
                           std::uint32_t addend) {
    std::vector<std::uint32_t> words;
    for (const std::uint32_t number : {value, addend})
        if (number != 0)
            for (const std::uint32_t word : extract_words(number, path.type))
                words.push_back(word);
    words.resize(max_value_words, out_.constant(0));
    const std::uint32_t first_word = combine(spv::OpBitwiseOr, out_.constant(site), compute_flags(path));
    const std::uint32_t offset = compute_offset(path);
    const std::uint32_t values = out_.add(spv::OpCompositeConstruct, out_.uints(max_value_words), words);
    call(record_, {first_word, offset, values});
}

void RecorderCalls::barrier(std::uint32_t site, bool is_subgroup_barrier,
                            std::pair<std::uint32_t, std::uint32_t> iterations) {
    call(barrier_, {out_.constant(site), out_.constant(is_subgroup_barrier ? 0 : 1), iterations.first,
                    iterations.second});
}

void RecorderCalls::branch(std::uint32_t site, std::uint32_t condition) {
    call(branch_, {out_.constant(site), condition});
}

void RecorderCalls::call(std::uint32_t function, std::initializer_list<std::uint32_t> operands) {
    std::vector<std::uint32_t> all{function};
    all.insert(all.end(), operands);
    out_.add(spv::OpFunctionCall, void_, all);
}

std::uint32_t RecorderCalls::combine(spv::Op op, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t zero = out_.constant(0);
    if (a == zero) return b;
    return b == zero ? a : out_.add(op, uint_, {a, b});
}

/// Converts an index modulo 2^32, including negative ones.
std::uint32_t RecorderCalls::index_to_uint(std::uint32_t index) {
    if (const auto known = module_.constants().number(index))
        return out_.constant(static_cast<std::uint32_t>(*known));
    const SpirvType& type = module_.type(module_.type_of(index));
    if (type.bits == 32) return type.is_signed ? out_.add(spv::OpBitcast, uint_, {index}) : index;
    return out_.add(type.is_signed ? spv::OpSConvert : spv::OpUConvert, uint_, {index});
}

std::uint32_t RecorderCalls::compute_offset(const AccessPath& path) {
    auto constant = static_cast<std::uint32_t>(path.offset);
    std::uint32_t sum = out_.constant(0);
    for (const AccessPath::Index& index : path.indices) {
        const auto stride = static_cast<std::uint32_t>(index.stride);
        if (const auto known = module_.constants().number(index.id))
            constant += static_cast<std::uint32_t>(*known) * stride;
        else
            sum = combine(spv::OpIAdd, sum,
                          out_.add(spv::OpIMul, uint_, {index_to_uint(index.id), out_.constant(stride)}));
    }
    return combine(spv::OpIAdd, sum, out_.constant(constant));
}

/// Computes a flag for each out-of-bounds index. As a uint, a negative index exceeds every length.
std::uint32_t RecorderCalls::compute_flags(const AccessPath& path) {
    const std::uint32_t none = out_.constant(0);
    std::uint32_t flags = none;
    for (std::uint32_t n = 0; n < path.indices.size(); ++n) {
        const AccessPath::Index& index = path.indices[n];
        const std::uint32_t flag = out_.constant(1u << (first_flag + std::min(n, max_flags - 1)));
        const auto known = module_.constants().number(index.id);
        if (known && index.count > 0) {
            if (*known >= index.count) flags = combine(spv::OpBitwiseOr, flags, flag);
            continue;
        }
        const std::uint32_t length =
            index.count > 0 ? out_.constant(static_cast<std::uint32_t>(index.count))
                            : out_.add(spv::OpArrayLength, uint_, {path.variable, path.last_member});
        const std::uint32_t is_outside = out_.add(spv::OpUGreaterThanEqual, out_.type(spv::OpTypeBool, {}),
                                                  {index_to_uint(index.id), length});
        flags = combine(spv::OpBitwiseOr, flags, out_.add(spv::OpSelect, uint_, {is_outside, flag, none}));
    }
    return flags;
}

std::vector<std::uint32_t> RecorderCalls::extract_words(std::uint32_t value, std::uint32_t type) {
    if (value_type(module_, type) == trace::ValueType::none) return {};
    const SpirvType& whole = module_.type(type);
    const bool is_vector = whole.kind == TypeKind::vector;
    const std::uint32_t number = is_vector ? whole.element : type;
    const auto part = [&](std::uint32_t part_type, std::uint32_t of, std::uint32_t n) {
        return out_.add(spv::OpCompositeExtract, part_type, {of, n});
    };
    const auto count = static_cast<std::uint32_t>(is_vector ? whole.count : 1);
    std::vector<std::uint32_t> words;
    if (module_.type(number).bits == 64) {
        for (std::uint32_t n = 0; n < count && words.size() < max_value_words; ++n) {
            const std::uint32_t scalar = is_vector ? part(number, value, n) : value;
            const std::uint32_t pair = out_.add(spv::OpBitcast, out_.uints(2), {scalar});
            words.push_back(part(uint_, pair, 0));
            words.push_back(part(uint_, pair, 1));
        }
        return words;
    }
    const std::uint32_t uints = to_uints(value, type);
    if (!is_vector) return {uints};
    for (std::uint32_t n = 0; n < count; ++n)
        words.push_back(part(uint_, uints, n));
    return words;
}

/// Converts numbers of at most 32 bits to uints, component by component, see trace::value_words().
std::uint32_t RecorderCalls::to_uints(std::uint32_t value, std::uint32_t type) {
    const SpirvType& whole = module_.type(type);
    const bool is_vector = whole.kind == TypeKind::vector;
    const auto count = static_cast<std::uint32_t>(is_vector ? whole.count : 1);
    const SpirvType& number = is_vector ? module_.type(whole.element) : whole;
    const std::uint32_t uints = out_.uints(count);
    const auto all = [&](std::uint32_t word) {
        const std::vector<std::uint32_t> parts(count, out_.constant(word));
        return is_vector ? out_.add(spv::OpCompositeConstruct, uints, parts) : parts.front();
    };
    if (number.kind == TypeKind::boolean) {
        const std::uint32_t ones = all(1);
        return out_.add(spv::OpSelect, uints, {value, ones, all(0)});
    }
    if (number.kind == TypeKind::integer && number.bits < 32)
        return out_.add(number.is_signed ? spv::OpSConvert : spv::OpUConvert, uints, {value});
    if (number.kind == TypeKind::integer && !number.is_signed) return value;
    if (number.kind == TypeKind::floating && number.bits < 32) {
        const std::uint32_t single = out_.type(spv::OpTypeFloat, {32});
        value = out_.add(spv::OpFConvert, is_vector ? out_.type(spv::OpTypeVector, {single, count}) : single,
                         {value});
    }
    return out_.add(spv::OpBitcast, uints, {value});
}

}  // namespace gridstride::shader
