// CUB on the tasks of the lessons, timed by CUDA events: what peers.py compiles with nvcc on the spot.
//
//     cub_peers TASK ELEMENTS BINS SAMPLES COPIES INPUT.raw [ANSWER.raw]
//
// TASK: sum_u32, sum_f32, histogram, gaussian (no CUB: a kernel of 16-byte loads) or copy (cudaMemcpy on the
// device). INPUT.raw holds elements of 4 bytes and is repeated until there are ELEMENTS of them. COPIES of
// the input take turns, so that a cache cannot hold them; 1: all repeats run over the same buffer. Prints one
// JSON object: nanoseconds of a call, SAMPLES times, of calls in a row ("samples_ns") and of one by itself on
// an idle device ("single_ns"); 0: only the answer. ANSWER.raw receives the result.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

void require(cudaError_t result, const char* call) {
    if (result != cudaSuccess)
        throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(result));
}

void* device_memory(std::size_t bytes) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, std::max<std::size_t>(bytes, 16)), "cudaMalloc");
    return memory;
}

__global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

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

enum class Before {
    waiting,  ///< a kernel that only waits comes first: meanwhile the host queues all of the work, and no
              ///< pause of the host lies between the two events
    nothing,  ///< the device is idle, and begins when the host has begun
};

/// GPU time of `repeats` calls of work, nanoseconds.
double time_work(const std::function<void(int)>& work, int repeats, Before before = Before::waiting) {
    static cudaEvent_t from = nullptr, to = nullptr;
    if (!from) {
        require(cudaEventCreate(&from), "cudaEventCreate");
        require(cudaEventCreate(&to), "cudaEventCreate");
    }
    if (before == Before::waiting)
        spin<<<1, 1>>>(100'000 + 20'000LL * std::min(repeats, 200));  // some 10 µs a call
    require(cudaEventRecord(from), "cudaEventRecord");
    for (int i = 0; i < repeats; ++i)
        work(i);
    require(cudaEventRecord(to), "cudaEventRecord");
    require(cudaEventSynchronize(to), "cudaEventSynchronize");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, from, to), "cudaEventElapsedTime");
    return 1e6 * milliseconds;
}

struct Samples {
    int repeats = 1;
    std::vector<double> in_a_row;  ///< of one of `repeats` calls inside one pair of events, nanoseconds
    std::vector<double> single;    ///< of one call inside its pair, the device idle before
};

/// As the app samples: a pair of timestamps spans a millisecond, the GPU works until it gets no faster by 2 %
/// for 0.4 s (2 s at most), then the samples follow one another at once.
Samples sample(const std::function<void(int)>& work, int wanted) {
    const auto seconds_since = [](Clock::time_point then) {
        return std::chrono::duration<double>(Clock::now() - then).count();
    };
    const auto repeats_for = [](double ns) {
        return static_cast<int>(std::clamp(std::ceil(1e6 / std::max(ns, 100.0)), 1.0, 2000.0));
    };
    work(0);
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    Samples samples;
    if (wanted == 0) return samples;
    int& repeats = samples.repeats;
    repeats = repeats_for(time_work(work, 1));
    const Clock::time_point start = Clock::now();
    Clock::time_point best_at = start;
    double best = HUGE_VAL;
    while (seconds_since(best_at) < 0.4 && seconds_since(start) < 2) {
        const double ns = time_work(work, repeats) / repeats;
        if (ns < 0.98 * best) best_at = Clock::now();
        best = std::min(best, ns);
        repeats = std::max(repeats, repeats_for(best));
    }
    for (int i = 0; i < wanted; ++i)
        samples.in_a_row.push_back(time_work(work, repeats) / repeats);
    for (int i = 0; i < wanted; ++i)
        samples.single.push_back(time_work(work, 1, Before::nothing));
    return samples;
}

void print(const char* name, const std::vector<double>& samples) {
    std::printf(",\"%s\":[", name);
    for (std::size_t i = 0; i < samples.size(); ++i)
        std::printf("%s%.3f", i > 0 ? "," : "", samples[i]);
    std::printf("]");
}

bool is_known(const std::string& task) {
    for (const char* known : {"sum_u32", "sum_f32", "histogram", "gaussian", "copy"})
        if (task == known) return true;
    return false;
}

std::vector<char> read_raw(const char* path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(std::string(path) + " cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

int run(char** argv) {
    const std::string task = argv[1];
    if (!is_known(task)) throw std::runtime_error(task + " is no task of this program");
    const auto n = static_cast<int>(std::atoll(argv[2]));
    const int bins = std::atoi(argv[3]);
    const int wanted = std::atoi(argv[4]);
    const int copies = std::max(1, std::atoi(argv[5]));
    const std::size_t bytes = std::size_t{4} * n;

    const std::vector<char> block = read_raw(argv[6]);
    if (block.empty() || bytes % block.size() != 0)
        throw std::runtime_error("ELEMENTS is no multiple of the elements in INPUT.raw");
    std::vector<void*> inputs;
    for (int c = 0; c < copies; ++c) {
        auto* input = static_cast<char*>(device_memory(bytes));
        require(cudaMemcpy(input, block.data(), block.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
        for (std::size_t at = block.size(); at < bytes; at += block.size())
            require(cudaMemcpy(input + at, input, block.size(), cudaMemcpyDeviceToDevice), "cudaMemcpy");
        inputs.push_back(input);
    }

    std::function<void(int)> work;
    std::string way;
    std::size_t answer_bytes = 4;
    void* output = nullptr;
    void* scratch = nullptr;
    std::size_t scratch_bytes = 0;
    // A CUB call without scratch memory says how much it needs.
    const auto with_scratch = [&](std::function<cudaError_t(void*, std::size_t&, void*)> call,
                                  const char* name) {
        require(call(nullptr, scratch_bytes, inputs[0]), name);
        scratch = device_memory(scratch_bytes);
        work = [&, call, name](int i) { require(call(scratch, scratch_bytes, inputs[i % copies]), name); };
        way = name;
    };
    if (task == "sum_u32" || task == "sum_f32") {
        output = device_memory(4);
        const bool whole = task == "sum_u32";
        with_scratch(
            [=](void* temporary, std::size_t& size, void* input) {
                if (whole)
                    return cub::DeviceReduce::Sum(temporary, size, static_cast<const std::uint32_t*>(input),
                                                  static_cast<std::uint32_t*>(output), n);
                return cub::DeviceReduce::Sum(temporary, size, static_cast<const float*>(input),
                                              static_cast<float*>(output), n);
            },
            "cub::DeviceReduce::Sum");
    } else if (task == "histogram") {
        answer_bytes = std::size_t{4} * bins;
        output = device_memory(answer_bytes);
        with_scratch(
            [=](void* temporary, std::size_t& size, void* input) {
                return cub::DeviceHistogram::HistogramEven(temporary, size, static_cast<const float*>(input),
                                                           static_cast<int*>(output), bins + 1, -4.0f, 4.0f,
                                                           n);
            },
            "cub::DeviceHistogram::HistogramEven");
    } else if (task == "gaussian") {
        answer_bytes = bytes;
        output = device_memory(bytes);
        way = "own float4 kernel";
        work = [&](int i) {
            const int blocks = std::clamp((n / 4 + 255) / 256, 1, 1 << 20);
            gaussian<<<blocks, 256>>>(static_cast<const float4*>(inputs[i % copies]),
                                      static_cast<float4*>(output), n / 4);
            require(cudaGetLastError(), "gaussian");
        };
    } else {
        answer_bytes = bytes;
        output = device_memory(bytes);
        way = "cudaMemcpy";
        work = [&](int i) {
            require(cudaMemcpyAsync(output, inputs[i % copies], bytes, cudaMemcpyDeviceToDevice),
                    "cudaMemcpyAsync");
        };
    }

    const Samples samples = sample(work, wanted);
    if (argv[7]) {
        std::vector<char> answer(answer_bytes);
        require(cudaMemcpy(answer.data(), output, answer_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
        std::ofstream(argv[7], std::ios::binary)
            .write(answer.data(), static_cast<std::streamsize>(answer.size()));
    }
    std::printf("{\"way\":\"%s\",\"repeats\":%d", way.c_str(), samples.repeats);
    print("samples_ns", samples.in_a_row);
    print("single_ns", samples.single);
    std::printf("}\n");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 7) {
        std::fprintf(stderr, "cub_peers TASK ELEMENTS BINS SAMPLES COPIES INPUT.raw [ANSWER.raw]\n");
        return 2;
    }
    try {
        return run(argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cub_peers: %s\n", error.what());
        return 1;
    }
}
