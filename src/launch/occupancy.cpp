#include "launch/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace gridstride {

namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return divide_up(value, unit) * unit;
}

std::uint64_t by_registers(const Multiprocessor& m, std::uint64_t registers, std::uint64_t subgroups) {
    const std::uint64_t a_subgroup = round_up(registers * m.subgroup_size, m.register_unit);
    const std::uint64_t served = m.registers / a_subgroup / m.subgroup_unit * m.subgroup_unit;
    return served / subgroups;
}

std::uint64_t by_shared_memory(const Multiprocessor& m, std::uint64_t bytes) {
    return m.shared_bytes / round_up(bytes + m.shared_bytes_reserved, m.shared_unit);
}

std::string what_limits(const Occupancy& fit, const Multiprocessor& m, const WorkgroupNeeds& needs) {
    std::string text;
    const auto add = [&](OccupancyBound by, const std::string& what) {
        if (fit.limits(by)) text += (text.empty() ? "" : " and ") + what;
    };
    add(OccupancyBound::subgroups,
        fmt::format("its {} invocations", format_count(std::uint64_t{m.subgroups} * m.subgroup_size)));
    add(OccupancyBound::registers, fmt::format("its registers ({} an invocation, of {} in all)",
                                               needs.registers, format_count(m.registers)));
    add(OccupancyBound::shared_memory, "its shared memory");
    add(OccupancyBound::workgroups, fmt::format("its {} places for workgroups", m.workgroups));
    return text;
}

std::string counted(std::uint64_t count, const char* what) {
    return fmt::format("{} {}{}", format_count(count), what, count == 1 ? "" : "s");
}

/// How the grid spreads over all multiprocessors.
std::string spread(std::uint64_t workgroups, const Occupancy& fit, const Limits& limits) {
    const std::uint64_t at_once = fit.workgroups * limits.multiprocessors;
    if (limits.multiprocessors == 0 || at_once == 0) return {};
    const std::string all = fmt::format("the {} multiprocessors", format_count(limits.multiprocessors));
    if (workgroups < limits.multiprocessors)
        return fmt::format("This grid of {} leaves {} of {} without work.", format_count(workgroups),
                           format_count(limits.multiprocessors - workgroups), all);
    if (workgroups <= at_once)
        return fmt::format(
            "This grid of {} fits {} at once: {} places, {} of them taken.", format_count(workgroups), all,
            format_count(at_once),
            format_percent(static_cast<double>(workgroups) / static_cast<double>(at_once)).text());
    return fmt::format("{} hold {} workgroups at once: this grid of {} takes {} rounds.", "T" + all.substr(1),
                       format_count(at_once), format_count(workgroups),
                       format_count(divide_up(workgroups, at_once)));
}

std::string shared_memory_caveat(const WorkgroupNeeds& needs, const Occupancy& fit, const Limits& limits) {
    if (needs.shared_bytes == 0) return {};
    const std::uint64_t surely = limits.max_shared_bytes / needs.shared_bytes;
    const std::string each = format_bytes(static_cast<double>(needs.shared_bytes)).text();
    if (surely >= fit.workgroups) return fmt::format("Shared memory does not limit: {} each.", each);
    return fmt::format(
        "Not in the model: shared memory, {} each. Vulkan tells what one workgroup may have ({}), not what a "
        "multiprocessor has; for {} there is room, for more there may be.",
        each, format_bytes(static_cast<double>(limits.max_shared_bytes)).text(),
        counted(surely, "workgroup"));
}

}  // namespace

Multiprocessor multiprocessor_of(const Limits& limits) {
    Multiprocessor m;
    m.subgroup_size = limits.subgroup_size;
    m.subgroups = limits.subgroups_per_multiprocessor;
    m.workgroups = limits.workgroups_per_multiprocessor;
    m.registers = limits.registers_per_multiprocessor;
    return m;
}

bool Occupancy::limits(OccupancyBound by) const {
    return std::any_of(bounds.begin(), bounds.end(),
                       [&](const Bound& bound) { return bound.by == by && bound.workgroups == workgroups; });
}

std::optional<Occupancy> occupancy(const Multiprocessor& m, const WorkgroupNeeds& needs) {
    if (m.subgroups == 0 || m.subgroup_size == 0 || needs.invocations == 0) return std::nullopt;
    Occupancy fit;
    fit.subgroups_a_workgroup = divide_up(needs.invocations, m.subgroup_size);
    fit.bounds.push_back({OccupancyBound::subgroups, m.subgroups / fit.subgroups_a_workgroup});
    if (m.registers > 0 && needs.registers > 0)
        fit.bounds.push_back(
            {OccupancyBound::registers, by_registers(m, needs.registers, fit.subgroups_a_workgroup)});
    if (m.shared_bytes > 0)
        fit.bounds.push_back({OccupancyBound::shared_memory, by_shared_memory(m, needs.shared_bytes)});
    if (m.workgroups > 0) fit.bounds.push_back({OccupancyBound::workgroups, m.workgroups});

    const auto lowest =
        std::min_element(fit.bounds.begin(), fit.bounds.end(),
                         [](const auto& a, const auto& b) { return a.workgroups < b.workgroups; });
    fit.workgroups = lowest->workgroups;
    fit.subgroups = fit.workgroups * fit.subgroups_a_workgroup;
    fit.fraction = static_cast<double>(fit.subgroups) / m.subgroups;
    return fit;
}

std::vector<std::string> occupancy_in_words(const Dispatch& launch, std::uint32_t registers,
                                            const Limits& limits) {
    const Multiprocessor m = multiprocessor_of(limits);
    const WorkgroupNeeds needs{launch.workgroup_size(), registers, launch.shared_bytes};
    const std::optional<Occupancy> fit = occupancy(m, needs);
    if (!fit)
        return {limits.is_cpu ? "A software device has no multiprocessors: its workgroups run on the "
                                "processor's threads, so there is no occupancy to model."
                              : "This device's driver does not say how many subgroups a multiprocessor "
                                "holds, so there is no occupancy to model."};
    std::vector<std::string> words = {fmt::format(
        "A multiprocessor holds {} of {} invocations at once: {} of its {} subgroups, {}. What "
        "limits: {}.",
        counted(fit->workgroups, "workgroup"), format_count(needs.invocations), format_count(fit->subgroups),
        format_count(m.subgroups), format_percent(fit->fraction).text(), what_limits(*fit, m, needs))};
    if (std::string text = spread(launch.workgroup_count(), *fit, limits); !text.empty())
        words.push_back(std::move(text));
    if (m.registers > 0 && registers == 0)
        words.push_back(
            "Registers are not in the model before a run: the driver tells them with the kernel.");
    if (m.registers > 0 && registers > 0)
        words.push_back(fmt::format(
            "The driver tells {} registers an invocation; the {} of a multiprocessor are NVIDIA's "
            "documented figure, not the device's word.",
            registers, format_count(m.registers)));
    if (std::string text = shared_memory_caveat(needs, *fit, limits); !text.empty())
        words.push_back(std::move(text));
    return words;
}

}  // namespace gridstride
