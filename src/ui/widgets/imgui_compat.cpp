#include "ui/widgets/imgui_compat.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#if IMGUI_VERSION_NUM < 18700
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#endif

namespace gridstride::ui {
namespace {

ImRect internal(const Rect& rect) {
    return {rect.min, rect.max};
}
Rect ours(const ImRect& rect) {
    return {rect.Min, rect.Max};
}

struct KeyCodes {
    const char* name;
    int code;
    int keypad;  ///< the same key on the keypad, or -1
};

#if IMGUI_VERSION_NUM < 18700
// The GLFW backend fills io.KeysDown by GLFW's codes; without a window the same codes are used.
#define GRIDSTRIDE_KEY(imgui, glfw) GLFW_KEY_##glfw
bool code_pressed(int code, bool repeat) {
    return ImGui::IsKeyPressed(code, repeat);
}
void code_down(int code, bool down) {
    ImGui::GetIO().KeysDown[code] = down;
}
#else
#define GRIDSTRIDE_KEY(imgui, glfw) ImGuiKey_##imgui
bool code_pressed(int code, bool repeat) {
    return ImGui::IsKeyPressed(static_cast<ImGuiKey>(code), repeat);
}
void code_down(int code, bool down) {
    ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(code), down);
}
#endif

const std::array<KeyCodes, key_count>& key_codes() {
    static const std::array<KeyCodes, key_count> codes = [] {
        std::array<KeyCodes, key_count> table{};
        const auto set = [&table](Key key, const char* name, int code, int keypad = -1) {
            table[static_cast<std::size_t>(key)] = {name, code, keypad};
        };
        set(Key::tab, "tab", GRIDSTRIDE_KEY(Tab, TAB));
        set(Key::left, "left", GRIDSTRIDE_KEY(LeftArrow, LEFT));
        set(Key::right, "right", GRIDSTRIDE_KEY(RightArrow, RIGHT));
        set(Key::up, "up", GRIDSTRIDE_KEY(UpArrow, UP));
        set(Key::down, "down", GRIDSTRIDE_KEY(DownArrow, DOWN));
        set(Key::page_up, "pageup", GRIDSTRIDE_KEY(PageUp, PAGE_UP));
        set(Key::page_down, "pagedown", GRIDSTRIDE_KEY(PageDown, PAGE_DOWN));
        set(Key::home, "home", GRIDSTRIDE_KEY(Home, HOME));
        set(Key::end, "end", GRIDSTRIDE_KEY(End, END));
        set(Key::insert, "insert", GRIDSTRIDE_KEY(Insert, INSERT));
        set(Key::del, "delete", GRIDSTRIDE_KEY(Delete, DELETE));
        set(Key::backspace, "backspace", GRIDSTRIDE_KEY(Backspace, BACKSPACE));
        set(Key::space, "space", GRIDSTRIDE_KEY(Space, SPACE));
        set(Key::enter, "enter", GRIDSTRIDE_KEY(Enter, ENTER), GRIDSTRIDE_KEY(KeypadEnter, KP_ENTER));
        set(Key::escape, "escape", GRIDSTRIDE_KEY(Escape, ESCAPE));
        set(Key::plus, "+", GRIDSTRIDE_KEY(Equal, EQUAL), GRIDSTRIDE_KEY(KeypadAdd, KP_ADD));
        set(Key::minus, "-", GRIDSTRIDE_KEY(Minus, MINUS), GRIDSTRIDE_KEY(KeypadSubtract, KP_SUBTRACT));
        set(Key::digit_0, "0", GRIDSTRIDE_KEY(0, 0), GRIDSTRIDE_KEY(Keypad0, KP_0));
        static constexpr const char* letters[26] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                                    "j", "k", "l", "m", "n", "o", "p", "q", "r",
                                                    "s", "t", "u", "v", "w", "x", "y", "z"};
        for (int i = 0; i < 26; ++i)
            set(static_cast<Key>(static_cast<int>(Key::a) + i), letters[i], GRIDSTRIDE_KEY(A, A) + i);
        static constexpr const char* functions[12] = {"f1", "f2", "f3", "f4",  "f5",  "f6",
                                                      "f7", "f8", "f9", "f10", "f11", "f12"};
        for (int i = 0; i < 12; ++i)
            set(static_cast<Key>(static_cast<int>(Key::f1) + i), functions[i], GRIDSTRIDE_KEY(F1, F1) + i);
        return table;
    }();
    return codes;
}

const KeyCodes& codes_of(Key key) {
    return key_codes()[static_cast<std::size_t>(key)];
}

}  // namespace

bool key_pressed(Key key, bool repeat) {
    const KeyCodes& codes = codes_of(key);
    return code_pressed(codes.code, repeat) || (codes.keypad >= 0 && code_pressed(codes.keypad, repeat));
}

Modifiers modifiers_down() {
    const ImGuiIO& io = ImGui::GetIO();
    return {.ctrl = io.KeyCtrl, .shift = io.KeyShift, .alt = io.KeyAlt};
}

bool key_pressed_with(Key key, Modifiers modifiers, bool repeat) {
    Modifiers down = modifiers_down();
    if (key == Key::plus) down.shift = modifiers.shift;
    return down == modifiers && key_pressed(key, repeat);
}

std::optional<Key> key_named(std::string_view name) {
    std::string wanted;
    for (const char c : name)
        if (c != ' ' && c != '_') wanted += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (wanted == "plus" || wanted == "=") wanted = "+";
    if (wanted == "minus") wanted = "-";
    if (wanted == "esc") wanted = "escape";
    if (wanted == "return") wanted = "enter";
    if (wanted == "del") wanted = "delete";
    const auto& codes = key_codes();
    const auto found =
        std::find_if(codes.begin(), codes.end(), [&](const KeyCodes& key) { return wanted == key.name; });
    if (found == codes.end()) return std::nullopt;
    return static_cast<Key>(found - codes.begin());
}

void feed_key(Key key, bool down) {
    code_down(codes_of(key).code, down);
}

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

void map_keys_without_window() {
    constexpr std::pair<ImGuiKey_, int> used[] = {
        {ImGuiKey_Tab, GLFW_KEY_TAB},
        {ImGuiKey_LeftArrow, GLFW_KEY_LEFT},
        {ImGuiKey_RightArrow, GLFW_KEY_RIGHT},
        {ImGuiKey_UpArrow, GLFW_KEY_UP},
        {ImGuiKey_DownArrow, GLFW_KEY_DOWN},
        {ImGuiKey_PageUp, GLFW_KEY_PAGE_UP},
        {ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN},
        {ImGuiKey_Home, GLFW_KEY_HOME},
        {ImGuiKey_End, GLFW_KEY_END},
        {ImGuiKey_Insert, GLFW_KEY_INSERT},
        {ImGuiKey_Delete, GLFW_KEY_DELETE},
        {ImGuiKey_Backspace, GLFW_KEY_BACKSPACE},
        {ImGuiKey_Space, GLFW_KEY_SPACE},
        {ImGuiKey_Enter, GLFW_KEY_ENTER},
        {ImGuiKey_Escape, GLFW_KEY_ESCAPE},
        {ImGuiKey_KeyPadEnter, GLFW_KEY_KP_ENTER},
        {ImGuiKey_A, GLFW_KEY_A},
        {ImGuiKey_C, GLFW_KEY_C},
        {ImGuiKey_V, GLFW_KEY_V},
        {ImGuiKey_X, GLFW_KEY_X},
        {ImGuiKey_Y, GLFW_KEY_Y},
        {ImGuiKey_Z, GLFW_KEY_Z},
    };
    for (const auto& [key, code] : used)
        ImGui::GetIO().KeyMap[key] = code;
}
bool input_is_waiting() {
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
void map_keys_without_window() {
    // What is fed together belongs to one frame, as before.
    ImGui::GetIO().ConfigInputTrickleEventQueue = false;
}
bool input_is_waiting() {
    return !ImGui::GetCurrentContext()->InputEventsQueue.empty();
}

#endif

void feed_text(std::string_view utf8) {
    ImGui::GetIO().AddInputCharactersUTF8(std::string(utf8).c_str());
}

ImGuiID id_of(std::string_view name) {
    return ImHashStr(name.data(), name.size(), 0x67726964U);
}
void advance_cursor(glm::vec2 size) {
    ImGui::ItemSize(size);
}
bool add_item(const Rect& rect, ImGuiID id) {
    // Before 1.87 ImGui did this where it made an id of a name, and these ids it does not make.
    if (id != 0) ImGui::KeepAliveID(id);
    return ImGui::ItemAdd(internal(rect), id);
}
Press press_of(const Rect& rect, ImGuiID id, bool on_down) {
    Press press;
    press.clicked = ImGui::ButtonBehavior(
        internal(rect), id, &press.hovered, &press.held,
        on_down ? ImGuiButtonFlags_PressedOnClick : ImGuiButtonFlags_PressedOnClickRelease);
    return press;
}
bool is_hovered(const Rect& rect, ImGuiID id) {
#if IMGUI_VERSION_NUM < 18980
    return ImGui::ItemHoverable(internal(rect), id);
#else
    return ImGui::ItemHoverable(internal(rect), id, ImGuiItemFlags_None);
#endif
}
void take_mouse(ImGuiID id, ImGuiMouseButton button) {
    ImGuiContext& context = *ImGui::GetCurrentContext();
    ImGui::SetActiveID(id, context.CurrentWindow);
    context.ActiveIdSource = ImGuiInputSource_Mouse;
    context.ActiveIdMouseButton = static_cast<ImS8>(button);
}
ImGuiID active_item() {
    return ImGui::GetActiveID();
}
void give_keyboard_to_next_field([[maybe_unused]] const char* label) {
#if IMGUI_VERSION_NUM < 18700
    ImGui::SetKeyboardFocusHere();
#else
    // There SetKeyboardFocusHere() does nothing where ImGui's own navigation is off.
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
void take_wheel([[maybe_unused]] bool active) {
#if IMGUI_VERSION_NUM < 18900
    ImGuiContext& context = *ImGui::GetCurrentContext();
    context.HoveredIdUsingMouseWheel = true;
    if (active) context.ActiveIdUsingMouseWheel = true;
#else
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
#endif
}
void expect_typing() {
    ImGui::GetCurrentContext()->WantTextInputNextFrame = 1;
}

void scroll_into_view(const Rect& rect) {
    ImGui::ScrollToRect(ImGui::GetCurrentWindow(), internal(rect), ImGuiScrollFlags_KeepVisibleEdgeY);
}
Rect window_view() {
    return ours(ImGui::GetCurrentWindow()->InnerRect);
}
Rect window_clip() {
    return ours(ImGui::GetCurrentWindow()->ClipRect);
}
bool window_is_hidden() {
    return ImGui::GetCurrentWindow()->SkipItems;
}
ImGuiID root_window() {
    return ImGui::GetCurrentWindow()->RootWindow->ID;
}
bool wheel_scrolls_window() {
    for (const ImGuiWindow* window = ImGui::GetCurrentWindow(); window != nullptr;
         window = (window->Flags & ImGuiWindowFlags_ChildWindow) ? window->ParentWindow : nullptr)
        if (window->ScrollMax.y > 0 && !(window->Flags & ImGuiWindowFlags_NoScrollWithMouse)) return true;
    return false;
}
void set_right_edge(float x) {
    ImGui::GetCurrentWindow()->WorkRect.Max.x = x;
}

void open_popup(ImGuiID id) {
    ImGui::OpenPopupEx(id);
}
bool begin_popup(ImGuiID id) {
    return ImGui::BeginPopupEx(id, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoSavedSettings |
                                       ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize);
}
bool popup_is_open(ImGuiID id) {
    return ImGui::IsPopupOpen(id, 0);
}
std::optional<ImGuiID> top_popup() {
    const auto& open = ImGui::GetCurrentContext()->OpenPopupStack;
    if (open.empty()) return std::nullopt;
    return open.back().Window ? open.back().Window->RootWindow->ID : 0;
}

}  // namespace gridstride::ui
