#include "ui/window/glfw_input.h"

#define GLFW_INCLUDE_VULKAN  // for window_canvas.cpp, in a unity build
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>

#include <algorithm>

#include "ui/widgets/imgui_compat.h"

namespace gridstride::ui {

GlfwInput::~GlfwInput() {
    ImGui_ImplGlfw_Shutdown();
}

GlfwInput::PendingEvents& GlfwInput::pending_events(GLFWwindow* window) {
    return *static_cast<PendingEvents*>(glfwGetWindowUserPointer(window));
}

/// ImGui's backend handles neither.
void GlfwInput::install_window_callbacks(GLFWwindow* window) {
    glfwSetWindowUserPointer(window, &pending_);
    glfwSetDropCallback(window, [](GLFWwindow* from, int count, const char** names) {
        pending_events(from).dropped.insert(pending_events(from).dropped.end(), names, names + count);
    });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* from) { pending_events(from).refresh = true; });
}

#if IMGUI_VERSION_NUM < 18700

namespace {

using Kind = InputEvent::Kind;
using Role = InputEvent::Role;

Role key_role(int key, int modifiers) {
    if (key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER) return Role::modifier;
    if ((modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) != 0) return Role::command;
    const bool writes = (key >= GLFW_KEY_SPACE && key <= GLFW_KEY_WORLD_2) ||
                        (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_ADD) || key == GLFW_KEY_KP_EQUAL;
    return writes ? Role::character : Role::command;
}

}  // namespace

void GlfwInput::add(GLFWwindow* window, const InputEvent& event) {
    pending_events(window).line.add(event);
}

/// 1.86's backend reads the mouse's position and buttons from GLFW when a frame begins, which may be later
/// than the events of that frame. new_frame() overwrites both from the queued events.
GlfwInput::GlfwInput(GLFWwindow* window) : window_(window) {
    ImGui_ImplGlfw_InitForVulkan(window, false);
    install_window_callbacks(window);
    glfwSetMonitorCallback(ImGui_ImplGlfw_MonitorCallback);
    glfwSetWindowFocusCallback(
        window, [](GLFWwindow* from, int focused) { add(from, {.kind = Kind::focus, .code = focused}); });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* from, int entered) {
        ImGui_ImplGlfw_CursorEnterCallback(from, entered);
        if (entered == 0) add(from, {.kind = Kind::leave});
    });
    glfwSetCursorPosCallback(window, [](GLFWwindow* from, double x, double y) {
        add(from, {.kind = Kind::motion, .x = x, .y = y});
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* from, int button, int action, int) {
        add(from, {.kind = action == GLFW_PRESS ? Kind::button_down : Kind::button_up, .code = button});
    });
    glfwSetScrollCallback(window, [](GLFWwindow* from, double x, double y) {
        add(from, {.kind = Kind::wheel, .x = x, .y = y});
    });
    glfwSetKeyCallback(window, [](GLFWwindow* from, int key, int scancode, int action, int modifiers) {
        if (action == GLFW_REPEAT) return;  // ImGui repeats keys by itself
        add(from, {.kind = action == GLFW_PRESS ? Kind::key_down : Kind::key_up,
                   .code = key,
                   .scancode = scancode,
                   .modifiers = modifiers,
                   .role = key_role(key, modifiers)});
    });
    glfwSetCharCallback(window, [](GLFWwindow* from, unsigned character) {
        add(from, {.kind = Kind::character, .code = static_cast<int>(character)});
    });
}

void GlfwInput::apply(const InputEvent& event) {
    switch (event.kind) {
        case Kind::key_down:
        case Kind::key_up:
            ImGui_ImplGlfw_KeyCallback(window_, event.code, event.scancode,
                                       event.kind == Kind::key_down ? GLFW_PRESS : GLFW_RELEASE,
                                       event.modifiers);
            break;
        case Kind::character:
            ImGui_ImplGlfw_CharCallback(window_, static_cast<unsigned>(event.code));
            break;
        case Kind::button_down:
        case Kind::button_up:
            if (static_cast<std::size_t>(event.code) < buttons_.size())
                buttons_[static_cast<std::size_t>(event.code)] = event.kind == Kind::button_down;
            break;
        case Kind::motion:
            mouse_position_ = glm::vec2(event.x, event.y);
            break;
        case Kind::wheel:
            ImGui_ImplGlfw_ScrollCallback(window_, event.x, event.y);
            break;
        case Kind::leave:
            mouse_position_.reset();
            break;
        case Kind::focus:
            ImGui_ImplGlfw_WindowFocusCallback(window_, event.code);
            break;
    }
}

bool GlfwInput::has_more() const {
    return !pending_.line.empty();
}

void GlfwInput::new_frame() {
    for (const InputEvent& event : pending_.line.pop_frame())
        apply(event);
    ImGui_ImplGlfw_NewFrame();
    ImGuiIO& io = ImGui::GetIO();
    if (mouse_position_) io.MousePos = *mouse_position_;
    std::ranges::copy(buttons_, io.MouseDown);
}

#else

/// From 1.87 on, ImGui itself queues input events.
GlfwInput::GlfwInput(GLFWwindow* window) {
    ImGui_ImplGlfw_InitForVulkan(window, true);
    install_window_callbacks(window);
}
bool GlfwInput::has_more() const {
    return has_pending_input();
}
void GlfwInput::new_frame() {
    ImGui_ImplGlfw_NewFrame();
}

#endif

}  // namespace gridstride::ui
