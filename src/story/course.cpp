// The course that the stories form, and queries about a step.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "base/language.h"
#include "base/text.h"
#include "story/story.h"

namespace gridstride {

namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

CourseEntry load_course_entry(const Lesson& lesson, const std::string& name) {
    CourseEntry entry{.lesson = &lesson,
                      .story = name,
                      .id = course_entry_id(lesson, name),
                      .title = name.empty() ? lesson.title : name};
    try {
        const Story story = load_story(lesson, text_language(), name);
        if (!name.empty()) entry.title = story.title;
        entry.head = story.head;
        entry.language = story.language;
        for (const StoryStep& step : story.steps) {
            entry.step_ids.push_back(step.id);
            for (const std::size_t block : question_blocks(step))
                entry.question_ids.push_back(get_question(step, block).id);
            if (const MakeBlock* const make = find_make_block(step)) entry.exercise_ids.push_back(make->id);
        }
    } catch (const std::exception&) {
        // The error is shown when the story is opened.
    }
    return entry;
}

/// Returns the entries of all lessons; those of unchanged lessons come from an earlier course.
std::vector<CourseEntry> load_course(const std::vector<CourseEntry>& earlier) {
    std::vector<CourseEntry> all;
    for (const Lesson* lesson : all_lessons()) {
        const std::size_t before = all.size();
        std::ranges::copy_if(earlier, std::back_inserter(all),
                             [&](const CourseEntry& entry) { return entry.lesson == lesson; });
        if (all.size() > before) continue;
        all.push_back(load_course_entry(*lesson, ""));
        for (const StoryFile& file : story_files(*lesson))
            if (!file.name.empty() && file.language == "en")
                all.push_back(load_course_entry(*lesson, file.name));
    }
    const auto key = [](const CourseEntry& entry) {
        // Without a chapter, 0 - 1 wraps around and sorts last.
        return std::tuple(entry.head.chapter_position - 1, entry.head.position - 1, entry.id);
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

bool CourseEntry::owns(std::string_view lesson_id, std::string_view step_or_block) const {
    if (lesson_id != lesson->id) return false;
    const CourseEntry* const entry = find_entry_with(lesson_id, step_or_block);
    return !entry || entry->story == story;
}

const CourseEntry* find_entry_with(std::string_view lesson_id, std::string_view step_or_block) {
    for (const CourseEntry& entry : course())
        if (entry.lesson->id == lesson_id)
            for (const auto* ids : {&entry.step_ids, &entry.question_ids, &entry.exercise_ids})
                if (std::ranges::find(*ids, step_or_block) != ids->end()) return &entry;
    return nullptr;
}

std::string course_entry_id(const Lesson& lesson, std::string_view story) {
    return story.empty() ? lesson.id : fmt::format("{}/{}", lesson.id, story);
}

const CourseEntry* find_course_entry(std::string_view id) {
    const auto found = std::ranges::find(course(), id, &CourseEntry::id);
    return found == course().end() ? nullptr : &*found;
}

std::vector<const CourseEntry*> course_entries(const Lesson& lesson) {
    std::vector<const CourseEntry*> entries;
    for (const CourseEntry& entry : course())
        if (entry.lesson == &lesson) entries.push_back(&entry);
    std::ranges::sort(entries, {}, &CourseEntry::story);
    return entries;
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

std::optional<std::size_t> find_step_by_id(const CourseEntry& entry, std::string_view id) {
    const auto found = std::ranges::find(entry.step_ids, id);
    if (found == entry.step_ids.end()) return std::nullopt;
    return static_cast<std::size_t>(found - entry.step_ids.begin());
}

std::size_t find_step(const CourseEntry& entry, std::string_view number_or_id) {
    const std::vector<std::string>& steps = entry.step_ids;
    if (steps.empty()) return 0;
    const auto number = parse_number<std::size_t>(number_or_id);
    if (number && *number > 0 && *number <= steps.size()) return *number - 1;
    if (const auto step = find_step_by_id(entry, number_or_id)) return *step;
    throw Refusal(fmt::format("{} has no step {}. Give a number from 1 to {}, or one of {}.", entry.id,
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
