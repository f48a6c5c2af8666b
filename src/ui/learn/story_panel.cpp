#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/text.h"
#include "ui/learn/learn.h"
#include "ui/panels/panels.h"
#include "ui/plot/plot_view.h"
#include "ui/text/rich_text.h"

namespace gridstride::ui {

namespace {

constexpr float footer_height = 72;

/// Inline Markdown of predictions, read once.
const Spans& spans_of(const std::string& markdown) {
    static std::map<std::string, Spans> known;
    const auto [found, is_new] = known.try_emplace(markdown);
    if (is_new) found->second = parse_inline(markdown);
    return found->second;
}

/// A row of short lines, one a step: those seen, the one that is open, those to come. A click goes there.
void draw_progress(Session& session) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const std::size_t steps = session.story().steps.size();
    const float space = t.px(4);
    const float each = (width - space * static_cast<float>(steps - 1)) / static_cast<float>(steps);
    const float height = t.px(4);
    const float reach = t.px(8);  // a four-pixel line is hard to hit
    for (std::size_t i = 0; i < steps; ++i) {
        const glm::vec2 min(start.x + static_cast<float>(i) * (each + space), start.y + reach);
        const glm::vec2 max(min.x + each, min.y + height);
        const std::string id = fmt::format("story.step.{}", i + 1);
        ImGui::SetCursorScreenPos({min.x, start.y});
        if (hit_area(id, {each, height + 2 * reach})) session.go_to_step(i);
        register_widget(id, "button", {min.x, start.y}, {max.x, start.y + height + 2 * reach},
                        session.story().steps[i].title);
        tooltip(session.story().steps[i].title);
        const ImU32 color = i == session.step()  ? palette.kernel
                            : session.visited(i) ? palette.right
                                                 : palette.line;
        ImGui::GetWindowDrawList()->AddRectFilled(
            min, max, ImGui::IsItemHovered() ? mix(color, palette.text, 0.3F) : color, height / 2);
    }
    ImGui::SetCursorScreenPos({start.x, start.y + height + 2 * reach});
}

/// A bordered card behind what is drawn between begin and end. Its height is that of the frame before:
/// contents change seldom, and one frame later it fits.
class Card {
 public:
    Card(std::string id, ImU32 border) : id_(std::move(id)) {
        const Theme& t = theme();
        if (const float height = heights_[id_]; height > 0) {
            const glm::vec2 max(min_.x + width_, min_.y + height);
            ImGui::GetWindowDrawList()->AddRectFilled(min_, max, t.palette().raised, t.px(6));
            ImGui::GetWindowDrawList()->AddRect(min_, max, border, t.px(6));
        }
        ImGui::SetCursorScreenPos({min_.x + padding_, min_.y + padding_});
        ImGui::BeginGroup();
    }
    Card(const Card&) = delete;
    Card& operator=(const Card&) = delete;
    ~Card() {
        ImGui::EndGroup();
        const float bottom = ImGui::GetItemRectMax().y + padding_;
        heights_[id_] = bottom - min_.y;
        register_widget(id_, "card", min_, {min_.x + width_, bottom});
        ImGui::SetCursorScreenPos({min_.x, bottom});
        ImGui::Dummy({0, 0});
    }
    float inner_width() const { return width_ - 2 * padding_; }

 private:
    static inline std::map<std::string, float> heights_;
    std::string id_;
    glm::vec2 min_ = ImGui::GetCursorScreenPos();
    float width_ = ImGui::GetContentRegionAvail().x;
    float padding_ = theme().px(12);
};

void draw_choices(const PredictBlock& block, Prediction& prediction, std::size_t index, float width) {
    ButtonRows rows(width, theme().px(8));
    for (std::size_t i = 0; i < block.choices.size(); ++i) {
        const bool chosen = prediction.choice == i;
        const bool right = prediction.outcome && prediction.outcome->right_choice == i;
        const char* mark = right ? "✓ " : prediction.outcome && chosen ? "✗ " : "";
        if (rows.add(fmt::format("story.predict.{}.{}", index, i), mark + block.choices[i].label,
                     {.emphasis = chosen ? Emphasis::primary : Emphasis::normal,
                      .enabled = !prediction.outcome,
                      .selected = chosen}))
            prediction.choice = i;
    }
}

void draw_guess(const PredictGuess& guess, Prediction& prediction, std::size_t index) {
    const Theme& t = theme();
    const float top = ImGui::GetCursorScreenPos().y;
    text_field(fmt::format("story.guess.{}", index), &prediction.guess_text,
               {.width = t.px(120), .enabled = !prediction.outcome, .decimal = true});
    const float height = ImGui::GetItemRectSize().y;
    ImGui::SameLine(0, t.px(8));
    ImGui::SetCursorScreenPos(
        {ImGui::GetCursorScreenPos().x, top + (height - t.line_height(Type::body)) / 2});
    text(Type::body, t.palette().quiet, guess.unit);
}

void draw_prediction(Workspace& workspace, const PredictBlock& block, std::size_t index) {
    Session& session = workspace.session;
    const Theme& t = theme();
    const Palette& palette = t.palette();
    Prediction& prediction = session.prediction(index);
    const Card card(fmt::format("story.card.{}.{}", session.step(), index),
                    prediction.outcome ? palette.line : palette.kernel);
    text(Type::body_strong, palette.text, prediction.outcome ? "What the run says" : "Before you run it");
    draw_spans(spans_of(block.question), Type::body, card.inner_width());
    gap(4);
    if (block.guess)
        draw_guess(*block.guess, prediction, index);
    else
        draw_choices(block, prediction, index, card.inner_width());
    if (!prediction.outcome && session.kernel_edit()) {
        gap(4);
        note_text("Decided by the lesson's own kernel, not by yours.", Severity::note, card.inner_width());
    }
    if (prediction.running) {
        gap(4);
        text(Type::note, palette.quiet, "Running what decides it …");
    }
    if (prediction.outcome) {
        gap(4);
        const bool right = block.guess ? prediction.outcome->guess_right
                                       : prediction.choice == prediction.outcome->right_choice;
        text(Type::body_strong, t.as_text(right ? Ink::right : Ink::wrong),
             right ? "✓ As you said." : "✗ Not this time.");
        draw_spans(spans_of(prediction.outcome->afterwards), Type::body, card.inner_width());
        gap(4);
        if (button(fmt::format("story.again.{}", index), "Ask again", {.emphasis = Emphasis::quiet}))
            prediction = Prediction{};
    }
    // What the run says may stand below the fold: bring it into view once.
    const std::string answered = fmt::format("{}.{}", session.step(), index);
    if (prediction.outcome && workspace.just_decided == answered) {
        ImGui::SetScrollHereY(0.7F);
        workspace.just_decided.clear();
    }
    if (prediction.running) workspace.just_decided = answered;
    if (!prediction.problem.empty()) {
        gap(4);
        note_text(prediction.problem, Severity::refusal, card.inner_width());
    }
}

void draw_kernel(const Workspace& workspace, const KernelBlock& block, std::size_t index) {
    const std::string file = block.file.substr(block.file.rfind('/') + 1);
    const Story& story = workspace.session.story();
    // Cut out once, by the story's file and line: the text of a step does not change.
    static std::map<std::pair<std::string, std::size_t>, std::string> regions;
    const auto [found, is_new] = regions.try_emplace({story.file, block.line});
    try {
        if (is_new) found->second = shown_kernel(story, story.steps[workspace.session.step()], block);
    } catch (const StoryError& error) {
        found->second = error.what();
    }
    draw_code(fmt::format("story.code.{}", index), file, found->second);
}

void draw_story_plot(Workspace& workspace, const PlotBlock& block, std::size_t index) {
    const Plot* plot = workspace.find_plot(block.plot);
    if (!plot) {
        note_text(workspace.session.report() ? "The latest run gave no picture: Result says why."
                                             : "Run once to see the picture.");
        return;
    }
    section_label(plot->title);
    const bool figure = std::holds_alternative<Figure>(plot->content);
    const std::string id = fmt::format("story.plot.{}.{}", index, block.plot);
    draw_plot(id, *plot, workspace.plot_views[id],
              {ImGui::GetContentRegionAvail().x, figure ? theme().px(180) : 0}, workspace.session.stale());
}

void draw_block(Workspace& workspace, const Block& block, std::size_t index) {
    if (const auto* paragraph = std::get_if<Paragraph>(&block)) {
        draw_spans(paragraph->spans);
    } else if (const auto* heading = std::get_if<Subheading>(&block)) {
        draw_spans(heading->spans, Type::body_strong);
    } else if (const auto* list = std::get_if<ListBlock>(&block)) {
        draw_list(*list);
    } else if (const auto* table = std::get_if<TableBlock>(&block)) {
        draw_table(*table);
    } else if (const auto* code = std::get_if<CodeBlock>(&block)) {
        draw_code(fmt::format("story.code.{}", index), "", code->text);
    } else if (const auto* kernel = std::get_if<KernelBlock>(&block)) {
        draw_kernel(workspace, *kernel, index);
    } else if (const auto* plot = std::get_if<PlotBlock>(&block)) {
        draw_story_plot(workspace, *plot, index);
    } else if (const auto* predict = std::get_if<PredictBlock>(&block)) {
        draw_prediction(workspace, *predict, index);
    } else if (const auto* set = std::get_if<SetBlock>(&block)) {
        std::vector<std::string> settings;
        for (const Setting& one : set->settings)
            settings.push_back(one.name + " = " + one.value);
        note_text(fmt::format("On the bench: {}", joined(settings, " · ")));
    }
}

void draw_footer(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    Session& session = workspace.session;
    begin_panel("story.footer", area.min, area.size(), t.palette().panel, false, 16);
    const std::size_t steps = session.story().steps.size();
    const bool open = session.asks_first();
    // A narrow panel gets narrow buttons.
    const float needed = button_size("← Back").x + button_size("Skip →").x + t.px(16) +
                         (open ? button_size("Predict, then run", {.shortcut = "F5"}).x : 0);
    const bool small = needed > ImGui::GetContentRegionAvail().x;
    if (button("story.back", "← Back",
               {.enabled = session.step() > 0, .small = small, .tooltip = "Left, or Page Up"}))
        session.go_to_step(session.step() - 1);
    ImGui::SameLine(0, t.px(8));
    if (open) {
        const auto answered = session.prediction_to_decide();
        if (button("story.decide", "Predict, then run",
                   {.emphasis = Emphasis::primary,
                    .enabled = answered.has_value(),
                    .small = small,
                    .shortcut = small ? std::string_view{} : "F5",
                    .tooltip = answered ? std::string_view{} : "Choose an answer first"}))
            session.decide_prediction(*answered);
        ImGui::SameLine(0, t.px(8));
    }
    if (session.step() + 1 < steps && button("story.next", open ? "Skip →" : "Next →",
                                             {.emphasis = open ? Emphasis::quiet : Emphasis::primary,
                                              .small = small,
                                              .tooltip = "Right, or Page Down"}))
        session.go_to_step(session.step() + 1);
    end_panel();
}

/// What is wrong with the story, in its place.
void draw_story_problem(const Session& session) {
    if (session.story_problem().empty()) return;
    const glm::vec2 min = ImGui::GetCursorScreenPos();
    text_wrapped(Type::body, theme().as_text(Ink::wrong), "✗ " + session.story_problem());
    register_widget("story.problem", "text", min, ImGui::GetCursorScreenPos(), session.story_problem());
    gap(4);
    note_text(
        "The story cannot be shown until this is mended; then choose the lesson in the Course menu "
        "again. The bench and the runs work without it.");
}

}  // namespace

void draw_story_panel(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    Session& session = workspace.session;
    const float footer = t.px(footer_height);
    const Rect above{area.min, {area.max.x, area.max.y - footer}};
    // A scroll position of its own for every step.
    StoryMore more(fmt::format("story.step.text.{}.{}", session.lesson().id, session.step()), above);
    more.begin_text();
    const StoryStep& step = session.story().steps[session.step()];
    text_wrapped(Type::step_title, t.palette().text, step.title);
    gap(4);
    draw_progress(session);
    gap(4);
    draw_story_problem(session);
    for (std::size_t i = 0; i < step.blocks.size(); ++i) {
        if (i > 0) gap(12);
        const float top = ImGui::GetCursorScreenPos().y;
        draw_block(workspace, step.blocks[i], i);
        if (std::holds_alternative<PredictBlock>(step.blocks[i])) {
            const Prediction& prediction = session.prediction(i);
            if (!prediction.outcome && !prediction.choice && prediction.guess_text.empty())
                more.add_question(top, ImGui::GetCursorScreenPos().y);
        }
    }
    more.end_text();
    draw_footer(workspace, {{area.min.x, area.max.y - footer}, area.max});
    more.draw_hint();
}

}  // namespace gridstride::ui
