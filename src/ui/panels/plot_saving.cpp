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
class PictureOrder {
 public:
    struct Wanted {
        glm::uvec2 pixels;
        int percent = 100;
    };
    /// Blocks until the picture is delivered. Called on the worker. Throws Cancelled.
    Image wait_for(const Wanted& wanted, FileProgress& progress) {
        std::unique_lock lock(mutex_);
        wanted_ = wanted;
        while (!picture_) {
            arrived_.wait_for(lock, time_between_looks);
            progress.advance(0);
        }
        return std::move(*picture_);
    }
    std::optional<Wanted> wanted() const {
        const std::lock_guard lock(mutex_);
        return wanted_;
    }
    void deliver(Image picture) {
        const std::lock_guard lock(mutex_);
        picture_ = std::move(picture);
        arrived_.notify_one();
    }

 private:
    /// How often the worker checks for cancellation.
    static constexpr std::chrono::milliseconds time_between_looks{20};
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::optional<Wanted> wanted_;
    std::optional<Image> picture_;
};

namespace {

constexpr glm::uvec2 min_size(200, 150), max_size(4096, 4096);
constexpr int min_percent = 50, max_percent = 400;

void start(PlotSaving& saving, PlotView& from, const std::string& lesson) {
    saving.wish = std::move(*from.wish);
    from.wish.reset();
    saving.view = from;
    const bool values = saving.wish.file == PlotFile::csv;
    const std::string file = fmt::format("{}_{}.{}", lesson, saving.wish.plot->id, values ? "csv" : "png");
    saving.name = {.path = saving.folder.empty() ? in_home(file) : saving.folder + "/" + file};
    if (!values) {
        const glm::uvec2 size =
            glm::clamp(PlotPicture::size_as_shown(saving.wish, saving.view), min_size, max_size);
        saving.size = {.width = std::to_string(size.x),
                       .height = std::to_string(size.y),
                       .percent = std::to_string(shown_percent())};
    }
    saving.asks = true;
}

void stop_saving(PlotSaving& saving) {
    saving.asks = false;
    saving.wish = {};
    saving.picture.reset();
}

/// Throws Refusal with the name and the typed text unless it is an integer in [least, most].
std::uint32_t number_between(const std::string& typed, const char* name, std::uint32_t least,
                             std::uint32_t most, const char* unit) {
    std::uint32_t number = 0;
    const char* const end = typed.data() + typed.size();
    const auto [stop, error] = std::from_chars(typed.data(), end, number);
    if (error != std::errc() || stop != end || number < least || number > most)
        throw Refusal(fmt::format("The {} of the picture is \"{}\". Give a whole number from {} to {} {}.",
                                  name, typed, least, most, unit));
    return number;
}

/// Throws Refusal.
PictureOrder::Wanted as_wanted(const PictureSize& size) {
    return {
        .pixels = {number_between(size.width, "width", min_size.x, max_size.x, "pixels"),
                   number_between(size.height, "height", min_size.y, max_size.y, "pixels")},
        .percent = static_cast<int>(number_between(size.percent, "scale", min_percent, max_percent, "%"))};
}

bool draw_size_fields(PlotSaving& saving) {
    const Theme& t = theme();
    const PictureSize before = saving.size;
    bool entered = false;
    const auto field = [&](const char* id, const char* label, std::string* value) {
        ImGui::BeginGroup();
        text(Type::note, t.palette().quiet, label);
        entered = text_field(id, value, {.width = t.px(120), .decimal = true}) || entered;
        ImGui::EndGroup();
        ImGui::SameLine(0, t.px(12));
    };
    field("plot.width", "Width, pixels", &saving.size.width);
    field("plot.height", "Height, pixels", &saving.size.height);
    field("plot.scale", "Size of letters, %", &saving.size.percent);
    ImGui::NewLine();
    gap(8);
    if (saving.size != before) saving.name.forget_problem();
    return entered;
}

std::string what_is_written(const PlotSaving& saving) {
    if (saving.picture) return "The picture is being drawn …";
    if (saving.wish.file == PlotFile::png)
        return "The plot as it was shown, redrawn at this size. Larger letters leave less room for the data.";
    return saving.wish.plot->csv
               ? "All cells of the map, one row each: both values, the variant, the median, half of its "
                 "95 % interval, and the status."
               : "All values of the plot, one row per point, including those outside the visible axes.";
}

void draw_saving_dialog(Workspace& workspace, const Rect& screen) {
    PlotSaving& saving = workspace.plot_saving;
    const bool values = saving.wish.file == PlotFile::csv;
    FileDialog dialog{.window = "plot.save",
                      .id = "plot",
                      .title = values ? "Save the plot's values as CSV" : "Save the plot as PNG",
                      .subject = saving.wish.plot->title,
                      .what = what_is_written(saving),
                      .endings = {values ? ".csv" : ".png"},
                      .verb_id = "accept",
                      .verb = "Save",
                      .writes = true,
                      .work = [&](const std::string& path) { return plot_writing(workspace, path); }};
    if (!values) dialog.fields = [&] { return draw_size_fields(saving); };
    if (!workspace.files.draw(dialog, saving.name, screen)) stop_saving(saving);
}

}  // namespace

void draw_plot_saving(Workspace& workspace, const Rect& screen) {
    PlotSaving& saving = workspace.plot_saving;
    for (auto& [id, view] : workspace.plot_views)
        if (view.wish) start(saving, view, workspace.session.lesson().id);
    if (saving.asks) draw_saving_dialog(workspace, screen);
    const std::shared_ptr<PictureOrder> order = saving.order.lock();
    const auto wanted = order ? order->wanted() : std::nullopt;
    if (!wanted)
        saving.picture.reset();
    else if (!saving.picture)
        saving.picture =
            std::make_unique<PlotPicture>(saving.wish, saving.view, wanted->percent, wanted->pixels);
    if (saving.picture) request_redraw_within(0);
}

void go_on_with_picture(PlotSaving& saving, Canvas& canvas) {
    if (!saving.picture || !saving.picture->draw_more(canvas)) return;
    if (const auto order = saving.order.lock()) order->deliver(saving.picture->take());
    saving.order.reset();
    saving.picture.reset();
}

FileWork::Work plot_writing(Workspace& workspace, const std::string& path) {
    PlotSaving& saving = workspace.plot_saving;
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
    auto order = std::make_shared<PictureOrder>();
    saving.order = order;
    saving.picture.reset();
    return [said, path, order, size = saving.size](FileProgress& progress) {
        const Image picture = order->wait_for(as_wanted(size), progress);
        save_png(picture, path);
        return said(fmt::format("{} × {} pixels", picture.width, picture.height));
    };
}

}  // namespace gridstride::ui
