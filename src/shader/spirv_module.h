// Parses a SPIR-V module: its instructions, and the types, names and decorations of its ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp>
#include <string>
#include <utility>
#include <vector>

#include "shader/spirv_constants.h"

namespace gridstride::shader {

inline constexpr std::size_t spirv_header_words = 5;

inline spv::Op opcode_of(const Instruction& i) {
    return static_cast<spv::Op>(i[0] & spv::OpCodeMask);
}
inline bool is_atomic(spv::Op op) {
    return (op >= spv::OpAtomicLoad && op <= spv::OpAtomicXor) || op == spv::OpAtomicFAddEXT ||
           op == spv::OpAtomicFMinEXT || op == spv::OpAtomicFMaxEXT;
}
/// Returns a word of an instruction, or 0 past its end, because damaged modules are read, too.
inline std::uint32_t word_at(const Instruction& i, std::size_t at) {
    return at < i.size() ? i[at] : 0;
}
/// Decodes the string that begins at a word of an instruction.
std::string string_at(const Instruction& i, std::size_t first);

// Arithmetic on byte counts that saturates at the largest 64-bit number.
std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b);
std::uint64_t round_up(std::uint64_t bytes, std::uint64_t alignment);

/// A type with its layout: offsets and strides as declared by the module, otherwise std430 with 4-byte
/// booleans.
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
    std::uint64_t bytes = 0;  ///< without a runtime array
    std::uint64_t alignment = 1;
    std::uint32_t bits = 0;  ///< of a number
    bool is_signed = false;
    std::uint32_t element = 0;  ///< element type of a pointer, array, matrix or vector
    std::uint64_t count = 0;    ///< elements of a vector or array, columns of a matrix
    std::uint64_t stride = 0;   ///< bytes from one to the next
    std::vector<Member> members;
    std::uint32_t storage = 0;     ///< storage class of a pointer
    bool has_known_length = true;  ///< for all arrays inside

    bool is_array() const { return kind == Kind::array || kind == Kind::runtime_array; }
};

class SpirvModule {
 public:
    /// constants[i] is the value of specialisation constant i; later ones keep their defaults. The words must
    /// outlive this object. Throws std::runtime_error if they are not a module.
    SpirvModule(std::span<const std::uint32_t> words, std::span<const std::uint32_t> constants);

    const std::vector<Instruction>& instructions() const { return instructions_; }
    const SpirvConstants& constants() const { return constants_; }
    /// Returns the function that the entry point names; 0: there is no entry point.
    std::uint32_t main() const { return main_; }
    /// Returns the index of the instruction of main() that runs first, after its variables; the number of
    /// instructions if there is none.
    std::size_t main_begin() const { return main_begin_; }
    /// Returns a default SpirvType if the id is not a type.
    const SpirvType& type(std::uint32_t id) const;
    /// Returns the type of a value; 0 if the id is not a value.
    std::uint32_t type_of(std::uint32_t id) const;
    /// Returns true if the result is a value; a label, for example, is a result without a value.
    bool has_value(const Instruction& i) const {
        return types_.contains(word_at(i, 1)) && type_of(word_at(i, 2)) == i[1];
    }
    /// Names and strings are empty if the module has none.
    std::string name(std::uint32_t id) const;
    std::string member_name(std::uint32_t structure, std::uint32_t member) const;
    std::string string(std::uint32_t id) const;
    /// Returns the first operand of a decoration, 1 if it has none, or nullopt if it is missing.
    std::optional<std::uint32_t> decoration(std::uint32_t id, spv::Decoration decoration) const;
    std::optional<std::uint32_t> decoration(std::uint32_t structure, std::uint32_t member,
                                            spv::Decoration decoration) const;
    /// Returns true if the pointer type points into a storage buffer, declared with the StorageBuffer class
    /// or with the older BufferBlock decoration.
    bool points_to_storage_buffer(std::uint32_t pointer_type) const;

 private:
    void read(const Instruction& i);
    std::size_t find_main_begin() const;
    void read_type(const Instruction& i);
    SpirvType make_array_type(const Instruction& i) const;
    SpirvType make_structure_type(const Instruction& i) const;

    std::vector<Instruction> instructions_;
    std::uint32_t main_ = 0;
    std::size_t main_begin_ = 0;
    SpirvConstants constants_;
    std::map<std::uint32_t, SpirvType> types_;
    std::map<std::uint32_t, std::uint32_t> type_of_;
    std::map<std::uint32_t, std::string> names_, strings_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> member_names_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> decorations_;
    /// Keyed by structure and member, then decoration.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, std::uint32_t>>
        member_decorations_;
};

}  // namespace gridstride::shader
