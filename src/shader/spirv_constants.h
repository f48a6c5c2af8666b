// The whole numbers among a module's constants, with specialisation constants given: array lengths and
// workgroup sizes are made of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace gridstride::shader {

/// One instruction: word 0 holds its length and opcode.
using Instruction = std::span<const std::uint32_t>;

/// SPIRV-Tools' pass that folds them cannot stand in: 2023.1 dies of the lowest int over -1 (SIGFPE), makes 0
/// of a division by zero, and leaves operations on 64-bit and 16-bit numbers as they are; 2025.1 leaves some
/// of them.
class SpirvConstants {
 public:
    /// given[i] is the value of specialisation constant i.
    explicit SpirvConstants(std::span<const std::uint32_t> given) : given_(given) {}

    /// Takes note of a type, a constant or a decoration; ignores the rest. In the order of the module.
    void read(const Instruction& instruction);

    /// The bits of a boolean or whole number, sign-extended to 64 where the type is signed; nullopt: unknown.
    std::optional<std::uint64_t> number(std::uint32_t id) const;
    /// The parts of a composite constant; empty when it is none.
    const std::vector<std::uint32_t>& parts(std::uint32_t id) const;
    /// Given constants that the module declares with another size than 4 bytes.
    const std::vector<std::uint32_t>& odd() const { return odd_; }

 private:
    struct Type {
        std::uint32_t bits = 0;  ///< 0: neither boolean nor whole number
        bool is_signed = false;
        bool is_float = false;
    };
    struct Number {
        std::uint64_t value = 0;
        std::uint32_t bits = 0;  ///< its type's
    };
    void keep(std::uint32_t type_id, std::uint32_t id, std::uint64_t bits);
    void read_constant(const Instruction& instruction);
    void read_operation(const Instruction& instruction);

    std::span<const std::uint32_t> given_;
    std::map<std::uint32_t, Type> types_;
    std::map<std::uint32_t, std::uint32_t> spec_ids_;  ///< by result id
    std::map<std::uint32_t, Number> numbers_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> composites_;
    std::vector<std::uint32_t> odd_;
};

}  // namespace gridstride::shader
