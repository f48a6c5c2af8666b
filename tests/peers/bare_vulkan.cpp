// A program without a harness: the least Vulkan that runs one of the app's kernels and times it. What the app
// says of the same SPIR-V is held against it (agreement.py).
//
//     bare_vulkan KERNEL.spv ELEMENTS WORKGROUP_SIZE WORKGROUP_COUNT INPUTS ELEMENT_BYTES SAMPLES DEVICE
//                 INPUT.raw CONSTANTS PUSH
//
// The kernel binds INPUTS buffers to read and then one to write, each of ELEMENTS x ELEMENT_BYTES. INPUT.raw
// holds the inputs one after another. CONSTANTS (from constant_id 3) and PUSH (words behind the launch's own
// seven) are lists with commas, - for none. DEVICE is a part of the device's name. Prints one JSON object,
// times in nanoseconds:
//
//     pass_wall_ns     host clock: inputs copied to staging memory, recorded, submitted, waited for, output
//                      copied out. Before a pass the output is filled with a pattern and behind it compared
//                      with the first one's, off the clock: the app does so too, and what the caches hold
//                      depends on it.
//     pass_kernel_ns   timestamps around the dispatch of such a pass
//     burst_kernel_ns  timestamps around many dispatches of one submission, for one of them, on a device
//                      that is awake
//     burst_wall_ns    host clock around the submission and the wait for it, for one of them
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

Words words_of(const std::string& list) {
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

/// From one dispatch to the next, which is all that a repeat needs: waiting for copies too costs a GPU a
/// microsecond.
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

/// The dispatches between their timestamps, both at the same stage.
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
        throw std::runtime_error("the device did not answer in a minute");
    vulkan.device.resetFences(vulkan.fence);
}

/// Submits, waits, and returns the nanoseconds between the timestamps.
double finish(const Vulkan& vulkan) {
    submit(vulkan);
    const auto ticks = vulkan.device.getQueryPoolResults<std::uint64_t>(vulkan.queries, 0, 2, 16, 8,
                                                                        vk::QueryResultFlagBits::e64);
    if (ticks.result != vk::Result::eSuccess) throw std::runtime_error("there are no timestamps");
    return static_cast<double>((ticks.value[1] - ticks.value[0]) & vulkan.tick_mask) *
           static_cast<double>(vulkan.properties.limits.timestampPeriod);
}

double ns_since(Clock::time_point then) {
    return std::chrono::duration<double, std::nano>(Clock::now() - then).count();
}

struct Times {
    std::vector<double> pass_wall, kernel_in_wall, burst_kernel, burst_wall;
    int repeats = 1;
};

void time_passes(const Vulkan& vulkan, const Wanted& wanted, const Kernel& kernel,
                 const std::vector<Buffer>& buffers, vk::DeviceSize bytes, Times& times) {
    const vk::MemoryPropertyFlags seen =
        vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent;
    const std::vector<char> input = read_raw(wanted.input);
    if (input.size() != bytes * wanted.inputs)
        throw std::runtime_error("INPUT.raw has another size than the inputs");
    const Buffer up = make_buffer(vulkan, bytes * wanted.inputs, seen);
    const Buffer down = make_buffer(vulkan, bytes, seen, true);
    std::vector<char> output(bytes), first;
    // Two to warm up: the driver compiles at the first.
    for (int sample = -2; sample < wanted.samples; ++sample) {
        begin(vulkan);
        vulkan.commands.fillBuffer(buffers.back().buffer, 0, VK_WHOLE_SIZE, 0xFFC0DEADu);
        submit(vulkan);
        const Clock::time_point start = Clock::now();
        std::memcpy(up.mapped, input.data(), input.size());
        begin(vulkan);
        for (std::uint32_t i = 0; i < wanted.inputs; ++i)
            vulkan.commands.copyBuffer(up.buffer, buffers[i].buffer, vk::BufferCopy(i * bytes, 0, bytes));
        record_kernel(vulkan, kernel, 1);
        vulkan.commands.copyBuffer(buffers.back().buffer, down.buffer,
                                   vk::BufferCopy(output_offset, 0, bytes));
        barrier(vulkan);
        const double kernel_ns = finish(vulkan);
        std::memcpy(output.data(), down.mapped, output.size());
        const double wall_ns = ns_since(start);
        if (first.empty()) first = output;
        if (std::memcmp(output.data(), first.data(), bytes) != 0)
            throw std::runtime_error("two passes differ in what they put out");
        if (sample < 0) continue;
        times.pass_wall.push_back(wall_ns);
        times.kernel_in_wall.push_back(kernel_ns);
    }
}

void time_bursts(const Vulkan& vulkan, const Wanted& wanted, const Kernel& kernel, Times& times) {
    const auto run = [&](double* wall) {
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
    times.repeats = repeats_for(run(nullptr));
    // A GPU's clocks rise under work, a processor's caches fill: until it gets no faster for 0.4 s or 50 ms,
    // 2 s at most, as in the app (src/lab/kernel_sampler.cpp).
    const double settling_ns = vulkan.properties.deviceType == vk::PhysicalDeviceType::eCpu ? 5e7 : 4e8;
    const Clock::time_point start = Clock::now();
    Clock::time_point best_at = start;
    double best = HUGE_VAL;
    while (ns_since(best_at) < settling_ns && ns_since(start) < 2e9) {
        const double ns = run(nullptr);
        if (ns < 0.98 * best) best_at = Clock::now();
        best = std::min(best, ns);
        times.repeats = std::max(times.repeats, repeats_for(best));
    }
    for (int sample = 0; sample < wanted.samples; ++sample) {
        double wall = 0;
        times.burst_kernel.push_back(run(&wall));
        times.burst_wall.push_back(wall);
    }
}

void print_list(const char* name, const std::vector<double>& values, const char* end) {
    std::printf("\"%s\":[", name);
    for (std::size_t i = 0; i < values.size(); ++i)
        std::printf("%s%.1f", i > 0 ? "," : "", values[i]);
    std::printf("]%s", end);
}

void run(const Wanted& wanted) {
    Vulkan vulkan;
    open_device(vulkan, wanted.device);
    const vk::DeviceSize bytes = (vk::DeviceSize{wanted.elements} * wanted.element_bytes + 15) / 16 * 16;
    std::vector<Buffer> buffers;
    for (std::uint32_t i = 0; i < wanted.inputs + 1; ++i)
        buffers.push_back(
            make_buffer(vulkan, bytes + output_offset, vk::MemoryPropertyFlagBits::eDeviceLocal));
    const Kernel kernel = make_kernel(vulkan, wanted, buffers, bytes);
    Times times;
    time_passes(vulkan, wanted, kernel, buffers, bytes, times);
    time_bursts(vulkan, wanted, kernel, times);
    std::printf("{\"device\":\"%s\",\"repeats\":%d,", vulkan.properties.deviceName.data(), times.repeats);
    print_list("pass_wall_ns", times.pass_wall, ",");
    print_list("pass_kernel_ns", times.kernel_in_wall, ",");
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
             argv[9], words_of(argv[10]), words_of(argv[11])});
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bare_vulkan: %s\n", error.what());
        return 1;
    }
}
