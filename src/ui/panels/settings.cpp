#include "ui/panels/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

namespace gridstride::ui {

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema_version = 1;
constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20;

Json prediction_json(const PredictionKey& key, const Prediction& prediction) {
    Json json = {{"lesson", key.lesson}, {"step", key.step}, {"block", key.block}};
    if (prediction.choice) json["choice"] = *prediction.choice;
    if (!prediction.guess_text.empty()) json["guess"] = prediction.guess_text;
    if (prediction.outcome)
        json["outcome"] = {{"value", prediction.outcome->value},
                           {"right_choice", prediction.outcome->right_choice},
                           {"guess_right", prediction.outcome->guess_right},
                           {"afterwards", prediction.outcome->afterwards}};
    return json;
}

std::pair<PredictionKey, Prediction> parse_prediction(const Json& json) {
    PredictionKey key{json.at("lesson").get<std::string>(), json.at("step").get<std::size_t>(),
                      json.at("block").get<std::size_t>()};
    Prediction prediction;
    if (json.contains("choice")) prediction.choice = json.at("choice").get<std::size_t>();
    prediction.guess_text = json.value("guess", "");
    if (json.contains("outcome")) {
        const Json& outcome = json.at("outcome");
        prediction.outcome =
            Outcome{outcome.at("value").get<double>(), outcome.at("right_choice").get<std::size_t>(),
                    outcome.at("guess_right").get<bool>(), outcome.at("afterwards").get<std::string>()};
    }
    return {std::move(key), std::move(prediction)};
}

/// Reads what format_settings() wrote. Throws std::exception on anything else.
Settings parse_settings(const std::string& text) {
    const Json json = Json::parse(text);
    Settings settings;
    settings.mode = json.value("theme", "dark") == "light" ? Mode::light : Mode::dark;
    const float scale = json.value("scale", 0.0F);
    settings.scale = scale <= 0 ? 0 : std::clamp(scale, 0.5F, 4.0F);
    settings.language = json.value("language", "en");
    settings.lesson = json.value("lesson", "");
    settings.step = json.value("step", std::size_t{0});
    const Json layout = json.value("layout", Json::object());
    Layout& sizes = settings.layout;
    // A panel too small to hold its handle could not be brought back.
    sizes.story_width = std::clamp(layout.value("story_width", sizes.story_width), 280.0F, 900.0F);
    sizes.bench_width = std::clamp(layout.value("bench_width", sizes.bench_width), 280.0F, 700.0F);
    sizes.runs_height = std::clamp(layout.value("runs_height", sizes.runs_height), 120.0F, 800.0F);
    sizes.show_story = layout.value("show_story", true);
    sizes.show_bench = layout.value("show_bench", true);
    sizes.show_runs = layout.value("show_runs", true);
    const Json files = json.value("files", Json::object());
    settings.files.last_folder = files.value("last_folder", "");
    settings.files.recent = files.value("recent", std::vector<std::string>{});
    settings.files.recent.resize(std::min(settings.files.recent.size(), FilePlaces::most_recent));
    for (const Json& entry : json.value("predictions", Json::array()))
        settings.predictions.insert(parse_prediction(entry));
    return settings;
}

}  // namespace

std::filesystem::path settings_file() {
    return config_directory() / "settings.json";
}

std::string format_settings(const Settings& settings) {
    Json predictions = Json::array();
    for (const auto& [key, prediction] : settings.predictions)
        if (prediction.choice || !prediction.guess_text.empty())
            predictions.push_back(prediction_json(key, prediction));
    const Layout& layout = settings.layout;
    const Json json = {
        {"schema_version", schema_version},
        {"theme", settings.mode == Mode::dark ? "dark" : "light"},
        {"scale", settings.scale},
        {"language", settings.language},
        {"lesson", settings.lesson},
        {"step", settings.step},
        {"layout",
         {{"story_width", layout.story_width},
          {"bench_width", layout.bench_width},
          {"runs_height", layout.runs_height},
          {"show_story", layout.show_story},
          {"show_bench", layout.show_bench},
          {"show_runs", layout.show_runs}}},
        {"files", {{"last_folder", settings.files.last_folder}, {"recent", settings.files.recent}}},
        {"predictions", predictions}};
    return json.dump(2) + "\n";
}

Settings load_settings(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) return {};
    try {
        return parse_settings(read_file(file, most_bytes));
    } catch (const std::exception& error) {
        const std::filesystem::path aside = file.string() + ".damaged";
        std::error_code ignored;
        std::filesystem::rename(file, aside, ignored);
        log_warning(fmt::format(
            "The settings in {} cannot be read ({}). They were set aside as {}; the defaults are used.",
            file.string(), error.what(), aside.string()));
        return {};
    }
}

}  // namespace gridstride::ui
