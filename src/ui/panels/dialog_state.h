// What the dialogs that lie over the window keep between frames.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "present/compare.h"
#include "readers/file_choice.h"
#include "ui/files/file_dialog.h"
#include "ui/help/help.h"
#include "ui/panels/plot_picture.h"
#include "ui/plot/plot_view.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// How a file is read as the lesson's input, where that is for the person to say.
struct DataReading {
    std::string path;                      ///< whole
    std::optional<FileQuestion> question;  ///< is open
    FileChoice choice;                     ///< for its next reading
    /// Heights as drawn last, pixels; 0: not yet.
    float dialog_height = 0, answers_height = 0;
};

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

// What is found by name, at Ctrl+K.

struct FindView {
    std::string typed;
    std::size_t chosen = 0;         ///< of what was found, from the top
    bool takes_keyboard = false;    ///< in the next frame
    std::vector<std::string> used;  ///< names of what was done here, the last one first

    void open() {
        typed.clear();
        chosen = 0;
        takes_keyboard = true;
    }
};

// A plot written to a file, values or picture: what its menu asks for, and the dialog that asks where.

/// As typed.
struct PictureSize {
    std::string width, height;  ///< pixels
    std::string percent;        ///< of letters and lines
    friend bool operator==(const PictureSize&, const PictureSize&) = default;
};

class PictureOrder;

struct PlotSaving {
    bool asks = false;  ///< the dialog is open
    PlotWish wish;
    PlotView view;  ///< zoom, hidden series and rings as they were
    PictureSize size;
    FileName name;
    std::string folder;  ///< of the file that was written last

    std::weak_ptr<PictureOrder> order;     ///< of the thread that writes; gone: nobody waits for it
    std::unique_ptr<PlotPicture> picture;  ///< while it is drawn
};

/// Between frames of the window: draws what a frame has time for of the picture that is waited for.
void go_on_with_picture(PlotSaving& saving, Canvas& canvas);
}  // namespace gridstride::ui
