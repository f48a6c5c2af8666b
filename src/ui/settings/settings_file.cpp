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
#include "base/log.h"
#include "base/shared_file.h"

namespace gridstride::ui {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20;
constexpr std::string_view ending_of_change = ".change";
/// For who writes has the lock for a few milliseconds, unless it was stopped.
constexpr std::chrono::milliseconds patience_for_lock{100};

void set_settings_aside(const fs::path& file, const std::string& why) {
    log_warning(fmt::format(
        "The settings in {} cannot be read ({}). They were set aside as {}; the defaults are used.",
        file.string(), why, set_aside(file).string()));
}

/// nullopt: there is no file, or what was there is set aside. Throws FileError.
std::optional<Settings> settings_in(const fs::path& file) {
    std::error_code ignored;
    const fs::file_status status = fs::status(file, ignored);
    if (!fs::exists(status)) return std::nullopt;
    try {
        return parse_settings(read_file(file, most_bytes));
    } catch (const CannotRead& error) {
        // What is there may be whole: without permission, or on a disk that has an error now.
        if (fs::is_regular_file(status) && fs::file_size(file, ignored) <= most_bytes) throw;
        set_settings_aside(file, error.what());
    } catch (const std::exception& error) {
        set_settings_aside(file, error.what());
    }
    return std::nullopt;
}

/// What a window has left beside the file.
struct LeftChange {
    fs::path path;
    std::string text;
};

/// The oldest first.
std::vector<LeftChange> changes_beside(const fs::path& file) {
    const std::string beginning = file.filename().string() + ".";
    std::vector<LeftChange> found;
    std::error_code ignored;
    for (fs::directory_iterator entry(file.parent_path(), ignored), end; entry != end;
         entry.increment(ignored)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(beginning) || !name.ends_with(ending_of_change)) continue;
        try {
            found.push_back({entry->path(), read_file(entry->path(), most_bytes)});
        } catch (const FileError&) {
            // Somebody has taken it in meanwhile, or it cannot be read now.
        }
    }
    std::ranges::sort(found, {}, &LeftChange::path);
    return found;
}

/// Of `text` with the changes. A damaged one changes nothing.
std::string with_changes(std::string text, const std::vector<LeftChange>& changes) {
    for (const LeftChange& change : changes) {
        try {
            const auto json = nlohmann::json::parse(change.text);
            text = with_change(text, {json.at("before"), json.at("now")});
        } catch (const std::exception& error) {
            log_warning(
                fmt::format("The settings in {} are left out ({}).", change.path.string(), error.what()));
        }
    }
    return text;
}

}  // namespace

fs::path settings_path() {
    return config_directory() / "settings.json";
}

SettingsFile::SettingsFile(fs::path file, const Settings& known)
    : file_(std::move(file)), known_(format_settings(known)) {}

Settings SettingsFile::read() {
    // In this order: a change that is taken in meanwhile counts twice, never not at all.
    const std::vector<LeftChange> changes = changes_beside(file_);
    const Settings whole = settings_in(file_).value_or(Settings{});
    Settings settings = parse_settings(with_changes(format_settings(whole), changes));
    known_ = format_settings(settings);
    return settings;
}

void SettingsFile::write(const Settings& settings) {
    std::string now = format_settings(settings);
    if (others_have_taken_it_in()) known_ = std::exchange(left_, std::nullopt)->now;
    if (now == known_ && !left_) return;
    std::error_code ignored;  // write_file() says what is wrong
    fs::create_directories(file_.parent_path(), ignored);
    const std::optional<Descriptor> held = lock_beside(file_, patience_for_lock);
    if (!held) {
        leave_beside(std::move(now));
        return;
    }
    const std::vector<LeftChange> changes = changes_beside(file_);
    const std::optional<Settings> whole = settings_in(file_);
    const std::string theirs = with_changes(whole ? format_settings(*whole) : known_, changes);
    write_file(file_, with_change(theirs, {known_, now}));
    known_ = std::move(now);
    left_.reset();
    for (const LeftChange& change : changes)
        fs::remove(change.path, ignored);
}

bool SettingsFile::others_have_taken_it_in() const {
    std::error_code error;
    return left_ && !fs::exists(left_->path, error) && !error;
}

/// Under a name of its own each time: who has the lock removes what it has read, and nothing newer.
void SettingsFile::leave_beside(std::string now) {
    if (left_ && left_->now == now) return;
    static std::atomic<unsigned> number = 0;
    const auto time = std::chrono::system_clock::now().time_since_epoch() / std::chrono::microseconds(1);
    fs::path path =
        fmt::format("{}.{:016x}-{}-{}{}", file_.string(), time, ::getpid(), number++, ending_of_change);
    write_file(path, nlohmann::json{{"before", known_}, {"now", now}}.dump());
    std::error_code ignored;
    if (left_) fs::remove(left_->path, ignored);
    left_ = Left{std::move(path), std::move(now)};
}

}  // namespace gridstride::ui
