#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "ui/desktop/actions.h"
#include "ui/desktop/draw_desktop.h"
#include "ui/learn/learn.h"
#include "ui/panels/panels.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

bool begin_menu(const char* name, glm::vec2 corner) {
    ImGui::SetNextWindowPos(corner, ImGuiCond_Always, {1, 0});
    if (!ImGui::BeginPopup(name)) return false;
    if (is_key_pressed(Key::escape)) ImGui::CloseCurrentPopup();
    return true;
}

namespace {

/// Draws the button that chooses the next language. Lessons are read when the program starts, so the choice
/// holds from the next start on.
void draw_language(Workspace& workspace) {
    struct Language {
        const char *code, *name;
    };
    static constexpr Language languages[] = {{"en", "English"}, {"fr", "Français"}};
    const std::string current = workspace.language.empty() ? text_language() : workspace.language;
    const auto* current_language = std::ranges::find(languages, current, &Language::code);
    if (current_language == std::end(languages)) current_language = languages;
    const std::string label = current == text_language()
                                  ? tr("Language: {}", current_language->name)
                                  : tr("Language: {}, from the next start on", current_language->name);
    if (!button("view.language", label, {.emphasis = Emphasis::quiet, .is_small = true})) return;
    if (++current_language == std::end(languages)) current_language = languages;
    workspace.language = current_language->code;
}

void draw_view_menu(Workspace& workspace, glm::vec2 corner) {
    if (!begin_menu("view", corner)) return;
    Layout& layout = workspace.layout;
    const auto item = [&](std::string_view id, std::string_view label, const Action& action) {
        if (!button(id, label, {.emphasis = Emphasis::quiet, .is_small = true, .shortcut = action.keys}))
            return;
        ImGui::CloseCurrentPopup();
        action.perform(workspace);
    };
    item("view.find", tr("Find …"), action("find"));
    item("view.theme", workspace.mode == Mode::dark ? tr("Light theme") : tr("Dark theme"), action("theme"));
    item("view.motion", workspace.reduces_motion ? tr("Animate") : tr("Reduce motion"), action("motion"));
    const std::string scale = tr("Size {:.0f} %", workspace.scale * 100);
    if (button("view.scale", scale,
               {.emphasis = Emphasis::quiet, .is_small = true, .shortcut = action("larger").keys}))
        workspace.scale = workspace.scale >= 2 ? 1.0F : workspace.scale + 0.25F;
    draw_language(workspace);
    if (workspace.page == Page::lesson) {
        item("view.runs", layout.runs_open() ? tr("Close the runs") : tr("Open the runs"), action("runs"));
        if (layout.arrangement == Arrangement::bench)
            item("view.story", layout.is_story_unfolded ? tr("Hide the story") : tr("Show the story"),
                 action("story"));
        item("view.restore", tr("Restore panels"), action("restore"));
        item("view.present", tr("Present"), action("present"));
    }
    separator();
    item("view.lesson_folders", tr("Lesson folders …"), action("lesson_folders"));
    item("view.save_progress", tr("Save progress to a file …"), action("save_progress"));
    item("view.take_progress", tr("Load progress from a file …"), action("take_progress"));
    if (workspace.autosave) item("view.earlier", tr("Earlier work"), action("earlier"));
    separator();
    item("view.keys", tr("Keys"), action("keys"));
    item("view.help", tr("Help"), action("help"));
    ImGui::EndPopup();
}

std::string device_label(const Session& session) {
    if (!session.device_problem().empty()) return tr("no device");
    if (!session.device()) return tr("opening the device …");
    // "llvmpipe (LLVM 15.0.6, 256 bits)": the tooltip has the part in brackets.
    const std::string& name = session.device()->device_name;
    return name.substr(0, name.find(" (")) + (session.device()->is_cpu ? tr(" · software device") : "");
}

void draw_device_menu(Workspace& workspace, glm::vec2 corner) {
    ImGui::SetNextWindowSize({theme().px(400), 0});
    if (!begin_menu("device", corner)) return;
    if (draw_device(workspace.session)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

ImU32 step_color(const Session& session, std::size_t step) {
    const Palette& palette = theme().palette();
    if (step == session.step()) return palette.kernel;
    const StepProgress progress =
        session.progress().step_progress(session.lesson(), session.story().steps[step]);
    const bool done = progress.has_exercise ? progress.is_solved
                                            : progress.is_seen && progress.open + progress.pending == 0;
    return done ? palette.right : palette.line;
}

std::string describe_step(const Session& session, std::size_t step) {
    const StepProgress progress =
        session.progress().step_progress(session.lesson(), session.story().steps[step]);
    const char* state = step == session.step()  ? tr("open now")
                        : !progress.is_seen     ? tr("not seen yet")
                        : progress.pending > 0  ? tr("its answer is being measured")
                        : progress.open > 0     ? tr("its question is not answered yet")
                        : progress.is_solved    ? tr("exercise completed")
                        : progress.has_exercise ? tr("exercise not completed yet")
                                                : tr("done");
    return fmt::format("{} · {}: {}", step + 1, session.story().steps[step].title, state);
}

void draw_dashes(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    const auto steps = static_cast<float>(session.story().steps.size());
    const float space = t.px(4), height = t.px(4);
    const float each = (area.width() - space * (steps - 1)) / steps;
    for (std::size_t i = 0; i < session.story().steps.size(); ++i) {
        const glm::vec2 min(area.min.x + static_cast<float>(i) * (each + space), area.min.y);
        // A four-pixel line is hard to hit.
        const Rect hit{min, {min.x + each, area.max.y}};
        const std::string id = fmt::format("story.step.{}", i + 1);
        const Item item = interact(id, {"button", session.story().steps[i].title}, hit);
        if (item.was_clicked) show_step(workspace, i);
        const float y = std::floor(hit.centre().y - height / 2);
        const ImU32 color = step_color(session, i);
        ImGui::GetWindowDrawList()->AddRectFilled(
            {hit.min.x, y}, {hit.max.x, y + height},
            item.is_hovered ? mix(color, t.palette().text, 0.3F) : color, height / 2);
        if (item.is_focused) draw_focus_ring({{hit.min.x, y}, {hit.max.x, y + height}}, t.px(2));
        if (item.is_hovered) show_delayed_tooltip(item, make_widget_id(id), describe_step(session, i));
    }
}

/// Places items side by side, centred vertically in the bar.
class BarLayout {
 public:
    BarLayout(const Rect& area, float inset)
        : area_(area), left_(area.min.x + inset), right_(area.max.x - inset) {}
    float left() const { return left_; }
    float room() const { return right_ - left_; }
    /// Returns the position of an item of this size and reserves its width plus the gap.
    glm::vec2 place_left(glm::vec2 size, float gap) {
        const glm::vec2 at(left_, area_.centred_top(size.y));
        left_ += size.x + gap;
        return at;
    }
    glm::vec2 place_right(glm::vec2 size, float gap) {
        right_ -= size.x;
        const glm::vec2 at(std::floor(right_), area_.centred_top(size.y));
        right_ -= gap;
        return at;
    }

 private:
    Rect area_;
    float left_, right_;
};

void draw_breadcrumb(Workspace& workspace, BarLayout& row) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Session& session = workspace.session;
    const auto word = [&](TextStyle type, ImU32 color, std::string_view words, float gap) {
        draw_text(list, type, row.place_left(text_size(type, words), t.px(gap)), color, words);
    };
    word(TextStyle::body_strong, palette.text, "Gridstride", 8);
    if (workspace.page == Page::course) return word(TextStyle::body, palette.text, tr("Course"), 0);
    const ButtonOptions course{.emphasis = Emphasis::quiet, .tooltip = tr("All lessons")};
    set_cursor(row.place_left(button_size(tr("Course ›"), course), t.px(2)));
    if (button("top.course", tr("Course ›"), course)) workspace.page = Page::course;
    word(TextStyle::body, palette.text, session.entry().title, 20);
    const std::string count = tr("{} of {}", session.step() + 1, session.story().steps.size());
    const float count_width = text_size(TextStyle::note, count).x;
    const auto steps = static_cast<float>(session.story().steps.size());
    const float dashes = std::min(t.px(26) * steps, row.room() - count_width - t.px(28));
    if (dashes >= t.px(9) * steps) {
        const glm::vec2 size(dashes, t.px(28));
        const glm::vec2 at = row.place_left(size, t.px(12));
        draw_dashes(workspace, {at, at + size});
    }
    word(TextStyle::note, palette.quiet, count, 0);
}

}  // namespace

void draw_top_bar(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    begin_panel("top", area.min, area.size(), t.palette().panel, false, 0);
    ImGui::GetWindowDrawList()->AddLine({area.min.x, area.max.y - 1}, {area.max.x, area.max.y - 1},
                                        t.palette().line);
    BarLayout row(area, t.px(16));
    const auto chip_at_right = [&](std::string_view id, std::string_view label, std::string_view tip) {
        set_cursor(row.place_right(chip_size(label), t.px(12)));
        return chip(id, label, tip);
    };
    if (chip_at_right("top.view", "···", tr("View, progress, help"))) ImGui::OpenPopup("view");
    draw_view_menu(workspace, {area.max.x - t.px(8), area.max.y + t.px(4)});
    if (workspace.page == Page::lesson) {
        const std::vector<Tab> arrangements = {{"learn", tr("Learn")}, {"bench", tr("Bench")}};
        auto arrangement = static_cast<std::size_t>(workspace.layout.arrangement);
        const glm::vec2 size = tabs_size(arrangements, area.width());
        const glm::vec2 at = row.place_right(size, t.px(12));
        begin_panel("mode", at, size, t.palette().panel, false, 0);
        if (tabs("mode", arrangements, &arrangement)) action("mode").perform(workspace);
        end_panel();
    }
    const std::vector<JobState> jobs = jobs_to_show(session);
    constexpr float min_breadcrumb_width = 440;
    const auto has_room = [&](float width) { return row.room() - width > t.px(min_breadcrumb_width); };
    const std::string device = device_label(session);
    const ButtonOptions find_options{
        .emphasis = Emphasis::quiet, .is_small = true, .shortcut = action("find").keys};
    const glm::vec2 find = button_size(tr("Find …"), find_options);
    // In a narrow window the jobs replace the device and Find.
    const bool all_have_room = has_room(job_bar_size().x + chip_size(device).x + find.x + t.px(24));
    // The device is shortened first, so that the path has room.
    const std::string shown =
        elide(TextStyle::note, device, row.room() - t.px(min_breadcrumb_width) - t.px(22));
    if ((all_have_room || jobs.empty()) && has_room(t.px(70))) {
        const float right = row.left() + row.room();
        if (chip_at_right(
                "top.device", shown,
                session.device() ? tr("The device and its peak performance") : session.device_problem()) &&
            session.device())
            ImGui::OpenPopup("device");
        if (session.device()) draw_device_menu(workspace, {right, area.max.y + t.px(4)});
    }
    if ((all_have_room || jobs.empty()) && has_room(find.x)) {
        set_cursor(row.place_right(find, t.px(12)));
        if (button("top.find", tr("Find …"), find_options)) action("find").perform(workspace);
    }
    if (all_have_room || !jobs.empty()) {
        const glm::vec2 at = row.place_right(job_bar_size(), t.px(20));
        draw_job_bar(workspace.session, jobs, {at, at + job_bar_size()});
    }
    draw_breadcrumb(workspace, row);
    end_panel();
}

}  // namespace gridstride::ui
