// cuBLAS on the matrix product, timed by CUDA events: what peers.py compiles with nvcc on the spot. Its
// arguments and its answer: cuda_peers.h. INPUT.raw holds a (m x k), then b (k x n), row by row; ANSWER.raw
// gets c (m x n) so, too.
#include <cublas_v2.h>

#include "cuda_peers.h"

namespace {

using peers::device_memory;

void require(cublasStatus_t result, const char* call) {
    if (result != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(result));
}

void run(const peers::Arguments& arguments) {
    if (arguments.task != "matmul") throw std::runtime_error(arguments.task + " is no task of this program");
    if (arguments.shape.size() != 3) throw std::runtime_error("SHAPE of a product is m x n x k");
    const std::size_t rows = arguments.shape[0], columns = arguments.shape[1], depth = arguments.shape[2];
    const std::size_t in_a = rows * depth, in_b = depth * columns, in_c = rows * columns;
    const std::vector<void*> inputs = peers::repeated_inputs(arguments, sizeof(float) * (in_a + in_b));
    auto* const c = static_cast<float*>(device_memory(sizeof(float) * in_c));

    cublasHandle_t handle = nullptr;
    require(cublasCreate(&handle), "cublasCreate");
    // Products in f32: no TF32, no emulation.
    require(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
    const float one = 1, zero = 0;
    const auto m = static_cast<int>(rows), n = static_cast<int>(columns), k = static_cast<int>(depth);
    const auto work = [&](int i) {
        const auto* const a = static_cast<const float*>(inputs[i % arguments.copies]);
        // Column by column, as cuBLAS counts, the transposes lie there: c' = b' a'.
        require(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, a + in_a, n, a, k, &zero, c, n),
                "cublasSgemm");
    };
    peers::answer(arguments, "cublasSgemm", work, c, sizeof(float) * in_c);
    require(cublasDestroy(handle), "cublasDestroy");
}

}  // namespace

int main(int argc, char** argv) {
    return peers::run_main(argc, argv, &run);
}
