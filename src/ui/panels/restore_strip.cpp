// Restores earlier work: the strip that offers the autosave, and progress as a file.

#include <cmath>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "base/utc_time.h"
#include "session/progress_file.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

constexpr float strip_height = 44;

/// Also includes the kernels of other windows. Reads files, so it runs on the worker.
std::map<KernelKey, KernelEdit> all_kernels(std::map<KernelKey, KernelEdit> ours,
                                            const std::filesystem::path& folder) {
    if (!folder.empty()) ours.merge(saved_kernels(folder));
    return ours;
}

FileWorker::Task progress_save_work(Workspace& workspace, const std::string& path) {
    const auto folder = workspace.autosave ? workspace.autosave->folder() : std::filesystem::path();
    return [&workspace, path, folder, story_progress = workspace.session.progress().story_progress(),
            kernels = workspace.session.kernels().all()](FileProgress& file) -> FileWorker::Completion {
        require_progress_target(path);
        const ProgressFile progress{story_progress, all_kernels(kernels, folder)};
        write_file(path, format_progress(progress, utc_now()), &file);
        return [&workspace, words = describe_export(progress, path)] { workspace.show_notice(words); };
    };
}

void load_progress(Workspace& workspace, const std::string& path, const ProgressFile& theirs,
                   const std::map<KernelKey, KernelEdit>& kernels) {
    Session& session = workspace.session;
    StoryProgress ours = session.progress().story_progress();
    const std::size_t merged_count = merge(ours, theirs.story_progress);
    session.restore_progress(std::move(ours));
    workspace.show_notice(describe_import(merged_count, kernels.size(), theirs.left_out, path));
    if (workspace.autosave && !kernels.empty()) workspace.autosave->import_kernels(kernels);
}

FileWorker::Task progress_load_work(Workspace& workspace, const std::string& path) {
    const auto folder = workspace.autosave ? workspace.autosave->folder() : std::filesystem::path();
    return [&workspace, path, folder,
            mine = workspace.session.kernels().all()](FileProgress&) -> FileWorker::Completion {
        const ProgressFile theirs = read_progress(path);
        return [&workspace, path, theirs, kernels = new_kernels(all_kernels(mine, folder), theirs.kernels)] {
            load_progress(workspace, path, theirs, kernels);
        };
    };
}

}  // namespace

float restore_strip_height(const Workspace& workspace) {
    return workspace.autosave && workspace.autosave->offered_session() ? std::floor(theme().px(strip_height))
                                                                       : 0;
}

void draw_restore_strip(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    Autosave& autosave = *workspace.autosave;
    begin_panel("kept", area.min, area.size(), palette.raised, false, 0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddLine({area.min.x, area.max.y - 1}, {area.max.x, area.max.y - 1}, palette.line);
    const std::string words = describe_offer(*autosave.offered_session());
    const ButtonOptions primary{.emphasis = Emphasis::primary};
    const ButtonOptions quiet{.tooltip = tr("The menu at the right of the top bar offers it again")};
    const glm::vec2 restore_size = button_size(tr("Restore"), primary);
    const float buttons = restore_size.x + t.px(8) + button_size(tr("Not now"), quiet).x + t.px(16);
    const glm::vec2 at(area.min.x + t.px(16), area.centred_top(t.line_height(TextStyle::body)));
    const std::string shown = elide(TextStyle::body, words, area.max.x - at.x - t.px(16) - buttons);
    const float width = text_size(TextStyle::body, shown).x;
    named_line("kept.words", TextStyle::body, at, palette.text, shown, words);
    set_cursor({at.x + width + t.px(16), area.centred_top(restore_size.y)});
    const bool restore_pressed = button("kept.go_on", tr("Restore"), primary);
    ImGui::SameLine(0, t.px(8));
    const bool dismiss_offer = button("kept.not_now", tr("Not now"), quiet);
    end_panel();
    if (dismiss_offer) autosave.dismiss_offer();
    if (!restore_pressed) return;
    const std::vector<std::string> notes = autosave.restore_offered_session();
    workspace.show_notice(notes.empty() ? tr("Your earlier work is restored.") : join(notes, " "),
                          !notes.empty());
}

void open_progress_dialog(Workspace& workspace, Dialog dialog) {
    FileName& file = workspace.progress_file;
    if (file.path.empty()) file.path = home_path("gridstride-progress.json");
    file.clear_problem();
    workspace.dialog = dialog;
}

bool draw_progress_dialog(Workspace& workspace, const Rect& screen) {
    const bool saves = workspace.dialog == Dialog::save_progress;
    return workspace.files.draw(
        {.window = "progress",
         .id = "progress",
         .title = saves ? tr("Save progress to a file") : tr("Load progress from a file"),
         .what = saves ? tr("Your predictions with their questions, and your kernels: "
                            "for a teacher, or to use on another machine.")
                       : tr("Predictions and kernels from a saved file. Predictions "
                            "that you have decided here and your kernels are kept."),
         .extensions = {".json"},
         .verb_id = "accept",
         .verb = saves ? tr("Save") : tr("Load"),
         .writes = saves,
         .work =
             [&workspace, saves](const std::string& path) {
                 return saves ? progress_save_work(workspace, path) : progress_load_work(workspace, path);
             }},
        workspace.progress_file, screen);
}

}  // namespace gridstride::ui
