#include "ui/settings/settings_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/file_worker.h"
#include "base/input_file.h"
#include "base/shared_file.h"
#include "base/text.h"
#include "storage/json_error_text.h"
#include "storage/notices.h"

namespace gridstride::ui {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view change_suffix = ".change";
/// A writer holds the lock for a few milliseconds, unless it was suspended.
constexpr std::chrono::milliseconds lock_timeout{100};

/// Returns the file's text; nullopt if there is no file, or if it was damaged and renamed. Throws FileError.
std::optional<std::string> read_settings_text(const fs::path& file, const Descriptor* lock = nullptr) {
    std::string text;
    try {
        const auto parse = [&](const nlohmann::ordered_json& json) {
            static_cast<void>(parse_settings(json));
            text = json.dump();
        };
        return read_saved_file(file, settings_format, parse, lock) ? std::optional(text) : std::nullopt;
    } catch (const ReadError& error) {
        // The file may be intact: permission may be missing, or the disk may have an error now.
        std::error_code ignored;
        if (fs::is_regular_file(file, ignored)) throw;
        const std::optional<fs::path> aside = rename_damaged(file);
        if (!aside) throw;
        notify_user(fmt::format("{} It was set aside as {}.", error.what(), printable(aside->native())));
    }
    return std::nullopt;
}

struct ChangeFile {
    fs::path path;
    std::string text;
};

std::vector<ChangeFile> find_change_files(const fs::path& file) {
    const std::string beginning = file.filename().string() + ".";
    std::vector<ChangeFile> found;
    std::error_code ignored;
    for (fs::directory_iterator entry(file.parent_path(), ignored), end; entry != end;
         entry.increment(ignored)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(beginning) || !name.ends_with(change_suffix)) continue;
        try {
            found.push_back({entry->path(), read_file(entry->path(), settings_format.max_bytes)});
        } catch (const FileError& error) {
            // Another window may have merged and deleted it meanwhile.
            if (fs::exists(entry->path(), ignored))
                notify_user(fmt::format("{} Its settings are not used; the file is kept.", error.what()),
                            /*once=*/true);
        }
    }
    std::ranges::sort(found, {}, &ChangeFile::path);
    return found;
}

/// Applies the changes to `text` and returns the result. A damaged change file is renamed; it and those of
/// newer versions are skipped and removed from `changes`.
std::string apply_changes(std::string text, std::vector<ChangeFile>& changes) {
    std::erase_if(changes, [&](const ChangeFile& change) {
        try {
            const auto json = parse_json(change.text);
            const auto before = json.at("before").get<std::string>(), now = json.at("now").get<std::string>();
            for (const std::string& one : {before, now})
                require_known_version(parse_json(one), settings_format, change.path);
            text = apply_change(text, {before, now});
        } catch (const NewerVersion& error) {
            notify_user(error.what(), true);
            return true;
        } catch (const std::exception& error) {
            const std::optional<fs::path> aside = rename_damaged(change.path);
            notify_user(
                fmt::format("The settings in {} are not used ({}).{}", printable(change.path.native()),
                            json_error_text(error),
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

std::string read_language_setting() {
    std::string language;
    FileWorker worker;
    worker.start([&language, file = settings_path()](FileProgress&) -> FileWorker::Completion {
        return [&language, settings = SettingsFile(file).read()] { language = settings.language; };
    });
    for (int waited_ms = 0; waited_ms < 500 && !worker.take(); ++waited_ms)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return language;
}

SettingsFile::SettingsFile(fs::path file, const Settings& base)
    : file_(std::move(file)), base_text_(format_settings(base)) {}

Settings SettingsFile::read() {
    // In this order, a change that another window merges meanwhile is applied twice, but never lost.
    std::vector<ChangeFile> changes = find_change_files(file_);
    std::optional<std::string> whole;
    try {
        whole = read_settings_text(file_);
    } catch (const NewerVersion& error) {
        notify_newer_version(error);
    }
    Settings settings = parse_settings(apply_changes(whole.value_or(format_settings({})), changes));
    base_text_ = format_settings(settings);
    return settings;
}

void SettingsFile::write(const Settings& settings) {
    std::string now = format_settings(settings);
    if (is_change_merged()) base_text_ = std::exchange(window_change_, std::nullopt)->now;
    if (now == base_text_ && !window_change_) return;
    create_folders(file_.parent_path());
    const std::optional<Descriptor> lock = lock_file(file_, lock_timeout);
    if (!lock) {
        write_change_file(std::move(now));
        return;
    }
    std::vector<ChangeFile> changes = find_change_files(file_);
    std::optional<std::string> whole;
    try {
        whole = read_settings_text(file_, &*lock);
    } catch (const NewerVersion& error) {
        notify_newer_version(error);
        write_change_file(std::move(now));
        return;
    }
    const std::string theirs = apply_changes(whole.value_or(base_text_), changes);
    write_file(file_, apply_change(theirs, {base_text_, now}));
    base_text_ = std::move(now);
    window_change_.reset();
    std::error_code ignored;
    for (const ChangeFile& change : changes)
        fs::remove(change.path, ignored);
}

void SettingsFile::notify_newer_version(const NewerVersion& error) {
    notify_user(fmt::format("{} Your changes are saved beside it for the newer program.", error.what()),
                true);
}

bool SettingsFile::is_change_merged() const {
    std::error_code error;
    return window_change_ && !fs::exists(window_change_->path, error) && !error;
}

/// Each change file gets a new name, so that the holder of the lock deletes only files that it has read.
void SettingsFile::write_change_file(std::string now) {
    if (window_change_ && window_change_->now == now) return;
    static std::atomic<unsigned> number = 0;
    const auto time = std::chrono::system_clock::now().time_since_epoch() / std::chrono::microseconds(1);
    fs::path path =
        fmt::format("{}.{:016x}-{}-{}{}", file_.string(), time, ::getpid(), number++, change_suffix);
    write_file(path, nlohmann::ordered_json{{"before", base_text_}, {"now", now}}.dump());
    std::error_code ignored;
    if (window_change_) fs::remove(window_change_->path, ignored);
    window_change_ = WindowChange{std::move(path), std::move(now)};
}

}  // namespace gridstride::ui
