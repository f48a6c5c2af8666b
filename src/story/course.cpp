// The course that the stories form, and queries about a step.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "story/story.h"

namespace gridstride {

namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

CourseEntry load_course_entry(const Lesson& lesson) {
    CourseEntry entry{.lesson = &lesson, .head = {}, .step_ids = {}};
    try {
        const Story story = load_story(lesson, "en");
        entry.head = story.head;
        for (const StoryStep& step : story.steps)
            entry.step_ids.push_back(step.id);
    } catch (const std::exception&) {
        // The error is shown when the lesson is opened.
    }
    return entry;
}

}  // namespace

namespace {

/// Returns the entries of all lessons; those of unchanged lessons come from an earlier course.
std::vector<CourseEntry> load_course(const std::vector<CourseEntry>& earlier) {
    std::vector<CourseEntry> all;
    for (const Lesson* lesson : all_lessons()) {
        const auto known = std::ranges::find(earlier, lesson, &CourseEntry::lesson);
        all.push_back(known == earlier.end() ? load_course_entry(*lesson) : *known);
    }
    const auto key = [](const CourseEntry& entry) {
        // Without a chapter, 0 - 1 wraps around and sorts last.
        return std::tuple(entry.head.chapter_position - 1, entry.head.position - 1, entry.lesson->id);
    };
    std::sort(all.begin(), all.end(),
              [&](const CourseEntry& a, const CourseEntry& b) { return key(a) < key(b); });
    return all;
}

}  // namespace

const std::vector<CourseEntry>& course() {
    static std::mutex mutex;
    static std::deque<std::vector<CourseEntry>> courses = {{}};
    static std::optional<std::uint64_t> revision;
    const std::scoped_lock lock(mutex);
    if (revision != lesson_revision()) {
        revision = lesson_revision();
        courses.push_back(load_course(courses.back()));
    }
    return courses.back();
}

std::vector<std::size_t> question_blocks(const StoryStep& step) {
    std::vector<std::size_t> questions;
    for (std::size_t i = 0; i < step.blocks.size(); ++i)
        if (std::holds_alternative<PredictBlock>(step.blocks[i])) questions.push_back(i);
    return questions;
}

PredictBlock question_for_device(PredictBlock question, bool is_cpu) {
    if (!is_cpu && !question.gpu_runs.empty()) question.runs = std::move(question.gpu_runs);
    question.gpu_runs.clear();
    return question;
}

std::vector<std::string> step_controls(const StoryStep& step) {
    std::vector<std::string> shown, named;
    bool has_show_line = false;
    const auto add_settings = [&](const std::vector<Setting>& settings) {
        for (const Setting& setting : settings)
            add_once(named, setting.name);
    };
    for (const Block& block : step.blocks) {
        if (const auto* set = std::get_if<SetBlock>(&block)) {
            add_settings(set->settings);
            if (!set->show) continue;
            has_show_line = true;
            for (const std::string& name : *set->show)
                add_once(shown, name);
        } else if (const auto* predict = std::get_if<PredictBlock>(&block)) {
            for (const auto* runs : {&predict->runs, &predict->gpu_runs})
                for (const std::vector<Setting>& run : *runs)
                    add_settings(run);
        } else if (const auto* make = std::get_if<MakeBlock>(&block)) {
            for (const std::string& name : make->parameters_to_find)
                add_once(named, name);
        }
    }
    return has_show_line ? shown : named;
}

const MakeBlock* find_make_block(const StoryStep& step) {
    for (const Block& block : step.blocks)
        if (const auto* make = std::get_if<MakeBlock>(&block)) return make;
    return nullptr;
}

namespace {

const std::vector<std::string>& step_ids(const Lesson& lesson) {
    static const std::vector<std::string> none;
    const auto entry = std::ranges::find(course(), &lesson, &CourseEntry::lesson);
    return entry == course().end() ? none : entry->step_ids;
}

}  // namespace

std::optional<std::size_t> find_step_by_id(const Lesson& lesson, std::string_view id) {
    const std::vector<std::string>& steps = step_ids(lesson);
    const auto found = std::ranges::find(steps, id);
    if (found == steps.end()) return std::nullopt;
    return static_cast<std::size_t>(found - steps.begin());
}

std::size_t find_step(const Lesson& lesson, std::string_view number_or_id) {
    const std::vector<std::string>& steps = step_ids(lesson);
    if (steps.empty()) return 0;
    const auto number = parse_number<std::size_t>(number_or_id);
    if (number && *number > 0 && *number <= steps.size()) return *number - 1;
    if (const auto step = find_step_by_id(lesson, number_or_id)) return *step;
    throw Refusal(fmt::format("{} has no step {}. Give a number from 1 to {}, or one of {}.", lesson.id,
                              quote_text(number_or_id), steps.size(), join(steps, ", ")));
}

std::optional<QuestionPlace> find_question(const Story& story, std::string_view id) {
    for (std::size_t step = 0; step < story.steps.size(); ++step)
        for (const std::size_t block : question_blocks(story.steps[step]))
            if (get_question(story.steps[step], block).id == id) return QuestionPlace{step, block};
    return std::nullopt;
}

std::vector<StepPicture> step_pictures(const StoryStep& step) {
    std::vector<StepPicture> pictures;
    for (std::size_t i = 0; i < step.blocks.size(); ++i)
        if (const auto* block = std::get_if<PlotBlock>(&step.blocks[i]))
            for (const std::string& plot : block->plots)
                pictures.push_back({plot, i});
    return pictures;
}

}  // namespace gridstride
