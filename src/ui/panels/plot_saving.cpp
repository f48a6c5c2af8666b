#include "ui/panels/plot_saving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "ui/panels/workspace.h"
#include "ui/widgets/dialog_frame.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float picture_padding = 16;
/// The menu closes in the first, in the second nothing under the mouse is read out any more, and the height
/// is known.
constexpr int settling_frames = 2;

std::string first_path(const PlotSaving& saving, const std::string& lesson) {
    const char* home = std::getenv("HOME");
    const std::string folder = !saving.folder.empty() ? saving.folder : home ? home : ".";
    return fmt::format("{}/{}_{}.{}", folder, lesson, saving.wish.plot->id,
                       saving.wish.file == PlotFile::csv ? "csv" : "png");
}

void start(PlotSaving& saving, PlotView& from, const std::string& lesson) {
    saving.wish = std::move(*from.wish);
    from.wish.reset();
    saving.view = from;
    saving.view.state.reset();  // what the mouse does to the plot is not part of it
    saving.picture = {};
    saving.path = first_path(saving, lesson);
    saving.problem.clear();
    saving.overwrites = false;
    saving.wants_focus = true;
    saving.height = 0;
    saving.frames_left = settling_frames;
    saving.stage = saving.wish.file == PlotFile::csv ? PlotSaving::Stage::asks : PlotSaving::Stage::draws;
}

/// The title, how the numbers came about, the note and the plot: a picture that stands alone says what it
/// shows.
void draw_picture(PlotSaving& saving, float most_height) {
    const Theme& t = theme();
    const Plot& plot = *saving.wish.plot;
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float width = content_width();
    const std::string_view origin = origin_label(plot.origin);
    const float origin_width = text_size(Type::note, origin).x;
    draw_text_right(ImGui::GetWindowDrawList(), Type::note,
                    {start.x + width, start.y + t.line_height(Type::panel_title) - t.line_height(Type::note)},
                    t.palette().quiet, origin);
    text_wrapped(Type::panel_title, t.palette().text, plot.title, width - origin_width - t.px(16));
    if (!plot.note.empty()) text_wrapped(Type::note, t.palette().quiet, plot.note);
    gap(8);
    const float above = ImGui::GetCursorScreenPos().y - start.y;
    draw_plot("picture.plot", plot, saving.view,
              {width, std::min(saving.wish.size.y, std::max(t.px(48), most_height - above))},
              saving.wish.stale);
    saving.view.wish.reset();
    saving.height = std::ceil(ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y - start.y);
}

/// Over the whole window, so that the mouse is on nothing; in its middle, whole, the picture.
void draw_over_window(PlotSaving& saving, glm::vec2 screen_min, glm::vec2 screen_max) {
    const Theme& t = theme();
    const glm::vec2 screen(screen_max.x - screen_min.x, screen_max.y - screen_min.y);
    const float padding = std::round(t.px(picture_padding));
    const float width = std::min(std::ceil(saving.wish.size.x) + 2 * padding, screen.x);
    const float height = std::min(saving.height > 0 ? saving.height + 2 * padding : screen.y, screen.y);
    saving.cut_off = saving.height + 2 * padding > screen.y;
    saving.min = {std::floor(screen_min.x + (screen.x - width) / 2),
                  std::floor(screen_min.y + (screen.y - height) / 2)};
    saving.max = {saving.min.x + width, saving.min.y + height};

    constexpr ImGuiWindowFlags plain =
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
    ImGui::SetNextWindowPos(screen_min);
    ImGui::SetNextWindowSize(screen);
    ImGui::Begin("picture", nullptr, plain | ImGuiWindowFlags_NoBackground);
    // What a panel reads out at its focused widget would lie over the picture.
    keep_keyboard_in_this_window();
    ImGui::End();

    ImGui::SetNextWindowPos(saving.min);
    ImGui::SetNextWindowSize({width, height});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, t.palette().ground);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
    ImGui::Begin("picture.face", nullptr, plain | ImGuiWindowFlags_NoInputs);
    ImGui::PopStyleVar(3);
    ImGui::PopStyleColor();
    draw_picture(saving, screen.y - 2 * padding);
    ImGui::End();

    if (--saving.frames_left <= 0) saving.stage = PlotSaving::Stage::drawn;
    request_redraw_within(0);
}

std::string what_is_written(const PlotSaving& saving) {
    if (saving.wish.file == PlotFile::csv)
        return std::holds_alternative<Cells>(saving.wish.plot->content)
                   ? "All cells, one row each."
                   : "All values of the plot, one row a point, also those that the axes do not show.";
    return fmt::format("The plot as it is shown, {} × {} pixels.{}", saving.picture.width,
                       saving.picture.height,
                       saving.cut_off ? " It is higher than the window and is cut off at the bottom: cancel, "
                                        "enlarge the window, and save again to have all of it."
                                      : "");
}

void draw_dialog(Workspace& workspace, glm::vec2 screen_min, glm::vec2 screen_max) {
    const Theme& t = theme();
    PlotSaving& saving = workspace.plot_saving;
    const bool values = saving.wish.file == PlotFile::csv;
    const bool stays =
        begin_dialog("plot.save", values ? "Save the plot's values as CSV" : "Save the plot as PNG",
                     screen_min, screen_max, {t.px(640), t.px(304)});
    text_wrapped(Type::body, t.palette().text, saving.wish.plot->title);
    const std::string what = what_is_written(saving);
    named_text("plot.what", Type::body, t.palette().quiet, what);
    gap(8);
    const std::string before = saving.path;
    const bool entered = text_field("plot.path", &saving.path, {.focus = saving.wants_focus});
    saving.wants_focus = false;
    if (saving.path != before) saving.overwrites = false, saving.problem.clear();
    gap(4);
    if (!saving.problem.empty()) {
        const bool asks = saving.overwrites;
        const glm::vec2 min = ImGui::GetCursorScreenPos();
        text_wrapped(Type::note, t.as_text(asks ? Ink::caution : Ink::wrong),
                     (asks ? "! " : "✗ ") + saving.problem);
        register_widget("plot.problem", "text", min, ImGui::GetItemRectMax(), saving.problem);
        gap(4);
    }
    if (button("plot.accept", saving.overwrites ? "Replace" : "Save",
               {.emphasis = Emphasis::primary, .shortcut = "Enter"}) ||
        entered)
        write_plot(workspace);
    ImGui::SameLine(0, t.px(8));
    if (button("plot.cancel", "Cancel", {.shortcut = "Esc"}) || !stays)
        saving.stage = PlotSaving::Stage::none;
    end_dialog();
    if (saving.open()) return;
    // Large pictures and arrays are not kept for nothing.
    saving.wish = {};
    saving.picture = {};
}

}  // namespace

Image cut_out(const Image& image, glm::vec2 min, glm::vec2 max) {
    const auto column = [&](float x) {
        return static_cast<std::uint32_t>(std::clamp(x, 0.0F, static_cast<float>(image.width)));
    };
    const auto row = [&](float y) {
        return static_cast<std::uint32_t>(std::clamp(y, 0.0F, static_cast<float>(image.height)));
    };
    const std::uint32_t left = column(min.x), right = column(max.x), top = row(min.y), bottom = row(max.y);
    Image part;
    if (right <= left || bottom <= top) return part;
    part.width = right - left;
    part.height = bottom - top;
    part.rgba.reserve(std::size_t{4} * part.width * part.height);
    for (std::uint32_t y = top; y < bottom; ++y) {
        const auto line =
            image.rgba.begin() + static_cast<std::ptrdiff_t>(4 * (std::size_t{y} * image.width + left));
        part.rgba.insert(part.rgba.end(), line, line + static_cast<std::ptrdiff_t>(4 * part.width));
    }
    return part;
}

void draw_plot_saving(Workspace& workspace, glm::vec2 screen_min, glm::vec2 screen_max) {
    PlotSaving& saving = workspace.plot_saving;
    for (auto& [id, view] : workspace.plot_views)
        if (view.wish) start(saving, view, workspace.session.lesson().id);
    if (saving.stage == PlotSaving::Stage::draws)
        draw_over_window(saving, screen_min, screen_max);
    else if (saving.stage == PlotSaving::Stage::asks)
        draw_dialog(workspace, screen_min, screen_max);
}

void take_pixels(PlotSaving& saving, const Image& window) {
    saving.picture = cut_out(window, saving.min, saving.max);
    saving.stage = PlotSaving::Stage::asks;
}

void write_plot(Workspace& workspace) {
    PlotSaving& saving = workspace.plot_saving;
    const std::filesystem::path path = saving.path;
    std::error_code ignored;
    if (!saving.overwrites && std::filesystem::is_regular_file(path, ignored)) {
        saving.problem =
            "There is a file of this name. Press Replace to write over it, or choose another name.";
        saving.overwrites = true;
        return;
    }
    try {
        if (saving.wish.file == PlotFile::csv) {
            const std::string csv = plot_csv(*saving.wish.plot);
            write_file(path, csv);
            const auto lines = static_cast<std::uint64_t>(std::count(csv.begin(), csv.end(), '\n'));
            workspace.notice = fmt::format("Wrote {} rows to {}.", format_count(lines - 1), saving.path);
        } else {
            save_png(saving.picture, saving.path);
            workspace.notice = fmt::format("Wrote {} × {} pixels to {}.", saving.picture.width,
                                           saving.picture.height, saving.path);
        }
        workspace.notice_is_bad = false;
        saving.folder = path.parent_path().string();
        saving.stage = PlotSaving::Stage::none;
    } catch (const FileError& error) {
        saving.problem = error.what();
        saving.overwrites = false;
    }
}

}  // namespace gridstride::ui
