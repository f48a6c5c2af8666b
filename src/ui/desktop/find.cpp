#include "ui/desktop/find.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "lesson/lesson.h"
#include "story/glossary.h"
#include "ui/desktop/actions.h"
#include "ui/desktop/fuzzy.h"
#include "ui/learn/learn.h"
#include "ui/panels/panels.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

constexpr glm::vec2 dialog_size(760, 560);
constexpr float row_height = 30;
constexpr float kind_width = 84;
constexpr std::size_t max_used = 20;

void show_parameter(Workspace& workspace, const std::string& id) {
    workspace.page = Page::lesson;
    workspace.is_presenting = false;
    workspace.is_drawer_open =
        workspace.layout.arrangement == Arrangement::learn || is_inside_open(workspace);
    const std::string control = "bench." + id;
    reveal_widget(control);
    focus_widget(control);
}

void add_part(std::vector<PaletteItem>& all, const CourseEntry& entry, const StoryPart& part,
              const std::string& step_title) {
    const bool asks = part.kind == ItemKind::question;
    all.push_back({.kind = part.kind,
                   .title = part.title,
                   .place = fmt::format("{} {}", entry.title, part.step + 1),
                   .alias = part.id,
                   .meaning = asks ? part.title : "",
                   .where = tr("{}, step {}{} · id {}", entry.title, part.step + 1,
                               asks ? ": " + step_title : "", part.id),
                   .perform = [&entry, part](Workspace& workspace) {
                       open_story(workspace, entry);
                       show_part(workspace, part);
                   }});
}

void add_lessons(std::vector<PaletteItem>& all) {
    for (const CourseEntry& entry : course()) {
        all.push_back({.kind = ItemKind::lesson,
                       .title = entry.title,
                       .alias = entry.id,
                       .meaning = entry.head.question,
                       .where = tr("id {}", entry.id),
                       .perform = [&entry](Workspace& workspace) { open_story(workspace, entry); }});
        std::string step_title;
        for (const StoryPart& part : story_parts(entry)) {
            if (part.kind == ItemKind::step) step_title = part.title;
            add_part(all, entry, part, step_title);
        }
    }
}

void add_terms(std::vector<PaletteItem>& all, const Session& session) {
    try {
        for (const Term& term : glossary())
            all.push_back({.kind = ItemKind::term,
                           .title = term.name,
                           .alias = join(term.also_called, ", "),
                           .meaning = term_definition(session, term.name)});
    } catch (const std::exception&) {
        // term_definition() reports it when the story uses a term.
    }
}

void draw_row(const Rect& row, const PaletteItem& one, std::string_view query, bool chosen, bool is_hovered) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (chosen || is_hovered)
        list->AddRectFilled(row.min, row.max, chosen ? palette.action : palette.raised, t.px(6));
    const ImU32 color_role = chosen ? palette.action_text : palette.text;
    const ImU32 quiet = chosen ? palette.action_text : palette.quiet;
    const float y = row.min.y + std::floor((row.height() - text_size(TextStyle::body, "x").y) / 2);
    const float note_y = row.min.y + std::floor((row.height() - text_size(TextStyle::note, "x").y) / 2);
    const float left = row.min.x + t.px(10), right = row.max.x - t.px(10);
    draw_text(list, TextStyle::note, {left, note_y}, quiet, tr(name(one.kind)));
    const float title = left + t.px(kind_width);
    const std::string note =
        elide(TextStyle::note, one.shows_alias ? one.alias : one.place, (right - title) / 2);
    const float beside = note.empty() ? 0 : text_size(TextStyle::note, note).x + t.px(12);
    draw_text(list, TextStyle::body, {title, y}, color_role,
              excerpt(TextStyle::body, one.title, query, right - title - beside));
    draw_text_right(list, TextStyle::note, {right, note_y}, quiet, note);
}

std::optional<std::size_t> draw_rows(const std::vector<PaletteItem>& rows, const PaletteView& find,
                                     bool has_moved, const Rect& area) {
    std::optional<std::size_t> clicked;
    begin_panel("palette.list", area.min, area.size(), no_fill, true, 0);
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float height = std::round(theme().px(row_height)), width = content_width();
    advance_cursor({width, height * static_cast<float>(rows.size())});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const glm::vec2 min(start.x, start.y + height * static_cast<float>(i));
        const Rect row{min, {min.x + width, min.y + height}};
        const std::string id = fmt::format("palette.found.{}", i + 1);
        const Press press = handle_press(id, {"row", rows[i].title}, row);
        if (press.was_clicked) clicked = i;
        if (i == find.chosen && has_moved) scroll_into_view(row);
        if (ImGui::IsRectVisible(row.min, row.max))
            draw_row(row, rows[i], find.query, i == find.chosen, press.is_hovered);
    }
    end_panel();
    return clicked;
}

}  // namespace

std::string PaletteItem::name() const {
    return fmt::format("{}: {}{}{}", gridstride::ui::name(kind), title, place.empty() ? "" : " · ", place);
}

std::vector<PaletteItem> all_palette_items(const Workspace& workspace) {
    std::vector<PaletteItem> all;
    for (const Action& action : all_actions())
        if (action.id != "find" && action.is_possible(workspace))
            all.push_back({.kind = action.is_setting ? ItemKind::setting : ItemKind::action,
                           .title = tr(action.what),
                           .alias = std::string(action.keys),
                           .perform = action.perform,
                           .shows_alias = true});
    add_lessons(all);
    for (const Parameter& parameter : workspace.session.lesson().parameters)
        all.push_back({.kind = ItemKind::control,
                       .title = parameter.label,
                       .alias = parameter.id,
                       .meaning = parameter.help,
                       .where = tr("id {}", parameter.id),
                       .perform = [id = parameter.id](Workspace& w) { show_parameter(w, id); }});
    for (const ManualPage& page : manual_pages())
        all.push_back({.kind = ItemKind::manual, .title = page.title, .perform = [&page](Workspace& w) {
                           w.help.discard_page();
                           w.help.name = page.name;
                           w.dialog = Dialog::help;
                       }});
    add_terms(all, workspace.session);
    return all;
}

std::vector<PaletteItem> find_palette_items(std::vector<PaletteItem> all, const PaletteView& find) {
    struct RankedItem {
        int negative_score;
        std::ptrdiff_t last_used;  ///< 0: the last one
        std::size_t longer, index;
        auto operator<=>(const RankedItem&) const = default;
    };
    std::vector<RankedItem> ranked;
    for (std::size_t i = 0; i < all.size(); ++i) {
        PaletteItem& one = all[i];
        const auto score_of = one.kind == ItemKind::question ? &substring_score : &fuzzy_score;
        const std::optional<int> title_score = score_of(find.query, one.title);
        const std::optional<int> place_score =
            one.place.empty() ? std::nullopt : score_of(find.query, one.title + " · " + one.place);
        std::optional<int> alias_score;
        std::string_view best_alias;
        for (const std::string_view alias : split(one.alias, ',')) {
            const std::optional<int> score =
                alias.empty() ? std::nullopt : substring_score(find.query, trim(alias));
            if (score > alias_score || (score && score == alias_score && alias.size() < best_alias.size())) {
                alias_score = score;
                best_alias = trim(alias);
            }
        }
        const std::optional<int> score = std::max({title_score, place_score, alias_score});
        if (!score) continue;
        // Matches by place alone keep the order of the story.
        const std::size_t length = title_score == score   ? one.title.size()
                                   : alias_score == score ? best_alias.size()
                                                          : std::string::npos;
        if (!one.shows_alias && title_score != score && place_score != score) {
            one.shows_alias = true;
            one.alias = std::string(best_alias);
        }
        ranked.push_back({-*score, std::ranges::find(find.used, one.name()) - find.used.begin(),
                          find.query.empty() ? 0 : length, i});
    }
    std::ranges::sort(ranked);
    std::vector<PaletteItem> best;
    for (const RankedItem& fit : ranked)
        best.push_back(std::move(all[fit.index]));
    return best;
}

bool draw_find(Workspace& workspace, const Rect& screen) {
    const Theme& t = theme();
    PaletteView& find = workspace.command_palette;
    const bool keep_open =
        begin_dialog("palette", tr("Find"), screen.min, screen.max, dialog_size * t.scale());
    const std::string typed_before = find.query;
    const bool entered =
        text_field("palette.entry", &find.query,
                   {.focus = std::exchange(find.takes_focus, false), .hint = tr("Words, keys or an id")});
    if (find.query != typed_before) find.chosen = 0;
    const std::vector<PaletteItem> rows = find_palette_items(all_palette_items(workspace), find);
    const std::size_t chosen_before = find.chosen;
    if (is_key_pressed(Key::down, true)) ++find.chosen;
    if (is_key_pressed(Key::up, true) && find.chosen > 0) --find.chosen;
    find.chosen = std::min(find.chosen, rows.empty() ? 0 : rows.size() - 1);
    gap(8);

    // The description of the chosen row. Its height is fixed, so that no row moves.
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float foot = std::min(t.px(124), ImGui::GetContentRegionAvail().y / 3);
    const glm::vec2 room(content_width(), ImGui::GetContentRegionAvail().y - foot);
    const bool moved = find.chosen != chosen_before || find.query != typed_before;
    std::optional<std::size_t> pressed = draw_rows(rows, find, moved, {start, start + room});
    begin_panel("palette.foot", {start.x, start.y + room.y}, {room.x, foot}, no_fill, true, 0);
    gap(8);
    const std::string words = rows.empty() ? tr("No match. Type fewer letters.") : rows[find.chosen].meaning;
    named_text("palette.meaning", TextStyle::body, t.palette().text, words);
    if (!rows.empty() && !rows[find.chosen].where.empty()) note_text(rows[find.chosen].where);
    end_panel();
    end_dialog();

    if (entered) pressed = find.chosen;
    if (!pressed || *pressed >= rows.size()) {
        if (entered) find.takes_focus = true;
        return keep_open;
    }
    const PaletteItem& chosen_item = rows[*pressed];
    std::erase(find.used, chosen_item.name());
    find.used.insert(find.used.begin(), chosen_item.name());
    find.used.resize(std::min(find.used.size(), max_used));
    find.chosen = chosen_item.perform ? *pressed : 0;
    if (!chosen_item.perform) {
        find.query = chosen_item.title;
        find.takes_focus = true;
        return true;
    }
    workspace.dialog = Dialog::none;
    chosen_item.perform(workspace);
    return true;
}

}  // namespace gridstride::ui
