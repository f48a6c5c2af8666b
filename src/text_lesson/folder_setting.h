// The setting "Lesson folders": the folders whose lessons are loaded when the window opens.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text_lesson/folder_loader.h"

namespace gridstride::text_lesson {

class FolderSetting {
 public:
    /// Sets a function that is called, on another thread, when pump() has something to do. Set it first.
    void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
    const std::function<void()>& wake() const { return wake_; }

    /// Adds folders and starts to load their lessons, each on a thread of its own: one on a disk that does
    /// not respond holds up no other.
    void load(const std::vector<std::string>& folders);
    /// Adds a folder whose lessons are loaded; it replaces the same folder.
    void add(std::unique_ptr<FolderLoader> loaded);
    /// The folder's lessons stay registered.
    void remove(std::size_t index);
    /// Returns true if a folder's state changed.
    bool pump();

    bool is_busy() const;
    std::vector<std::string> folders() const;
    const std::vector<std::unique_ptr<FolderLoader>>& loaders() const { return loaders_; }
    /// Returns the first of the folders that could not be loaded, or null.
    const FolderLoader* first_failed() const;

    /// Returns false if the settings file, which is JSON, cannot hold this path.
    static bool can_store(const std::string& folder);

 private:
    std::function<void()> wake_;
    std::vector<std::unique_ptr<FolderLoader>> loaders_;
};

}  // namespace gridstride::text_lesson
