#include "ui/panels/desktop_layout.h"

#include <algorithm>
#include <cmath>

#include "ui/panels/panels.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr float top_bar_height = 48;
constexpr float smallest_stage_width = 320;
constexpr float smallest_stage_height = 200;

}  // namespace

void draw_desktop(Workspace& workspace, glm::vec2 size) {
    const Theme& t = theme();
    Layout& layout = workspace.layout;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::Begin("desktop", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleVar(3);

    const float top = std::floor(t.px(top_bar_height));
    // Where the window is too small for all, the stage keeps its least and the panels beside it give way.
    const float story = layout.show_story ? std::floor(std::min(t.px(layout.story_width), size.x * 0.4F)) : 0;
    const float bench =
        layout.show_bench
            ? std::floor(std::min(t.px(layout.bench_width),
                                  std::max(t.px(240), size.x - story - t.px(smallest_stage_width))))
            : 0;
    const float runs =
        layout.show_runs ? std::floor(std::min(t.px(layout.runs_height), (size.y - top) * 0.4F)) : 0;
    const float bottom = size.y - runs;

    draw_top_bar(workspace, {{0, 0}, {size.x, top}});
    if (layout.show_story) draw_story_panel(workspace, {{0, top}, {story, bottom}});
    draw_stage_panel(workspace, {{story, top}, {size.x - bench, bottom}});
    if (layout.show_bench) draw_bench_panel(workspace, {{size.x - bench, top}, {size.x, bottom}});
    if (layout.show_runs) draw_runs_panel(workspace, {{0, bottom}, size});

    if (layout.show_story) {
        float width = story;
        if (splitter("splitter.story", true, {story, top}, {story + 1, bottom}, &width, t.px(280),
                     size.x - bench - t.px(smallest_stage_width), 1))
            layout.story_width = width / t.scale();
    }
    if (layout.show_bench) {
        float width = bench;
        if (splitter("splitter.bench", true, {size.x - bench, top}, {size.x - bench + 1, bottom}, &width,
                     t.px(280), size.x - story - t.px(smallest_stage_width), -1))
            layout.bench_width = width / t.scale();
    }
    if (layout.show_runs) {
        float height = runs;
        if (splitter("splitter.runs", false, {0, bottom}, {size.x, bottom + 1}, &height, t.px(120),
                     size.y - top - t.px(smallest_stage_height), -1))
            layout.runs_height = height / t.scale();
    }
    ImGui::End();
    draw_dialogs(workspace, {{0, 0}, size});
}

}  // namespace gridstride::ui
