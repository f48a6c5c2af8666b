// The loop cap, probed: some drivers end a kernel's loops after so many iterations and call it a success.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "base/units.h"
#include "client/doctor.h"
#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "gpu/kernel.h"
#include "shader/kernel_store.h"

namespace gridstride::lab {

namespace {

constexpr auto loop_patience = std::chrono::seconds(20);
constexpr std::uint32_t start = 0x9E3779B9u;

/// The same step as in shaders/doctor/loop_cap.comp.
std::uint32_t next(std::uint32_t x) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
}

}  // namespace

std::uint64_t probe_loop_cap(gpu::Device& device, std::uint32_t iterations) {
    constexpr std::uint64_t bytes = sizeof(std::uint32_t);
    const std::vector<std::uint32_t> push = {start, iterations};
    const gpu::Kernel kernel(device, shader::load_kernel("doctor/loop_cap"), "doctor/loop_cap", 1,
                             static_cast<std::uint32_t>(push.size() * sizeof(std::uint32_t)),
                             std::array<std::uint32_t, 1>{1});
    const gpu::Buffer result(device, bytes, gpu::MemoryKind::device);
    gpu::Buffer download(device, bytes, gpu::MemoryKind::download);
    gpu::Commands commands(device);
    const gpu::BoundRange binding{&result, 0, bytes};
    commands.begin();
    commands.dispatch(kernel, {&binding, 1}, push, {1});
    commands.barrier(gpu::Ordering::all);
    commands.copy(result, 0, download, 0, bytes);
    commands.barrier(gpu::Ordering::all);
    if (!commands.submit_and_wait(loop_patience))
        throw std::runtime_error(fmt::format("A loop of {} iterations did not end in {} s.",
                                             format_count(iterations), loop_patience.count()));

    std::uint32_t last = 0;
    std::memcpy(&last, download.mapped().data(), bytes);
    std::uint32_t x = start;
    for (std::uint64_t done = 0; done <= iterations; ++done, x = next(x))
        if (x == last) return done;
    throw std::runtime_error(fmt::format(
        "A loop of {} iterations ended with a number that no iteration gives.", format_count(iterations)));
}

Check judge_loop_cap(std::uint64_t found, std::uint64_t asked, std::uint64_t assumed) {
    Check check{"loop_cap", "Loop cap"};
    const bool ended = found < asked;
    const std::string seen = ended ? fmt::format("loops end after {} iterations", format_count(found))
                                   : fmt::format("none up to {} iterations", format_count(asked));
    if (assumed == 0 && !ended) {
        check.value = seen;
    } else if (found == assumed) {
        check.value = seen + ", as assumed: longer launches are cut into slices";
    } else if (ended && (assumed == 0 || found < assumed)) {
        check.status = CheckStatus::problem;
        check.value = fmt::format("{}; {} assumed", seen,
                                  assumed == 0 ? std::string("no cap is") : format_count(assumed) + " are");
        check.advice =
            "The driver ends loops earlier than Gridstride knows, and calls it a success: long launches give "
            "wrong results. Update the driver, and report this line with the driver's version.";
    } else {
        check.status = CheckStatus::warning;
        check.value = fmt::format("{}; {} are assumed", seen, format_count(assumed));
        check.advice =
            "Results are right, but launches are cut into more slices than this driver needs. Report this "
            "line with the driver's version.";
    }
    return check;
}

}  // namespace gridstride::lab
