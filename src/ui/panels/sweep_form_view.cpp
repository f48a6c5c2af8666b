
#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.h"
#include "ui/panels/panels.h"
#include "ui/widgets/imgui_compat.h"

namespace gridstride::ui {

namespace {

constexpr float buttons_height = 36;  ///< of the row below the fields
constexpr float min_fields_height = 96;

/// Returns the checked form. Checks again only if the form or the bench changed, because every combination is
/// planned.
const ExaminedForm& checked_form(SweepDraft& draft, const Session& session) {
    const auto now = std::tie(draft.form, session.bench().experiment());
    if (draft.checked_inputs != now) {
        draft.checked_form = examine_form(draft.form, *session.bench().prepared());
        draft.checked_inputs = now;
    }
    return draft.checked_form;
}

/// Draws one parameter with its values. `which`: 0 or 1; the second parameter is optional.
void draw_axis(SweepDraft& draft, const Workspace& workspace, std::size_t which,
               const ExaminedForm::Line& checked) {
    const Session& session = workspace.session;
    const Theme& t = theme();
    const std::string& other = draft.form.parameters[1 - which];
    std::vector<Option> options;
    std::vector<std::string> ids;
    if (which == 1) {
        options.push_back({"none", tr("Sweep one parameter, drawn as lines")});
        ids.emplace_back();
    }
    std::size_t index = 0;
    for (const Parameter& parameter : session.lesson().parameters) {
        if (parameter.id == other) continue;
        if (parameter.id == draft.form.parameters[which]) index = ids.size();
        options.push_back({parameter.label, parameter.help});
        ids.push_back(parameter.id);
    }
    const std::string number = std::to_string(which + 1);
    if (choice("sweep.parameter." + number, which == 0 ? tr("Over") : tr("and"), options, &index,
               TextStyle::body))
        draft.form.parameters[which] = ids[index];
    const std::string& id = draft.form.parameters[which];
    if (id.empty()) return;
    gap(4);
    if (!draft.form.texts.contains(id))
        draft.form.texts[id] =
            suggest_values(*find(session.lesson().parameters, id), session.bench().values().at(id),
                           *session.device(), workspace.slider_range(id));
    text_field("sweep.values." + number, &draft.form.texts[id]);
    gap(2);
    const std::string words = checked.is_bad ? "✗ " + checked.text : checked.text;
    named_text("sweep.values." + number + ".said", TextStyle::note,
               checked.is_bad ? t.text_color(ColorRole::wrong) : t.palette().quiet, words);
}

void draw_axes(SweepDraft& draft, const Workspace& workspace, const ExaminedForm& checked) {
    const Theme& t = theme();
    if (ImGui::GetContentRegionAvail().x < t.px(472)) {
        draw_axis(draft, workspace, 0, checked.axes[0]);
        gap(8);
        draw_axis(draft, workspace, 1, checked.axes[1]);
        return;
    }
    // With ImGui's spacing the columns would have margins, which the rows below do not have.
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, ImGui::GetStyle().ItemSpacing.y});
    const float left = ImGui::GetCursorScreenPos().x, width = ImGui::GetContentRegionAvail().x;
    ImGui::Columns(2, "sweep.axes", false);
    set_right_edge(left + width / 2 - t.px(12));
    draw_axis(draft, workspace, 0, checked.axes[0]);
    ImGui::NextColumn();
    set_right_edge(left + width);
    draw_axis(draft, workspace, 1, checked.axes[1]);
    ImGui::Columns(1);
    ImGui::PopStyleVar();
}

void draw_variant_toggles(SweepDraft& draft, const Session& session) {
    ButtonRows row(ImGui::GetContentRegionAvail().x, std::round(theme().px(4)));
    for (const Variant& variant : session.lesson().variants) {
        const bool is_selected = draft.form.selected.contains(variant.id);
        if (!row.add("sweep.variant." + variant.id, (is_selected ? "✓ " : "    ") + variant.id,
                     {.is_selected = is_selected, .is_small = true, .tooltip = variant.title}))
            continue;
        if (draft.form.selected.erase(variant.id) == 0) draft.form.selected.insert(variant.id);
    }
}

void draw_variants(SweepDraft& draft, const Session& session) {
    const std::vector<Option> options = {
        {"current", tr("The one on the bench: {}", session.bench().variant())},
        {"all", tr("All {} of this lesson", session.lesson().variants.size())},
        {"some", tr("The ticked ones")}};
    auto index = static_cast<std::size_t>(draft.form.variants);
    if (choice("sweep.variants", tr("Variants"), options, &index, TextStyle::body)) {
        draft.form.variants = static_cast<SweptVariants>(index);
        if (draft.form.variants == SweptVariants::some && draft.form.selected.empty())
            draft.form.selected.insert(session.bench().variant());
    }
    if (draft.form.variants != SweptVariants::some) return;
    gap(4);
    draw_variant_toggles(draft, session);
}

void draw_samples(SweepDraft& draft, const ExaminedForm& checked) {
    const Theme& t = theme();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, field = t.px(96);
    const float height = t.px(34);
    draw_text(ImGui::GetWindowDrawList(), TextStyle::body,
              {start.x, start.y + std::floor((height - t.line_height(TextStyle::body)) / 2)},
              t.palette().quiet, tr("Samples per cell"));
    set_cursor({start.x + width - field, start.y});
    text_field("sweep.samples", &draft.form.samples, {.width = field});
    if (checked.samples_problem.empty()) return;
    gap(2);
    note_text(checked.samples_problem, Severity::refusal);
}

void draw_form_result(const ExaminedForm& checked) {
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    std::string all;
    for (const std::string& problem : checked.problems) {
        note_text(problem, Severity::refusal);
        all += problem + " ";
    }
    if (!checked.cells.empty()) {
        text_wrapped(TextStyle::body, theme().palette().text, checked.cells);
        all += checked.cells;
    }
    if (!checked.refused.empty()) {
        note_text(checked.refused, Severity::caution);
        all += " " + checked.refused;
    }
    if (!all.empty()) register_widget("sweep.said", "text", start, ImGui::GetItemRectMax(), all);
}

void start(Workspace& workspace, SweepDraft& draft) {
    try {
        workspace.session.start_sweep(*draft.checked_form.spec);
        draft.open = false;
    } catch (const Refusal& refused) {
        draft.checked_form.problems = refused.reasons;
        draft.checked_form.spec.reset();
    }
}

/// Draws all fields. Where they are higher than the tab, they scroll above the buttons, so that these are
/// always visible.
void draw_fields(const Workspace& workspace, SweepDraft& draft) {
    const Session& session = workspace.session;
    const Theme& t = theme();
    constexpr float padding = 12;
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const glm::vec2 room = ImGui::GetContentRegionAvail();
    const float max_height = std::max(room.y + t.px(padding - buttons_height), t.px(min_fields_height));
    begin_panel("sweep.fields", start - glm::vec2(t.px(padding)),
                {room.x + 2 * t.px(padding), std::min(draft.fields_height, max_height)}, no_fill, true,
                padding);
    const ExaminedForm checked = checked_form(draft, session);
    draw_axes(draft, workspace, checked);
    gap(4);
    note_text(tr("Write values as 32,64,96, as first:last:×factor or as first:last:step."));
    gap(8);
    draw_variants(draft, session);
    gap(4);
    draw_samples(draft, checked);
    gap(8);
    draw_form_result(checked);
    if (session.kernel_edit())
        note_text(session.lesson().has_programs()
                      ? tr("For this variant the sweep measures your program as it "
                           "last ran, for the others the lesson's own.")
                      : tr("Sweeps measure the lesson's own kernels, not yours."));
    draft.fields_height = std::ceil(ImGui::GetCursorPosY() + t.px(padding));
    end_panel();
}

}  // namespace

void draw_sweep_form(Workspace& workspace, SweepDraft& draft) {
    const Session& session = workspace.session;
    const Theme& t = theme();
    draw_fields(workspace, draft);
    const bool replaces = session.sweeps().state() == SweepState::running;
    if (button("sweep.start", tr("Start the sweep"),
               {.emphasis = Emphasis::primary,
                .is_enabled = checked_form(draft, session).spec.has_value(),
                .tooltip = replaces ? tr("Stops the current sweep. Its rows can still be exported.")
                                    : std::string_view()}))
        start(workspace, draft);
    if (draft.open) {
        ImGui::SameLine(0, t.px(8));
        if (button("sweep.close_form", tr("Close"))) draft.open = false;
    }
}

}  // namespace gridstride::ui
