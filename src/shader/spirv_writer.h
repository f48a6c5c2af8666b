// Rewrites a module with added instructions. Instructions are copied or added in order; the types and
// constants that the added ones need are placed before the first function.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <vector>

#include "shader/spirv_module.h"

namespace gridstride::shader {

class SpirvWriter {
 public:
    SpirvWriter(std::span<const std::uint32_t> words, const SpirvModule& module);

    /// Appends an instruction to its section of the module. The type uint moves before all other types, which
    /// may need it.
    void copy(const Instruction& instruction);
    void annotate(spv::Op op, std::initializer_list<std::uint32_t> operands);
    /// Appends an instruction with a result to the functions. Returns the result's id.
    std::uint32_t add(spv::Op op, std::uint32_t type, std::span<const std::uint32_t> operands);
    std::uint32_t add(spv::Op op, std::uint32_t type, std::initializer_list<std::uint32_t> operands) {
        return add(op, type, std::span(operands.begin(), operands.size()));
    }

    /// Reuses the module's type if it has one, because non-aggregate types must not be declared twice.
    std::uint32_t type(spv::Op op, std::initializer_list<std::uint32_t> operands);
    std::uint32_t uints(std::uint32_t count);  ///< uint, uvec2 …
    std::uint32_t constant(std::uint32_t value);
    std::uint32_t structure(std::initializer_list<std::uint32_t> members);          ///< always a new one
    std::uint32_t variable(std::uint32_t pointer_type, spv::StorageClass storage);  ///< always a new one

    std::vector<std::uint32_t> finish() &&;

 private:
    /// Returns the id of a declaration, adding it if necessary. operands exclude the result; with_type: the
    /// first operand is the declaration's type.
    std::uint32_t declare(spv::Op op, std::vector<std::uint32_t> operands, bool with_type);

    std::uint32_t id_bound_;
    std::uint32_t uint_ = 0;
    std::vector<std::uint32_t> words_;  ///< header, then everything before the types
    std::vector<std::uint32_t> annotations_;
    std::vector<std::uint32_t> types_;      ///< with constants and variables
    std::vector<std::uint32_t> new_types_;  ///< added types, which may use those
    std::vector<std::uint32_t> functions_;
    std::vector<std::uint32_t>* section_ = &words_;
    std::map<std::vector<std::uint32_t>, std::uint32_t>
        declarations_;  ///< keyed by opcode and operands without the result
};

}  // namespace gridstride::shader
