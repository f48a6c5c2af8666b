#include "kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "lab/kernel_cache.h"
#include "shader/kernel_interface.h"
#include "shader/kernel_store.h"
#include "story/story.h"

namespace gridstride::app {

namespace {

/// Returns the limits of a device on which every variant runs.
Limits make_full_limits() {
    Limits limits;
    limits.subgroup_vote = limits.subgroup_arithmetic = limits.subgroup_ballot = true;
    limits.subgroup_shuffle = limits.subgroup_shuffle_relative = true;
    limits.subgroup_clustered = limits.subgroup_quad = true;
    limits.float64 = limits.storage16 = limits.float32_atomic_add = true;
    limits.integer_dot = limits.integer_dot_accelerated = true;
    return limits;
}

std::string format_cells(const Plan& plan) {
    const Dispatch& launch = plan.main();
    const shader::KernelInterface kernel = shader::read_interface(shader::load_kernel(launch.kernel));
    std::vector<std::string> buffers, push, constants, outputs;
    for (const auto& resource : kernel.resources)
        buffers.push_back(fmt::format("`{}: {}`", resource.binding, resource.declaration));
    for (const auto& member : kernel.push_constants)
        if (member.offset_or_id >= sizeof(lab::LaunchWords))
            push.push_back(fmt::format("`{}: {}`", member.offset_or_id, member.declaration));
    for (const auto& constant : kernel.constants)
        constants.push_back(fmt::format("`{}: {}`", constant.offset_or_id, constant.declaration));
    for (const Step& step : plan.steps)
        if (const auto* const download = std::get_if<Download>(&step))
            if (const BufferSpec& buffer = plan.buffers[download->buffer]; buffer.output)
                if (std::string name = fmt::format("`{}`", buffer.name);
                    std::ranges::find(outputs, name) == outputs.end())
                    outputs.push_back(std::move(name));
    return fmt::format("{} | {} | {} | {}", join(buffers, ", "), join(push, ", "), join(constants, ", "),
                       join(outputs, ", "));
}

struct TableRow {
    std::vector<std::string> variants;
    std::string cells;
};

std::string make_table(const Lesson& lesson) {
    std::vector<TableRow> rows;
    std::vector<std::string> generated;
    const auto add = [&](const Variant& variant, std::string_view kind) {
        Experiment experiment = default_experiment(lesson);
        experiment.variant = variant.id;
        const Plan plan = prepare(lesson, std::move(experiment), make_full_limits()).plan;
        const std::string name = fmt::format("`{}`{}", variant.id, kind);
        if (!plan.main().source.empty()) return generated.push_back(name);
        std::string cells = format_cells(plan);
        const auto same = std::ranges::find(rows, cells, &TableRow::cells);
        if (same == rows.end())
            rows.push_back({{name}, std::move(cells)});
        else
            same->variants.push_back(name);
    };
    for (const Variant& variant : lesson.variants)
        add(variant, "");
    for (const Variant& exercise : lesson.exercises)
        add(exercise, " (exercise)");

    std::string text;
    if (!rows.empty())
        text +=
            "| Variants | Bindings | Push constants | Specialization constants | Outputs |\n"
            "| --- | --- | --- | --- | --- |\n";
    for (const TableRow& row : rows)
        text += fmt::format("| {} | {} |\n", join(row.variants, ", "), row.cells);
    if (!generated.empty())
        text += fmt::format("{}{}: generated from a graph; `--print-kernel` prints the kernel.\n",
                            rows.empty() ? "" : "\n", join(generated, ", "));
    return text;
}

}  // namespace

std::string make_kernel_tables() {
    std::string text;
    for (const CourseEntry& entry : course())
        if (entry.story.empty() && !entry.lesson->has_programs())
            text += fmt::format("\n### {}\n\n{}", entry.lesson->id, make_table(*entry.lesson));
    return text;
}

}  // namespace gridstride::app
