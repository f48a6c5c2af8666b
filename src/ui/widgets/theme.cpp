#include "ui/widgets/theme.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/color_space.hpp>
#include <glm/packing.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>
#include <stdexcept>

#include "base/text.h"
#include "ui/widgets/fonts.h"

namespace gridstride::ui {
namespace {

constexpr ImU32 rgb(unsigned hex) {
    return IM_COL32((hex >> 16U) & 255U, (hex >> 8U) & 255U, hex & 255U, 255);
}

constexpr Palette dark_colors{
    .ground = rgb(0x111417),
    .panel = rgb(0x171B20),
    .raised = rgb(0x1E242B),
    .line = rgb(0x2A323B),
    .text = rgb(0xE6EAF0),
    .quiet = rgb(0x9AA6B2),
    .action = rgb(0x0072B2),
    .action_text = rgb(0xFFFFFF),
    .upload = rgb(0x56B4E9),
    .kernel = rgb(0xE69F00),
    .download = rgb(0xCC79A7),
    .wait = rgb(0x5C6773),
    .cpu = rgb(0x009E73),
    .right = rgb(0x009E73),
    .wrong = rgb(0xD55E00),
    .caution = rgb(0xF0E442),
    .right_text = rgb(0x2FC29A),
    .wrong_text = rgb(0xE8833A),
    .link = rgb(0x5BB0E8),
    // Okabe and Ito's order, with sky blue first, because orange is the kernel's colour.
    .series = {rgb(0x56B4E9), rgb(0xE69F00), rgb(0x009E73), rgb(0xF0E442), rgb(0x0072B2), rgb(0xD55E00),
               rgb(0xCC79A7), rgb(0xC3CCD6)},
};

constexpr Palette light_palette() {
    Palette palette = dark_colors;
    palette.ground = rgb(0xF7F8FA);
    palette.panel = rgb(0xFFFFFF);
    palette.raised = rgb(0xEEF1F4);
    palette.line = rgb(0xD5DBE2);
    palette.text = rgb(0x14181D);
    palette.quiet = rgb(0x55616E);
    palette.caution = rgb(0x665200);
    palette.right_text = rgb(0x00704F);
    palette.wrong_text = rgb(0xA84400);
    palette.link = rgb(0x005F99);
    palette.series[3] = palette.caution;
    palette.series[7] = palette.quiet;
    return palette;
}
constexpr Palette light_colors = light_palette();

/// Red, green, blue and alpha, each 0 … 1.
glm::vec4 unpacked(ImU32 color) {
    static_assert(IM_COL32_R_SHIFT == 0 && IM_COL32_A_SHIFT == 24, "ImGui packs colours as glm does");
    return glm::unpackUnorm4x8(color);
}

/// Relative luminance, WCAG 2.1.
float luminance(ImU32 color) {
    return glm::dot(glm::vec3(0.2126F, 0.7152F, 0.0722F),
                    glm::convertSRGBToLinear(glm::vec3(unpacked(color))));
}

/// Styles what ImGui draws itself: popups, text fields, scroll bars, selections.
void set_style(const Palette& palette, float scale) {
    ImGuiStyle style;
    style.WindowPadding = glm::vec2(16, 16);
    style.FramePadding = glm::vec2(8, 6);
    // Lines of text have the line height of the type scale; gap() adds space between items.
    style.ItemSpacing = glm::vec2(8, 0);
    style.FrameRounding = 6;
    style.PopupRounding = 6;
    style.ScrollbarRounding = 6;
    style.ScrollbarSize = 10;
    style.ScaleAllSizes(scale);
    // Lines are one pixel wide at every scale.
    style.WindowBorderSize = 0;
    style.ChildBorderSize = 0;
    style.PopupBorderSize = 1;
    style.FrameBorderSize = 0;

    const auto set = [&style](ImGuiCol index, ImU32 color) {
        style.Colors[index] = ImGui::ColorConvertU32ToFloat4(color);
    };
    for (int i = 0; i < ImGuiCol_COUNT; ++i)
        set(i, palette.raised);
    const ImU32 none = with_alpha(palette.ground, 0);
    set(ImGuiCol_Text, palette.text);
    set(ImGuiCol_WindowBg, palette.ground);
    set(ImGuiCol_ChildBg, none);
    set(ImGuiCol_Border, palette.line);
    set(ImGuiCol_BorderShadow, none);
    set(ImGuiCol_ScrollbarBg, none);
    set(ImGuiCol_ScrollbarGrab, palette.line);
    set(ImGuiCol_ScrollbarGrabHovered, mix(palette.line, palette.text, 0.12F));
    set(ImGuiCol_ScrollbarGrabActive, mix(palette.line, palette.text, 0.2F));
    set(ImGuiCol_TextSelectedBg, with_alpha(palette.action, 0.55F));
    set(ImGuiCol_NavHighlight, palette.action);
    ImGui::GetStyle() = style;
}

const Theme* current_theme = nullptr;

}  // namespace

Theme::Theme(Mode mode, float scale, FontSource source)
    : mode_(mode),
      scale_(std::clamp(scale, 0.5F, 4.0F)),
      palette_(mode == Mode::dark ? dark_colors : light_colors) {
    fonts_ = load_fonts(scale_, source);
    std::ranges::transform(fonts_, lacks_characters_.begin(),
                           [](const ImFont* font) { return lacks_characters(*font); });
    ImGui::GetIO().FontDefault = font(TextStyle::body);
    set_style(palette_, scale_);
}

std::string_view Theme::drawable_text(TextStyle type, std::string_view text, std::string& room) const {
    if (has_controls(text)) text = room = escape_controls(text);
    if (!lacks_characters_[static_cast<std::size_t>(type)]) return text;
    return room = replace_missing_characters(*font(type), text);
}

float Theme::line_height(TextStyle type) const {
    // In the order of TextStyle: 22 for body (size 15); small text has the same leading, titles less.
    static constexpr float heights[] = {22, 22, 19, 19, 26, 32, 20};
    return std::round(px(heights[static_cast<std::size_t>(type)]));
}

ImU32 Theme::color(ColorRole color_role) const {
    if (color_role == ColorRole::series) return palette_.series[0];
    // In the order of ColorRole.
    static constexpr ImU32 Palette::*colors[] = {
        &Palette::upload, &Palette::kernel, &Palette::download, &Palette::wait,  &Palette::cpu,
        &Palette::right,  &Palette::wrong,  &Palette::caution,  &Palette::quiet,
    };
    return palette_.*colors[static_cast<std::size_t>(color_role)];
}

ImU32 Theme::text_on(ImU32 fill) const {
    const ImU32 dark = light_colors.text;
    const ImU32 bright = rgb(0xFFFFFF);
    return contrast_ratio(dark, fill) >= contrast_ratio(bright, fill) ? dark : bright;
}

ImU32 Theme::readable_on(ImU32 color, ImU32 ground) const {
    ImU32 readable = color;
    for (float t = 0.05F; contrast_ratio(readable, ground) < 4.5F && t <= 1.0F; t += 0.05F)
        readable = mix(color, palette_.text, t);
    return readable;
}

ImU32 Theme::text_color(ImU32 color) const {
    if (color == palette_.right) return palette_.right_text;
    if (color == palette_.wrong) return palette_.wrong_text;
    if (color == palette_.action) return palette_.link;
    // The least favourable background of text.
    return readable_on(color, palette_.raised);
}

const Theme& theme() {
    if (!current_theme) throw std::logic_error("theme() was called before set_theme()");
    return *current_theme;
}
void set_theme(const Theme* current) {
    current_theme = current;
}

float contrast_ratio(ImU32 a, ImU32 b) {
    const float la = luminance(a);
    const float lb = luminance(b);
    return (std::max(la, lb) + 0.05F) / (std::min(la, lb) + 0.05F);
}

ImU32 with_alpha(ImU32 color, float alpha) {
    return glm::packUnorm4x8({glm::vec3(unpacked(color)), alpha});
}

ImU32 mix(ImU32 a, ImU32 b, float t) {
    return glm::packUnorm4x8(glm::mix(unpacked(a), unpacked(b), glm::clamp(t, 0.0F, 1.0F)));
}

ImU32 viridis(float t) {
    // Viridis (S. van der Walt and N. Smith, matplotlib, 2015) as the polynomial of M. Zucker's fit, with an
    // error of less than one 8-bit step for most of the range.
    static constexpr glm::vec3 coefficients[7] = {
        {0.2777273F, 0.0054073F, 0.3340998F},   {0.1050930F, 1.4046135F, 1.3845902F},
        {-0.3308618F, 0.2148476F, 0.0950952F},  {-4.6342305F, -5.7991010F, -19.3324410F},
        {6.2282699F, 14.1799334F, 56.6905526F}, {4.7763850F, -13.7451454F, -65.3530326F},
        {-5.4354559F, 4.6458526F, 26.3124352F},
    };
    const float x = std::isnan(t) ? 0.0F : glm::clamp(t, 0.0F, 1.0F);
    glm::vec3 color(0);
    for (int k = 6; k >= 0; --k)
        color = color * x + coefficients[k];
    return glm::packUnorm4x8({color, 1});
}

}  // namespace gridstride::ui
