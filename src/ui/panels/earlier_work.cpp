// Restores earlier work: the strip that offers the autosave, and progress as a file.
#include <fmt/format.h>

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
std::map<KernelKey, KernelEdit> all_kernels(std::map<KernelKey, KernelEdit> mine,
                                            const std::filesystem::path& folder) {
    if (!folder.empty()) mine.merge(kept_kernels(folder));
    return mine;
}

FileWork::Work progress_saving(Workspace& workspace, const std::string& path) {
    const auto folder = workspace.keeping ? workspace.keeping->folder() : std::filesystem::path();
    return [&workspace, path, folder, learned = workspace.session.answers().learned(),
            kernels = workspace.session.kernels().all()](FileProgress& file) -> FileWork::Then {
        require_progress_target(path);
        const Progress progress{learned, all_kernels(kernels, folder)};
        write_file(path, format_progress(progress, utc_time()), &file);
        return [&workspace, words = written_in_words(progress, path)] { workspace.say(words); };
    };
}

void take_progress(Workspace& workspace, const std::string& path, const Progress& theirs,
                   const std::map<KernelKey, KernelEdit>& kernels) {
    Session& session = workspace.session;
    Learned mine = session.answers().learned();
    const std::size_t taken = merge(mine, theirs.learned);
    session.restore_answers(std::move(mine));
    workspace.say(import_in_words(taken, kernels.size(), theirs.left_out, path));
    if (workspace.keeping && !kernels.empty()) workspace.keeping->take_kernels(kernels);
}

FileWork::Work progress_taking(Workspace& workspace, const std::string& path) {
    const auto folder = workspace.keeping ? workspace.keeping->folder() : std::filesystem::path();
    return [&workspace, path, folder,
            mine = workspace.session.kernels().all()](FileProgress&) -> FileWork::Then {
        const Progress theirs = read_progress(path);
        return [&workspace, path, theirs, kernels = new_kernels(all_kernels(mine, folder), theirs.kernels)] {
            take_progress(workspace, path, theirs, kernels);
        };
    };
}

}  // namespace

float earlier_work_height(const Workspace& workspace) {
    return workspace.keeping && workspace.keeping->offered() ? std::floor(theme().px(strip_height)) : 0;
}

void draw_earlier_work(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    Keeping& keeping = *workspace.keeping;
    begin_panel("kept", area.min, area.size(), palette.raised, false, 0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddLine({area.min.x, area.max.y - 1}, {area.max.x, area.max.y - 1}, palette.line);
    const auto top_of = [&](float height) { return std::floor((area.min.y + area.max.y - height) / 2); };
    const std::string words = offer_in_words(*keeping.offered());
    const ButtonOptions primary{.emphasis = Emphasis::primary};
    const ButtonOptions quiet{.tooltip = "The menu at the right of the top bar offers it again"};
    const glm::vec2 go_on_size = button_size("Restore", primary);
    const float buttons = go_on_size.x + t.px(8) + button_size("Not now", quiet).x + t.px(16);
    const glm::vec2 at(area.min.x + t.px(16), top_of(t.line_height(Type::body)));
    const std::string shown = elide(Type::body, words, area.max.x - at.x - t.px(16) - buttons);
    const float width = text_size(Type::body, shown).x;
    named_line("kept.words", Type::body, at, palette.text, shown, words);
    ImGui::SetCursorScreenPos({at.x + width + t.px(16), top_of(go_on_size.y)});
    const bool goes_on = button("kept.go_on", "Restore", primary);
    ImGui::SameLine(0, t.px(8));
    const bool not_now = button("kept.not_now", "Not now", quiet);
    end_panel();
    if (not_now) keeping.not_now();
    if (!goes_on) return;
    const std::vector<std::string> notes = keeping.go_on();
    workspace.say(notes.empty() ? "Your earlier work is restored." : joined(notes, " "), !notes.empty());
}

void open_progress_dialog(Workspace& workspace, Dialog dialog) {
    FileName& file = workspace.progress_file;
    if (file.path.empty()) file.path = in_home("gridstride-progress.json");
    file.forget_problem();
    workspace.dialog = dialog;
}

bool draw_progress_dialog(Workspace& workspace, const Rect& screen) {
    const bool saves = workspace.dialog == Dialog::save_progress;
    return workspace.files.draw({.window = "progress",
                                 .id = "progress",
                                 .title = saves ? "Save progress to a file" : "Load progress from a file",
                                 .what = saves ? "Your predictions with their questions, and your kernels: "
                                                 "for a teacher, or to use on another machine."
                                               : "Predictions and kernels from a saved file. Predictions "
                                                 "that you have decided here and your kernels are kept.",
                                 .endings = {".json"},
                                 .verb_id = "accept",
                                 .verb = saves ? "Save" : "Load",
                                 .writes = saves,
                                 .work =
                                     [&workspace, saves](const std::string& path) {
                                         return saves ? progress_saving(workspace, path)
                                                      : progress_taking(workspace, path);
                                     }},
                                workspace.progress_file, screen);
}

}  // namespace gridstride::ui
