// The device's part of the doctor: loader, devices, limits, features.
#include "client/doctor.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "gpu/loader.h"
#include "lab/ceilings.h"

namespace gridstride::lab {

namespace {

constexpr std::uint32_t probed_iterations = 1u << 20;
/// Vulkan's least. Lessons ask for more, and say so where a device does not give it.
constexpr std::uint32_t smallest_useful_workgroup = 256;
constexpr std::uint64_t smallest_useful_shared_bytes = 16 << 10;

Check check_loader(const gpu::LoaderFacts& loader) {
    if (loader.version.empty())
        return {"loader", "Vulkan loader", CheckStatus::problem, "does not tell its version",
                "Install libvulkan1."};
    return {"loader", "Vulkan loader", CheckStatus::ok, "Vulkan " + loader.version, ""};
}

Check check_validation(const gpu::LoaderFacts& loader) {
    if (loader.validation_layer)
        return {"validation", "Validation layer", CheckStatus::ok,
                fmt::format("Vulkan {}; GRIDSTRIDE_VALIDATION=1 turns it on", loader.validation_version), ""};
    return {"validation", "Validation layer", CheckStatus::warning, "not installed",
            "Only the tests and people who write kernels need it. Install vulkan-validationlayers."};
}

Check describe_device(const gpu::DeviceInfo& device, bool is_taken) {
    const Limits& limits = device.limits;
    Check check{fmt::format("device_{}", device.index), fmt::format("Device {}", device.index)};
    check.value =
        fmt::format("{}{}, driver {}, Vulkan {}{}", limits.device_name, limits.is_cpu ? " (software)" : "",
                    limits.driver_version, device.api_version, is_taken ? "; this one is taken" : "");
    if (!device.usable) {
        check.status = CheckStatus::warning;
        check.advice = "It has no queue that computes, or is older than Vulkan 1.1. Update its driver.";
    } else if (is_taken && limits.is_cpu) {
        check.status = CheckStatus::warning;
        check.advice =
            "Everything works, but the processor computes, so times say little about a GPU. If there is a "
            "GPU "
            "here, install its vendor's Vulkan driver (mesa-vulkan-drivers for AMD and Intel, nvidia-driver "
            "for NVIDIA).";
    }
    return check;
}

Check check_workgroup(const Limits& limits) {
    Check check{"workgroup", "Workgroups"};
    check.value =
        fmt::format("up to {} invocations, {} workgroups a dispatch", format_count(limits.max_workgroup_size),
                    format_count(limits.max_workgroup_count));
    if (limits.max_workgroup_size < smallest_useful_workgroup) {
        check.status = CheckStatus::warning;
        check.advice = fmt::format(
            "Lessons start with workgroups of up to {}. Choose smaller ones, or update the driver.",
            smallest_useful_workgroup);
    }
    return check;
}

Check check_shared_bytes(const Limits& limits) {
    Check check{"workgroup_memory", "Workgroup memory"};
    check.value = format_bytes(static_cast<double>(limits.max_shared_bytes)).text();
    if (limits.max_shared_bytes < smallest_useful_shared_bytes) {
        check.status = CheckStatus::warning;
        check.advice = fmt::format("Vulkan asks for at least {}: the driver is not complete. Update it.",
                                   format_bytes(static_cast<double>(smallest_useful_shared_bytes)).text());
    }
    return check;
}

Check check_memory(const Limits& limits) {
    return {
        "device_memory", "Device memory", CheckStatus::ok,
        fmt::format("{}, up to {} a binding", format_bytes(static_cast<double>(limits.memory_bytes)).text(),
                    format_bytes(static_cast<double>(limits.max_binding_bytes)).text()),
        ""};
}

Check check_subgroup(const Limits& limits) {
    Check check{"subgroup", "Subgroups"};
    check.value = fmt::format("{} invocations wide, arithmetic {}", limits.subgroup_size,
                              limits.subgroup_arithmetic ? "yes" : "no");
    if (!limits.subgroup_arithmetic) {
        check.status = CheckStatus::warning;
        check.advice =
            "Variants that add within a subgroup are refused on this device; all others run. A newer driver "
            "may have it.";
    }
    return check;
}

Check check_timestamps(const Limits& limits) {
    if (limits.timestamp_valid_bits == 0)
        return {"timestamps", "Timestamps", CheckStatus::warning, "none (0 valid bits)",
                "The device has no clock of its own: all times are the host clock's and hold the submission "
                "as well."};
    return {"timestamps", "Timestamps", CheckStatus::ok,
            fmt::format("{} valid bits, one tick is {} ns", limits.timestamp_valid_bits,
                        format_significant(limits.timestamp_period_ns)),
            ""};
}

Check check_feature(const char* id, const char* title, bool there) {
    if (there) return {id, title, CheckStatus::ok, "yes", ""};
    return {
        id, title, CheckStatus::warning, "no",
        "The device does not have it: variants that need it are refused or do without it; all others run."};
}

Check check_loop_cap(gpu::Device& device) {
    try {
        return judge_loop_cap(probe_loop_cap(device, probed_iterations), probed_iterations,
                              device.limits().loop_iterations);
    } catch (const std::exception& error) {
        return {"loop_cap", "Loop cap", CheckStatus::problem, error.what(),
                "Update the driver: a loop of a million iterations must end, and end with the right number."};
    }
}

Check check_copy_rate(gpu::Device& device) {
    const std::filesystem::path file = cache_directory() / "ceilings.json";
    const auto text = [](const Ceilings& ceilings) {
        return format_bandwidth(ceilings.copy_bytes_per_second).text();
    };
    try {
        if (const auto known = load_ceilings(device.limits(), file))
            return {"copy_ceiling", "Copy ceiling", CheckStatus::ok, text(*known) + ", measured earlier", ""};
        const Ceilings measured = measure_ceilings(device);
        store_ceilings(device.limits(), measured, file);
        return {"copy_ceiling", "Copy ceiling", CheckStatus::ok, text(measured) + ", measured now", ""};
    } catch (const std::exception& error) {
        return {"copy_ceiling", "Copy ceiling", CheckStatus::problem, error.what(),
                "Close other programs that use the device, and update the driver."};
    }
}

void add_limits(const Limits& limits, std::vector<Check>& checks) {
    checks.push_back(check_workgroup(limits));
    checks.push_back(check_shared_bytes(limits));
    checks.push_back(check_memory(limits));
    checks.push_back(check_subgroup(limits));
    checks.push_back(check_timestamps(limits));
    checks.push_back(check_feature("float64", "64-bit floats", limits.float64));
    checks.push_back(check_feature("storage16", "16-bit storage", limits.storage16));
    checks.push_back(check_feature("float32_atomic_add", "Atomic float add", limits.float32_atomic_add));
}

}  // namespace

const char* name(CheckStatus status) {
    switch (status) {
        case CheckStatus::ok:
            return "ok";
        case CheckStatus::warning:
            return "warning";
        case CheckStatus::problem:
            return "problem";
    }
    return "";
}

DeviceFindings check_devices(const std::string& wanted) {
    DeviceFindings findings;
    const gpu::LoaderFacts loader = gpu::loader_facts();
    findings.checks = {check_loader(loader), check_validation(loader)};
    std::optional<gpu::Device> device;
    try {
        const std::vector<gpu::DeviceInfo> devices = gpu::list_devices();
        std::size_t taken = devices.size();
        std::string refusal;
        try {
            taken = gpu::choose_device(devices, wanted);
        } catch (const NoDevice& error) {
            refusal = error.what();
        }
        for (const gpu::DeviceInfo& info : devices)
            findings.checks.push_back(describe_device(info, info.index == taken));
        if (!refusal.empty()) throw NoDevice(refusal);
        device.emplace(wanted);
    } catch (const std::exception& error) {
        findings.checks.push_back(
            {"device", "Device", CheckStatus::problem, "none that can be used", error.what()});
        return findings;
    }
    findings.usable = true;
    add_limits(device->limits(), findings.checks);
    findings.checks.push_back(check_loop_cap(*device));
    if (!device->given_up()) findings.checks.push_back(check_copy_rate(*device));
    findings.hangs = device->given_up();
    return findings;
}

}  // namespace gridstride::lab
