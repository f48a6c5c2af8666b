// Pictures for a page, drawn as in the window.
#pragma once

#include <functional>
#include <string>

#include "lesson/plot.h"

namespace gridstride::ui {

/// Returns a function that draws a picture without a display and returns the PNG. It draws with Vulkan.
/// Throws NoDevice.
std::function<std::string(const Plot&)> make_plot_encoder();

}  // namespace gridstride::ui
