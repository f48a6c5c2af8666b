#include "tensor/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "graph/bytes.h"
#include "launch/plan_builder.h"
#include "launch/slices.h"
#include "tensor/labels.h"
#include "tensor/product.h"
#include "tensor/rows.h"

namespace gridstride::tensor {

/// The launch computes results * parts values.
struct LaunchBuilder::Reduction {
    std::uint64_t results = 1, numbers = 1;    ///< numbers: per result
    std::uint64_t invocations_per_result = 1;  ///< invocations per result
    std::uint64_t parts = 1;
    std::uint64_t part_numbers() const { return divide_up(numbers, parts); }
};

void LaunchBuilder::add(const Group& group) {
    const Op op = nodes_[group.front()].op;
    switch (op) {
        case Op::matmul_of_f16:
            add_product(group);
            break;
        case Op::matmul:
            if (nodes_[group.front()].sources[0].view.shape.size() == 2)
                add_product(group);
            else
                add_reduction(group);
            break;
        case Op::softmax:
            add_softmax(group);
            break;
        case Op::sum:
        case Op::largest:
        case Op::smallest:
        case Op::argmax:
            add_reduction(group);
            break;
        case Op::steps:
            add_scales(group);
            break;
        case Op::ranges:
        case Op::quantise:
        case Op::dequantise:
            add_quantization(group);
            break;
        case Op::matmul_of_bytes:
            add_product_of_bytes(group);
            break;
        case Op::kernel:
            add_user_kernel(group);
            break;
        default:
            if (!is_computed_by_element(op))
                throw std::logic_error(fmt::format("no launch computes {}", name(op)));
            add_elements(group);
    }
    end_eager_launch();
}

void LaunchBuilder::end_eager_launch() {
    if (options_.execution == Execution::eager) plan_.steps.emplace_back(SubmitEnd{});
}

Dispatch& LaunchBuilder::add_launch(const Group& group, std::string kernel, std::vector<Binding> bindings,
                                    const Extent& workgroup, const Extent& domain, const Extent& tile) {
    const std::string label = label_of(graph_, group);
    if (bindings.size() > limits_.max_bindings)
        throw Refusal(
            fmt::format("\"{}\" binds {} tensors, but this device allows {} at most "
                        "(maxPerStageDescriptorStorageBuffers). {}",
                        label, bindings.size(), limits_.max_bindings,
                        nodes_[group.front()].kernel ? "Use fewer tensors." : "Compute it on the CPU."));
    Extent grid = divide_up(domain, tile);
    grid.x = std::min(grid.x, limits_.max_grid.x);
    if (grid.y > 0) grid.y = std::min(grid.y, limits_.max_grid.y);
    return std::get<Dispatch>(plan_.steps.emplace_back(Dispatch{.label = label,
                                                                .kernel = std::move(kernel),
                                                                .workgroup = workgroup,
                                                                .grid = grid,
                                                                .domain = domain,
                                                                .tile = tile,
                                                                .bindings = std::move(bindings)}));
}

Dispatch& LaunchBuilder::add_generated(const Group& group, Kernel kernel, std::vector<Binding> bindings,
                                       std::uint64_t elements, std::uint64_t tile) {
    Dispatch& launch =
        add_launch(group, kernel.name, std::move(bindings), {options_.workgroup_size}, {elements}, {tile});
    if (options_.workgroup_count > 0) launch.grid.x = std::min(launch.grid.x, options_.workgroup_count);
    launch.source = std::move(kernel.source);
    launch.constants = std::move(kernel.constants);
    return launch;
}

std::vector<Binding> LaunchBuilder::bindings_of(const Kernel& kernel, bool is_in_place) {
    std::vector<Binding> bindings;
    std::vector<std::size_t> read_each;
    for (const auto& [node, each] : kernel.reads) {
        bindings.push_back({memory_.read(node), Access::read, each});
        if (each) read_each.push_back(node);
    }
    for (const std::size_t n : kernel.writes) {
        const bool may_reuse = is_in_place && n == kernel.writes.back();
        bindings.push_back(
            writes_each(memory_.allocate(n, may_reuse ? memory_.find_reusable(n, read_each) : std::nullopt)));
    }
    return bindings;
}

std::vector<Binding> LaunchBuilder::whole_bindings(const Group& group) {
    std::vector<Binding> bindings;
    for (const Source& source : nodes_[group.front()].sources)
        bindings.push_back(reads(memory_.read(source.node)));
    for (const std::size_t n : group)
        bindings.push_back(writes(memory_.allocate(n)));
    return bindings;
}

void LaunchBuilder::add_elements(const Group& group) {
    Kernel kernel = generate_elementwise_kernel(graph_, group);
    std::vector<Binding> bindings = bindings_of(kernel, options_.is_in_place);
    add_generated(group, std::move(kernel), std::move(bindings), nodes_[group.back()].elements(),
                  4 * options_.workgroup_size);
}

/// Returns the largest power of two that divides the workgroup size and is at most `numbers`.
std::uint64_t LaunchBuilder::max_invocations_per_result(std::uint64_t numbers) const {
    return std::bit_floor(std::min(std::uint64_t{1} << std::countr_zero(options_.workgroup_size), numbers));
}

LaunchBuilder::Reduction LaunchBuilder::reduction_of(const Node& lead) const {
    Reduction all{lead.elements(), lead.sources[0].view.shape.back()};
    const bool is_contiguous = std::ranges::all_of(reduction_operands(lead), [](const Source& operand) {
        const View view = operand.view.collapsed();
        return view.shape.empty() || view.strides.back() == 1;
    });
    const auto fills_device = [&] {
        return all.results * all.invocations_per_result >=
               std::uint64_t{limits_.is_cpu ? 64U : 2048U} * std::max(limits_.multiprocessors, 1U);
    };
    // For coalesced loads, neighbours read contiguous numbers of one result, or else compute neighbouring
    // results, if those are enough to fill the device.
    const std::uint64_t preferred_size = is_contiguous ? limits_.subgroup_size : 1;
    while (all.invocations_per_result < max_invocations_per_result(all.numbers) &&
           (all.invocations_per_result < preferred_size || !fills_device()))
        all.invocations_per_result *= 2;
    constexpr std::uint64_t min_numbers = 16, max_numbers = 16384;
    if (!fills_device())
        all.parts = std::max<std::uint64_t>(1, all.numbers / (all.invocations_per_result * min_numbers));
    all.parts = std::min<std::uint64_t>(all.parts, limits_.is_cpu ? 16 : 1024);
    all.parts = std::max(all.parts, divide_up(all.numbers, all.invocations_per_result * max_numbers));
    return all;
}

void LaunchBuilder::add_reduction(const Group& group) {
    const Node& lead = nodes_[group.front()];
    const Reduction all = reduction_of(lead);
    if (all.parts == 1) return add_stage(group, Stage::whole, all, {});
    const PlanBuffer parts =
        memory_.scratch(lead.name + "_parts", partial_type(lead), all.results * all.parts);
    add_stage(group, Stage::first, all, parts);
    end_eager_launch();
    add_stage(group, Stage::second, {all.results, all.parts, max_invocations_per_result(all.parts)}, parts);
}

void LaunchBuilder::add_stage(const Group& group, Stage stage, const Reduction& by, PlanBuffer parts) {
    Kernel kernel = generate_reduction_kernel(graph_, group, stage);
    std::vector<Binding> bindings = bindings_of(kernel);
    if (stage == Stage::first) bindings.push_back(writes_each(parts));
    if (stage == Stage::second) bindings.insert(bindings.begin(), reads(parts));
    Dispatch& launch = add_generated(group, std::move(kernel), std::move(bindings), by.results * by.parts,
                                     options_.workgroup_size / by.invocations_per_result);
    if (stage == Stage::first) launch.label += ", in parts";
    launch.constants.front() = word(by.invocations_per_result);
    launch.push = {word(by.numbers), word(by.parts), word(by.part_numbers())};
    launch.iterations_per_pass = divide_up(by.part_numbers(), by.invocations_per_result) +
                                 static_cast<std::uint64_t>(std::bit_width(by.invocations_per_result)) + 4;
    launch.shared_bytes = options_.workgroup_size * byte_size(partial_type(nodes_[group.front()]));
}

namespace {

/// A launch cannot be sliced along k, so the product may exceed the loop iterations of a dispatch.
/// set_up(dispatch, a) sets up the launch for these columns of a.
template <class SetUp>
void require_iterations_fit(const Dispatch& launch, const Plan& plan, const Limits& limits, const Matrix& a,
                            const Matrix& b, const SetUp& set_up) {
    const auto refusal_of_parts = [&](std::uint64_t parts) {
        Matrix part_of_a = a;
        part_of_a.columns = divide_up(a.columns, parts);
        Dispatch part = launch;
        set_up(part, part_of_a);
        return slice(part, plan.buffers, limits).refusal;
    };
    const std::string refusal = refusal_of_parts(1);
    // A product that is refused for any k is too large in another way; the check of all launches reports it.
    if (refusal.empty() || !refusal_of_parts(a.columns).empty()) return;
    std::uint64_t parts = 2;
    while (!refusal_of_parts(parts).empty())
        ++parts;
    throw Refusal(
        fmt::format("{} Slice {} x {} and {} x {} along their {} into {} parts, multiply those, "
                    "and add the products.",
                    refusal, a.rows, a.columns, b.rows, b.columns, a.columns, parts));
}

}  // namespace

void LaunchBuilder::add_product(const Group& group) {
    const Node& product = nodes_[group.front()];
    const auto matrix = [](const Source& source) {
        const View& view = source.view;
        return Matrix{view.shape[0], view.shape[1], view.strides[0], view.strides[1]};
    };
    const Matrix a = matrix(product.sources[0]), b = matrix(product.sources[1]);
    const Extent domain{b.columns, a.rows};
    const bool are_f16 = product.op == Op::matmul_of_f16;
    const Extent workgroup = are_f16 ? f16_workgroup(limits_) : Extent{16, 16};
    const Tiling tiling = choose_tiling(limits_, workgroup, a.rows, b.columns, prefetch);
    std::vector<Binding> bindings = {reads(memory_.read(product.sources[0].node)),
                                     reads(memory_.read(product.sources[1].node)),
                                     writes_each(memory_.allocate(group.back()))};
    // Without a tail, the kernel for f32 is one that ships.
    Kernel kernel{.name = "matmul/prefetch"};
    if (are_f16 || group.size() > 1) kernel = generate_product_kernel(graph_, group, limits_);
    for (const Kernel::Input& read : kernel.reads)
        bindings.push_back(reads(memory_.read(read.node)));
    Dispatch& launch = add_launch(
        group, kernel.name, std::move(bindings), workgroup, domain,
        are_f16 ? f16_tile : Extent{workgroup.x * tiling.results.x, workgroup.y * tiling.results.y});
    launch.source = std::move(kernel.source);
    const auto set_up = [&](Dispatch& dispatch, const Matrix& part) {
        if (are_f16)
            set_up_f16_product_launch(dispatch, part, b);
        else
            set_up_product_launch(dispatch, limits_, part, b, prefetch, tiling);
    };
    set_up(launch, a);
    require_iterations_fit(launch, plan_, limits_, a, b, set_up);
    launch.constants.insert(launch.constants.end(), kernel.constants.begin(), kernel.constants.end());
}

void LaunchBuilder::add_softmax(const Group& group) {
    require_subgroups(group);
    const Node& node = nodes_[group.front()];
    const std::uint64_t columns = node.shape.back();
    // A large workgroup, so that few long rows still occupy a multiprocessor.
    const Extent workgroup{256, 1};
    const Team team = choose_team(limits_, workgroup, columns);
    Dispatch& launch = add_launch(
        group, "softmax/one_pass",
        {reads_each(memory_.read(node.sources[0].node)), writes_each(memory_.allocate(group.front()))},
        workgroup, {columns, node.elements() / columns}, {columns, team.rows_at_once});
    constexpr std::uint64_t passes = 2, part_bytes = 8;
    set_up_row_launch(launch, team, columns, passes, part_bytes);
}

void LaunchBuilder::require_subgroups(const Group& group) const {
    if (!limits_.subgroup_arithmetic || !limits_.subgroup_ballot)
        throw Refusal(
            fmt::format("{} needs subgroup arithmetic and ballots, which this device does not support.",
                        name(nodes_[group.front()].op)));
}

/// Adds the launch for scales and zero points. One workgroup computes those of all rows.
void LaunchBuilder::add_scales(const Group& group) {
    require_subgroups(group);
    const Node& steps = nodes_[group.front()];
    const Extent workgroup{256};
    Dispatch& launch = add_launch(group, "quantise_int8/steps", whole_bindings(group), workgroup,
                                  {steps.sources[0].view.shape[0]}, workgroup);
    launch.grid = {1};
    set_up_scale_launch(launch, steps.scheme);
}

void LaunchBuilder::add_quantization(const Group& group) {
    const Node& node = nodes_[group.front()];
    const Shape& matrix = node.sources[0].view.shape;
    const auto read = [&](std::size_t i) { return memory_.read(node.sources[i].node); };
    const auto result_buffer = [&] { return memory_.allocate(group.front()); };
    // Only the f32 numbers have the order of the launch's elements and can be bound in parts.
    std::vector<Binding> bindings;
    if (node.op == Op::ranges) bindings = {reads_each(read(0)), writes(result_buffer())};
    if (node.op == Op::quantise)
        bindings = {writes(result_buffer()), reads(read(1)), reads(read(2)), reads_each(read(0))};
    if (node.op == Op::dequantise)
        bindings = {reads(read(0)), reads(read(1)), reads(read(2)), writes_each(result_buffer())};
    add_byte_rows(group, std::string(name(node.op)), std::move(bindings), matrix[0], matrix[1], 1,
                  node.op == Op::ranges ? range_part_bytes : 0);
}

void LaunchBuilder::add_product_of_bytes(const Group& group) {
    const Node& product = nodes_[group.front()];
    const Source& vectors = product.sources[0];
    const std::uint64_t rows = product.shape[1], columns = vectors.view.shape[1], count = product.shape[0];
    const bool both_are_bytes = nodes_[vectors.node].type == ElementType::i8;
    std::vector<Binding> bindings = whole_bindings(group);
    // The kernels expect the second factor and its parameters first.
    std::rotate(bindings.begin(), bindings.begin() + 1, bindings.begin() + 4);
    if (const auto tiling = both_are_bytes ? choose_byte_tiling(limits_, rows, count) : std::nullopt) {
        Dispatch& launch =
            add_launch(group, fmt::format("quantise_int8/int8_tiles.{}", tiling->build), std::move(bindings),
                       tiling->workgroup, {columns, rows}, {columns, tiling->extent});
        launch.grid.x = std::min({divide_up(count, tiling->extent), columns, limits_.max_grid.x});
        launch.tile.x = divide_up(columns, launch.grid.x);
        return set_up_byte_tile_launch(launch, *tiling, product.scheme, columns, count);
    }
    const char* const kernel = both_are_bytes     ? (limits_.integer_dot ? "int8.instruction" : "int8.shifts")
                               : columns % 4 == 0 ? "int8_weights.padded"
                                                  : "int8_weights.unpadded";
    add_byte_rows(group, kernel, std::move(bindings), rows, columns, count, product_part_bytes);
}

void LaunchBuilder::add_byte_rows(const Group& group, const std::string& kernel,
                                  std::vector<Binding> bindings, std::uint64_t rows, std::uint64_t columns,
                                  std::uint64_t vectors, std::uint64_t part_bytes) {
    require_subgroups(group);
    const Extent workgroup{256, 1};
    const RowTeam team = byte_row_team(limits_, workgroup, columns);
    Dispatch& launch = add_launch(group, "quantise_int8/" + kernel, std::move(bindings), workgroup,
                                  {columns, rows}, {columns, team.rows_at_once});
    launch.grid.x = std::min({vector_group_count(vectors), columns, limits_.max_grid.x});
    launch.tile.x = divide_up(columns, launch.grid.x);
    set_up_byte_launch(launch, team, nodes_[group.front()].scheme, columns, vectors, part_bytes);
}

namespace {

Extent with_dimensions(Extent extent, unsigned dimensions) {
    if (dimensions > 1) extent.y = extent.along(1);
    if (dimensions > 2) extent.z = extent.along(2);
    return extent;
}

Extent domain_of(const Node& node, unsigned dimensions) {
    const auto along = [&](std::size_t n) {
        return n < node.shape.size() ? node.shape[node.shape.size() - 1 - n] : 1;
    };
    Extent domain{node.elements()};
    if (dimensions > 1) domain = {along(0), node.elements() / along(0)};
    if (dimensions > 2) domain = {along(0), along(1), node.elements() / (along(0) * along(1))};
    return domain;
}

}  // namespace

void LaunchBuilder::add_user_kernel(const Group& group) {
    const Node& first = nodes_[group.front()];
    const Extent &workgroup = first.kernel->workgroup, &grid = first.kernel->grid;
    const unsigned dimensions = std::max(workgroup.dimensions(), grid.dimensions());
    const Extent default_sizes[] = {{options_.workgroup_size}, {16, 16}, {8, 8, 4}};
    const Extent size =
        workgroup.x == 0 ? default_sizes[dimensions - 1] : with_dimensions(workgroup, dimensions);
    const Extent domain = domain_of(first, dimensions);
    if (uses_f16(graph_, group) && !limits_.storage16)
        throw Refusal(
            "The kernel {} reads or writes f16, but kernels cannot access them on this device "
            "(storageBuffer16BitAccess, shaderInt16). Let it read float(x) and write f32.",
            first.kernel->name);
    Kernel kernel = generate_user_kernel(graph_, group);
    Dispatch& launch = add_launch(group, kernel.name, whole_bindings(group), size, domain, size);
    // The kernel may have no grid-stride loop, so the grid is not reduced.
    launch.grid = grid.x > 0 ? with_dimensions(grid, dimensions) : divide_up(domain, size);
    for (unsigned d = 0; grid.x == 0 && d < dimensions; ++d)
        if (launch.grid.along(d) > limits_.max_grid.along(d))
            throw Refusal(
                fmt::format("The kernel {} is launched with a workgroup for each tile of its first output, "
                            "{} of them along {}, but this device allows {} at most "
                            "(maxComputeWorkGroupCount). Give it a grid, and a grid-stride loop over its "
                            "elements.",
                            first.kernel->name, format_count(launch.grid.along(d)), "xyz"[d],
                            format_count(limits_.max_grid.along(d))));
    // Only the kernel knows which invocation processes which element, so its launch must not be sliced.
    const auto tile = [&](unsigned dimension) {
        return std::max(divide_up(domain.along(dimension), launch.grid.along(dimension)),
                        size.along(dimension));
    };
    launch.tile = {tile(0), dimensions > 1 ? tile(1) : 0, dimensions > 2 ? tile(2) : 0};
    launch.source = std::move(kernel.source);
    launch.file_source = std::move(kernel.file_source);
}

}  // namespace gridstride::tensor
