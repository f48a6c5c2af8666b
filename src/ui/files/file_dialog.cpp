#include "ui/files/file_dialog.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_entries = 500;
constexpr double progress_redraw_seconds = 0.1;

// Design pixels.
constexpr glm::vec2 dialog_size(760, 560);
constexpr float places_width = 176;
constexpr float entry_height = 28;
constexpr float min_list_height = 88;

std::string format_size(const FolderEntry& entry) {
    return entry.folder ? tr("folder") : format_byte_text(entry.bytes);
}

std::string format_date(std::time_t time) {
    return time == 0 ? "" : fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(time));
}

/// Throws FileError if the file is shipped with Gridstride, or is not a regular file.
void require_writable_file(const std::string& path, const fs::file_status& status) {
    if (is_shipped(path))
        throw FileError(
            tr("Cannot write {}: it is in a folder that came with Gridstride. Choose another "
               "folder.",
               quote_path(path)));
    if (fs::exists(status) && !fs::is_regular_file(status))
        throw FileError(
            tr("Cannot write {}: it is a pipe or a device. Choose another name.", quote_path(path)));
}

}  // namespace

bool is_shipped(const fs::path& file) {
    const fs::path within = file.lexically_normal().lexically_relative(data_directory());
    return !within.empty() && *within.begin() != "..";
}

void FilePlaces::add(const std::string& path) {
    // The settings are JSON, which holds printable text only.
    if (printable(path) != path) return;
    if (!is_shipped(path)) last_folder = fs::path(path).parent_path().string();
    std::erase(recent, path);
    recent.insert(recent.begin(), path);
    if (recent.size() > max_recent_files) recent.resize(max_recent_files);
}

void FileBrowser::set_wake(const std::function<void()>& wake) {
    worker_.wake = wake;
    lister_.wake = wake;
}

void FileBrowser::close() {
    worker_.cancel();
    lister_.cancel();
    open_.clear();
    is_done_ = false;
}

void FileBrowser::open(const FileDialog& dialog, FileName& name) {
    close();
    open_ = dialog.id;
    extensions_ = dialog.extensions;
    hidden_names_ = dialog.hidden_names;
    focus_field_ = true;
    show_after_ = ImGui::GetTime();
    const fs::path path(name.path);
    std::string folder = path.has_parent_path() ? path.parent_path().string() : places.last_folder;
    if (folder.empty()) folder = home_directory().string();
    name.path = path.filename().string();
    std::error_code ignored;
    open_folder(fs::absolute(folder, ignored).string());
    if (!std::exchange(name.accepts_at_once, false)) return;
    show_after_ += seconds_before_dialog;
    accept(dialog, name);
}

void FileBrowser::open_folder(const std::string& folder) {
    folder_ = fs::path(folder).lexically_normal().string();
    if (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
    list_ = {};
    list_problem_.clear();
    current_ = 0;
    lister_.start([this, path = folder_, extensions = extensions_,
                   hidden = hidden_names_](FileProgress& progress) -> FileWorker::Completion {
        FolderList list = list_folder(path, extensions, max_entries, progress);
        std::erase_if(list.entries, [&](const FolderEntry& entry) {
            return std::ranges::find(hidden, entry.name) != hidden.end();
        });
        return [this, list = std::move(list)] { list_ = list; };
    });
}

std::string FileBrowser::absolute_path(const std::string& path) const {
    if (path == "~" || path.starts_with("~/")) return home_directory().string() + path.substr(1);
    return (fs::path(folder_) / path).string();
}

void FileBrowser::fail(FileName& name, const std::string& problem) {
    name.problem = problem;
    name.offers_replace = false;
    focus_field_ = true;
}

void FileBrowser::accept(const FileDialog& dialog, FileName& name) {
    if (worker_.is_busy()) return;
    if (name.path.empty())
        return fail(name,
                    dialog.writes ? tr("Give the file a name.") : tr("Choose a file, or type its name."));
    const std::string path = absolute_path(name.path);
    const bool asks = dialog.writes && !name.offers_replace && path != dialog.replace_without_asking;
    name.problem.clear();
    worker_.start([this, &name, path, asks, writes = dialog.writes,
                   work = dialog.work(path)](FileProgress& progress) -> FileWorker::Completion {
        std::error_code unknown;  // reading or writing reports the error
        const fs::file_status status = fs::status(path, unknown);
        if (fs::is_directory(status))
            return [this, &name, path] {
                open_folder(path);
                name.path.clear();
                fail(name, tr("{} is a folder. Choose a file in it.", quote_path(path)));
            };
        if (writes) require_writable_file(path, status);
        if (asks && fs::exists(status))
            return [this, &name] {
                fail(name,
                     tr("This file exists already. Press Replace to overwrite it, or choose another name."));
                name.offers_replace = true;
            };
        return [this, path, then = work(progress)] {
            if (then) then();
            places.add(path);
            is_done_ = true;
        };
    });
}

/// Takes a name from the list or the places. Choosing the same name twice accepts it.
void FileBrowser::choose(const FileDialog& dialog, FileName& name, const std::string& path) {
    if (path == name.path) return accept(dialog, name);
    name.path = path;
    name.clear_problem();
}

bool FileBrowser::draw(const FileDialog& dialog, FileName& name, const Rect& screen) {
    if (open_ != dialog.id) open(dialog, name);
    if (const auto problem = lister_.take()) list_problem_ = *problem;
    if (const auto problem = worker_.take(); problem && !problem->empty()) fail(name, *problem);
    const auto leave = [&] {
        if (!name.path.empty()) name.path = absolute_path(name.path);
        close();
        return false;
    };
    if (is_done_) return leave();
    if (worker_.is_busy() && ImGui::GetTime() < show_after_) {
        request_redraw_within(show_after_ - ImGui::GetTime());
        return true;
    }
    const Theme& t = theme();
    bool keep_open = begin_dialog(dialog.window, dialog.title, screen.min, screen.max,
                                  {t.px(dialog_size.x), t.px(dialog_size.y)});
    const float bottom = ImGui::GetWindowPos().y + ImGui::GetWindowSize().y - t.px(24);
    if (!dialog.subject.empty()) text_wrapped(TextStyle::body, t.palette().text, dialog.subject);
    named_text(dialog.id + ".what", TextStyle::body, t.palette().quiet, dialog.what);
    gap(8);
    const std::string before = name.path;
    bool entered = text_field(dialog.id + ".path", &name.path,
                              {.is_enabled = !worker_.is_busy(),
                               .focus = !worker_.is_busy() && std::exchange(focus_field_, false)});
    if (name.path != before) name.clear_problem();
    gap(4);
    if (dialog.draw_fields && dialog.draw_fields()) entered = true;
    if (!name.problem.empty()) {
        named_text(dialog.id + ".problem", TextStyle::note,
                   t.text_color(name.offers_replace ? ColorRole::caution : ColorRole::wrong),
                   (name.offers_replace ? "! " : "✗ ") + name.problem, name.problem);
        gap(4);
    }
    gap(4);
    const glm::vec2 top = ImGui::GetCursorScreenPos();
    const float width = content_width();
    const float foot = button_size(dialog.verb).y + t.px(24);
    const float height = std::max(t.px(min_list_height), std::floor(bottom - foot - top.y));
    draw_places(dialog, name, height);
    set_cursor({top.x + t.px(places_width + 16), top.y});
    draw_folder(dialog, name, height);
    set_cursor({top.x, top.y + height + t.px(12)});
    draw_progress(dialog, width);
    set_cursor({top.x, top.y + height + t.px(24)});
    if (!draw_buttons(dialog, name, entered)) keep_open = false;
    end_dialog();
    return keep_open || leave();
}

bool FileBrowser::draw_buttons(const FileDialog& dialog, FileName& name, bool entered) {
    const Theme& t = theme();
    bool keep_open = true;
    if (button(dialog.id + "." + dialog.verb_id, name.offers_replace ? tr("Replace") : dialog.verb,
               {.emphasis = Emphasis::primary, .is_enabled = !worker_.is_busy(), .shortcut = "Enter"}) ||
        entered)
        accept(dialog, name);
    ImGui::SameLine(0, t.px(8));
    if (dialog.draw_extra_button && !worker_.is_busy() && dialog.draw_extra_button()) keep_open = false;
    // The first press cancels the work, so that the name can be corrected; the next closes the dialog.
    if (button(dialog.id + ".cancel", tr("Cancel"), {.shortcut = worker_.is_busy() ? "" : "Esc"})) {
        keep_open = worker_.is_busy();
        focus_field_ = keep_open;
        worker_.cancel();
    }
    return keep_open;
}

void FileBrowser::draw_progress(const FileDialog& dialog, float width) const {
    const FileProgress* progress = worker_.progress();
    if (!progress) return;
    const Theme& t = theme();
    const auto done = static_cast<double>(progress->done), total = static_cast<double>(progress->total);
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    progress_line(total > 0 ? static_cast<float>(done / total) : -1.0F);
    request_redraw_within(progress_redraw_seconds);
    std::string words = dialog.writes ? tr("Writing …") : tr("Reading …");
    if (done > 0)
        words = total > 0 ? tr("{} of {}", format_bytes(done).text(), format_bytes(total).text())
                          : format_bytes(done).text();
    const glm::vec2 right(start.x + width, start.y + t.px(20));
    named_line(dialog.id + ".progress", TextStyle::mono,
               right - glm::vec2(text_size(TextStyle::mono, words).x, 0), t.palette().quiet, words);
}

void FileBrowser::draw_places(const FileDialog& dialog, FileName& name, float height) {
    const Theme& t = theme();
    const bool enabled = !worker_.is_busy();
    ImGui::BeginChild((dialog.id + ".places").c_str(), {t.px(places_width), height}, false,
                      ImGuiWindowFlags_NoNav);
    const float room = content_width() - t.px(24);
    const auto place = [&](const std::string& which, std::string_view label, const std::string& tip) {
        return button(dialog.id + "." + which, elide(TextStyle::note, printable(label), room),
                      {.emphasis = Emphasis::quiet, .is_enabled = enabled, .is_small = true, .tooltip = tip});
    };
    const fs::path samples = dialog.samples.empty() ? data_directory() / "samples" : dialog.samples;
    if (place("place.home", tr("Home"), home_directory().string())) open_folder(home_directory().string());
    if (!places.last_folder.empty() && places.last_folder != home_directory().string() &&
        place("place.last", fs::path(places.last_folder).filename().string(), places.last_folder))
        open_folder(places.last_folder);
    if (!dialog.writes && place("place.samples", tr("Samples"), tr("Files that came with Gridstride")))
        open_folder(samples.string());
    std::size_t number = 0;
    for (const std::string& recent : std::vector(places.recent)) {
        if (!has_extension(recent, dialog.extensions)) continue;
        if (number == 0) {
            gap(8);
            section_label(tr("Recent files"));
        }
        const fs::path path(recent);
        if (!place(fmt::format("recent.{}", number++), path.filename().string(), recent)) continue;
        if (path.parent_path() != folder_) open_folder(path.parent_path().string());
        choose(dialog, name, path.filename().string());
    }
    ImGui::EndChild();
}

void FileBrowser::draw_folder(const FileDialog& dialog, FileName& name, float height) {
    const Theme& t = theme();
    const bool enabled = !worker_.is_busy();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = content_width();
    const ButtonOptions small{.is_enabled = enabled && folder_ != "/",
                              .is_small = true,
                              .tooltip = tr("The folder above this one")};
    if (button(dialog.id + ".up", tr("Up"), small)) open_folder(fs::path(folder_).parent_path().string());
    const glm::vec2 up = button_size(tr("Up"), small);
    const std::string folder = elide_front(TextStyle::mono, printable(folder_), width - up.x - t.px(12));
    named_line(dialog.id + ".folder", TextStyle::mono,
               {start.x + up.x + t.px(12), start.y + (up.y - t.line_height(TextStyle::mono)) / 2},
               t.palette().quiet, folder, folder_);
    set_cursor({start.x, start.y + up.y + t.px(4)});
    ImGui::PushStyleColor(ImGuiCol_ChildBg, t.palette().ground);
    ImGui::BeginChild((dialog.id + ".list").c_str(), {width, std::max(1.0F, height - up.y - t.px(4))}, false,
                      ImGuiWindowFlags_NoNav);
    ImGui::PopStyleColor();
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    draw_list(dialog, name);
    ImGui::PopStyleVar();
    ImGui::EndChild();
}

/// The list is one Tab stop; the arrow keys move from entry to entry.
void FileBrowser::draw_list(const FileDialog& dialog, FileName& name) {
    const Theme& t = theme();
    const auto say = [&](const std::string& words, ColorRole color_role) {
        set_cursor(cursor() + glm::vec2(t.px(12), t.px(8)));
        named_text(dialog.id + ".list.said", TextStyle::note, t.text_color(color_role), words);
    };
    if (!list_problem_.empty()) return say("✗ " + list_problem_, ColorRole::wrong);
    if (lister_.is_busy()) return say(tr("Reading the folder …"), ColorRole::quiet);
    if (list_.entries.empty()) return say(tr("This folder is empty."), ColorRole::quiet);

    const glm::vec2 start = cursor();
    const float step = std::round(t.px(entry_height));
    const auto count = list_.entries.size();
    const Rect all{start, start + glm::vec2(content_width(), step * static_cast<float>(count))};
    advance_cursor(all.size());
    const std::string id = dialog.id + ".entries";
    const Item item = interact(id, {"list"}, all, {.is_enabled = !worker_.is_busy(), .takes_arrows = true});
    const auto row_rect = [&](std::size_t index) {
        const float y = start.y + step * static_cast<float>(index);
        return Rect{{all.min.x, y}, {all.max.x, y + step}};
    };
    const auto under_mouse = static_cast<std::size_t>(
        std::clamp((ImGui::GetIO().MousePos.y - start.y) / step, 0.0F, static_cast<float>(count) - 1));
    if (item.is_focused) {
        const std::size_t before = current_;
        if (is_plain_key_pressed(Key::down, true)) ++current_;
        if (is_plain_key_pressed(Key::up, true) && current_ > 0) --current_;
        if (is_plain_key_pressed(Key::home)) current_ = 0;
        if (is_plain_key_pressed(Key::end)) current_ = count - 1;
        current_ = std::min(current_, count - 1);
        if (current_ != before) scroll_into_view(row_rect(current_));
    }
    const bool by_key =
        item.is_focused && (is_plain_key_pressed(Key::enter) || is_plain_key_pressed(Key::space));
    if (item.was_clicked && !by_key) current_ = under_mouse;
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i < count; ++i) {
        const Rect row = row_rect(i);
        const FolderEntry& entry = list_.entries[i];
        register_widget(fmt::format("{}.entry.{}", dialog.id, i), "row", row.min, row.max,
                        printable(entry.name));
        if (!ImGui::IsRectVisible(row.min, row.max)) continue;
        const bool chosen = !entry.folder && entry.name == name.path;
        if (chosen || (item.is_hovered && i == under_mouse && (entry.folder || entry.fits)))
            list->AddRectFilled(row.min, row.max, t.palette().raised, t.px(4));
        draw_row(entry, row);
        if (item.is_focused && i == current_) draw_focus_ring(row.expanded(-glm::vec2(t.px(4))), t.px(4));
    }
    if (list_.left_out > 0)
        say(tr("{} more are not listed. Type a name to use one.", format_count(list_.left_out)),
            ColorRole::quiet);
    if (!item.was_clicked || current_ >= count) return;
    const FolderEntry entry = list_.entries[current_];
    if (entry.folder)
        open_folder((fs::path(folder_) / entry.name).string());
    else if (entry.fits)
        choose(dialog, name, entry.name);
}

void FileBrowser::draw_row(const FolderEntry& entry, const Rect& row) {
    const Theme& t = theme();
    const bool usable = entry.folder || entry.fits;
    const ImU32 color_role = usable ? t.palette().text : mix(t.palette().quiet, t.palette().ground, 0.35F);
    const ImU32 aside = usable ? t.palette().quiet : color_role;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float mono = std::floor(row.min.y + (row.height() - t.line_height(TextStyle::mono)) / 2);
    float right = row.max.x - t.px(12);
    draw_text_right(list, TextStyle::mono, {right, mono}, aside, format_date(entry.modified));
    right -= text_size(TextStyle::mono, "2000-00-00 00:00").x + t.px(16);
    draw_text_right(list, TextStyle::mono, {right, mono}, aside, format_size(entry));
    right -= text_size(TextStyle::mono, "000.0 MiB").x + t.px(16);
    const float left = row.min.x + t.px(12);
    const std::string name = printable(entry.name) + (entry.folder ? "/" : "");
    draw_text(list, TextStyle::body,
              {left, std::floor(row.min.y + (row.height() - t.line_height(TextStyle::body)) / 2)}, color_role,
              elide(TextStyle::body, name, std::max(1.0F, right - left)));
}

}  // namespace gridstride::ui
