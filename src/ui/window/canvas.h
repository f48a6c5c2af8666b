// A canvas shows frames in a window or draws them into an image in memory. Both render ImGui's draw data with
// Vulkan.
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
    std::vector<std::uint8_t> rgba;  ///< 8 bits per channel, row by row from the top
};
/// Returns the bytes of a PNG file. Throws std::runtime_error.
std::string encode_png(const Image& image);
/// Writes a PNG file atomically. Throws FileError.
void save_png(const Image& image, const std::string& path);

struct FrameTimes {
    ElapsedTime record;  ///< recording the command buffer
    /// Acquiring, submitting and presenting, waits included; 0 if the frame is shown already.
    double present_ms = 0;
};

/// Objects that the driver can lose while the window is open.
enum class Loss {
    device,   ///< VK_ERROR_DEVICE_LOST
    surface,  ///< VK_ERROR_SURFACE_LOST_KHR
};

/// Counts losses of the device. Too many are an error: a driver that loses the device again and again would
/// otherwise keep the window busy forever.
class CanvasLosses {
 public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t max_losses = 3;
    static constexpr std::chrono::seconds loss_window{10};

    /// Counts a loss. Throws NoDevice, with the reason and with advice, at the third in ten seconds.
    void add(const std::string& reason, Clock::time_point now = Clock::now());
    std::size_t count() const { return count_; }

 private:
    std::deque<Clock::time_point> recent_;
    std::size_t count_ = 0;
};

/// Draws the last frame of a separate ImGui context, which the window does not show. Must be destroyed before
/// the context and the canvas.
class ContextDrawing {
 public:
    virtual ~ContextDrawing() = default;
    /// Draws the rectangle of `size` pixels at `from`. Call between frames. Blocks until it is drawn, so the
    /// rectangle should be small enough for one frame.
    virtual Image draw(glm::uvec2 from, glm::uvec2 size) = 0;
};

/// If the device or the surface is lost, the canvas recreates everything that belongs to the graphics device
/// and draws the frame again; ImGui's context is not affected. Every function that draws throws NoDevice if
/// this happens too often, see CanvasLosses.
class Canvas {
 public:
    virtual ~Canvas() = default;

    /// Called in begin_frame() after the backends have filled ImGui's input and before ImGui::NewFrame(). It
    /// may add further input.
    std::function<void()> before_new_frame;

    /// Names of files that were dropped on the window. begin_frame() appends to it; the caller clears it.
    std::vector<std::string> dropped_files;

    /// Collects input and starts ImGui's frame. If `wait`, first blocks until there is input, wake() is
    /// called, or timeout_seconds have passed. Returns whether there is input of a window.
    virtual bool begin_frame(bool wait, double timeout_seconds) = 0;
    /// Renders ImGui's draw data and shows it, unless they are shown already. Throws std::runtime_error if
    /// drawing fails.
    virtual FrameTimes end_frame() = 0;
    virtual bool is_close_requested() const = 0;
    virtual glm::vec2 size() const = 0;       ///< pixels
    virtual float content_scale() const = 0;  ///< of the desktop; 1 in memory
    virtual Image read_pixels() = 0;          ///< the last frame shown; empty before the first
    virtual std::unique_ptr<ContextDrawing> draw_context(ImGuiContext& context) = 0;  ///< one at a time
    virtual void rebuild_fonts() = 0;  ///< call after the font atlas has changed, between frames
    virtual void toggle_full_screen() {}
    /// Ends the wait in begin_frame(). Thread-safe.
    virtual void wake() = 0;

    virtual std::size_t losses() const = 0;
    /// For tests and scripts: the next submission or presentation fails as if the driver had lost it. Throws
    /// std::runtime_error if this canvas has no surface to lose.
    virtual void simulate_loss(Loss what) = 0;
};

/// Throws NoDisplay if there is no display, NoDevice if no device can draw on it. The current ImGui context
/// belongs to the caller.
std::unique_ptr<Canvas> open_window(const std::string& title, std::uint32_t width, std::uint32_t height);
std::unique_ptr<Canvas> make_offscreen(std::uint32_t width, std::uint32_t height);

}  // namespace gridstride::ui
