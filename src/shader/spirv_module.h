// A module's words, read: its instructions, and what its ids stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <glslang/SPIRV/spirv.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shader/spirv_constants.h"

namespace gridstride::shader {

/// Words before the first instruction.
inline constexpr std::size_t spirv_header_words = 5;

inline spv::Op opcode_of(const Instruction& i) {
    return static_cast<spv::Op>(i[0] & spv::OpCodeMask);
}
inline bool is_atomic(spv::Op op) {
    return (op >= spv::OpAtomicLoad && op <= spv::OpAtomicXor) || op == spv::OpAtomicFAddEXT ||
           op == spv::OpAtomicFMinEXT || op == spv::OpAtomicFMaxEXT;
}
/// 0 behind its end: damaged modules are read, too.
inline std::uint32_t word_of(const Instruction& i, std::size_t at) {
    return at < i.size() ? i[at] : 0;
}
/// A string among the words of an instruction.
std::string text_at(const Instruction& i, std::size_t first);

// Of numbers of bytes: what is too large for 64 bits is the largest number.
std::uint64_t plus(std::uint64_t a, std::uint64_t b);
std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t alignment);

/// Laid out as in std430, booleans in 4 bytes, but for offsets and strides that the module declares.
struct SpirvType {
    enum class Kind {
        other,
        boolean,
        integer,
        floating,
        vector,
        matrix,
        array,
        runtime_array,
        structure,
        pointer
    } kind = Kind::other;
    struct Member {
        std::uint32_t type = 0;
        std::uint64_t offset = 0;
    };
    std::uint64_t bytes = 0;  ///< a last array without a length counts none
    std::uint64_t alignment = 1;
    std::uint32_t bits = 0;  ///< of a number
    bool is_signed = false;
    std::uint32_t element = 0;  ///< what a pointer, array, matrix or vector is of
    std::uint64_t count = 0;    ///< elements of a vector or array, columns of a matrix
    std::uint64_t stride = 0;   ///< bytes from one of them to the next
    std::vector<Member> members;
    std::uint32_t storage = 0;  ///< of a pointer
    bool length_known = true;   ///< of all arrays inside

    bool is_array() const { return kind == Kind::array || kind == Kind::runtime_array; }
};

class SpirvModule {
 public:
    /// constants[i] is the value of specialisation constant i; those beyond keep their defaults. The words
    /// must outlive it. Throws std::runtime_error on words that are no module.
    SpirvModule(std::span<const std::uint32_t> words, std::span<const std::uint32_t> constants);

    /// In the order of the module.
    const std::vector<Instruction>& instructions() const { return instructions_; }
    const SpirvConstants& constants() const { return constants_; }
    /// The default for what is no type.
    const SpirvType& type(std::uint32_t id) const;
    /// Of a value; 0: it is none.
    std::uint32_t type_of(std::uint32_t id) const;
    /// Whether it makes one: a label, say, has a result and no value.
    bool has_value(const Instruction& i) const {
        return types_.contains(word_of(i, 1)) && type_of(word_of(i, 2)) == i[1];
    }
    /// Empty where there is none.
    std::string name(std::uint32_t id) const;
    std::string member_name(std::uint32_t structure, std::uint32_t member) const;
    std::string string(std::uint32_t id) const;
    /// Its first operand, 1 where it has none; nullopt: not decorated so.
    std::optional<std::uint32_t> decoration(std::uint32_t id, spv::Decoration decoration) const;
    std::optional<std::uint32_t> decoration(std::uint32_t structure, std::uint32_t member,
                                            spv::Decoration decoration) const;
    /// Whether what the pointer type points to is a storage buffer's, in the old way of saying it or the new.
    bool to_storage_buffer(std::uint32_t pointer_type) const;

 private:
    void read(const Instruction& i);
    void read_type(const Instruction& i);
    SpirvType array_of(const Instruction& i) const;
    SpirvType structure_of(const Instruction& i) const;

    std::vector<Instruction> instructions_;
    SpirvConstants constants_;
    std::map<std::uint32_t, SpirvType> types_;
    std::map<std::uint32_t, std::uint32_t> type_of_;
    std::map<std::uint32_t, std::string> names_, strings_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> member_names_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> decorations_;
    /// By structure and member, then decoration.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, std::uint32_t>>
        member_decorations_;
};

}  // namespace gridstride::shader
