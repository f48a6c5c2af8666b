// The Vulkan that the two canvases share: a device that can draw, ImGui's Vulkan backend, an image to draw
// into and read back, and the images that a window shows. For this room's .cpp files only (vulkan_raii.hpp is
// slow to compile).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <vulkan/vulkan_raii.hpp>

#include "ui/window/canvas.h"

namespace gridstride::ui {

/// Runs the body; Vulkan's errors become a std::runtime_error that a person understands.
void translating_vulkan_errors(const std::function<void()>& body);

/// Instance, device and queue. Members in creation order: they die in reverse.
struct DrawingDevice {
    /// With a surface maker the device must be able to present to that surface. Throws NoDevice.
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
    std::optional<Loss> pretended;  ///< see Canvas::pretend_lost(); a device made anew has lost nothing

    vk::raii::CommandBuffer make_command_buffer();
    void submit(const vk::SubmitInfo& work, vk::Fence done);
    /// Records, submits and waits.
    void run(const std::function<void(const vk::raii::CommandBuffer&)>& record);
};

/// One pass that clears to the theme's ground and draws ImGui's data, ending in final_layout.
vk::raii::RenderPass make_render_pass(const vk::raii::Device& device, vk::Format format,
                                      vk::ImageLayout final_layout);

/// ImGui's Vulkan backend for one render pass, with the font atlas uploaded. Made again when either
/// changes: 1.86's backend leaks the texture when it is asked to upload a second one. The backend hangs on
/// ImGui's current context, so each context that is drawn has its own.
class ImGuiRenderer {
 public:
    ImGuiRenderer(DrawingDevice& drawing, const vk::raii::RenderPass& pass);
    ~ImGuiRenderer();
    ImGuiRenderer(const ImGuiRenderer&) = delete;
    ImGuiRenderer& operator=(const ImGuiRenderer&) = delete;

    static void new_frame();
    /// The whole pass over one framebuffer.
    void record(const vk::raii::CommandBuffer& commands, const vk::raii::RenderPass& pass,
                const vk::raii::Framebuffer& framebuffer, vk::Extent2D extent, ImDrawData& data) const;

 private:
    void shut_down();

    DrawingDevice& drawing_;
    ImGuiContext& context_;
    vk::raii::DescriptorPool pool_;
    ImTextureID font_texture_{};
};

/// An image in memory to draw into, and a buffer to read it from.
class ImageTarget {
 public:
    ImageTarget(DrawingDevice& drawing, vk::Format format, vk::Extent2D extent);

    /// Draws ImGui's draw data. Returns the milliseconds that recording took.
    Spent draw(DrawingDevice& drawing, const ImGuiRenderer& renderer, ImDrawData& data);
    bool drawn() const { return drawn_; }  ///< there is something to read
    Image read(DrawingDevice& drawing);

 private:
    vk::Format format_;
    vk::Extent2D extent_;
    vk::raii::RenderPass pass_;
    // Memory before what is bound to it: what is bound dies first.
    vk::raii::DeviceMemory memory_{nullptr};
    vk::raii::Image image_{nullptr};
    vk::raii::ImageView view_{nullptr};
    vk::raii::Framebuffer framebuffer_{nullptr};
    vk::raii::DeviceMemory read_memory_{nullptr};
    vk::raii::Buffer read_buffer_{nullptr};
    bool drawn_ = false;
};

/// The images that a window shows, and the frames that are being drawn into them. Not resized: made again.
/// The device must be idle when it dies.
class Swapchain {
 public:
    /// `old` may be null; it is retired by this. Throws vk::SystemError.
    Swapchain(DrawingDevice& drawing, const vk::raii::RenderPass& pass, vk::SurfaceFormatKHR format,
              vk::Extent2D wanted, const Swapchain* old);

    vk::Extent2D extent() const { return extent_; }

    struct Shown {
        FrameTimes times;
        bool presented = false;  ///< false: the display took no image; draw again soon
        bool fits = true;        ///< false: the window has another size by now; make the swapchain again
    };
    Shown show(DrawingDevice& drawing, const vk::raii::RenderPass& pass, const ImGuiRenderer& renderer);

 private:
    struct Target {
        vk::raii::ImageView view;
        vk::raii::Framebuffer framebuffer;
        vk::raii::Semaphore
            drawn;  ///< one an image: presenting has no fence that says when it may be signalled again
    };
    struct Frame {
        vk::raii::CommandBuffer commands;
        vk::raii::Semaphore acquired;
        vk::raii::Fence done;
    };
    vk::Extent2D extent_;
    vk::raii::SwapchainKHR swapchain_{nullptr};
    std::vector<Target> targets_;
    std::vector<Frame> frames_;
    std::size_t next_frame_ = 0;
};

/// What a lost device or surface takes with it. Members in creation order: they die in reverse.
struct Drawing {
    /// In memory, or on a surface: see DrawingDevice.
    explicit Drawing(const std::vector<const char*>& extensions = {},
                     const DrawingDevice::MakeSurface& make_surface = nullptr);

    DrawingDevice device;
    vk::SurfaceFormatKHR format;
    vk::raii::RenderPass pass;
    std::optional<ImageTarget> target;  ///< of frames in memory
    std::unique_ptr<Swapchain> swapchain;
    vk::Extent2D made_for;  ///< the window's size when the swapchain was made; the surface may say another
    /// Null before the first frame and after a change of fonts. As it dies it waits for what is being drawn.
    std::unique_ptr<ImGuiRenderer> renderer;
    std::unique_ptr<ImGuiRenderer> apart;  ///< of an ApartDrawing

    void ensure_renderer();
    void make_swapchain(vk::Extent2D wanted);
};

/// What both canvases are: a drawing that is made anew when it is lost.
class VulkanCanvas : public Canvas {
    class Apart;

 public:
    glm::vec2 size() const override { return {pixels_.width, pixels_.height}; }
    /// ImGui's draw data once more, into memory: what a display does with its images differs, ImGui's draw
    /// data does not.
    Image read_pixels() override;
    std::unique_ptr<ApartDrawing> draw_apart(ImGuiContext& context) override;
    void rebuild_fonts() override { drawing_->renderer.reset(); }
    std::size_t losses() const override { return losses_.count(); }
    void pretend_lost(Loss what) override { drawing_->device.pretended = what; }

 protected:
    virtual std::unique_ptr<Drawing> make_drawing() = 0;
    /// Runs the body; when that loses the device or the surface, makes the drawing anew and runs the body
    /// again. Throws NoDevice when it happens too often, std::runtime_error for Vulkan's other errors.
    void surviving(const std::function<void()>& body);

    std::unique_ptr<Drawing> drawing_;
    vk::Extent2D pixels_;

 private:
    CanvasLosses losses_;
};

}  // namespace gridstride::ui
