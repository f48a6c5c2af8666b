#include "tensor/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "launch/plan_builder.h"
#include "tensor/arena.h"
#include "tensor/evaluate.h"
#include "tensor/glsl.h"
#include "tensor/product.h"
#include "tensor/rows.h"
#include "tensor/words.h"

namespace gridstride::tensor {

namespace {

/// Of a reduction: the launch's results are `results` times `parts`.
struct Reduction {
    std::uint64_t results = 1, numbers = 1;
    std::uint64_t sharers = 1;  ///< invocations of a result
    std::uint64_t parts = 1;
    std::uint64_t part_numbers() const { return divide_up(numbers, parts); }
};

class Planner {
 public:
    Planner(const Graph& graph, const Limits& limits, const Options& options)
        : graph_(graph),
          nodes_(graph.nodes()),
          limits_(limits),
          options_(options),
          groups_(schedule(graph, options.execution == Execution::fused, limits.max_bindings)),
          made_(nodes_.size()) {
        for (std::size_t i = 0; i < groups_.size(); ++i)
            for (const std::size_t n : groups_[i])
                for (const Source& source : nodes_[n].sources) {
                    made_[source.node].last_read = i + 1;
                    made_[source.node].is_read_by_device |= nodes_[n].place == Place::device;
                }
        for (const std::size_t output : graph.outputs())
            made_[output].last_read = groups_.size() + 1;
    }

    Plan plan() && {
        upload_inputs();
        for (const Group& group : groups_) {
            if (nodes_[group.front()].place == Place::host)
                compute_on_host(group.front());
            else
                launch(group);
            ++step_;
        }
        for (const std::size_t output : graph_.outputs())
            bring_to_host(output);
        lay_out();
        count_costs();
        return std::move(plan_);
    }

 private:
    /// What is known of a node so far: where it lies on the device, and whether the host has it.
    struct Made {
        std::optional<PlanBuffer> buffer = {};
        bool on_host = false;
        bool is_read_by_device = false;
        std::uint64_t last_read = 0;  ///< the step; as an output behind all
    };
    static constexpr std::size_t nowhere = SIZE_MAX;

    void upload_inputs() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].op != Op::input) continue;
            made_[i].on_host = true;
            if (made_[i].is_read_by_device) upload(i, false);
        }
        ++step_;
    }

    void upload(std::size_t node, bool in_arena) {
        const Node& of = nodes_[node];
        made_[node].buffer = add_buffer(of.name, of.type, of.elements(), in_arena, false);
        plan_.steps.emplace_back(Upload{*made_[node].buffer, of.name});
    }

    PlanBuffer add_buffer(std::string name, ElementType type, std::uint64_t elements, bool in_arena,
                          bool output) {
        plan_.buffers.push_back({std::move(name), type, {elements}, output});
        const bool has_place = in_arena && options_.execution != Execution::eager;
        place_of_.push_back(has_place ? arena_.size() : nowhere);
        if (has_place) arena_.push_back({step_, step_ + 1, plan_.buffers.back().bound_bytes()});
        return {plan_.buffers.size() - 1};
    }

    /// Null: it has memory of its own.
    Lifetime* placed(PlanBuffer buffer) {
        return place_of_[buffer] == nowhere ? nullptr : &arena_[place_of_[buffer]];
    }

    PlanBuffer read_on_device(std::size_t node) {
        if (!made_[node].buffer) upload(node, true);
        if (Lifetime* const place = placed(*made_[node].buffer)) place->end = step_ + 1;
        return *made_[node].buffer;
    }

    void bring_to_host(std::size_t node) {
        if (std::exchange(made_[node].on_host, true)) return;
        plan_.steps.emplace_back(Download{read_on_device(node)});
    }

    void compute_on_host(std::size_t n) {
        const Node& node = nodes_[n];
        std::vector<std::string> names;
        for (const Source& source : node.sources) {
            // Numbers and random ones are made by the step itself.
            if (!nodes_[source.node].is_in_memory()) continue;
            bring_to_host(source.node);
            names.push_back(nodes_[source.node].name);
        }
        std::vector<Node> sources;
        for (const Source& source : node.sources)
            sources.push_back(nodes_[source.node]);
        plan_.steps.emplace_back(HostStep{
            expression_of(graph_, n), node.name,
            [node, sources](std::span<const Array* const> given) { return evaluated(node, sources, given); },
            std::move(names)});
        made_[n].on_host = true;
    }

    Dispatch& add_launch(const Group& group, std::string kernel, const Extent& workgroup,
                         const Extent& domain, const Extent& tile) {
        Extent grid = divide_up(domain, tile);
        grid.x = std::min(grid.x, limits_.max_grid.x);
        if (grid.y > 0) grid.y = std::min(grid.y, limits_.max_grid.y);
        if (domain.dimensions() == 1 && options_.workgroup_count > 0)
            grid.x = std::min(grid.x, options_.workgroup_count);
        return std::get<Dispatch>(plan_.steps.emplace_back(Dispatch{.label = label_of(graph_, group),
                                                                    .kernel = std::move(kernel),
                                                                    .workgroup = workgroup,
                                                                    .grid = grid,
                                                                    .domain = domain,
                                                                    .tile = tile}));
    }

    void launch(const Group& group) {
        switch (nodes_[group.front()].op) {
            case Op::matmul:
                launch_product(group);
                break;
            case Op::softmax:
                launch_rows(group);
                break;
            case Op::sum:
            case Op::largest:
                launch_reduction(group);
                break;
            default:
                launch_elements(group);
        }
        if (options_.execution == Execution::eager) plan_.steps.emplace_back(SubmitEnd{});
    }

    std::vector<Binding> bindings_of(const Kernel& kernel) {
        std::vector<Binding> bindings;
        for (std::size_t i = 0; i < kernel.reads.size(); ++i)
            bindings.push_back({read_on_device(kernel.reads[i]), Access::read, kernel.each[i]});
        for (const std::size_t n : kernel.writes) {
            made_[n].buffer = add_buffer(nodes_[n].name, nodes_[n].type, nodes_[n].elements(), true, true);
            bindings.push_back(writes_each(*made_[n].buffer));
        }
        return bindings;
    }

    void launch_elements(const Group& group) {
        Kernel kernel = elementwise_kernel(graph_, group);
        // Uploads that the bindings ask for come first.
        const std::vector<Binding> bindings = bindings_of(kernel);
        Dispatch& launch = add_launch(group, kernel.name, {options_.workgroup_size},
                                      {nodes_[group.back()].elements()}, {4 * options_.workgroup_size});
        launch.bindings = bindings;
        launch.source = std::move(kernel.source);
        launch.constants = std::move(kernel.constants);
        if (options_.in_place) take_place(kernel, *made_[group.back()].buffer);
    }

    /// Of what the launch read for the last time, element by element.
    void take_place(const Kernel& kernel, PlanBuffer made) {
        for (std::size_t i = 0; i < kernel.reads.size(); ++i) {
            const std::size_t n = kernel.reads[i];
            Lifetime* const dies = kernel.each[i] ? placed(*made_[n].buffer) : nullptr;
            if (!dies || made_[n].last_read > step_ || dies->bytes != plan_.buffers[made].bound_bytes())
                continue;
            dies->end = step_ + 1;
            place_of_[made] = place_of_[*made_[n].buffer];
            arena_.pop_back();  // what was made is the last that was placed
            return;
        }
    }

    Reduction reduction_of(const Node& lead) const {
        const View view = lead.sources[0].view.collapsed();
        Reduction all{lead.elements(), lead.sources[0].view.shape.back()};
        const bool side_by_side = view.shape.empty() || view.strides.back() == 1;
        const std::uint64_t most = std::uint64_t{1} << std::countr_zero(options_.workgroup_size);
        const auto busy = [&] {
            return all.results * all.sharers >=
                   std::uint64_t{limits_.is_cpu ? 64U : 2048U} * std::max(limits_.multiprocessors, 1U);
        };
        // Numbers side by side are read by neighbours; where results are side by side, those are neighbours,
        // as long as there are enough.
        const std::uint64_t wanted = side_by_side ? limits_.subgroup_size : 1;
        while (2 * all.sharers <= std::min(most, all.numbers) && (all.sharers < wanted || !busy()))
            all.sharers *= 2;
        // Each of them adds so many numbers at least, and at most.
        constexpr std::uint64_t fewest = 16, most_numbers = 16384;
        if (!busy()) all.parts = std::max<std::uint64_t>(1, all.numbers / (all.sharers * fewest));
        all.parts = std::min<std::uint64_t>(all.parts, limits_.is_cpu ? 16 : 1024);
        all.parts = std::max(all.parts, divide_up(all.numbers, all.sharers * most_numbers));
        return all;
    }

    void launch_reduction(const Group& group) {
        const Node& lead = nodes_[group.front()];
        const Reduction all = reduction_of(lead);
        if (all.parts == 1) return launch_stage(group, Stage::whole, all, {});
        const PlanBuffer parts =
            add_buffer(lead.name + "_parts", lead.type, all.results * all.parts, true, true);
        launch_stage(group, Stage::first, all, parts);
        if (options_.execution == Execution::eager) plan_.steps.emplace_back(SubmitEnd{});
        if (Lifetime* const place = placed(parts)) place->end = step_ + 1;
        Reduction of_parts{all.results, all.parts};
        const std::uint64_t most = std::uint64_t{1} << std::countr_zero(options_.workgroup_size);
        while (2 * of_parts.sharers <= std::min(most, of_parts.numbers))
            of_parts.sharers *= 2;
        launch_stage(group, Stage::second, of_parts, parts);
    }

    void launch_stage(const Group& group, Stage stage, const Reduction& by, PlanBuffer parts) {
        Kernel kernel = reduction_kernel(graph_, group, stage);
        std::vector<Binding> bindings = bindings_of(kernel);
        if (stage == Stage::second) bindings.insert(bindings.begin(), gridstride::reads(parts));
        if (stage == Stage::first) bindings.push_back(writes_each(parts));
        Dispatch& launch = add_launch(group, kernel.name, {options_.workgroup_size}, {by.results * by.parts},
                                      {options_.workgroup_size / by.sharers});
        if (stage == Stage::first) launch.label += ", in parts";
        launch.bindings = std::move(bindings);
        launch.source = std::move(kernel.source);
        launch.constants = std::move(kernel.constants);
        launch.constants.front() = word(by.sharers);
        launch.push = {word(by.numbers), word(by.parts), word(by.part_numbers())};
        launch.iterations_per_pass = divide_up(by.part_numbers(), by.sharers) +
                                     static_cast<std::uint64_t>(std::bit_width(by.sharers)) + 4;
        launch.shared_bytes = options_.workgroup_size * byte_size(nodes_[group.front()].type);
    }

    void launch_product(const Group& group) {
        const Node& product = nodes_[group.front()];
        const auto matrix = [](const Source& source) {
            const View& view = source.view;
            return Matrix{view.shape[0], view.shape[1], view.strides[0], view.strides[1]};
        };
        const Matrix a = matrix(product.sources[0]), b = matrix(product.sources[1]);
        const Extent workgroup{16, 16}, domain{b.columns, a.rows};
        const Tiling tiling = tiling_of(limits_, workgroup, a.rows, b.columns, prefetch);
        std::vector<Binding> bindings = bindings_of(kernel_over(group));
        Kernel tail{.name = "matmul/prefetch"};
        if (group.size() > 1) tail = product_kernel(graph_, group);
        for (const std::size_t read : tail.reads)
            bindings.push_back({read_on_device(read), Access::read, false});
        Dispatch& launch = add_launch(group, tail.name, workgroup, domain,
                                      {workgroup.x * tiling.results.x, workgroup.y * tiling.results.y});
        launch.bindings = std::move(bindings);
        launch.source = std::move(tail.source);
        set_up_product(launch, limits_, a, b, prefetch, tiling);
        launch.constants.insert(launch.constants.end(), tail.constants.begin(), tail.constants.end());
    }

    void launch_rows(const Group& group) {
        if (!limits_.subgroup_arithmetic || !limits_.subgroup_ballot)
            throw Refusal("softmax needs subgroup arithmetic and ballots, which this device does not have.");
        const Node& node = nodes_[group.front()];
        const std::uint64_t columns = node.shape.back();
        // Where long rows are few, more of a multiprocessor's invocations take part in one.
        const Extent workgroup{256, 1};
        const Team team = team_of(limits_, workgroup, columns);
        std::vector<Binding> bindings = bindings_of(kernel_over(group));
        Dispatch& launch = add_launch(group, "softmax/one_pass", workgroup,
                                      {columns, node.elements() / columns}, {columns, team.rows_at_once});
        bindings.front().sliced = true;
        launch.bindings = std::move(bindings);
        constexpr std::uint64_t passes = 2, part_bytes = 8;
        set_up_rows(launch, team, columns, passes, part_bytes);
    }

    /// Of one that ships, which reads its sources whole.
    Kernel kernel_over(const Group& group) const {
        Kernel kernel{.writes = {group.back()}};
        for (const Source& source : nodes_[group.front()].sources) {
            kernel.reads.push_back(source.node);
            kernel.each.push_back(false);
        }
        return kernel;
    }

    void lay_out() {
        const std::vector<std::uint64_t> places = places_of(arena_);
        for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
            if (place_of_[i] != nowhere) plan_.buffers[i].place = places[place_of_[i]];
    }

    /// What must move: inputs once in, outputs once out.
    void count_costs() {
        const std::vector<std::size_t> uses = uses_of(graph_);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const Node& node = nodes_[i];
            if (uses[i] == 0) continue;
            if (node.op == Op::input) plan_.least_bytes += node.bytes();
            if (node.is_made()) plan_.operations += operations_of(node);
        }
        for (const std::size_t output : graph_.outputs())
            plan_.least_bytes += nodes_[output].bytes();
        const Node& first = nodes_[graph_.outputs().front()];
        plan_.main_output = first.name;
        plan_.main_output_rows = first.shape.empty() ? 1 : first.elements() / first.shape.back();
    }

    static std::uint64_t operations_of(const Node& node) {
        const std::uint64_t read = elements_of(node.sources[0].view.shape);
        switch (node.op) {
            case Op::copy:
                return 0;
            case Op::matmul:
                return 2 * node.elements() * node.sources[0].view.shape[1];
            case Op::softmax:
                return 5 * node.elements();
            default:
                return read;
        }
    }

    const Graph& graph_;
    const std::vector<Node>& nodes_;
    const Limits& limits_;
    const Options& options_;
    const std::vector<Group> groups_;
    std::vector<Made> made_;  ///< by node
    std::vector<Lifetime> arena_;
    std::vector<std::size_t> place_of_;  ///< in the arena, by buffer of the plan
    std::uint64_t step_ = 0;             ///< 0: the uploads; then the groups; behind them the downloads
    Plan plan_;
};

}  // namespace

Plan make_plan(const Graph& graph, const Limits& limits, const Options& options) {
    if (graph.outputs().empty()) throw Refusal("Nothing is asked for: name an output of the graph.");
    return Planner(graph, limits, options).plan();
}

}  // namespace gridstride::tensor
