#include "shader/robust_access.h"

#include <fmt/format.h>

#include <spirv-tools/optimizer.hpp>
#include <stdexcept>
#include <string>

#include "shader/compiler.h"

namespace gridstride::shader {

std::vector<std::uint32_t> clamp_indices(const std::vector<std::uint32_t>& spirv) {
    std::string messages;
    spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_1);
    optimizer.SetMessageConsumer(
        [&](spv_message_level_t level, const char*, const spv_position_t&, const char* message) {
            if (level <= SPV_MSG_ERROR) messages += (messages.empty() ? "" : "; ") + std::string(message);
        });
    optimizer.RegisterPass(spvtools::CreateGraphicsRobustAccessPass());
    std::vector<std::uint32_t> clamped;
    if (!optimizer.Run(spirv.data(), spirv.size(), &clamped))
        throw std::runtime_error(fmt::format("its indices cannot be clamped to its arrays: {}", messages));
    if (const std::string invalid = validate(clamped); !invalid.empty())
        throw std::runtime_error(fmt::format("its indices cannot be clamped to its arrays: {}", invalid));
    return clamped;
}

}  // namespace gridstride::shader
