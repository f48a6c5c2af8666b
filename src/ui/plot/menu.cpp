// The context menu of a plot.
#include "ui/plot/plot_state.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

/// Where the mouse is or, by keyboard, at the plot's corner.
void open(const std::string& id, PlotView& view, const PlotMenu& menu) {
    const bool by_key = menu.opens == MenuOpens::by_key;
    ImGui::OpenPopup("menu");
    view.state->menu_by_key = by_key;
    if (!by_key) return;
    ImGui::SetNextWindowPos(glm::vec2(menu.corner.x + theme().px(16), menu.corner.y + theme().px(16)));
    focus_widget(id + (menu.fits && !view.fitted ? ".menu.fit" : ".menu.copy"));
}

}  // namespace

bool draw_plot_menu(const std::string& id, PlotView& view, const PlotMenu& menu,
                    const std::function<std::string()>& csv) {
    if (menu.opens != MenuOpens::not_now) open(id, view, menu);
    if (!ImGui::BeginPopup("menu")) return false;
    PlotState& state = *view.state;
    bool fitted = false, chosen = false;
    const auto item = [&](const char* name, const char* label, bool enabled = true) {
        const bool pressed =
            button(id + ".menu." + name, label, {.emphasis = Emphasis::quiet, .enabled = enabled});
        chosen = chosen || pressed;
        return pressed;
    };
    if (menu.fits && item("fit", "Fit", !view.fitted)) {
        fit(view);
        fitted = true;
    }
    if (item("copy", "Copy values")) ImGui::SetClipboardText(csv().c_str());
    if (item("csv", "Save values as CSV\u2026")) state.chosen = PlotFile::csv;
    if (item("png", "Save picture as PNG\u2026")) state.chosen = PlotFile::png;
    if (chosen || key_pressed(Key::escape)) {
        ImGui::CloseCurrentPopup();
        if (state.menu_by_key) focus_widget(id);
    }
    ImGui::EndPopup();
    return fitted;
}

}  // namespace gridstride::ui
