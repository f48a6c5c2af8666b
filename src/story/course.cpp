// What the steps and stories together are: the course, and what stands around a step's text.
#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "story/story.h"

namespace gridstride {

namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

CourseEntry entry_of(const Lesson& lesson) {
    CourseEntry entry{.lesson = &lesson, .head = {}, .steps = 0};
    try {
        const Story story = load_story(lesson, "en");
        entry.head = story.head;
        entry.steps = story.steps.size();
    } catch (const std::exception&) {
        // Whoever opens the lesson reads why.
    }
    return entry;
}

}  // namespace

const std::vector<CourseEntry>& course() {
    static const std::vector<CourseEntry> entries = [] {
        std::vector<CourseEntry> all;
        for (const Lesson* lesson : all_lessons())
            all.push_back(entry_of(*lesson));
        const auto key = [](const CourseEntry& entry) {
            // Without a chapter, 0 wraps to the last one.
            return std::tuple(entry.head.chapter_place - 1, entry.head.place - 1, entry.lesson->id);
        };
        std::sort(all.begin(), all.end(),
                  [&](const CourseEntry& a, const CourseEntry& b) { return key(a) < key(b); });
        return all;
    }();
    return entries;
}

std::vector<std::size_t> questions_of(const StoryStep& step) {
    std::vector<std::size_t> questions;
    for (std::size_t i = 0; i < step.blocks.size(); ++i)
        if (std::holds_alternative<PredictBlock>(step.blocks[i])) questions.push_back(i);
    return questions;
}

std::vector<std::string> controls_of(const StoryStep& step) {
    std::vector<std::string> shown, named;
    bool says_which = false;
    const auto add_settings = [&](const std::vector<Setting>& settings) {
        for (const Setting& setting : settings)
            add_once(named, setting.name);
    };
    for (const Block& block : step.blocks) {
        if (const auto* set = std::get_if<SetBlock>(&block)) {
            add_settings(set->settings);
            if (!set->show) continue;
            says_which = true;
            for (const std::string& name : *set->show)
                add_once(shown, name);
        } else if (const auto* predict = std::get_if<PredictBlock>(&block)) {
            for (const std::vector<Setting>& run : predict->runs)
                add_settings(run);
        } else if (const auto* make = std::get_if<MakeBlock>(&block)) {
            for (const std::string& name : make->find)
                add_once(named, name);
        }
    }
    return says_which ? shown : named;
}

const MakeBlock* made_at(const StoryStep& step) {
    for (const Block& block : step.blocks)
        if (const auto* make = std::get_if<MakeBlock>(&block)) return make;
    return nullptr;
}

std::string name_of(const MakeBlock& make) {
    if (!make.exercise.empty()) return make.exercise;
    return make.name.empty() ? "find " + joined(make.find, ", ") : make.name;
}

std::vector<StepPicture> pictures_of(const StoryStep& step) {
    std::vector<StepPicture> pictures;
    for (std::size_t i = 0; i < step.blocks.size(); ++i)
        if (const auto* block = std::get_if<PlotBlock>(&step.blocks[i]))
            for (const std::string& plot : block->plots)
                pictures.push_back({plot, i});
    return pictures;
}

}  // namespace gridstride
