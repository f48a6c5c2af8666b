#include "ui/widgets/fonts.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "ui/widgets/imgui_compat.h"

namespace gridstride::ui {
namespace {

constexpr ImWchar thin_space = 0x2009;
constexpr ImWchar narrow_no_break_space = 0x202F;
constexpr ImWchar no_break_space = 0x00A0;

struct Range {
    ImWchar first, last;
};
/// The characters of the app: Western European letters, units, arithmetic, arrows, marks. Few, because every
/// glyph is rendered at every size at startup.
constexpr Range glyph_ranges[] = {
    {0x20, 0x7E},     {0xA0, 0x17F},    {0x391, 0x3A9},   {0x3B1, 0x3C9},   {0x2009, 0x200A},
    {0x2010, 0x2015}, {0x2018, 0x201E}, {0x2020, 0x2022}, {0x2026, 0x2026}, {0x202F, 0x2030},
    {0x2032, 0x2033}, {0x2039, 0x203A}, {0x2070, 0x2071}, {0x2074, 0x208E}, {0x20AC, 0x20AC},
    {0x2122, 0x2122}, {0x2190, 0x2195}, {0x21D2, 0x21D2}, {0x2202, 0x2202}, {0x2206, 0x2208},
    {0x220F, 0x220F}, {0x2211, 0x2213}, {0x221A, 0x221A}, {0x221E, 0x221E}, {0x222B, 0x222B},
    {0x2248, 0x2248}, {0x2260, 0x2260}, {0x2264, 0x2265}, {0x226A, 0x226B}, {0x22C5, 0x22C5},
    {0x2308, 0x230B}, {0x2500, 0x2502}, {0x250C, 0x250C}, {0x2510, 0x2510}, {0x2514, 0x2514},
    {0x2518, 0x2518}, {0x251C, 0x251C}, {0x2550, 0x2551}, {0x25A0, 0x25A1}, {0x25B2, 0x25C3},
    {0x25C6, 0x25C6}, {0x25CB, 0x25CB}, {0x25CF, 0x25CF}, {0x2713, 0x2713}, {0x2717, 0x2717},
    {0x26A0, 0x26A0}, {0xFFFD, 0xFFFD},
};

struct FontFace {
    std::string path;
    int index = 0;
    std::string bytes;
    std::shared_ptr<FcCharSet> glyphs;
    float height_per_em = 1.2F;  ///< from ascender to descender, which is ImGui's font size

    bool has(ImWchar character) const { return FcCharSetHasChar(glyphs.get(), character) != FcFalse; }
};

/// The "pixel height" of FreeType and stb is ascender to descender; the type scale gives the em size.
float measure_height_per_em(const FontFace& face) {
    FT_Library library = nullptr;
    if (FT_Init_FreeType(&library) != 0) return 1.2F;
    float ratio = 1.2F;
    FT_Face opened = nullptr;
    if (FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(face.bytes.data()),
                           static_cast<FT_Long>(face.bytes.size()), face.index, &opened) == 0) {
        if (opened->units_per_EM > 0)
            ratio = static_cast<float>(opened->ascender - opened->descender) /
                    static_cast<float>(opened->units_per_EM);
        FT_Done_Face(opened);
    }
    FT_Done_FreeType(library);
    return ratio;
}

/// Returns the installed face of exactly this family; fontconfig alone would return the nearest match.
std::shared_ptr<const FontFace> find_face(const char* family, int weight) {
    const std::shared_ptr<FcPattern> pattern(FcPatternCreate(), FcPatternDestroy);
    FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
    FcPatternAddInteger(pattern.get(), FC_WEIGHT, weight);
    FcPatternAddInteger(pattern.get(), FC_SLANT, FC_SLANT_ROMAN);
    FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
    FcDefaultSubstitute(pattern.get());
    FcResult result = FcResultNoMatch;
    const std::shared_ptr<FcPattern> found(FcFontMatch(nullptr, pattern.get(), &result), FcPatternDestroy);
    if (!found) return nullptr;

    bool same_family = false;
    FcChar8* name = nullptr;
    for (int i = 0; FcPatternGetString(found.get(), FC_FAMILY, i, &name) == FcResultMatch; ++i)
        same_family = same_family || std::string_view(reinterpret_cast<const char*>(name)) == family;
    FcChar8* path = nullptr;
    FcCharSet* glyphs = nullptr;
    if (!same_family || FcPatternGetString(found.get(), FC_FILE, 0, &path) != FcResultMatch ||
        FcPatternGetCharSet(found.get(), FC_CHARSET, 0, &glyphs) != FcResultMatch)
        return nullptr;

    const auto face = std::make_shared<FontFace>();
    face->path = reinterpret_cast<const char*>(path);
    FcPatternGetInteger(found.get(), FC_INDEX, 0, &face->index);
    face->glyphs.reset(FcCharSetCopy(glyphs), FcCharSetDestroy);
    try {
        face->bytes = read_file(face->path);
    } catch (const FileError&) {
        return nullptr;
    }
    face->height_per_em = measure_height_per_em(*face);
    return face;
}

/// In order of preference: a glyph comes from the first face that has it.
using FaceList = std::vector<std::shared_ptr<const FontFace>>;
struct Faces {
    FaceList regular, strong, mono;
    bool has_inter = false;
    bool has_jetbrains = false;
};

/// Cached, because a change of scale or language must not read the disk.
const Faces& installed_faces() {
    static const Faces faces = [] {
        Faces found;
        const auto inter = find_face("Inter", FC_WEIGHT_REGULAR);
        const auto inter_strong = find_face("Inter", FC_WEIGHT_DEMIBOLD);
        const auto jetbrains = find_face("JetBrains Mono", FC_WEIGHT_REGULAR);
        const auto dejavu = find_face("DejaVu Sans", FC_WEIGHT_REGULAR);
        const auto dejavu_bold = find_face("DejaVu Sans", FC_WEIGHT_BOLD);
        const auto dejavu_mono = find_face("DejaVu Sans Mono", FC_WEIGHT_REGULAR);
        found.regular = {inter, dejavu};
        found.strong = {inter_strong, dejavu_bold, inter, dejavu};
        found.mono = {jetbrains, dejavu_mono, dejavu};
        for (FaceList* list : {&found.regular, &found.strong, &found.mono})
            std::erase(*list, nullptr);
        found.has_inter = inter != nullptr;
        found.has_jetbrains = jetbrains != nullptr;
        return found;
    }();
    return faces;
}

/// Returns the ranges that `from` adds to earlier faces, terminated by 0 as ImGui requires.
ImVector<ImWchar> add_ranges(const FontFace& from, ImFontGlyphRangesBuilder& covered) {
    ImFontGlyphRangesBuilder added;
    for (const Range& range : glyph_ranges) {
        for (unsigned character = range.first; character <= range.last; ++character) {
            if (covered.GetBit(character) || !from.has(static_cast<ImWchar>(character))) continue;
            covered.SetBit(character);
            added.SetBit(character);
        }
    }
    ImVector<ImWchar> ranges;
    added.BuildRanges(&ranges);
    return ranges;
}

struct FaceStyle {
    const FaceList* faces;
    float em;
};

/// Replacements for characters that a font lacks. Box-drawing characters and arrows, which the manual's
/// figures use, are replaced by one character each.
struct GlyphReplacement {
    ImWchar mark;
    std::string_view words;
};
constexpr GlyphReplacement glyph_replacements[] = {
    {0x2713, "[ok]"},  {0x2717, "[x]"},   {0x26A0, "!"},     {0x2212, "-"},  {0x00D7, "x"},
    {0x00B1, "+/-"},   {0x2264, "<="},    {0x2265, ">="},    {0x2260, "!="}, {0x2248, "~"},
    {0x00B5, "u"},     {0x03BC, "u"},     {0x03C3, "sigma"}, {0x03C0, "pi"}, {0x2211, "sum"},
    {0x221A, "sqrt "}, {0x221E, "inf"},   {0x2026, "..."},   {0x2192, "->"}, {0x2190, "<-"},
    {0x2191, "^"},     {0x2193, "v"},     {0x21D2, "=>"},    {0x25BE, "v"},  {0x25B8, ">"},
    {0x25B4, "^"},     {0x203A, ">"},     {0x2039, "<"},     {0x2010, "-"},  {0x2011, "-"},
    {0x2013, "-"},     {0x2014, "-"},     {0x2018, "'"},     {0x2019, "'"},  {0x201C, "\""},
    {0x201D, "\""},    {0x201E, "\""},    {0x2032, "'"},     {0x2022, "*"},  {0x00B7, "-"},
    {0x22C5, "*"},     {0x2030, "/1000"}, {0x00B2, "^2"},    {0x00B3, "^3"}, {0x0153, "oe"},
    {0x0152, "OE"},    {0x20AC, "EUR"},   {0x2208, "in"},    {0x2070, "^0"}, {0x00B9, "^1"},
    {0x2074, "^4"},    {0x2075, "^5"},    {0x2076, "^6"},    {0x2077, "^7"}, {0x2078, "^8"},
    {0x2079, "^9"},    {0x207B, "^-"},    {0x25CB, "o"},     {0x25C6, "<>"}, {0x25B2, "^"},
    {0x25BC, "v"},     {0x25B6, ">"},     {0x25C0, "<"},     {0x2500, "-"},  {0x2502, "|"},
    {0x250C, "+"},     {0x2510, "+"},     {0x2514, "+"},     {0x2518, "+"},  {0x251C, "+"},
    {0x2550, "="},
};

}  // namespace

FontFiles installed_font_files() {
    const Faces& faces = installed_faces();
    const auto paths = [](const FaceList& from) {
        std::vector<std::string> all;
        for (const auto& face : from)
            all.push_back(face->path);
        return all;
    };
    return {paths(faces.regular), paths(faces.mono), faces.has_inter, faces.has_jetbrains};
}

bool lacks_characters(const ImFont& font) {
    return std::ranges::any_of(glyph_replacements,
                               [&](const GlyphReplacement& one) { return !find_glyph(font, one.mark); });
}

std::string replace_missing_characters(const ImFont& font, std::string_view text) {
    std::string written;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t length = 1;
        while (at + length < text.size() && is_continuation_byte(text[at + length]))
            ++length;
        const std::string_view character = text.substr(at, length);
        at += length;
        const auto found = length == 1
                               ? std::end(glyph_replacements)
                               : std::ranges::find_if(glyph_replacements, [&](const GlyphReplacement& one) {
                                     return utf8(one.mark) == character;
                                 });
        const bool lacks = found != std::end(glyph_replacements) && !find_glyph(font, found->mark);
        written += lacks ? found->words : character;
    }
    return written;
}

std::array<ImFont*, 7> load_fonts(float scale, FontSource source) {
    static const Faces none;
    const Faces& faces = source == FontSource::installed ? installed_faces() : none;
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    clear_fonts(atlas);

    const FaceStyle styles[7] = {
        {&faces.regular, 15}, {&faces.strong, 15}, {&faces.regular, 13}, {&faces.strong, 13},
        {&faces.strong, 18},  {&faces.strong, 24}, {&faces.mono, 13},
    };
    std::deque<ImVector<ImWchar>> ranges;  // ImGui keeps pointers into it until the atlas is built

    std::array<ImFont*, 7> fonts{};
    for (std::size_t i = 0; i < fonts.size(); ++i) {
        const FaceStyle& style = styles[i];
        ImFontGlyphRangesBuilder covered;
        for (const auto& face : *style.faces) {
            const ImVector<ImWchar> added = add_ranges(*face, covered);
            if (added.size() == 1) continue;
            ranges.push_back(added);
            ImFontConfig config;
            config.FontDataOwnedByAtlas = false;
            config.FontNo = face->index;
            config.MergeMode = fonts[i] != nullptr;
            config.GlyphRanges = ranges.back().Data;
            // ImGui's FreeType builder truncates the size to whole pixels.
            const float pixels = std::max(6.0F, std::round(style.em * scale * face->height_per_em));
            ImFont* font = atlas.AddFontFromMemoryTTF(const_cast<char*>(face->bytes.data()),
                                                      static_cast<int>(face->bytes.size()), pixels, &config);
            if (!fonts[i]) fonts[i] = font;
        }
        if (!fonts[i]) {
            ImFontConfig config;
            config.SizePixels = std::round(style.em * scale);
            fonts[i] = atlas.AddFontDefault(&config);
        }
    }
    finish_fonts(atlas);

    for (std::size_t i = 0; i < fonts.size(); ++i) {
        ImFont& font = *fonts[i];
        // In a monospaced face a "thin" space is missing or as wide as a digit, which would tear numbers
        // apart. Between its wide digits, a thin space must be wider than in other faces to be visible.
        const bool monospaced = styles[i].faces == &faces.mono;
        const float min_width =
            std::max(2.0F, std::round((monospaced ? 0.38F : 0.26F) * styles[i].em * scale));
        set_space(font, thin_space, min_width);
        set_space(font, narrow_no_break_space, min_width);
        if (!find_glyph(font, no_break_space)) set_space(font, no_break_space, char_advance(font, ' '));
    }
    return fonts;
}

}  // namespace gridstride::ui
