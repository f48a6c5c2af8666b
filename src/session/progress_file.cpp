#include "session/progress_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/input_file.h"
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "session/saved_session_format.h"
#include "storage/json_error_text.h"

namespace gridstride {

namespace {

using ProgressJson = nlohmann::ordered_json;

// Version 1 stored only predictions, without devices.
constexpr std::string_view progress_kind = "gridstride progress";
constexpr std::size_t max_entries = 10'000;  ///< in one list

/// The stories of the course, which are loaded when they are needed.
class Stories {
 public:
    /// Returns a story without steps if it is damaged.
    const Story& get(const CourseEntry& entry) {
        const auto [found, is_new] = stories_.try_emplace(&entry);
        if (!is_new) return found->second;
        try {
            found->second = load_story(*entry.lesson, "en", entry.story);
        } catch (const std::exception&) {
            // a damaged story has no questions
        }
        return found->second;
    }

    /// Returns the story that has the question; null if this version has no such question.
    const Story* find(const ProgressKey& question) {
        const CourseEntry* const entry = find_entry_with(question.lesson, question.id);
        return entry ? &get(*entry) : nullptr;
    }

 private:
    std::map<const CourseEntry*, Story> stories_;
};

std::string describe_answer(const PredictBlock& question, const Prediction& prediction) {
    const Answer& answer = prediction.answer;
    if (answer.choice) return question.choices[*answer.choice].label;
    if (question.guess) return fmt::format("{} {}", printable(prediction.guess_text), question.guess->unit);
    std::vector<std::string> parts;
    for (const std::size_t place : answer.order)
        parts.push_back(question.items[place].label);
    for (std::size_t i = 0; i < answer.marks.size(); ++i)
        parts.push_back(fmt::format("{}: {}", question.marks[i].label,
                                    describe_mark(question.marks[i].value, answer.marks[i])));
    return join(parts, ", ");
}

std::string describe_result(const Prediction& prediction) {
    if (!prediction.outcome) return prediction.is_skipped ? "skipped" : "open";
    switch (prediction.outcome->result) {
        case Outcome::Result::right:
            return "right";
        case Outcome::Result::wrong:
            return "wrong";
        case Outcome::Result::undecided:
            break;
    }
    return "undecided";
}

/// Adds step, question, answer, result and verdict as text, for people who read the file. parse_progress()
/// ignores them.
void add_readable_text(ProgressJson& json, Stories& stories, const ProgressKey& key,
                       const Prediction& prediction) {
    const Story* const story = stories.find(key);
    if (!story) return;
    const std::optional<QuestionPlace> place = find_question(*story, key.id);
    if (!place) return;
    const StoryStep& step = story->steps[place->step];
    const auto& question = get_question(step, place->block);
    if (!fits(question, prediction)) return;
    json["step"] = place->step + 1;
    json["step_title"] = step.title;
    json["question"] = question.question;
    json["answer"] = describe_answer(question, prediction);
    json["result"] = describe_result(prediction);
    if (prediction.outcome && prediction.outcome->judged_by)
        json["verdict"] = gridstride::describe_result(question, *prediction.outcome);
}

/// Drops entries that this version does not know. Returns the number of dropped answers.
std::size_t drop_unknown(StoryProgress& story_progress, Stories& stories) {
    std::erase_if(story_progress.seen_steps, [&](const ProgressKey& key) {
        return std::ranges::none_of(course(), [&](const CourseEntry& entry) {
            return entry.lesson->id == key.lesson && find_step_by_id(entry, key.id);
        });
    });
    std::erase_if(story_progress.last_positions, [&](const auto& one) {
        const CourseEntry* const entry = find_course_entry(one.first.second);
        return !entry || !find_step_by_id(*entry, one.second.step);
    });
    return std::erase_if(story_progress.predictions, [&](const auto& one) {
        const auto& [key, prediction] = one;
        const Story* const story = stories.find(key);
        if (!story) return true;
        const std::optional<QuestionPlace> place = find_question(*story, key.id);
        return !place || !fits(get_question(story->steps[place->step], place->block), prediction);
    });
}

ProgressFile parse_progress(ProgressJson json, const std::string& path) {
    if (json.at("kind") != progress_kind) throw FileError(tr("it does not contain progress"));
    const int version = json.at("schema_version").get<int>();
    require_known_version(json, progress_format, path);
    for (const char* list : {"seen", "left", "predictions", "kernels"}) {
        const std::size_t max_count = list == std::string_view("kernels") ? max_saved_kernels : max_entries;
        const bool may_be_missing =
            version == 1 && (list == std::string_view("seen") || list == std::string_view("left"));
        if (may_be_missing && !json.contains(list)) continue;
        if (!json.at(list).is_array()) throw FileError(tr("its \"{}\" is not a list", list));
        if (json[list].size() > max_count)
            throw FileError(tr("its list \"{}\" holds {} entries, and the limit is {}", list,
                               format_count(json[list].size()), format_count(max_count)));
    }
    Stories stories;
    ProgressFile progress;
    progress.story_progress = parse_progress_json(json, 1);  // versions 1 and 2 counted steps from 1
    progress.left_out = drop_unknown(progress.story_progress, stories);
    for (const ProgressJson& entry : json.at("kernels")) {
        auto [key, edit] = parse_kernel(entry);
        if (unknown_variant_reason(key).empty())
            progress.kernels[key] = std::move(edit);
        else
            ++progress.left_out;
    }
    return progress;
}

std::string describe_counts(std::size_t predictions, std::size_t kernels) {
    return tr("{} and {}", counted(predictions, "prediction", "predictions"),
              counted(kernels, "kernel", "kernels"));
}

}  // namespace

void require_progress_target(const std::string& path) {
    require_writable(path);
    require_not_newer(path, progress_format, "predictions");
}

ProgressJson progress_file_json(const ProgressFile& progress, std::string_view when) {
    Stories stories;
    ProgressJson json = {{"kind", progress_kind},
                         {"schema_version", progress_format.version},
                         {"app_version", app_version()},
                         {"when", when}};
    json.update(progress_json(progress.story_progress));
    ProgressJson::iterator entry = json["predictions"].begin();
    for (const auto& [key, prediction] : progress.story_progress.predictions)
        if (prediction.has_content()) add_readable_text(*entry++, stories, key, prediction);
    json["kernels"] = ProgressJson::array();
    for (const auto& [key, edit] : progress.kernels)
        json["kernels"].push_back(kernel_json(key, edit));
    return json;
}

std::string format_progress(const ProgressFile& progress, std::string_view when) {
    return progress_file_json(progress, when).dump(2) + "\n";
}

ProgressFile read_progress(const std::string& path) {
    try {
        return parse_progress(read_json(path), path);
    } catch (const ReadError&) {
        throw;
    } catch (const NewerVersion&) {
        throw;
    } catch (const FileError& error) {
        throw_file_error(
            path, tr("{}. Nothing was imported. Choose a file that progress was exported to", error.what()));
    } catch (const std::exception& error) {
        throw_file_error(path, tr("it is damaged ({}). Nothing was imported. Export it again",
                                  printable(json_error_text(error))));
    }
}

std::map<KernelKey, KernelEdit> new_kernels(const std::map<KernelKey, KernelEdit>& ours,
                                            const std::map<KernelKey, KernelEdit>& theirs) {
    std::map<KernelKey, KernelEdit> found;
    for (const auto& [key, edit] : theirs) {
        const auto found_kernel = ours.find(key);
        if (found_kernel == ours.end() || found_kernel->second.source.text != edit.source.text)
            found.emplace(key, edit);
    }
    return found;
}

std::string describe_export(const ProgressFile& progress, const std::string& path) {
    const auto answered_count = static_cast<std::size_t>(std::ranges::count_if(
        progress.story_progress.predictions, [](const auto& one) { return one.second.has_content(); }));
    return tr("Wrote {} to {}.", describe_counts(answered_count, progress.kernels.size()), printable(path));
}

std::string describe_import(std::size_t predictions, std::size_t kernels, std::size_t left_out,
                            const std::string& path) {
    std::string words = tr("Imported {} from {}.", describe_counts(predictions, kernels), printable(path));
    if (kernels > 0) words += tr(" The window offers to restore the kernels; your own stay as they are.");
    if (left_out > 0)
        words += tr(" {} left out: this version has no such lesson, question or variant.",
                    left_out == 1 ? tr("One was") : tr("{} were", format_count(left_out)));
    return words;
}

}  // namespace gridstride
