#include "learned/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "learned/learned.h"
#include "storage/json.h"
#include "storage/json_problem.h"
#include "storage/notices.h"

namespace gridstride {

namespace {

using RecordedJson = nlohmann::ordered_json;

std::string values_in_words(const PredictBlock& question, const std::vector<Estimate>& values) {
    if (values.size() == 1 && question.items.empty() && question.marks.empty()) {
        const std::string value = spoken(question.value, values.front().value);
        return question.guess && !question.guess->unit.empty() ? value + " " + question.guess->unit : value;
    }
    std::vector<std::string> parts;
    const auto add = [&](const auto& all) {
        for (std::size_t i = 0; i < all.size(); ++i)
            parts.push_back(fmt::format("{}: {}", all[i].label, spoken(all[i].value, values[i].value)));
    };
    add(question.items);
    add(question.marks);
    return joined(parts, "; ");
}

}  // namespace

std::string format_recording(const Recording& recording) {
    RecordedJson answers = RecordedJson::array();
    for (const Recording::Question& one : recording.answers) {
        answers.push_back({{"lesson", one.lesson},
                           {"id", one.id},
                           {"hash", one.hash},
                           {"values", estimates_json(one.values)}});
    }
    const RecordedJson json = {{"schema_version", recording_format.version},
                               {"device",
                                {{"name", printable(recording.device)},
                                 {"driver", printable(recording.driver)},
                                 {"is_cpu", recording.is_cpu}}},
                               {"recorded", recording.day},
                               {"answers", std::move(answers)}};
    return json.dump(2) + "\n";
}

Recording parse_recording(std::string_view text, const std::filesystem::path& file) {
    const RecordedJson json = parse_json(text);
    require_known_version(json, recording_format, file);
    const RecordedJson& device = json.at("device");
    Recording recording{.device = device.at("name").get<std::string>(),
                        .driver = device.at("driver").get<std::string>(),
                        .is_cpu = device.at("is_cpu").get<bool>(),
                        .day = json.at("recorded").get<std::string>()};
    for (const RecordedJson& entry : json.at("answers")) {
        Recording::Question& one = recording.answers.emplace_back();
        one.lesson = entry.at("lesson").get<std::string>();
        one.id = entry.at("id").get<std::string>();
        one.hash = entry.at("hash").get<std::string>();
        one.values = parse_estimates(entry.at("values"));
    }
    return recording;
}

std::vector<Recording> read_recordings(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<Recording> recordings;
    for (const std::filesystem::path& file : files) {
        try {
            recordings.push_back(parse_recording(read_file(file, recording_format.max_bytes), file));
        } catch (const NewerVersion& error) {
            notify_user(error.what());
        } catch (const std::exception& error) {
            notify_user(fmt::format("The recorded answers in {} cannot be read ({}). They are not shown.",
                                    quoted_path(file), printable(json_problem(error))));
        }
    }
    return recordings;
}

const std::vector<Recording>& shipped_recordings() {
    static const std::vector<Recording> shipped = read_recordings(data_directory() / "recorded");
    return shipped;
}

std::string question_hash(const Story& story, const QuestionPlace& place) {
    const auto& question = question_in(story.steps[place.step], place.block);
    std::map<std::string, std::string> set;
    const auto put = [](std::map<std::string, std::string>& values, const std::vector<Setting>& settings) {
        for (const Setting& setting : settings)
            values[setting.name] = setting.value;
    };
    for (std::size_t step = 0; step <= place.step; ++step)
        for (const Block& block : story.steps[step].blocks)
            if (const auto* settings = std::get_if<SetBlock>(&block)) put(set, settings->settings);
    std::string text;
    for (std::size_t run = 0; run < question.run_count(); ++run) {
        std::map<std::string, std::string> values = set;
        if (!question.runs.empty()) put(values, question.runs[run]);
        for (const auto& [name, value] : values)
            text += fmt::format("{}={};", name, value);
        text += '\n';
    }
    const auto add = [&](const Quotient& what) {
        text += fmt::format("{}({})", what.value.metric, what.value.run);
        if (what.divided_by) text += fmt::format("/{}({})", what.divided_by->metric, what.divided_by->run);
        text += '\n';
    };
    add(question.value);
    for (const PredictChoice& choice : question.choices)
        text += fmt::format("choice {} {}\n", static_cast<int>(choice.when), choice.bound);
    for (const PredictItem& item : question.items)
        add(item.value);
    for (const PredictMark& mark : question.marks)
        add(mark.value);
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return fmt::format("{:016x}", hash);
}

namespace {

const Recording::Question* find_answer(const Recording& recording, const Lesson& lesson,
                                       const std::string& id) {
    const auto found = std::ranges::find_if(recording.answers, [&](const Recording::Question& one) {
        return one.lesson == lesson.id && one.id == id;
    });
    return found == recording.answers.end() ? nullptr : &*found;
}

bool belongs_to(const Recording::Question& answer, const Story& story, const QuestionPlace& place) {
    const auto& question = question_in(story.steps[place.step], place.block);
    return answer.hash == question_hash(story, place) && answer.values.size() == question.value_count();
}

}  // namespace

std::vector<RecordedAnswer> recorded_answers(const Lesson& lesson, const Story& story,
                                             const QuestionPlace& place,
                                             const std::vector<Recording>& recordings) {
    const auto& question = question_in(story.steps[place.step], place.block);
    std::vector<RecordedAnswer> answers;
    for (const Recording& recording : recordings) {
        const Recording::Question* const found = find_answer(recording, lesson, question.id);
        if (!found || !belongs_to(*found, story, place)) continue;
        answers.push_back(
            {recording.device, fmt::format("{}, recorded {}: {}", recording.device, recording.day,
                                           values_in_words(question, found->values))});
    }
    return answers;
}

std::vector<std::string> mistakes_of_recordings(const Lesson& lesson, const Story& story,
                                                const std::vector<Recording>& recordings) {
    std::vector<std::string> mistakes;
    for (const Recording& recording : recordings)
        for (const Recording::Question& answer : recording.answers) {
            if (answer.lesson != lesson.id) continue;
            const std::optional<QuestionPlace> place = find_question(story, answer.id);
            if (place && belongs_to(answer, story, *place)) continue;
            mistakes.push_back(fmt::format(
                "The answer of {} to {} of {} {}. Give the question another id if its meaning has "
                "changed, and record the answers again with \"gridstride record\".",
                recording.device, quoted_text(answer.id), lesson.id,
                place ? "was recorded for other runs, values or choices" : "has no question"));
        }
    return mistakes;
}

}  // namespace gridstride
