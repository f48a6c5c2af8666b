// The images that a window shows, and the frames that are being drawn into them.
#pragma once

#include <array>
#include <functional>

#include "ui/window/vulkan_renderer_impl.h"

namespace gridstride::ui {

/// Not resized: made again. The device must be idle when it dies.
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
    Shown show(DrawingDevice& drawing, const vk::raii::RenderPass& pass);

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

/// An 8-bit format without sRGB conversion: ImGui's colours are sRGB already.
vk::SurfaceFormatKHR choose_surface_format(const DrawingDevice& drawing);

}  // namespace gridstride::ui
