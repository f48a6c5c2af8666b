#include "lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace gridstride {

namespace {

/// Returns the position of the version among the versions of a lesson.
auto find_version(auto& versions, std::string_view version) {
    return std::ranges::find(versions, version, [](const auto& one) { return one->version; });
}

/// Lessons may be registered on one thread while others look them up.
class LessonRegistry {
 public:
    LessonRegistry() {
        for (std::shared_ptr<const Lesson>& lesson : built_in_lessons())
            add(std::move(lesson));
    }

    void add(std::shared_ptr<const Lesson> lesson) {
        const std::scoped_lock lock(mutex_);
        std::vector<std::shared_ptr<const Lesson>>& versions = versions_[lesson->id];
        const auto same = find_version(versions, lesson->version);
        if (same != versions.end() && lesson->version.empty())
            throw std::invalid_argument(fmt::format("There is a built-in lesson {} already.", lesson->id));
        if (same == versions.end())
            versions.push_back(std::move(lesson));
        else
            std::rotate(same, same + 1, versions.end());
        withdrawn_.erase(versions.back()->id);
        ++revision_;
    }
    void withdraw(const std::string& id) {
        const std::scoped_lock lock(mutex_);
        withdrawn_.insert(id);
        ++revision_;
    }
    std::uint64_t revision() const {
        const std::scoped_lock lock(mutex_);
        return revision_;
    }

    std::vector<const Lesson*> newest() const {
        const std::scoped_lock lock(mutex_);
        std::vector<const Lesson*> all;
        for (const auto& [id, versions] : versions_)
            if (!withdrawn_.contains(id)) all.push_back(versions.back().get());
        return all;
    }
    const Lesson* newest(std::string_view id) const {
        const std::scoped_lock lock(mutex_);
        const auto found = versions_.find(id);
        return found == versions_.end() || withdrawn_.contains(found->first) ? nullptr
                                                                             : found->second.back().get();
    }
    const Lesson* version(std::string_view id, std::string_view version) const {
        const std::scoped_lock lock(mutex_);
        const auto known = versions_.find(id);
        if (known == versions_.end()) return nullptr;
        const auto found = find_version(known->second, version);
        return found == known->second.end() ? nullptr : found->get();
    }

 private:
    mutable std::mutex mutex_;
    std::uint64_t revision_ = 0;
    std::map<std::string, std::vector<std::shared_ptr<const Lesson>>, std::less<>>
        versions_;                     ///< newest last
    std::set<std::string> withdrawn_;  ///< ids
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

std::uint64_t lesson_revision() {
    return registry().revision();
}

void register_lesson(std::shared_ptr<const Lesson> lesson) {
    registry().add(std::move(lesson));
}

void withdraw_lesson(const std::string& id) {
    registry().withdraw(id);
}

}  // namespace gridstride
