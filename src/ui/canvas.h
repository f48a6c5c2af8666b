// Where frames go: a window on the screen, or an image in memory. Both show ImGui's draw data through Vulkan.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gridstride::ui {

struct Image {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<std::uint8_t> rgba;  ///< row by row from the top
};
/// Throws FileError. Written beside, then renamed.
void save_png(const Image& image, const std::string& path);

struct FrameTimes {
    double record_ms = 0;   ///< recording the command buffer
    double present_ms = 0;  ///< acquiring, submitting and presenting, waits included
};

class Canvas {
 public:
    virtual ~Canvas() = default;

    /// Called in begin_frame() when the backends have filled ImGui's input and before ImGui::NewFrame(): the
    /// place to put other input there.
    std::function<void()> before_new_frame;

    /// Collects input and starts ImGui's frame. With wait, sleeps until there is input, wake() is called, or
    /// timeout_seconds pass.
    virtual void begin_frame(bool wait, double timeout_seconds) = 0;
    /// Renders ImGui's draw data and shows it.
    /// Throws std::runtime_error when the graphics device is lost.
    virtual FrameTimes end_frame() = 0;
    virtual bool close_requested() const = 0;
    virtual ImVec2 size() const = 0;          ///< pixels
    virtual float content_scale() const = 0;  ///< what the desktop asks for; 1 in memory
    virtual Image read_pixels() = 0;          ///< of the last frame shown; empty before the first
    virtual void rebuild_fonts() = 0;         ///< after the font atlas changed, between frames
    virtual void toggle_full_screen() {}
    /// From any thread: ends the wait in begin_frame().
    virtual void wake() = 0;
    virtual bool is_window() const = 0;
    virtual std::string device_name() const = 0;
};

/// Throws NoDisplay when there is no display, NoDevice when nothing can draw on it. The current
/// ImGui context belongs to the caller.
std::unique_ptr<Canvas> open_window(const std::string& title, std::uint32_t width, std::uint32_t height);
std::unique_ptr<Canvas> make_offscreen(std::uint32_t width, std::uint32_t height);

}  // namespace gridstride::ui
