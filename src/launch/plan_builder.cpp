#include "launch/plan_builder.h"

#include <algorithm>
#include <bit>

namespace gridstride {

std::uint64_t count_resident_workgroups(std::uint64_t workgroup_size, const Limits& limits) {
    if (limits.multiprocessors == 0 || limits.subgroups_per_multiprocessor == 0)
        return limits.is_cpu ? 64 : 1024;
    const std::uint64_t subgroups = divide_up(workgroup_size, limits.subgroup_size);
    return limits.multiprocessors *
           std::max<std::uint64_t>(limits.subgroups_per_multiprocessor / subgroups, 1);
}

PlanBuilder::PlanBuilder(const Extent& domain, const Extent& workgroup, const Extent& grid,
                         std::uint64_t per_invocation, const Limits& limits)
    : domain_(domain), workgroup_(workgroup), grid_(grid), per_invocation_(per_invocation), limits_(limits) {}

void PlanBuilder::set_launch(const Extent& domain, const Extent& workgroup, const Extent& grid) {
    domain_ = domain;
    workgroup_ = workgroup;
    grid_ = grid;
    tile_.reset();
}

Extent PlanBuilder::tile() const {
    if (tile_) return *tile_;
    Extent tile = workgroup_;
    tile.x *= per_invocation_;
    return tile;
}

void PlanBuilder::upload_in_pieces(PlanBuffer buffer, std::uint64_t pieces) {
    const BufferSpec& all = plan_.buffers[buffer];
    const std::uint64_t each = divide_up(all.elements(), pieces);
    for (std::uint64_t first = 0; first < all.elements(); first += each) {
        plan_.steps.emplace_back(
            Upload{buffer, all.name, std::min(each, all.elements() - first), first, host_memory_});
        if (pieces > 1) end_submit();
    }
}

void PlanBuilder::set_default_grid(std::uint64_t workgroups) {
    if (domain_.dimensions() > 1) return;
    if (grid_.x == 0) grid_.x = std::min({workgroups, tiles(), limits_.max_grid.x});
}

std::uint64_t PlanBuilder::resident_workgroups() const {
    return count_resident_workgroups(workgroup_size(), limits_);
}

std::uint64_t PlanBuilder::min_busy_workgroups() const {
    return count_resident_workgroups(limits_.is_cpu ? workgroup_size() : 2 * workgroup_size(), limits_);
}

const Extent& PlanBuilder::grid() {
    if (grid_.x == 0) {
        grid_ = divide_up(domain_, tile());
        grid_.x = std::min(grid_.x, limits_.max_grid.x);
        if (grid_.y > 0) grid_.y = std::min(grid_.y, limits_.max_grid.y);
        if (grid_.z > 0) grid_.z = std::min(grid_.z, limits_.max_grid.z);
    }
    return grid_;
}

PlanBuffer PlanBuilder::add(std::string name, ElementType type, const Extent& shape, bool output) {
    plan_.buffers.push_back({std::move(name), type, shape, output});
    return {plan_.buffers.size() - 1};
}

PlanBuffer PlanBuilder::input(std::string name, ElementType type, const Extent& shape) {
    return add(std::move(name), type, shape, false);
}

PlanBuffer PlanBuilder::output(std::string name, ElementType type, const Extent& shape) {
    return add(std::move(name), type, shape, true);
}

Dispatch& PlanBuilder::launch(std::string label, std::string kernel, std::vector<Binding> bindings) {
    return std::get<Dispatch>(plan_.steps.emplace_back(Dispatch{.label = std::move(label),
                                                                .kernel = std::move(kernel),
                                                                .workgroup = workgroup_,
                                                                .grid = grid(),
                                                                .domain = domain_,
                                                                .tile = tile(),
                                                                .bindings = std::move(bindings)}));
}

Dispatch& PlanBuilder::launch_one_workgroup(std::string label, std::string kernel,
                                            std::vector<Binding> bindings, std::uint64_t elements,
                                            std::uint64_t per_invocation) {
    const std::uint64_t max_size = std::min<std::uint64_t>(limits_.max_workgroup_size, 1024);
    const std::uint64_t min_size = std::min<std::uint64_t>(limits_.subgroup_size, max_size);
    const std::uint64_t size =
        std::clamp(std::bit_ceil(divide_up(elements, per_invocation)), min_size, max_size);
    return std::get<Dispatch>(plan_.steps.emplace_back(Dispatch{.label = std::move(label),
                                                                .kernel = std::move(kernel),
                                                                .workgroup = {size},
                                                                .grid = {1},
                                                                .domain = {elements},
                                                                .tile = {size * per_invocation},
                                                                .bindings = std::move(bindings)}));
}

}  // namespace gridstride
