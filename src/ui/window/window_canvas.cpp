// A window on the screen, with GLFW for input and a swapchain for frames.
#define GLFW_INCLUDE_VULKAN
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/window/glfw_input.h"
#include "ui/window/vulkan_renderer_impl.h"

namespace gridstride::ui {
namespace {

std::string last_glfw_error() {
    const char* description = nullptr;
    glfwGetError(&description);
    return description ? description : "no reason was given";
}

struct GlfwLibrary {
    GlfwLibrary() {
#ifdef GLFW_PLATFORM
        // GLFW tries Wayland first, whose library prints an error if there is no server.
        if (!std::getenv("WAYLAND_DISPLAY") && !std::getenv("WAYLAND_SOCKET"))
            glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
        if (glfwInit()) return;
        throw NoDisplay(
            fmt::format("No window can be opened: {}. Without a display, use gridstride run, or "
                        "gridstride screenshot.",
                        last_glfw_error()));
    }
    ~GlfwLibrary() {
        glfwTerminate();
    }
    GlfwLibrary(const GlfwLibrary&) = delete;
    GlfwLibrary& operator=(const GlfwLibrary&) = delete;
};

using Window = std::unique_ptr<GLFWwindow, decltype(&glfwDestroyWindow)>;

Window make_window(const std::string& title, std::uint32_t width, std::uint32_t height) {
    if (!glfwVulkanSupported())
        throw NoDevice(
            "No Vulkan driver to draw the window with. Install mesa-vulkan-drivers or the GPU vendor's "
            "driver.");
    int max_width = 0;
    int max_height = 0;
    if (GLFWmonitor* monitor = glfwGetPrimaryMonitor())
        glfwGetMonitorWorkarea(monitor, nullptr, nullptr, &max_width, &max_height);
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "gridstride");  // desktops find the .desktop file by it
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "gridstride");
    int w = static_cast<int>(width);
    int h = static_cast<int>(height);
    if (max_width > 0) w = std::min(w, max_width);
    if (max_height > 0) h = std::min(h, max_height);
    Window window(glfwCreateWindow(w, h, title.c_str(), nullptr, nullptr), &glfwDestroyWindow);
    if (!window) throw NoDisplay(fmt::format("No window can be opened: {}.", last_glfw_error()));
    glfwSetWindowSizeLimits(window.get(), 640, 400, GLFW_DONT_CARE, GLFW_DONT_CARE);
    return window;
}

class WindowCanvas final : public VulkanCanvas {
 public:
    WindowCanvas(const std::string& title, std::uint32_t width, std::uint32_t height)
        : window_(make_window(title, width, height)), input_(window_.get()) {
        update_window_state();
        drawing_ = make_drawing();
    }
    ~WindowCanvas() override { drawing_.reset(); }  // before the window that it draws on
    WindowCanvas(const WindowCanvas&) = delete;
    WindowCanvas& operator=(const WindowCanvas&) = delete;

    bool begin_frame(bool wait, double timeout_seconds) override {
        if (wait && !needs_redraw_ && !input_.has_more())
            glfwWaitEventsTimeout(std::clamp(timeout_seconds, 0.0, 3600.0));
        else if (is_minimised_ || (is_unchanged_ && !input_.has_more()))
            // Only presenting blocks: without this, animations would spin.
            glfwWaitEventsTimeout(is_minimised_ ? 0.05 : 0.005);
        else
            glfwPollEvents();
        needs_redraw_ = false;
        update_window_state();
        retry_after_loss([this] {
            drawing_->ensure_renderer();
            if (!is_minimised_ && drawing_->swapchain_size != pixels_) drawing_->make_swapchain(pixels_);
        });
        const bool has_input = input_.has_more();
        ImGuiRenderer::new_frame();
        input_.new_frame();
        for (std::string& file : input_.take_dropped())
            dropped_files.push_back(std::move(file));
        use_pixel_coordinates();
        if (before_new_frame) before_new_frame();
        ImGui::NewFrame();
        return has_input;
    }

    FrameTimes end_frame() override {
        ImGui::Render();
        FrameTimes times;
        if (!drawing_->swapchain || is_minimised_) return times;
        is_unchanged_ = !draw_frame(input_.take_refresh(), [&](Drawing& drawing) {
            if (!drawing.swapchain) drawing.make_swapchain(pixels_);
            if (!drawing.swapchain) return false;  // minimised meanwhile
            const auto present = [&] {
                return drawing.swapchain->present(drawing.device, drawing.pass, *drawing.renderer);
            };
            Swapchain::PresentResult outcome = present();
            if (!outcome.fits) {
                update_window_state();
                drawing.make_swapchain(pixels_);
                if (!outcome.is_presented) outcome = present();
                needs_redraw_ = true;  // this frame was laid out for the old size
            }
            needs_redraw_ = needs_redraw_ || !outcome.is_presented;
            times = outcome.times;
            return !needs_redraw_;
        });
        return times;
    }

    bool is_close_requested() const override { return glfwWindowShouldClose(window_.get()) != 0; }

    float content_scale() const override {
        float x = 1;
        glfwGetWindowContentScale(window_.get(), &x, nullptr);
        return x > 0 ? x : 1;
    }

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
            find_monitor_at(windowed_.x + windowed_.width / 2, windowed_.y + windowed_.height / 2);
        const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
        if (mode) glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }

    void wake() override { glfwPostEmptyEvent(); }

 private:
    std::unique_ptr<Drawing> make_drawing() override {
        std::uint32_t count = 0;
        const char** names = glfwGetRequiredInstanceExtensions(&count);
        if (!names)
            throw NoDevice("The Vulkan driver cannot draw on this display. Install mesa-vulkan-drivers.");
        const auto make_surface = [this](VkInstance instance) {
            VkSurfaceKHR surface = VK_NULL_HANDLE;
            if (glfwCreateWindowSurface(instance, window_.get(), nullptr, &surface) != VK_SUCCESS)
                throw std::runtime_error(
                    fmt::format("The window cannot be drawn on: {}.", last_glfw_error()));
            return surface;
        };
        return std::make_unique<Drawing>(std::vector(names, names + count), make_surface);
    }

    /// Called once per frame: each query is a round trip to the display server, which takes milliseconds if
    /// that is busy.
    void update_window_state() {
        int width = 0;
        int height = 0;
        glfwGetFramebufferSize(window_.get(), &width, &height);
        pixels_ = vk::Extent2D{static_cast<std::uint32_t>(std::max(0, width)),
                               static_cast<std::uint32_t>(std::max(0, height))};
        is_minimised_ = pixels_.width == 0 || pixels_.height == 0 ||
                        glfwGetWindowAttrib(window_.get(), GLFW_ICONIFIED) != 0;
    }

    /// Makes ImGui lay out in pixels even if the desktop uses larger units: text is sharp, and the theme's
    /// scale applies to all sizes.
    void use_pixel_coordinates() const {
        ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
        const glm::vec2 ratio = io.DisplayFramebufferScale;
        if (io.MousePos.x > -FLT_MAX && ratio.x > 0 && ratio.y > 0)
            io.MousePos = ratio * glm::vec2(io.MousePos);
#endif
        io.DisplaySize = size();
        io.DisplayFramebufferScale = glm::vec2(1, 1);
    }

    static GLFWmonitor* find_monitor_at(int x, int y) {
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

    GlfwLibrary library_;
    Window window_;
    GlfwInput input_;
    bool is_minimised_ = false;  ///< at the beginning of the frame, like pixels_
    struct {
        int x = 0, y = 0, width = 1280, height = 800;
    } windowed_;
    bool needs_redraw_ = false;
    bool is_unchanged_ = false;  ///< the last frame was not drawn
};

}  // namespace

std::unique_ptr<Canvas> open_window(const std::string& title, std::uint32_t width, std::uint32_t height) {
    std::unique_ptr<Canvas> canvas;
    translate_vulkan_errors([&] { canvas = std::make_unique<WindowCanvas>(title, width, height); });
    return canvas;
}

}  // namespace gridstride::ui
