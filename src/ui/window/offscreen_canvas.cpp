// Draws frames into an image in memory: for screenshots, tests and scripts without a display.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "base/elapsed.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/window/vulkan_renderer_impl.h"

namespace gridstride::ui {
namespace {

using Clock = std::chrono::steady_clock;

class OffscreenCanvas final : public VulkanCanvas {
 public:
    OffscreenCanvas(std::uint32_t width, std::uint32_t height) {
        pixels_ = vk::Extent2D(std::max(1U, width), std::max(1U, height));
        drawing_ = make_drawing();
        map_keys_without_window();
        ImGui::GetIO().BackendPlatformName = "gridstride offscreen";
    }

    bool begin_frame(bool wait, double timeout_seconds) override {
        {
            std::unique_lock lock(mutex_);
            if (wait)
                woken_condition_.wait_for(lock,
                                          std::chrono::duration<double>(std::min(timeout_seconds, 3600.0)),
                                          [this] { return is_woken_; });
            is_woken_ = false;
        }
        // The font atlas is created with the theme, which is after the canvas.
        retry_after_loss([this] { drawing_->ensure_renderer(); });
        ImGuiRenderer::new_frame();
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = size();
        io.DisplayFramebufferScale = glm::vec2(1, 1);
        const double elapsed_s = last_frame_ ? seconds_since(*last_frame_) : 1.0 / 60;
        io.DeltaTime = static_cast<float>(std::max(1e-4, elapsed_s));
        last_frame_ = Clock::now();
        if (before_new_frame) before_new_frame();
        ImGui::NewFrame();
        return false;
    }

    FrameTimes end_frame() override {
        FrameTimes times;
        ImGui::Render();
        draw_frame(false, [&](Drawing& drawing) {
            const Clock::time_point start = Clock::now();
            times.record = drawing.target->draw(drawing.device, *drawing.renderer, *ImGui::GetDrawData());
            times.present_ms = milliseconds_since(start) - times.record.wall_ms;
            return true;
        });
        return times;
    }

    /// Reads the last frame; draws it again only if it was lost with the device.
    Image read_pixels() override {
        Image picture;
        if (!ImGui::GetDrawData()) return picture;
        retry_after_loss([&] {
            if (!drawing_->target->is_drawn()) {
                drawing_->ensure_renderer();
                drawing_->target->draw(drawing_->device, *drawing_->renderer, *ImGui::GetDrawData());
            }
            picture = drawing_->target->read(drawing_->device);
        });
        return picture;
    }

    bool is_close_requested() const override { return false; }
    float content_scale() const override { return 1; }
    void wake() override {
        const std::lock_guard lock(mutex_);
        is_woken_ = true;
        woken_condition_.notify_all();
    }
    void simulate_loss(Loss what) override {
        if (what == Loss::surface)
            throw std::runtime_error("An image in memory has no surface to lose. Use \"device\".");
        VulkanCanvas::simulate_loss(what);
    }

 private:
    std::unique_ptr<Drawing> make_drawing() override {
        auto drawing = std::make_unique<Drawing>();
        drawing->target.emplace(drawing->device, drawing->format.format, pixels_);
        return drawing;
    }

    std::optional<Clock::time_point> last_frame_;
    std::mutex mutex_;
    std::condition_variable woken_condition_;
    bool is_woken_ = false;
};

}  // namespace

std::unique_ptr<Canvas> make_offscreen(std::uint32_t width, std::uint32_t height) {
    std::unique_ptr<Canvas> canvas;
    translate_vulkan_errors([&] { canvas = std::make_unique<OffscreenCanvas>(width, height); });
    return canvas;
}

}  // namespace gridstride::ui
