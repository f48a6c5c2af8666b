#include "lab/host_arrays.h"

#include <algorithm>
#include <cstring>

namespace gridstride::lab {

namespace {

/// Per name: one that the last report holds and one to write. Others are held for good.
constexpr std::ptrdiff_t max_pooled_buffers = 2;

}  // namespace

std::shared_ptr<Array> HostArrays::free_array(const BufferSpec& buffer) {
    for (const auto& [name, array] : pool_)
        if (name == buffer.name && array.use_count() == 1) return array;
    auto fresh = std::make_shared<Array>(buffer.type, buffer.elements());
    std::memset(fresh->raw().data(), 0, fresh->bytes());
    if (std::ranges::count(pool_, buffer.name, &Named::first) == max_pooled_buffers)
        pool_.erase(std::ranges::find(pool_, buffer.name, &Named::first));
    pool_.emplace_back(buffer.name, fresh);
    return fresh;
}

void HostArrays::make_ready(const Plan& plan) {
    made_.clear();
    for (const Step& step : plan.steps)
        if (const auto* download = std::get_if<Download>(&step)) free_array(plan.buffers[download->buffer]);
}

Array& HostArrays::take(const BufferSpec& buffer) {
    auto made = std::ranges::find(made_, buffer.name, &Named::first);
    if (made == made_.end()) made = made_.emplace(made, buffer.name, free_array(buffer));
    return *made->second;
}

void HostArrays::put(const std::string& name, Array array) {
    std::erase_if(made_, [&](const Named& entry) { return entry.first == name; });
    made_.emplace_back(name, std::make_shared<Array>(std::move(array)));
}

const Array* HostArrays::find(const std::string& name) const {
    const auto made = std::ranges::find(made_, name, &Named::first);
    return made == made_.end() ? nullptr : made->second.get();
}

Outputs HostArrays::outputs() const {
    Outputs outputs;
    for (const auto& [name, array] : made_)
        outputs.push_back({name, array});
    return outputs;
}

void HostArrays::give_away() {
    for (const Named& given : made_)
        std::erase_if(pool_, [&](const Named& entry) { return entry.second == given.second; });
    made_.clear();
}

}  // namespace gridstride::lab
