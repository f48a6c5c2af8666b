#include "ui/settings/settings.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "progress/legacy_ids.h"
#include "storage/json.h"

namespace gridstride::ui {

namespace {

using Json = nlohmann::ordered_json;

/// A list whose entries are merged one by one, and the members that form the key of an entry.
struct KeyedList {
    const char* name;
    std::initializer_list<const char*> key_members;
};
const KeyedList lists[] = {{"lesson_folders", {"path"}},         {"seen", {"device", "lesson", "id"}},
                           {"left", {"device", "lesson"}},       {"predictions", {"device", "lesson", "id"}},
                           {"made", {"device", "lesson", "id"}}, {"attempts", {"device", "lesson", "id"}}};

std::string entry_key(const KeyedList& list, const Json& entry) {
    Json name = Json::array();
    // Entries of earlier versions have no device.
    for (const std::string_view member : list.key_members)
        name.push_back(entry.value(member, member == "device" ? Json("") : Json()));
    return name.dump();
}

/// Turns the lists into objects by key, for merging entry by entry.
Json lists_to_objects(Json settings) {
    for (const KeyedList& list : lists) {
        Json named = Json::object();
        for (Json& entry : settings[list.name]) {
            // Not in one expression: the right side may be moved from before the left side reads it.
            const std::string name = entry_key(list, entry);
            named[name] = std::move(entry);
        }
        settings[list.name] = std::move(named);
    }
    return settings;
}
Json objects_to_lists(Json settings) {
    for (const KeyedList& list : lists) {
        Json entries = Json::array();
        for (Json& entry : settings[list.name])
            entries.push_back(std::move(entry));
        settings[list.name] = std::move(entries);
    }
    return settings;
}

Json normalize_settings(const Json& settings) {
    return lists_to_objects(parse_json(format_settings(parse_settings(settings))));
}

/// Returns the settings including the members that only another version of the same format knows.
Json parse_with_unknown(const std::string& text) {
    Json settings = parse_json(text);
    Json known = normalize_settings(settings);
    // Unknown members of an older format are dropped.
    if (settings.value("schema_version", 1) < settings_format.version) return known;
    Json all = lists_to_objects(std::move(settings));
    all.merge_patch(known);
    return all;
}

/// Returns 2 if the prediction has an outcome, 1 if it was skipped, 0 if it is open or absent.
int decision_rank(const Json& prediction) {
    if (!prediction.is_object()) return 0;
    return prediction.contains("outcome") ? 2 : prediction.value("skipped", false) ? 1 : 0;
}

/// Returns the prediction without members that only another version knows.
Json known_prediction(const Json& prediction) {
    if (!prediction.is_object()) return prediction;
    const auto [key, known] = parse_prediction(prediction);
    return prediction_json(key, known);
}

Json merge_prediction(const Json& before, const Json& now, const Json& theirs) {
    if (const Json known = known_prediction(theirs); known == before) {
        if (!now.is_object() || !theirs.is_object()) return now;
        Json all = theirs;
        for (const auto& [member, ignored] : known.items())
            all.erase(member);
        all.update(now);
        return all;
    }
    // The user deleted it: a decision by another window, which the user has not seen, is kept.
    if (now.is_null()) return decision_rank(theirs) > decision_rank(before) ? theirs : now;
    return decision_rank(theirs) > 0 && decision_rank(theirs) >= decision_rank(now) ? theirs : now;
}

/// Applies the differences between `before` and `now` to `theirs`, member by member; null: absent.
Json merge_json(const Json& before, const Json& now, const Json& theirs, int depth = 2,
                bool predictions = false) {
    if (now == before) return theirs;
    if (depth == 0 && predictions) return merge_prediction(before, now, theirs);
    if (depth == 0 || !now.is_object() || !before.is_object() || !theirs.is_object()) return now;
    Json all = theirs;
    const auto member = [](const Json& json, const std::string& name) {
        return json.contains(name) ? json.at(name) : Json(nullptr);
    };
    for (const Json* source : {&before, &now})
        for (const auto& [name, ignored] : source->items()) {
            Json value = merge_json(member(before, name), member(now, name), member(theirs, name), depth - 1,
                                    predictions || name == "predictions");
            if (value.is_null())
                all.erase(name);
            else
                all[name] = std::move(value);
        }
    return all;
}

}  // namespace

Settings parse_settings(const std::string& text) {
    return parse_settings(parse_json(text));
}

Settings parse_settings(const Json& json) {
    Settings settings;
    settings.mode = json.value("theme", "dark") == "light" ? Mode::light : Mode::dark;
    settings.reduces_motion = json.value("reduce_motion", false);
    const float scale = json.value("scale", 0.0F);
    settings.scale = scale <= 0 ? 0 : std::clamp(scale, 0.5F, 4.0F);
    const Json layout = json.value("layout", Json::object());
    Layout& sizes = settings.layout;
    // Clamped: a panel too small to show its splitter could not be resized.
    sizes.arrangement =
        layout.value("arrangement", "learn") == "bench" ? Arrangement::bench : Arrangement::learn;
    const float story = layout.value("story_width", 0.0F);
    sizes.story_width = story <= 0 ? 0 : std::clamp(story, 360.0F, 1200.0F);
    sizes.bench_width = std::clamp(layout.value("bench_width", sizes.bench_width), 280.0F, 700.0F);
    const float runs = layout.value("runs_height", 0.0F);
    sizes.runs_height = runs <= 0 ? 0 : std::clamp(runs, 120.0F, 800.0F);
    sizes.is_story_unfolded = layout.value("story_unfolded", false);
    sizes.runs_open_in_learn = layout.value("runs_open_in_learn", false);
    sizes.runs_open_in_bench = layout.value("runs_open_in_bench", true);
    const Json files = json.value("files", Json::object());
    settings.files.last_folder = files.value("last_folder", "");
    settings.files.recent = files.value("recent", std::vector<std::string>{});
    settings.files.recent.resize(std::min(settings.files.recent.size(), FilePlaces::max_recent_files));
    for (const Json& folder : json.value("lesson_folders", Json::array()))
        settings.lesson_folders.push_back(folder.at("path").get<std::string>());
    settings.language = json.value("language", "");
    settings.story_progress = parse_progress_json(json);
    // Earlier versions stored only the step of the last lesson.
    if (json.contains("step") && !settings.story_progress.lesson.empty())
        settings.story_progress.last_positions[{"", settings.story_progress.lesson}].step =
            legacy_step_id(settings.story_progress.lesson, json.at("step").get<std::size_t>());
    return settings;
}

std::string format_settings(const Settings& settings) {
    const Layout& layout = settings.layout;
    Json json = {{"schema_version", settings_format.version},
                 {"theme", settings.mode == Mode::dark ? "dark" : "light"},
                 {"reduce_motion", settings.reduces_motion},
                 {"scale", settings.scale},
                 {"language", settings.language},
                 {"layout",
                  {{"arrangement", layout.arrangement == Arrangement::bench ? "bench" : "learn"},
                   {"story_width", layout.story_width},
                   {"bench_width", layout.bench_width},
                   {"runs_height", layout.runs_height},
                   {"story_unfolded", layout.is_story_unfolded},
                   {"runs_open_in_learn", layout.runs_open_in_learn},
                   {"runs_open_in_bench", layout.runs_open_in_bench}}},
                 {"files", {{"last_folder", settings.files.last_folder}, {"recent", settings.files.recent}}},
                 {"lesson_folders", Json::array()}};
    for (const std::string& folder : settings.lesson_folders)
        json["lesson_folders"].push_back({{"path", folder}});
    json.update(progress_json(settings.story_progress));
    return json.dump(2) + "\n";
}

std::string apply_change(const std::string& text, const SettingsChange& change) {
    const Json all = merge_json(normalize_settings(parse_json(change.before)),
                                normalize_settings(parse_json(change.now)), parse_with_unknown(text));
    return objects_to_lists(all).dump(2) + "\n";
}

}  // namespace gridstride::ui
