#include "ui/window/canvas_losses.h"

#include <fmt/format.h>

#include "base/error.h"

namespace gridstride::ui {

void CanvasLosses::add(const std::string& reason, Clock::time_point now) {
    ++count_;
    recent_.push_back(now);
    while (now - recent_.front() > within)
        recent_.pop_front();
    if (recent_.size() < too_many) return;
    throw NoDevice(
        fmt::format("The graphics device that draws the window was lost {} times within {} s ({}). Update "
                    "the graphics driver, or install mesa-vulkan-drivers and set VK_DRIVER_FILES to its "
                    "lvp_icd file to draw in software.",
                    recent_.size(), within.count(), reason));
}

}  // namespace gridstride::ui
