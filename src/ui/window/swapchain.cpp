#include <algorithm>

#include "base/elapsed.h"
#include "ui/window/vulkan_renderer_impl.h"

namespace gridstride::ui {
namespace {

constexpr std::size_t frames_in_flight = 2;
/// Some displays hold images back while a window is hidden; acquiring must not block forever.
constexpr std::uint64_t acquire_timeout_ns = 500'000'000;

}  // namespace

Swapchain::Swapchain(DrawingDevice& drawing, const vk::raii::RenderPass& pass, vk::SurfaceFormatKHR format,
                     vk::Extent2D requested_extent, const Swapchain* old) {
    const auto limits = drawing.physical.getSurfaceCapabilitiesKHR(**drawing.surface);
    extent_ = limits.currentExtent;
    if (extent_.width == UINT32_MAX) {
        extent_.width =
            std::clamp(requested_extent.width, limits.minImageExtent.width, limits.maxImageExtent.width);
        extent_.height =
            std::clamp(requested_extent.height, limits.minImageExtent.height, limits.maxImageExtent.height);
    }
    std::uint32_t images = std::max(limits.minImageCount + 1, 3U);
    if (limits.maxImageCount > 0) images = std::min(images, limits.maxImageCount);
    const auto opaque = vk::CompositeAlphaFlagBitsKHR::eOpaque;
    const auto alpha =
        (limits.supportedCompositeAlpha & opaque) ? opaque : vk::CompositeAlphaFlagBitsKHR::eInherit;
    // FIFO is always supported, does not tear, and limits animations to the display's rate.
    const vk::SwapchainCreateInfoKHR create(
        {}, **drawing.surface, images, format.format, format.colorSpace, extent_, 1,
        vk::ImageUsageFlagBits::eColorAttachment, vk::SharingMode::eExclusive, {}, limits.currentTransform,
        alpha, vk::PresentModeKHR::eFifo, VK_TRUE, old ? *old->swapchain_ : vk::SwapchainKHR());
    swapchain_ = vk::raii::SwapchainKHR(drawing.device, create);

    for (const VkImage image : swapchain_.getImages()) {
        vk::raii::ImageView view(drawing.device,
                                 vk::ImageViewCreateInfo({}, image, vk::ImageViewType::e2D, format.format, {},
                                                         {vk::ImageAspectFlagBits::eColor, 0, 1, 0, 1}));
        vk::raii::Framebuffer framebuffer(
            drawing.device, vk::FramebufferCreateInfo({}, *pass, *view, extent_.width, extent_.height, 1));
        targets_.push_back({std::move(view), std::move(framebuffer),
                            vk::raii::Semaphore(drawing.device, vk::SemaphoreCreateInfo())});
    }
    for (std::size_t i = 0; i < frames_in_flight; ++i) {
        frames_.push_back(
            {drawing.make_command_buffer(), vk::raii::Semaphore(drawing.device, vk::SemaphoreCreateInfo()),
             vk::raii::Fence(drawing.device, vk::FenceCreateInfo(vk::FenceCreateFlagBits::eSignaled))});
    }
}

Swapchain::PresentResult Swapchain::present(DrawingDevice& drawing, const vk::raii::RenderPass& pass,
                                            const ImGuiRenderer& renderer) {
    PresentResult outcome;
    Frame& frame = frames_[next_frame_];
    const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    if (drawing.device.waitForFences(*frame.done, VK_TRUE, UINT64_MAX) != vk::Result::eSuccess)
        return outcome;

    std::uint32_t image = 0;
    try {
        const auto [result, index] = swapchain_.acquireNextImage(acquire_timeout_ns, *frame.image_acquired);
        if (result == vk::Result::eTimeout || result == vk::Result::eNotReady) return outcome;
        outcome.fits = result != vk::Result::eSuboptimalKHR;
        image = index;
    } catch (const vk::OutOfDateKHRError&) {
        outcome.fits = false;
        return outcome;
    }

    const Stopwatch recording;
    Target& target = targets_[image];
    frame.commands.reset();
    frame.commands.begin({vk::CommandBufferUsageFlagBits::eOneTimeSubmit});
    renderer.record(frame.commands, pass, target.framebuffer, extent_, *ImGui::GetDrawData());
    frame.commands.end();
    outcome.times.record = recording.spent();

    drawing.device.resetFences(*frame.done);
    const vk::PipelineStageFlags stage = vk::PipelineStageFlagBits::eColorAttachmentOutput;
    drawing.submit(vk::SubmitInfo(*frame.image_acquired, stage, *frame.commands, *target.drawn), *frame.done);
    next_frame_ = (next_frame_ + 1) % frames_.size();
    if (drawing.simulated_loss == Loss::surface)
        throw vk::SurfaceLostKHRError("vkQueuePresentKHR, because a script asked for it");
    try {
        const vk::Result result =
            drawing.queue.presentKHR(vk::PresentInfoKHR(*target.drawn, *swapchain_, image));
        outcome.fits = outcome.fits && result != vk::Result::eSuboptimalKHR;
        outcome.is_presented = true;
    } catch (const vk::OutOfDateKHRError&) {
        outcome.fits = false;
    }
    outcome.times.present_ms = milliseconds_since(start) - outcome.times.record.wall_ms;
    return outcome;
}

}  // namespace gridstride::ui
