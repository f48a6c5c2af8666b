// A window's keyboard and mouse on their way to ImGui.
#pragma once

#include <imgui.h>

#if IMGUI_VERSION_NUM < 18700
#include <array>
#include <optional>

#include "ui/widgets/input_line.h"
#endif

struct GLFWwindow;

namespace gridstride::ui {

/// ImGui's GLFW backend while it lives. Nothing that happens between two frames is lost, however short, and
/// all of it keeps its order. There is one at a time: ImGui's context has room for one backend.
class GlfwInput {
 public:
    explicit GlfwInput(GLFWwindow* window);
    ~GlfwInput();
    GlfwInput(const GlfwInput&) = delete;
    GlfwInput& operator=(const GlfwInput&) = delete;

    /// Input is left over for a further frame: draw it without waiting for events.
    bool has_more() const;
    /// After events were polled, before ImGui::NewFrame().
    void new_frame();

#if IMGUI_VERSION_NUM < 18700
 private:
    void apply(const InputEvent& event);

    GLFWwindow* window_;
    InputLine line_;
    std::array<bool, ImGuiMouseButton_COUNT> buttons_{};
    std::optional<glm::vec2> place_;  ///< nullopt: wherever GLFW says
#endif
};

}  // namespace gridstride::ui
