#include "lesson/host_arrays.h"

#include <algorithm>
#include <cstring>

namespace gridstride {

namespace {

/// Per name: one that the last report holds and one to write. Others are held for good.
constexpr std::ptrdiff_t max_pooled_buffers = 2;

}  // namespace

std::shared_ptr<Array> HostArrays::acquire_free_array(const BufferSpec& buffer) {
    for (const auto& [name, array] : pool_)
        if (name == buffer.name && array.use_count() == 1) return array;
    auto fresh = std::make_shared<Array>(buffer.type, buffer.elements());
    std::memset(fresh->raw().data(), 0, fresh->bytes());
    if (std::ranges::count(pool_, buffer.name, &NamedArrayPtr::first) == max_pooled_buffers)
        pool_.erase(std::ranges::find(pool_, buffer.name, &NamedArrayPtr::first));
    pool_.emplace_back(buffer.name, fresh);
    return fresh;
}

void HostArrays::prepare_pass(const Plan& plan) {
    current_.clear();
    for (const Step& step : plan.steps)
        if (const auto* download = std::get_if<Download>(&step))
            acquire_free_array(plan.buffers[download->buffer]);
}

Array& HostArrays::acquire(const BufferSpec& buffer) {
    auto found = std::ranges::find(current_, buffer.name, &NamedArrayPtr::first);
    if (found == current_.end()) found = current_.emplace(found, buffer.name, acquire_free_array(buffer));
    return *found->second;
}

void HostArrays::store(const std::string& name, Array array) {
    std::erase_if(current_, [&](const NamedArrayPtr& entry) { return entry.first == name; });
    current_.emplace_back(name, std::make_shared<Array>(std::move(array)));
}

const Array* HostArrays::find(const std::string& name) const {
    const auto found = std::ranges::find(current_, name, &NamedArrayPtr::first);
    return found == current_.end() ? nullptr : found->second.get();
}

Outputs HostArrays::outputs() const {
    Outputs outputs;
    for (const auto& [name, array] : current_)
        outputs.push_back({name, array});
    return outputs;
}

void HostArrays::release() {
    for (const NamedArrayPtr& released : current_)
        std::erase_if(pool_, [&](const NamedArrayPtr& entry) { return entry.second == released.second; });
    current_.clear();
}

}  // namespace gridstride
