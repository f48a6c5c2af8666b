// The Vulkan that the two canvases share: a device that can draw, ImGui's Vulkan backend, and an image to
// draw into and read back. For canvas .cpp files only (vulkan_raii.hpp is slow to compile).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <vulkan/vulkan_raii.hpp>

#include "ui/window/canvas.h"
#include "ui/window/canvas_losses.h"

namespace gridstride::ui {

/// Runs the body; Vulkan's errors become a std::runtime_error that a person understands.
void translating_vulkan_errors(const std::function<void()>& body);

/// Runs the body; when that loses the device or the surface, runs rebuild() and the body again. Throws
/// NoDevice when it happens too often, std::runtime_error for Vulkan's other errors.
void surviving_losses(CanvasLosses& losses, const std::function<void()>& rebuild,
                      const std::function<void()>& body);

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
    std::string name;
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
/// changes: 1.86's backend leaks the texture when it is asked to upload a second one.
class ImGuiRenderer {
 public:
    ImGuiRenderer(DrawingDevice& drawing, const vk::raii::RenderPass& pass);
    ~ImGuiRenderer();
    ImGuiRenderer(const ImGuiRenderer&) = delete;
    ImGuiRenderer& operator=(const ImGuiRenderer&) = delete;

    static void new_frame();
    /// The whole pass over one framebuffer.
    static void record(const vk::raii::CommandBuffer& commands, const vk::raii::RenderPass& pass,
                       const vk::raii::Framebuffer& framebuffer, vk::Extent2D extent);

 private:
    void shut_down();

    DrawingDevice& drawing_;
    vk::raii::DescriptorPool pool_;
};

/// An image in memory to draw into, and a buffer to read it from. A pass that draws into it ends in
/// eTransferSrcOptimal.
class ImageTarget {
 public:
    ImageTarget(DrawingDevice& drawing, const vk::raii::RenderPass& pass, vk::Format format,
                vk::Extent2D extent);

    vk::Extent2D extent() const { return extent_; }
    const vk::raii::Framebuffer& framebuffer() const { return framebuffer_; }
    Image read(DrawingDevice& drawing);

 private:
    vk::Format format_;
    vk::Extent2D extent_;
    // Memory before what is bound to it: what is bound dies first.
    vk::raii::DeviceMemory memory_{nullptr};
    vk::raii::Image image_{nullptr};
    vk::raii::ImageView view_{nullptr};
    vk::raii::Framebuffer framebuffer_{nullptr};
    vk::raii::DeviceMemory read_memory_{nullptr};
    vk::raii::Buffer read_buffer_{nullptr};
};

}  // namespace gridstride::ui
