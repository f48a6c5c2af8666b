#include "ui/window/glfw_input.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#if IMGUI_VERSION_NUM < 18700
#include <array>

#include "ui/widgets/input_line.h"
#else
#include "ui/widgets/imgui_compat.h"
#endif

namespace gridstride::ui {

#if IMGUI_VERSION_NUM < 18700

namespace {

using Kind = InputEvent::Kind;
using Role = InputEvent::Role;

Role role_of(int key, int modifiers) {
    if (key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER) return Role::modifier;
    if ((modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) != 0) return Role::command;
    const bool writes = (key >= GLFW_KEY_SPACE && key <= GLFW_KEY_WORLD_2) ||
                        (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_ADD) || key == GLFW_KEY_KP_EQUAL;
    return writes ? Role::character : Role::command;
}

}  // namespace

/// 1.86's backend asks GLFW for the mouse's place and buttons when a frame begins, which may be later than
/// the events of that frame: both are set anew from the line.
struct GlfwInput::State {
    explicit State(GLFWwindow* of) : window(of) {
        ImGui_ImplGlfw_InitForVulkan(window, false);
        glfwSetWindowUserPointer(window, this);
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
                       .role = role_of(key, modifiers)});
        });
        glfwSetCharCallback(window, [](GLFWwindow* from, unsigned character) {
            add(from, {.kind = Kind::character, .code = static_cast<int>(character)});
        });
    }
    ~State() { ImGui_ImplGlfw_Shutdown(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    static void add(GLFWwindow* from, const InputEvent& event) {
        static_cast<State*>(glfwGetWindowUserPointer(from))->line.add(event);
    }

    void apply(const InputEvent& event) {
        switch (event.kind) {
            case Kind::key_down:
            case Kind::key_up:
                ImGui_ImplGlfw_KeyCallback(window, event.code, event.scancode,
                                           event.kind == Kind::key_down ? GLFW_PRESS : GLFW_RELEASE,
                                           event.modifiers);
                break;
            case Kind::character:
                ImGui_ImplGlfw_CharCallback(window, static_cast<unsigned>(event.code));
                break;
            case Kind::button_down:
            case Kind::button_up:
                if (static_cast<std::size_t>(event.code) < buttons.size())
                    buttons[static_cast<std::size_t>(event.code)] = event.kind == Kind::button_down;
                break;
            case Kind::motion:
                has_place = true;
                place = glm::vec2(static_cast<float>(event.x), static_cast<float>(event.y));
                break;
            case Kind::wheel:
                ImGui_ImplGlfw_ScrollCallback(window, event.x, event.y);
                break;
            case Kind::leave:
                has_place = false;
                break;
            case Kind::focus:
                ImGui_ImplGlfw_WindowFocusCallback(window, event.code);
                break;
        }
    }

    GLFWwindow* window;
    InputLine line;
    std::array<bool, ImGuiMouseButton_COUNT> buttons{};
    bool has_place = false;  ///< false: wherever GLFW says
    glm::vec2 place;
};

GlfwInput::GlfwInput(GLFWwindow* window) : state_(std::make_unique<State>(window)) {}
GlfwInput::~GlfwInput() = default;

bool GlfwInput::has_more() const {
    return !state_->line.empty();
}

void GlfwInput::new_frame() {
    for (const InputEvent& event : state_->line.take_frame())
        state_->apply(event);
    ImGui_ImplGlfw_NewFrame();
    ImGuiIO& io = ImGui::GetIO();
    if (state_->has_place) io.MousePos = state_->place;
    for (std::size_t button = 0; button < state_->buttons.size(); ++button)
        io.MouseDown[button] = state_->buttons[button];
}

#else

/// From 1.87 on ImGui itself keeps what happened in line.
struct GlfwInput::State {};

GlfwInput::GlfwInput(GLFWwindow* window) {
    ImGui_ImplGlfw_InitForVulkan(window, true);
}
GlfwInput::~GlfwInput() {
    ImGui_ImplGlfw_Shutdown();
}
bool GlfwInput::has_more() const {
    return input_is_waiting();
}
void GlfwInput::new_frame() {
    ImGui_ImplGlfw_NewFrame();
}

#endif

}  // namespace gridstride::ui
