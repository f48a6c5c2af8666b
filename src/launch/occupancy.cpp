#include "launch/occupancy.h"

#include <algorithm>

#include "base/language.h"
#include "base/units.h"

namespace gridstride {

namespace {

// Allocation units of registers on NVIDIA since Volta (CUDA Occupancy Calculator, "GPU Data").
constexpr std::uint64_t register_unit = 256;  // registers, for one subgroup
constexpr std::uint64_t subgroup_unit = 4;    // subgroups are allocated in multiples of this

std::uint64_t workgroups_by_registers(std::uint64_t registers, std::uint64_t subgroups,
                                      const Limits& limits) {
    const std::uint64_t registers_per_subgroup =
        divide_up(registers * limits.subgroup_size, register_unit) * register_unit;
    const std::uint64_t resident_subgroups =
        limits.registers_per_multiprocessor / registers_per_subgroup / subgroup_unit * subgroup_unit;
    return resident_subgroups / subgroups;
}

std::string format_limits(const Occupancy& fit, std::uint32_t registers, const Limits& limits) {
    std::string text;
    const auto add = [&](OccupancyBound by, const std::string& what) {
        if (fit.limits(by)) text += (text.empty() ? "" : tr(" and ")) + what;
    };
    add(OccupancyBound::subgroups,
        tr("its {} invocations",
           format_count(std::uint64_t{limits.subgroups_per_multiprocessor} * limits.subgroup_size)));
    add(OccupancyBound::registers, tr("its registers ({} an invocation, of {} in all)", registers,
                                      format_count(limits.registers_per_multiprocessor)));
    add(OccupancyBound::workgroups, tr("its limit of {} workgroups", limits.workgroups_per_multiprocessor));
    return text;
}

/// How the grid spreads over all multiprocessors.
std::string describe_grid(std::uint64_t workgroups, const Occupancy& fit, const Limits& limits) {
    const std::uint64_t resident_workgroups = fit.workgroups * limits.multiprocessors;
    if (limits.multiprocessors == 0 || resident_workgroups == 0) return {};
    const std::string grid = counted(workgroups, "workgroup", "workgroups");
    const std::string all = tr("the {} multiprocessors", format_count(limits.multiprocessors));
    if (workgroups < limits.multiprocessors)
        return tr("This grid of {} leaves {} of {} without work.", grid,
                  format_count(limits.multiprocessors - workgroups), all);
    if (workgroups <= resident_workgroups)
        return tr(
            "This grid of {} fits on {} at once. They hold up to {}, so the grid fills {} of "
            "them.",
            grid, all, format_count(resident_workgroups),
            format_percent(static_cast<double>(workgroups) / static_cast<double>(resident_workgroups))
                .text());
    return tr("The {} multiprocessors hold {} workgroups at once: this grid of {} takes {} waves.",
              format_count(limits.multiprocessors), format_count(resident_workgroups),
              format_count(workgroups), format_count(divide_up(workgroups, resident_workgroups)));
}

std::string describe_shared_memory(std::uint64_t shared_bytes, const Occupancy& fit, const Limits& limits) {
    if (shared_bytes == 0) return {};
    const std::uint64_t certain_workgroups = limits.max_shared_bytes / shared_bytes;
    const std::string each = format_byte_text(shared_bytes);
    if (certain_workgroups >= fit.workgroups)
        return tr("Shared memory does not limit occupancy: a workgroup uses {}.", each);
    return tr(
        "The model leaves out shared memory, of which a workgroup uses {}. Vulkan reports how much one "
        "workgroup may use ({}), not how much a multiprocessor has: there is certainly room for {}, perhaps "
        "for more.",
        each, format_byte_text(limits.max_shared_bytes),
        counted(certain_workgroups, "workgroup", "workgroups"));
}

}  // namespace

bool Occupancy::limits(OccupancyBound by) const {
    return std::any_of(bounds.begin(), bounds.end(),
                       [&](const Bound& bound) { return bound.by == by && bound.workgroups == workgroups; });
}

std::optional<Occupancy> occupancy(std::uint64_t workgroup_size, std::uint32_t registers,
                                   const Limits& limits) {
    const std::uint32_t subgroups = limits.subgroups_per_multiprocessor;
    if (subgroups == 0 || limits.subgroup_size == 0 || workgroup_size == 0) return std::nullopt;
    Occupancy fit;
    fit.subgroups_per_workgroup = divide_up(workgroup_size, limits.subgroup_size);
    fit.bounds.push_back({OccupancyBound::subgroups, subgroups / fit.subgroups_per_workgroup});
    if (limits.registers_per_multiprocessor > 0 && registers > 0)
        fit.bounds.push_back({OccupancyBound::registers,
                              workgroups_by_registers(registers, fit.subgroups_per_workgroup, limits)});
    if (limits.workgroups_per_multiprocessor > 0)
        fit.bounds.push_back({OccupancyBound::workgroups, limits.workgroups_per_multiprocessor});

    const auto tightest_bound =
        std::min_element(fit.bounds.begin(), fit.bounds.end(),
                         [](const auto& a, const auto& b) { return a.workgroups < b.workgroups; });
    fit.workgroups = tightest_bound->workgroups;
    fit.subgroups = fit.workgroups * fit.subgroups_per_workgroup;
    fit.fraction = static_cast<double>(fit.subgroups) / subgroups;
    return fit;
}

std::vector<std::string> describe_occupancy(const Dispatch& launch, std::uint32_t registers,
                                            const Limits& limits) {
    const std::uint64_t size = launch.workgroup_size();
    const std::uint32_t register_file = limits.registers_per_multiprocessor;
    const std::optional<Occupancy> fit = occupancy(size, registers, limits);
    if (!fit)
        return {limits.is_cpu ? tr("A software device has no multiprocessors: its workgroups run on the "
                                   "processor's threads, so there is no occupancy to model.")
                              : tr("This device's driver does not report how many subgroups a multiprocessor "
                                   "holds, so there is no occupancy to model.")};
    std::vector<std::string> words = {
        tr("A multiprocessor holds {} of {} invocations at once: {} of its {} subgroups, {}. It is "
           "limited by {}.",
           counted(fit->workgroups, "workgroup", "workgroups"), format_count(size),
           format_count(fit->subgroups), format_count(limits.subgroups_per_multiprocessor),
           format_percent(fit->fraction).text(), format_limits(*fit, registers, limits))};
    if (std::string text = describe_grid(launch.workgroup_count(), *fit, limits); !text.empty())
        words.push_back(std::move(text));
    if (register_file > 0 && registers == 0)
        words.push_back(tr(
            "Before the first run the model leaves out registers: the driver reports them with the compiled "
            "kernel."));
    if (register_file > 0 && registers > 0)
        words.push_back(
            tr("The driver reports {} registers per invocation; the {} of a multiprocessor are NVIDIA's "
               "documented figure, which the device does not report.",
               registers, format_count(register_file)));
    if (std::string text = describe_shared_memory(launch.shared_bytes, *fit, limits); !text.empty())
        words.push_back(std::move(text));
    return words;
}

}  // namespace gridstride
