// Passes a window's keyboard and mouse events to ImGui.
#pragma once

#include <imgui.h>

#include <string>
#include <utility>
#include <vector>

#if IMGUI_VERSION_NUM < 18700
#include <array>
#include <optional>

#include "ui/widgets/input_queue.h"
#endif

struct GLFWwindow;

namespace gridstride::ui {

/// Owns ImGui's GLFW backend. No event between two frames is lost, however short, and all keep their order.
/// There can be only one at a time: an ImGui context has one backend.
class GlfwInput {
 public:
    explicit GlfwInput(GLFWwindow* window);
    ~GlfwInput();
    GlfwInput(const GlfwInput&) = delete;
    GlfwInput& operator=(const GlfwInput&) = delete;

    /// Returns true if input is left for another frame, which must be drawn without waiting for events.
    bool has_more() const;
    /// Call after polling events and before ImGui::NewFrame().
    void new_frame();
    /// Returns the names of files that were dropped on the window since the last call.
    std::vector<std::string> take_dropped() { return std::exchange(pending_.dropped, {}); }
    /// Returns true if the window system has lost what the window shows since the last call.
    bool take_refresh() { return std::exchange(pending_.refresh, false); }

 private:
    /// Events of GLFW that the next frames will process.
    struct PendingEvents {
#if IMGUI_VERSION_NUM < 18700
        InputQueue line;
#endif
        std::vector<std::string> dropped;
        bool refresh = false;
    };
    static PendingEvents& pending_events(GLFWwindow* window);
    void install_window_callbacks(GLFWwindow* window);

    PendingEvents pending_;
#if IMGUI_VERSION_NUM < 18700
    static void add(GLFWwindow* window, const InputEvent& event);
    void apply(const InputEvent& event);

    GLFWwindow* window_;
    std::array<bool, ImGuiMouseButton_COUNT> buttons_{};
    std::optional<glm::vec2> mouse_position_;  ///< nullopt: as reported by GLFW
#endif
};

}  // namespace gridstride::ui
