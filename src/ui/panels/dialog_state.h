// State that the dialogs keep between frames.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "present/compare.h"
#include "readers/file_choice.h"
#include "session/kernel_edit.h"
#include "text_lesson/folder_loader.h"
#include "ui/files/file_dialog.h"
#include "ui/help/help.h"
#include "ui/panels/plot_picture.h"
#include "ui/plot/plot_view.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// How a file is read as the lesson's input, if the user has to choose.
struct InputFileState {
    std::string path;                      ///< absolute path
    std::optional<FileQuestion> question;  ///< the open question; nullopt if none
    FileChoice choice;                     ///< used when the file is read next
    /// Heights in the last frame, in pixels; 0 if not drawn yet.
    float dialog_height = 0, answers_height = 0;
};

// Compares two CSV files of measurements, as `gridstride compare` does.

struct CompareDialog {
    struct Result {
        TimesFile a, b;
        FileComparison comparison;
        std::string problem = {};  ///< why the files cannot be compared
    };
    std::string path_a, path_b;
    std::size_t column = 1;  ///< index into time_columns; 1 is the kernel's time
    std::optional<Result> result;

    FileWorker worker;
    std::size_t compared_column = 1;
    bool focus_field = false;  ///< set after a problem
    bool reading() const { return worker.is_busy(); }
    bool is_compared() const { return result && result->problem.empty(); }
};

enum class CompareAction { none, close, browse_a, browse_b };
/// Draws the dialog over the screen. Returns the action that the user chose.
CompareAction draw_compare_dialog(CompareDialog& dialog, const Rect& screen);

/// The hand-in for the assignment, shown before it is written.
struct HandInDialog {
    std::string name, number;  ///< as typed
    FileWorker worker;         ///< reads the kernels of other windows
    std::map<KernelKey, KernelEdit> kernels;
    /// Name and number for which `text` or `problem` was formatted; nullopt: format again.
    std::optional<std::pair<std::string, std::string>> formatted_for;
    std::string text, problem;
    FileName file;
    std::string written;  ///< "Wrote 5.2 KiB to …", until the text changes
};

// Folders with lessons of text.

/// The question whether to load the lessons of a folder.
struct FolderQuestion {
    std::unique_ptr<text_lesson::FolderLoader> loader;  ///< null: there is no question
    bool was_dropped = false;     ///< on the window; otherwise the user adds the folder to the setting
    bool has_assignment = false;  ///< the dropped folder holds an assignment.toml
    bool loads_at_start = false;  ///< the user wants it in the setting
    std::optional<double> show_after = {};       ///< time of ImGui's clock from which the dialog is drawn
    float dialog_height = 0, errors_height = 0;  ///< in the last frame, in pixels

    bool is_busy() const { return loader && loader->is_busy(); }
};

/// The dialog of the setting.
struct FolderSettingView {
    std::string path;     ///< typed
    std::string problem;  ///< why it cannot be added
    bool has_removed = false;
};

// The command palette (Ctrl+K).

struct PaletteView {
    std::string query;
    std::size_t chosen = 0;         ///< index of the highlighted result, from the top
    bool takes_focus = false;       ///< the field takes the keyboard in the next frame
    std::vector<std::string> used;  ///< names of items used in this session, newest first

    void open() {
        query.clear();
        chosen = 0;
        takes_focus = true;
    }
};

// Saving a plot to a file, as values or as a picture.

/// The texts of the size fields.
struct PictureSize {
    std::string width, height;  ///< pixels
    std::string percent;        ///< size of letters and lines
    friend bool operator==(const PictureSize&, const PictureSize&) = default;
};

class PictureRequest;

struct PlotSaveDialog {
    bool is_open = false;  ///< the dialog is open
    PlotAction action;
    PlotView view;  ///< zoom, hidden series and rings when saving was chosen
    PictureSize size;
    FileName name;
    std::string folder;  ///< folder of the last file written

    std::weak_ptr<PictureRequest> picture_request;  ///< owned by the writing worker; expired: no worker waits
    std::unique_ptr<PlotPicture> picture;           ///< while it is being drawn
};

/// Draws one frame's part of the picture that a worker waits for. Must be called between frames of the
/// window.
void continue_picture(PlotSaveDialog& saving, Canvas& canvas);
}  // namespace gridstride::ui
