#include "ui/widgets/dialog_frame.h"

#include <algorithm>

#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

bool begin_dialog(std::string_view id, std::string_view title, glm::vec2 screen_min, glm::vec2 screen_max,
                  glm::vec2 size) {
    const Theme& t = theme();
    const glm::vec2 screen(screen_max.x - screen_min.x, screen_max.y - screen_min.y);
    // Takes the mouse from what lies under it.
    ImGui::SetNextWindowPos(screen_min);
    ImGui::SetNextWindowSize(screen);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, with_alpha(t.palette().ground, 0.7F));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::Begin(std::string(id).c_str(), nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    keep_keyboard_in_this_window();
    const glm::vec2 wanted{std::min(size.x, screen.x - t.px(32)), std::min(size.y, screen.y - t.px(32))};
    const glm::vec2 at{screen_min.x + (screen.x - wanted.x) / 2, screen_min.y + (screen.y - wanted.y) / 3};
    ImGui::GetWindowDrawList()->AddRect({at.x - 1, at.y - 1}, {at.x + wanted.x + 1, at.y + wanted.y + 1},
                                        t.palette().line);
    begin_panel(std::string(id) + ".panel", at, wanted, t.palette().panel, true, 24);
    text(Type::panel_title, t.palette().text, title);
    gap(12);
    return !key_pressed(Key::escape);
}

void end_dialog() {
    end_panel();
    ImGui::End();
}

}  // namespace gridstride::ui
