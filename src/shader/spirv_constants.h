// Evaluates the integer constants of a module for given specialisation constants; array lengths and workgroup
// sizes depend on them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace gridstride::shader {

using Instruction = std::span<const std::uint32_t>;

/// SPIRV-Tools' folding pass cannot replace this class: version 2023.1 crashes on the lowest int divided by
/// -1 (SIGFPE), folds a division by zero to 0, and does not fold operations on 64-bit and 16-bit numbers;
/// 2025.1 does not fold some of them.
class SpirvConstants {
 public:
    /// given[i] is the value of specialisation constant i; others have their defaults.
    explicit SpirvConstants(std::span<const std::uint32_t> given) : given_(given) {}

    /// Reads a type, constant or decoration and ignores other instructions. Call it in module order.
    void read(const Instruction& instruction);

    /// Returns a boolean or integer, widened to 64 bits with its sign if signed; nullopt: unknown.
    std::optional<std::uint64_t> number(std::uint32_t id) const;
    /// Returns the parts of a composite constant; empty if it is not one.
    const std::vector<std::uint32_t>& parts(std::uint32_t id) const;
    /// Returns the given constants whose declared size is not 4 bytes.
    const std::vector<std::uint32_t>& non_word_ids() const { return non_word_ids_; }

 private:
    struct Type {
        std::uint32_t bits = 0;  ///< 0: neither boolean nor integer
        bool is_signed = false;
        bool is_float = false;
    };
    struct Number {
        std::uint64_t value = 0;
        std::uint32_t bits = 0;  ///< of its type
    };
    void set_number(std::uint32_t type_id, std::uint32_t id, std::uint64_t bits);
    void read_constant(const Instruction& instruction);
    void read_operation(const Instruction& instruction);

    std::span<const std::uint32_t> given_;
    std::map<std::uint32_t, Type> types_;
    std::map<std::uint32_t, std::uint32_t> spec_ids_;  ///< by result id
    std::map<std::uint32_t, Number> numbers_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> composites_;
    std::vector<std::uint32_t> non_word_ids_;
};

}  // namespace gridstride::shader
