// The common code of the CUDA programs: arguments, device memory, timing by events and the answer.
//
//     PROGRAM TASK SHAPE BINS SAMPLES COPIES INPUT.raw [ANSWER.raw]
//
// SHAPE is the number of elements, rows x columns or m x n x k, such as 1048576 or 250x130x70. INPUT.raw
// holds elements of 4 bytes and is repeated to the required size. Calls rotate through COPIES of the input,
// so that a cache cannot hold them; with 1 copy, all calls use the same buffer. The program prints one JSON
// object with SAMPLES times of a call in nanoseconds: of calls in a row ("samples_ns") and of single calls on
// an idle device ("single_ns"). With 0 samples it only writes the answer. ANSWER.raw receives the result.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace peers {

using Clock = std::chrono::steady_clock;

inline void require(cudaError_t result, const char* call) {
    if (result != cudaSuccess)
        throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(result));
}

inline void* allocate_device(std::size_t bytes) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, std::max<std::size_t>(bytes, 16)), "cudaMalloc");
    return memory;
}

__global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

enum class DeviceState {
    busy,  ///< a waiting kernel runs first while the host queues all work, so no pause of the host lies
           ///< between the two events
    idle,  ///< the device is idle and starts when the host has submitted the first call
};

/// Returns the GPU time of `repeats` calls in nanoseconds.
inline double time_work(const std::function<void(int)>& work, int repeats,
                        DeviceState state = DeviceState::busy) {
    static cudaEvent_t from = nullptr, to = nullptr;
    if (!from) {
        require(cudaEventCreate(&from), "cudaEventCreate");
        require(cudaEventCreate(&to), "cudaEventCreate");
    }
    if (state == DeviceState::busy)
        spin<<<1, 1>>>(100'000 + 20'000LL * std::min(repeats, 200));  // about 10 µs per call
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
    std::vector<double> in_a_row;  ///< ns per call, of `repeats` calls inside one pair of events
    std::vector<double> single;    ///< ns of one call inside its own pair, on an idle device
};

/// Samples as the app does: a pair of events spans a millisecond. The warm-up ends when times have not
/// improved by 2 % for 0.4 s (2 s at most), and the samples follow without a pause.
inline Samples sample(const std::function<void(int)>& work, int sample_count) {
    const auto seconds_since = [](Clock::time_point then) {
        return std::chrono::duration<double>(Clock::now() - then).count();
    };
    const auto repeats_for = [](double ns) {
        return static_cast<int>(std::clamp(std::ceil(1e6 / std::max(ns, 100.0)), 1.0, 2000.0));
    };
    work(0);
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    Samples samples;
    if (sample_count == 0) return samples;
    int& repeats = samples.repeats;
    repeats = repeats_for(time_work(work, 1));
    const Clock::time_point start = Clock::now();
    Clock::time_point last_improvement = start;
    double best = HUGE_VAL;
    while (seconds_since(last_improvement) < 0.4 && seconds_since(start) < 2) {
        const double ns = time_work(work, repeats) / repeats;
        if (ns < 0.98 * best) last_improvement = Clock::now();
        best = std::min(best, ns);
        repeats = std::max(repeats, repeats_for(best));
    }
    for (int i = 0; i < sample_count; ++i)
        samples.in_a_row.push_back(time_work(work, repeats) / repeats);
    for (int i = 0; i < sample_count; ++i)
        samples.single.push_back(time_work(work, 1, DeviceState::idle));
    return samples;
}

inline void print(const char* name, const std::vector<double>& samples) {
    std::printf(",\"%s\":[", name);
    for (std::size_t i = 0; i < samples.size(); ++i)
        std::printf("%s%.3f", i > 0 ? "," : "", samples[i]);
    std::printf("]");
}

struct Arguments {
    std::string task;
    std::vector<std::size_t> shape;
    int bins, sample_count, copies;
    const char* input;
    const char* answer;  ///< null if no answer is required

    explicit Arguments(char** argv)
        : task(argv[1]),
          bins(std::atoi(argv[3])),
          sample_count(std::atoi(argv[4])),
          copies(std::max(1, std::atoi(argv[5]))),
          input(argv[6]),
          answer(argv[7]) {
        const char* text = argv[2];
        for (char* end = nullptr;; text = end + 1) {
            shape.push_back(std::strtoull(text, &end, 10));
            if (shape.back() == 0) throw std::runtime_error("SHAPE is such as 1048576 or 250x130x70");
            if (*end != 'x') break;
        }
    }
};

inline std::vector<char> read_raw(const char* path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(std::string(path) + " cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the copies of the input, each of `bytes` bytes.
inline std::vector<void*> load_inputs(const Arguments& arguments, std::size_t bytes) {
    const std::vector<char> block = read_raw(arguments.input);
    if (block.empty()) throw std::runtime_error("INPUT.raw is empty");
    std::vector<void*> inputs;
    for (int c = 0; c < arguments.copies; ++c) {
        auto* input = static_cast<char*>(allocate_device(bytes));
        require(cudaMemcpy(input, block.data(), std::min(bytes, block.size()), cudaMemcpyHostToDevice),
                "cudaMemcpy");
        for (std::size_t at = block.size(); at < bytes; at += block.size())
            require(
                cudaMemcpy(input + at, input, std::min(block.size(), bytes - at), cudaMemcpyDeviceToDevice),
                "cudaMemcpy");
        inputs.push_back(input);
    }
    return inputs;
}

/// Times the work, writes its answer from the device to the file, and prints the times.
inline void answer(const Arguments& arguments, const std::string& implementation,
                   const std::function<void(int)>& work, const void* output, std::size_t answer_bytes) {
    const Samples samples = sample(work, arguments.sample_count);
    if (arguments.answer) {
        std::vector<char> bytes(answer_bytes);
        require(cudaMemcpy(bytes.data(), output, answer_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
        std::ofstream(arguments.answer, std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    std::printf("{\"way\":\"%s\",\"repeats\":%d", implementation.c_str(), samples.repeats);
    print("samples_ns", samples.in_a_row);
    print("single_ns", samples.single);
    std::printf("}\n");
}

/// The main() of all CUDA programs.
inline int run_main(int argc, char** argv, void (*run)(const Arguments&)) {
    if (argc < 7) {
        std::fprintf(stderr, "%s TASK SHAPE BINS SAMPLES COPIES INPUT.raw [ANSWER.raw]\n", argv[0]);
        return 2;
    }
    try {
        run(Arguments(argv));
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

}  // namespace peers
