// Where frames go: a window on the screen, or an image in memory. Both show ImGui's draw data through Vulkan.
#pragma once

#include <imgui.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/elapsed.h"

namespace gridstride::ui {

struct Image {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<std::uint8_t> rgba;  ///< row by row from the top
};
/// Throws FileError. Written beside, then renamed.
void save_png(const Image& image, const std::string& path);

struct FrameTimes {
    Spent record;           ///< recording the command buffer
    double present_ms = 0;  ///< acquiring, submitting and presenting, waits included
};

/// What a driver can take away while the window is open.
enum class Loss {
    device,   ///< VK_ERROR_DEVICE_LOST
    surface,  ///< VK_ERROR_SURFACE_LOST_KHR
};

/// How often a canvas may lose its device before that is called a failure: a driver that loses it again and
/// again would otherwise keep the window busy for ever.
class CanvasLosses {
 public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t too_many = 3;
    static constexpr std::chrono::seconds within{10};

    /// Notes a loss. Throws NoDevice, with the reason and with advice, when it is the third within ten
    /// seconds.
    void add(const std::string& reason, Clock::time_point now = Clock::now());
    /// Of all time.
    std::size_t count() const { return count_; }

 private:
    std::deque<Clock::time_point> recent_;
    std::size_t count_ = 0;
};

/// Draws what an ImGui context of its own has rendered last, which the window does not show. Ends before the
/// context and the canvas do.
class ApartDrawing {
 public:
    virtual ~ApartDrawing() = default;
    /// `size` pixels from `from` on. Between frames. Waits until it is drawn, so ask for as much as a frame
    /// has time for.
    virtual Image draw(glm::uvec2 from, glm::uvec2 size) = 0;
};

/// All that belongs to the graphics device is made anew when the device or the surface is lost; ImGui's
/// context and everything above it stay as they are, and the frame is drawn again. Every function that draws
/// throws NoDevice when that happens too often.
class Canvas {
 public:
    virtual ~Canvas() = default;

    /// Called in begin_frame() when the backends have filled ImGui's input and before ImGui::NewFrame(): the
    /// place to put other input there.
    std::function<void()> before_new_frame;

    /// Names of files that were dropped on the window, collected in begin_frame(), until somebody takes them.
    std::vector<std::string> dropped_files;

    /// Collects input and starts ImGui's frame. With wait, sleeps until there is input, wake() is called, or
    /// timeout_seconds pass.
    virtual void begin_frame(bool wait, double timeout_seconds) = 0;
    /// Renders ImGui's draw data and shows it.
    /// Throws std::runtime_error when the driver refuses to draw.
    virtual FrameTimes end_frame() = 0;
    virtual bool close_requested() const = 0;
    virtual glm::vec2 size() const = 0;       ///< pixels
    virtual float content_scale() const = 0;  ///< what the desktop asks for; 1 in memory
    virtual Image read_pixels() = 0;          ///< of the last frame shown; empty before the first
    virtual std::unique_ptr<ApartDrawing> draw_apart(ImGuiContext& context) = 0;  ///< one at a time
    virtual void rebuild_fonts() = 0;  ///< after the font atlas changed, between frames
    virtual void toggle_full_screen() {}
    /// From any thread: ends the wait in begin_frame().
    virtual void wake() = 0;

    /// How often the device or the surface was lost since the canvas was made.
    virtual std::size_t losses() const = 0;
    /// For tests and scripts: the next submission or presentation fails as if the driver had lost it, and all
    /// that follows is real. Throws std::runtime_error when this canvas has no surface to lose.
    virtual void pretend_lost(Loss what) = 0;
};

/// Throws NoDisplay when there is no display, NoDevice when nothing can draw on it. The current
/// ImGui context belongs to the caller.
std::unique_ptr<Canvas> open_window(const std::string& title, std::uint32_t width, std::uint32_t height);
std::unique_ptr<Canvas> make_offscreen(std::uint32_t width, std::uint32_t height);

}  // namespace gridstride::ui
