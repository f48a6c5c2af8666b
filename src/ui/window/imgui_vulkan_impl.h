// The differences between ImGui's Vulkan backends: before 1.92 it has one texture, which holds all glyphs;
// since then the draw data says which textures to create, to update and to destroy.
// Only vulkan_renderer_impl.cpp includes it.
#pragma once

#include <backends/imgui_impl_vulkan.h>

#include <cstdint>

#include "ui/widgets/imgui_compat.h"

namespace gridstride::ui {

#if IMGUI_VERSION_NUM < 19200

inline void init_imgui_vulkan(ImGui_ImplVulkan_InitInfo& info, VkRenderPass pass, std::uint32_t) {
    ImGui_ImplVulkan_Init(&info, pass);
}
/// `run(record)` calls record(VkCommandBuffer), submits what it recorded and waits for its end.
inline void upload_fonts([[maybe_unused]] const auto& run) {
#if IMGUI_VERSION_NUM < 19010
    run([](VkCommandBuffer commands) { ImGui_ImplVulkan_CreateFontsTexture(commands); });
    ImGui_ImplVulkan_DestroyFontUploadObjects();
#else
    ImGui_ImplVulkan_CreateFontsTexture();
#endif
}
inline ImTextureID current_font_texture() {
    return ImGui::GetIO().Fonts->TexID;
}
/// The draw data may refer to a lost font texture, or to that of another renderer of the same fonts.
inline void prepare_textures(ImDrawData& data, ImTextureID font_texture) {
    for (int i = 0; i < data.CmdListsCount; ++i)
        for (ImDrawCmd& command : data.CmdLists[i]->CmdBuffer)
            command.TextureId = font_texture;
}

#else

inline void init_imgui_vulkan(ImGui_ImplVulkan_InitInfo& info, VkRenderPass pass, std::uint32_t api_version) {
    info.ApiVersion = api_version;
    info.RenderPass = pass;
    ImGui_ImplVulkan_Init(&info);
}
inline void upload_fonts(const auto&) {}
inline ImTextureID current_font_texture() {
    return ImTextureID_Invalid;
}
/// A backend that was shut down has destroyed its textures; ImGui asks for new ones only in the next frame.
inline void prepare_textures(ImDrawData& data, ImTextureID) {
    for (ImTextureData* texture : *data.Textures)
        if (texture->Status == ImTextureStatus_Destroyed) texture->SetStatus(ImTextureStatus_WantCreate);
}

#endif

}  // namespace gridstride::ui
