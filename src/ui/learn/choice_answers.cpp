// The choices of a question, and the raised hands of a class.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/text.h"
#include "ui/learn/question.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/control_colors.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

/// Interprets the value that a script sets on a choice: "true", "1", …
bool is_true_value(const std::string& value) {
    return value != "false" && value != "0" && !value.empty();
}

void draw_choice(const Question& question, std::size_t choice, const CardStyle& style, float width) {
    const std::string id = fmt::format("story.predict.{}.{}", question.index, choice);
    const Spans& label = parse_spans(question.block.choices[choice].label);
    const TextLayout& layout = get_layout(label, style.rows, width - 2 * row_padding());
    const glm::vec2 start = cursor();
    const Rect rect{start, start + glm::vec2(std::min(width, std::ceil(layout.width) + 2 * row_padding()),
                                             spans_height(label, style.rows, width - 2 * row_padding()) +
                                                 2 * style.inside)};
    advance_cursor(rect.size());
    const bool enabled = question.accepts_answers();
    const Item item =
        interact(id, {"button", question.block.choices[choice].label}, rect, {.is_enabled = enabled});
    const auto requested = enabled ? take_requested_value(id) : std::nullopt;
    if (item.was_clicked || (requested && is_true_value(*requested)))
        question.prediction.answer.choice = choice;
    const bool chosen = question.prediction.answer.choice == choice;
    if (!item.is_visible) return;
    const ControlColors face = button_colors({.emphasis = chosen ? Emphasis::primary : Emphasis::normal,
                                              .is_enabled = enabled || chosen,
                                              .is_selected = chosen},
                                             item);
    draw_control_background(rect, face, theme().px(6));
    set_cursor(rect.min + glm::vec2(row_padding(), style.inside));
    draw_spans(label, style.rows, width - 2 * row_padding(), face.text);
    if (item.is_focused) draw_focus_ring(rect, theme().px(6));
}

// While presenting, the teacher types how many raise their hands for each choice.

/// Returns the counts that were typed for this question; empty if none was.
std::vector<std::uint64_t> count_hands(const Question& question) {
    std::vector<std::uint64_t> counts;
    const auto hands = question.workspace.raised_hands.find(question.name());
    if (!question.workspace.is_presenting || hands == question.workspace.raised_hands.end()) return counts;
    for (const std::string& text : hands->second)
        counts.push_back(parse_number<std::uint32_t>(text).value_or(0));
    return counts;
}

float hands_field_width() {
    return std::round(theme().px(72));
}
float hands_field_height() {
    return std::ceil(theme().font_size(TextStyle::mono) + 2 * theme().px(8));
}

/// Draws the field for one choice. The choice with the most hands becomes the answer.
void draw_hands_field(const Question& question, std::size_t choice) {
    std::vector<std::string>& hands = question.workspace.raised_hands[question.name()];
    hands.resize(question.block.choices.size());
    const std::string before = hands[choice];
    text_field(fmt::format("present.hands.{}", choice), &hands[choice],
               {.width = hands_field_width(),
                .is_enabled = question.accepts_answers(),
                .decimal = true,
                .hint = "hands"});
    if (hands[choice] == before) return;
    const std::vector<std::uint64_t> counts = count_hands(question);
    question.prediction.answer.choice =
        static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

/// Adds each choice with its raised hands, and a bar of their fraction.
void add_hands(CardRows& rows, const Question& question, const std::vector<std::uint64_t>& counts,
               const CardStyle& style, float width) {
    const Theme& t = theme();
    const Outcome& outcome = *question.prediction.outcome;
    const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const bool is_right = outcome.result != Outcome::Result::undecided && i == outcome.right_choice;
        const ImU32 color = t.text_color(is_right ? ColorRole::right : ColorRole::quiet);
        Spans words = parse_spans(question.block.choices[i].label);
        if (is_right) words.insert(words.begin(), {"✓ "});
        words.push_back({tr(" · {} of {} hands", counts[i], all)});
        add_text(rows, words, style.rows, width, color);
        const float share =
            static_cast<float>(counts[i]) / static_cast<float>(std::max<std::uint64_t>(all, 1));
        rows.push_back(
            {std::round(t.px(6)), [i, share, color, width, counts] {
                 const glm::vec2 at = cursor(), end = at + glm::vec2(width, std::round(theme().px(6)));
                 ImDrawList* const list = ImGui::GetWindowDrawList();
                 list->AddRectFilled(at, end, theme().palette().line);
                 list->AddRectFilled(at, {at.x + width * share, end.y}, color);
                 register_place(fmt::format("present.counted.{}", i), {at, end}, std::to_string(counts[i]));
             }});
    }
    add_why_wrong(rows, outcome, style, width);
}

void add_decided_choices(CardRows& rows, const Question& question, const CardStyle& style, float width) {
    const Theme& t = theme();
    if (const auto counts = count_hands(question); std::ranges::any_of(counts, std::identity()))
        return add_hands(rows, question, counts, style, width);
    const Outcome& outcome = *question.prediction.outcome;
    const bool undecided = outcome.result == Outcome::Result::undecided;
    const auto add = [&](const char* mark, std::size_t choice, std::optional<ImU32> color) {
        if (choice >= question.block.choices.size()) return;
        Spans words = parse_spans(question.block.choices[choice].label);
        words.insert(words.begin(), {fmt::format("{} ", mark)});
        add_text(rows, words, style.rows, width, color);
    };
    const auto& chosen = question.prediction.answer.choice;
    if (undecided && chosen) add(tr("You predicted:"), *chosen, std::nullopt);
    if (undecided) return;
    if (chosen && *chosen != outcome.right_choice) {
        add("✗", *chosen, t.text_color(ColorRole::wrong));
        add_why_wrong(rows, outcome, style, width);
    }
    add("✓", outcome.right_choice, t.text_color(ColorRole::right));
}

}  // namespace

void add_choices(CardRows& rows, const Question& question, const CardStyle& style, float width) {
    if (question.prediction.outcome) return add_decided_choices(rows, question, style, width);
    const bool takes_hands = question.workspace.is_presenting;
    const float left = takes_hands ? hands_field_width() + std::round(theme().px(8)) : 0;
    for (std::size_t i = 0; i < question.block.choices.size(); ++i) {
        const Spans& label = parse_spans(question.block.choices[i].label);
        const float height =
            spans_height(label, style.rows, width - left - 2 * row_padding()) + 2 * style.inside;
        const float row = takes_hands ? std::max(height, hands_field_height()) : height;
        rows.push_back({row,
                        [=] {
                            const glm::vec2 at = cursor();
                            if (takes_hands) draw_hands_field(question, i);
                            set_cursor({at.x + left, std::floor(at.y + (row - height) / 2)});
                            draw_choice(question, i, style, width - left);
                        },
                        true});
    }
}

}  // namespace gridstride::ui
