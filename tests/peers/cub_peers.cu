// The tasks of the lessons with CUB, timed by CUDA events. peers.py compiles this with nvcc. cuda_peers.h
// documents the arguments and the answer.
//
// TASK: sum_u32, sum_f32, scan_u32, compaction, histogram, gaussian (no CUB: a kernel of 16-byte loads) or copy (cudaMemcpy
// on the device).
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include "cuda_peers.h"

namespace {

using peers::allocate_device;
using peers::require;

__device__ float density(float x) {
    return 0.3989422804f * expf(-0.5f * x * x);
}

__global__ void gaussian(const float4* x, float4* densities, int quads) {
    const int grid = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += grid) {
        const float4 v = x[i];
        densities[i] = make_float4(density(v.x), density(v.y), density(v.z), density(v.w));
    }
}

using Sample = std::int16_t;
using Survivor = thrust::tuple<int, Sample>;
struct Survives {
    __device__ bool operator()(const Survivor& one) const { return thrust::get<1>(one) >= 15; }
};

/// The app's answer: all positions, then all values.
__global__ void widen(const int* positions, const Sample* values, int count, int* answer) {
    const int grid = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += grid) {
        answer[i] = positions[i];
        answer[count + i] = values[i];
    }
}

bool is_known(const std::string& task) {
    for (const char* name :
         {"sum_u32", "sum_f32", "scan_u32", "compaction", "histogram", "gaussian", "copy"})
        if (task == name) return true;
    return false;
}

void run(const peers::Arguments& arguments) {
    const std::string& task = arguments.task;
    if (!is_known(task)) throw std::runtime_error(task + " is no task of this program");
    const auto n = static_cast<int>(arguments.shape[0]);
    const int bins = arguments.bins, copies = arguments.copies;
    const std::size_t bytes = (task == "compaction" ? sizeof(Sample) : 4) * n;
    const std::vector<void*> inputs = peers::load_inputs(arguments, bytes);

    std::function<void(int)> work;
    std::string implementation;
    std::size_t answer_bytes = 4;
    void* output = nullptr;
    void* scratch = nullptr;
    std::size_t scratch_bytes = 0;
    // A CUB call without scratch memory returns the size that it needs.
    const auto set_cub_call = [&](std::function<cudaError_t(void*, std::size_t&, void*)> call,
                                  const char* name) {
        require(call(nullptr, scratch_bytes, inputs[0]), name);
        scratch = allocate_device(scratch_bytes);
        work = [&, call, name](int i) { require(call(scratch, scratch_bytes, inputs[i % copies]), name); };
        implementation = name;
    };
    if (task == "sum_u32" || task == "sum_f32") {
        output = allocate_device(4);
        const bool is_integer = task == "sum_u32";
        set_cub_call(
            [=](void* temporary, std::size_t& size, void* input) {
                if (is_integer)
                    return cub::DeviceReduce::Sum(temporary, size, static_cast<const std::uint32_t*>(input),
                                                  static_cast<std::uint32_t*>(output), n);
                return cub::DeviceReduce::Sum(temporary, size, static_cast<const float*>(input),
                                              static_cast<float*>(output), n);
            },
            "cub::DeviceReduce::Sum");
    } else if (task == "scan_u32") {
        answer_bytes = bytes;
        output = allocate_device(bytes);
        set_cub_call(
            [=](void* temporary, std::size_t& size, void* input) {
                return cub::DeviceScan::InclusiveSum(temporary, size, static_cast<const std::uint32_t*>(input),
                                                     static_cast<std::uint32_t*>(output), n);
            },
            "cub::DeviceScan::InclusiveSum");
    } else if (task == "compaction") {
        int* const positions = static_cast<int*>(allocate_device(std::size_t{4} * n));
        auto* const values = static_cast<Sample*>(allocate_device(bytes));
        int* const count = static_cast<int*>(allocate_device(4));
        set_cub_call(
            [=](void* temporary, std::size_t& size, void* input) {
                const auto in = thrust::make_zip_iterator(thrust::make_counting_iterator(0),
                                                          static_cast<const Sample*>(input));
                return cub::DeviceSelect::If(temporary, size, in, thrust::make_zip_iterator(positions, values),
                                             count, n, Survives{});
            },
            "cub::DeviceSelect::If");
        work(0);
        int kept = 0;
        require(cudaMemcpy(&kept, count, 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
        answer_bytes = std::size_t{8} * kept;
        output = allocate_device(answer_bytes);
        widen<<<1024, 256>>>(positions, values, kept, static_cast<int*>(output));
        require(cudaGetLastError(), "widen");
    } else if (task == "histogram") {
        answer_bytes = std::size_t{4} * bins;
        output = allocate_device(answer_bytes);
        set_cub_call(
            [=](void* temporary, std::size_t& size, void* input) {
                return cub::DeviceHistogram::HistogramEven(temporary, size, static_cast<const float*>(input),
                                                           static_cast<int*>(output), bins + 1, -4.0f, 4.0f,
                                                           n);
            },
            "cub::DeviceHistogram::HistogramEven");
    } else if (task == "gaussian") {
        answer_bytes = bytes;
        output = allocate_device(bytes);
        implementation = "own float4 kernel";
        work = [&](int i) {
            const int blocks = std::clamp((n / 4 + 255) / 256, 1, 1 << 20);
            gaussian<<<blocks, 256>>>(static_cast<const float4*>(inputs[i % copies]),
                                      static_cast<float4*>(output), n / 4);
            require(cudaGetLastError(), "gaussian");
        };
    } else {
        answer_bytes = bytes;
        output = allocate_device(bytes);
        implementation = "cudaMemcpy";
        work = [&](int i) {
            require(cudaMemcpyAsync(output, inputs[i % copies], bytes, cudaMemcpyDeviceToDevice),
                    "cudaMemcpyAsync");
        };
    }

    peers::answer(arguments, implementation, work, output, answer_bytes);
}

}  // namespace

int main(int argc, char** argv) {
    return peers::run_main(argc, argv, &run);
}
