// Runs and times one of the app's kernels with plain Vulkan calls and without a harness. agreement.py
// compares its times with those that the app measures for the same SPIR-V.
//
//     bare_vulkan KERNEL.spv ELEMENTS WORKGROUP_SIZE WORKGROUP_COUNT INPUTS ELEMENT_BYTES SAMPLES DEVICE
//                 INPUT.raw CONSTANTS PUSH
//
// The kernel reads INPUTS buffers and writes one more, each of ELEMENTS x ELEMENT_BYTES. INPUT.raw holds the
// inputs one after another. CONSTANTS (from constant_id 3) and PUSH (words after those of the launch) are
// lists with commas, or - for none. DEVICE is a part of the device's name. The program prints one JSON object
// with times in nanoseconds:
//
//     pass_wall_ns     host clock of a pass: copying the inputs to staging memory, recording, submitting,
//                      waiting, copying the output. Before each pass a pattern fills the output, and after it
//                      the output is compared with that of the first pass. These steps are not timed; they
//                      are here because the app does the same, and they change what the caches hold.
//     pass_kernel_ns   timestamps around the dispatch of a pass
//     burst_kernel_ns  timestamps around many dispatches in one submission, per dispatch, after a warm-up
//     burst_wall_ns    host clock around the submission and the wait for it, per dispatch
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bare_setup.h"

namespace {

using namespace bare;
using Clock = std::chrono::steady_clock;

Words parse_words(const std::string& list) {
    Words words;
    std::istringstream stream(list == "-" ? "" : list);
    for (std::string word; std::getline(stream, word, ',');)
        words.push_back(static_cast<std::uint32_t>(std::stoul(word)));
    return words;
}

void barrier(const Vulkan& vulkan) {
    using Access = vk::AccessFlagBits;
    using Stage = vk::PipelineStageFlagBits;
    const vk::MemoryBarrier memory(Access::eShaderWrite | Access::eTransferWrite,
                                   Access::eShaderRead | Access::eShaderWrite | Access::eTransferRead |
                                       Access::eTransferWrite | Access::eHostRead);
    vulkan.commands.pipelineBarrier(Stage::eAllCommands, Stage::eAllCommands | Stage::eHost, {}, memory, {},
                                    {});
}

/// A barrier between two dispatches, which is all that a repeat needs. Waiting for copies as well would cost
/// a GPU a microsecond.
void kernel_barrier(const Vulkan& vulkan) {
    const vk::MemoryBarrier memory(vk::AccessFlagBits::eShaderWrite,
                                   vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite);
    vulkan.commands.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader,
                                    vk::PipelineStageFlagBits::eComputeShader, {}, memory, {}, {});
}

void begin(const Vulkan& vulkan) {
    vulkan.commands.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    vulkan.commands.resetQueryPool(vulkan.queries, 0, 2);
}

/// Records the dispatches between two timestamps at the same stage.
void record_kernel(const Vulkan& vulkan, const Kernel& kernel, int repeats) {
    constexpr auto compute = vk::PipelineBindPoint::eCompute;
    vulkan.commands.bindPipeline(compute, kernel.pipeline);
    vulkan.commands.bindDescriptorSets(compute, kernel.layout, 0, kernel.set, {});
    vulkan.commands.pushConstants<std::uint32_t>(kernel.layout, vk::ShaderStageFlagBits::eCompute, 0,
                                                 kernel.push);
    barrier(vulkan);
    vulkan.commands.writeTimestamp(vk::PipelineStageFlagBits::eAllCommands, vulkan.queries, 0);
    for (int i = 0; i < repeats; ++i) {
        kernel_barrier(vulkan);
        vulkan.commands.dispatch(kernel.workgroups, 1, 1);
    }
    barrier(vulkan);
    vulkan.commands.writeTimestamp(vk::PipelineStageFlagBits::eAllCommands, vulkan.queries, 1);
}

/// Submits and waits.
void submit(const Vulkan& vulkan) {
    vulkan.commands.end();
    vulkan.queue.submit(vk::SubmitInfo({}, {}, vulkan.commands), vulkan.fence);
    if (vulkan.device.waitForFences(vulkan.fence, VK_TRUE, 60'000'000'000u) != vk::Result::eSuccess)
        throw std::runtime_error("the device did not finish within a minute");
    vulkan.device.resetFences(vulkan.fence);
}

/// Submits, waits, and returns the nanoseconds between the timestamps.
double finish(const Vulkan& vulkan) {
    submit(vulkan);
    const auto ticks = vulkan.device.getQueryPoolResults<std::uint64_t>(vulkan.queries, 0, 2, 16, 8,
                                                                        vk::QueryResultFlagBits::e64);
    if (ticks.result != vk::Result::eSuccess) throw std::runtime_error("the timestamps cannot be read");
    return static_cast<double>((ticks.value[1] - ticks.value[0]) & vulkan.tick_mask) *
           static_cast<double>(vulkan.properties.limits.timestampPeriod);
}

double ns_since(Clock::time_point then) {
    return std::chrono::duration<double, std::nano>(Clock::now() - then).count();
}

struct Times {
    std::vector<double> pass_wall, pass_kernel, burst_kernel, burst_wall;
    int repeats = 1;
};

void time_passes(const Vulkan& vulkan, const Options& options, const Kernel& kernel,
                 const std::vector<Buffer>& buffers, vk::DeviceSize bytes, Times& times) {
    const vk::MemoryPropertyFlags host_visible =
        vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent;
    const std::vector<char> input = read_raw(options.input);
    if (input.size() != bytes * options.inputs)
        throw std::runtime_error("the size of INPUT.raw is not that of the inputs");
    const Buffer upload = make_buffer(vulkan, bytes * options.inputs, host_visible);
    const Buffer download = make_buffer(vulkan, bytes, host_visible, true);
    std::vector<char> output(bytes), first_output;
    // Two passes warm up, since the driver compiles in the first.
    for (int sample = -2; sample < options.samples; ++sample) {
        begin(vulkan);
        vulkan.commands.fillBuffer(buffers.back().buffer, 0, VK_WHOLE_SIZE, 0xFFC0DEADu);
        submit(vulkan);
        const Clock::time_point start = Clock::now();
        std::memcpy(upload.mapped, input.data(), input.size());
        begin(vulkan);
        for (std::uint32_t i = 0; i < options.inputs; ++i)
            vulkan.commands.copyBuffer(upload.buffer, buffers[i].buffer, vk::BufferCopy(i * bytes, 0, bytes));
        record_kernel(vulkan, kernel, 1);
        vulkan.commands.copyBuffer(buffers.back().buffer, download.buffer,
                                   vk::BufferCopy(output_offset, 0, bytes));
        barrier(vulkan);
        const double kernel_ns = finish(vulkan);
        std::memcpy(output.data(), download.mapped, output.size());
        const double wall_ns = ns_since(start);
        if (first_output.empty()) first_output = output;
        if (std::memcmp(output.data(), first_output.data(), bytes) != 0)
            throw std::runtime_error("the outputs of two passes differ");
        if (sample < 0) continue;
        times.pass_wall.push_back(wall_ns);
        times.pass_kernel.push_back(kernel_ns);
    }
}

void time_bursts(const Vulkan& vulkan, const Options& options, const Kernel& kernel, Times& times) {
    const auto time_burst = [&](double* wall) {
        begin(vulkan);
        record_kernel(vulkan, kernel, times.repeats);
        const Clock::time_point start = Clock::now();
        const double ns = finish(vulkan);
        if (wall) *wall = ns_since(start) / times.repeats;
        return ns / times.repeats;
    };
    const auto repeats_for = [](double ns) {
        return static_cast<int>(std::clamp(std::ceil(1e6 / std::max(ns, 100.0)), 1.0, 2000.0));
    };
    times.repeats = repeats_for(time_burst(nullptr));
    // The clocks of a GPU rise under load, and the caches of a CPU fill. The warm-up ends when times have not
    // improved for 0.4 s (CPU: 50 ms), after 2 s at most, as in the app (src/lab/kernel_sampler.cpp).
    const double settling_ns = vulkan.properties.deviceType == vk::PhysicalDeviceType::eCpu ? 5e7 : 4e8;
    const Clock::time_point start = Clock::now();
    Clock::time_point last_improvement = start;
    double best = HUGE_VAL;
    while (ns_since(last_improvement) < settling_ns && ns_since(start) < 2e9) {
        const double ns = time_burst(nullptr);
        if (ns < 0.98 * best) last_improvement = Clock::now();
        best = std::min(best, ns);
        times.repeats = std::max(times.repeats, repeats_for(best));
    }
    for (int sample = 0; sample < options.samples; ++sample) {
        double wall = 0;
        times.burst_kernel.push_back(time_burst(&wall));
        times.burst_wall.push_back(wall);
    }
}

void print_list(const char* name, const std::vector<double>& values, const char* end) {
    std::printf("\"%s\":[", name);
    for (std::size_t i = 0; i < values.size(); ++i)
        std::printf("%s%.1f", i > 0 ? "," : "", values[i]);
    std::printf("]%s", end);
}

void run(const Options& options) {
    Vulkan vulkan;
    open_device(vulkan, options.device);
    const vk::DeviceSize bytes = (vk::DeviceSize{options.elements} * options.element_bytes + 15) / 16 * 16;
    std::vector<Buffer> buffers;
    for (std::uint32_t i = 0; i < options.inputs + 1; ++i)
        buffers.push_back(
            make_buffer(vulkan, bytes + output_offset, vk::MemoryPropertyFlagBits::eDeviceLocal));
    const Kernel kernel = make_kernel(vulkan, options, buffers, bytes);
    Times times;
    time_passes(vulkan, options, kernel, buffers, bytes, times);
    time_bursts(vulkan, options, kernel, times);
    std::printf("{\"device\":\"%s\",\"repeats\":%d,", vulkan.properties.deviceName.data(), times.repeats);
    print_list("pass_wall_ns", times.pass_wall, ",");
    print_list("pass_kernel_ns", times.pass_kernel, ",");
    print_list("burst_kernel_ns", times.burst_kernel, ",");
    print_list("burst_wall_ns", times.burst_wall, "}\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 12) {
        std::fprintf(stderr,
                     "bare_vulkan KERNEL.spv ELEMENTS WORKGROUP_SIZE WORKGROUP_COUNT INPUTS ELEMENT_BYTES "
                     "SAMPLES DEVICE INPUT.raw CONSTANTS PUSH\n");
        return 2;
    }
    try {
        const auto number = [&](int i) { return static_cast<std::uint32_t>(std::stoul(argv[i])); };
        run({argv[1], number(2), number(3), number(4), number(5), number(6), std::atoi(argv[7]), argv[8],
             argv[9], parse_words(argv[10]), parse_words(argv[11])});
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bare_vulkan: %s\n", error.what());
        return 1;
    }
}
