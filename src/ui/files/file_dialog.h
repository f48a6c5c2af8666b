// The dialog that asks for a file, whatever it is to be used for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file_work.h"
#include "base/folder_list.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// What was typed, kept until the dialog is opened again, and what is to be said of it.
struct FileName {
    std::string path;         ///< whole, or in the folder that is shown
    std::string problem;      ///< why the file cannot be used
    bool overwrites = false;  ///< the person was told that the file exists, and presses on
    bool at_once = false;     ///< the file was chosen before the dialog opened

    void forget_problem() {
        problem.clear();
        overwrites = false;
    }
};

/// One that came with Gridstride: it is read, and not written over.
bool is_shipped(const std::filesystem::path& file);

struct FileDialog {
    std::string window;  ///< the dialog's id
    std::string id;      ///< of its widgets: "<id>.path", "<id>.problem", "<id>.cancel" …
    std::string title;
    std::string subject = {};  ///< a line above the question; may be empty
    std::string what;          ///< what the file is for
    std::vector<std::string> endings;
    std::string verb_id, verb;
    bool writes = false;
    std::string written_freely = {};     ///< the file that is replaced without a question
    std::filesystem::path samples = {};  ///< where its files that came with Gridstride are; empty: as others
    std::vector<std::string> not_listed = {};  ///< names of files that would give something away
    /// What there is to do with a file of this whole name: on a thread of its own, and then on the window's.
    std::function<FileWork::Work(const std::string& path)> work;
    std::function<bool()> fields = {};  ///< draws what else is asked, below the name; true: Enter was pressed
    std::function<bool()> other = {};   ///< draws a button between verb and Cancel; true: all is done
};

/// What the window remembers of files between sessions.
struct FilePlaces {
    static constexpr std::size_t max_recent_files = 10;
    std::string last_folder;
    std::vector<std::string> recent;  ///< whole names, the newest first

    /// The file was read or written.
    void add(const std::string& path);
};

/// Folders and files to click through, and the work on the one that was chosen. Only one dialog at a time
/// uses it.
class FileBrowser {
 public:
    FilePlaces places;

    /// Called from any thread when there is something new to draw.
    void set_wake(const std::function<void()>& wake);
    /// A file or a folder is being read, or a file written.
    bool busy() const { return work_.busy() || lister_.busy(); }
    /// Draws the dialog over the screen. False: it is to be closed.
    bool draw(const FileDialog& dialog, FileName& name, const Rect& screen);
    /// Gives up what is being done.
    void close();

 private:
    void open(const FileDialog& dialog, FileName& name);
    void go_to(const std::string& folder);
    void accept(const FileDialog& dialog, FileName& name);
    void fail(FileName& name, const std::string& problem);
    std::string whole_name(const std::string& path) const;
    void choose(const FileDialog& dialog, FileName& name, const std::string& path);
    void draw_places(const FileDialog& dialog, FileName& name, float height);
    void draw_folder(const FileDialog& dialog, FileName& name, float height);
    void draw_list(const FileDialog& dialog, FileName& name);
    static void draw_row(const FolderEntry& entry, const Rect& row);
    void draw_progress(const FileDialog& dialog, float width) const;
    bool draw_buttons(const FileDialog& dialog, FileName& name, bool entered);

    std::string open_;  ///< id of the dialog that is open; empty: none
    std::vector<std::string> endings_, not_listed_;
    FileWork work_;
    bool done_ = false;         ///< the work has ended well
    bool focus_field_ = false;  ///< the field takes the keyboard
    double drawn_from_ = 0;     ///< on ImGui's clock

    std::string folder_;  ///< that is shown, or being read
    FileWork lister_;
    FolderList list_;
    std::string list_problem_;  ///< why the folder cannot be shown
    std::size_t current_ = 0;   ///< the entry that the keyboard is on
};

}  // namespace gridstride::ui
