// The settings file, which all windows of a user share. No window blocks another, not even one that was
// suspended while it held the lock.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ui/settings/settings.h"

namespace gridstride::ui {

/// config_directory()/settings.json
std::filesystem::path settings_path();

/// Returns Settings::language of the file; empty if it cannot be read in half a second.
std::string read_language_setting();

/// One window's access to the file. For one thread at a time; its functions may block on the disk.
///
/// A window changes the file only while it holds the lock beside it. A window that does not get the lock soon
/// writes its changes to <file>.<time>-<process>-<number>.change. Every reader applies such change files, and
/// the next holder of the lock merges and deletes them. A program that is older than the file always writes
/// change files; the next newer program merges them.
class SettingsFile {
 public:
    /// Until read(), these settings are taken as the content of the file.
    explicit SettingsFile(std::filesystem::path file, const Settings& base = {});

    /// Reads the file. Returns the defaults if there is none, if a newer version wrote it, or if it is
    /// damaged; a damaged file is renamed to <file>.damaged, with a notice to the user. Throws FileError if
    /// the file cannot be read now.
    Settings read();
    /// Writes the differences from the settings that were last read or written. Throws FileError; the next
    /// call then writes them again.
    void write(const Settings& settings);

 private:
    bool is_change_merged() const;
    void write_change_file(std::string now);
    static void notify_newer_version(const NewerVersion& error);

    std::filesystem::path file_;
    std::string base_text_;  ///< format_settings() text that was last read or written
    /// The change file of this window.
    struct WindowChange {
        std::filesystem::path path;
        std::string now;
    };
    std::optional<WindowChange> window_change_;
};

}  // namespace gridstride::ui
