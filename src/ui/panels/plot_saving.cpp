#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

/// A picture that a worker requests and waits for, and that the window draws.
class PictureRequest {
 public:
    struct PictureSpec {
        glm::uvec2 pixels;
        int percent = 100;
    };
    /// Blocks until the picture is delivered. Called on the worker. Throws Cancelled.
    Image wait_for(const PictureSpec& spec, FileProgress& progress) {
        std::unique_lock lock(mutex_);
        spec_ = spec;
        while (!picture_) {
            delivered_.wait_for(lock, poll_interval);
            progress.advance(0);
        }
        return std::move(*picture_);
    }
    std::optional<PictureSpec> spec() const {
        const std::lock_guard lock(mutex_);
        return spec_;
    }
    void deliver(Image picture) {
        const std::lock_guard lock(mutex_);
        picture_ = std::move(picture);
        delivered_.notify_one();
    }

 private:
    /// How often the worker checks for cancellation.
    static constexpr std::chrono::milliseconds poll_interval{20};
    mutable std::mutex mutex_;
    std::condition_variable delivered_;
    std::optional<PictureSpec> spec_;
    std::optional<Image> picture_;
};

namespace {

constexpr glm::uvec2 min_size(200, 150), max_size(4096, 4096);
constexpr int min_percent = 50, max_percent = 400;

void start(PlotSaveDialog& saving, PlotView& from, const std::string& lesson) {
    saving.action = std::move(*from.action);
    from.action.reset();
    saving.view = from;
    const bool values = saving.action.file == PlotFile::csv;
    const std::string file = fmt::format("{}_{}.{}", lesson, saving.action.plot->id, values ? "csv" : "png");
    saving.name = {.path = saving.folder.empty() ? home_path(file) : saving.folder + "/" + file};
    if (!values) {
        const glm::uvec2 size =
            glm::clamp(PlotPicture::displayed_size(saving.action, saving.view), min_size, max_size);
        saving.size = {.width = std::to_string(size.x),
                       .height = std::to_string(size.y),
                       .percent = std::to_string(theme_percent())};
    }
    saving.is_open = true;
}

void stop_saving(PlotSaveDialog& saving) {
    saving.is_open = false;
    saving.action = {};
    saving.picture.reset();
}

/// Throws Refusal with the name and the typed text unless it is an integer in [least, most].
std::uint32_t parse_number(const std::string& typed, const char* name, std::uint32_t minimum,
                           std::uint32_t maximum, const char* unit) {
    std::uint32_t number = 0;
    const char* const end = typed.data() + typed.size();
    const auto [stop, error] = std::from_chars(typed.data(), end, number);
    if (error != std::errc() || stop != end || number < minimum || number > maximum)
        throw Refusal(tr("The {} of the picture is \"{}\". Give a whole number from {} to {} {}.", name,
                         typed, minimum, maximum, unit));
    return number;
}

/// Throws Refusal.
PictureRequest::PictureSpec parse_picture_spec(const PictureSize& size) {
    return {.pixels = {parse_number(size.width, "width", min_size.x, max_size.x, "pixels"),
                       parse_number(size.height, "height", min_size.y, max_size.y, "pixels")},
            .percent = static_cast<int>(parse_number(size.percent, "scale", min_percent, max_percent, "%"))};
}

bool draw_size_fields(PlotSaveDialog& saving) {
    const Theme& t = theme();
    const PictureSize before = saving.size;
    bool entered = false;
    const auto field = [&](const char* id, const char* label, std::string* value) {
        ImGui::BeginGroup();
        text(TextStyle::note, t.palette().quiet, label);
        entered = text_field(id, value, {.width = t.px(120), .decimal = true}) || entered;
        ImGui::EndGroup();
        ImGui::SameLine(0, t.px(12));
    };
    field("plot.width", tr("Width, pixels"), &saving.size.width);
    field("plot.height", tr("Height, pixels"), &saving.size.height);
    field("plot.scale", tr("Size of letters, %"), &saving.size.percent);
    ImGui::NewLine();
    gap(8);
    if (saving.size != before) saving.name.clear_problem();
    return entered;
}

std::string save_description(const PlotSaveDialog& saving) {
    if (saving.picture) return tr("The picture is being drawn …");
    if (saving.action.file == PlotFile::png)
        return tr(
            "The plot as it was shown, redrawn at this size. Larger letters leave less room for the data.");
    return saving.action.plot->csv
               ? tr("All cells of the map, one row each: both values, the variant, the median, half of its "
                    "95 % interval, and the status.")
               : tr("All values of the plot, one row per point, including those outside the visible axes.");
}

void draw_saving_dialog(Workspace& workspace, const Rect& screen) {
    PlotSaveDialog& saving = workspace.plot_save_dialog;
    const bool values = saving.action.file == PlotFile::csv;
    FileDialog dialog{.window = "plot.save",
                      .id = "plot",
                      .title = values ? tr("Save the plot's values as CSV") : tr("Save the plot as PNG"),
                      .subject = saving.action.plot->title,
                      .what = save_description(saving),
                      .extensions = {values ? ".csv" : ".png"},
                      .verb_id = "accept",
                      .verb = tr("Save"),
                      .writes = true,
                      .work = [&](const std::string& path) { return plot_write_work(workspace, path); }};
    if (!values) dialog.draw_fields = [&] { return draw_size_fields(saving); };
    if (!workspace.files.draw(dialog, saving.name, screen)) stop_saving(saving);
}

}  // namespace

void draw_plot_saving(Workspace& workspace, const Rect& screen) {
    PlotSaveDialog& saving = workspace.plot_save_dialog;
    for (auto& [id, view] : workspace.plot_views)
        if (view.action) start(saving, view, workspace.session.lesson().id);
    if (saving.is_open) draw_saving_dialog(workspace, screen);
    const std::shared_ptr<PictureRequest> picture_request = saving.picture_request.lock();
    const auto spec = picture_request ? picture_request->spec() : std::nullopt;
    if (!spec)
        saving.picture.reset();
    else if (!saving.picture)
        saving.picture =
            std::make_unique<PlotPicture>(saving.action, saving.view, spec->percent, spec->pixels);
    if (saving.picture) request_redraw_within(0);
}

void continue_picture(PlotSaveDialog& saving, Canvas& canvas) {
    if (!saving.picture || !saving.picture->draw_next_rows(canvas)) return;
    if (const auto picture_request = saving.picture_request.lock())
        picture_request->deliver(saving.picture->take());
    saving.picture_request.reset();
    saving.picture.reset();
}

FileWorker::Task plot_write_work(Workspace& workspace, const std::string& path) {
    PlotSaveDialog& saving = workspace.plot_save_dialog;
    const auto report_written = [&workspace, path](std::string what) -> FileWorker::Completion {
        return [&workspace, path, what = std::move(what)] {
            workspace.plot_save_dialog.folder = std::filesystem::path(path).parent_path().string();
            workspace.show_notice(tr("Wrote {} to {}.", what, path));
        };
    };
    if (saving.action.file == PlotFile::csv)
        return [report_written, path, plot = saving.action.plot](FileProgress& progress) {
            const std::string csv = plot_csv(*plot);
            write_file(path, csv, &progress);
            const auto lines = static_cast<std::uint64_t>(std::count(csv.begin(), csv.end(), '\n'));
            return report_written(counted(lines - 1, "row", "rows"));
        };
    auto picture_request = std::make_shared<PictureRequest>();
    saving.picture_request = picture_request;
    saving.picture.reset();
    return [report_written, path, picture_request, size = saving.size](FileProgress& progress) {
        const Image picture = picture_request->wait_for(parse_picture_spec(size), progress);
        save_png(picture, path);
        return report_written(fmt::format("{} × {} pixels", picture.width, picture.height));
    };
}

}  // namespace gridstride::ui
