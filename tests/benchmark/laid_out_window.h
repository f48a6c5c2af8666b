// A window that is laid out and never drawn, for benchmarks of its own work.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/elapsed.h"
#include "session/session.h"
#include "ui/desktop/draw_desktop.h"
#include "ui/panels/panels.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widgets.h"

namespace gridstride {

/// Of a frame, in milliseconds of the processor: what the window's own work is held against.
inline constexpr double frame_budget_ms = 4;

class LaidOutWindow {
 public:
    LaidOutWindow(Session& session, std::string_view tab) : workspace_(session) {
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
        ui::map_keys_without_window();
        ui::set_theme(&theme_.emplace(ui::Mode::dark, 1.0F));
        ui::open_tab(workspace_, tab);
    }
    ~LaidOutWindow() {
        ui::set_theme(nullptr);
        theme_.reset();
        ImGui::DestroyContext(context_);
    }
    LaidOutWindow(const LaidOutWindow&) = delete;
    LaidOutWindow& operator=(const LaidOutWindow&) = delete;

    /// What a frame takes of the processor, in milliseconds. feed: the input that it sees.
    double draw(const std::function<void()>& feed = {}) {
        const Stopwatch drawing;
        ImGui::GetIO().DisplaySize = size;
        ImGui::GetIO().DeltaTime = 1.0F / 60;
        if (feed) feed();
        ImGui::NewFrame();
        ui::begin_widgets();
        ui::draw_desktop(workspace_, size);
        ImGui::Render();
        return drawing.spent().processor_ms;
    }
    ui::Workspace& workspace() { return workspace_; }

 private:
    static constexpr glm::vec2 size{1600, 1000};

    ImGuiContext* context_ = ImGui::CreateContext();
    std::optional<ui::Theme> theme_;
    ui::Workspace workspace_;
};

}  // namespace gridstride
