#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "base/utc_time.h"
#include "commands.h"
#include "gpu/device.h"
#include "kernel_tables.h"
#include "lab/ceilings.h"
#include "present/report_json.h"
#include "present/verdict_text.h"
#include "shader/cooperative_matrix.h"
#include "standard_output.h"
#include "story/story.h"

namespace gridstride::app {

int run_command(const ListOptions& options) {
    if (options.kernels) {
        print("{}", make_kernel_tables());
        return exit_success;
    }
    if (options.json) {
        nlohmann::ordered_json lessons = nlohmann::ordered_json::array();
        const auto add_place = [](nlohmann::ordered_json& json, const CourseEntry& entry) {
            json["chapter"] = entry.head.chapter;
            json["question"] = entry.head.question;
            json["minutes"] = entry.head.minutes;
        };
        for (const CourseEntry& entry : course()) {
            if (!entry.story.empty()) continue;
            nlohmann::ordered_json lesson = to_json(*entry.lesson);
            add_place(lesson, entry);
            for (const CourseEntry* further : course_entries(*entry.lesson)) {
                if (further->story.empty()) continue;
                nlohmann::ordered_json story = {{"id", further->id}, {"title", further->title}};
                add_place(story, *further);
                lesson["stories"].push_back(std::move(story));
            }
            lessons.push_back(std::move(lesson));
        }
        print("{}\n", nlohmann::ordered_json{{"lessons", lessons}}.dump());
        return exit_success;
    }
    for (const CourseEntry& entry : course()) {
        print("{}  {}: {}\n", entry.id, entry.title, entry.head.question);
        const Lesson* const lesson = entry.lesson;
        if (!entry.story.empty()) {
            print("  variants and parameters of {}\n", lesson->id);
            continue;
        }
        print("  variants\n");
        for (const Variant& variant : lesson->variants)
            print("    {:<18} {}\n", variant.id, variant.summary);
        print("  parameters\n");
        for (const Parameter& parameter : lesson->parameters)
            print("    {:<18} {}; default {}\n", parameter.id, describe_range(parameter, nullptr),
                  format(parameter, parameter.default_value));
    }
    return exit_success;
}

namespace {

/// Returns the saved ceilings, or measures them. Returns nullopt if there are none or the device cannot be
/// used.
std::optional<Ceilings> get_ceilings(const gpu::DeviceInfo& device, bool measure) {
    if (!device.is_usable) return std::nullopt;
    const std::filesystem::path file = lab::ceilings_file();
    if (!measure) return lab::load_ceilings(device.limits, file);
    print_status("measuring {}, which takes a few seconds", device.limits.device_name);
    gpu::Device opened(std::to_string(device.index));
    return lab::measure_ceilings(opened, all_ceiling_groups, {}, file);
}

}  // namespace

int run_command(const DevicesOptions& options) {
    const std::vector<gpu::DeviceInfo> devices = gpu::list_devices();
    if (options.json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const gpu::DeviceInfo& device : devices) {
            nlohmann::ordered_json entry = {
                {"index", device.index}, {"usable", device.is_usable}, {"api_version", device.api_version}};
            entry.update(to_json(device.limits));
            const std::optional<Ceilings> ceilings = get_ceilings(device, options.measure);
            entry["ceilings"] = ceilings ? to_json(*ceilings) : nlohmann::ordered_json();
            list.push_back(entry);
        }
        print("{}\n", nlohmann::ordered_json{{"devices", list}}.dump());
        return exit_success;
    }
    for (const gpu::DeviceInfo& device : devices) {
        const Limits& limits = device.limits;
        print("{}  {}\n", device.index, describe_device(limits.device_name, limits.is_cpu));
        const auto row = [](const char* label, const std::string& value) {
            print("   {:<32} {}\n", label, value);
        };
        row("driver", limits.driver_version);
        row("Vulkan", device.api_version);
        row("workgroup size", "up to " + format_count(limits.max_workgroup_size) + " invocations");
        row("workgroups", "up to " + format_count(limits.max_grid.x));
        row("workgroup memory", format_bytes(static_cast<double>(limits.max_shared_bytes)).text());
        row("largest binding", format_bytes(static_cast<double>(limits.max_binding_bytes)).text());
        row("device memory", format_bytes(static_cast<double>(limits.memory_bytes)).text());
        row("subgroup", fmt::format("{} invocations, arithmetic {}", limits.subgroup_size,
                                    limits.subgroup_arithmetic ? "yes" : "no"));
        row("doubles", limits.float64 ? "yes" : "no");
        row("16-bit storage", limits.storage16 ? "yes" : "no");
        row("16-bit floats", limits.float16 ? "yes" : "no");
        row("f32 atomic add", limits.float32_atomic_add ? "yes" : "no");
        row("dot of four bytes", !limits.integer_dot              ? "no"
                                 : limits.integer_dot_accelerated ? "yes, reported as accelerated"
                                                                  : "yes, not reported as accelerated");
        row("cooperative matrices", fmt::format("{}, {}", limits.cooperative_matrix ? "16 x 16 of f16" : "no",
                                                shader::cooperative_matrix_glsl));
        if (limits.multiprocessors > 0)
            row("multiprocessors", fmt::format("{} of {} subgroups", limits.multiprocessors,
                                               limits.subgroups_per_multiprocessor));
        if (limits.loop_iterations > 0)
            row("loop cap", format_count(limits.loop_iterations) +
                                " iterations per invocation; longer launches are sliced");
        row("timestamps", limits.timestamp_valid_bits > 0
                              ? fmt::format("{} bits, period {} ns", limits.timestamp_valid_bits,
                                            limits.timestamp_period_ns)
                              : "none: times are measured by the host clock");
        const std::optional<Ceilings> ceilings = get_ceilings(device, options.measure);
        row("ceilings", ceilings ? "measured " + format_utc_minute(ceilings->measured_utc)
                                 : "not measured yet: use --measure");
        if (!ceilings) continue;
        for (const auto& [what, number] : ceiling_rows(*ceilings))
            row(("  " + what).c_str(), number.text());
    }
    return exit_success;
}

}  // namespace gridstride::app
