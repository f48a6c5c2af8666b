// Loads the lessons of a folder on a thread of its own: a disk that is gone may never respond.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/file_worker.h"

namespace gridstride::text_lesson {

class FolderLoader {
 public:
    enum class State {
        finding,  ///< searches for lessons
        found,    ///< has lesson_ids(); no file was read
        loading,
        loaded,        ///< lessons are registered; others may have errors()
        failed,        ///< has errors(); nothing was registered
        not_a_folder,  ///< failed, because the path names no folder
    };

    /// `folder`: as of lesson_folder_of(). Calls `wake` on another thread when pump() has something to do.
    FolderLoader(std::string folder, const std::function<void()>& wake);

    /// Searches the folder for lessons without reading their files.
    void find();
    /// Can be called again after a failure.
    void load();
    /// Takes over what the thread did, and registers the loaded lessons. Returns whether the state changed.
    bool pump();

    State state() const { return state_; }
    bool is_busy() const { return work_.is_busy(); }
    const std::string& folder() const { return folder_; }
    /// The lessons found or loaded, sorted.
    const std::vector<std::string>& lesson_ids() const { return lesson_ids_; }
    /// Sentences, or "FILE:LINE: ERROR" for each mistake in lessons that were not loaded.
    const std::vector<std::string>& errors() const { return errors_; }

 private:
    void start(State state, FileWorker::Task work);
    void fail(std::vector<std::string> errors, State state = State::failed);

    std::string folder_;
    State state_ = State::finding;
    std::vector<std::string> lesson_ids_;
    std::vector<std::string> errors_;
    FileWorker work_;
};

}  // namespace gridstride::text_lesson
