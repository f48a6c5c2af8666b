// Frames into an image in memory: screenshots, tests, scripts without a display.
#include <condition_variable>
#include <mutex>

#include "ui/imgui_compat.h"
#include "ui/vulkan_renderer_impl.h"

namespace gridstride::ui {
namespace {

using Clock = std::chrono::steady_clock;
constexpr vk::Format kFormat = vk::Format::eR8G8B8A8Unorm;

class OffscreenCanvas final : public Canvas {
 public:
    OffscreenCanvas(std::uint32_t width, std::uint32_t height)
        : drawing_({}, nullptr),
          pass_(make_render_pass(drawing_.device, kFormat, vk::ImageLayout::eTransferSrcOptimal)),
          target_(drawing_, pass_, kFormat, {std::max(1U, width), std::max(1U, height)}) {
        map_keys_without_window();
        ImGui::GetIO().BackendPlatformName = "gridstride offscreen";
    }

    void begin_frame(bool wait, double timeout_seconds) override {
        if (wait) {
            std::unique_lock lock(mutex_);
            woken_condition_.wait_for(lock, std::chrono::duration<double>(std::min(timeout_seconds, 3600.0)),
                                      [this] { return woken_; });
        }
        {
            const std::lock_guard lock(mutex_);
            woken_ = false;
        }
        // The atlas exists once the theme was made, which is after the canvas was.
        if (!renderer_)
            translating_vulkan_errors(
                [this] { renderer_ = std::make_unique<ImGuiRenderer>(drawing_, pass_); });
        ImGuiRenderer::new_frame();
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = size();
        io.DisplayFramebufferScale = ImVec2(1, 1);
        const Clock::time_point now = Clock::now();
        const double elapsed_s =
            last_frame_ ? std::chrono::duration<double>(now - *last_frame_).count() : 1.0 / 60;
        io.DeltaTime = static_cast<float>(std::max(1e-4, elapsed_s));
        last_frame_ = now;
        if (before_new_frame) before_new_frame();
        ImGui::NewFrame();
    }

    FrameTimes end_frame() override {
        FrameTimes times;
        ImGui::Render();
        translating_vulkan_errors([&] {
            const Clock::time_point start = Clock::now();
            drawing_.run([&](const vk::raii::CommandBuffer& commands) {
                ImGuiRenderer::record(commands, pass_, target_.framebuffer(), target_.extent());
                times.record_ms = milliseconds_since(start);
            });
            times.present_ms = milliseconds_since(start) - times.record_ms;
            drawn_ = true;
        });
        return times;
    }

    bool close_requested() const override { return false; }
    ImVec2 size() const override {
        return {static_cast<float>(target_.extent().width), static_cast<float>(target_.extent().height)};
    }
    float content_scale() const override { return 1; }
    Image read_pixels() override {
        Image picture;
        if (!drawn_) return picture;
        translating_vulkan_errors([&] { picture = target_.read(drawing_); });
        return picture;
    }
    void rebuild_fonts() override { renderer_.reset(); }
    void wake() override {
        {
            const std::lock_guard lock(mutex_);
            woken_ = true;
        }
        woken_condition_.notify_all();
    }
    bool is_window() const override { return false; }
    std::string device_name() const override { return drawing_.name; }

 private:
    DrawingDevice drawing_;
    vk::raii::RenderPass pass_;
    ImageTarget target_;
    std::unique_ptr<ImGuiRenderer> renderer_;
    std::optional<Clock::time_point> last_frame_;
    std::mutex mutex_;
    std::condition_variable woken_condition_;
    bool woken_ = false;
    bool drawn_ = false;
};

}  // namespace

std::unique_ptr<Canvas> make_offscreen(std::uint32_t width, std::uint32_t height) {
    std::unique_ptr<Canvas> canvas;
    translating_vulkan_errors([&] { canvas = std::make_unique<OffscreenCanvas>(width, height); });
    return canvas;
}

}  // namespace gridstride::ui
