#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/units.h"
#include "present/verdict_text.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

constexpr std::size_t max_unmatched = 8;
constexpr std::size_t compare_column_count = 9;

struct CompareColumn {
    const char* title;
    float width_fraction;  ///< fraction of the table's width
    bool left;
};
constexpr std::array<CompareColumn, compare_column_count> compare_column_table = {
    {{tr_later("lesson"), 0.12F, true},
     {tr_later("variant"), 0.16F, true},
     {tr_later("elements"), 0.10F, false},
     {tr_later("workgroup"), 0.09F, false},
     {tr_later("grid"), 0.09F, false},
     {"a µs", 0.08F, false},
     {"b µs", 0.08F, false},
     {"b / a", 0.06F, false},
     {tr_later("b against a"), 0.22F, false}}};

void draw_cells(glm::vec2 at, float width, const std::array<std::string, compare_column_count>& cells,
                ImU32 color, ImU32 last_color) {
    for (std::size_t i = 0; i < compare_column_count; ++i)
        at.x = draw_cell(at, compare_column_table[i].width_fraction * width, compare_column_table[i].left,
                         i + 1 == compare_column_count ? last_color : color, cells[i]);
}

std::array<std::string, compare_column_count> get_row_cells(const ComparedGroup& group,
                                                            const DifferenceText& words) {
    const bool differs = group.difference == Difference::faster || group.difference == Difference::slower;
    return {group.what.lesson,
            group.what.variant,
            format_count(group.what.elements),
            format_count(group.what.workgroup_size),
            grids_text(group),
            format_significant(group.a.median / 1e3),
            format_significant(group.b.median / 1e3),
            group.b_over_a.value > 0 ? format_significant(group.b_over_a.value) : "",
            differs ? words.percent : words.verdict};
}

void draw_row(const ComparedGroup& group, std::size_t number) {
    const Theme& t = theme();
    const float height = t.px(28);
    const glm::vec2 min = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::Dummy({width, height});
    if (!ImGui::IsItemVisible()) return;
    const DifferenceText words = describe_difference(group.b_over_a, group.difference);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddLine({min.x, min.y + height - 1}, {min.x + width, min.y + height - 1},
                  with_alpha(t.palette().line, 0.6F));
    const float y = std::floor(min.y + (height - t.line_height(TextStyle::mono)) / 2);
    draw_cells({min.x, y}, width, get_row_cells(group, words), t.palette().text,
               t.text_color(words.color_role));
    register_widget(fmt::format("compare.row.{}", number), "row", min, {min.x + width, min.y + height},
                    words.verdict + " " + words.percent);
    std::string tip = words.verdict + (words.percent.empty() ? "" : ": " + words.percent);
    if (!group.what.parameters.empty()) tip += "\n" + group.what.parameters;
    tooltip(tip);
}

void draw_file(const char* letter, const TimesFile& file) {
    std::string words = fmt::format("{}: {}", letter, row_counts_text(file));
    for (const DeviceName& device : file.devices)
        words += " · " + describe_device(device.name, device.is_cpu);
    note_text(words);
}

void draw_unmatched(const char* letter, const std::vector<MeasurementKey>& groups) {
    if (groups.empty()) return;
    gap(8);
    text(TextStyle::note_strong, theme().palette().quiet,
         tr("Only in {}: {}", letter, format_count(groups.size())));
    for (std::size_t i = 0; i < std::min(max_unmatched, groups.size()); ++i)
        note_text(groups[i].text());
    if (groups.size() > max_unmatched) note_text(tr("and {} more", groups.size() - max_unmatched));
}

void draw_result(const CompareDialog::Result& result, float height) {
    const Theme& t = theme();
    const float top = ImGui::GetCursorScreenPos().y;
    draw_file("a", result.a);
    draw_file("b", result.b);
    const std::string words = comparison_summary_text(result.comparison);
    named_text("compare.summary", TextStyle::note, t.palette().text, words);
    gap(8);
    const float width = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
    const glm::vec2 head = ImGui::GetCursorScreenPos();
    std::array<std::string, compare_column_count> titles;
    for (std::size_t i = 0; i < compare_column_count; ++i)
        titles[i] = tr(compare_column_table[i].title);
    draw_cells(head, width, titles, t.palette().quiet, t.palette().quiet);
    ImGui::Dummy({width, t.line_height(TextStyle::mono) + t.px(4)});
    separator();
    const float left = std::max(t.px(56), height - (ImGui::GetCursorScreenPos().y - top));
    ImGui::BeginChild("compare.rows", {0, left}, false, ImGuiWindowFlags_AlwaysVerticalScrollbar);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    for (std::size_t i = 0; i < result.comparison.groups.size(); ++i)
        draw_row(result.comparison.groups[i], i);
    ImGui::PopStyleVar();
    draw_unmatched("a", result.comparison.only_a);
    draw_unmatched("b", result.comparison.only_b);
    ImGui::EndChild();
}

/// Starts reading and comparing both files on a worker. Must not be called while dialog.reading().
void compare_files(CompareDialog& dialog) {
    dialog.result.reset();
    dialog.compared_column = dialog.column;
    dialog.worker.start([&dialog, path_a = dialog.path_a, path_b = dialog.path_b,
                         column = std::string(time_columns[dialog.column])](
                            FileProgress& progress) -> FileWorker::Completion {
        CompareDialog::Result result{.a = read_times(path_a, column, &progress),
                                     .b = read_times(path_b, column, &progress)};
        result.comparison = compare(result.a, result.b);
        if (result.comparison.groups.empty()) result.problem = explain_no_common_groups(result.a, result.b);
        return [&dialog, result = std::move(result)] { dialog.result = result; };
    });
}

/// Stores the result when the worker has finished. Does not block.
void poll_comparison(CompareDialog& dialog) {
    const std::optional<std::string> problem = dialog.worker.take();
    if (!problem) return;
    if (!problem->empty()) dialog.result = CompareDialog::Result{.problem = *problem};
    dialog.focus_field = !dialog.is_compared();
    // The user chose another column while the files were read.
    if (dialog.is_compared() && dialog.column != dialog.compared_column) compare_files(dialog);
}

/// Draws the path field of one file and its Browse button. Returns true if Enter was pressed in the field.
bool draw_field(const char* letter, const char* label, std::string* path, bool focus, CompareAction browse,
                CompareAction* action) {
    const Theme& t = theme();
    const ButtonOptions small{.is_small = true};
    text(TextStyle::note, t.palette().quiet, label);
    const float width = content_width() - button_size(tr("Browse …"), small).x - t.px(8);
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const bool entered = text_field(std::string("compare.") + letter, path, {.width = width, .focus = focus});
    const glm::vec2 below = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetItemRectMax().y - start.y;
    set_cursor({start.x + width + t.px(8), start.y + (height - button_size(tr("Browse …"), small).y) / 2});
    if (button(std::string("compare.browse_") + letter, tr("Browse …"), small)) *action = browse;
    set_cursor(below);
    return entered;
}

}  // namespace

CompareAction draw_compare_dialog(CompareDialog& dialog, const Rect& screen) {
    poll_comparison(dialog);
    const Theme& t = theme();
    CompareAction action = CompareAction::none;
    const glm::vec2 size(t.px(1040), dialog.is_compared() ? t.px(640) : t.px(392));
    if (!begin_dialog("compare", tr("Compare two CSV files"), screen.min, screen.max, size))
        action = CompareAction::close;
    const float bottom = ImGui::GetWindowPos().y + ImGui::GetWindowSize().y - t.px(24);
    text_wrapped(TextStyle::body, t.palette().quiet,
                 tr("Choose two CSV files that Gridstride wrote, for example on two machines or two days."));
    gap(8);
    const bool focus = ImGui::IsWindowAppearing() || std::exchange(dialog.focus_field, false);
    bool entered =
        draw_field("a", tr("a, the baseline"), &dialog.path_a, focus, CompareAction::browse_a, &action);
    gap(4);
    entered =
        draw_field("b", tr("b, compared with it"), &dialog.path_b, false, CompareAction::browse_b, &action) ||
        entered;
    gap(4);
    std::vector<Option> options;
    for (const char* column : time_columns)
        options.push_back({column, ""});
    if (choice("compare.column", tr("Time"), options, &dialog.column) && dialog.is_compared())
        compare_files(dialog);
    gap(8);
    const bool can_compare = !dialog.path_a.empty() && !dialog.path_b.empty() && !dialog.reading();
    if (button("compare.compare", tr("Compare"),
               {.emphasis = Emphasis::primary, .is_enabled = can_compare, .shortcut = "Enter"}) ||
        (entered && can_compare))
        compare_files(dialog);
    ImGui::SameLine(0, t.px(8));
    // While files are read, Cancel stops the reading; Close comes after that.
    if (dialog.reading() && button("compare.cancel", tr("Cancel")))
        dialog.worker.cancel();
    else if (!dialog.reading() && button("compare.close", tr("Close"), {.shortcut = "Esc"}))
        action = CompareAction::close;
    gap(8);
    const auto name = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
    if (dialog.reading()) {
        progress_line(-1);
        gap(8);
        named_text("compare.reading", TextStyle::note, t.palette().quiet,
                   tr("Reading {} and {} …", name(dialog.path_a), name(dialog.path_b)));
    }
    if (dialog.is_compared()) {
        draw_result(*dialog.result, bottom - ImGui::GetCursorScreenPos().y);
    } else if (dialog.result) {
        const NamedBlock problem("compare.problem", dialog.result->problem);
        note_text(dialog.result->problem, Severity::refusal);
    }
    end_dialog();
    if (action == CompareAction::close) dialog.worker.cancel();
    return action;
}

}  // namespace gridstride::ui
