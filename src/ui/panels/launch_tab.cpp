// The stage's Launch tab: the steps of the plan, and how the grid covers the work.
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "launch/occupancy.h"
#include "present/figures.h"
#include "ui/panels/panels.h"
#include "ui/panels/stage_tabs.h"

namespace gridstride::ui {

namespace {

struct StepRow {
    std::string what, subject, size;
    ColorRole color_role = ColorRole::quiet;
};

StepRow describe_step(const Step& step, const Plan& plan) {
    const auto buffer_bytes = [&](std::size_t index) {
        return format_byte_text(plan.buffers[index].bytes());
    };
    if (const auto* upload = std::get_if<Upload>(&step))
        return {tr("upload"), plan.buffers[upload->buffer].name, buffer_bytes(upload->buffer),
                ColorRole::upload};
    if (const auto* fill = std::get_if<Fill>(&step))
        return {fill->time == Fill::Time::in_run ? tr("clear") : tr("before"),
                plan.buffers[fill->buffer].name, buffer_bytes(fill->buffer),
                fill->time == Fill::Time::in_run ? ColorRole::kernel : ColorRole::quiet};
    if (const auto* download = std::get_if<Download>(&step))
        return {tr("download"), plan.buffers[download->buffer].name, buffer_bytes(download->buffer),
                ColorRole::download};
    if (const auto* host = std::get_if<HostStep>(&step)) return {tr("CPU"), host->label, "", ColorRole::cpu};
    if (const auto* dispatch = std::get_if<Dispatch>(&step)) {
        const bool one = dispatch->domain.dimensions() == 1;
        const auto format_extent = [&](const Extent& extent) {
            return one ? format_count(extent.x) : text_of(extent);
        };
        std::string size =
            fmt::format("{} × {}", format_extent(dispatch->grid), format_extent(dispatch->workgroup));
        if (dispatch->shared_bytes > 0) size += tr(", {} shared", format_byte_text(dispatch->shared_bytes));
        return {tr("dispatch"), dispatch->label, size, ColorRole::kernel};
    }
    return {tr("submit"), tr("and wait"), "", ColorRole::wait};
}

void draw_steps(const Plan& plan) {
    const Theme& t = theme();
    section_label(tr("Steps on the device"));
    gap(4);
    const float line = t.line_height(TextStyle::mono) + t.px(4);
    const float left = ImGui::GetCursorScreenPos().x;
    const float right = left + ImGui::GetContentRegionAvail().x;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const StepRow row = describe_step(plan.steps[i], plan);
        const float y = ImGui::GetCursorScreenPos().y;
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddRectFilled({left, y + t.px(5)}, {left + t.px(8), y + t.px(13)}, t.color(row.color_role),
                            t.px(2));
        draw_text(list, TextStyle::mono, {left + t.px(20), y}, t.palette().quiet, row.what);
        draw_text(list, TextStyle::body, {left + t.px(112), y - t.px(1)}, t.palette().text, row.subject);
        draw_text_right(list, TextStyle::mono, {right, y}, t.palette().text, row.size);
        ImGui::Dummy({right - left, line});
    }
    gap(20);
}

void draw_occupancy_text(const PreparedExperiment& prepared, std::uint32_t registers) {
    if (!occupancy_plot(prepared, 0)) {
        section_label(tr("Occupancy of a multiprocessor"));
        gap(4);
    }
    for (const std::string& sentence : describe_occupancy(prepared.plan.main(), registers, prepared.limits))
        note_text(sentence);
    gap(20);
}

}  // namespace

void draw_launch_tab(Workspace& workspace) {
    const Theme& t = theme();
    const std::shared_ptr<const PreparedExperiment>& prepared = workspace.session.bench().prepared();
    if (!prepared || !prepared->is_valid()) {
        text_wrapped(TextStyle::body, t.palette().quiet,
                     tr("These values cannot be launched. The bench shows the reason."));
        return;
    }
    const float room = ImGui::GetContentRegionAvail().y;
    draw_launch(workspace.launch, prepared, std::clamp(room * 0.6F, t.px(120), t.px(480)));
    draw_common_plot(workspace, "launch", "occupancy", stage_figure_height);
    draw_occupancy_text(*prepared, workspace.known_registers());
    draw_steps(prepared->plan);
}

}  // namespace gridstride::ui
