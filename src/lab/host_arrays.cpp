#include "lab/host_arrays.h"

#include <algorithm>
#include <cstring>

namespace gridstride::lab {

namespace {

/// Of one name: one that the last report holds and one to write. More are held by somebody for good.
constexpr std::ptrdiff_t most_in_pool = 2;

template <class List>
auto position(List& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == name; });
}

}  // namespace

std::shared_ptr<Array> HostArrays::free_array(const BufferSpec& buffer) {
    for (const auto& [name, array] : pool_)
        if (name == buffer.name && array.use_count() == 1) return array;
    auto fresh = std::make_shared<Array>(buffer.type, buffer.elements());
    std::memset(fresh->raw().data(), 0, fresh->bytes());
    const auto same_name = [&](const Named& entry) { return entry.first == buffer.name; };
    if (std::count_if(pool_.begin(), pool_.end(), same_name) == most_in_pool)
        pool_.erase(position(pool_, buffer.name));
    pool_.emplace_back(buffer.name, fresh);
    return fresh;
}

void HostArrays::make_ready(const Plan& plan) {
    made_.clear();
    ready_.clear();
    for (const Step& step : plan.steps) {
        const auto* download = std::get_if<Download>(&step);
        if (!download) continue;
        const BufferSpec& buffer = plan.buffers[download->buffer];
        if (position(ready_, buffer.name) == ready_.end())
            ready_.emplace_back(buffer.name, free_array(buffer));
    }
}

Array& HostArrays::take(const BufferSpec& buffer) {
    auto made = position(made_, buffer.name);
    if (made == made_.end()) {
        const auto ready = position(ready_, buffer.name);
        made_.push_back(std::move(*ready));
        ready_.erase(ready);
        made = made_.end() - 1;
    }
    return *made->second;
}

void HostArrays::put(const std::string& name, Array array) {
    std::erase_if(made_, [&](const Named& entry) { return entry.first == name; });
    made_.emplace_back(name, std::make_shared<Array>(std::move(array)));
}

const Array* HostArrays::find(const std::string& name) const {
    const auto made = position(made_, name);
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
