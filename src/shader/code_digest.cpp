#include "shader/code_digest.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <spirv-tools/optimizer.hpp>
#include <stdexcept>

#include "base/file.h"
#include "shader/kernel_store.h"

namespace gridstride::shader {

namespace {

constexpr std::size_t header_words = 5;  // magic, version, generator, bound of the ids, schema

/// FNV-1a, 64 bits, word by word (http://www.isthe.com/chongo/tech/comp/fnv/).
std::uint64_t hash_of(std::span<const std::uint32_t> words) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::uint32_t word : words)
        hash = (hash ^ word) * 0x100000001b3u;
    return hash;
}

using Digests = std::multimap<std::uint64_t, std::string>;

Digests compute_digests(const std::string& folder) {
    namespace fs = std::filesystem;
    Digests digests;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(data_directory() / "kernels" / folder, none)) {
        if (entry.path().extension() != ".spv") continue;
        const fs::path kernel =
            entry.path().lexically_relative(data_directory() / "kernels").replace_extension();
        digests.emplace(code_digest(load_kernel(kernel.generic_string())),
                        parse_kernel_name(kernel.generic_string()).file);
    }
    return digests;
}

}  // namespace

std::uint64_t code_digest(const std::vector<std::uint32_t>& spirv) {
    std::string messages;
    spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_1);
    optimizer.SetMessageConsumer(
        [&](spv_message_level_t level, const char*, const spv_position_t&, const char* message) {
            if (level <= SPV_MSG_ERROR) messages += (messages.empty() ? "" : "; ") + std::string(message);
        });
    optimizer.RegisterPass(spvtools::CreateStripDebugInfoPass())
        .RegisterPerformancePasses()
        .RegisterPass(spvtools::CreateCompactIdsPass());
    std::vector<std::uint32_t> stripped;
    if (!optimizer.Run(spirv.data(), spirv.size(), &stripped) || stripped.size() < header_words)
        throw std::runtime_error(
            fmt::format("the kernel cannot be compared with the shipped kernels: {}", messages));
    return hash_of(std::span(stripped).subspan(header_words));
}

std::vector<std::string> find_shipped_kernels(std::uint64_t digest, const std::string& folder) {
    static std::mutex digests_mutex;
    static std::map<std::string, Digests> digests_by_folder;
    const std::lock_guard lock(digests_mutex);
    const auto [digests, is_new] = digests_by_folder.try_emplace(folder);
    if (is_new) digests->second = compute_digests(folder);
    const auto [first, last] = digests->second.equal_range(digest);
    std::set<std::string> files;
    for (auto one = first; one != last; ++one)
        files.insert(one->second);
    return {files.begin(), files.end()};
}

}  // namespace gridstride::shader
