// Frames into an image in memory: screenshots, tests, scripts without a display.
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "base/elapsed.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/window/vulkan_renderer_impl.h"

namespace gridstride::ui {
namespace {

using Clock = std::chrono::steady_clock;
constexpr vk::Format kFormat = vk::Format::eR8G8B8A8Unorm;

/// What a lost device takes with it. Members in creation order: they die in reverse.
struct OffscreenDrawing {
    explicit OffscreenDrawing(vk::Extent2D extent)
        : device({}, nullptr),
          pass(make_render_pass(device.device, kFormat, vk::ImageLayout::eTransferSrcOptimal)),
          target(device, pass, kFormat, extent) {}

    DrawingDevice device;
    vk::raii::RenderPass pass;
    ImageTarget target;
    std::unique_ptr<ImGuiRenderer> renderer;  ///< null before the first frame and after a change of fonts
    bool drawn = false;                       ///< the target holds a frame

    void ensure_renderer() {
        if (!renderer) renderer = std::make_unique<ImGuiRenderer>(device, pass);
    }
    /// Draws ImGui's draw data. Returns the milliseconds that recording took.
    double draw() {
        ensure_renderer();
        const Clock::time_point start = Clock::now();
        double record_ms = 0;
        device.run([&](const vk::raii::CommandBuffer& commands) {
            ImGuiRenderer::record(commands, pass, target.framebuffer(), target.extent());
            record_ms = milliseconds_since(start);
        });
        drawn = true;
        return record_ms;
    }
};

class OffscreenCanvas final : public Canvas {
 public:
    OffscreenCanvas(std::uint32_t width, std::uint32_t height)
        : extent_(std::max(1U, width), std::max(1U, height)),
          drawing_(std::make_unique<OffscreenDrawing>(extent_)) {
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
        surviving([this] { drawing_->ensure_renderer(); });
        ImGuiRenderer::new_frame();
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = size();
        io.DisplayFramebufferScale = glm::vec2(1, 1);
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
        surviving([&] {
            const Clock::time_point start = Clock::now();
            times.record_ms = drawing_->draw();
            times.present_ms = milliseconds_since(start) - times.record_ms;
        });
        drawn_ = true;
        return times;
    }

    bool close_requested() const override { return false; }
    glm::vec2 size() const override {
        return {static_cast<float>(extent_.width), static_cast<float>(extent_.height)};
    }
    float content_scale() const override { return 1; }
    Image read_pixels() override {
        Image picture;
        if (!drawn_) return picture;
        surviving([&] {
            if (!drawing_->drawn) drawing_->draw();
            picture = drawing_->target.read(drawing_->device);
        });
        return picture;
    }
    void rebuild_fonts() override { drawing_->renderer.reset(); }
    void wake() override {
        {
            const std::lock_guard lock(mutex_);
            woken_ = true;
        }
        woken_condition_.notify_all();
    }
    bool is_window() const override { return false; }
    std::string device_name() const override { return drawing_->device.name; }

    std::size_t losses() const override { return losses_.count(); }
    void pretend_lost(Loss what) override {
        if (what == Loss::surface)
            throw std::runtime_error("A picture in memory has no surface to lose. Lose the device.");
        drawing_->device.pretended = what;
    }

 private:
    void surviving(const std::function<void()>& body) {
        const auto rebuild = [this] {
            drawing_.reset();  // first: ImGui has room for one backend
            drawing_ = std::make_unique<OffscreenDrawing>(extent_);
        };
        surviving_losses(losses_, rebuild, body);
    }

    vk::Extent2D extent_;
    std::unique_ptr<OffscreenDrawing> drawing_;
    CanvasLosses losses_;
    std::optional<Clock::time_point> last_frame_;
    std::mutex mutex_;
    std::condition_variable woken_condition_;
    bool woken_ = false;
    bool drawn_ = false;  ///< a frame was shown
};

}  // namespace

std::unique_ptr<Canvas> make_offscreen(std::uint32_t width, std::uint32_t height) {
    std::unique_ptr<Canvas> canvas;
    translating_vulkan_errors([&] { canvas = std::make_unique<OffscreenCanvas>(width, height); });
    return canvas;
}

}  // namespace gridstride::ui
