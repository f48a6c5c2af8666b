#include "session/progress_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "session/kept_work.h"

namespace gridstride {

namespace {

using ProgressJson = nlohmann::ordered_json;

constexpr int progress_schema_version = 1;
constexpr std::string_view progress_kind = "gridstride progress";
constexpr std::uintmax_t most_progress_bytes = std::uintmax_t{64} << 20;
constexpr std::size_t most_predictions = 10'000;

/// The stories that predictions are about, each read once.
class Stories {
 public:
    /// Null: this program has no such question.
    const PredictBlock* question(const PredictionKey& key) {
        const Story* const story = story_of(key.lesson);
        if (!story || key.step >= story->steps.size()) return nullptr;
        const std::vector<Block>& blocks = story->steps[key.step].blocks;
        return key.block < blocks.size() ? std::get_if<PredictBlock>(&blocks[key.block]) : nullptr;
    }
    std::string title(const PredictionKey& key) { return story_of(key.lesson)->steps[key.step].title; }

 private:
    const Story* story_of(const std::string& id) {
        const auto [found, is_new] = stories_.try_emplace(id);
        const Lesson* const lesson = find_lesson(id);
        if (!is_new || !lesson) return found->second ? &*found->second : nullptr;
        try {
            found->second = load_story(*lesson, "en");
        } catch (const std::exception&) {
            return nullptr;  // a damaged story has no questions
        }
        return &*found->second;
    }

    std::map<std::string, std::optional<Story>> stories_;
};

bool is_answered(const Prediction& prediction) {
    return prediction.choice || !prediction.guess_text.empty();
}

/// Its answer is one of the question's.
bool fits(const PredictBlock& question, const Prediction& prediction) {
    const std::size_t choices = question.choices.size();
    if (prediction.choice && *prediction.choice >= choices) return false;
    const bool outcome_fits =
        !prediction.outcome || (prediction.outcome->right_choice < std::max<std::size_t>(choices, 1) &&
                                std::isfinite(prediction.outcome->value));
    return outcome_fits && prediction.guess_text.size() <= 1000;
}

/// Steps are counted from 1, as the window shows them.
ProgressJson readable(Stories& stories, const PredictionKey& key, const Prediction& prediction) {
    ProgressJson json = prediction_json(key, prediction);
    json["step"] = key.step + 1;
    const PredictBlock* const question = stories.question(key);
    if (!question) return json;
    json["step_title"] = stories.title(key);
    json["question"] = question->question;
    const std::vector<PredictChoice>& choices = question->choices;
    const bool chose = prediction.choice && *prediction.choice < choices.size();
    json["answer"] = chose ? choices[*prediction.choice].label
                           : fmt::format("{} {}", printable(prediction.guess_text),
                                         question->guess ? question->guess->unit : "");
    if (!prediction.outcome) return json;
    json["right"] =
        chose ? *prediction.choice == prediction.outcome->right_choice : prediction.outcome->guess_right;
    return json;
}

Progress parse_progress(const std::string& text) {
    const ProgressJson json = ProgressJson::parse(text);
    if (json.at("kind") != progress_kind) throw FileError("it is not written by \"progress --export\"");
    if (json.at("schema_version") != progress_schema_version)
        throw FileError("it is written by another version of the program");
    const ProgressJson& predictions = json.at("predictions");
    const ProgressJson& kernels = json.at("kernels");
    if (!predictions.is_array() || !kernels.is_array()) throw FileError("its lists are missing");
    if (predictions.size() > most_predictions || kernels.size() > most_kept_kernels)
        throw FileError(fmt::format("it holds more than {} predictions or {} kernels",
                                    format_count(most_predictions), format_count(most_kept_kernels)));
    Stories stories;
    Progress progress;
    for (const ProgressJson& entry : predictions) {
        auto [key, prediction] = parse_prediction(entry);
        --key.step;
        const PredictBlock* const question = stories.question(key);
        if (question && !fits(*question, prediction)) throw FileError("an answer is none of its question's");
        if (question)
            progress.predictions[key] = std::move(prediction);
        else
            ++progress.left_out;
    }
    for (const ProgressJson& entry : kernels) {
        auto [key, edit] = parse_kernel(entry);
        if (why_no_place(key).empty())
            progress.kernels[key] = std::move(edit);
        else
            ++progress.left_out;
    }
    return progress;
}

std::string things_in_words(std::size_t predictions, std::size_t kernels) {
    return fmt::format("{} and {}", counted(predictions, "prediction"), counted(kernels, "kernel"));
}

}  // namespace

ProgressJson prediction_json(const PredictionKey& key, const Prediction& prediction) {
    ProgressJson json = {{"lesson", key.lesson}, {"step", key.step}, {"block", key.block}};
    if (prediction.choice) json["choice"] = *prediction.choice;
    if (!prediction.guess_text.empty()) json["guess"] = printable(prediction.guess_text);
    if (prediction.outcome)
        json["outcome"] = {{"value", prediction.outcome->value},
                           {"right_choice", prediction.outcome->right_choice},
                           {"guess_right", prediction.outcome->guess_right},
                           {"afterwards", prediction.outcome->afterwards}};
    return json;
}

std::pair<PredictionKey, Prediction> parse_prediction(const ProgressJson& json) {
    PredictionKey key{json.at("lesson").get<std::string>(), json.at("step").get<std::size_t>(),
                      json.at("block").get<std::size_t>()};
    Prediction prediction;
    if (json.contains("choice")) prediction.choice = json.at("choice").get<std::size_t>();
    prediction.guess_text = json.value("guess", "");
    if (json.contains("outcome")) {
        const ProgressJson& outcome = json.at("outcome");
        prediction.outcome =
            Outcome{outcome.at("value").get<double>(), outcome.at("right_choice").get<std::size_t>(),
                    outcome.at("guess_right").get<bool>(), outcome.at("afterwards").get<std::string>()};
    }
    return {std::move(key), std::move(prediction)};
}

std::string format_progress(const Progress& progress, std::string_view when) {
    Stories stories;
    ProgressJson json = {{"kind", progress_kind},
                         {"schema_version", progress_schema_version},
                         {"app_version", app_version()},
                         {"when", when},
                         {"predictions", ProgressJson::array()},
                         {"kernels", ProgressJson::array()}};
    for (const auto& [key, prediction] : progress.predictions)
        if (is_answered(prediction)) json["predictions"].push_back(readable(stories, key, prediction));
    for (const auto& [key, edit] : progress.kernels)
        json["kernels"].push_back(kernel_json(key, edit));
    return json.dump(2) + "\n";
}

Progress read_progress(const std::string& path) {
    const std::string text = read_file(path, most_progress_bytes);
    try {
        return parse_progress(text);
    } catch (const FileError& error) {
        refuse_file(path, fmt::format("{}. Nothing was taken from it. Choose a file of \"gridstride progress "
                                      "--export\".",
                                      error.what()));
    } catch (const std::exception& error) {
        refuse_file(path, fmt::format("it is damaged ({}). Nothing was taken from it. Export it again.",
                                      printable(error.what())));
    }
}

std::size_t merge_predictions(Predictions& mine, const Predictions& theirs) {
    std::size_t taken = 0;
    for (const auto& [key, prediction] : theirs) {
        const auto [found, is_new] = mine.try_emplace(key);
        const bool stays = is_answered(found->second) && (found->second.outcome || !prediction.outcome);
        if (stays) continue;
        found->second = prediction;
        ++taken;
    }
    return taken;
}

std::map<KernelKey, KernelEdit> new_kernels(const std::map<KernelKey, KernelEdit>& mine,
                                            const std::map<KernelKey, KernelEdit>& theirs) {
    std::map<KernelKey, KernelEdit> found;
    for (const auto& [key, edit] : theirs) {
        const auto here = mine.find(key);
        if (here == mine.end() || here->second.source.text != edit.source.text) found.emplace(key, edit);
    }
    return found;
}

std::string written_in_words(const Progress& progress, const std::string& path) {
    const auto answered = static_cast<std::size_t>(
        std::ranges::count_if(progress.predictions, [](const auto& one) { return is_answered(one.second); }));
    return fmt::format("Wrote {} to {}.", things_in_words(answered, progress.kernels.size()), path);
}

std::string taken_in_words(std::size_t predictions, std::size_t kernels, std::size_t left_out,
                           const std::string& path) {
    std::string words = fmt::format("Took {} from {}.", things_in_words(predictions, kernels), path);
    if (kernels > 0) words += " The window offers the kernels; yours stay as they are.";
    if (left_out > 0)
        words += fmt::format(" {} left out: this version has no such lesson, question or variant.",
                             left_out == 1 ? "One was" : fmt::format("{} were", format_count(left_out)));
    return words;
}

}  // namespace gridstride
