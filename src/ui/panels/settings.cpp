#include "ui/panels/workspace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/input_file.h"
#include "base/log.h"
#include "learned/learned.h"

namespace gridstride::ui {

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema_version = 1;
constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20;

/// The lists of what was learned by name, so that two of them can be merged entry by entry. What a window
/// left last is one entry a lesson, whatever its step.
constexpr const char* lists[] = {"seen", "left", "predictions"};

Json by_name(Json settings) {
    for (const std::string_view list : lists) {
        Json named = Json::object();
        for (const Json& entry : settings.at(list)) {
            std::string name = entry.at("lesson").get<std::string>();
            for (const char* number : {"step", "block"})
                if (entry.contains(number) && list != "left")
                    name += fmt::format(" {}", entry[number].get<std::size_t>());
            named[name + " " + entry.at("device").get<std::string>()] = entry;
        }
        settings[list] = std::move(named);
    }
    return settings;
}
Json as_lists(Json settings) {
    for (const std::string_view list : lists) {
        Json entries = Json::array();
        for (const Json& entry : settings[list])
            entries.push_back(entry);
        settings[list] = std::move(entries);
    }
    return settings;
}

/// What differs between `before` and `now` is changed in `theirs`, member by member; null: not there.
Json merged(const Json& before, const Json& now, const Json& theirs, int depth = 2) {
    if (now == before) return theirs;
    if (depth == 0 || !now.is_object() || !before.is_object() || !theirs.is_object()) return now;
    Json all = theirs;
    const auto member = [](const Json& json, const std::string& name) {
        return json.contains(name) ? json.at(name) : Json(nullptr);
    };
    for (const Json* source : {&before, &now})
        for (const auto& [name, ignored] : source->items()) {
            Json value = merged(member(before, name), member(now, name), member(theirs, name), depth - 1);
            if (value.is_null())
                all.erase(name);
            else
                all[name] = std::move(value);
        }
    return all;
}

/// Reads what format_settings() wrote. Throws std::exception on anything else.
Settings parse_settings(const std::string& text) {
    const Json json = Json::parse(text);
    Settings settings;
    settings.mode = json.value("theme", "dark") == "light" ? Mode::light : Mode::dark;
    const float scale = json.value("scale", 0.0F);
    settings.scale = scale <= 0 ? 0 : std::clamp(scale, 0.5F, 4.0F);
    const Json layout = json.value("layout", Json::object());
    Layout& sizes = settings.layout;
    // A panel too small to hold its handle could not be brought back.
    sizes.arrangement =
        layout.value("arrangement", "learn") == "bench" ? Arrangement::bench : Arrangement::learn;
    const float story = layout.value("story_width", 0.0F);
    sizes.story_width = story <= 0 ? 0 : std::clamp(story, 360.0F, 1200.0F);
    sizes.bench_width = std::clamp(layout.value("bench_width", sizes.bench_width), 280.0F, 700.0F);
    sizes.runs_height = std::clamp(layout.value("runs_height", sizes.runs_height), 120.0F, 800.0F);
    sizes.story_unfolded = layout.value("story_unfolded", false);
    sizes.runs_open_in_learn = layout.value("runs_open_in_learn", false);
    sizes.runs_open_in_bench = layout.value("runs_open_in_bench", true);
    const Json files = json.value("files", Json::object());
    settings.files.last_folder = files.value("last_folder", "");
    settings.files.recent = files.value("recent", std::vector<std::string>{});
    settings.files.recent.resize(std::min(settings.files.recent.size(), FilePlaces::most_recent));
    settings.learned = parse_learned(json);
    // Earlier versions knew one step, that of the last lesson.
    if (json.contains("step") && !settings.learned.lesson.empty())
        settings.learned.left[{"", settings.learned.lesson}].step = json.at("step").get<std::size_t>();
    return settings;
}

}  // namespace

std::filesystem::path settings_file() {
    return config_directory() / "settings.json";
}

std::string format_settings(const Settings& settings) {
    const Layout& layout = settings.layout;
    Json json = {{"schema_version", schema_version},
                 {"theme", settings.mode == Mode::dark ? "dark" : "light"},
                 {"scale", settings.scale},
                 {"layout",
                  {{"arrangement", layout.arrangement == Arrangement::bench ? "bench" : "learn"},
                   {"story_width", layout.story_width},
                   {"bench_width", layout.bench_width},
                   {"runs_height", layout.runs_height},
                   {"story_unfolded", layout.story_unfolded},
                   {"runs_open_in_learn", layout.runs_open_in_learn},
                   {"runs_open_in_bench", layout.runs_open_in_bench}}},
                 {"files", {{"last_folder", settings.files.last_folder}, {"recent", settings.files.recent}}}};
    json.update(learned_json(settings.learned));
    return json.dump(2) + "\n";
}

Settings load_settings(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return {};
    try {
        return parse_settings(read_file(file, most_bytes));
    } catch (const std::exception& error) {
        const std::filesystem::path aside = file.string() + ".damaged";
        std::filesystem::rename(file, aside, ignored);
        log_warning(fmt::format(
            "The settings in {} cannot be read ({}). They were set aside as {}; the defaults are used.",
            file.string(), error.what(), aside.string()));
        return {};
    }
}

void write_settings(const std::filesystem::path& file, std::string& known, const Settings& settings) {
    std::string now = format_settings(settings);
    if (now == known) return;
    std::error_code ignored;  // write_file() says what is wrong
    std::filesystem::create_directories(file.parent_path(), ignored);
    // Without the lock, as on a file system that has none, the last to write wins.
    const std::string lock = file.string() + ".lock";
    const Descriptor held(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ::flock(held.get(), LOCK_EX);
    const std::string theirs =
        std::filesystem::exists(file, ignored) ? format_settings(load_settings(file)) : known;
    const Json all =
        merged(by_name(Json::parse(known)), by_name(Json::parse(now)), by_name(Json::parse(theirs)));
    write_file(file, as_lists(all).dump(2) + "\n");
    known = std::move(now);
}

}  // namespace gridstride::ui
