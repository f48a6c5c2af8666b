// Draws a plot off screen at any size, to save it as a picture.
#pragma once

#include <imgui.h>

#include <memory>
#include <optional>

#include "ui/plot/plot_view.h"
#include "ui/widgets/theme.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

/// A picture of one plot with its title, the origin of its numbers and its note. It has its own ImGui
/// context, so it does not affect the window's widgets.
class PlotPicture {
 public:
    /// Lays the picture out with the current theme. `percent`: size of letters and lines. At the theme's own
    /// size the picture shares its fonts if it can (shareable_fonts()), and must be finished before the theme
    /// changes; otherwise it builds its own.
    PlotPicture(const PlotAction& action, const PlotView& view, int percent, glm::uvec2 size);
    ~PlotPicture();
    PlotPicture(const PlotPicture&) = delete;
    PlotPicture& operator=(const PlotPicture&) = delete;

    /// Draws as many rows as a frame of the window has time for. Returns true when the picture is complete.
    /// Every call must pass the same canvas, and the canvas must outlive the picture.
    bool draw_next_rows(Canvas& canvas);
    Image take() { return std::move(image_); }

    /// Returns the size in pixels of a picture in which the plot has the size that it had on the screen.
    static glm::uvec2 displayed_size(const PlotAction& action, const PlotView& view);

 private:
    void lay_out(const PlotAction& action, const PlotView& view, glm::vec2 size, bool fills_height);

    std::unique_ptr<ImGuiContext, void (*)(ImGuiContext*)> context_;
    std::unique_ptr<ContextDrawing> drawing_;  ///< null before the first draw_next_rows()
    std::optional<Theme> own_theme_;
    float height_ = 0;  ///< of the content, padding included
    glm::uvec2 size_;
    Image image_;
};

/// Returns the theme's scale in percent.
int theme_percent();

}  // namespace gridstride::ui
