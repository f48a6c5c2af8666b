// A plot written to a file, values or picture: what its menu asks for, and the dialog that asks where.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

#include "ui/plot/plot_view.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

struct Workspace;

struct PlotSaving {
    enum class Stage : std::uint8_t {
        none,
        draws,  ///< the plot is drawn alone, over everything, until the window was read
        drawn,  ///< this frame shows it as the picture is to be
        asks,   ///< the dialog asks for the name of the file
    };
    Stage stage = Stage::none;
    PlotWish wish;
    PlotView view;  ///< zoom and hidden series as they were
    Image picture;  ///< for PNG, once it asks

    std::string path;
    std::string folder;       ///< of the file that was written last
    std::string problem;      ///< why the file cannot be written
    bool overwrites = false;  ///< the person was told that the file exists, and presses on
    bool wants_focus = false;

    glm::vec2 min, max;    ///< pixels of the window that are the picture
    float height = 0;      ///< of the picture as it was drawn last; 0: not yet
    bool cut_off = false;  ///< the window is too low for it
    int frames_left = 0;   ///< until it can be read

    bool open() const { return stage != Stage::none; }
    bool wants_pixels() const { return stage == Stage::drawn; }
};

/// Takes up what the menu of a plot asked for since the last frame, and draws what there is to see of it.
/// After the rest of the window: a picture is drawn over it.
void draw_plot_saving(Workspace& workspace, glm::vec2 screen_min, glm::vec2 screen_max);
/// The frame just shown, when it wants_pixels(): cuts the plot out.
void take_pixels(PlotSaving& saving, const Image& window);
/// Writes the file that was named; a problem, or that the file exists, is said in the dialog.
void write_plot(Workspace& workspace);

/// The part of an image in [min, max), cut at the image's edges; empty when nothing is left.
Image cut_out(const Image& image, glm::vec2 min, glm::vec2 max);

}  // namespace gridstride::ui
