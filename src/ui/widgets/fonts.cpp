#include "ui/widgets/fonts.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <imgui_freetype.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "ui/widgets/font_files.h"

namespace gridstride::ui {
namespace {

constexpr ImWchar kThinSpace = 0x2009;
constexpr ImWchar kNarrowNoBreakSpace = 0x202F;
constexpr ImWchar kNoBreakSpace = 0x00A0;

struct Range {
    ImWchar first, last;
};
/// What the app writes: French and its neighbours, units, arithmetic, arrows, marks. Few, because every glyph
/// of every size is drawn at start.
constexpr Range kWanted[] = {
    {0x20, 0x7E},     {0xA0, 0x17F},    {0x391, 0x3A9},   {0x3B1, 0x3C9},   {0x2009, 0x200A},
    {0x2010, 0x2015}, {0x2018, 0x201E}, {0x2020, 0x2022}, {0x2026, 0x2026}, {0x202F, 0x2030},
    {0x2032, 0x2033}, {0x2039, 0x203A}, {0x2070, 0x2071}, {0x2074, 0x208E}, {0x20AC, 0x20AC},
    {0x2122, 0x2122}, {0x2190, 0x2195}, {0x21D2, 0x21D2}, {0x2202, 0x2202}, {0x2206, 0x2208},
    {0x220F, 0x220F}, {0x2211, 0x2213}, {0x221A, 0x221A}, {0x221E, 0x221E}, {0x222B, 0x222B},
    {0x2248, 0x2248}, {0x2260, 0x2260}, {0x2264, 0x2265}, {0x226A, 0x226B}, {0x22C5, 0x22C5},
    {0x2308, 0x230B}, {0x25A0, 0x25A1}, {0x25B2, 0x25C3}, {0x25C6, 0x25C6}, {0x25CB, 0x25CB},
    {0x25CF, 0x25CF}, {0x2713, 0x2713}, {0x2717, 0x2717}, {0x26A0, 0x26A0}, {0xFFFD, 0xFFFD},
};

struct PatternDelete {
    void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
struct CharSetDelete {
    void operator()(FcCharSet* set) const { FcCharSetDestroy(set); }
};

struct Face {
    std::string path;
    int index = 0;
    std::string bytes;
    std::unique_ptr<FcCharSet, CharSetDelete> glyphs;
    float height_per_em = 1.2F;  ///< ascender to descender, what ImGui calls a font's size

    bool has(ImWchar character) const { return FcCharSetHasChar(glyphs.get(), character) != FcFalse; }
};

/// FreeType's and stb's "pixel height" runs from ascender to descender; type is specified by its em.
float measure_height_per_em(const Face& face) {
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

/// The installed face of exactly this family; fontconfig alone would answer with its nearest guess.
std::optional<Face> find_face(const char* family, int weight) {
    const std::unique_ptr<FcPattern, PatternDelete> wanted(FcPatternCreate());
    FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
    FcPatternAddInteger(wanted.get(), FC_WEIGHT, weight);
    FcPatternAddInteger(wanted.get(), FC_SLANT, FC_SLANT_ROMAN);
    FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
    FcDefaultSubstitute(wanted.get());
    FcResult result = FcResultNoMatch;
    const std::unique_ptr<FcPattern, PatternDelete> found(FcFontMatch(nullptr, wanted.get(), &result));
    if (!found) return std::nullopt;

    bool same_family = false;
    FcChar8* name = nullptr;
    for (int i = 0; FcPatternGetString(found.get(), FC_FAMILY, i, &name) == FcResultMatch; ++i)
        same_family = same_family || std::string_view(reinterpret_cast<const char*>(name)) == family;
    FcChar8* path = nullptr;
    FcCharSet* glyphs = nullptr;
    if (!same_family || FcPatternGetString(found.get(), FC_FILE, 0, &path) != FcResultMatch ||
        FcPatternGetCharSet(found.get(), FC_CHARSET, 0, &glyphs) != FcResultMatch)
        return std::nullopt;

    Face face;
    face.path = reinterpret_cast<const char*>(path);
    FcPatternGetInteger(found.get(), FC_INDEX, 0, &face.index);
    face.glyphs.reset(FcCharSetCopy(glyphs));
    try {
        face.bytes = read_file(face.path);
    } catch (const FileError&) {
        return std::nullopt;
    }
    face.height_per_em = measure_height_per_em(face);
    return face;
}

struct Faces {
    // Outermost first: a glyph comes from the first face that has it.
    std::vector<const Face*> regular, strong, mono;
    std::deque<std::optional<Face>> all;
    bool has_inter = false;
    bool has_jetbrains = false;
};

/// Looked up once: a change of scale or language must not read the disk.
const Faces& installed_faces() {
    static const Faces faces = [] {
        Faces found;
        const auto add = [&found](const char* family, int weight) -> const Face* {
            found.all.push_back(find_face(family, weight));
            return found.all.back() ? &*found.all.back() : nullptr;
        };
        const Face* inter = add("Inter", FC_WEIGHT_REGULAR);
        const Face* inter_strong = add("Inter", FC_WEIGHT_DEMIBOLD);
        const Face* jetbrains = add("JetBrains Mono", FC_WEIGHT_REGULAR);
        const Face* dejavu = add("DejaVu Sans", FC_WEIGHT_REGULAR);
        const Face* dejavu_bold = add("DejaVu Sans", FC_WEIGHT_BOLD);
        const Face* dejavu_mono = add("DejaVu Sans Mono", FC_WEIGHT_REGULAR);
        const auto keep = [](std::initializer_list<const Face*> candidates) {
            std::vector<const Face*> kept;
            for (const Face* face : candidates)
                if (face) kept.push_back(face);
            return kept;
        };
        found.regular = keep({inter, dejavu});
        found.strong = keep({inter_strong, dejavu_bold, inter, dejavu});
        found.mono = keep({jetbrains, dejavu_mono, dejavu});
        found.has_inter = inter != nullptr;
        found.has_jetbrains = jetbrains != nullptr;
        return found;
    }();
    return faces;
}

/// The ranges that `from` adds to what earlier faces gave, ended by 0 as ImGui wants them.
std::vector<ImWchar> ranges_of(const Face& from, std::vector<bool>& taken) {
    std::vector<ImWchar> ranges;
    std::size_t number = 0;
    for (const Range& range : kWanted) {
        for (unsigned character = range.first; character <= range.last; ++character, ++number) {
            if (taken[number] || !from.has(static_cast<ImWchar>(character))) continue;
            taken[number] = true;
            const auto c = static_cast<ImWchar>(character);
            if (!ranges.empty() && ranges.back() + 1 == c)
                ranges.back() = c;
            else
                ranges.insert(ranges.end(), {c, c});
        }
    }
    ranges.push_back(0);
    return ranges;
}

std::size_t wanted_count() {
    std::size_t count = 0;
    for (const Range& range : kWanted)
        count += range.last - range.first + 1U;
    return count;
}

/// In a monospaced face a "thin" space is as wide as a digit or missing; numbers would fall apart.
void set_space(ImFont& font, ImWchar space, float advance) {
    for (ImFontGlyph& glyph : font.Glyphs) {
        if (glyph.Codepoint == space) {
            glyph.AdvanceX = advance;
            font.BuildLookupTable();
            return;
        }
    }
    font.AddGlyph(nullptr, space, 0, 0, 0, 0, 0, 0, 0, 0, advance);
    font.BuildLookupTable();
    font.SetGlyphVisible(space, false);
}

struct FaceStyle {
    const std::vector<const Face*>* faces;
    float em;
};

}  // namespace

FontFiles installed_font_files() {
    const Faces& faces = installed_faces();
    const auto paths = [](const std::vector<const Face*>& from) {
        std::vector<std::string> all;
        for (const Face* face : from)
            all.push_back(face->path);
        return all;
    };
    return {paths(faces.regular), paths(faces.mono), faces.has_inter, faces.has_jetbrains};
}

std::array<ImFont*, 7> load_fonts(float scale) {
    const Faces& faces = installed_faces();
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.Clear();
    atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    // Vertical hinting alone: stems stay where the letterforms want them, baselines and x-heights fall on
    // pixels.
    atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
    atlas.TexDesiredWidth = 2048;
    atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;

    const FaceStyle styles[7] = {
        {&faces.regular, 15}, {&faces.strong, 15}, {&faces.regular, 13}, {&faces.strong, 13},
        {&faces.strong, 18},  {&faces.strong, 24}, {&faces.mono, 13},
    };
    // ImGui keeps the pointers of the ranges for as long as the atlas may be built again.
    static std::deque<std::vector<ImWchar>> ranges;
    ranges.clear();

    std::array<ImFont*, 7> fonts{};
    for (std::size_t i = 0; i < fonts.size(); ++i) {
        const FaceStyle& style = styles[i];
        std::vector<bool> taken(wanted_count(), false);
        for (const Face* face : *style.faces) {
            std::vector<ImWchar> wanted = ranges_of(*face, taken);
            if (wanted.size() == 1) continue;
            ranges.push_back(std::move(wanted));
            ImFontConfig config;
            config.FontDataOwnedByAtlas = false;
            config.FontNo = face->index;
            config.MergeMode = fonts[i] != nullptr;
            config.GlyphRanges = ranges.back().data();
            config.OversampleH = 2;
            config.OversampleV = 1;
            // ImGui's FreeType builder cuts the size to whole pixels.
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
    atlas.Build();

    for (std::size_t i = 0; i < fonts.size(); ++i) {
        ImFont& font = *fonts[i];
        // Among wide digits that stand apart anyhow, a thin space must be wider to be seen.
        const bool monospaced = styles[i].faces == &faces.mono;
        const float thin = std::max(2.0F, std::round((monospaced ? 0.38F : 0.26F) * styles[i].em * scale));
        set_space(font, kThinSpace, thin);
        set_space(font, kNarrowNoBreakSpace, thin);
        if (!font.FindGlyphNoFallback(kNoBreakSpace))
            set_space(font, kNoBreakSpace, font.GetCharAdvance(static_cast<ImWchar>(' ')));
    }
    return fonts;
}

}  // namespace gridstride::ui
