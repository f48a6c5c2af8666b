// Checks of the device and the lab: loader, devices, limits, features, the driver's loops, and the time to
// the first result.
#include "client/doctor.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "base/utc_time.h"
#include "client/client.h"
#include "client/start_lab.h"
#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "gpu/kernel.h"
#include "lab/ceilings.h"
#include "lesson/common_parameters.h"
#include "shader/kernel_store.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t probed_iterations = 1u << 20;
constexpr auto loop_timeout = std::chrono::seconds(20);
constexpr std::uint32_t xorshift_seed = 0x9E3779B9u;
/// The minima of the Vulkan specification. Lessons that need more report it.
constexpr std::uint32_t min_workgroup_size = 256;
constexpr std::uint64_t min_shared_bytes = 16 << 10;
constexpr std::uint64_t first_run_elements = 1024;
constexpr double first_run_deadline = 60;  // seconds
/// A slower response would be annoying while dragging a slider.
constexpr double slow_first_result_ns = 2e9;

Check describe_device(const gpu::DeviceInfo& device, bool is_selected) {
    const Limits& limits = device.limits;
    return make_check(
        fmt::format("device_{}", device.index), fmt::format("Device {}", device.index),
        fmt::format("{}{}, driver {}, Vulkan {}{}", limits.device_name, limits.is_cpu ? " (software)" : "",
                    limits.driver_version, device.api_version, is_selected ? "; in use" : ""),
        device.is_usable && !(is_selected && limits.is_cpu),
        !device.is_usable
            ? "It has no compute queue, or its Vulkan version is below 1.1. Update its driver."
            : "Everything works, but the CPU computes, so the times say little about a GPU. If "
              "there is a GPU here, install its vendor's Vulkan driver (mesa-vulkan-drivers for "
              "AMD and Intel, nvidia-driver for NVIDIA).");
}

void add_limits(const Limits& limits, std::vector<Check>& checks) {
    const auto add = [&checks](auto&&... parts) { checks.push_back(make_check(parts...)); };
    add("workgroup", "Workgroups",
        fmt::format("up to {} invocations, {} workgroups per dispatch",
                    format_count(limits.max_workgroup_size), format_count(limits.max_grid.x)),
        limits.max_workgroup_size >= min_workgroup_size,
        fmt::format("Lessons start with workgroups of up to {}. Choose smaller ones, or update the driver.",
                    min_workgroup_size));
    add("workgroup_memory", "Workgroup memory",
        format_bytes_beside(limits.max_shared_bytes, min_shared_bytes),
        limits.max_shared_bytes >= min_shared_bytes,
        fmt::format("Vulkan requires at least {}, so this driver does not conform. Update it.",
                    format_byte_text(min_shared_bytes)));
    add("device_memory", "Device memory",
        fmt::format("{}, up to {} per binding", format_byte_text(limits.memory_bytes),
                    format_byte_text(limits.max_binding_bytes)));
    add("subgroup", "Subgroups",
        fmt::format("{} invocations wide, arithmetic {}", limits.subgroup_size,
                    limits.subgroup_arithmetic ? "yes" : "no"),
        limits.subgroup_arithmetic,
        "Variants with subgroup arithmetic are refused on this device; all others run. A newer driver may "
        "support it.");
    const bool has_timestamps = limits.timestamp_valid_bits > 0;
    add("timestamps", "Timestamps",
        !has_timestamps ? "none (0 valid bits)"
                        : fmt::format("{} valid bits, one tick is {} ns", limits.timestamp_valid_bits,
                                      format_significant(limits.timestamp_period_ns)),
        has_timestamps,
        "The device has no clock of its own: all times are measured by the host and include the submission.");
    const auto add_feature = [&add](const char* id, const char* title, bool is_supported) {
        add(id, title, is_supported ? "yes" : "no", is_supported,
            "The device does not support it: variants that need it are refused or use a fallback; all others "
            "run.");
    };
    add_feature("float64", "64-bit floats", limits.float64);
    add_feature("storage16", "16-bit storage", limits.storage16);
    add_feature("float16", "16-bit floats", limits.float16);
    add_feature("float32_atomic_add", "Atomic float add", limits.float32_atomic_add);
    add_feature("integer_dot", "Dot product of 4 bytes", limits.integer_dot);
    add_feature("cooperative_matrix", "Cooperative matrices", limits.cooperative_matrix);
}

Check check_loop_cap(gpu::Device& device) {
    try {
        return evaluate_loop_cap(probe_loop_cap(device, probed_iterations), probed_iterations,
                                 device.limits().loop_iterations);
    } catch (const std::exception& error) {
        return {"loop_cap", "Loop cap", CheckStatus::problem, error.what(),
                "Update the driver: a loop of a million iterations must end with the right number."};
    }
}

Check check_copy_rate(gpu::Device& device) {
    Check check{"copy_ceiling", "Copy ceiling"};
    const std::filesystem::path file = ceilings_file();
    try {
        std::optional<Ceilings> ceilings = load_ceilings(device.limits(), file);
        constexpr CeilingGroup copies = CeilingGroup::copies;
        if (!ceilings || !is_measured(*ceilings, copies))
            ceilings = measure_ceilings(device, {&copies, 1}, ceilings.value_or(Ceilings{}), file);
        check.value = fmt::format("{}, measured {}", format_bandwidth(ceilings->copy_bytes_per_second).text(),
                                  format_utc_minute(ceilings->measured_utc));
    } catch (const std::exception& error) {
        check.status = CheckStatus::problem;
        check.value = error.what();
        check.advice = "Close other programs that use the device, and update the driver.";
    }
    return check;
}

/// The same step as in shaders/doctor/loop_cap.comp.
std::uint32_t xorshift(std::uint32_t x) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
}

Check evaluate_first_run(const Report& report, double first_result_ns) {
    const std::string what =
        fmt::format("{}, {} elements", report.experiment.lesson, format_count(first_run_elements));
    if (report.status != Status::ok)
        return {"lab_run", "First result", CheckStatus::problem,
                fmt::format("{}: {}. {}", what, name(report.status), report.message),
                "The device or its driver computes wrong results. Update the driver, or try another device: "
                "gridstride doctor --device NUMBER."};
    return make_check("lab_run", "First result",
                      fmt::format("{}: correct, after {}", what, format_time(first_result_ns).text()),
                      first_result_ns <= slow_first_result_ns,
                      "That is slow. Close other programs that keep the processor or the device busy.");
}

}  // namespace

Check make_check(std::string id, std::string title, std::string value, bool holds, std::string advice,
                 CheckStatus failure_status) {
    return {std::move(id), std::move(title), holds ? CheckStatus::ok : failure_status, std::move(value),
            holds ? std::string() : std::move(advice)};
}

DeviceFindings check_devices(const std::string& device_name) {
    DeviceFindings findings;
    const gpu::LoaderInfo loader = gpu::get_loader_info();
    findings.checks = {
        make_check("loader", "Vulkan loader",
                   loader.version.empty() ? "version unknown" : "Vulkan " + loader.version,
                   !loader.version.empty(), "Install libvulkan1.", CheckStatus::problem),
        make_check("validation", "Validation layer",
                   loader.validation_layer ? fmt::format("Vulkan {}; GRIDSTRIDE_VALIDATION=1 turns it on",
                                                         loader.validation_version)
                                           : "not installed",
                   loader.validation_layer,
                   "Only the tests and people who write kernels need it. Install vulkan-validationlayers.")};
    std::optional<gpu::Device> device;
    try {
        const std::vector<gpu::DeviceInfo> devices = gpu::list_devices();
        std::size_t selected = devices.size();
        try {
            selected = gpu::find_device(devices, device_name);
        } catch (const NoDevice&) {
            // Reported when the device is opened below.
        }
        for (const gpu::DeviceInfo& info : devices)
            findings.checks.push_back(describe_device(info, info.index == selected));
        device.emplace(device_name);
    } catch (const std::exception& error) {
        findings.checks.push_back(
            {"device", "Device", CheckStatus::problem, "no usable device", error.what()});
        return findings;
    }
    findings.is_usable = true;
    add_limits(device->limits(), findings.checks);
    findings.checks.push_back(check_loop_cap(*device));
    if (!device->is_hung()) findings.checks.push_back(check_copy_rate(*device));
    findings.hangs = device->is_hung();
    return findings;
}

std::uint64_t probe_loop_cap(gpu::Device& device, std::uint32_t iterations) {
    constexpr std::uint64_t bytes = sizeof(std::uint32_t);
    const std::vector<std::uint32_t> push = {xorshift_seed, iterations};
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
    if (!commands.submit_and_wait(loop_timeout))
        throw std::runtime_error(fmt::format("A loop of {} iterations did not end in {} s.",
                                             format_count(iterations), loop_timeout.count()));

    std::uint32_t last = 0;
    std::memcpy(&last, download.mapped().data(), bytes);
    std::uint32_t x = xorshift_seed;
    for (std::uint64_t done = 0; done <= iterations; ++done, x = xorshift(x))
        if (x == last) return done;
    throw std::runtime_error(fmt::format(
        "A loop of {} iterations ended with a number that no iteration computes.", format_count(iterations)));
}

Check evaluate_loop_cap(std::uint64_t found_cap, std::uint64_t tested_iterations, std::uint64_t assumed_cap) {
    Check check{"loop_cap", "Loop cap"};
    const bool ended = found_cap < tested_iterations;
    check.value = ended ? fmt::format("loops end after {} iterations", format_count(found_cap))
                        : fmt::format("none up to {} iterations", format_count(tested_iterations));
    if (assumed_cap == 0 && !ended) return check;
    if (found_cap == assumed_cap) {
        check.value += ", as assumed: longer launches are cut into slices";
    } else if (ended && (assumed_cap == 0 || found_cap < assumed_cap)) {
        check.status = CheckStatus::problem;
        check.value += assumed_cap == 0 ? "; no cap is assumed"
                                        : fmt::format("; {} are assumed", format_count(assumed_cap));
        check.advice =
            "The driver ends loops earlier than Gridstride assumes and reports no error, so long launches "
            "give wrong results. Update the driver, and report this line with the driver's version.";
    } else {
        check.status = CheckStatus::warning;
        check.value += fmt::format("; {} are assumed", format_count(assumed_cap));
        check.advice =
            "Results are right, but launches are cut into more slices than this driver needs. Report this "
            "line with the driver's version.";
    }
    return check;
}

std::vector<Check> check_lab(const std::string& device_name, const Lesson& lesson,
                             const std::function<bool()>& interrupted) {
    std::vector<Check> checks;
    try {
        const Clock::time_point start = Clock::now();
        const std::unique_ptr<Client> client = start_lab({.device = device_name});
        wait_for_limits(*client, first_run_deadline, interrupted);
        checks.push_back(make_check(
            "lab_start", "Lab",
            fmt::format("started, its device open after {}", format_time(nanoseconds_since(start)).text())));
        Request request{.id = 1, .experiment = default_experiment(lesson)};
        request.experiment.values.set(lesson.domain.front(), first_run_elements);
        request.sampling.measure = false;
        request.deadline_seconds = first_run_deadline;
        const Clock::time_point submit_time = Clock::now();
        const Report report = run_and_wait(*client, std::move(request), interrupted);
        checks.push_back(evaluate_first_run(report, nanoseconds_since(submit_time)));
    } catch (const std::exception& error) {
        const bool started = !checks.empty();
        checks.push_back({started ? "lab_run" : "lab_start", started ? "First result" : "Lab",
                          CheckStatus::problem, error.what(),
                          "Update the driver, or try another device: gridstride doctor --device NUMBER."});
    }
    return checks;
}

}  // namespace gridstride::lab
