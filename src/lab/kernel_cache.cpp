#include "lab/kernel_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shader/inspect.h"
#include "shader/kernel_store.h"

namespace gridstride::lab {

namespace {
/// More than a person tries in one sitting; then all go, and are made again when wanted.
constexpr std::size_t most_entries = 512;

/// A kernel that reads more than it is given reads anything.
void require_push_constants(const Dispatch& dispatch, const std::vector<std::uint32_t>& spirv,
                            std::uint64_t given) {
    const std::uint64_t needed = shader::inspect(spirv, {}).push_bytes;
    if (needed <= given) return;
    const std::uint64_t own = launch_words * sizeof(std::uint32_t);
    throw std::runtime_error(fmt::format(
        "{} has {} bytes of push constants behind the launch's own (its PARAMETERS), and the plan's dispatch "
        "\"{}\" gives {}. Add them to its `push`, in the same order.",
        dispatch.kernel, needed - own, dispatch.label, given - own));
}
}  // namespace

std::shared_ptr<KernelCache::Entry> KernelCache::get(const Dispatch& dispatch) {
    const std::string key =
        fmt::format("{}|{}|{}|{}|{}", dispatch.kernel, dispatch.workgroup_size,
                    fmt::join(dispatch.constants, ","), dispatch.bindings.size(), dispatch.push.size());
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
    auto spirv = spirv_.find(dispatch.kernel);
    if (spirv == spirv_.end())
        spirv = spirv_.emplace(dispatch.kernel, shader::load_kernel(dispatch.kernel)).first;
    if (entries_.size() >= most_entries) entries_.clear();
    const auto push_bytes =
        static_cast<std::uint32_t>((launch_words + dispatch.push.size()) * sizeof(std::uint32_t));
    require_push_constants(dispatch, spirv->second, push_bytes);
    gpu::Kernel kernel(device_, spirv->second, dispatch.kernel,
                       static_cast<std::uint32_t>(dispatch.bindings.size()), push_bytes,
                       static_cast<std::uint32_t>(dispatch.workgroup_size), dispatch.constants);
    return entries_.emplace(key, std::make_shared<Entry>(Entry{std::move(kernel), false, 0})).first->second;
}

void KernelCache::put(const std::string& kernel, std::vector<std::uint32_t> spirv) {
    spirv_[kernel] = std::move(spirv);
}

void KernelCache::forget(const std::string& kernel) {
    spirv_.erase(kernel);
    std::erase_if(entries_, [&](const auto& entry) { return entry.first.starts_with(kernel + "|"); });
}

}  // namespace gridstride::lab
