#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file_worker.h"
#include "base/folder_list.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// A dropped file is mostly read before a user could read the dialog, so the dialog appears later.
inline constexpr double seconds_before_dialog = 0.25;

/// The name that was typed, kept until the dialog opens again, and its error.
struct FileName {
    std::string path;  ///< absolute, or relative to the folder that is shown
    std::string problem;
    bool offers_replace = false;   ///< the file exists, and the button now says Replace
    bool accepts_at_once = false;  ///< the file was chosen before the dialog opened, as by a drop

    void clear_problem() {
        problem.clear();
        offers_replace = false;
    }
};

/// Returns true for a file that came with Gridstride, which must not be overwritten.
bool is_shipped(const std::filesystem::path& file);

struct FileDialog {
    std::string window;  ///< the dialog's id
    std::string id;      ///< prefix of its widgets: "<id>.path", "<id>.problem", "<id>.cancel" …
    std::string title;
    std::string subject = {};  ///< a line above the description; may be empty
    std::string what;
    std::vector<std::string> extensions;
    std::string verb_id, verb;
    bool writes = false;
    std::string replace_without_asking = {};  ///< this file is replaced without a question
    std::filesystem::path samples = {};       ///< folder of shipped samples; empty: data_directory()/samples
    std::vector<std::string> hidden_names = {};  ///< names of files that would reveal an answer
    /// Reads or writes the file with this absolute path on a worker thread; the function that it returns runs
    /// on the window's thread.
    std::function<FileWorker::Task(const std::string& path)> work;
    std::function<bool()> draw_fields = {};  ///< draws more controls below the name; true: Enter was pressed
    std::function<bool()> draw_extra_button =
        {};  ///< draws a button between verb and Cancel; true: close the dialog
};

struct FilePlaces {
    static constexpr std::size_t max_recent_files = 10;
    std::string last_folder;
    std::vector<std::string> recent;  ///< absolute paths, the newest first

    void add(const std::string& path);
};

/// Browses folders and runs the work on the chosen file. Only one dialog at a time uses it.
class FileBrowser {
 public:
    FilePlaces places;

    /// Sets a function that is called, from any thread, when there is something new to draw.
    void set_wake(const std::function<void()>& wake);
    /// Returns true while a file or folder is being read, or a file written.
    bool is_busy() const { return worker_.is_busy() || lister_.is_busy(); }
    /// Draws the dialog over the screen. Returns false when the dialog should close.
    bool draw(const FileDialog& dialog, FileName& name, const Rect& screen);
    void close();

 private:
    void open(const FileDialog& dialog, FileName& name);
    void open_folder(const std::string& folder);
    void accept(const FileDialog& dialog, FileName& name);
    void fail(FileName& name, const std::string& problem);
    std::string absolute_path(const std::string& path) const;
    void choose(const FileDialog& dialog, FileName& name, const std::string& path);
    void draw_places(const FileDialog& dialog, FileName& name, float height);
    void draw_folder(const FileDialog& dialog, FileName& name, float height);
    void draw_list(const FileDialog& dialog, FileName& name);
    static void draw_row(const FolderEntry& entry, const Rect& row);
    void draw_progress(const FileDialog& dialog, float width) const;
    bool draw_buttons(const FileDialog& dialog, FileName& name, bool entered);

    std::string open_;  ///< id of the dialog that is open; empty: none
    std::vector<std::string> extensions_, hidden_names_;
    FileWorker worker_;
    bool is_done_ = false;
    bool focus_field_ = false;  ///< the field takes the keyboard
    double show_after_ = 0;     ///< time of ImGui's clock from which the dialog is drawn

    std::string folder_;  ///< shown, or being read
    FileWorker lister_;
    FolderList list_;
    std::string list_problem_;  ///< why the folder cannot be shown
    std::size_t current_ = 0;   ///< index of the entry that the arrow keys have reached
};

}  // namespace gridstride::ui
