// A window's keyboard and mouse on their way to ImGui.
#pragma once

#include <imgui.h>

#include <string>
#include <utility>
#include <vector>

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
    /// Names of the files that were dropped on the window since it was last asked.
    std::vector<std::string> take_dropped() { return std::exchange(waiting_.dropped, {}); }

 private:
    /// What GLFW has told between two frames.
    struct Waiting {
#if IMGUI_VERSION_NUM < 18700
        InputLine line;
#endif
        std::vector<std::string> dropped;
    };
    static Waiting& waiting_of(GLFWwindow* window);
    void take_drops(GLFWwindow* window);

    Waiting waiting_;
#if IMGUI_VERSION_NUM < 18700
    static void add(GLFWwindow* window, const InputEvent& event);
    void apply(const InputEvent& event);

    GLFWwindow* window_;
    std::array<bool, ImGuiMouseButton_COUNT> buttons_{};
    std::optional<glm::vec2> place_;  ///< nullopt: wherever GLFW says
#endif
};

}  // namespace gridstride::ui
