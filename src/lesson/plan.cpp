#include "lesson/plan.h"

#include <stdexcept>

namespace gridstride {

const Dispatch& main_dispatch(const Plan& plan) {
    for (const Step& step : plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) return *dispatch;
    throw std::logic_error("a plan has at least one dispatch");
}

namespace {

template <class Copy>
std::uint64_t copied_bytes(const Plan& plan) {
    std::uint64_t bytes = 0;
    for (const Step& step : plan.steps) {
        const auto* copy = std::get_if<Copy>(&step);
        if (!copy) continue;
        const BufferSpec& buffer = plan.buffers[copy->buffer];
        bytes += buffer.elements * byte_size(buffer.type);
    }
    return bytes;
}

}  // namespace

std::uint64_t uploaded_bytes(const Plan& plan) {
    return copied_bytes<Upload>(plan);
}
std::uint64_t downloaded_bytes(const Plan& plan) {
    return copied_bytes<Download>(plan);
}

}  // namespace gridstride
