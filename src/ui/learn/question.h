// A question of a step, its answer and its outcome, as text and as rows of a card.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// How densely a card's rows are set. A card uses the roomiest that fits; the densest scrolls if it must.
enum class Density { comfortable, compact, dense };

struct CardStyle {
    Density density = Density::comfortable;
    TextStyle words = TextStyle::body;
    TextStyle rows = TextStyle::body;  ///< of choices, items and markers
    float padding = 0;                 ///< of the card, in pixels as the members below
    float between = 0;                 ///< gap between two rows
    float inside = 0;                  ///< padding above and below the text of a row
};
CardStyle card_style(Density density);
/// Padding at the left and right of a row with an answer, in pixels.
float row_padding();

struct Question {
    Workspace& workspace;
    const PredictBlock& block;
    Prediction& prediction;
    std::size_t index = 0;  ///< of `block` in the step

    bool accepts_answers() const { return !prediction.is_closed() && !prediction.is_pending; }
    std::string name() const { return workspace.question_id(index); }
};
Question question_at(Workspace& workspace, std::size_t block);
/// Returns the question whose card is pinned: the one decided last, until the user continues, else the first
/// open one. Returns nullopt if there is none.
std::optional<std::size_t> pinned_question(Workspace& workspace);

/// A part of a card, as wide as the card. Drawn at the cursor.
struct CardRow {
    float height = 0;
    std::function<void()> draw;
    bool answers = false;  ///< holds the controls of the answer, which Tab reaches first
};
using CardRows = std::vector<CardRow>;

/// Adds text in this colour; nullopt: the theme's text colour.
void add_text(CardRows& rows, const Spans& words, TextStyle type, float width,
              std::optional<ImU32> color = std::nullopt);
/// Adds what a wrong answer overlooks, below that answer.
void add_why_wrong(CardRows& rows, const Outcome& outcome, const CardStyle& style, float width);

// Add the controls of the answer; once it is decided, the answer and the outcome.
void add_choices(CardRows& rows, const Question& question, const CardStyle& style, float width);
void add_guess(CardRows& rows, const Question& question, const CardStyle& style, float width);
void add_order(CardRows& rows, const Question& question, const CardStyle& style, float width);
void add_marks(CardRows& rows, const Question& question, const CardStyle& style, float width);

CardRows make_card_rows(const Question& question, const CardStyle& style, float width);

/// A question's card of a given width and at most a given height. If the rows need more, they are set closer;
/// then the card scrolls.
class FittedCard {
 public:
    FittedCard(Question question, float width, float max_height);
    float height() const { return height_; }
    /// Draws the card with its upper left corner here. A card that scrolls has its own panel.
    void draw_at(glm::vec2 corner) const;

 private:
    Question question_;
    CardStyle style_;
    CardRows rows_;
    float width_, height_ = 0;
    bool scrolls_ = false;
};

/// Draws the button "See it inside: workgroup 0, line 34" of this block at the cursor.
void draw_inside_button(Workspace& workspace, const InsideBlock& block, std::size_t index);

/// Parses inline Markdown; cached.
const Spans& parse_spans(const std::string& markdown);
std::string plain_text(const Spans& spans);

/// Returns a describe_result() as a sentence with its mark: "✓ As you predicted."
std::string verdict_text(const Outcome& outcome, const std::string& result);
ImU32 verdict_color(Outcome::Result result);
/// Describes the answer: "the same: both do a million additions", "8 partial sums", "Upload, then Kernel".
/// Empty without an answer.
std::string answer_text(const PredictBlock& block, const Prediction& prediction);
/// Describes the outcome in the same way. Empty if it is undecided.
std::string outcome_text(const PredictBlock& block, const Outcome& outcome);
/// Returns the recorded answers of other devices: "NVIDIA H200, recorded 2026-11-21: 0.21 times".
std::vector<std::string> recorded_answer_texts(const Question& question);
/// Returns the indices of the items, smallest deciding value first.
std::vector<std::size_t> measured_order(const Outcome& outcome);

}  // namespace gridstride::ui
