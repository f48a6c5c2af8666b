#include "ui/settings/settings_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/input_file.h"
#include "base/shared_file.h"
#include "base/text.h"
#include "storage/json_problem.h"
#include "storage/notices.h"

namespace gridstride::ui {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending_of_change = ".change";
/// A writer holds the lock for a few milliseconds, unless it was suspended.
constexpr std::chrono::milliseconds patience_for_lock{100};

/// Returns the file's text; nullopt if there is no file, or if it was damaged and renamed. Throws FileError.
std::optional<std::string> settings_in(const fs::path& file, const Descriptor* held = nullptr) {
    std::string text;
    try {
        const auto parse = [&](const nlohmann::ordered_json& json) {
            static_cast<void>(parse_settings(json));
            text = json.dump();
        };
        return read_saved(file, settings_format, parse, held) ? std::optional(text) : std::nullopt;
    } catch (const CannotRead& error) {
        // The file may be intact: permission may be missing, or the disk may have an error now.
        std::error_code ignored;
        if (fs::is_regular_file(file, ignored)) throw;
        const std::optional<fs::path> aside = set_aside(file);
        if (!aside) throw;
        notify_user(fmt::format("{} It was set aside as {}.", error.what(), printable(aside->native())));
    }
    return std::nullopt;
}

struct LeftChange {
    fs::path path;
    std::string text;
};

std::vector<LeftChange> changes_beside(const fs::path& file) {
    const std::string beginning = file.filename().string() + ".";
    std::vector<LeftChange> found;
    std::error_code ignored;
    for (fs::directory_iterator entry(file.parent_path(), ignored), end; entry != end;
         entry.increment(ignored)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(beginning) || !name.ends_with(ending_of_change)) continue;
        try {
            found.push_back({entry->path(), read_file(entry->path(), settings_format.max_bytes)});
        } catch (const FileError& error) {
            // Another window may have merged and deleted it meanwhile.
            if (fs::exists(entry->path(), ignored))
                notify_user(fmt::format("{} Its settings are not used; the file is kept.", error.what()),
                            /*once=*/true);
        }
    }
    std::ranges::sort(found, {}, &LeftChange::path);
    return found;
}

/// Applies the changes to `text` and returns the result. A damaged change file is renamed; it and those of
/// newer versions are skipped and removed from `changes`.
std::string with_changes(std::string text, std::vector<LeftChange>& changes) {
    std::erase_if(changes, [&](const LeftChange& change) {
        try {
            const auto json = parse_json(change.text);
            const auto before = json.at("before").get<std::string>(), now = json.at("now").get<std::string>();
            for (const std::string& one : {before, now})
                require_known_version(parse_json(one), settings_format, change.path);
            text = with_change(text, {before, now});
        } catch (const NewerVersion& error) {
            notify_user(error.what(), true);
            return true;
        } catch (const std::exception& error) {
            const std::optional<fs::path> aside = set_aside(change.path);
            notify_user(
                fmt::format("The settings in {} are not used ({}).{}", printable(change.path.native()),
                            json_problem(error),
                            aside ? " They were set aside as " + printable(aside->native()) + "." : ""),
                /*once=*/true);
            return true;
        }
        return false;
    });
    return text;
}

}  // namespace

fs::path settings_path() {
    return config_directory() / "settings.json";
}

SettingsFile::SettingsFile(fs::path file, const Settings& known)
    : file_(std::move(file)), known_(format_settings(known)) {}

Settings SettingsFile::read() {
    // In this order, a change that another window merges meanwhile is applied twice, but never lost.
    std::vector<LeftChange> changes = changes_beside(file_);
    std::optional<std::string> whole;
    try {
        whole = settings_in(file_);
    } catch (const NewerVersion& error) {
        tell_of_newer(error);
    }
    Settings settings = parse_settings(with_changes(whole.value_or(format_settings({})), changes));
    known_ = format_settings(settings);
    return settings;
}

void SettingsFile::write(const Settings& settings) {
    std::string now = format_settings(settings);
    if (others_have_taken_it_in()) known_ = std::exchange(left_, std::nullopt)->now;
    if (now == known_ && !left_) return;
    make_folders(file_.parent_path());
    const std::optional<Descriptor> held = lock_beside(file_, patience_for_lock);
    if (!held) {
        leave_beside(std::move(now));
        return;
    }
    std::vector<LeftChange> changes = changes_beside(file_);
    std::optional<std::string> whole;
    try {
        whole = settings_in(file_, &*held);
    } catch (const NewerVersion& error) {
        tell_of_newer(error);
        leave_beside(std::move(now));
        return;
    }
    const std::string theirs = with_changes(whole.value_or(known_), changes);
    write_file(file_, with_change(theirs, {known_, now}));
    known_ = std::move(now);
    left_.reset();
    std::error_code ignored;
    for (const LeftChange& change : changes)
        fs::remove(change.path, ignored);
}

void SettingsFile::tell_of_newer(const NewerVersion& error) {
    notify_user(fmt::format("{} Your changes are saved beside it for the newer program.", error.what()),
                true);
}

bool SettingsFile::others_have_taken_it_in() const {
    std::error_code error;
    return left_ && !fs::exists(left_->path, error) && !error;
}

/// Each change file gets a new name, so that the holder of the lock deletes only files that it has read.
void SettingsFile::leave_beside(std::string now) {
    if (left_ && left_->now == now) return;
    static std::atomic<unsigned> number = 0;
    const auto time = std::chrono::system_clock::now().time_since_epoch() / std::chrono::microseconds(1);
    fs::path path =
        fmt::format("{}.{:016x}-{}-{}{}", file_.string(), time, ::getpid(), number++, ending_of_change);
    write_file(path, nlohmann::ordered_json{{"before", known_}, {"now", now}}.dump());
    std::error_code ignored;
    if (left_) fs::remove(left_->path, ignored);
    left_ = Left{std::move(path), std::move(now)};
}

}  // namespace gridstride::ui
