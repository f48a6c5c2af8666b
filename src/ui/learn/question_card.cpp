#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "jobs/question_job.h"
#include "ui/learn/question.h"
#include "ui/panels/panels.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

CardStyle card_style(Density density) {
    const Theme& t = theme();
    const auto px = [&](float design_pixels) { return std::round(t.px(design_pixels)); };
    switch (density) {
        case Density::comfortable:
            return {density, TextStyle::body, TextStyle::body, px(12), px(4), px(5)};
        case Density::compact:
            return {density, TextStyle::body, TextStyle::note, px(12), px(4), px(3)};
        default:
            return {density, TextStyle::note, TextStyle::note, px(8), px(2), px(2)};
    }
}

Question question_at(Workspace& workspace, std::size_t block) {
    Session& session = workspace.session;
    return {workspace, get_question(session.shown_step(), block), session.prediction(block), block};
}

std::optional<std::size_t> pinned_question(Workspace& workspace) {
    const Session& session = workspace.session;
    for (const std::size_t block : question_blocks(session.shown_step())) {
        if (workspace.last_decided == workspace.question_id(block) &&
            !question_at(workspace, block).prediction.is_skipped)
            return block;
    }
    return session.open_question();
}

void add_text(CardRows& rows, const Spans& words, TextStyle type, float width, std::optional<ImU32> color) {
    rows.push_back({spans_height(words, type, width),
                    [words, type, width, color] { draw_spans(words, type, width, color); }});
}

void add_why_wrong(CardRows& rows, const Outcome& outcome, const CardStyle& style, float width) {
    if (!outcome.why_wrong.empty()) add_text(rows, parse_spans(outcome.why_wrong), style.words, width);
}

namespace {

void add_verdict(CardRows& rows, const Question& question, const CardStyle& style, float width) {
    const Outcome& outcome = *question.prediction.outcome;
    add_text(rows, parse_spans(outcome.explanation), style.words, width);
    for (const std::string& recorded : recorded_answer_texts(question))
        add_text(rows, {{recorded}}, TextStyle::note, width, theme().palette().quiet);
}

void add_ask_again(CardRows& rows, const Question& question) {
    const ButtonOptions options{.emphasis = Emphasis::quiet, .is_small = true};
    rows.push_back({button_size(tr("Ask again"), options).y, [question, options] {
                        // Aligns the button's text, not its face, with the rows above.
                        const glm::vec2 at = ImGui::GetCursorScreenPos();
                        set_cursor({at.x - std::round(theme().px(8)), at.y});
                        if (!button(fmt::format("story.again.{}", question.index), tr("Ask again"), options))
                            return;
                        question.workspace.mark_drafts.erase(question.name());
                        question.workspace.raised_hands.erase(question.name());
                        question.workspace.session.reset_question(question.index);
                    }});
}

ButtonOptions inside_button_options() {
    return {.is_small = true, .tooltip = tr("Shows what the invocations did there, traced on this device")};
}
std::string inside_button_label(const InsideBlock& block) {
    return tr("See it inside: {}", describe_moment(block));
}

/// Adds the "See it inside" button of the block after the question, once all questions of the step are
/// closed.
void add_inside_button(CardRows& rows, const Question& question) {
    Workspace& workspace = question.workspace;
    const Session& session = workspace.session;
    const std::vector<Block>& blocks = session.shown_step().blocks;
    const std::size_t next = question.index + 1;
    const auto* const inside = next < blocks.size() ? std::get_if<InsideBlock>(&blocks[next]) : nullptr;
    if (!inside || session.has_open_question() || pinned_question(workspace) != question.index) return;
    rows.push_back({button_size(inside_button_label(*inside), inside_button_options()).y,
                    [&workspace, block = *inside, next] { draw_inside_button(workspace, block, next); }});
}

const char* card_heading(const Prediction& prediction, const PredictBlock& block) {
    if (prediction.is_skipped) return tr("Skipped");
    return block.is_by_chance ? tr("Before you run it (the result may differ from run to run)")
                              : tr("Before you run it");
}

}  // namespace

void draw_inside_button(Workspace& workspace, const InsideBlock& block, std::size_t index) {
    if (!button(fmt::format("story.inside.{}", index), inside_button_label(block), inside_button_options()))
        return;
    workspace.inside.show_moment(workspace.session, block.workgroup, block.kernel_line, block.step);
    open_tab(workspace, "inside");
}

CardRows make_card_rows(const Question& question, const CardStyle& style, float width) {
    const Palette& palette = theme().palette();
    const PredictBlock& block = question.block;
    const Prediction& prediction = question.prediction;
    CardRows rows;
    if (prediction.outcome)
        add_text(rows,
                 {{verdict_text(*prediction.outcome, describe_result(block, *prediction.outcome)), true}},
                 TextStyle::body, width, verdict_color(prediction.outcome->result));
    else if (style.density != Density::dense)
        add_text(rows, {{card_heading(prediction, block), true}}, style.words, width);
    add_text(rows, parse_spans(block.question), style.words, width,
             prediction.outcome ? std::optional(palette.quiet) : std::nullopt);
    if (style.density == Density::comfortable) rows.push_back({style.between, [] {}});
    if (!block.choices.empty())
        add_choices(rows, question, style, width);
    else if (block.guess)
        add_guess(rows, question, style, width);
    else if (!block.items.empty())
        add_order(rows, question, style, width);
    else
        add_marks(rows, question, style, width);

    const auto note = [&](std::string words) {
        add_text(rows, {{std::move(words)}}, TextStyle::note, width, palette.quiet);
    };
    if (!prediction.is_closed() && question.workspace.session.kernel_edit())
        note(tr("Predictions always use the lesson's {}, not yours.",
                question.workspace.session.lesson().user_source().noun));
    const bool is_traced = needs_trace(block);
    if (is_traced && !prediction.is_closed() && !prediction.is_pending)
        note(tr("Decided by a trace, which is not timed."));
    const QuestionJob* const job = question.workspace.session.question_job(question.index);
    if (job && job->measures_longer())
        note(tr("Still too close: measuring longer …"));
    else if (prediction.is_pending)
        note(is_traced ? tr("Tracing and running to decide it …") : tr("Running to decide it …"));
    if (prediction.outcome) add_verdict(rows, question, style, width);
    if (prediction.outcome && is_traced) note(tr("Traced on this device in a separate run."));
    if (!prediction.problem.empty())
        add_text(rows, {{"✗ " + prediction.problem}}, TextStyle::note, width,
                 theme().text_color(ColorRole::wrong));
    add_inside_button(rows, question);
    if (prediction.is_closed() && !prediction.is_pending) add_ask_again(rows, question);
    return rows;
}

FittedCard::FittedCard(Question question, float width, float max_height)
    : question_(question), width_(width) {
    for (const Density density : {Density::comfortable, Density::compact, Density::dense}) {
        style_ = card_style(density);
        rows_ = make_card_rows(question_, style_, width_ - 2 * style_.padding);
        height_ = 2 * style_.padding + style_.between * static_cast<float>(rows_.size() - 1);
        for (const CardRow& row : rows_)
            height_ += row.height;
        height_ = std::ceil(height_);
        if (height_ <= max_height) return;
    }
    height_ = max_height;
    scrolls_ = true;
    // Where the scroll bar is wider than the padding, it would cover the ends of lines.
    const float covered_width = std::max(0.0F, ImGui::GetStyle().ScrollbarSize - style_.padding);
    rows_ = make_card_rows(question_, style_, width_ - 2 * style_.padding - covered_width);
}

void FittedCard::draw_at(glm::vec2 corner) const {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    const std::string id =
        fmt::format("story.card.{}.{}", question_.workspace.session.step(), question_.index);
    const Rect whole{corner, corner + glm::vec2(width_, height_)};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(whole.min, whole.max, palette.raised, t.px(6));
    list->AddRect(whole.min, whole.max, question_.prediction.is_closed() ? palette.line : palette.kernel,
                  t.px(6));
    glm::vec2 at = corner + glm::vec2(style_.padding);
    if (scrolls_) {
        begin_panel(id, whole.min, whole.size(), with_alpha(palette.raised, 0), true,
                    style_.padding / t.scale());
        at = ImGui::GetCursorScreenPos();
    } else {
        register_widget(id, "card", whole.min, whole.max);
    }
    for (const CardRow& row : rows_) {
        set_cursor(at);
        {
            std::optional<TabOrderFirst> first;
            if (row.answers) first.emplace();
            row.draw();
        }
        at.y += row.height + style_.between;
    }
    if (scrolls_) {
        set_cursor({at.x, at.y - style_.between});
        ImGui::Dummy({0, 0});
        end_panel();
    }
    set_cursor({whole.min.x, whole.max.y});
    ImGui::Dummy({0, 0});
}

}  // namespace gridstride::ui
