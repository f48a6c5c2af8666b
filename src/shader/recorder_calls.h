// Adds calls of the recorder (shader/recorder.h) to a kernel. Code that computes their arguments is added,
// too; it uses the ids of the kernel's own instructions.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "shader/access_path.h"
#include "shader/spirv_module.h"
#include "shader/spirv_writer.h"

namespace gridstride::shader {

class RecorderCalls {
 public:
    /// The module must have the recorder's functions. Both must outlive this object.
    RecorderCalls(const SpirvModule& module, SpirvWriter& out);

    /// Copies an instruction that precedes the functions, extended by what the calls need.
    void declare(const Instruction& i);

    void begin();
    /// Records an access. value: the id of the value read or written; 0: not recorded. addend: the id of the
    /// scalar that an atomic adds; 0: it does not add.
    void access(std::uint32_t site, const AccessPath& path, std::uint32_t value, std::uint32_t addend = 0);
    /// Records a barrier. `iterations`: see BarrierIterations::iterations().
    void barrier(std::uint32_t site, bool is_subgroup_barrier,
                 std::pair<std::uint32_t, std::uint32_t> iterations);
    /// Records a branch. condition: the id of a bool.
    void branch(std::uint32_t site, std::uint32_t condition);
    void end() { call(end_, {}); }

 private:
    void find_functions();
    void find_launch_words();
    std::uint32_t load_launch_word(std::size_t n);
    std::uint32_t index_to_uint(std::uint32_t index);
    std::uint32_t compute_offset(const AccessPath& path);
    std::uint32_t compute_flags(const AccessPath& path);
    std::vector<std::uint32_t> extract_words(std::uint32_t value, std::uint32_t type);
    std::uint32_t to_uints(std::uint32_t value, std::uint32_t type);
    /// Returns a op b, for operations for which 0 is neutral; adds no instruction if a or b is 0.
    std::uint32_t combine(spv::Op op, std::uint32_t a, std::uint32_t b);
    void call(std::uint32_t function, std::initializer_list<std::uint32_t> operands);

    const SpirvModule& module_;
    SpirvWriter& out_;
    std::uint32_t uint_;
    std::uint32_t begin_ = 0, record_ = 0, barrier_ = 0, branch_ = 0, end_ = 0, void_ = 0;
    std::uint32_t launch_ = 0;        ///< the variable of the push constants
    std::uint32_t launch_block_ = 0;  ///< its type
    /// Members for a slice's first element and first workgroup; nullopt: the kernel has another member there.
    std::array<std::optional<std::uint32_t>, 2> launch_members_;
    std::uint32_t added_members_ = 0;
};

}  // namespace gridstride::shader
