// The tasks of the lessons as plain loops on one CPU thread. peers.py uses them if there is no GPU.
//
//     plain_loops TASK SHAPE BINS SAMPLES COPIES INPUT.raw [ANSWER.raw]
//
// INPUT.raw is - for a task without input. The arguments and the JSON are those of cuda_peers.h; COPIES has
// no effect.
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
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// Parses numbers that are separated by x.
std::vector<std::size_t> parse_shape(const char* text) {
    std::vector<std::size_t> shape;
    for (char* end = nullptr;; text = end + 1) {
        shape.push_back(std::strtoull(text, &end, 10));
        if (shape.back() == 0) throw std::runtime_error("SHAPE is such as 1048576 or 250x130x70");
        if (*end != 'x') return shape;
    }
}

template <class T>
std::vector<T> read_repeated(const char* path, std::size_t count) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(std::string(path) + " cannot be read");
    const std::vector<char> block{std::istreambuf_iterator<char>(file), {}};
    std::vector<T> all(count);
    const std::size_t bytes = count * sizeof(T);
    if (block.empty()) throw std::runtime_error("INPUT.raw is empty");
    for (std::size_t at = 0; at < bytes; at += block.size())
        std::memcpy(reinterpret_cast<char*>(all.data()) + at, block.data(),
                    std::min(block.size(), bytes - at));
    return all;
}

template <class T>
void sum(const std::vector<T>& numbers, std::vector<T>& answer) {
    T total = 0;
    for (const T number : numbers)
        total += number;
    answer[0] = total;
}

void histogram(const std::vector<float>& values, std::vector<std::uint32_t>& counts) {
    const float low = -4, high = 4, width = (high - low) / static_cast<float>(counts.size());
    std::fill(counts.begin(), counts.end(), 0);
    for (const float value : values)
        if (value >= low && value < high)
            ++counts[std::min<std::size_t>(static_cast<std::size_t>((value - low) / width),
                                           counts.size() - 1)];
}

void gaussian(const std::vector<float>& x, std::vector<float>& densities) {
    for (std::size_t i = 0; i < x.size(); ++i)
        densities[i] = 0.3989422804f * std::exp(-0.5f * x[i] * x[i]);
}

void zero_suppression(const std::vector<std::int16_t>& samples, std::vector<std::int16_t>& output) {
    for (std::size_t i = 0; i < samples.size(); ++i)
        output[i] = samples[i] < 15 ? std::int16_t{0} : samples[i];
}

/// `xy` holds all x and then all y.
void find_lengths(const std::vector<float>& xy, std::vector<float>& lengths) {
    const std::size_t n = lengths.size();
    for (std::size_t i = 0; i < n; ++i)
        lengths[i] = std::sqrt(xy[i] * xy[i] + xy[n + i] * xy[n + i]);
}

constexpr std::size_t row_length = 256;  // of the task row_norms; equals ROW_LENGTH in tasks.py

/// Computes one norm per row; norms.size() is the number of rows.
void row_norms(const std::vector<float>& x, std::vector<float>& norms) {
    const std::size_t columns = x.size() / norms.size();
    for (std::size_t row = 0; row < norms.size(); ++row) {
        float sum = 0;
        for (std::size_t i = row * columns; i < (row + 1) * columns; ++i)
            sum += x[i] * x[i];
        norms[row] = std::sqrt(sum);
    }
}

void softmax(const std::vector<float>& x, std::vector<float>& y, std::size_t columns) {
    for (std::size_t first = 0; first < x.size(); first += columns) {
        const float largest = *std::max_element(&x[first], &x[first] + columns);
        float sum = 0;
        for (std::size_t i = first; i < first + columns; ++i)
            sum += y[i] = std::exp(x[i] - largest);
        for (std::size_t i = first; i < first + columns; ++i)
            y[i] /= sum;
    }
}

/// `ab` holds a (m x k) and then b (k x n), row-major.
void matmul(const std::vector<float>& ab, std::vector<float>& c, std::size_t n, std::size_t k) {
    const std::size_t m = c.size() / n;
    const float* const b = &ab[m * k];
    for (std::size_t row = 0; row < m; ++row) {
        float* const results = &c[row * n];
        std::fill(results, results + n, 0.0f);
        for (std::size_t p = 0; p < k; ++p)
            for (std::size_t column = 0; column < n; ++column)
                results[column] += ab[row * k + p] * b[p * n + column];
    }
}

/// `both` holds the grey levels and then the weights.
void hidden_layer(const std::vector<float>& both, std::vector<float>& activations) {
    const std::size_t n = activations.size();
    for (std::size_t i = 0; i < n; ++i)
        activations[i] = std::tanh(both[i] / 255.0f * both[n + i]);
}

/// Generates its points with 24 random bits per coordinate, the precision of f32.
void pi(std::size_t points, std::vector<std::uint32_t>& hit_count) {
    static std::mt19937 generator(1);
    hit_count[0] = 0;
    for (std::size_t i = 0; i < points; ++i) {
        const float x = static_cast<float>(generator() >> 8) * 0x1p-24f;
        const float y = static_cast<float>(generator() >> 8) * 0x1p-24f;
        hit_count[0] += x * x + y * y < 1 ? 1 : 0;
    }
}

void measure(const std::function<void()>& work, int sample_count) {
    work();
    std::string samples;
    for (int i = 0; i < sample_count; ++i) {
        const Clock::time_point start = Clock::now();
        work();
        const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
        samples += (i > 0 ? "," : "") + std::to_string(ns);
    }
    // On a CPU, calls in a row and single calls take the same time.
    std::printf("{\"way\":\"plain loop, one thread\",\"repeats\":1,\"samples_ns\":[%s],\"single_ns\":[%s]}\n",
                samples.c_str(), samples.c_str());
}

/// Times task(answer) and writes the answer.
template <class Out, class Task>
void run_without_input(char** argv, std::size_t outputs, Task task) {
    std::vector<Out> answer(outputs);
    measure([&] { task(answer); }, std::atoi(argv[4]));
    if (argv[7])
        std::ofstream(argv[7], std::ios::binary)
            .write(reinterpret_cast<const char*>(answer.data()),
                   static_cast<std::streamsize>(answer.size() * sizeof(Out)));
}

template <class In, class Out>
void run(char** argv, std::size_t inputs, std::size_t outputs,
         const std::function<void(const std::vector<In>&, std::vector<Out>&)>& task) {
    const std::vector<In> input = read_repeated<In>(argv[6], inputs);
    run_without_input<Out>(argv, outputs, [&](std::vector<Out>& answer) { task(input, answer); });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 7) {
        std::fprintf(stderr, "plain_loops TASK SHAPE BINS SAMPLES COPIES INPUT.raw [ANSWER.raw]\n");
        return 2;
    }
    try {
        const std::string task = argv[1];
        const std::vector<std::size_t> shape = parse_shape(argv[2]);
        const std::size_t n = shape[0];
        if (task == "sum_u32")
            run<std::uint32_t, std::uint32_t>(argv, n, 1, &sum<std::uint32_t>);
        else if (task == "sum_f32")
            run<float, float>(argv, n, 1, &sum<float>);
        else if (task == "histogram")
            run<float, std::uint32_t>(argv, n, static_cast<std::size_t>(std::atoi(argv[3])), &histogram);
        else if (task == "gaussian")
            run<float, float>(argv, n, n, &gaussian);
        else if (task == "zero_suppression")
            run<std::int16_t, std::int16_t>(argv, n, n, &zero_suppression);
        else if (task == "hypot")
            run<float, float>(argv, 2 * n, n, &find_lengths);
        else if (task == "row_norms")
            run<float, float>(argv, n, n / row_length, &row_norms);
        else if (task == "pi")
            run_without_input<std::uint32_t>(argv, 1, [&](auto& hits) { pi(n, hits); });
        else if (task == "hidden_layer")
            run<float, float>(argv, 2 * n, n, &hidden_layer);
        else if (task == "row_norm" && shape.size() == 2)
            run<float, float>(argv, n * shape[1], n, &row_norms);
        else if (task == "softmax" && shape.size() == 2)
            run<float, float>(argv, n * shape[1], n * shape[1],
                              [&](const auto& x, auto& y) { softmax(x, y, shape[1]); });
        else if (task == "matmul" && shape.size() == 3)
            run<float, float>(argv, n * shape[2] + shape[2] * shape[1], n * shape[1],
                              [&](const auto& ab, auto& c) { matmul(ab, c, shape[1], shape[2]); });
        else
            throw std::runtime_error(task + " is not a task of this program");
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "plain_loops: %s\n", error.what());
        return 1;
    }
}
