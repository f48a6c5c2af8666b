// Which of two extensions the cooperative matrices of kernels use. CMakeLists.txt looks whether glslang and
// the Vulkan headers know the KHR extension; both know that of NVIDIA.
#pragma once

#include <string_view>

namespace gridstride::shader {

#ifdef GRIDSTRIDE_KHR_COOPERATIVE_MATRIX
inline constexpr std::string_view cooperative_matrix_capability = "CooperativeMatrixKHR",
                                  cooperative_matrix_spirv = "SPV_KHR_cooperative_matrix",
                                  cooperative_matrix_glsl = "GL_KHR_cooperative_matrix";
#else
inline constexpr std::string_view cooperative_matrix_capability = "CooperativeMatrixNV",
                                  cooperative_matrix_spirv = "SPV_NV_cooperative_matrix",
                                  cooperative_matrix_glsl = "GL_NV_cooperative_matrix";
#endif

}  // namespace gridstride::shader
