#include "ui/widgets/theme.h"

#include <glm/glm.hpp>

#include "base/text.h"
#include "test_includes.h"
#include "ui/ui_frame.h"
#include "ui/widgets/control_colors.h"

namespace gridstride::ui::theme_test {

class ThemeTest : public testing::TestWithParam<Mode> {};

TEST(Contrast, FollowsWcag) {
    EXPECT_NEAR(contrast_ratio(IM_COL32_BLACK, IM_COL32_WHITE), 21, 0.01);
    EXPECT_NEAR(contrast_ratio(IM_COL32(119, 119, 119, 255), IM_COL32_WHITE), 4.48, 0.01);
    EXPECT_FLOAT_EQ(contrast_ratio(IM_COL32_WHITE, IM_COL32_WHITE), 1);
}

TEST_P(ThemeTest, TextIsReadableOnEveryBackground) {
    const UiFrames frames(GetParam());
    const Palette& p = frames.theme().palette();
    for (const ImU32 ground : {p.ground, p.panel, p.raised}) {
        EXPECT_GE(contrast_ratio(p.text, ground), 4.5);
        EXPECT_GE(contrast_ratio(p.quiet, ground), 4.5);
        for (const ColorRole color_role :
             {ColorRole::upload, ColorRole::kernel, ColorRole::download, ColorRole::wait, ColorRole::cpu,
              ColorRole::right, ColorRole::wrong, ColorRole::caution, ColorRole::quiet, ColorRole::series})
            EXPECT_GE(contrast_ratio(frames.theme().text_color(color_role), ground), 4.5)
                << static_cast<int>(color_role);
    }
    EXPECT_GE(contrast_ratio(p.action_text, p.action), 4.5);
    // This is the text on a plain button.
    EXPECT_GE(contrast_ratio(p.text, p.line), 4.5);
}

/// The text of every control is readable in each state; without a fill, on every possible background.
TEST_P(ThemeTest, EveryControlIsReadableInEveryState) {
    const UiFrames frames(GetParam());
    const Palette& p = frames.theme().palette();
    const auto expect_readable = [&](const ControlColors& face, const std::string& what) {
        const bool filled = face.fill >> IM_COL32_A_SHIFT != 0;
        for (const ImU32 ground :
             filled ? std::vector{face.fill} : std::vector{p.ground, p.panel, p.raised}) {
            EXPECT_GE(contrast_ratio(face.text, ground), 4.5) << what;
            EXPECT_GE(contrast_ratio(secondary_text_color(face), filled ? ground : p.raised), 4.5)
                << what << ", secondary text";
        }
    };
    const Press idle{}, hovered{.is_hovered = true}, held{.is_hovered = true, .is_held = true};
    int states = 0;
    for (const auto& [press, name] : {std::pair{idle, "idle"}, {hovered, "hovered"}, {held, "held"}}) {
        for (const Emphasis emphasis : {Emphasis::primary, Emphasis::normal, Emphasis::quiet})
            for (const bool enabled : {true, false})
                for (const bool selected : {true, false}) {
                    expect_readable(
                        button_colors({.emphasis = emphasis, .is_enabled = enabled, .is_selected = selected},
                                      press),
                        fmt::format("button {} {} {} {}", static_cast<int>(emphasis), enabled, selected,
                                    name));
                    ++states;
                }
        expect_readable(chip_colors(press), fmt::format("chip {}", name));
        for (const bool on : {true, false}) {
            expect_readable(tab_colors(on, press), fmt::format("tab {} {}", on, name));
            expect_readable(choice_colors(on, press), fmt::format("choice {} {}", on, name));
            expect_readable(option_colors(on, press), fmt::format("option {} {}", on, name));
        }
    }
    EXPECT_EQ(states, 36);
}

TEST_P(ThemeTest, DisabledControlLooksDifferent) {
    const UiFrames frames(GetParam());
    for (const Emphasis emphasis : {Emphasis::primary, Emphasis::normal, Emphasis::quiet}) {
        const ControlColors on = button_colors({.emphasis = emphasis}, {});
        const ControlColors off = button_colors({.emphasis = emphasis, .is_enabled = false}, {});
        EXPECT_NE(on.text, off.text) << static_cast<int>(emphasis);
    }
}

TEST_P(ThemeTest, ColorRolesHaveTheDesignsTextColors) {
    const UiFrames frames(GetParam());
    const bool dark = GetParam() == Mode::dark;
    const Theme& t = frames.theme();
    EXPECT_EQ(t.text_color(ColorRole::right),
              dark ? IM_COL32(0x2F, 0xC2, 0x9A, 255) : IM_COL32(0x00, 0x70, 0x4F, 255));
    EXPECT_EQ(t.text_color(ColorRole::wrong),
              dark ? IM_COL32(0xE8, 0x83, 0x3A, 255) : IM_COL32(0xA8, 0x44, 0x00, 255));
    EXPECT_EQ(t.text_color(t.palette().action),
              dark ? IM_COL32(0x5B, 0xB0, 0xE8, 255) : IM_COL32(0x00, 0x5F, 0x99, 255));
    for (const ImU32 ground : {t.palette().ground, t.palette().panel, t.palette().raised})
        for (const ImU32 words : {t.palette().right_text, t.palette().wrong_text, t.palette().link})
            EXPECT_GE(contrast_ratio(words, ground), 4.5);
}

TEST_P(ThemeTest, TextOnAFillIsReadable) {
    const UiFrames frames(GetParam());
    for (std::size_t i = 0; i < 8; ++i) {
        const ImU32 fill = frames.theme().series_color(i);
        EXPECT_GE(contrast_ratio(frames.theme().text_on(fill), fill), 4.5) << i;
    }
}

/// Returns the colour in linear RGB, as a person without one kind of cones sees it, and as everybody does:
/// G. Machado, M. Oliveira, L. Fernandes, "A physiologically-based model for simulation of color vision
/// deficiency", IEEE TVCG 15(6), 2009, severity 1.
std::array<glm::dvec3, 4> simulate_vision(ImU32 color) {
    const auto linear = [&](int shift) {
        const double value = static_cast<double>(color >> shift & 0xFF) / 255;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    const glm::dvec3 perceived(linear(IM_COL32_R_SHIFT), linear(IM_COL32_G_SHIFT), linear(IM_COL32_B_SHIFT));
    const auto simulated = [&](glm::dvec3 red, glm::dvec3 green, glm::dvec3 blue) {
        return glm::clamp(
            glm::dvec3(glm::dot(red, perceived), glm::dot(green, perceived), glm::dot(blue, perceived)), 0.0,
            1.0);
    };
    return {perceived,
            simulated({0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
                      {-0.003882, -0.048116, 1.051998}),
            simulated({0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
                      {-0.011820, 0.042940, 0.968881}),
            simulated({1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
                      {0.004733, 0.691367, 0.303900})};
}

/// Converts linear RGB to CIELAB with the white of sRGB. A distance of 2 is just noticed side by side.
glm::dvec3 to_lab(glm::dvec3 linear) {
    const auto curve = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = curve(glm::dot(linear, {0.4124564, 0.3575761, 0.1804375}) / 0.95047);
    const double y = curve(glm::dot(linear, {0.2126729, 0.7151522, 0.0721750}));
    const double z = curve(glm::dot(linear, {0.0193339, 0.1191920, 0.9503041}) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

TEST_P(ThemeTest, PlotColorsDifferForColorBlindReaders) {
    const UiFrames frames(GetParam());
    const Palette& p = frames.theme().palette();
    const auto expect_distinct = [](std::span<const ImU32> colors) {
        for (std::size_t i = 0; i < colors.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                for (std::size_t vision = 0; vision < 4; ++vision)
                    EXPECT_GE(glm::distance(to_lab(simulate_vision(colors[i])[vision]),
                                            to_lab(simulate_vision(colors[j])[vision])),
                              15)
                        << "colours " << j << " and " << i << " for vision " << vision;
    };
    expect_distinct(std::array{p.upload, p.kernel, p.download, p.wait, p.right, p.wrong, p.caution});
    expect_distinct(p.series);
}

INSTANTIATE_TEST_SUITE_P(Modes, ThemeTest, testing::Values(Mode::dark, Mode::light),
                         [](const auto& mode) { return mode.param == Mode::dark ? "Dark" : "Light"; });

TEST(Palette, MatchesTheDesign) {
    const UiFrames dark(Mode::dark);
    EXPECT_EQ(dark.theme().palette().ground, IM_COL32(0x11, 0x14, 0x17, 255));
    EXPECT_EQ(dark.theme().palette().quiet, IM_COL32(0x9A, 0xA6, 0xB2, 255));
    EXPECT_EQ(dark.theme().color(ColorRole::kernel), IM_COL32(0xE6, 0x9F, 0x00, 255));
    EXPECT_EQ(dark.theme().color(ColorRole::caution), IM_COL32(0xF0, 0xE4, 0x42, 255));
}

TEST(Palette, CautionIsDarkerOnLight) {
    const UiFrames light(Mode::light);
    EXPECT_EQ(light.theme().color(ColorRole::caution), IM_COL32(0x66, 0x52, 0x00, 255));
}

TEST(Fonts, EveryStyleHasTheGlyphsThatTheAppWrites) {
    const UiFrames frames;
    constexpr ImWchar needed[] = {0x00D7, 0x2212, 0x00B1, 0x2265, 0x2264, 0x221A, 0x03C0, 0x00B5,
                                  0x03BC, 0x03C3, 0x2211, 0x2248, 0x221E, 0x2190, 0x2192, 0x2713,
                                  0x2717, 0x25BE, 0x25B8, 0x00B7, 0x2026, 0x2022, 0x00B2, 0x2070,
                                  0x207B, 0x2079, 0x0153, 0x00E9, 0x203A};
    for (int type = 0; type < 7; ++type) {
        const ImFont& font = *frames.theme().font(static_cast<TextStyle>(type));
        for (const ImWchar character : needed) {
            const ImFontGlyph* glyph = find_glyph(font, character);
            ASSERT_NE(glyph, nullptr) << "style " << type << " lacks U+" << std::hex << character;
            EXPECT_TRUE(glyph->Visible) << std::hex << character;
            EXPECT_GT(glyph->X1, glyph->X0) << std::hex << character;
        }
    }
}

TEST(Fonts, WordsReplaceMarksThatNoFontHas) {
    const UiFrames frames(Mode::dark, 1, FontSource::imgui);
    const Theme& t = frames.theme();
    const std::string all = "✓ 5 × 3 ± 1 ≥ 2 − 1, µ σ √4 π → … naïve";
    std::string buffer;
    EXPECT_EQ(t.drawable_text(TextStyle::body, all, buffer),
              "[ok] 5 × 3 ± 1 >= 2 - 1, µ sigma sqrt 4 pi -> ... naïve")
        << "ImGui's own font has the marks of Latin 1";
    EXPECT_EQ(t.drawable_text(TextStyle::body, "✗", buffer), "[x]");
    // The measured text is the drawn text, and none of its glyphs is ImGui's "?".
    EXPECT_EQ(text_size(TextStyle::body, "✓ right").x, text_size(TextStyle::body, "[ok] right").x);
    EXPECT_EQ(elide(TextStyle::body, "a long line of words", text_size(TextStyle::body, "a long ...").x),
              "a long...");
    for (const char* mark : {"✓", "✗", "−", "×", "±", "≥", "≤", "µ", "σ", "√", "π", "→", "…"}) {
        const std::string drawable_text(t.drawable_text(TextStyle::mono, mark, buffer));
        for (std::size_t at = 0; at < drawable_text.size();) {
            const std::string_view one = first_characters(std::string_view(drawable_text).substr(at), 1);
            const auto code = one.size() == 1 ? static_cast<ImWchar>(one[0])
                                              : static_cast<ImWchar>((one[0] & 0x1F) << 6 | (one[1] & 0x3F));
            EXPECT_NE(find_glyph(*t.font(TextStyle::mono), code), nullptr) << mark;
            at += one.size();
        }
    }
}

TEST(Fonts, MarksThatTheFontHasStayUnchanged) {
    const UiFrames frames;
    std::string buffer;
    EXPECT_EQ(frames.theme().drawable_text(TextStyle::body, "✓ ✗ − × ± ≥ ≤ µ σ √ π → …", buffer),
              "✓ ✗ − × ± ≥ ≤ µ σ √ π → …");
    EXPECT_TRUE(buffer.empty()) << "nothing is copied";
}

TEST(Fonts, ThinSpacesAreThin) {
    const UiFrames frames;
    for (int type = 0; type < 7; ++type) {
        const ImFont& font = *frames.theme().font(static_cast<TextStyle>(type));
        const float digit = char_advance(font, '0');
        for (const ImWchar space : {ImWchar{0x2009}, ImWchar{0x202F}}) {
            const float advance = char_advance(font, space);
            EXPECT_GE(advance, 2) << type;
            EXPECT_LT(advance, 0.7F * digit) << type;
        }
        EXPECT_EQ(char_advance(font, 0x00A0), char_advance(font, ' ')) << type;
    }
}

TEST(Fonts, ScaleWithTheTheme) {
    float small = 0;
    {
        const UiFrames frames(Mode::dark, 1);
        small = text_size(TextStyle::body, "workgroup").x;
        EXPECT_EQ(frames.theme().line_height(TextStyle::body), 22);
    }
    const UiFrames frames(Mode::dark, 2);
    EXPECT_NEAR(text_size(TextStyle::body, "workgroup").x / small, 2, 0.1);
    EXPECT_EQ(frames.theme().line_height(TextStyle::body), 44);
    EXPECT_EQ(frames.theme().px(12), 24);
}

TEST(Color, AlphaMixAndViridis) {
    EXPECT_EQ(with_alpha(IM_COL32(1, 2, 3, 4), 1), IM_COL32(1, 2, 3, 255));
    EXPECT_EQ(with_alpha(IM_COL32(1, 2, 3, 4), 0), IM_COL32(1, 2, 3, 0));
    EXPECT_EQ(mix(IM_COL32(0, 100, 0, 255), IM_COL32(100, 0, 50, 255), 0.5F), IM_COL32(50, 50, 25, 255));
    const auto near = [](ImU32 color, int r, int g, int b) {
        EXPECT_NEAR(static_cast<int>(color & 255U), r, 4);
        EXPECT_NEAR(static_cast<int>((color >> 8U) & 255U), g, 4);
        EXPECT_NEAR(static_cast<int>((color >> 16U) & 255U), b, 4);
    };
    near(viridis(0), 68, 1, 84);
    near(viridis(0.5F), 33, 145, 140);
    near(viridis(1), 253, 231, 37);
    EXPECT_EQ(viridis(std::nanf("")), viridis(0));
    // The lightness always increases, which keeps the colours readable in grey.
    for (int i = 1; i <= 50; ++i)
        EXPECT_GE(contrast_ratio(viridis(static_cast<float>(i) / 50), IM_COL32_BLACK) + 0.02F,
                  contrast_ratio(viridis(static_cast<float>(i - 1) / 50), IM_COL32_BLACK));
}

}  // namespace gridstride::ui::theme_test
