#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <glm/common.hpp>
#include <utility>

#include "base/file.h"
#include "base/units.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {
namespace {

constexpr float picture_padding = 16;
/// The menu closes in the first, in the second nothing under the mouse is read out any more, and the height
/// is known.
constexpr int frames_before_picture = 2;

void start(PlotSaving& saving, PlotView& from, const std::string& lesson) {
    saving.wish = std::move(*from.wish);
    from.wish.reset();
    saving.view = from;
    saving.view.state.reset();  // what the mouse does to the plot is not part of it
    saving.picture = {};
    const bool values = saving.wish.file == PlotFile::csv;
    const std::string file = fmt::format("{}_{}.{}", lesson, saving.wish.plot->id, values ? "csv" : "png");
    saving.name = {.path = saving.folder.empty() ? in_home(file) : saving.folder + "/" + file};
    saving.height = 0;
    saving.frames_left = frames_before_picture;
    saving.stage = values ? PlotSaving::Stage::asks : PlotSaving::Stage::draws;
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
    if (!plot.note.empty()) note_text(plot.note);
    gap(8);
    const float above = ImGui::GetCursorScreenPos().y - start.y;
    draw_plot("picture.plot", plot, saving.view,
              {width, std::min(saving.wish.size.y, std::max(t.px(48), most_height - above))},
              saving.wish.stale);
    saving.view.wish.reset();
    saving.height = std::ceil(ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y - start.y);
}

/// Over the whole window, so that the mouse is on nothing; in its middle, whole, the picture.
void draw_over_window(PlotSaving& saving, const Rect& area) {
    const Theme& t = theme();
    const glm::vec2 screen = area.size();
    const float padding = std::round(t.px(picture_padding));
    const glm::vec2 wanted(std::ceil(saving.wish.size.x), saving.height > 0 ? saving.height : screen.y);
    const glm::vec2 size = glm::min(wanted + 2 * padding, screen);
    saving.cut_off = saving.height + 2 * padding > screen.y;
    saving.min = glm::floor(area.min + (screen - size) / 2.0F);
    saving.max = saving.min + size;

    constexpr ImGuiWindowFlags plain =
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
    ImGui::SetNextWindowPos(area.min);
    ImGui::SetNextWindowSize(screen);
    ImGui::Begin("picture", nullptr, plain | ImGuiWindowFlags_NoBackground);
    // What a panel reads out at its focused widget would lie over the picture.
    keep_keyboard_in_this_window();
    ImGui::End();

    ImGui::SetNextWindowPos(saving.min);
    ImGui::SetNextWindowSize(size);
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
        return saving.wish.plot->csv
                   ? "All cells of the map, one row each: both values, the variant, the median, half of its "
                     "95 % interval, and the status."
                   : "All values of the plot, one row a point, also those that the axes do not show.";
    return fmt::format("The plot as it is shown, {} × {} pixels.{}", saving.picture.width,
                       saving.picture.height,
                       saving.cut_off ? " It is higher than the window and is cut off at the bottom: cancel, "
                                        "enlarge the window, and save again to have all of it."
                                      : "");
}

void draw_saving_dialog(Workspace& workspace, const Rect& screen) {
    PlotSaving& saving = workspace.plot_saving;
    const bool values = saving.wish.file == PlotFile::csv;
    if (workspace.files.draw({.window = "plot.save",
                              .id = "plot",
                              .title = values ? "Save the plot's values as CSV" : "Save the plot as PNG",
                              .subject = saving.wish.plot->title,
                              .what = what_is_written(saving),
                              .endings = {values ? ".csv" : ".png"},
                              .verb_id = "accept",
                              .verb = "Save",
                              .writes = true,
                              .work = [&](const std::string& path) { return plot_writing(workspace, path); }},
                             saving.name, screen))
        return;
    saving.stage = PlotSaving::Stage::none;
    // Large pictures and arrays are not kept for nothing.
    saving.wish = {};
    saving.picture = {};
}

}  // namespace

Image cut_out(const Image& image, glm::vec2 min, glm::vec2 max) {
    const glm::vec2 whole(image.width, image.height);
    const glm::uvec2 from(glm::clamp(min, glm::vec2(0), whole));
    const glm::uvec2 to(glm::clamp(max, glm::vec2(0), whole));
    if (to.x <= from.x || to.y <= from.y) return {};
    Image part{.width = to.x - from.x, .height = to.y - from.y, .rgba = {}};
    part.rgba.reserve(std::size_t{4} * part.width * part.height);
    for (std::uint32_t y = from.y; y < to.y; ++y) {
        const auto line =
            image.rgba.begin() + static_cast<std::ptrdiff_t>(4 * (std::size_t{y} * image.width + from.x));
        part.rgba.insert(part.rgba.end(), line, line + static_cast<std::ptrdiff_t>(4 * part.width));
    }
    return part;
}

void draw_plot_saving(Workspace& workspace, const Rect& screen) {
    PlotSaving& saving = workspace.plot_saving;
    for (auto& [id, view] : workspace.plot_views)
        if (view.wish) start(saving, view, workspace.session.lesson().id);
    if (saving.stage == PlotSaving::Stage::draws)
        draw_over_window(saving, screen);
    else if (saving.stage == PlotSaving::Stage::asks)
        draw_saving_dialog(workspace, screen);
}

void take_pixels(PlotSaving& saving, const Image& window) {
    saving.picture = cut_out(window, saving.min, saving.max);
    saving.stage = PlotSaving::Stage::asks;
}

FileWork::Work plot_writing(Workspace& workspace, const std::string& path) {
    const PlotSaving& saving = workspace.plot_saving;
    const auto said = [&workspace, path](std::string what) -> FileWork::Then {
        return [&workspace, path, what = std::move(what)] {
            workspace.plot_saving.folder = std::filesystem::path(path).parent_path().string();
            workspace.say(fmt::format("Wrote {} to {}.", what, path));
        };
    };
    if (saving.wish.file == PlotFile::csv)
        return [said, path, plot = saving.wish.plot](FileProgress& progress) {
            const std::string csv = plot_csv(*plot);
            write_file(path, csv, &progress);
            const auto lines = static_cast<std::uint64_t>(std::count(csv.begin(), csv.end(), '\n'));
            return said(fmt::format("{} rows", format_count(lines - 1)));
        };
    return [said, path, picture = saving.picture](FileProgress&) {
        save_png(picture, path);
        return said(fmt::format("{} × {} pixels", picture.width, picture.height));
    };
}

}  // namespace gridstride::ui
