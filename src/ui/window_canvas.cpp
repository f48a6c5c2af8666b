// A window on the screen: GLFW for input, a swapchain for frames.
#define GLFW_INCLUDE_VULKAN
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "ui/imgui_compat.h"
#include "ui/swapchain_impl.h"

namespace gridstride::ui {
namespace {

std::string last_glfw_error() {
    const char* description = nullptr;
    glfwGetError(&description);
    return description ? description : "no reason was given";
}

struct GlfwLibrary {
    GlfwLibrary() {
        if (glfwInit()) return;
        throw NoDisplay(
            fmt::format("No window can be opened: {}. Without a display, use gridstride run, or "
                        "gridstride screenshot.",
                        last_glfw_error()));
    }
    ~GlfwLibrary() { glfwTerminate(); }
    GlfwLibrary(const GlfwLibrary&) = delete;
    GlfwLibrary& operator=(const GlfwLibrary&) = delete;
};

struct WindowDelete {
    void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using Window = std::unique_ptr<GLFWwindow, WindowDelete>;

Window make_window(const std::string& title, std::uint32_t width, std::uint32_t height) {
    if (!glfwVulkanSupported())
        throw NoDevice(
            "No Vulkan driver to draw the window with. Install mesa-vulkan-drivers or the GPU vendor's "
            "driver.");
    int most_width = 0;
    int most_height = 0;
    if (GLFWmonitor* monitor = glfwGetPrimaryMonitor())
        glfwGetMonitorWorkarea(monitor, nullptr, nullptr, &most_width, &most_height);
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "gridstride");  // what the .desktop file is found by
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "gridstride");
    int w = static_cast<int>(width);
    int h = static_cast<int>(height);
    if (most_width > 0) w = std::min(w, most_width);
    if (most_height > 0) h = std::min(h, most_height);
    Window window(glfwCreateWindow(w, h, title.c_str(), nullptr, nullptr));
    if (!window) throw NoDisplay(fmt::format("No window can be opened: {}.", last_glfw_error()));
    glfwSetWindowSizeLimits(window.get(), 640, 400, GLFW_DONT_CARE, GLFW_DONT_CARE);
    return window;
}

#if IMGUI_VERSION_NUM < 18700

/// ImGui's GLFW backend while it lives. 1.86's looks at which keys are down when a frame begins: a key that
/// goes down and up during one slow frame would be lost, and Enter could overtake what was typed before it.
/// So keys wait in line here, and a frame ends before the release of a key that it saw go down.
class GlfwInput {
 public:
    explicit GlfwInput(GLFWwindow* window) : window_(window) {
        ImGui_ImplGlfw_InitForVulkan(window, false);
        glfwSetWindowUserPointer(window, this);
        glfwSetWindowFocusCallback(window, ImGui_ImplGlfw_WindowFocusCallback);
        glfwSetCursorEnterCallback(window, ImGui_ImplGlfw_CursorEnterCallback);
        glfwSetMouseButtonCallback(window, ImGui_ImplGlfw_MouseButtonCallback);
        glfwSetScrollCallback(window, ImGui_ImplGlfw_ScrollCallback);
        glfwSetMonitorCallback(ImGui_ImplGlfw_MonitorCallback);
        glfwSetKeyCallback(window, [](GLFWwindow* from, int key, int scancode, int action, int modifiers) {
            line(from).push_back({key, scancode, action, modifiers, 0});
        });
        glfwSetCharCallback(window, [](GLFWwindow* from, unsigned character) {
            line(from).push_back({0, 0, 0, 0, character});
        });
    }
    ~GlfwInput() { ImGui_ImplGlfw_Shutdown(); }
    GlfwInput(const GlfwInput&) = delete;
    GlfwInput& operator=(const GlfwInput&) = delete;

    bool has_more() const { return !events_.empty(); }

    void new_frame() {
        std::vector<int> pressed;
        while (!events_.empty()) {
            const Event event = events_.front();
            if (event.character != 0) {
                ImGui_ImplGlfw_CharCallback(window_, event.character);
            } else {
                const bool seen = std::find(pressed.begin(), pressed.end(), event.key) != pressed.end();
                if (event.action == GLFW_RELEASE && seen) break;
                if (event.action == GLFW_PRESS) pressed.push_back(event.key);
                ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.action, event.modifiers);
            }
            events_.pop_front();
        }
        ImGui_ImplGlfw_NewFrame();
    }

 private:
    struct Event {
        int key, scancode, action, modifiers;
        unsigned character;  ///< 0: a key
    };
    static std::deque<Event>& line(GLFWwindow* window) {
        return static_cast<GlfwInput*>(glfwGetWindowUserPointer(window))->events_;
    }

    GLFWwindow* window_;
    std::deque<Event> events_;
};

#else

/// ImGui's GLFW backend while it lives. From 1.87 on ImGui itself keeps the order of events.
class GlfwInput {
 public:
    explicit GlfwInput(GLFWwindow* window) { ImGui_ImplGlfw_InitForVulkan(window, true); }
    ~GlfwInput() { ImGui_ImplGlfw_Shutdown(); }
    GlfwInput(const GlfwInput&) = delete;
    GlfwInput& operator=(const GlfwInput&) = delete;
    bool has_more() const { return false; }
    void new_frame() { ImGui_ImplGlfw_NewFrame(); }
};

#endif

class WindowCanvas final : public Canvas {
 public:
    WindowCanvas(const std::string& title, std::uint32_t width, std::uint32_t height)
        : window_(make_window(title, width, height)),
          input_(window_.get()),
          drawing_(required_extensions(), [this](VkInstance instance) { return make_surface(instance); }),
          format_(choose_surface_format(drawing_)),
          pass_(make_render_pass(drawing_.device, format_.format, vk::ImageLayout::ePresentSrcKHR)) {}

    ~WindowCanvas() override {
        try {
            drawing_.device.waitIdle();
        } catch (const vk::SystemError&) {
            // Lost: nothing is being drawn any more.
        }
    }

    void begin_frame(bool wait, double timeout_seconds) override {
        if (wait && !draw_again_ && !input_.has_more())
            glfwWaitEventsTimeout(std::clamp(timeout_seconds, 0.0, 3600.0));
        else if (minimised())
            // Nothing shows the frames: without this, whoever animates would spin.
            glfwWaitEventsTimeout(0.05);
        else
            glfwPollEvents();
        draw_again_ = false;
        translating_vulkan_errors([this] {
            if (!renderer_) renderer_ = std::make_unique<ImGuiRenderer>(drawing_, pass_);
            fit_swapchain();
        });
        ImGuiRenderer::new_frame();
        input_.new_frame();
        work_in_pixels();
        if (before_new_frame) before_new_frame();
        ImGui::NewFrame();
        // The button may be up again by now, without a further event to wake for.
        for (int button = 0; button < 3; ++button)
            draw_again_ = draw_again_ || ImGui::IsMouseClicked(button);
    }

    FrameTimes end_frame() override {
        ImGui::Render();
        FrameTimes times;
        if (!swapchain_ || minimised()) return times;
        translating_vulkan_errors([&] {
            Swapchain::Shown shown = swapchain_->show(drawing_, pass_);
            if (!shown.fits) {
                make_swapchain();
                if (!shown.presented && swapchain_) shown = swapchain_->show(drawing_, pass_);
                draw_again_ = true;  // laid out for the size that the window had
            }
            draw_again_ = draw_again_ || !shown.presented;
            times = shown.times;
        });
        return times;
    }

    bool close_requested() const override { return glfwWindowShouldClose(window_.get()) != 0; }

    ImVec2 size() const override {
        const vk::Extent2D pixels = framebuffer_size();
        return {static_cast<float>(pixels.width), static_cast<float>(pixels.height)};
    }

    float content_scale() const override {
        float x = 1;
        glfwGetWindowContentScale(window_.get(), &x, nullptr);
        return x > 0 ? x : 1;
    }

    Image read_pixels() override {
        // Drawn once more, into memory: what a display does with its images differs, ImGui's draw data does
        // not.
        Image picture;
        const ImDrawData* data = ImGui::GetDrawData();
        if (!data || data->DisplaySize.x < 1 || data->DisplaySize.y < 1) return picture;
        const vk::Extent2D extent{static_cast<std::uint32_t>(data->DisplaySize.x),
                                  static_cast<std::uint32_t>(data->DisplaySize.y)};
        translating_vulkan_errors([&] {
            drawing_.device.waitIdle();
            const vk::raii::RenderPass pass =
                make_render_pass(drawing_.device, format_.format, vk::ImageLayout::eTransferSrcOptimal);
            ImageTarget target(drawing_, pass, format_.format, extent);
            drawing_.run([&](const vk::raii::CommandBuffer& commands) {
                ImGuiRenderer::record(commands, pass, target.framebuffer(), extent);
            });
            picture = target.read(drawing_);
        });
        return picture;
    }

    void rebuild_fonts() override { renderer_.reset(); }

    void toggle_full_screen() override {
        GLFWwindow* window = window_.get();
        if (glfwGetWindowMonitor(window)) {
            glfwSetWindowMonitor(window, nullptr, windowed_.x, windowed_.y, windowed_.width, windowed_.height,
                                 GLFW_DONT_CARE);
            return;
        }
        glfwGetWindowPos(window, &windowed_.x, &windowed_.y);
        glfwGetWindowSize(window, &windowed_.width, &windowed_.height);
        GLFWmonitor* monitor =
            monitor_under(windowed_.x + windowed_.width / 2, windowed_.y + windowed_.height / 2);
        const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
        if (mode) glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }

    void wake() override { glfwPostEmptyEvent(); }
    bool is_window() const override { return true; }
    std::string device_name() const override { return drawing_.name; }

 private:
    static std::vector<const char*> required_extensions() {
        std::uint32_t count = 0;
        const char** names = glfwGetRequiredInstanceExtensions(&count);
        if (!names)
            throw NoDevice("The Vulkan driver cannot draw on this display. Install mesa-vulkan-drivers.");
        return {names, names + count};
    }

    VkSurfaceKHR make_surface(VkInstance instance) {
        VkSurfaceKHR surface = VK_NULL_HANDLE;
        if (glfwCreateWindowSurface(instance, window_.get(), nullptr, &surface) != VK_SUCCESS)
            throw std::runtime_error(fmt::format("The window cannot be drawn on: {}.", last_glfw_error()));
        return surface;
    }

    vk::Extent2D framebuffer_size() const {
        int width = 0;
        int height = 0;
        glfwGetFramebufferSize(window_.get(), &width, &height);
        return {static_cast<std::uint32_t>(std::max(0, width)),
                static_cast<std::uint32_t>(std::max(0, height))};
    }
    bool minimised() const {
        const vk::Extent2D pixels = framebuffer_size();
        return pixels.width == 0 || pixels.height == 0 ||
               glfwGetWindowAttrib(window_.get(), GLFW_ICONIFIED) != 0;
    }

    void fit_swapchain() {
        const vk::Extent2D wanted = framebuffer_size();
        if (minimised() || (swapchain_ && made_for_ == wanted)) return;
        make_swapchain();
    }

    void make_swapchain() {
        drawing_.device.waitIdle();
        const vk::Extent2D wanted = framebuffer_size();
        if (wanted.width == 0 || wanted.height == 0) return;
        auto fresh = std::make_unique<Swapchain>(drawing_, pass_, format_, wanted, swapchain_.get());
        swapchain_ = std::move(fresh);
        made_for_ = wanted;
    }

    /// Where the desktop counts in larger units than pixels, ImGui still lays out in pixels: letters are
    /// sharp, and all sizes go through the theme's one scale.
    void work_in_pixels() const {
        ImGuiIO& io = ImGui::GetIO();
        const ImVec2 ratio = io.DisplayFramebufferScale;
        io.DisplaySize = size();
        io.DisplayFramebufferScale = ImVec2(1, 1);
#if IMGUI_VERSION_NUM < 18700
        if (io.MousePos.x > -FLT_MAX && ratio.x > 0 && ratio.y > 0)
            io.MousePos = ImVec2(io.MousePos.x * ratio.x, io.MousePos.y * ratio.y);
#else
        (void)ratio;
#endif
    }

    static GLFWmonitor* monitor_under(int x, int y) {
        int count = 0;
        GLFWmonitor** monitors = glfwGetMonitors(&count);
        for (int i = 0; i < count; ++i) {
            int left = 0;
            int top = 0;
            glfwGetMonitorPos(monitors[i], &left, &top);
            const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
            if (mode && x >= left && y >= top && x < left + mode->width && y < top + mode->height)
                return monitors[i];
        }
        return glfwGetPrimaryMonitor();
    }

    struct Rect {
        int x = 0, y = 0, width = 1280, height = 800;
    };

    GlfwLibrary library_;
    Window window_;
    GlfwInput input_;
    DrawingDevice drawing_;
    vk::SurfaceFormatKHR format_;
    vk::raii::RenderPass pass_;
    std::unique_ptr<Swapchain> swapchain_;
    std::unique_ptr<ImGuiRenderer> renderer_;
    vk::Extent2D made_for_;  ///< the window's size then; the surface may say another
    Rect windowed_;
    bool draw_again_ = false;
};

}  // namespace

std::unique_ptr<Canvas> open_window(const std::string& title, std::uint32_t width, std::uint32_t height) {
    std::unique_ptr<Canvas> canvas;
    translating_vulkan_errors([&] { canvas = std::make_unique<WindowCanvas>(title, width, height); });
    return canvas;
}

}  // namespace gridstride::ui
