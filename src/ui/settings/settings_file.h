// The settings' file, which all windows of a person share. None waits for another, not even for one that was
// stopped while it had the file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ui/settings/settings.h"

namespace gridstride::ui {

/// config_directory()/settings.json
std::filesystem::path settings_path();

/// What one window knows of the file. For one thread at a time; it may have to wait for the disk.
///
/// Who has the lock beside the file changes it. Who does not get it soon leaves what it changed beside the
/// file, as <file>.<time>-<process>-<number>.change: that counts for all who read, and the next who has the
/// lock takes it in. So does a window whose program is older than the file: the next newer one takes it in.
class SettingsFile {
 public:
    /// `known` counts as what is in it until it is read.
    explicit SettingsFile(std::filesystem::path file, const Settings& known = {});

    /// A damaged file is set aside as <file>.damaged, and the user is told; the defaults are used then, and
    /// where there is none or a newer version wrote it. Throws FileError for one that cannot be read now.
    Settings read();
    /// What differs from the settings that are known, those read or written last, is changed in the file.
    /// Throws FileError: then it differs still.
    void write(const Settings& settings);

 private:
    bool others_have_taken_it_in() const;
    void leave_beside(std::string now);
    static void tell_of_newer(const NewerVersion& error);

    std::filesystem::path file_;
    std::string known_;  ///< a text of format_settings(): in the file by now
    /// What this window has left beside it.
    struct Left {
        std::filesystem::path path;
        std::string now;
    };
    std::optional<Left> left_;
};

}  // namespace gridstride::ui
