// The matrix product with cuBLAS, timed by CUDA events. peers.py compiles this with nvcc. cuda_peers.h
// documents the arguments and the answer. INPUT.raw holds a (m x k) and then b (k x n), of f32 or, for
// matmul_f16, f16; ANSWER.raw receives c (m x n) of f32. All are row-major.
#include <cublas_v2.h>

#include "cuda_peers.h"

namespace {

using peers::allocate_device;

void require(cublasStatus_t result, const char* call) {
    if (result != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(result));
}

void run(const peers::Arguments& arguments) {
    const bool is_half = arguments.task == "matmul_f16";
    if (!is_half && arguments.task != "matmul")
        throw std::runtime_error(arguments.task + " is no task of this program");
    if (arguments.shape.size() != 3) throw std::runtime_error("SHAPE of a product is m x n x k");
    const std::size_t rows = arguments.shape[0], columns = arguments.shape[1], depth = arguments.shape[2];
    const std::size_t a_count = rows * depth, b_count = depth * columns, c_count = rows * columns;
    const std::size_t factor_bytes = is_half ? 2 : sizeof(float);
    const std::vector<void*> inputs = peers::load_inputs(arguments, factor_bytes * (a_count + b_count));
    auto* const c = static_cast<float*>(allocate_device(sizeof(float) * c_count));

    cublasHandle_t handle = nullptr;
    require(cublasCreate(&handle), "cublasCreate");
    // Products of f32 use f32, without TF32 and without emulation.
    require(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
    const float one = 1, zero = 0;
    const auto m = static_cast<int>(rows), n = static_cast<int>(columns), k = static_cast<int>(depth);
    const cudaDataType factors = is_half ? CUDA_R_16F : CUDA_R_32F;
    const auto work = [&](int i) {
        const auto* const a = static_cast<const char*>(inputs[i % arguments.copies]);
        // cuBLAS is column-major, so it sees the transposes and computes c' = b' a'.
        require(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, a + factor_bytes * a_count, factors, n, a,
                             factors, k, &zero, c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                "cublasGemmEx");
    };
    peers::answer(arguments, is_half ? "cublasGemmEx, f16, added in f32" : "cublasGemmEx, f32", work, c,
                  sizeof(float) * c_count);
    require(cublasDestroy(handle), "cublasDestroy");
}

}  // namespace

int main(int argc, char** argv) {
    return peers::run_main(argc, argv, &run);
}
