#include "lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace gridstride {

namespace {

/// Lessons may be registered on one thread while others look them up.
class LessonRegistry {
 public:
    LessonRegistry() {
        for (const Lesson* lesson : built_in_lessons())
            add({std::shared_ptr<void>(), lesson});  // without an owner: it is static
    }

    void add(std::shared_ptr<const Lesson> lesson) {
        const std::scoped_lock lock(mutex_);
        std::vector<std::shared_ptr<const Lesson>>& versions = versions_[lesson->id];
        if (find(versions, lesson->version))
            throw std::invalid_argument(
                fmt::format("There is a lesson {} of version \"{}\" already.", lesson->id, lesson->version));
        versions.push_back(std::move(lesson));
    }

    std::vector<const Lesson*> newest() const {
        const std::scoped_lock lock(mutex_);
        std::vector<const Lesson*> all;
        for (const auto& [id, versions] : versions_)
            all.push_back(versions.back().get());
        return all;
    }
    const Lesson* newest(std::string_view id) const {
        const std::scoped_lock lock(mutex_);
        const auto found = versions_.find(id);
        return found == versions_.end() ? nullptr : found->second.back().get();
    }
    const Lesson* version(std::string_view id, std::string_view version) const {
        const std::scoped_lock lock(mutex_);
        const auto found = versions_.find(id);
        return found == versions_.end() ? nullptr : find(found->second, version);
    }

 private:
    static const Lesson* find(const std::vector<std::shared_ptr<const Lesson>>& versions,
                              std::string_view version) {
        const auto found = std::ranges::find(versions, version, [](const auto& one) { return one->version; });
        return found == versions.end() ? nullptr : found->get();
    }

    mutable std::mutex mutex_;
    std::map<std::string, std::vector<std::shared_ptr<const Lesson>>, std::less<>>
        versions_;  ///< newest last
};

LessonRegistry& registry() {
    static LessonRegistry all;
    return all;
}

}  // namespace

std::vector<const Lesson*> all_lessons() {
    return registry().newest();
}

const Lesson* find_lesson(std::string_view id) {
    return registry().newest(id);
}

const Lesson* find_lesson(const Experiment& experiment) {
    return registry().version(experiment.lesson, experiment.lesson_version);
}

void register_lesson(std::shared_ptr<const Lesson> lesson) {
    registry().add(std::move(lesson));
}

}  // namespace gridstride
