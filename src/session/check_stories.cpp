#include <algorithm>

#include "base/error.h"
#include "session/check.h"
#include "story/story_mistakes.h"

namespace gridstride {

namespace {

constexpr std::uint64_t few_elements = 1000;
constexpr std::uint64_t few_of_several = 30;  ///< along each of several dimensions

/// Learns the names of a lesson's facts and plots from runs, one after the other.
class NameSearch {
 public:
    NameSearch(lab::Client& client, const Lesson& lesson) : client_(client), lesson_(lesson) {}

    void run(const Experiment& experiment, const std::function<bool()>& keep_going) {
        lab::Request request;
        request.id = next_id_++;
        request.experiment = experiment;
        request.sampling.samples = 1;
        Report report = lab::run_to_end(client_, std::move(request), [&] { return !keep_going(); });
        if (!report.measured()) return;
        reports_.push_back(std::move(report));
        std::vector<const Report*> history;
        for (const Report& one : reports_)
            history.push_back(&one);
        Report& last = reports_.back();
        for (const Fact& fact : last.result)
            names_.facts.insert(fact.id);
        if (lesson_.pictures) {
            const Prepared asked = prepare(lesson_, last.experiment, client_.limits());
            for (const Plot& plot : lesson_.pictures({asked, &last, history}))
                names_.plots.insert(plot.id);
        }
        // Pictures of earlier runs need no arrays.
        last.drop_arrays();
    }

    bool anything() const { return !reports_.empty(); }
    const RunNames& names() const { return names_; }

 private:
    lab::Client& client_;
    const Lesson& lesson_;
    std::uint64_t next_id_ = 1;
    std::vector<Report> reports_;
    RunNames names_;
};

/// The same with few elements, where that is allowed: names seldom depend on the size.
Experiment small(const Lesson& lesson, const Experiment& experiment, const Limits& limits) {
    Experiment reduced = experiment;
    for (const std::string& dimension : lesson.domain)
        reduced.values.set(dimension, std::min(std::get<std::uint64_t>(reduced.values.at(dimension)),
                                               lesson.domain.size() == 1 ? few_elements : few_of_several));
    return prepare(lesson, reduced, limits).valid() ? reduced : experiment;
}

std::vector<std::string> unknown_names_of(lab::Client& client, const Lesson& lesson, const Story& story,
                                          NameSearch& search, const std::function<bool()>& keep_going) {
    const std::vector<Experiment> experiments = experiments_of(lesson, story);
    std::vector<std::string> unknown = unknown_names(story, search.names());
    for (const bool as_written : {false, true})
        for (const Experiment& experiment : experiments) {
            if (unknown.empty() || !keep_going()) return {};
            search.run(as_written ? experiment : small(lesson, experiment, client.limits()), keep_going);
            unknown = unknown_names(story, search.names());
        }
    // A device on which nothing runs tells no names.
    if (!search.anything()) return {};
    return unknown;
}

}  // namespace

std::vector<std::string> check_stories(lab::Client& client, const Lesson& lesson,
                                       const std::function<bool()>& keep_going) {
    std::vector<std::string> mistakes;
    NameSearch search(client, lesson);
    const auto add = [&](const std::vector<std::string>& more) {
        mistakes.insert(mistakes.end(), more.begin(), more.end());
    };
    bool english = false;
    for (const auto& file : story_files(lesson)) {
        english = english || file.filename() == "story.en.md";
        try {
            const Story story = read_story_file(file);
            add(mistakes_of(lesson, story));
            add(unknown_names_of(client, lesson, story, search, keep_going));
        } catch (const StoryError& error) {
            add({error.what()});
        } catch (const FileError& error) {
            add({error.what()});
        }
    }
    if (!english)
        add({"lessons/" + lesson.id +
             "/story.en.md is missing: every lesson has a story in English, which stands in for the "
             "languages it lacks."});
    return mistakes;
}

}  // namespace gridstride
