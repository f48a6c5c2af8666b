// The course page: the lessons by chapter, a card each, and the button to continue.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "text_lesson/lesson_folders.h"
#include "ui/learn/card.h"
#include "ui/learn/learn.h"
#include "ui/learn/question.h"
#include "ui/panels/panels.h"
#include "ui/plot/draw_plot.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/control_colors.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

/// The chapters that the shipped stories name, for the catalogue.
[[maybe_unused]] constexpr const char* shipped_chapters[] = {
    tr_later("Threads and data"),       tr_later("Memory"),
    tr_later("Working together"),       tr_later("Inside the machine"),
    tr_later("From kernels to layers"), tr_later("Your own")};

// Design pixels.
constexpr float card_width = 236;
constexpr float picture_height = 84;

/// The titles and parts of a story.
struct StoryOutline {
    std::vector<std::string> titles;  ///< of its steps
    std::vector<StoryPart> parts;
};
/// Returns the outline, cached per version of the lesson.
const StoryOutline& story_outline(const CourseEntry& entry) {
    static std::map<std::pair<const Lesson*, std::string>, StoryOutline> known;
    const auto [found, is_new] = known.try_emplace({entry.lesson, entry.story});
    if (!is_new) return found->second;
    try {
        for (const StoryStep& step : load_story(*entry.lesson, text_language(), entry.story).steps) {
            StoryOutline& all = found->second;
            const std::size_t place = all.titles.size();
            all.titles.push_back(step.title);
            all.parts.push_back({ItemKind::step, step.id, step.title, place});
            for (const std::size_t block : question_blocks(step)) {
                const auto& predict = get_question(step, block);
                all.parts.push_back(
                    {ItemKind::question, predict.id, plain_text(parse_inline(predict.question)), place});
            }
            if (const MakeBlock* const make = find_make_block(step))
                all.parts.push_back({ItemKind::exercise, make->id, step.title, place});
        }
    } catch (const std::exception&) {
        // The error is shown when the story is opened.
    }
    return found->second;
}

struct CourseCard {
    const CourseEntry* entry;
    std::string small;  ///< "35 min · best 5.83 µs"
    float words = 0;    ///< height of the question, in pixels
};

CourseCard make_course_card(const Session& session, const CourseEntry& entry, float width) {
    CourseCard card{&entry, {}, 0};
    std::vector<std::string> parts;
    if (const std::size_t pending_count = session.progress().count_pending_questions(entry);
        pending_count > 0)
        parts.push_back(tr("{} pending", counted(pending_count, "answer", "answers")));
    if (entry.head.minutes > 0) parts.push_back(tr("{} min", entry.head.minutes));
    if (entry.language == "en" && text_language() != "en") parts.push_back(tr("in English"));
    if (const double best = session.runs().best_kernel_ns(entry.lesson->id); best > 0)
        parts.push_back(tr("best {}", format_time(best).text()));
    card.small = join(parts, " · ");
    card.words = spans_height({{entry.head.question}}, TextStyle::note,
                              width - 2 * std::round(theme().px(card_padding)));
    return card;
}

Item draw_card(Workspace& workspace, const CourseCard& card, const Rect& rect) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const Session& session = workspace.session;
    const CourseEntry& entry = *card.entry;
    const std::string id = "course.card." + entry.id;
    const bool is_last = session.progress().last_entry() == &entry;
    const std::size_t steps = std::max<std::size_t>(entry.step_ids.size(), 1);
    const std::size_t seen_steps = session.progress().count_seen_steps(entry);
    const bool done =
        seen_steps == steps && session.progress().count_closed_questions(entry) == entry.question_ids.size();
    const float padding = std::round(t.px(card_padding));
    // The Reset button lies on the card: the mouse must not press both.
    const ButtonOptions forget{
        .emphasis = Emphasis::quiet, .is_small = true, .tooltip = tr("Delete your progress in this lesson")};
    const glm::vec2 forget_size = button_size(tr("Reset"), forget);
    const glm::vec2 forget_at(rect.max.x - padding / 2 - forget_size.x,
                              rect.max.y - padding - std::round(t.px(8)) - forget_size.y);
    const Rect forget_rect{forget_at, forget_at + forget_size};
    const bool over_forget = seen_steps > 0 && forget_rect.contains(glm::vec2(ImGui::GetIO().MousePos));
    Item item = interact(id, {"button", done ? entry.title + " ✓" : entry.title}, rect,
                         over_forget ? Rect{rect.min, rect.min} : rect, {.takes_arrows = true});
    if (item.is_visible) {
        ImDrawList* list = ImGui::GetWindowDrawList();
        draw_card_frame(item, rect, is_last ? p.kernel : p.line);
        const glm::vec2 inner(rect.min.x + padding, rect.min.y + padding);
        const float width = rect.width() - 2 * padding;
        if (const Plot* picture = workspace.card_picture(entry))
            draw_small_plot(*picture, workspace.plot_views["course." + entry.id],
                            {inner, inner + glm::vec2(width, std::round(t.px(picture_height)) - padding)});
        float y = rect.min.y + std::round(t.px(picture_height)) + padding / 2;
        draw_text(list, TextStyle::body_strong, {inner.x, y}, p.text,
                  elide(TextStyle::body_strong, entry.title, width - (done ? t.px(20) : 0)));
        if (done)
            draw_text_right(list, TextStyle::body_strong, {inner.x + width, y},
                            t.text_color(ColorRole::right), "✓");
        y += t.line_height(TextStyle::body_strong);
        set_cursor({inner.x, y});
        draw_spans({{entry.head.question}}, TextStyle::note, width, p.quiet);
        const float bar = rect.max.y - padding - std::round(t.px(progress_bar_height));
        draw_text(list, TextStyle::note,
                  {inner.x, bar - std::round(t.px(8)) - t.line_height(TextStyle::note)}, p.quiet,
                  elide(TextStyle::note, card.small, width - (seen_steps > 0 ? forget_size.x : 0)));
        draw_progress_bar({inner.x, bar}, width, static_cast<float>(seen_steps) / static_cast<float>(steps));
    }
    if (seen_steps > 0) {
        set_cursor(forget_at);
        if (button("course.forget." + entry.id, tr("Reset"), forget)) workspace.progress_to_reset = &entry;
    }
    return item;
}

/// Returns, for example, "Reduction · 3 of 11 · Memory that a workgroup shares".
std::string describe_position(const Session& session, const CourseEntry& entry) {
    const StoryOutline& text = story_outline(entry);
    const std::size_t step = find_step_by_id(entry, session.progress().last_position(entry).step).value_or(0);
    if (step >= text.titles.size()) return entry.title;
    return tr("{} · {} of {} · {}", entry.title, step + 1, text.titles.size(), text.titles[step]);
}

void draw_continue(Workspace& workspace, float width) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const CourseEntry* left = workspace.session.progress().last_entry();
    if (!left) return;
    const glm::vec2 start = cursor();
    const float padding = std::round(t.px(16));
    const ButtonOptions options{.emphasis = Emphasis::primary, .shortcut = "Enter"};
    const glm::vec2 size = button_size(tr("Continue"), options);
    const Spans words = {{describe_position(workspace.session, *left), true}};
    const float room = width - 3 * padding - size.x;
    const float height =
        t.line_height(TextStyle::note) + spans_height(words, TextStyle::body, room) + 2 * padding;
    const Rect rect{start, start + glm::vec2(width, height)};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(rect.min, rect.max, with_style_alpha(p.raised), t.px(6));
    list->AddRect(rect.min, rect.max, with_style_alpha(p.line), t.px(6));
    draw_text(list, TextStyle::note, rect.min + glm::vec2(padding), p.quiet,
              tr("Continue where you left off"));
    set_cursor(rect.min + glm::vec2(padding, padding + t.line_height(TextStyle::note)));
    draw_spans(words, TextStyle::body, room);
    set_cursor({rect.max.x - padding - size.x, std::floor(rect.centre().y - size.y / 2)});
    const bool by_key =
        !is_key_used(Key::enter) && is_key_pressed_with(Key::enter, {}) && !workspace.has_dialog();
    const TabOrderFirst first;
    if (button("course.continue", tr("Continue"), options) || by_key) open_story(workspace, *left);
    set_cursor({rect.min.x, rect.max.y});
    ImGui::Dummy({0, 0});
    gap(20);
}

void draw_welcome(float width) {
    const Palette& p = theme().palette();
    text_wrapped(TextStyle::step_title, p.text, tr("How a GPU computes"), width);
    gap(4);
    draw_spans(
        {{tr("Each lesson asks one question, and you answer it by measuring on your own device. Before each "
             "run, you predict the result. Start with the first card.")}},
        TextStyle::body, std::min(width, theme().px(640)));
    gap(20);
}

/// Draws the lessons that have no card because no version of them could be loaded, with their errors, and
/// the first error in the folders that are loaded at start.
void draw_faulty_lessons(Workspace& workspace, float width) {
    constexpr std::size_t max_shown_errors = 5;
    const Theme& t = theme();
    const std::shared_ptr faulty = text_lesson::faulty_lessons();
    for (const text_lesson::FolderLesson& lesson : *faulty) {
        if (text_lesson::is_loaded(lesson)) continue;
        const NamedBlock block("course.faulty." + lesson.id(), join(lesson.errors, "\n"));
        text(TextStyle::panel_title, t.palette().text, lesson.id());
        note_text(tr("This lesson is not loaded: its files have {}.",
                     counted(lesson.errors.size(), "error", "errors")),
                  Severity::caution, width);
        for (std::size_t i = 0; i < std::min(lesson.errors.size(), max_shown_errors); ++i)
            note_text(lesson.errors[i], Severity::refusal, width);
        if (lesson.errors.size() > max_shown_errors)
            note_text(tr("and {} more: \"gridstride lesson check\" lists all.",
                         lesson.errors.size() - max_shown_errors));
        gap(16);
    }
    const text_lesson::FolderLoader* const failed = workspace.lesson_folders.first_failed();
    if (!failed) return;
    if (std::ranges::all_of(*faulty, text_lesson::is_loaded)) {
        note_text(tr("A lesson folder was not loaded. ") + failed->errors().front(), Severity::caution);
        gap(4);
    }
    if (button("course.lesson_folders", tr("Lesson folders …"), {.is_small = true}))
        workspace.dialog = Dialog::lesson_folders;
    gap(16);
}

struct CardPosition {
    std::string id;
    glm::vec2 centre;
    bool is_focused = false;
};

/// Moves the focus with the arrow keys: left and right to the previous and next card, up and down to the
/// nearest card of another row.
void move_focus(const std::vector<CardPosition>& cards) {
    const auto go = [&](const CardPosition& to) { focus_widget(to.id); };
    const auto here = std::ranges::find(cards, true, &CardPosition::is_focused);
    const bool any = is_plain_key_pressed(Key::left, true) || is_plain_key_pressed(Key::right, true) ||
                     is_plain_key_pressed(Key::up, true) || is_plain_key_pressed(Key::down, true);
    if (!any || cards.empty()) return;
    if (here == cards.end()) {
        // An arrow key enters the cards, unless the focused control uses it.
        if (!is_key_used(Key::down)) go(cards.front());
        return;
    }
    if (is_plain_key_pressed(Key::left, true) && here != cards.begin()) return go(*(here - 1));
    if (is_plain_key_pressed(Key::right, true) && here + 1 != cards.end()) return go(*(here + 1));
    const float direction = is_plain_key_pressed(Key::down, true) ? 1.0F
                            : is_plain_key_pressed(Key::up, true) ? -1.0F
                                                                  : 0.0F;
    if (direction == 0) return;
    const CardPosition* best = nullptr;
    float min_distance = 0;
    for (const CardPosition& card : cards) {
        const glm::vec2 away = card.centre - here->centre;
        if (away.y * direction < 1) continue;
        const float distance = 4 * std::abs(away.y) + std::abs(away.x);
        if (!best || distance < min_distance) {
            best = &card;
            min_distance = distance;
        }
    }
    if (best) go(*best);
}

}  // namespace

const std::vector<StoryPart>& story_parts(const CourseEntry& entry) {
    return story_outline(entry).parts;
}

void draw_course_page(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const Session& session = workspace.session;
    begin_panel("course.page", area.min, area.size(), no_fill, true, 24);
    const float width = content_width();
    draw_assignment(workspace, width);
    if (session.progress().last_entry())
        draw_continue(workspace, width);
    else
        draw_welcome(width);
    draw_faulty_lessons(workspace, width);

    const float spacing = std::round(t.px(card_spacing));
    const auto columns = static_cast<std::size_t>(
        std::max(1.0F, std::floor((width + spacing) / (t.px(card_width) + spacing))));
    const float column_width = std::min(std::round(t.px(card_width)), width);
    const float padding = std::round(t.px(card_padding));
    const CourseEntry* opened = nullptr;
    std::vector<CardPosition> card_positions;
    const std::vector<CourseEntry>& all = course();
    for (std::size_t begin = 0; begin < all.size();) {
        std::size_t end = begin;
        // By its number: the chapter's name may be translated in some stories only.
        while (end < all.size() && all[end].head.chapter_position == all[begin].head.chapter_position)
            ++end;
        text(TextStyle::panel_title, p.text,
             all[begin].head.chapter.empty() ? tr("Further lessons") : tr(all[begin].head.chapter.c_str()));
        gap(8);
        for (std::size_t row = begin; row < end; row += columns) {
            std::vector<CourseCard> cards;
            float words = 0;
            for (std::size_t i = row; i < std::min(row + columns, end); ++i) {
                cards.push_back(make_course_card(session, all[i], column_width));
                words = std::max(words, cards.back().words);
            }
            const float height = std::round(t.px(picture_height)) + padding / 2 +
                                 t.line_height(TextStyle::body_strong) + words + t.px(8) +
                                 t.line_height(TextStyle::note) + t.px(12) + padding;
            glm::vec2 at = cursor();
            const glm::vec2 start = at;
            for (const CourseCard& card : cards) {
                const Rect rect{at, at + glm::vec2(column_width, std::round(height))};
                const Item item = draw_card(workspace, card, rect);
                if (item.was_clicked) opened = card.entry;
                card_positions.push_back({"course.card." + card.entry->id, rect.centre(), item.is_focused});
                at.x += column_width + spacing;
            }
            set_cursor({start.x, start.y + std::round(height)});
            ImGui::Dummy({0, 0});
            gap(card_spacing);
        }
        gap(8);
        begin = end;
    }
    if (!workspace.has_dialog()) move_focus(card_positions);
    const bool any_progress = std::ranges::any_of(
        all, [&](const CourseEntry& entry) { return session.progress().count_seen_steps(entry) > 0; });
    if (any_progress &&
        button("course.forget", tr("Delete all progress …"), {.emphasis = Emphasis::quiet, .is_small = true}))
        workspace.progress_to_reset = static_cast<const CourseEntry*>(nullptr);
    gap(16);
    end_panel();
    if (opened) open_story(workspace, *opened);
}

}  // namespace gridstride::ui
