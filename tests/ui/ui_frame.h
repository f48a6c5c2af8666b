// ImGui without a window or Vulkan, for tests of widgets: frames with a simulated mouse and keyboard.
#pragma once

#include <imgui.h>

#include "test_includes.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

/// The area that UiFrames draws on.
inline const Rect screen{{0, 0}, {800, 600}};

class UiFrames {
 public:
    explicit UiFrames(Mode mode = Mode::dark, float scale = 1, FontSource fonts = FontSource::installed) {
        context_ = ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().BackendFlags |= renderer_flags;
        map_keys_without_window();
        theme_.emplace(mode, scale, fonts);
        set_theme(&*theme_);
    }
    ~UiFrames() {
        set_theme(nullptr);
        theme_.reset();
        ImGui::DestroyContext(context_);
    }
    UiFrames(const UiFrames&) = delete;
    UiFrames& operator=(const UiFrames&) = delete;

    const Theme& theme() const { return *theme_; }
    Theme& theme() { return *theme_; }

    /// The state of the mouse in the next frames.
    ImVec2 mouse{-1000, -1000};
    bool mouse_down = false;

    void frame(const std::function<void()>& body, const std::function<void()>& feed = {}) {
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = screen.size();
        io.DeltaTime = 1.0F / 60;
        feed_mouse_position(mouse);
        feed_mouse_button(0, mouse_down);
        if (feed) feed();
        ImGui::NewFrame();
        begin_widgets();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({400, 600});
        ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoNav);
        body();
        ImGui::End();
        ImGui::Render();
    }

    static const WidgetRect* find(const std::string& id) {
        for (const WidgetRect& widget : widget_map())
            if (widget.id == id) return &widget;
        return nullptr;
    }

    /// The value that the widget shows.
    static std::string widget_value(const std::string& id) {
        const WidgetRect* widget = find(id);
        return widget ? widget->value : "not there";
    }
    static Rect widget_rect(const std::string& id) {
        const WidgetRect* widget = find(id);
        EXPECT_NE(widget, nullptr) << id;
        return widget ? Rect{widget->min, widget->max} : Rect{{0, 0}, {0, 0}};
    }

    /// Moves the mouse, presses and releases its button; `body` draws every frame.
    void click_at(ImVec2 position, const std::function<void()>& body) {
        mouse = position;
        frame(body);
        mouse_down = true;
        frame(body);
        mouse_down = false;
        frame(body);
    }
    void click(const std::string& id, const std::function<void()>& body) {
        frame(body);
        click_at(widget_rect(id).centre(), body);
    }

    void press(Key key, const std::function<void()>& body, Modifiers modifiers = {}) {
        frame(body, [&] {
            feed_modifiers(modifiers);
            feed_key(key, true);
        });
        frame(body, [&] {
            feed_key(key, false);
            feed_modifiers({});
        });
    }

 private:
    ImGuiContext* context_ = nullptr;
    std::optional<Theme> theme_;
};

/// A test whose `body_` draws each frame.
class DrawnTest : public testing::Test {
 protected:
    void frame(const std::function<void()>& feed = {}) { ui_.frame(body_, feed); }
    void frames(int count = 4) {
        for (int i = 0; i < count; ++i)
            frame();
    }
    void move_to(glm::vec2 position) {
        ui_.mouse = position;
        frame();
    }
    void click_at(glm::vec2 position) { ui_.click_at(position, body_); }
    void click(const std::string& id) { ui_.click(id, body_); }
    void press(Key key, Modifiers modifiers = {}) { ui_.press(key, body_, modifiers); }
    void type(const std::string& text) {
        frame([&] { feed_text(text); });
    }
    void focus(const std::string& id) {
        focus_widget(id);
        frames(2);
    }
    void set(const std::string& id, const std::string& value) {
        request_value(id, value);
        frame();
    }
    static const WidgetRect* find(const std::string& id) { return UiFrames::find(id); }
    static std::string widget_value(const std::string& id) { return UiFrames::widget_value(id); }
    static Rect widget_rect(const std::string& id) { return UiFrames::widget_rect(id); }

    UiFrames ui_;
    std::function<void()> body_;
};

}  // namespace gridstride::ui
