// A plot drawn for itself, off screen, at any size: what is saved as a picture.
#pragma once

#include <imgui.h>

#include <memory>
#include <optional>

#include "ui/plot/plot_view.h"
#include "ui/widgets/theme.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

/// The title, how the numbers came about, the note and the plot, since a picture that stands alone says what
/// it shows. An ImGui context of its own: nothing of it reaches the window's widgets.
class PlotPicture {
 public:
    /// Laid out as the theme is now. `percent`: how large letters and lines are. The theme's own shares its
    /// fonts, so that the picture must be finished before the theme changes; another has them drawn anew.
    PlotPicture(const PlotWish& wish, const PlotView& view, int percent, glm::uvec2 size);
    ~PlotPicture();
    PlotPicture(const PlotPicture&) = delete;
    PlotPicture& operator=(const PlotPicture&) = delete;

    /// Draws as much as a frame of the window has time for. True when all is drawn. The canvas is always the
    /// same, and outlives the picture.
    bool draw_more(Canvas& canvas);
    Image take() { return std::move(image_); }

    /// The size in pixels at which the plot stands in the picture as it was shown, with nothing cut off.
    static glm::uvec2 size_as_shown(const PlotWish& wish, const PlotView& view);

 private:
    void lay_out(const PlotWish& wish, const PlotView& view, glm::vec2 size, bool fills_height);

    std::unique_ptr<ImGuiContext, void (*)(ImGuiContext*)> context_;
    std::unique_ptr<ApartDrawing> drawing_;  ///< null before the first draw_more()
    std::optional<Theme> own_theme_;
    float height_ = 0;  ///< of the content, padding included
    glm::uvec2 size_;
    Image image_;
};

/// The theme's scale, 100 for 1.
int shown_percent();

}  // namespace gridstride::ui
