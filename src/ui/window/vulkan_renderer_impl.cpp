#include "ui/window/vulkan_renderer_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <thread>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/log.h"
#include "gpu/instance.h"
#include "ui/window/imgui_vulkan_impl.h"

namespace gridstride::ui {
namespace {

bool has_swapchain(const vk::raii::PhysicalDevice& device) {
    return std::ranges::any_of(
        device.enumerateDeviceExtensionProperties(), [](const vk::ExtensionProperties& extension) {
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

vk::raii::DeviceMemory allocate(const DrawingDevice& drawing, const vk::MemoryRequirements& needs,
                                vk::MemoryPropertyFlags required_flags, vk::MemoryPropertyFlags preferred) {
    const auto properties = drawing.physical.getMemoryProperties();
    for (const vk::MemoryPropertyFlags flags : {required_flags | preferred, required_flags}) {
        for (std::uint32_t i = 0; i < properties.memoryTypeCount; ++i) {
            if ((needs.memoryTypeBits & (1U << i)) &&
                (properties.memoryTypes[i].propertyFlags & flags) == flags)
                return {drawing.device, {needs.size, i}};
        }
    }
    throw std::runtime_error(
        fmt::format("The graphics device has no memory type with the properties {} for an image. Update its "
                    "driver.",
                    vk::to_string(required_flags)));
}

/// An 8-bit format without sRGB conversion: ImGui's colours are sRGB already.
vk::SurfaceFormatKHR choose_surface_format(const DrawingDevice& drawing) {
    const auto formats = drawing.physical.getSurfaceFormatsKHR(**drawing.surface);
    for (const vk::Format preferred_format : {vk::Format::eB8G8R8A8Unorm, vk::Format::eR8G8B8A8Unorm}) {
        const vk::SurfaceFormatKHR format(preferred_format, vk::ColorSpaceKHR::eSrgbNonlinear);
        if (std::ranges::find(formats, format) != formats.end()) return format;
    }
    if (formats.empty())
        throw std::runtime_error("The display offers no format to draw in. Update the graphics driver.");
    return formats.front();
}

void check_imgui(VkResult result) {
    if (result == VK_ERROR_DEVICE_LOST) throw vk::DeviceLostError("ImGui's Vulkan backend");
    if (result < 0)
        throw std::runtime_error(
            fmt::format("Drawing the window failed: {}.", vk::to_string(static_cast<vk::Result>(result))));
}

/// Everything that decides what a frame looks like; its only texture is that of the fonts.
std::vector<std::byte> copy_content(const ImDrawData& data) {
    std::vector<std::byte> content;
    const auto add = [&](const auto& values) {
        const auto bytes = std::as_bytes(std::span(values));
        content.insert(content.end(), bytes.begin(), bytes.end());
    };
    const ImVec4& ground = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
    add(std::array{data.DisplaySize.x, data.DisplaySize.y, ground.x, ground.y, ground.z});
    for (int i = 0; i < data.CmdListsCount; ++i) {
        const ImDrawList& list = *data.CmdLists[i];
        for (const ImDrawCmd& command : list.CmdBuffer) {
            add(std::array{command.ClipRect.x, command.ClipRect.y, command.ClipRect.z, command.ClipRect.w});
            add(std::array{command.VtxOffset, command.IdxOffset, command.ElemCount});
        }
        add(std::span(list.IdxBuffer.begin(), list.IdxBuffer.end()));
        add(std::span(list.VtxBuffer.begin(), list.VtxBuffer.end()));
    }
    return content;
}

constexpr auto pause_after_failed_rebuild = std::chrono::milliseconds(500);

class CurrentContext {
 public:
    explicit CurrentContext(ImGuiContext& context) : before_(ImGui::GetCurrentContext()) {
        ImGui::SetCurrentContext(&context);
    }
    ~CurrentContext() { ImGui::SetCurrentContext(before_); }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

 private:
    ImGuiContext* before_;
};

}  // namespace

void translate_vulkan_errors(const std::function<void()>& body) {
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

void VulkanCanvas::retry_after_loss(const std::function<void()>& body) {
    bool whole = true;
    for (;;) {
        std::string reason;
        try {
            if (!whole) {
                drawing_.reset();  // first: a window has one surface, an ImGui context one backend
                drawing_ = make_drawing();
                log_info("the graphics device that draws was opened again");
            }
            whole = true;
            body();
            return;
        } catch (const vk::SystemError& error) {
            const bool lost = error.code() == vk::Result::eErrorDeviceLost ||
                              error.code() == vk::Result::eErrorSurfaceLostKHR;
            // A driver that is being reset opens no device for a moment, and reports various errors.
            if (whole && !lost) throw std::runtime_error(fmt::format("Drawing failed: {}.", error.what()));
            reason = error.what();
        } catch (const NoDevice& error) {
            if (whole) throw;
            reason = error.what();
        }
        losses_.add(reason);
        log_warning(fmt::format("the graphics device that draws was lost ({})", reason));
        if (!whole) std::this_thread::sleep_for(pause_after_failed_rebuild);
        whole = false;
    }
}

bool VulkanCanvas::draw_frame(bool again, const std::function<bool(Drawing&)>& draw) {
    bool drawn = false;
    retry_after_loss([&] {
        drawing_->ensure_renderer();
        std::vector<std::byte> content = copy_content(*ImGui::GetDrawData());
        // A simulated loss appears only when something is drawn.
        if (!again && content == drawing_->shown && !drawing_->device.simulated_loss) return;
        drawn = true;
        drawing_->shown.clear();
        if (draw(*drawing_)) drawing_->shown = std::move(content);
    });
    return drawn;
}

DrawingDevice::DrawingDevice(const std::vector<const char*>& instance_extensions,
                             const MakeSurface& make_surface) {
    const gpu::ValidationSetup validation = gpu::make_validation_setup();
    std::vector<const char*> extensions = instance_extensions;
    extensions.insert(extensions.end(), validation.extensions.begin(), validation.extensions.end());
    const vk::ApplicationInfo application("gridstride", 1, nullptr, 0, VK_API_VERSION_1_1);
    const vk::InstanceCreateInfo create({}, &application, validation.layers, extensions, validation.chain);
    try {
        instance = vk::raii::Instance(context, create);
    } catch (const vk::SystemError& error) {
        throw NoDevice(
            fmt::format("No Vulkan driver to draw with ({}). Install mesa-vulkan-drivers or the driver of "
                        "the GPU's vendor.",
                        error.what()));
    }
    if (validation.messenger)
        messenger.emplace(instance, vk::DebugUtilsMessengerCreateInfoEXT(*validation.messenger));
    if (make_surface) surface.emplace(instance, make_surface(*instance));

    constexpr int none = std::numeric_limits<int>::max();
    int best = none;
    for (vk::raii::PhysicalDevice& candidate : vk::raii::PhysicalDevices(instance)) {
        const auto found = drawing_family(candidate, surface ? &*surface : nullptr);
        if (!found || (surface && !has_swapchain(candidate))) continue;
        const int rank =
            gpu::device_type_rank(static_cast<VkPhysicalDeviceType>(candidate.getProperties().deviceType));
        if (rank >= best) continue;
        best = rank;
        family = *found;
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
    vk::raii::CommandBuffers buffers(device, {*command_pool, vk::CommandBufferLevel::ePrimary, 1});
    return std::move(buffers.front());
}

void DrawingDevice::submit(const vk::SubmitInfo& work, vk::Fence fence) {
    if (simulated_loss == Loss::device)
        throw vk::DeviceLostError("vkQueueSubmit, because a script asked for it");
    queue.submit(work, fence);
}

void DrawingDevice::run(const std::function<void(const vk::raii::CommandBuffer&)>& record) {
    const vk::raii::CommandBuffer commands = make_command_buffer();
    commands.begin({vk::CommandBufferUsageFlagBits::eOneTimeSubmit});
    record(commands);
    commands.end();
    const vk::raii::Fence fence(device, vk::FenceCreateInfo());
    submit(vk::SubmitInfo({}, {}, *commands), *fence);
    if (device.waitForFences(*fence, VK_TRUE, UINT64_MAX) != vk::Result::eSuccess)
        throw std::runtime_error(
            "The graphics device did not finish drawing. Close other programs that use it, or update its "
            "driver.");
}

vk::raii::RenderPass make_render_pass(const vk::raii::Device& device, vk::Format format,
                                      vk::ImageLayout final_layout) {
    const vk::AttachmentDescription color({}, format, vk::SampleCountFlagBits::e1,
                                          vk::AttachmentLoadOp::eClear, vk::AttachmentStoreOp::eStore,
                                          vk::AttachmentLoadOp::eDontCare, vk::AttachmentStoreOp::eDontCare,
                                          vk::ImageLayout::eUndefined, final_layout);
    const vk::AttachmentReference reference(0, vk::ImageLayout::eColorAttachmentOptimal);
    const vk::SubpassDescription subpass({}, vk::PipelineBindPoint::eGraphics, {}, reference);
    // The pass waits for the acquired image and for the copy out of the last image; the next copy waits for
    // the pass.
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
    : drawing_(drawing), context_(*ImGui::GetCurrentContext()), pool_(nullptr) {
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
    // The backend cycles through its vertex buffers, so it needs more than there are frames in flight.
    info.MinImageCount = 2;
    info.ImageCount = 4;
    info.MSAASamples = VK_SAMPLE_COUNT_1_BIT;
    info.CheckVkResultFn = check_imgui;
    init_imgui_vulkan(info, *pass, VK_API_VERSION_1_1);
    try {
        upload_fonts([&](const auto& record) {
            drawing.run([&](const vk::raii::CommandBuffer& commands) { record(*commands); });
        });
    } catch (...) {
        // A backend that stays in ImGui's context would prevent the next one from starting.
        shut_down();
        throw;
    }
    font_texture_ = current_font_texture();
}

ImGuiRenderer::~ImGuiRenderer() {
    shut_down();
}

void ImGuiRenderer::shut_down() {
    const CurrentContext current(context_);
    try {
        drawing_.device.waitIdle();
    } catch (const vk::SystemError&) {
    }
    ImGui_ImplVulkan_Shutdown();
}

void ImGuiRenderer::new_frame() {
    ImGui_ImplVulkan_NewFrame();
}

void ImGuiRenderer::record(const vk::raii::CommandBuffer& commands, const vk::raii::RenderPass& pass,
                           const vk::raii::Framebuffer& framebuffer, vk::Extent2D extent,
                           ImDrawData& data) const {
    prepare_textures(data, font_texture_);
    const ImVec4& ground = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
    const vk::ClearValue clear(vk::ClearColorValue(std::array<float, 4>{ground.x, ground.y, ground.z, 1.0F}));
    commands.beginRenderPass({*pass, *framebuffer, vk::Rect2D({0, 0}, extent), clear},
                             vk::SubpassContents::eInline);
    ImGui_ImplVulkan_RenderDrawData(&data, *commands);
    commands.endRenderPass();
}

ImageTarget::ImageTarget(DrawingDevice& drawing, vk::Format format, vk::Extent2D extent)
    : format_(format),
      extent_(extent),
      pass_(make_render_pass(drawing.device, format, vk::ImageLayout::eTransferSrcOptimal)) {
    image_ = vk::raii::Image(
        drawing.device,
        vk::ImageCreateInfo({}, vk::ImageType::e2D, format, {extent.width, extent.height, 1}, 1, 1,
                            vk::SampleCountFlagBits::e1, vk::ImageTiling::eOptimal,
                            vk::ImageUsageFlagBits::eColorAttachment | vk::ImageUsageFlagBits::eTransferSrc));
    memory_ = allocate(drawing, image_.getMemoryRequirements(), {}, vk::MemoryPropertyFlagBits::eDeviceLocal);
    image_.bindMemory(*memory_, 0);
    view_ = vk::raii::ImageView(drawing.device,
                                vk::ImageViewCreateInfo({}, *image_, vk::ImageViewType::e2D, format, {},
                                                        {vk::ImageAspectFlagBits::eColor, 0, 1, 0, 1}));
    framebuffer_ = vk::raii::Framebuffer(
        drawing.device, vk::FramebufferCreateInfo({}, *pass_, *view_, extent.width, extent.height, 1));

    const vk::DeviceSize bytes = vk::DeviceSize{4} * extent.width * extent.height;
    read_buffer_ = vk::raii::Buffer(drawing.device, {{}, bytes, vk::BufferUsageFlagBits::eTransferDst});
    read_memory_ =
        allocate(drawing, read_buffer_.getMemoryRequirements(),
                 vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent,
                 vk::MemoryPropertyFlagBits::eHostCached);
    read_buffer_.bindMemory(*read_memory_, 0);
}

ElapsedTime ImageTarget::draw(DrawingDevice& drawing, const ImGuiRenderer& renderer, ImDrawData& data) {
    const Stopwatch recording;
    ElapsedTime spent;
    drawing.run([&](const vk::raii::CommandBuffer& commands) {
        renderer.record(commands, pass_, framebuffer_, extent_, data);
        spent = recording.spent();
    });
    drawn_ = true;
    return spent;
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
        picture.rgba[i + 3] = 255;  // the window is opaque, but blending changes alpha
    }
    return picture;
}

Drawing::Drawing(const std::vector<const char*>& extensions, const DrawingDevice::MakeSurface& make_surface)
    : device(extensions, make_surface),
      format(device.surface ? choose_surface_format(device)
                            : vk::SurfaceFormatKHR(vk::Format::eR8G8B8A8Unorm)),
      pass(make_render_pass(
          device.device, format.format,
          device.surface ? vk::ImageLayout::ePresentSrcKHR : vk::ImageLayout::eTransferSrcOptimal)) {}

void Drawing::ensure_renderer() {
    if (renderer) return;
    renderer = std::make_unique<ImGuiRenderer>(device, pass);
    shown.clear();
}

void Drawing::make_swapchain(vk::Extent2D size) {
    device.device.waitIdle();
    if (size.width == 0 || size.height == 0) return;
    swapchain = std::make_unique<Swapchain>(device, pass, format, size, swapchain.get());
    swapchain_size = size;
    shown.clear();
}

Image VulkanCanvas::read_pixels() {
    Image picture;
    ImDrawData* data = ImGui::GetDrawData();
    if (!data || data->DisplaySize.x < 1 || data->DisplaySize.y < 1) return picture;
    const vk::Extent2D extent{static_cast<std::uint32_t>(data->DisplaySize.x),
                              static_cast<std::uint32_t>(data->DisplaySize.y)};
    retry_after_loss([&] {
        drawing_->ensure_renderer();
        drawing_->device.device.waitIdle();
        ImageTarget target(drawing_->device, drawing_->format.format, extent);
        target.draw(drawing_->device, *drawing_->renderer, *data);
        picture = target.read(drawing_->device);
    });
    return picture;
}

class VulkanCanvas::ContextDrawingImpl : public ContextDrawing {
 public:
    ContextDrawingImpl(VulkanCanvas& canvas, ImGuiContext& context) : canvas_(canvas), context_(context) {}
    ~ContextDrawingImpl() override {
        // Null after too many losses.
        if (canvas_.drawing_) canvas_.drawing_->context_renderer.reset();
    }
    ContextDrawingImpl(const ContextDrawingImpl&) = delete;
    ContextDrawingImpl& operator=(const ContextDrawingImpl&) = delete;

    Image draw(glm::uvec2 from, glm::uvec2 size) override {
        Image picture;
        canvas_.retry_after_loss([&] {
            const CurrentContext current(context_);
            ImDrawData part = *ImGui::GetDrawData();
            part.DisplayPos = glm::vec2(from);
            part.DisplaySize = glm::vec2(size);
            Drawing& drawing = *canvas_.drawing_;
            if (!drawing.context_renderer)
                drawing.context_renderer = std::make_unique<ImGuiRenderer>(drawing.device, drawing.pass);
            ImageTarget target(drawing.device, drawing.format.format, {size.x, size.y});
            target.draw(drawing.device, *drawing.context_renderer, part);
            picture = target.read(drawing.device);
        });
        return picture;
    }

 private:
    VulkanCanvas& canvas_;
    ImGuiContext& context_;
};

std::unique_ptr<ContextDrawing> VulkanCanvas::draw_context(ImGuiContext& context) {
    return std::make_unique<ContextDrawingImpl>(*this, context);
}

}  // namespace gridstride::ui
