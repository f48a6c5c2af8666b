// The dialogs that lie over the window, and what they keep between frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "present/compare.h"
#include "ui/panels/file_dialog.h"
#include "ui/plot/plot_view.h"
#include "ui/widgets/rect.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

/// The path of a file of this name in the home directory.
std::string in_home(const std::string& name);

// Two CSV files of measurements set against each other: what `gridstride compare` prints.

struct CompareDialog {
    struct Result {
        TimesFile a, b;
        FileComparison comparison;
        std::string problem = {};  ///< why the files cannot be compared
    };
    std::string path_a, path_b;
    std::size_t column = 1;  ///< of time_columns: the kernel's
    std::optional<Result> result;

    FileWork work;
    std::size_t column_read = 1;
    bool focus_field = false;  ///< after a problem
    bool reading() const { return work.busy(); }
    bool compared() const { return result && result->problem.empty(); }
};

enum class CompareWish { none, close, browse_a, browse_b };
/// Draws the dialog over the screen. What is to be done with it.
CompareWish draw_compare_dialog(CompareDialog& dialog, const Rect& screen);

// A plot written to a file, values or picture: what its menu asks for, and the dialog that asks where.

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

    FileName name;
    std::string folder;  ///< of the file that was written last

    glm::vec2 min, max;    ///< pixels of the window that are the picture
    float height = 0;      ///< of the picture as it was drawn last; 0: not yet
    bool cut_off = false;  ///< the window is too low for it
    int frames_left = 0;   ///< until it can be read

    bool open() const { return stage != Stage::none; }
    bool wants_pixels() const { return stage == Stage::drawn; }
};

/// Takes up what the menu of a plot asked for since the last frame, and draws what there is to see of it.
/// After the rest of the window: a picture is drawn over it.
void draw_plot_saving(Workspace& workspace, const Rect& screen);
/// The frame just shown, when it wants_pixels(): cuts the plot out.
void take_pixels(PlotSaving& saving, const Image& window);
/// What writes the plot into this file.
FileWork::Work plot_writing(Workspace& workspace, const std::string& path);

/// The part of an image in [min, max), cut at the image's edges; empty when nothing is left.
Image cut_out(const Image& image, glm::vec2 min, glm::vec2 max);

}  // namespace gridstride::ui
