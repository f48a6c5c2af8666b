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

CardLook card_look(Closeness closeness) {
    const Theme& t = theme();
    const auto px = [&](float design_pixels) { return std::round(t.px(design_pixels)); };
    switch (closeness) {
        case Closeness::roomy:
            return {closeness, Type::body, Type::body, px(12), px(4), px(5)};
        case Closeness::close:
            return {closeness, Type::body, Type::note, px(12), px(4), px(3)};
        default:
            return {closeness, Type::note, Type::note, px(8), px(2), px(2)};
    }
}

Question question_at(Workspace& workspace, std::size_t block) {
    Session& session = workspace.session;
    return {workspace, question_in(session.shown_step(), block), session.prediction(block), block};
}

std::optional<std::size_t> pinned_question(Workspace& workspace) {
    const Session& session = workspace.session;
    for (const std::size_t block : questions_of(session.shown_step())) {
        if (workspace.just_decided == workspace.question_name(block) &&
            !question_at(workspace, block).prediction.skipped)
            return block;
    }
    return session.open_question();
}

void add_words(CardRows& rows, const Spans& words, Type type, float width, std::optional<ImU32> color) {
    rows.push_back({spans_height(words, type, width),
                    [words, type, width, color] { draw_spans(words, type, width, color); }});
}

namespace {

void add_verdict(CardRows& rows, const Question& question, const CardLook& look, float width) {
    const Outcome& outcome = *question.prediction.outcome;
    add_words(rows, spans_of(outcome.afterwards), look.words, width);
    for (const std::string& recorded : recorded_words(question))
        add_words(rows, {{recorded}}, Type::note, width, theme().palette().quiet);
}

void add_again(CardRows& rows, const Question& question) {
    const ButtonOptions options{.emphasis = Emphasis::quiet, .small = true};
    rows.push_back({button_size("Ask again", options).y, [question, options] {
                        // Aligns the button's text, not its face, with the rows above.
                        const glm::vec2 at = ImGui::GetCursorScreenPos();
                        ImGui::SetCursorScreenPos({at.x - std::round(theme().px(8)), at.y});
                        if (!button(fmt::format("story.again.{}", question.index), "Ask again", options))
                            return;
                        question.workspace.mark_drafts.erase(question.name());
                        question.workspace.session.ask_again(question.index);
                    }});
}

const ButtonOptions way_inside_options{
    .small = true, .tooltip = "Shows what the invocations did there, recorded on this device"};
std::string way_inside_words(const InsideBlock& block) {
    return "See it inside: " + moment_in_words(block);
}

/// Adds the "See it inside" button of the block after the question, once all questions of the step are
/// closed.
void add_way_inside(CardRows& rows, const Question& question) {
    Workspace& workspace = question.workspace;
    const Session& session = workspace.session;
    const std::vector<Block>& blocks = session.shown_step().blocks;
    const std::size_t next = question.index + 1;
    const auto* const inside = next < blocks.size() ? std::get_if<InsideBlock>(&blocks[next]) : nullptr;
    if (!inside || session.asks_first() || pinned_question(workspace) != question.index) return;
    rows.push_back({button_size(way_inside_words(*inside), way_inside_options).y,
                    [&workspace, block = *inside, next] { draw_way_inside(workspace, block, next); }});
}

const char* heading_of(const Prediction& prediction, const PredictBlock& block) {
    if (prediction.skipped) return "Skipped";
    return block.by_chance ? "Before you run it (the result may differ from run to run)"
                           : "Before you run it";
}

}  // namespace

void draw_way_inside(Workspace& workspace, const InsideBlock& block, std::size_t index) {
    if (!button(fmt::format("story.inside.{}", index), way_inside_words(block), way_inside_options)) return;
    workspace.inside.show_moment(workspace.session, block.workgroup, block.kernel_line, block.step);
    open_tab(workspace, "inside");
}

CardRows rows_of(const Question& question, const CardLook& look, float width) {
    const Palette& palette = theme().palette();
    const PredictBlock& block = question.block;
    const Prediction& prediction = question.prediction;
    CardRows rows;
    if (prediction.outcome)
        add_words(rows, {{verdict_words(prediction.outcome->result), true}}, Type::body, width,
                  verdict_color(prediction.outcome->result));
    else if (look.closeness != Closeness::closest)
        add_words(rows, {{heading_of(prediction, block), true}}, look.words, width);
    add_words(rows, spans_of(block.question), look.words, width,
              prediction.outcome ? std::optional(palette.quiet) : std::nullopt);
    if (look.closeness == Closeness::roomy) rows.push_back({look.between, [] {}});
    if (!block.choices.empty())
        add_choices(rows, question, look, width);
    else if (block.guess)
        add_guess(rows, question, look, width);
    else if (!block.items.empty())
        add_order(rows, question, look, width);
    else
        add_marks(rows, question, look, width);

    const auto note = [&](std::string words) {
        add_words(rows, {{std::move(words)}}, Type::note, width, palette.quiet);
    };
    if (!prediction.closed() && question.workspace.session.kernel_edit())
        note(fmt::format("Predictions always use the lesson's {}, not yours.",
                         question.workspace.session.lesson().own_text().noun));
    const bool records = asks_recording(block);
    if (records && !prediction.closed() && !prediction.pending)
        note("Decided by a separate recorded run, which is not timed.");
    const QuestionJob* const job = question.workspace.session.question_job(question.index);
    if (job && job->measures_longer())
        note("Still too close: measuring longer …");
    else if (prediction.pending)
        note(records ? "Recording and running to decide it …" : "Running to decide it …");
    if (prediction.outcome) add_verdict(rows, question, look, width);
    if (prediction.outcome && records) note("Recorded on this device in a separate run.");
    if (!prediction.problem.empty())
        add_words(rows, {{"✗ " + prediction.problem}}, Type::note, width, theme().as_text(Ink::wrong));
    add_way_inside(rows, question);
    if (prediction.closed() && !prediction.pending) add_again(rows, question);
    return rows;
}

FittedCard::FittedCard(Question question, float width, float max_height)
    : question_(question), width_(width) {
    for (const Closeness closeness : {Closeness::roomy, Closeness::close, Closeness::closest}) {
        look_ = card_look(closeness);
        rows_ = rows_of(question_, look_, width_ - 2 * look_.padding);
        height_ = 2 * look_.padding + look_.between * static_cast<float>(rows_.size() - 1);
        for (const CardRow& row : rows_)
            height_ += row.height;
        height_ = std::ceil(height_);
        if (height_ <= max_height) return;
    }
    rows_ = rows_of(question_, look_, width_ - 2 * look_.padding - ImGui::GetStyle().ScrollbarSize);
    height_ = max_height;
    scrolls_ = true;
}

void FittedCard::draw_at(glm::vec2 corner) const {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    const std::string id =
        fmt::format("story.card.{}.{}", question_.workspace.session.step(), question_.index);
    const Rect whole{corner, corner + glm::vec2(width_, height_)};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(whole.min, whole.max, palette.raised, t.px(6));
    list->AddRect(whole.min, whole.max, question_.prediction.closed() ? palette.line : palette.kernel,
                  t.px(6));
    glm::vec2 at = corner + glm::vec2(look_.padding);
    if (scrolls_) {
        begin_panel(id, whole.min, whole.size(), with_alpha(palette.raised, 0), true,
                    look_.padding / t.scale());
        at = ImGui::GetCursorScreenPos();
    } else {
        register_widget(id, "card", whole.min, whole.max);
    }
    for (const CardRow& row : rows_) {
        ImGui::SetCursorScreenPos(at);
        {
            std::optional<TabOrderFirst> first;
            if (row.answers) first.emplace();
            row.draw();
        }
        at.y += row.height + look_.between;
    }
    if (scrolls_) {
        ImGui::SetCursorScreenPos({at.x, at.y - look_.between});
        ImGui::Dummy({0, 0});
        end_panel();
    }
    ImGui::SetCursorScreenPos({whole.min.x, whole.max.y});
    ImGui::Dummy({0, 0});
}

}  // namespace gridstride::ui
