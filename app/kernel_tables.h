// What the kernels of the lessons declare, for whoever writes one in their place.
#pragma once

#include <string>

namespace gridstride::app {

/// Markdown: for each lesson a table of its variants' bindings, push constants, specialization constants and
/// outputs, at the default values. Read from the plans and from the compiled kernels.
std::string kernel_tables();

}  // namespace gridstride::app
