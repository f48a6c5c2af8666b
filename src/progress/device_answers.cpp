#include "progress/device_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/language.h"
#include "base/text.h"
#include "progress/story_progress.h"
#include "storage/json.h"
#include "storage/json_error_text.h"
#include "storage/notices.h"

namespace gridstride {

namespace {

using AnswersJson = nlohmann::ordered_json;

}  // namespace

std::string format_device_answers(const DeviceAnswers& answers_file) {
    AnswersJson answers = AnswersJson::array();
    for (const DeviceAnswers::Question& one : answers_file.answers) {
        answers.push_back({{"lesson", one.lesson},
                           {"id", one.id},
                           {"hash", one.hash},
                           {"values", estimates_json(one.values)}});
    }
    const AnswersJson json = {{"schema_version", device_answers_format.version},
                              {"device",
                               {{"name", printable(answers_file.device)},
                                {"driver", printable(answers_file.driver)},
                                {"is_cpu", answers_file.is_cpu}}},
                              {"recorded", answers_file.day},
                              {"answers", std::move(answers)}};
    return json.dump(2) + "\n";
}

DeviceAnswers parse_device_answers(std::string_view text, const std::filesystem::path& file) {
    const AnswersJson json = parse_json(text);
    require_known_version(json, device_answers_format, file);
    const AnswersJson& device = json.at("device");
    DeviceAnswers answers_file{.device = device.at("name").get<std::string>(),
                               .driver = device.at("driver").get<std::string>(),
                               .is_cpu = device.at("is_cpu").get<bool>(),
                               .day = json.at("recorded").get<std::string>()};
    for (const AnswersJson& entry : json.at("answers")) {
        DeviceAnswers::Question& one = answers_file.answers.emplace_back();
        one.lesson = entry.at("lesson").get<std::string>();
        one.id = entry.at("id").get<std::string>();
        one.hash = entry.at("hash").get<std::string>();
        one.values = parse_estimates(entry.at("values"));
    }
    return answers_file;
}

std::vector<DeviceAnswers> read_device_answers(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<DeviceAnswers> device_answers;
    for (const std::filesystem::path& file : files) {
        try {
            device_answers.push_back(
                parse_device_answers(read_file(file, device_answers_format.max_bytes), file));
        } catch (const NewerVersion& error) {
            notify_user(error.what());
        } catch (const std::exception& error) {
            notify_user(tr("The recorded answers in {} cannot be read ({}). They are not shown.",
                           quote_path(file), printable(json_error_text(error))));
        }
    }
    return device_answers;
}

const std::vector<DeviceAnswers>& shipped_device_answers() {
    static const std::vector<DeviceAnswers> shipped = read_device_answers(data_directory() / "recorded");
    return shipped;
}

std::string hash_question(const Story& story, const QuestionPlace& place) {
    const auto& question = get_question(story.steps[place.step], place.block);
    std::map<std::string, std::string> set;
    const auto put = [](std::map<std::string, std::string>& values, const std::vector<Setting>& settings) {
        for (const Setting& setting : settings)
            values[setting.name] = setting.value;
    };
    for (std::size_t step = 0; step <= place.step; ++step)
        for (const Block& block : story.steps[step].blocks)
            if (const auto* settings = std::get_if<SetBlock>(&block)) put(set, settings->settings);
    std::string text;
    const auto add_runs = [&](const std::vector<std::vector<Setting>>& runs) {
        for (std::size_t run = 0; run < question.run_count(); ++run) {
            std::map<std::string, std::string> values = set;
            if (!runs.empty()) put(values, runs[run]);
            for (const auto& [name, value] : values)
                text += fmt::format("{}={};", name, value);
            text += '\n';
        }
    };
    add_runs(question.runs);
    // Hashes recorded before there were runs for GPUs stay valid.
    if (!question.gpu_runs.empty()) add_runs(question.gpu_runs);
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
    return hash_text(text);
}

namespace {

const DeviceAnswers::Question* find_recorded_answer(const DeviceAnswers& answers_file, const Lesson& lesson,
                                                    const std::string& id) {
    const auto found = std::ranges::find_if(answers_file.answers, [&](const DeviceAnswers::Question& one) {
        return one.lesson == lesson.id && one.id == id;
    });
    return found == answers_file.answers.end() ? nullptr : &*found;
}

bool matches_question(const DeviceAnswers::Question& answer, const Story& story, const QuestionPlace& place) {
    const auto& question = get_question(story.steps[place.step], place.block);
    return answer.hash == hash_question(story, place) && answer.values.size() == question.value_count();
}

}  // namespace

std::vector<GpuValues> find_gpu_values(const Lesson& lesson, const Story& story, const QuestionPlace& place,
                                       const std::vector<DeviceAnswers>& device_answers) {
    const auto& question = get_question(story.steps[place.step], place.block);
    std::vector<GpuValues> gpus;
    for (const DeviceAnswers& answers_file : device_answers) {
        if (answers_file.is_cpu) continue;
        const DeviceAnswers::Question* const found = find_recorded_answer(answers_file, lesson, question.id);
        if (found && matches_question(*found, story, place))
            gpus.push_back({answers_file.device, found->values});
    }
    return gpus;
}

std::vector<RecordedAnswer> find_recorded_answers(const Lesson& lesson, const Story& story,
                                                  const QuestionPlace& place,
                                                  const std::vector<DeviceAnswers>& device_answers) {
    const auto& question = get_question(story.steps[place.step], place.block);
    std::vector<RecordedAnswer> answers;
    for (const DeviceAnswers& answers_file : device_answers) {
        const DeviceAnswers::Question* const found = find_recorded_answer(answers_file, lesson, question.id);
        if (!found || !matches_question(*found, story, place)) continue;
        answers.push_back({answers_file.device,
                           tr("{}, recorded {}: {}", answers_file.device, answers_file.day,
                              describe_values(question, found->values)),
                           question.choices.empty()
                               ? std::nullopt
                               : choice_for_interval(question.choices, found->values.front())});
    }
    return answers;
}

std::vector<std::string> find_device_answer_errors(const CourseEntry& entry, const Story& story,
                                                   const std::vector<DeviceAnswers>& device_answers) {
    std::vector<std::string> mistakes;
    for (const DeviceAnswers& answers_file : device_answers)
        for (const DeviceAnswers::Question& answer : answers_file.answers) {
            if (!entry.owns(answer.lesson, answer.id)) continue;
            const std::optional<QuestionPlace> place = find_question(story, answer.id);
            if (place && matches_question(answer, story, *place)) continue;
            mistakes.push_back(fmt::format(
                "The answer of {} to {} of {} {}. Give the question another id if its meaning has "
                "changed, and record the answers again with \"gridstride record\".",
                answers_file.device, quote_text(answer.id), entry.id,
                place ? "was recorded for other runs, values or choices" : "has no question"));
        }
    return mistakes;
}

}  // namespace gridstride
