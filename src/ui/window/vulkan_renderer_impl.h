// The Vulkan code that both canvases share: a device that can draw, ImGui's Vulkan backend, an image to draw
// into and read back, and the swapchain. For the .cpp files of this folder only (vulkan_raii.hpp is slow to
// compile).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <vulkan/vulkan_raii.hpp>

#include "ui/window/canvas.h"

namespace gridstride::ui {

/// Runs the body. Throws std::runtime_error with a message for users in place of Vulkan's errors.
void translate_vulkan_errors(const std::function<void()>& body);

/// Instance, device and queue. Members are in creation order, since they are destroyed in reverse.
struct DrawingDevice {
    /// If `make_surface` is given, the device must be able to present to that surface. Throws NoDevice.
    using MakeSurface = std::function<VkSurfaceKHR(VkInstance)>;
    DrawingDevice(const std::vector<const char*>& instance_extensions, const MakeSurface& make_surface);

    vk::raii::Context context;
    vk::raii::Instance instance{nullptr};
    std::optional<vk::raii::DebugUtilsMessengerEXT> messenger;
    std::optional<vk::raii::SurfaceKHR> surface;
    vk::raii::PhysicalDevice physical{nullptr};
    std::uint32_t family = 0;
    vk::raii::Device device{nullptr};
    vk::raii::Queue queue{nullptr};
    vk::raii::CommandPool command_pool{nullptr};
    std::optional<Loss> simulated_loss;  ///< see Canvas::simulate_loss(); reset by a new device

    vk::raii::CommandBuffer make_command_buffer();
    void submit(const vk::SubmitInfo& work, vk::Fence fence);
    /// Records commands, submits them and waits for their end.
    void run(const std::function<void(const vk::raii::CommandBuffer&)>& record);
};

/// Returns a render pass with one colour attachment that is cleared and ends in final_layout.
vk::raii::RenderPass make_render_pass(const vk::raii::Device& device, vk::Format format,
                                      vk::ImageLayout final_layout);

/// ImGui's Vulkan backend for one render pass, with the font atlas uploaded. Recreated when either changes,
/// since 1.86's backend leaks the texture when it uploads a second one. The backend belongs to ImGui's
/// current context, so each context that is drawn needs its own.
class ImGuiRenderer {
 public:
    ImGuiRenderer(DrawingDevice& drawing, const vk::raii::RenderPass& pass);
    ~ImGuiRenderer();
    ImGuiRenderer(const ImGuiRenderer&) = delete;
    ImGuiRenderer& operator=(const ImGuiRenderer&) = delete;

    static void new_frame();
    void record(const vk::raii::CommandBuffer& commands, const vk::raii::RenderPass& pass,
                const vk::raii::Framebuffer& framebuffer, vk::Extent2D extent, ImDrawData& data) const;

 private:
    void shut_down();

    DrawingDevice& drawing_;
    ImGuiContext& context_;
    vk::raii::DescriptorPool pool_;
    ImTextureID font_texture_{};
};

class ImageTarget {
 public:
    ImageTarget(DrawingDevice& drawing, vk::Format format, vk::Extent2D extent);

    /// Draws ImGui's draw data. Returns the time spent recording commands.
    ElapsedTime draw(DrawingDevice& drawing, const ImGuiRenderer& renderer, ImDrawData& data);
    bool is_drawn() const { return drawn_; }  ///< read() has something to read
    Image read(DrawingDevice& drawing);

 private:
    vk::Format format_;
    vk::Extent2D extent_;
    vk::raii::RenderPass pass_;
    // Memory comes before the objects bound to it, which must be destroyed first.
    vk::raii::DeviceMemory memory_{nullptr};
    vk::raii::Image image_{nullptr};
    vk::raii::ImageView view_{nullptr};
    vk::raii::Framebuffer framebuffer_{nullptr};
    vk::raii::DeviceMemory read_memory_{nullptr};
    vk::raii::Buffer read_buffer_{nullptr};
    bool drawn_ = false;
};

/// The images of a window and the frames in flight. Recreated when the size changes. The device must be idle
/// when it is destroyed.
class Swapchain {
 public:
    /// `old` may be null; otherwise it is retired. Throws vk::SystemError.
    Swapchain(DrawingDevice& drawing, const vk::raii::RenderPass& pass, vk::SurfaceFormatKHR format,
              vk::Extent2D requested_extent, const Swapchain* old);

    vk::Extent2D extent() const { return extent_; }

    struct PresentResult {
        FrameTimes times;
        bool is_presented = false;  ///< false: no image could be presented; draw again soon
        bool fits = true;           ///< false: the window's size has changed; recreate the swapchain
    };
    PresentResult present(DrawingDevice& drawing, const vk::raii::RenderPass& pass,
                          const ImGuiRenderer& renderer);

 private:
    struct Target {
        vk::raii::ImageView view;
        vk::raii::Framebuffer framebuffer;
        vk::raii::Semaphore
            drawn;  ///< one per image: no fence tells when presenting has finished waiting for it
    };
    struct Frame {
        vk::raii::CommandBuffer commands;
        vk::raii::Semaphore image_acquired;
        vk::raii::Fence done;
    };
    vk::Extent2D extent_;
    vk::raii::SwapchainKHR swapchain_{nullptr};
    std::vector<Target> targets_;
    std::vector<Frame> frames_;
    std::size_t next_frame_ = 0;
};

/// Everything that must be recreated after the device or surface was lost. Members are in creation order,
/// since they are destroyed in reverse.
struct Drawing {
    /// Draws in memory, or on a surface: see DrawingDevice.
    explicit Drawing(const std::vector<const char*>& extensions = {},
                     const DrawingDevice::MakeSurface& make_surface = nullptr);

    DrawingDevice device;
    vk::SurfaceFormatKHR format;
    vk::raii::RenderPass pass;
    std::optional<ImageTarget> target;  ///< offscreen only
    std::unique_ptr<Swapchain> swapchain;
    vk::Extent2D swapchain_size;  ///< the window's size when the swapchain was made; its extent may differ
    /// Null before the first frame and after a change of fonts. Its destructor waits for the device.
    std::unique_ptr<ImGuiRenderer> renderer;
    std::unique_ptr<ImGuiRenderer> context_renderer;  ///< for an ContextDrawing
    std::vector<std::byte> shown;  ///< the content of the frame that is shown; empty: draw the next one

    void ensure_renderer();
    void make_swapchain(vk::Extent2D size);
};

/// The base of both canvases. Recreates its Drawing when that is lost.
class VulkanCanvas : public Canvas {
    class ContextDrawingImpl;

 public:
    glm::vec2 size() const override { return {pixels_.width, pixels_.height}; }
    /// Renders ImGui's draw data into memory once more, since a swapchain's images may not be readable.
    Image read_pixels() override;
    std::unique_ptr<ContextDrawing> draw_context(ImGuiContext& context) override;
    void rebuild_fonts() override { drawing_->renderer.reset(); }
    std::size_t losses() const override { return losses_.count(); }
    void simulate_loss(Loss what) override { drawing_->device.simulated_loss = what; }

 protected:
    virtual std::unique_ptr<Drawing> make_drawing() = 0;
    /// Runs the body. If the device or the surface is lost, recreates the drawing and runs the body again.
    /// Throws NoDevice if that happens too often, std::runtime_error for Vulkan's other errors.
    void retry_after_loss(const std::function<void()>& body);
    /// Draws ImGui's frame, unless the one that is shown looks the same and `again` is false: a software
    /// driver needs 25 ms of processor time for a frame. `draw` returns whether the frame is shown. Returns
    /// whether it was drawn.
    bool draw_frame(bool again, const std::function<bool(Drawing&)>& draw);

    std::unique_ptr<Drawing> drawing_;
    vk::Extent2D pixels_;

 private:
    CanvasLosses losses_;
};

}  // namespace gridstride::ui
