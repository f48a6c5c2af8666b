
#include <algorithm>
#include <cmath>

#include "ui/learn/last_page.h"
#include "ui/learn/learn.h"
#include "ui/learn/question.h"
#include "ui/panels/panels.h"
#include "ui/panels/stage_tabs.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

// Design pixels.
constexpr float margin = 24;
constexpr float foot_height = 56;
constexpr float max_question_width = 720;
constexpr float verdict_fraction = 0.42F;  ///< of the width; the picture gets the rest

void draw_outcome(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const float strip = area.max.y - run_strip_height();
    const Rect picture{area.min, {area.max.x, strip - std::round(t.px(12))}};
    begin_panel("present.stage", picture.min, picture.size(), no_fill, true, 0);
    draw_picture_tab(workspace, Pictures::leading);
    end_panel();
    draw_run_strip(workspace, {{area.min.x, strip}, area.max});
}

void draw_present_foot(Workspace& workspace, const Rect& area, std::optional<std::size_t> pinned) {
    const Theme& t = theme();
    Session& session = workspace.session;
    const Prediction* prediction = pinned ? &session.prediction(*pinned) : nullptr;
    const bool open = prediction && !prediction->is_closed();
    const glm::vec2 size = button_size(tr("Reveal"), {.shortcut = "F5"});
    const float y = std::floor(area.centre().y - size.y / 2);
    const TabOrderFirst first;
    if (open) {
        const bool answered = session.prediction_to_decide() == pinned;
        set_cursor({area.min.x, y});
        if (button("present.reveal", tr("Reveal"),
                   {.emphasis = Emphasis::primary,
                    .is_enabled = answered,
                    .shortcut = "F5",
                    .tooltip = answered ? std::string_view{} : tr("Choose an answer first")}))
            workspace.decide(*pinned);
    }
    const std::string words =
        tr("{} of {} · ← → step · Esc leaves", session.step() + 1, session.story().steps.size());
    const float line = t.line_height(TextStyle::note);
    draw_text_right(ImGui::GetWindowDrawList(), TextStyle::note,
                    {area.max.x, std::floor(area.centre().y - line / 2)}, t.palette().quiet, words);
}

}  // namespace

float presentation_scale(float scale, glm::vec2 window) {
    // The page needs 800 by 460 design pixels for any question.
    const float room = std::min(window.x / 800, window.y / 460);
    return std::clamp(room, scale, std::max(scale, 2 * scale));
}

void draw_presentation(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    Session& session = workspace.session;
    begin_panel("present", area.min, area.size(), no_fill, false, 0);
    if (is_on_last_page(workspace)) {
        draw_last_page(workspace, area.expanded(glm::vec2(-std::round(t.px(margin)))));
        end_panel();
        return;
    }
    const float away = std::round(t.px(margin));
    const Rect inner = area.expanded(glm::vec2(-away));
    const Rect foot{{inner.min.x, area.max.y - std::round(t.px(foot_height))}, {inner.max.x, area.max.y}};
    const Rect room{inner.min, {inner.max.x, foot.min.y}};
    const auto pinned = pinned_question(workspace);
    if (!pinned) {
        set_cursor(room.min);
        text_wrapped(TextStyle::step_title, palette.text, session.shown_step().title, room.width());
        draw_outcome(workspace,
                     {{room.min.x, ImGui::GetCursorScreenPos().y + std::round(t.px(12))}, room.max});
    } else {
        const Question question = question_at(workspace, *pinned);
        const bool revealed = question.prediction.is_closed();
        const float width = revealed ? std::floor(room.width() * verdict_fraction)
                                     : std::min(room.width(), std::round(t.px(max_question_width)));
        const FittedCard card(question, width, room.height());
        const float left = revealed ? room.min.x : std::floor(room.centre().x - width / 2);
        const float top = revealed ? room.min.y : std::floor(room.centre().y - card.height() / 2);
        card.draw_at({left, top});
        if (revealed) draw_outcome(workspace, {{room.min.x + width + away, room.min.y}, room.max});
    }
    draw_present_foot(workspace, foot, pinned);
    end_panel();
}

}  // namespace gridstride::ui
