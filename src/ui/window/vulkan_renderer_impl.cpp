#include "ui/window/vulkan_renderer_impl.h"

#include <backends/imgui_impl_vulkan.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "gpu/instance.h"

namespace gridstride::ui {
namespace {

bool has_swapchain(const vk::raii::PhysicalDevice& device) {
    const auto extensions = device.enumerateDeviceExtensionProperties();
    return std::any_of(extensions.begin(), extensions.end(), [](const vk::ExtensionProperties& extension) {
        return std::string_view(extension.extensionName) == VK_KHR_SWAPCHAIN_EXTENSION_NAME;
    });
}

std::optional<std::uint32_t> drawing_family(const vk::raii::PhysicalDevice& device,
                                            const vk::raii::SurfaceKHR* surface) {
    const auto families = device.getQueueFamilyProperties();
    for (std::uint32_t i = 0; i < families.size(); ++i) {
        if (!(families[i].queueFlags & vk::QueueFlagBits::eGraphics)) continue;
        if (!surface || device.getSurfaceSupportKHR(i, **surface)) return i;
    }
    return std::nullopt;
}

std::uint32_t memory_type(const vk::raii::PhysicalDevice& device, std::uint32_t allowed,
                          vk::MemoryPropertyFlags wanted, vk::MemoryPropertyFlags preferred = {}) {
    const auto properties = device.getMemoryProperties();
    for (const vk::MemoryPropertyFlags flags : {wanted | preferred, wanted}) {
        for (std::uint32_t i = 0; i < properties.memoryTypeCount; ++i) {
            if ((allowed & (1U << i)) && (properties.memoryTypes[i].propertyFlags & flags) == flags) return i;
        }
    }
    throw std::runtime_error("The graphics device has no memory to read a picture from.");
}

void check_imgui(VkResult result) {
    if (result == VK_ERROR_DEVICE_LOST) throw vk::DeviceLostError("ImGui's Vulkan backend");
    if (result < 0)
        throw std::runtime_error(
            fmt::format("Drawing the window failed: {}.", vk::to_string(static_cast<vk::Result>(result))));
}

constexpr auto pause_after_failed_rebuild = std::chrono::milliseconds(500);

/// The draw data of a frame that is drawn again names the font texture that was lost.
void name_font_texture_anew() {
    ImDrawData* const data = ImGui::GetDrawData();
    if (!data) return;
    for (int i = 0; i < data->CmdListsCount; ++i)
        for (ImDrawCmd& command : data->CmdLists[i]->CmdBuffer)
            command.TextureId = ImGui::GetIO().Fonts->TexID;
}

}  // namespace

void translating_vulkan_errors(const std::function<void()>& body) {
    try {
        body();
    } catch (const vk::DeviceLostError& error) {
        throw std::runtime_error(fmt::format(
            "The graphics device that draws was lost ({}). Start Gridstride again; if it happens again, "
            "update the graphics driver.",
            error.what()));
    } catch (const vk::SystemError& error) {
        throw std::runtime_error(fmt::format("Drawing failed: {}.", error.what()));
    }
}

void surviving_losses(CanvasLosses& losses, const std::function<void()>& rebuild,
                      const std::function<void()>& body) {
    bool whole = true;
    for (;;) {
        std::string reason;
        try {
            if (!whole) {
                rebuild();
                spdlog::info("the graphics device that draws was opened again");
            }
            whole = true;
            body();
            return;
        } catch (const vk::DeviceLostError& error) {
            reason = error.what();
        } catch (const vk::SurfaceLostKHRError& error) {
            reason = error.what();
        } catch (const vk::SystemError& error) {
            // A driver that is being reset opens no device for a moment, and says so in several ways.
            if (whole) throw std::runtime_error(fmt::format("Drawing failed: {}.", error.what()));
            reason = error.what();
        } catch (const NoDevice& error) {
            if (whole) throw;
            reason = error.what();
        }
        losses.add(reason);
        spdlog::warn("the graphics device that draws was lost ({})", reason);
        if (!whole) std::this_thread::sleep_for(pause_after_failed_rebuild);
        whole = false;
    }
}

DrawingDevice::DrawingDevice(const std::vector<const char*>& instance_extensions,
                             const MakeSurface& make_surface) {
    const gpu::ValidationSetup validation;
    std::vector<const char*> extensions = instance_extensions;
    extensions.insert(extensions.end(), validation.extensions().begin(), validation.extensions().end());
    const vk::ApplicationInfo application("gridstride", 1, nullptr, 0, VK_API_VERSION_1_1);
    const vk::InstanceCreateInfo create({}, &application, validation.layers(), extensions,
                                        validation.chain());
    try {
        instance = vk::raii::Instance(context, create);
    } catch (const vk::SystemError& error) {
        throw NoDevice(
            fmt::format("No Vulkan driver to draw with ({}). Install mesa-vulkan-drivers or the driver of "
                        "the GPU's vendor.",
                        error.what()));
    }
    if (validation.enabled())
        messenger.emplace(instance, vk::DebugUtilsMessengerCreateInfoEXT(validation.messenger()));
    if (make_surface) surface.emplace(instance, make_surface(*instance));

    constexpr int none = std::numeric_limits<int>::max();
    int best = none;
    for (vk::raii::PhysicalDevice& candidate : vk::raii::PhysicalDevices(instance)) {
        const auto found = drawing_family(candidate, surface ? &*surface : nullptr);
        if (!found || (surface && !has_swapchain(candidate))) continue;
        const auto properties = candidate.getProperties();
        const int rank = gpu::rank_of(static_cast<VkPhysicalDeviceType>(properties.deviceType));
        if (rank >= best) continue;
        best = rank;
        family = *found;
        name = std::string(properties.deviceName.data());
        physical = std::move(candidate);
    }
    if (best == none) {
        throw NoDevice(
            surface ? "No Vulkan device can draw on this display. Install mesa-vulkan-drivers: its software "
                      "driver can."
                    : "No Vulkan device can draw. Install mesa-vulkan-drivers: its software driver can.");
    }

    const float priority = 1;
    const vk::DeviceQueueCreateInfo queue_create({}, family, 1, &priority);
    std::vector<const char*> device_extensions;
    if (surface) device_extensions.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
    device = vk::raii::Device(physical, vk::DeviceCreateInfo({}, queue_create, {}, device_extensions));
    queue = vk::raii::Queue(device, family, 0);
    command_pool = vk::raii::CommandPool(device, {vk::CommandPoolCreateFlagBits::eResetCommandBuffer |
                                                      vk::CommandPoolCreateFlagBits::eTransient,
                                                  family});
}

vk::raii::CommandBuffer DrawingDevice::make_command_buffer() {
    vk::raii::CommandBuffers made(device, {*command_pool, vk::CommandBufferLevel::ePrimary, 1});
    return std::move(made.front());
}

void DrawingDevice::submit(const vk::SubmitInfo& work, vk::Fence done) {
    if (pretended == Loss::device) throw vk::DeviceLostError("vkQueueSubmit, because a script asked for it");
    queue.submit(work, done);
}

void DrawingDevice::run(const std::function<void(const vk::raii::CommandBuffer&)>& record) {
    const vk::raii::CommandBuffer commands = make_command_buffer();
    commands.begin({vk::CommandBufferUsageFlagBits::eOneTimeSubmit});
    record(commands);
    commands.end();
    const vk::raii::Fence done(device, vk::FenceCreateInfo());
    submit(vk::SubmitInfo({}, {}, *commands), *done);
    if (device.waitForFences(*done, VK_TRUE, UINT64_MAX) != vk::Result::eSuccess)
        throw std::runtime_error("The graphics device did not finish drawing.");
}

vk::raii::RenderPass make_render_pass(const vk::raii::Device& device, vk::Format format,
                                      vk::ImageLayout final_layout) {
    const vk::AttachmentDescription color({}, format, vk::SampleCountFlagBits::e1,
                                          vk::AttachmentLoadOp::eClear, vk::AttachmentStoreOp::eStore,
                                          vk::AttachmentLoadOp::eDontCare, vk::AttachmentStoreOp::eDontCare,
                                          vk::ImageLayout::eUndefined, final_layout);
    const vk::AttachmentReference reference(0, vk::ImageLayout::eColorAttachmentOptimal);
    const vk::SubpassDescription subpass({}, vk::PipelineBindPoint::eGraphics, {}, reference);
    // Before: the acquired image, or the copy out of the last picture. After: that copy.
    const std::array<vk::SubpassDependency, 2> order{
        vk::SubpassDependency(
            VK_SUBPASS_EXTERNAL, 0,
            vk::PipelineStageFlagBits::eColorAttachmentOutput | vk::PipelineStageFlagBits::eTransfer,
            vk::PipelineStageFlagBits::eColorAttachmentOutput,
            vk::AccessFlagBits::eColorAttachmentWrite | vk::AccessFlagBits::eTransferRead,
            vk::AccessFlagBits::eColorAttachmentWrite),
        vk::SubpassDependency(0, VK_SUBPASS_EXTERNAL, vk::PipelineStageFlagBits::eColorAttachmentOutput,
                              vk::PipelineStageFlagBits::eTransfer, vk::AccessFlagBits::eColorAttachmentWrite,
                              vk::AccessFlagBits::eTransferRead)};
    return {device, vk::RenderPassCreateInfo({}, color, subpass, order)};
}

ImGuiRenderer::ImGuiRenderer(DrawingDevice& drawing, const vk::raii::RenderPass& pass)
    : drawing_(drawing), pool_(nullptr) {
    const vk::DescriptorPoolSize size(vk::DescriptorType::eCombinedImageSampler, 8);
    pool_ = vk::raii::DescriptorPool(
        drawing.device,
        vk::DescriptorPoolCreateInfo(vk::DescriptorPoolCreateFlagBits::eFreeDescriptorSet, 8, size));
    ImGui_ImplVulkan_InitInfo info{};
    info.Instance = *drawing.instance;
    info.PhysicalDevice = *drawing.physical;
    info.Device = *drawing.device;
    info.QueueFamily = drawing.family;
    info.Queue = *drawing.queue;
    info.DescriptorPool = *pool_;
    // The backend takes its vertex buffers in turn; more than there are frames in flight.
    info.MinImageCount = 2;
    info.ImageCount = 4;
    info.MSAASamples = VK_SAMPLE_COUNT_1_BIT;
    info.CheckVkResultFn = check_imgui;
    ImGui_ImplVulkan_Init(&info, *pass);
    try {
#if IMGUI_VERSION_NUM < 19010
        drawing.run(
            [](const vk::raii::CommandBuffer& commands) { ImGui_ImplVulkan_CreateFontsTexture(*commands); });
        ImGui_ImplVulkan_DestroyFontUploadObjects();
#else
        ImGui_ImplVulkan_CreateFontsTexture();
#endif
    } catch (...) {
        // The backend is a part of ImGui's context: left there, the next one could not begin.
        shut_down();
        throw;
    }
    name_font_texture_anew();
}

ImGuiRenderer::~ImGuiRenderer() {
    shut_down();
}

void ImGuiRenderer::shut_down() {
    try {
        drawing_.device.waitIdle();
    } catch (const vk::SystemError&) {
        // Lost: there is nothing to wait for.
    }
    ImGui_ImplVulkan_Shutdown();
}

void ImGuiRenderer::new_frame() {
    ImGui_ImplVulkan_NewFrame();
}

void ImGuiRenderer::record(const vk::raii::CommandBuffer& commands, const vk::raii::RenderPass& pass,
                           const vk::raii::Framebuffer& framebuffer, vk::Extent2D extent) {
    const ImVec4& ground = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
    const vk::ClearValue clear(vk::ClearColorValue(std::array<float, 4>{ground.x, ground.y, ground.z, 1.0F}));
    commands.beginRenderPass({*pass, *framebuffer, vk::Rect2D({0, 0}, extent), clear},
                             vk::SubpassContents::eInline);
    ImGui_ImplVulkan_RenderDrawData(ImGui::GetDrawData(), *commands);
    commands.endRenderPass();
}

ImageTarget::ImageTarget(DrawingDevice& drawing, const vk::raii::RenderPass& pass, vk::Format format,
                         vk::Extent2D extent)
    : format_(format), extent_(extent) {
    image_ = vk::raii::Image(
        drawing.device,
        vk::ImageCreateInfo({}, vk::ImageType::e2D, format, {extent.width, extent.height, 1}, 1, 1,
                            vk::SampleCountFlagBits::e1, vk::ImageTiling::eOptimal,
                            vk::ImageUsageFlagBits::eColorAttachment | vk::ImageUsageFlagBits::eTransferSrc));
    const auto image_needs = image_.getMemoryRequirements();
    memory_ = vk::raii::DeviceMemory(
        drawing.device, {image_needs.size, memory_type(drawing.physical, image_needs.memoryTypeBits, {},
                                                       vk::MemoryPropertyFlagBits::eDeviceLocal)});
    image_.bindMemory(*memory_, 0);
    view_ = vk::raii::ImageView(drawing.device,
                                vk::ImageViewCreateInfo({}, *image_, vk::ImageViewType::e2D, format, {},
                                                        {vk::ImageAspectFlagBits::eColor, 0, 1, 0, 1}));
    framebuffer_ = vk::raii::Framebuffer(
        drawing.device, vk::FramebufferCreateInfo({}, *pass, *view_, extent.width, extent.height, 1));

    const vk::DeviceSize bytes = vk::DeviceSize{4} * extent.width * extent.height;
    read_buffer_ = vk::raii::Buffer(drawing.device, {{}, bytes, vk::BufferUsageFlagBits::eTransferDst});
    const auto buffer_needs = read_buffer_.getMemoryRequirements();
    read_memory_ = vk::raii::DeviceMemory(
        drawing.device, {buffer_needs.size, memory_type(drawing.physical, buffer_needs.memoryTypeBits,
                                                        vk::MemoryPropertyFlagBits::eHostVisible |
                                                            vk::MemoryPropertyFlagBits::eHostCoherent,
                                                        vk::MemoryPropertyFlagBits::eHostCached)});
    read_buffer_.bindMemory(*read_memory_, 0);
}

Image ImageTarget::read(DrawingDevice& drawing) {
    drawing.run([&](const vk::raii::CommandBuffer& commands) {
        const vk::BufferImageCopy whole(0, 0, 0, {vk::ImageAspectFlagBits::eColor, 0, 0, 1}, {0, 0, 0},
                                        {extent_.width, extent_.height, 1});
        commands.copyImageToBuffer(*image_, vk::ImageLayout::eTransferSrcOptimal, *read_buffer_, whole);
        const vk::MemoryBarrier to_host(vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eHostRead);
        commands.pipelineBarrier(vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eHost, {},
                                 to_host, {}, {});
    });
    Image picture{extent_.width, extent_.height, {}};
    const std::size_t bytes = std::size_t{4} * extent_.width * extent_.height;
    const auto* pixels = static_cast<const std::uint8_t*>(read_memory_.mapMemory(0, bytes));
    picture.rgba.assign(pixels, pixels + bytes);
    read_memory_.unmapMemory();
    const bool blue_first = format_ == vk::Format::eB8G8R8A8Unorm;
    for (std::size_t i = 0; i < bytes; i += 4) {
        if (blue_first) std::swap(picture.rgba[i], picture.rgba[i + 2]);
        picture.rgba[i + 3] = 255;  // the window is opaque, whatever blending left in alpha
    }
    return picture;
}

}  // namespace gridstride::ui
