// The dialogs that lie over the window, and what they keep between frames.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string>

#include "present/compare.h"
#include "ui/plot/plot_view.h"
#include "ui/widgets/rect.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

// A file to read or to write.

/// What was typed, kept until the dialog is opened again, and what is to be said of it.
struct FileName {
    std::string path;
    std::string problem;      ///< why the file cannot be used
    bool overwrites = false;  ///< the person was told that the file exists, and presses on

    void forget_problem() {
        problem.clear();
        overwrites = false;
    }
    /// Uses the name: true unless `use` throws FileError or Refusal, or the file exists and, where that has
    /// to be asked first, the person has not been told. Then the problem says what is wrong.
    bool accept(bool asks_to_replace, const std::function<void()>& use);
};

struct FileDialog {
    std::string window;  ///< the dialog's id
    std::string id;      ///< of its widgets: "<id>.path", "<id>.problem", "<id>.cancel" …
    std::string title;
    float height = 0;          ///< design pixels
    std::string subject = {};  ///< a line above the question; may be empty
    std::string what;          ///< what the file is for
    std::string verb_id, verb;
    std::function<bool()> accept;      ///< the person pressed the verb; true: all is done
    std::function<bool()> other = {};  ///< draws a button between verb and Cancel; true: all is done
};
/// False: it is to be closed.
bool draw_file_dialog(const FileDialog& dialog, FileName& name, const Rect& screen);

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

    std::future<Result> answer;  ///< valid while the files are read
    std::size_t column_read = 1;
    bool reading() const { return answer.valid(); }
    bool compared() const { return result && result->problem.empty(); }
};

/// Takes the answer over when it is there. Never waits. To be called in every frame, also when the dialog is
/// closed.
void take_comparison(CompareDialog& dialog);
/// Draws the dialog over the screen. False: it is to be closed.
bool draw_compare_dialog(CompareDialog& dialog, const Rect& screen);

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
/// Writes the file that was named. False: a problem, or that the file exists, is said in the dialog.
bool write_plot(Workspace& workspace);

/// The part of an image in [min, max), cut at the image's edges; empty when nothing is left.
Image cut_out(const Image& image, glm::vec2 min, glm::vec2 max);

}  // namespace gridstride::ui
