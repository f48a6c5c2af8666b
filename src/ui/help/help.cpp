#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "ui/help/help.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr std::uintmax_t max_page_bytes = std::uintmax_t{1} << 20;

/// Design pixels: wide enough for code and tables, narrow enough for readable lines of text.
constexpr float max_width = 1180;

void read_page(HelpView& help) {
    const std::string file = help.name + ".md";
    help.discard_page();
    try {
        const std::string text = read_file(data_directory() / "manual" / file, max_page_bytes);
        help.page = parse_page(remove_byte_order_mark(text), file);
    } catch (const FileError& error) {
        help.problem = error.what();
    } catch (const StoryError& error) {
        help.problem = error.what();
    }
}

void open_page(HelpView& help, std::string name) {
    help.name = std::move(name);
    read_page(help);
}

/// Returns the anchor that links use: "exit-codes" for "Exit codes".
std::string make_anchor(const Spans& heading) {
    std::string anchor;
    for (const Span& span : heading)
        for (const char c : to_lower(span.text)) {
            if (std::isalnum(static_cast<unsigned char>(c)) || c == '-') anchor += c;
            if (c == ' ') anchor += '-';
        }
    return anchor;
}

/// Opens a page of the manual, at the heading after its #. Copies any other link to the clipboard.
void follow_link(HelpView& help, const std::string& link) {
    const std::size_t end = std::min(link.find('#'), link.size());
    const std::string file = link.substr(0, end), heading = link.substr(std::min(end + 1, link.size()));
    for (const ManualPage& page : manual_pages()) {
        if (file != std::string(page.name) + ".md" && !(file.empty() && help.name == page.name)) continue;
        if (help.name != page.name) open_page(help, page.name);
        help.heading = heading;
        return;
    }
    ImGui::SetClipboardText(link.c_str());
    help.notice = tr("Copied {}.", link);
}

void draw_block(const Block& block, std::size_t index) {
    if (const auto* paragraph = std::get_if<Paragraph>(&block)) {
        draw_spans(paragraph->spans);
    } else if (const auto* heading = std::get_if<Subheading>(&block)) {
        if (index > 0) gap(8);
        draw_spans(heading->spans, heading->level == 2 ? TextStyle::panel_title : TextStyle::body_strong);
    } else if (const auto* list = std::get_if<ListBlock>(&block)) {
        draw_list(*list);
    } else if (const auto* table = std::get_if<TableBlock>(&block)) {
        draw_table(*table);
    } else if (const auto* code = std::get_if<CodeBlock>(&block)) {
        draw_code(fmt::format("help.code.{}", index), "", code->text,
                  code->word == "glsl" || code->word == "cpp");
    }
}

void draw_problem(const HelpView& help) {
    named_text("help.problem", TextStyle::body, theme().text_color(ColorRole::wrong), "✗ " + help.problem,
               help.problem);
    gap(4);
    text_wrapped(
        TextStyle::note, theme().palette().quiet,
        tr("This page of the manual cannot be shown. Reinstall Gridstride, or read the page on the web. The "
           "other pages are not affected."));
}

void draw_page(HelpView& help, const Rect& area) {
    // A panel, and so a scroll position, for each page.
    const std::string id = "help.text." + help.name;
    begin_panel(id, area.min, area.size(), theme().palette().panel, true, 0);
    scroll_by_keys(true);
    // Keeps the scroll bar free.
    ImGui::PushClipRect(area.min, area.max, true);
    begin_links("help.link");
    if (help.page) {
        text_wrapped(TextStyle::step_title, theme().palette().text, help.page->title);
        for (std::size_t i = 0; i < help.page->blocks.size(); ++i) {
            gap(12);
            const auto* const heading = std::get_if<Subheading>(&help.page->blocks[i]);
            if (heading && !help.heading.empty() && make_anchor(heading->spans) == help.heading) {
                ImGui::SetScrollHereY(0);
                help.heading.clear();
            }
            draw_block(help.page->blocks[i], i);
        }
        gap(24);
    } else {
        draw_problem(help);
    }
    const std::optional<std::string> link = take_pressed_link();
    begin_links("");
    ImGui::PopClipRect();
    end_panel();
    if (link) follow_link(help, *link);
}

}  // namespace

const std::vector<ManualPage>& manual_pages() {
    static const std::vector<ManualPage> pages = {{"own_kernels", "Your own kernel"},
                                                  {"programs", "Programs"},
                                                  {"expressions", "Expressions"},
                                                  {"write_a_lesson", "Write a lesson in an hour"},
                                                  {"text_lessons", "Lessons in a folder of text"},
                                                  {"assignments", "Assignments and grading"},
                                                  {"command_line", "Command line"},
                                                  {"measuring", "Measuring"},
                                                  {"peers", "Other libraries"},
                                                  {"accessibility", "Accessibility"},
                                                  {"cpp_lessons", "Lessons in C++"},
                                                  {"writing_a_story", "Writing a story"},
                                                  {"scripts", "Scripts and tests"},
                                                  {"concepts", "Concepts"},
                                                  {"architecture", "Architecture"}};
    return pages;
}

bool draw_help(HelpView& help, const Rect& screen) {
    const Theme& t = theme();
    const glm::vec2 size(t.px(max_width), screen.size().y);
    bool keep_open = begin_dialog("help", tr("Help"), screen.min, screen.max, size);
    if (help.name.empty()) help.name = manual_pages().front().name;
    if (!help.page && help.problem.empty()) read_page(help);

    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float foot = button_size(tr("Close"), {.shortcut = "Esc"}).y + t.px(12);
    const glm::vec2 room(content_width(), ImGui::GetContentRegionAvail().y - foot);
    float list_width = 0;
    for (const ManualPage& page : manual_pages())
        list_width = std::max(list_width, button_size(page.title, {.is_small = true}).x);
    list_width = std::ceil(list_width);

    std::optional<std::string> chosen;
    begin_panel("help.pages", start, {list_width, room.y}, t.palette().panel, true, 0);
    for (const ManualPage& page : manual_pages())
        if (button(std::string("help.page.") + page.name, page.title,
                   {.emphasis = Emphasis::quiet, .is_selected = help.name == page.name, .is_small = true}))
            chosen = page.name;
    end_panel();
    draw_page(help, {{start.x + list_width + t.px(24), start.y}, start + room});
    if (chosen) open_page(help, *chosen);

    set_cursor({start.x, start.y + room.y + t.px(12)});
    if (button("help.close", tr("Close"), {.emphasis = Emphasis::primary, .shortcut = "Esc"}))
        keep_open = false;
    if (!help.notice.empty()) {
        ImGui::SameLine(0, t.px(16));
        named_text("help.notice", TextStyle::note, t.palette().quiet, help.notice);
    }
    end_dialog();
    return keep_open;
}

}  // namespace gridstride::ui
