#include "tensor/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "base/units.h"
#include "tensor/schedule.h"
#include "tensor/words.h"

namespace gridstride::tensor {

namespace {

using PlotGraph = gridstride::Graph;
using DrawnNode = PlotGraph::Node;

// Plots with more nodes are unreadable.
constexpr std::size_t max_drawn = 200;

struct Drawn {
    const DrawnGraph& of;
    const Graph& graph = of.graph;
    std::vector<Group> groups;
    std::map<std::string, std::size_t> group_of = {};

    Drawn(const DrawnGraph& drawn, const Limits& limits)
        : of(drawn), groups(schedule(graph, of.execution == Execution::fused, limits.max_bindings)) {
        std::erase_if(groups,
                      [&](const Group& group) { return graph.nodes()[group.front()].place == Place::host; });
        for (std::size_t group = 0; group < groups.size(); ++group)
            for (const std::size_t node : groups[group])
                group_of[graph.nodes()[node].name] = group;
    }
    std::optional<std::size_t> colour_of(const std::string& name) const {
        const auto found = group_of.find(name);
        return found == group_of.end() ? std::nullopt : std::optional(found->second);
    }
    std::string said(std::uint64_t bytes) const {
        return of.numbers == 0 ? bytes_text(bytes)
                               : fmt::format("{:.3g} bytes per number",
                                             static_cast<double>(bytes) / static_cast<double>(of.numbers));
    }
};

/// Returns the bytes that the launches of each group read and write. A group's first launches write only
/// scratch buffers, so their bytes are added to the next launch that writes one of the group's nodes.
std::vector<std::uint64_t> bytes_by_group(const Plan& plan, const Drawn& drawn) {
    std::vector<std::uint64_t> all(drawn.groups.size());
    std::uint64_t bytes = 0;
    for (const Step& step : plan.steps) {
        const auto* launch = std::get_if<Dispatch>(&step);
        if (!launch) continue;
        Plan alone{.buffers = plan.buffers};
        alone.steps.emplace_back(*launch);
        bytes += kernel_bytes(alone);
        for (const Binding& binding : launch->bindings)
            if (const auto group = drawn.colour_of(plan.buffers[binding.buffer].name);
                group && binding.access != Access::read) {
                all[*group] += bytes;
                bytes = 0;
                break;
            }
    }
    return all;
}

std::string sentence_of(const Drawn& drawn, const Group& group, std::uint64_t bytes) {
    const Op lead = drawn.graph.nodes()[group.front()].op;
    const std::string kind = elementwise(lead) ? "" : lead == Op::kernel ? "own kernel: " : "reduction: ";
    return fmt::format("{}{}, {}", kind, counted(group.size(), "operation"), drawn.said(bytes));
}

DrawnNode node_of(const Drawn& drawn, std::size_t n, std::size_t readers) {
    const Node& node = drawn.graph.nodes()[n];
    return {.label =
                node.is_made() ? fmt::format("{} = {}", node.name, expression_of(drawn.graph, n)) : node.name,
            .sources = {},
            .kind = node.op == Op::input        ? PlotGraph::Kind::input
                    : node.place == Place::host ? PlotGraph::Kind::host
                    : node.op == Op::copy       ? PlotGraph::Kind::copy
                                                : PlotGraph::Kind::operation,
            .group = drawn.colour_of(node.name),
            .note = fmt::format("{}, {}, read by {}.", text_of(node.shape), bytes_text(node.bytes()),
                                counted(readers, "operation")),
            .subjects = {node.name}};
}

Plot graph_picture(const Plan& plan, const Drawn& drawn) {
    Plot plot{.id = "graph", .title = "The graph", .origin = Origin::computed};
    const std::vector<Node>& nodes = drawn.graph.nodes();
    if (nodes.size() > max_drawn) {
        plot.missing = fmt::format("A graph of {} is too large to draw. Use at most {}.",
                                   counted(nodes.size(), "tensor"), max_drawn - 1);
        return plot;
    }
    PlotGraph content;
    std::map<std::size_t, std::size_t> place;  // among those drawn
    const std::vector<std::size_t> uses = uses_of(drawn.graph);
    std::vector<std::size_t> readers(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n)
        for (const Source& source : nodes[n].sources)
            readers[source.node] += uses[n] > 0 ? 1 : 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (!nodes[n].is_in_memory() || uses[n] == 0) continue;
        place[n] = content.nodes.size();
        content.nodes.push_back(node_of(drawn, n, readers[n]));
        for (const Source& source : nodes[n].sources)
            if (nodes[source.node].is_in_memory())
                content.nodes.back().sources.push_back(place.at(source.node));
    }
    if (drawn.of.execution == Execution::fused) {
        const std::vector<std::uint64_t> bytes = bytes_by_group(plan, drawn);
        for (std::size_t group = 0; group < drawn.groups.size(); ++group)
            content.groups.push_back(sentence_of(drawn, drawn.groups[group], bytes[group]));
    }
    plot.content = std::move(content);
    plot.note = fmt::format("Each colour is one kernel. Together, the kernels read and write {}.",
                            drawn.said(kernel_bytes(plan)));
    return plot;
}

/// The steps of a buffer's first and last access. Submissions are not counted as steps.
struct Life {
    std::optional<std::size_t> first = {};
    std::size_t last = 0;
};

struct Touched {
    std::string label;
    std::vector<Binding> bindings = {};
};
std::optional<Touched> touched_by(const Plan& plan, const Step& step) {
    if (const auto* upload = std::get_if<Upload>(&step))
        return Touched{upload->label.empty() ? upload->input + " up" : upload->label,
                       {{upload->buffer, Access::write}}};
    if (const auto* launch = std::get_if<Dispatch>(&step)) return Touched{launch->label, launch->bindings};
    if (const auto* download = std::get_if<Download>(&step))
        return Touched{
            download->label.empty() ? plan.buffers[download->buffer].name + " down" : download->label,
            {{download->buffer, Access::read}}};
    if (const auto* host = std::get_if<HostStep>(&step)) return Touched{host->label, {}};
    return std::nullopt;
}

Plot memory_picture(const Plan& plan, const Drawn& drawn) {
    std::vector<Life> lives(plan.buffers.size());
    std::vector<std::string> steps;
    for (const Step& step : plan.steps)
        if (const auto touched = touched_by(plan, step)) {
            for (const Binding& binding : touched->bindings) {
                Life& life = lives[binding.buffer];
                life.first = life.first.value_or(steps.size());
                life.last = steps.size();
            }
            steps.push_back(touched->label.substr(0, touched->label.find(" = ")));
        }
    Figure figure{.x = {.label = "step", .whole_numbers = true},
                  .y = {.label = "offset in device memory", .unit = "B"}};
    constexpr std::size_t max_named = 24;
    const bool named = steps.size() <= max_named;
    if (named) figure.x = {.categories = steps};
    std::uint64_t own = 0, each_its_own = 0;  // buffers with memory of their own are drawn below the arena
    for (const BufferSpec& buffer : plan.buffers) {
        own += buffer.place ? 0 : buffer.bound_bytes();
        each_its_own += buffer.bound_bytes();
    }
    std::uint64_t next_own = 0;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const BufferSpec& buffer = plan.buffers[i];
        const std::uint64_t from = buffer.place ? own + *buffer.place : next_own;
        if (!buffer.place) next_own += buffer.bound_bytes();
        if (!lives[i].first || plan.buffers.size() > max_drawn) continue;
        const auto taken_over = [&](const auto& other) {
            return other.place && other.place == buffer.place &&
                   lives[static_cast<std::size_t>(&other - plan.buffers.data())].first == lives[i].last;
        };
        // If the last reader works in place, its result takes over this memory in the same step.
        const bool ends_before =
            *lives[i].first < lives[i].last && std::ranges::any_of(plan.buffers, taken_over);
        const std::size_t last = lives[i].last - (ends_before ? 1 : 0);
        figure.boxes.push_back(
            {.x_from = static_cast<double>(*lives[i].first),
             .x_to = static_cast<double>(named ? last : last + 1),
             .y_from = static_cast<double>(from),
             .y_to = static_cast<double>(from + buffer.bound_bytes()),
             .label = fmt::format("{} {}", buffer.name, bytes_text(buffer.bytes())),
             .group = drawn.colour_of(buffer.name),
             .note = fmt::format("{}: from \"{}\" to \"{}\", {}", buffer.name, steps[*lives[i].first],
                                 steps[lives[i].last],
                                 buffer.place ? fmt::format("in the arena at {}.", bytes_text(*buffer.place))
                                              : "in separate memory."),
             .subjects = {buffer.name}});
    }
    figure.markers.push_back(
        {static_cast<double>(device_bytes(plan)), "total allocated", /*on_y=*/true});
    Plot plot{.id = "memory",
              .title = "Memory, step by step",
              .origin = Origin::computed,
              .content = std::move(figure),
              .note = "A box is a tensor from its first write to its last read. In total " +
                      bytes_text(device_bytes(plan))};
    plot.note += each_its_own == device_bytes(plan)
                     ? ", with a buffer for each tensor."
                     : fmt::format("; separate buffers would need {}.", bytes_text(each_its_own));
    if (plan.buffers.size() > max_drawn)
        plot.missing = fmt::format("{} are too many to draw. Use fewer operations, at most {}.",
                                   counted(plan.buffers.size(), "buffer"), max_drawn - 1);
    return plot;
}

std::optional<Plot> commands_picture(const Prepared& prepared, const Report& report) {
    const Plan& plan = prepared.plan;
    if (report.timeline.empty() || !same_question(report.experiment, prepared.experiment))
        return std::nullopt;
    constexpr std::size_t max_rows = 24;
    constexpr Ink inks[] = {Ink::upload, Ink::kernel, Ink::download, Ink::cpu};
    Timeline timeline;
    std::uint64_t barriers = 0;
    const StepTime* before = nullptr;
    for (const StepTime& entry : report.timeline) {
        const auto touched = touched_by(plan, plan.steps[entry.step]);
        if (!touched) continue;
        barriers += entry.barriers;
        const bool goes_on = before && before->submission == entry.submission;
        if (!goes_on)
            timeline.rows.push_back(
                {.label = fmt::format("submit {}", entry.submission + 1), .start_ns = entry.start_ns});
        Timeline::Row& row = timeline.rows.back();
        if (entry.barriers > 0) row.barriers_ns.push_back(entry.start_ns);
        row.end_ns = entry.start_ns + entry.duration_ns;
        // The pieces of a long copy or the slices of a long launch in one submission are drawn as one bar.
        if (goes_on && before->step == entry.step) {
            row.bars.back().duration_ns = row.end_ns - row.bars.back().start_ns;
        } else {
            Timeline::Bar bar{touched->label, inks[static_cast<std::size_t>(entry.phase)], entry.start_ns,
                              entry.duration_ns};
            for (const Binding& binding : touched->bindings)
                if (binding.access != Access::read || touched->bindings.size() == 1)
                    bar.subjects.push_back(plan.buffers[binding.buffer].name);
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

std::vector<Plot> pictures_of(const DrawnGraph& graph, const PictureInput& input) {
    const Drawn drawn(graph, input.prepared.limits);
    std::vector<Plot> all = {graph_picture(input.prepared.plan, drawn),
                             memory_picture(input.prepared.plan, drawn)};
    if (input.report)
        if (auto commands = commands_picture(input.prepared, *input.report))
            all.push_back(*std::move(commands));
    return all;
}

}  // namespace gridstride::tensor
