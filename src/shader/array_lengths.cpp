#include "shader/array_lengths.h"

#include <array>
#include <map>
#include <set>
#include <utility>

#include "shader/spirv_module.h"
#include "shader/spirv_writer.h"

namespace gridstride::shader {

namespace {

class ArrayLengths {
 public:
    explicit ArrayLengths(const std::vector<std::uint32_t>& spirv)
        : module_(spirv, {}), out_(spirv, module_) {
        std::set<std::uint32_t> buffers;
        for (const Instruction& i : module_.instructions()) {
            if (opcode_of(i) == spv::OpVariable && i[3] != spv::StorageClassFunction) buffers.insert(i[2]);
            if (opcode_of(i) == spv::OpArrayLength && buffers.contains(i[3])) lengths_[{i[3], i[4]}] = 0;
        }
    }

    bool empty() const { return lengths_.empty(); }
    std::vector<std::uint32_t> write() {
        const std::uint32_t uint = out_.uints(1);
        const std::uint32_t pointer = out_.type(spv::OpTypePointer, {spv::StorageClassPrivate, uint});
        for (auto& [array, variable] : lengths_)
            variable = out_.variable(pointer, spv::StorageClassPrivate);
        for (std::size_t n = 0; n < module_.instructions().size(); ++n) {
            const Instruction& i = module_.instructions()[n];
            if (n == module_.main_begin()) store_lengths(uint);
            const auto length =
                opcode_of(i) == spv::OpArrayLength ? lengths_.find({i[3], i[4]}) : lengths_.end();
            if (length == lengths_.end())
                out_.copy(i);
            else
                out_.copy(std::array{4U << spv::WordCountShift | spv::OpLoad, i[1], i[2], length->second});
        }
        return std::move(out_).finish();
    }

 private:
    void store_lengths(std::uint32_t uint) {
        for (const auto& [array, variable] : lengths_) {
            const std::uint32_t length = out_.add(spv::OpArrayLength, uint, {array.first, array.second});
            out_.copy(std::array{3U << spv::WordCountShift | spv::OpStore, variable, length});
        }
    }

    SpirvModule module_;
    SpirvWriter out_;
    /// The private variable of each array, by its buffer's variable and its member.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lengths_;
};

}  // namespace

std::vector<std::uint32_t> hoist_array_lengths(const std::vector<std::uint32_t>& spirv) {
    ArrayLengths lengths(spirv);
    return lengths.empty() ? spirv : lengths.write();
}

}  // namespace gridstride::shader
