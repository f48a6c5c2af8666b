#include "present/run_parameters.h"

#include <fmt/format.h>

#include "lesson/lesson.h"
#include "present/report_csv.h"

namespace gridstride {

std::string parameters_in_words(const Report& report) {
    std::string words;
    const auto add = [&words](const std::string& name, const std::string& value) {
        words += (words.empty() ? "" : ", ") + name + " " + value;
    };
    const Lesson* lesson = find_lesson(report.experiment.lesson);
    const auto parameters = lesson ? parameters_without_column(*lesson) : std::vector<const Parameter*>{};
    // Every lesson has a seed; what the lesson is about stands before it.
    for (const bool seed : {false, true}) {
        for (const Parameter* parameter : parameters) {
            if ((parameter->id == key::seed.id) != seed || !report.experiment.values.contains(parameter->id))
                continue;
            const Value& value = report.experiment.values.at(parameter->id);
            if (value != parameter->fallback) add(parameter->id, format(*parameter, value));
        }
    }
    if (!report.experiment.input.name.empty())
        add("input", report.experiment.input.name.substr(report.experiment.input.name.find_last_of('/') + 1));
    // Two files may have one name.
    if (!report.experiment.input.checksum.empty())
        words += fmt::format(" ({})", report.experiment.input.checksum);
    return words;
}

const std::string& LongestParameters::among(const std::deque<HistoryEntry>& runs) {
    if (runs.size() < seen_ || (seen_ > 0 && runs[seen_ - 1].report.run_id != last_seen_)) *this = {};
    for (; seen_ < runs.size(); ++seen_) {
        std::string words = parameters_in_words(runs[seen_].report);
        if (words.size() > longest_.size()) longest_ = std::move(words);
        last_seen_ = runs[seen_].report.run_id;
    }
    return longest_;
}

}  // namespace gridstride
