// A module written again with more in it: instructions are copied or added one after another, and the types
// and constants that the added ones need are put before the first function.
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
    /// words: the module's, which must outlive it.
    SpirvWriter(std::span<const std::uint32_t> words, const SpirvModule& module);

    /// At the end of the part of the module that it belongs to; uint, which all may need, before all types.
    void copy(const Instruction& instruction);
    void annotate(spv::Op op, std::initializer_list<std::uint32_t> operands);
    /// An instruction with a result, at the end of the functions; its id.
    std::uint32_t add(spv::Op op, std::uint32_t type, std::span<const std::uint32_t> operands);
    std::uint32_t add(spv::Op op, std::uint32_t type, std::initializer_list<std::uint32_t> operands) {
        return add(op, type, std::span(operands.begin(), operands.size()));
    }

    /// The module's own where it has one, as a type that is no structure and no array must not be declared
    /// twice.
    std::uint32_t type(spv::Op op, std::initializer_list<std::uint32_t> operands);
    std::uint32_t uints(std::uint32_t count);  ///< uint, uvec2 …
    std::uint32_t constant(std::uint32_t value);
    std::uint32_t structure(std::initializer_list<std::uint32_t> members);          ///< always a new one
    std::uint32_t variable(std::uint32_t pointer_type, spv::StorageClass storage);  ///< always a new one

    std::vector<std::uint32_t> finish() &&;

 private:
    /// A declaration, by its operands without the result; with_type: the first of them is its type.
    std::uint32_t declare(spv::Op op, std::vector<std::uint32_t> operands, bool with_type);

    std::uint32_t bound_;
    std::uint32_t uint_ = 0;
    std::vector<std::uint32_t> words_;  ///< header, then what stands before the types
    std::vector<std::uint32_t> annotations_;
    std::vector<std::uint32_t> types_;      ///< and constants and variables
    std::vector<std::uint32_t> new_types_;  ///< which lean on them
    std::vector<std::uint32_t> functions_;
    std::vector<std::uint32_t>* part_ = &words_;
    std::map<std::vector<std::uint32_t>, std::uint32_t>
        known_;  ///< by opcode and operands without the result
};

}  // namespace gridstride::shader
