#include "tensor_lesson/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "base/units.h"
#include "tensor/labels.h"
#include "tensor/schedule.h"

namespace gridstride::tensor_lesson {

using tensor::Execution, tensor::Graph, tensor::Group, tensor::Node, tensor::Op, tensor::Processor,
    tensor::Source;

namespace {

using PlotGraph = gridstride::Graph;
using PlotNode = PlotGraph::Node;

// Plots with more nodes are unreadable.
constexpr std::size_t max_drawn = 200;

struct ScheduledGraph {
    const PlottedGraph& of;
    const Graph& graph = of.graph;
    std::vector<Group> groups;
    std::map<std::string, std::size_t> group_of = {};

    ScheduledGraph(const PlottedGraph& plotted, const Limits& limits)
        : of(plotted), groups(schedule(graph, of.execution == Execution::fused, limits.max_bindings)) {
        std::erase_if(groups, [&](const Group& group) {
            return graph.nodes()[group.front()].place == Processor::host;
        });
        for (std::size_t group = 0; group < groups.size(); ++group)
            for (const std::size_t node : groups[group])
                group_of[graph.nodes()[node].name] = group;
    }
    std::optional<std::size_t> find_group(const std::string& name) const {
        const auto found = group_of.find(name);
        return found == group_of.end() ? std::nullopt : std::optional(found->second);
    }
    std::string bytes_label(std::uint64_t bytes) const {
        return of.numbers == 0 ? format_byte_text(bytes)
                               : fmt::format("{:.3g} bytes per number",
                                             static_cast<double>(bytes) / static_cast<double>(of.numbers));
    }
};

/// Returns the bytes that the launches of each group read and write. A group's first launches write only
/// scratch buffers, so their bytes are added to the next launch that writes one of the group's nodes.
std::vector<std::uint64_t> bytes_by_group(const Plan& plan, const ScheduledGraph& scheduled) {
    std::vector<std::uint64_t> all(scheduled.groups.size());
    std::uint64_t bytes = 0;
    for (const Step& step : plan.steps) {
        const auto* launch = std::get_if<Dispatch>(&step);
        if (!launch) continue;
        Plan alone{.buffers = plan.buffers};
        alone.steps.emplace_back(*launch);
        bytes += kernel_bytes(alone);
        for (const Binding& binding : launch->bindings)
            if (const auto group = scheduled.find_group(plan.buffers[binding.buffer].name);
                group && binding.access != Access::read) {
                all[*group] += bytes;
                bytes = 0;
                break;
            }
    }
    return all;
}

std::string group_sentence(const ScheduledGraph& scheduled, const Group& group, std::uint64_t bytes) {
    const Op lead = scheduled.graph.nodes()[group.front()].op;
    const std::string kind = is_computed_by_element(lead) ? ""
                             : lead == Op::kernel         ? "own kernel: "
                                                          : "reduction: ";
    return fmt::format("{}{}, {}", kind, counted(group.size(), "operation"), scheduled.bytes_label(bytes));
}

PlotNode make_plot_node(const ScheduledGraph& scheduled, std::size_t n, std::size_t readers) {
    const Node& node = scheduled.graph.nodes()[n];
    return {.label = node.is_computed() ? fmt::format("{} = {}", node.name, expression_of(scheduled.graph, n))
                                        : node.name,
            .sources = {},
            .kind = node.op == Op::input            ? PlotGraph::Kind::input
                    : node.place == Processor::host ? PlotGraph::Kind::host
                    : node.op == Op::copy           ? PlotGraph::Kind::copy
                                                    : PlotGraph::Kind::operation,
            .group = scheduled.find_group(node.name),
            .note = fmt::format("{}, {}, read by {}.", tensor::text_of(node.shape),
                                format_byte_text(node.bytes()), counted(readers, "operation")),
            .highlight_ids = {node.name}};
}

Plot make_graph_plot(const Plan& plan, const ScheduledGraph& scheduled) {
    Plot plot{.id = "graph", .title = "The graph", .origin = Origin::computed};
    const std::vector<Node>& nodes = scheduled.graph.nodes();
    if (nodes.size() > max_drawn) {
        plot.missing_reason = fmt::format("A graph of {} is too large to draw. Use at most {}.",
                                          counted(nodes.size(), "tensor"), max_drawn - 1);
        return plot;
    }
    PlotGraph content;
    std::map<std::size_t, std::size_t> place;  // among those drawn
    const std::vector<std::size_t> uses = count_uses(scheduled.graph);
    std::vector<std::size_t> readers(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n)
        for (const Source& source : nodes[n].sources)
            readers[source.node] += uses[n] > 0 ? 1 : 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (!nodes[n].is_in_memory() || uses[n] == 0) continue;
        place[n] = content.nodes.size();
        content.nodes.push_back(make_plot_node(scheduled, n, readers[n]));
        for (const Source& source : nodes[n].sources)
            if (nodes[source.node].is_in_memory())
                content.nodes.back().sources.push_back(place.at(source.node));
    }
    if (scheduled.of.execution == Execution::fused) {
        const std::vector<std::uint64_t> bytes = bytes_by_group(plan, scheduled);
        for (std::size_t group = 0; group < scheduled.groups.size(); ++group)
            content.groups.push_back(group_sentence(scheduled, scheduled.groups[group], bytes[group]));
    }
    plot.content = std::move(content);
    plot.note = fmt::format("Each colour is one kernel. Together, the kernels read and write {}.",
                            scheduled.bytes_label(kernel_bytes(plan)));
    return plot;
}

/// The steps of a buffer's first and last access. Submissions are not counted as steps.
struct AccessRange {
    std::optional<std::size_t> first = {};
    std::size_t last = 0;
};

struct StepAccesses {
    std::string label;
    std::vector<Binding> bindings = {};
};
std::optional<StepAccesses> find_accesses(const Plan& plan, const Step& step) {
    if (const auto* upload = std::get_if<Upload>(&step))
        return StepAccesses{upload->label.empty() ? upload->input + " up" : upload->label,
                            {{upload->buffer, Access::write}}};
    if (const auto* launch = std::get_if<Dispatch>(&step))
        return StepAccesses{launch->label, launch->bindings};
    if (const auto* download = std::get_if<Download>(&step))
        return StepAccesses{
            download->label.empty() ? plan.buffers[download->buffer].name + " down" : download->label,
            {{download->buffer, Access::read}}};
    if (const auto* host = std::get_if<HostStep>(&step)) return StepAccesses{host->label, {}};
    return std::nullopt;
}

std::optional<Plot> make_commands_plot(const PreparedExperiment& prepared, const Report& report) {
    const Plan& plan = prepared.plan;
    if (report.timeline.empty() || !same_expected_results(report.experiment, prepared.experiment))
        return std::nullopt;
    constexpr std::size_t max_rows = 24;
    constexpr ColorRole color_roles[] = {ColorRole::upload, ColorRole::kernel, ColorRole::download,
                                         ColorRole::cpu};
    Timeline timeline;
    std::uint64_t barriers = 0;
    const StepTime* before = nullptr;
    for (const StepTime& entry : report.timeline) {
        const auto step_accesses = find_accesses(plan, plan.steps[entry.step]);
        if (!step_accesses) continue;
        barriers += entry.barriers;
        const bool continues_submission = before && before->submission == entry.submission;
        if (!continues_submission)
            timeline.rows.push_back(
                {.label = fmt::format("submit {}", entry.submission + 1), .start_ns = entry.start_ns});
        Timeline::Row& row = timeline.rows.back();
        if (entry.barriers > 0) row.barriers_ns.push_back(entry.start_ns);
        row.end_ns = entry.start_ns + entry.duration_ns;
        // The pieces of a long copy or the slices of a long launch in one submission are drawn as one bar.
        if (continues_submission && before->step == entry.step) {
            row.bars.back().duration_ns = row.end_ns - row.bars.back().start_ns;
        } else {
            Timeline::Bar bar{step_accesses->label, color_roles[static_cast<std::size_t>(entry.phase)],
                              entry.start_ns, entry.duration_ns};
            for (const Binding& binding : step_accesses->bindings)
                if (binding.access != Access::read || step_accesses->bindings.size() == 1)
                    bar.highlight_ids.push_back(plan.buffers[binding.buffer].name);
            row.bars.push_back(std::move(bar));
        }
        before = &entry;
    }
    std::string note =
        fmt::format("The last run, drawn to scale: {} with {}, which are drawn as lines.",
                    counted(report.launch.submissions, "submission"), counted(barriers, "barrier"));
    if (timeline.rows.size() > max_rows) {
        timeline.rows.resize(max_rows);
        note += fmt::format(" Only the first {} submissions are drawn.", max_rows);
    }
    return Plot{.id = "commands",
                .title = "Commands on the device",
                .content = std::move(timeline),
                .note = std::move(note)};
}

}  // namespace

Plot make_memory_plot(const Plan& plan, std::string id, std::string title,
                      const std::function<std::optional<std::size_t>(const std::string&)>& find_group) {
    std::vector<AccessRange> access_ranges(plan.buffers.size());
    std::vector<std::string> steps;
    for (const Step& step : plan.steps)
        if (const auto step_accesses = find_accesses(plan, step)) {
            for (const Binding& binding : step_accesses->bindings) {
                AccessRange& life = access_ranges[binding.buffer];
                life.first = life.first.value_or(steps.size());
                life.last = steps.size();
            }
            steps.push_back(step_accesses->label.substr(0, step_accesses->label.find(" = ")));
        }
    Figure figure{.x = {.label = "step", .whole_numbers = true},
                  .y = {.label = "offset in device memory", .unit = "B"}};
    constexpr std::size_t max_named = 24;
    const bool named = steps.size() <= max_named;
    if (named) figure.x = {.categories = steps};
    std::uint64_t own = 0, separate_bytes = 0;  // buffers with memory of their own are drawn below the arena
    for (const BufferSpec& buffer : plan.buffers) {
        own += buffer.arena_offset ? 0 : buffer.bound_bytes();
        separate_bytes += buffer.bound_bytes();
    }
    std::uint64_t next_own = 0;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const BufferSpec& buffer = plan.buffers[i];
        const std::uint64_t from = buffer.arena_offset ? own + *buffer.arena_offset : next_own;
        if (!buffer.arena_offset) next_own += buffer.bound_bytes();
        if (!access_ranges[i].first || plan.buffers.size() > max_drawn) continue;
        const auto is_reused = [&](const auto& other) {
            return other.arena_offset && other.arena_offset == buffer.arena_offset &&
                   access_ranges[static_cast<std::size_t>(&other - plan.buffers.data())].first ==
                       access_ranges[i].last;
        };
        // If the last reader works in place, its result takes over this memory in the same step.
        const bool ends_before =
            *access_ranges[i].first < access_ranges[i].last && std::ranges::any_of(plan.buffers, is_reused);
        const std::size_t last = access_ranges[i].last - (ends_before ? 1 : 0);
        figure.boxes.push_back(
            {.x_from = static_cast<double>(*access_ranges[i].first),
             .x_to = static_cast<double>(named ? last : last + 1),
             .y_from = static_cast<double>(from),
             .y_to = static_cast<double>(from + buffer.bound_bytes()),
             .label = fmt::format("{} {}", buffer.name, format_byte_text(buffer.bytes())),
             .group = find_group      ? find_group(buffer.name)
                      : buffer.output ? std::optional<std::size_t>(0)
                                      : std::nullopt,
             .note = fmt::format("{}: from \"{}\" to \"{}\", {}", buffer.name, steps[*access_ranges[i].first],
                                 steps[access_ranges[i].last],
                                 buffer.arena_offset ? fmt::format("in the arena at {}.",
                                                                   format_byte_text(*buffer.arena_offset))
                                                     : "in separate memory."),
             .highlight_ids = {buffer.name}});
    }
    figure.markers.push_back({static_cast<double>(device_bytes(plan)), "total allocated", /*on_y=*/true});
    Plot plot{.id = std::move(id),
              .title = std::move(title),
              .origin = Origin::computed,
              .content = std::move(figure),
              .note = "A box is a buffer from its first access to its last. In total " +
                      format_byte_text(device_bytes(plan))};
    plot.note += separate_bytes == device_bytes(plan)
                     ? ", none of which is used again."
                     : fmt::format("; separate buffers would need {}.", format_byte_text(separate_bytes));
    if (plan.buffers.size() > max_drawn)
        plot.missing_reason = fmt::format("{} are too many to draw. Use fewer operations, at most {}.",
                                          counted(plan.buffers.size(), "buffer"), max_drawn - 1);
    return plot;
}

std::vector<Plot> graph_plots(const PlottedGraph& graph, const PictureInput& input) {
    const ScheduledGraph scheduled(graph, input.prepared.limits);
    std::vector<Plot> all = {
        make_graph_plot(input.prepared.plan, scheduled),
        make_memory_plot(input.prepared.plan, "memory", "Memory, step by step",
                         [&](const std::string& name) { return scheduled.find_group(name); })};
    if (input.report)
        if (auto commands = make_commands_plot(input.prepared, *input.report))
            all.push_back(*std::move(commands));
    return all;
}

}  // namespace gridstride::tensor_lesson
