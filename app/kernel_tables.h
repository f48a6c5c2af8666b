// Tables of the interfaces of all kernels, for authors of replacement kernels.
#pragma once

#include <string>

namespace gridstride::app {

/// Returns Markdown with a table for each lesson: bindings, push constants, specialization constants and
/// outputs of its variants, at the default values. They come from the plans and the compiled kernels.
std::string make_kernel_tables();

}  // namespace gridstride::app
