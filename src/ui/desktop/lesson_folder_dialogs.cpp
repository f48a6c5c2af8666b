// The question whether to load a folder's lessons, and the setting "Lesson folders".
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "assignment/assignment.h"
#include "base/file.h"
#include "base/text.h"
#include "ui/desktop/draw_desktop.h"
#include "ui/learn/learn.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

using text_lesson::FolderLoader;
using text_lesson::FolderSetting;

constexpr std::size_t max_named_lessons = 12;
constexpr std::size_t max_errors_per_folder = 3;

// Design pixels.
constexpr float question_width = 600, max_errors_height = 220;
constexpr glm::vec2 setting_size(680, 500);
constexpr float min_list_height = 88;

/// Returns, for example, "2 lessons: first, second".
std::string describe_lessons(const std::vector<std::string>& ids) {
    const std::vector<std::string> named(
        ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), max_named_lessons)));
    return fmt::format("{}: {}{}", counted(ids.size(), "lesson", "lessons"), join(named, ", "),
                       ids.size() > named.size() ? tr(" and {} more", ids.size() - named.size()) : "");
}

void draw_errors(std::string_view id, const std::vector<std::string>& errors, std::size_t max_count,
                 float width) {
    const NamedBlock block(id, join(errors, "\n"));
    for (std::size_t i = 0; i < std::min(max_count, errors.size()); ++i)
        note_text(errors[i], Severity::refusal, width);
    if (errors.size() > max_count) note_text(tr("and {} more", errors.size() - max_count));
}

/// Shows the loaded lessons: the only one is opened, several are shown on the course page, as are errors.
void show_lessons(Workspace& workspace, const std::vector<std::string>& ids, bool has_errors) {
    const CourseEntry& first = *find_course_entry(ids.front());
    workspace.show_notice(tr("Loaded {}.{}", describe_lessons(ids),
                             has_errors ? tr(" Others have errors and were not loaded.") : ""),
                          has_errors);
    if (ids.size() == 1 && !has_errors) return open_story(workspace, first);
    workspace.is_presenting = false;
    workspace.page = Page::course;
    reveal_widget("course.card." + first.id);
}

/// Ends the question. Returns false if no dialog follows.
bool leave_question(Workspace& workspace) {
    const bool was_dropped = workspace.folder_question.was_dropped;
    workspace.folder_question = {};
    if (!was_dropped) workspace.dialog = Dialog::lesson_folders;
    return !was_dropped;
}

/// Shows the assignment of a folder whose lessons are loaded, or its mistakes.
void open_assignment(Workspace& workspace, const std::string& folder) {
    try {
        workspace.assignment = read_assignment(folder);
        workspace.is_presenting = false;
        workspace.page = Page::course;
        workspace.show_notice(tr("Opened the assignment {}.", quote_text(workspace.assignment->title)));
    } catch (const std::runtime_error& error) {  // FileError, or Refusal
        workspace.show_notice(tr("The assignment was not opened. {}", error.what()), true);
    }
}

bool finish_loading(Workspace& workspace) {
    FolderQuestion& question = workspace.folder_question;
    const std::vector<std::string> ids = question.loader->lesson_ids();
    const std::string folder = question.loader->folder();
    const bool has_errors = !question.loader->errors().empty();
    if (question.loads_at_start) workspace.lesson_folders.add(std::move(question.loader));
    if (question.has_assignment)
        open_assignment(workspace, folder);
    else if (question.was_dropped)
        show_lessons(workspace, ids, has_errors);
    else
        workspace.folder_setting = {};
    return leave_question(workspace);
}

/// Handles a folder that has no lessons to ask about. Returns nullopt if the dialog must show the errors.
std::optional<bool> handle_nothing_found(Workspace& workspace) {
    FolderQuestion& question = workspace.folder_question;
    const bool is_folder = question.loader->state() != FolderLoader::State::not_a_folder;
    if (question.loader->errors().empty() || !question.loader->lesson_ids().empty()) return std::nullopt;
    if (question.has_assignment) {
        open_assignment(workspace, question.loader->folder());
        return leave_question(workspace);
    }
    if (question.was_dropped && is_folder) return std::nullopt;
    if (question.was_dropped)
        refuse_dropped_file(workspace, question.loader->folder());
    else
        workspace.folder_setting.problem = question.loader->errors().front();
    return leave_question(workspace);
}

void draw_question_errors(FolderQuestion& question) {
    const Theme& t = theme();
    const std::vector<std::string>& errors = question.loader->errors();
    if (errors.empty()) return;
    if (!question.loader->lesson_ids().empty()) {
        note_text(tr("Nothing was loaded. Correct the files, then press Load again."), Severity::caution);
        gap(4);
    }
    const float height =
        std::clamp(question.errors_height, t.line_height(TextStyle::note), t.px(max_errors_height));
    ImGui::BeginChild("load_lessons.error_list", {0, height}, false, ImGuiWindowFlags_NoNav);
    const float top = ImGui::GetCursorPosY();
    draw_errors("load_lessons.errors", errors, errors.size(),
                content_width() - ImGui::GetStyle().ScrollbarSize);
    update_height(question.errors_height, ImGui::GetCursorPosY() - top);
    ImGui::EndChild();
    gap(12);
}

void draw_start_option(FolderQuestion& question) {
    const bool can_store = FolderSetting::can_store(question.loader->folder());
    if (!can_store) question.loads_at_start = false;
    checkbox("load_lessons.at_start", tr("Load it at each start"), &question.loads_at_start,
             can_store && !question.is_busy());
    if (!can_store)
        note_text(
            tr("The path has characters that the settings cannot store. Rename the folder to load it at "
               "each start."));
    gap(16);
}

void draw_lessons(const FolderQuestion& question) {
    const Theme& t = theme();
    named_text("load_lessons.folder", TextStyle::mono, t.palette().text,
               printable(question.loader->folder()));
    gap(8);
    if (question.loader->lesson_ids().empty()) return;
    named_text("load_lessons.lessons", TextStyle::body_strong, t.palette().text,
               describe_lessons(question.loader->lesson_ids()));
    gap(8);
    text_wrapped(
        TextStyle::body, t.palette().text,
        tr("Its kernels are compiled in a process with limits and run as kernels of your own do. Load "
           "only folders from people you trust."));
    gap(12);
}

/// Draws the row of a folder with its state. Returns true if it is to be removed.
bool draw_folder(const FolderLoader& loader, std::size_t index, float width) {
    const Theme& t = theme();
    const ButtonOptions options{.is_small = true,
                                .tooltip = tr("Its lessons are not loaded at the next start")};
    const glm::vec2 start = cursor(), size = button_size(tr("Remove"), options);
    const float room = width - size.x - t.px(12);
    const std::string path = printable(loader.folder());
    const Rect line{start, start + glm::vec2(room, size.y)};
    draw_text(ImGui::GetWindowDrawList(), TextStyle::mono,
              {start.x, line.centred_top(t.line_height(TextStyle::mono))}, t.palette().text,
              elide_front(TextStyle::mono, path, room));
    register_place(fmt::format("folders.path.{}", index), line, path, path);
    set_cursor({start.x + width - size.x, start.y});
    const bool removes = button(fmt::format("folders.remove.{}", index), tr("Remove"), options);
    set_cursor({start.x, line.max.y});
    const std::string id = fmt::format("folders.state.{}", index);
    if (!loader.errors().empty()) draw_errors(id, loader.errors(), max_errors_per_folder, width);
    if (loader.is_busy() || loader.state() == FolderLoader::State::loaded)
        named_text(loader.errors().empty() ? id : id + ".loaded", TextStyle::note, t.palette().quiet,
                   loader.is_busy() ? tr("Reading …") : describe_lessons(loader.lesson_ids()), {}, width);
    gap(12);
    return removes;
}

void draw_folders(Workspace& workspace, float height) {
    const Theme& t = theme();
    FolderSetting& setting = workspace.lesson_folders;
    ImGui::BeginChild("folders.list", {0, height}, false, ImGuiWindowFlags_NoNav);
    const float width = content_width();
    if (setting.loaders().empty())
        named_text("folders.empty", TextStyle::body, t.palette().quiet,
                   tr("No folder yet. Drop a folder on the window, or type its path below."));
    std::optional<std::size_t> removed;
    for (std::size_t i = 0; i < setting.loaders().size(); ++i)
        if (draw_folder(*setting.loaders()[i], i, width)) removed = i;
    ImGui::EndChild();
    if (!removed) return;
    setting.remove(*removed);
    workspace.folder_setting.has_removed = true;
}

/// Asks whether to load the folder that was typed.
void add_typed_folder(Workspace& workspace) {
    FolderSettingView& view = workspace.folder_setting;
    const bool in_home = view.path == "~" || view.path.starts_with("~/");
    const std::filesystem::path path =
        in_home ? home_path(view.path.substr(std::min<std::size_t>(2, view.path.size()))) : view.path;
    view.problem.clear();
    if (path.is_absolute())
        ask_to_load_lessons(workspace, path.string(), false);
    else
        view.problem = tr("Give the whole path of a folder, such as {}.", home_path("lessons"));
}

}  // namespace

bool draw_folder_question(Workspace& workspace, const Rect& screen) {
    FolderQuestion& question = workspace.folder_question;
    if (question.loader->pump() && question.was_dropped) {
        std::error_code ignored;
        question.has_assignment = std::filesystem::exists(
            std::filesystem::path(question.loader->folder()) / assignment_file, ignored);
    }
    if (question.loader->state() == FolderLoader::State::loaded) return finish_loading(workspace);
    if (const std::optional<bool> stays = handle_nothing_found(workspace)) return *stays;
    if (!question.show_after) question.show_after = ImGui::GetTime() + seconds_before_dialog;
    if (question.is_busy() && ImGui::GetTime() < *question.show_after) {
        request_redraw_within(*question.show_after - ImGui::GetTime());
        return true;
    }
    const Theme& t = theme();
    const bool has_lessons = !question.loader->lesson_ids().empty();
    const char* const title = !has_lessons              ? tr("Lesson folder")
                              : question.has_assignment ? tr("Open this assignment and load its lessons?")
                                                        : tr("Load the lessons in this folder?");
    bool keep_open = begin_dialog("load_lessons", title, screen.min, screen.max,
                                  {t.px(question_width), std::max(question.dialog_height, t.px(180))});
    draw_lessons(question);
    draw_question_errors(question);
    if (has_lessons) draw_start_option(question);
    if (question.is_busy()) progress_line(-1);
    gap(4);
    if (has_lessons) {
        if (button("load_lessons.yes", tr("Load"),
                   {.emphasis = Emphasis::primary, .is_enabled = !question.is_busy()}))
            question.loader->load();
        ImGui::SameLine(0, t.px(8));
    }
    if (button("load_lessons.no", has_lessons ? tr("Cancel") : tr("Close"), {.shortcut = "Esc"}))
        keep_open = false;
    update_height(question.dialog_height, ImGui::GetCursorPosY() + t.px(24));
    end_dialog();
    return keep_open || leave_question(workspace);
}

bool draw_folder_setting(Workspace& workspace, const Rect& screen) {
    const Theme& t = theme();
    FolderSettingView& view = workspace.folder_setting;
    bool keep_open = begin_dialog("folders", tr("Lesson folders"), screen.min, screen.max,
                                  {t.px(setting_size.x), t.px(setting_size.y)});
    text_wrapped(TextStyle::body, t.palette().quiet,
                 tr("The lessons in these folders are loaded when Gridstride starts."));
    gap(12);
    const ButtonOptions close{.shortcut = "Esc"};
    const float line = t.line_height(TextStyle::note) * 2;
    const float foot = 2 * button_size(tr("Close"), close).y + line + t.px(32);
    draw_folders(workspace, std::max(t.px(min_list_height), ImGui::GetContentRegionAvail().y - foot));
    gap(8);
    const float width = content_width() - button_size(tr("Add")).x - t.px(8);
    bool adds = text_field("folders.path", &view.path, {.width = width, .hint = tr("Path of a folder")});
    ImGui::SameLine(0, t.px(8));
    adds = button("folders.add", tr("Add"), {.is_enabled = !view.path.empty()}) || adds;
    gap(4);
    if (!view.problem.empty())
        named_text("folders.problem", TextStyle::note, t.text_color(ColorRole::wrong), "✗ " + view.problem,
                   view.problem);
    else if (view.has_removed)
        note_text(tr("The lessons of a removed folder stay until you close Gridstride."));
    ImGui::SetCursorPosY(ImGui::GetWindowHeight() - t.px(24) - button_size(tr("Close"), close).y);
    if (button("folders.close", tr("Close"), close)) keep_open = false;
    end_dialog();
    if (!keep_open)
        view = {};
    else if (adds)
        add_typed_folder(workspace);
    return keep_open;
}

}  // namespace gridstride::ui
