// A question of a step: what is asked, what was answered, and how it came out, in words and as rows of a
// card.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// How close a card's rows stand. The roomiest that fits is taken; the closest scrolls where it must.
enum class Closeness { roomy, close, closest };

struct CardLook {
    Closeness closeness = Closeness::roomy;
    Type words = Type::body;  ///< of the question
    Type rows = Type::body;   ///< of what is chosen, ordered or placed
    float padding = 0;        ///< of the card, in pixels as all below
    float between = 0;        ///< two rows
    float inside = 0;         ///< a row, above and under its words
};
CardLook card_look(Closeness closeness);

struct Question {
    Workspace& workspace;
    const PredictBlock& block;
    Prediction& prediction;
    std::size_t index = 0;  ///< of its block in the step

    bool takes_answers() const { return !prediction.closed() && !prediction.pending; }
    std::string name() const { return workspace.question_name(index); }
};
/// The question in this block of the open step.
Question question_at(Workspace& workspace, std::size_t block);
/// The one whose card is pinned: that which was decided last, until the person goes on, else the first that
/// is open. nullopt: none.
std::optional<std::size_t> pinned_question(Workspace& workspace);

/// A part of a card, over its full width. Drawn at the cursor.
struct CardRow {
    float height = 0;
    std::function<void()> draw;
    bool answers = false;  ///< the answer is given here: Tab comes here first
};
using CardRows = std::vector<CardRow>;

/// Adds words in one colour or, without one, in the colour of text.
void add_words(CardRows& rows, const Spans& words, Type type, float width,
               std::optional<ImU32> color = std::nullopt);

// The controls of an answer; once it is decided, what was answered beside what came out.
void add_choices(CardRows& rows, const Question& question, const CardLook& look, float width);
void add_guess(CardRows& rows, const Question& question, const CardLook& look, float width);
void add_order(CardRows& rows, const Question& question, const CardLook& look, float width);
void add_marks(CardRows& rows, const Question& question, const CardLook& look, float width);

/// All that the card of a question shows.
CardRows rows_of(const Question& question, const CardLook& look, float width);

/// A question's card in a width, as high as its rows need but at most so high: closer rows, then it scrolls.
class FittedCard {
 public:
    FittedCard(Question question, float width, float max_height);
    float height() const { return height_; }
    /// At this corner of the screen, in a panel of its own where `scrolls`; else at the cursor.
    void draw_at(glm::vec2 corner) const;

 private:
    Question question_;
    CardLook look_;
    CardRows rows_;
    float width_, height_ = 0;
    bool scrolls_ = false;
};

/// "See it inside: workgroup 0, line 34" at the cursor: the button of this block of the step.
void draw_way_inside(Workspace& workspace, const InsideBlock& block, std::size_t index);

/// Inline Markdown, read once.
const Spans& spans_of(const std::string& markdown);
/// The same without its styles.
std::string plain_text(const Spans& spans);

// Words.

/// "✓ As you said.", "✗ Not this time.", "○ Too close to call."
std::string verdict_words(Outcome::Result result);
/// In the colour that the theme has for it.
ImU32 verdict_color(Outcome::Result result);
/// What a person answered: "the same: both do a million additions", "8 partial sums", "Upload, then Kernel".
/// Empty without an answer.
std::string answered_words(const PredictBlock& block, const Prediction& prediction);
/// What came out, in the same way. Empty where it is undecided.
std::string outcome_words(const PredictBlock& block, const Outcome& outcome);
/// What other devices answered, a sentence each: "NVIDIA H200, recorded 2026-11-21: 0.21 times".
std::vector<std::string> recorded_words(const Question& question);
/// The places of the items, smallest measured first.
std::vector<std::size_t> measured_order(const Outcome& outcome);

}  // namespace gridstride::ui
