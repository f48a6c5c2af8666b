#include "ui/widgets/imgui_compat.h"

#include <imgui_freetype.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#if IMGUI_VERSION_NUM < 18700
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#endif

namespace gridstride::ui {
namespace {

ImRect to_im_rect(const Rect& rect) {
    return {rect.min, rect.max};
}
Rect to_rect(const ImRect& rect) {
    return {rect.Min, rect.Max};
}

#if IMGUI_VERSION_NUM < 18700
// The GLFW backend indexes io.KeysDown by GLFW's codes; without a window the same codes are used.
#define GRIDSTRIDE_KEY(imgui, glfw) GLFW_KEY_##glfw
#else
#define GRIDSTRIDE_KEY(imgui, glfw) ImGuiKey_##imgui
#endif

struct NamedKey {
    Key key;
    const char* name;
    ImGuiKey code;
    ImGuiKey keypad{};  ///< the same key on the keypad; 0 if none
};
/// All keys but letters and function keys.
constexpr NamedKey named_keys[] = {
    {Key::tab, "tab", GRIDSTRIDE_KEY(Tab, TAB)},
    {Key::left, "left", GRIDSTRIDE_KEY(LeftArrow, LEFT)},
    {Key::right, "right", GRIDSTRIDE_KEY(RightArrow, RIGHT)},
    {Key::up, "up", GRIDSTRIDE_KEY(UpArrow, UP)},
    {Key::down, "down", GRIDSTRIDE_KEY(DownArrow, DOWN)},
    {Key::page_up, "pageup", GRIDSTRIDE_KEY(PageUp, PAGE_UP)},
    {Key::page_down, "pagedown", GRIDSTRIDE_KEY(PageDown, PAGE_DOWN)},
    {Key::home, "home", GRIDSTRIDE_KEY(Home, HOME)},
    {Key::end, "end", GRIDSTRIDE_KEY(End, END)},
    {Key::insert, "insert", GRIDSTRIDE_KEY(Insert, INSERT)},
    {Key::del, "delete", GRIDSTRIDE_KEY(Delete, DELETE)},
    {Key::backspace, "backspace", GRIDSTRIDE_KEY(Backspace, BACKSPACE)},
    {Key::space, "space", GRIDSTRIDE_KEY(Space, SPACE)},
    {Key::enter, "enter", GRIDSTRIDE_KEY(Enter, ENTER), GRIDSTRIDE_KEY(KeypadEnter, KP_ENTER)},
    {Key::escape, "escape", GRIDSTRIDE_KEY(Escape, ESCAPE)},
    {Key::plus, "+", GRIDSTRIDE_KEY(Equal, EQUAL), GRIDSTRIDE_KEY(KeypadAdd, KP_ADD)},
    {Key::minus, "-", GRIDSTRIDE_KEY(Minus, MINUS), GRIDSTRIDE_KEY(KeypadSubtract, KP_SUBTRACT)},
    {Key::digit_0, "0", GRIDSTRIDE_KEY(0, 0), GRIDSTRIDE_KEY(Keypad0, KP_0)},
};

ImGuiKey imgui_key(Key key) {
    const auto from = [key](Key first, int code) {
        return static_cast<ImGuiKey>(code + static_cast<int>(key) - static_cast<int>(first));
    };
    if (key >= Key::f1) return from(Key::f1, GRIDSTRIDE_KEY(F1, F1));
    if (key >= Key::a) return from(Key::a, GRIDSTRIDE_KEY(A, A));
    return std::ranges::find(named_keys, key, &NamedKey::key)->code;
}

}  // namespace

bool is_key_pressed(Key key, bool repeat) {
    const auto named_key = std::ranges::find(named_keys, key, &NamedKey::key);
    const bool on_keypad = named_key != std::end(named_keys) && named_key->keypad != 0;
    return ImGui::IsKeyPressed(imgui_key(key), repeat) ||
           (on_keypad && ImGui::IsKeyPressed(named_key->keypad, repeat));
}

Modifiers modifiers_down() {
    const ImGuiIO& io = ImGui::GetIO();
    return {.ctrl = io.KeyCtrl, .shift = io.KeyShift, .alt = io.KeyAlt};
}

bool is_key_pressed_with(Key key, Modifiers modifiers, bool repeat) {
    Modifiers down = modifiers_down();
    if (key == Key::plus) down.shift = modifiers.shift;
    return down == modifiers && is_key_pressed(key, repeat);
}

std::optional<Key> key_from_name(std::string_view name) {
    std::string key_name;
    for (const char c : name)
        if (c != ' ' && c != '_') key_name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (key_name == "plus" || key_name == "=") key_name = "+";
    if (key_name == "minus") key_name = "-";
    if (key_name == "esc") key_name = "escape";
    if (key_name == "return") key_name = "enter";
    if (key_name == "del") key_name = "delete";
    const auto named_key = std::ranges::find(named_keys, key_name, &NamedKey::name);
    if (named_key != std::end(named_keys)) return named_key->key;
    if (key_name.size() == 1 && key_name[0] >= 'a' && key_name[0] <= 'z')
        return static_cast<Key>(key_name[0]);
    for (int number = 1; number <= 12; ++number)
        if (key_name == "f" + std::to_string(number))
            return static_cast<Key>(static_cast<int>(Key::f1) + number - 1);
    return std::nullopt;
}

#if IMGUI_VERSION_NUM < 19200

const ImGuiBackendFlags renderer_flags = ImGuiBackendFlags_RendererHasVtxOffset;

void clear_fonts(ImFontAtlas& atlas) {
    atlas.Clear();
    atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    // Only vertical hinting: stems keep their shape, and baselines and x-heights fall on pixels.
    atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
    atlas.TexDesiredWidth = 2048;
    atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
}
void finish_fonts(ImFontAtlas& atlas) {
    atlas.Build();
    atlas.ClearInputData();
}
ImFontAtlas* shareable_fonts() {
    return ImGui::GetIO().Fonts;
}
ClipboardReader& clipboard_reader() {
    return ImGui::GetIO().GetClipboardTextFn;
}
float font_size(const ImFont& font) {
    return font.FontSize;
}
float font_ascent(const ImFont& font) {
    return font.Ascent;
}
float char_advance(const ImFont& font, ImWchar character) {
    return font.GetCharAdvance(character);
}
const ImFontGlyph* find_glyph(const ImFont& font, ImWchar character) {
    return font.FindGlyphNoFallback(character);
}
void set_space(ImFont& font, ImWchar space, float advance) {
    auto* const found = const_cast<ImFontGlyph*>(font.FindGlyphNoFallback(space));
    if (found)
        found->AdvanceX = advance;
    else
        font.AddGlyph(nullptr, space, 0, 0, 0, 0, 0, 0, 0, 0, advance);
    font.BuildLookupTable();
    if (!found) font.SetGlyphVisible(space, false);
}

#else

namespace {

/// Loading a glyph changes the font, so ImGui's functions that only read are not const.
ImFontBaked& get_baked_font(const ImFont& font) {
    return *const_cast<ImFont&>(font).GetFontBaked(font.LegacySize);
}

}  // namespace

const ImGuiBackendFlags renderer_flags =
    ImGuiBackendFlags_RendererHasVtxOffset | ImGuiBackendFlags_RendererHasTextures;

void clear_fonts(ImFontAtlas& atlas) {
    atlas.Clear();
    atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
    // Only vertical hinting: stems keep their shape, and baselines and x-heights fall on pixels.
    atlas.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
}
void finish_fonts(ImFontAtlas& atlas) {
    for (ImFont* font : atlas.Fonts) {
        get_baked_font(*font);
        // One size a font, which ImGui must not drop while it is not used: it would forget set_space().
        font->Flags |= ImFontFlags_LockBakedSizes;
    }
}
ImFontAtlas* shareable_fonts() {
    return nullptr;
}
ClipboardReader& clipboard_reader() {
    return ImGui::GetPlatformIO().Platform_GetClipboardTextFn;
}
float font_size(const ImFont& font) {
    return font.LegacySize;
}
float font_ascent(const ImFont& font) {
    return get_baked_font(font).Ascent;
}
float char_advance(const ImFont& font, ImWchar character) {
    return get_baked_font(font).GetCharAdvance(character);
}
const ImFontGlyph* find_glyph(const ImFont& font, ImWchar character) {
    return get_baked_font(font).FindGlyphNoFallback(character);
}
void set_space(ImFont& font, ImWchar space, float advance) {
    if (ImFontGlyph* const found = get_baked_font(font).FindGlyphNoFallback(space)) {
        found->AdvanceX = advance;
        get_baked_font(font).IndexAdvanceX[space] = advance;
        return;
    }
    ImFontGlyph glyph;
    glyph.Codepoint = space;
    glyph.AdvanceX = advance;
    ImFontAtlasBakedAddFontGlyph(font.ContainerAtlas, &get_baked_font(font), nullptr, &glyph);
}

#endif

#if IMGUI_VERSION_NUM < 18700

void feed_mouse_position(glm::vec2 position) {
    ImGui::GetIO().MousePos = position;
}
void feed_mouse_button(int button, bool down) {
    ImGui::GetIO().MouseDown[button] = down;
}
void feed_mouse_wheel(float lines) {
    ImGui::GetIO().MouseWheel += lines;
}
void feed_modifiers(Modifiers modifiers) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyCtrl = modifiers.ctrl;
    io.KeyShift = modifiers.shift;
    io.KeyAlt = modifiers.alt;
}

void feed_key(Key key, bool down) {
    ImGui::GetIO().KeysDown[imgui_key(key)] = down;
}

void map_keys_without_window() {
    int* const map = ImGui::GetIO().KeyMap;
    // ImGui's keys are the first of Key in the same order, then Enter of the keypad, and six letters.
    static_assert(ImGuiKey_Escape == static_cast<int>(Key::escape));
    for (int key = ImGuiKey_Tab; key <= ImGuiKey_Escape; ++key)
        map[key] = imgui_key(static_cast<Key>(key));
    map[ImGuiKey_KeyPadEnter] = GLFW_KEY_KP_ENTER;
    int key = ImGuiKey_A;
    for (const char letter : {'a', 'c', 'v', 'x', 'y', 'z'})
        map[key++] = imgui_key(static_cast<Key>(letter));
}
bool has_pending_input() {
    return false;
}

#else

void feed_mouse_position(glm::vec2 position) {
    ImGui::GetIO().AddMousePosEvent(position.x, position.y);
}
void feed_mouse_button(int button, bool down) {
    ImGui::GetIO().AddMouseButtonEvent(button, down);
}
void feed_mouse_wheel(float lines) {
    ImGui::GetIO().AddMouseWheelEvent(0, lines);
}
void feed_modifiers(Modifiers modifiers) {
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, modifiers.ctrl);
    io.AddKeyEvent(ImGuiMod_Shift, modifiers.shift);
    io.AddKeyEvent(ImGuiMod_Alt, modifiers.alt);
}
void feed_key(Key key, bool down) {
    ImGui::GetIO().AddKeyEvent(imgui_key(key), down);
}
void map_keys_without_window() {
    // Process all events of a frame in that frame, as ImGui did before 1.87.
    ImGui::GetIO().ConfigInputTrickleEventQueue = false;
}
bool has_pending_input() {
    return !ImGui::GetCurrentContext()->InputEventsQueue.empty();
}

#endif

void feed_text(std::string_view utf8) {
    ImGui::GetIO().AddInputCharactersUTF8(std::string(utf8).c_str());
}

ImGuiID make_widget_id(std::string_view name) {
    return ImHashStr(name.data(), name.size(), 0x67726964U);
}
void set_cursor(glm::vec2 position) {
    auto& layout = ImGui::GetCurrentWindow()->DC;
    layout.CursorPos = position;
    layout.CursorMaxPos = ImMax(layout.CursorMaxPos, layout.CursorPos);
}
void advance_cursor(glm::vec2 size) {
    ImGui::ItemSize(size);
}
bool add_item(const Rect& rect, ImGuiID id) {
    // Before 1.87, ImGui::GetID() did this; it does not create these ids.
    if (id != 0) ImGui::KeepAliveID(id);
    return ImGui::ItemAdd(to_im_rect(rect), id);
}
Press handle_press(const Rect& rect, ImGuiID id, bool on_down) {
    Press press;
    press.was_clicked = ImGui::ButtonBehavior(
        to_im_rect(rect), id, &press.is_hovered, &press.is_held,
        on_down ? ImGuiButtonFlags_PressedOnClick : ImGuiButtonFlags_PressedOnClickRelease);
    return press;
}
bool is_hovered(const Rect& rect, ImGuiID id) {
#if IMGUI_VERSION_NUM < 18980
    return ImGui::ItemHoverable(to_im_rect(rect), id);
#else
    return ImGui::ItemHoverable(to_im_rect(rect), id, ImGuiItemFlags_None);
#endif
}
void capture_mouse(ImGuiID id, ImGuiMouseButton button) {
    ImGuiContext& context = *ImGui::GetCurrentContext();
    ImGui::SetActiveID(id, context.CurrentWindow);
    context.ActiveIdSource = ImGuiInputSource_Mouse;
    context.ActiveIdMouseButton = static_cast<ImS8>(button);
}
ImGuiID active_item() {
    return ImGui::GetActiveID();
}
void focus_next_field([[maybe_unused]] const char* label) {
#if IMGUI_VERSION_NUM < 18700
    ImGui::SetKeyboardFocusHere();
#else
    // Since 1.87, SetKeyboardFocusHere() has no effect if ImGui's own navigation is off.
    ImGuiContext& context = *ImGui::GetCurrentContext();
    context.NavNextActivateId = ImGui::GetID(label);
    context.NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
#endif
}
void release_active_item() {
    ImGui::ClearActiveID();
}
ImGuiMouseButton active_button() {
    return ImGui::GetCurrentContext()->ActiveIdMouseButton;
}
void capture_wheel([[maybe_unused]] bool is_active) {
#if IMGUI_VERSION_NUM < 18900
    ImGuiContext& context = *ImGui::GetCurrentContext();
    context.HoveredIdUsingMouseWheel = true;
    if (is_active) context.ActiveIdUsingMouseWheel = true;
#else
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
#endif
}
void request_text_input() {
    ImGui::GetCurrentContext()->WantTextInputNextFrame = 1;
}

std::string utf8(ImWchar character) {
    char bytes[5];
    ImTextCharToUtf8(bytes, character);  // writes a 0 behind them
    return bytes;
}

void scroll_into_view(const Rect& rect) {
    ImGui::ScrollToRect(ImGui::GetCurrentWindow(), to_im_rect(rect), ImGuiScrollFlags_KeepVisibleEdgeY);
}
Rect window_inner_rect() {
    return to_rect(ImGui::GetCurrentWindow()->InnerRect);
}
Rect window_clip_rect() {
    return to_rect(ImGui::GetCurrentWindow()->ClipRect);
}
bool is_window_hidden() {
    return ImGui::GetCurrentWindow()->SkipItems;
}
ImGuiID root_window() {
    return ImGui::GetCurrentWindow()->RootWindow->ID;
}
void set_right_edge(float x) {
    ImGui::GetCurrentWindow()->WorkRect.Max.x = x;
}

bool begin_popup(ImGuiID id) {
    return ImGui::BeginPopupEx(id, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoSavedSettings |
                                       ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize);
}
bool is_popup_open(ImGuiID id) {
    return ImGui::IsPopupOpen(id, 0);
}
std::optional<ImGuiID> top_popup() {
    const auto& open = ImGui::GetCurrentContext()->OpenPopupStack;
    if (open.empty()) return std::nullopt;
    return open.back().Window ? open.back().Window->RootWindow->ID : 0;
}

}  // namespace gridstride::ui
