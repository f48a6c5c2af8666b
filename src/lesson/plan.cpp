#include "lesson/plan.h"

#include <stdexcept>

namespace gridstride {

const Dispatch& main_dispatch(const Plan& plan) {
    for (const Step& step : plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) return *dispatch;
    throw std::logic_error("a plan has at least one dispatch");
}

}  // namespace gridstride
