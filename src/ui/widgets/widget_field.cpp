// A line of text to type into.
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {
constexpr std::size_t longest_text = 1024;
}

bool text_field(std::string_view id, std::string* value, const FieldOptions& options) {
    const Theme& t = theme();
    const std::string label = "##" + std::string(id);
    const bool typing = active_item() == ImGui::GetID(label.c_str());
    const auto requested = options.enabled ? take_requested_value(id) : std::nullopt;
    if (requested) *value = *requested;
    const FieldFocus focus = field_focus(id_of(id), typing, options.enabled);
    // While it is typed into, ImGui keeps a copy of its own; and a field that has been answered, or that a
    // dialog lies over, gives the keyboard back.
    if (typing && (requested || !focus.reachable || focus.leave)) release_active_item();
    char buffer[longest_text] = {};
    value->copy(buffer, sizeof buffer - 1);
    ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue;
    if (options.decimal) flags |= ImGuiInputTextFlags_CharsDecimal;
    if (!options.enabled) flags |= ImGuiInputTextFlags_ReadOnly;

    ImGui::PushFont(t.font(Type::mono));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {t.px(8), t.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, t.palette().ground);
    ImGui::PushStyleColor(ImGuiCol_Border, t.palette().line);
    if (options.focus || focus.take) give_keyboard_to_next_field(label.c_str());
    ImGui::SetNextItemWidth(options.width > 0 ? options.width : ImGui::GetContentRegionAvail().x);
    const bool entered = ImGui::InputText(label.c_str(), buffer, sizeof buffer, flags);
    if (focus.take && !ImGui::IsItemVisible())
        scroll_into_view({ImGui::GetItemRectMin(), ImGui::GetItemRectMax()});
    if (ImGui::IsItemActive() && options.enabled)
        ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
                                            t.palette().action, t.px(6), 0, t.px(1.5F));
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(2);
    ImGui::PopFont();
    if (options.enabled) *value = buffer;
    register_widget(id, "text", ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), *value);
    return entered && options.enabled;
}

}  // namespace gridstride::ui
