#include "lesson/lesson.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "text_lesson/text_lesson.h"

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
        for (const Lesson* lesson : built_in_lessons())
            add({std::shared_ptr<void>(), lesson});  // without an owner: it is static
        add_shipped_texts();
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
        const auto known = versions_.find(id);
        if (known == versions_.end()) return nullptr;
        const auto found = find_version(known->second, version);
        return found == known->second.end() ? nullptr : found->get();
    }

 private:
    /// Adds the lessons of text. One that cannot be read is left out, and the others are still there.
    void add_shipped_texts() {
        const std::filesystem::path lessons = data_directory() / "lessons";
        std::error_code error;
        for (std::filesystem::directory_iterator entry(lessons, error), end; !error && entry != end;
             entry.increment(error))
            try {
                if (std::filesystem::exists(entry->path() / "lesson.toml"))
                    add(text_lesson::load_lesson(entry->path()));
            } catch (const std::exception& fault) {
                spdlog::error("{}: {}", quote_path(entry->path()), fault.what());
            }
    }

    mutable std::mutex mutex_;
    std::uint64_t revision_ = 0;
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

std::uint64_t lesson_revision() {
    return registry().revision();
}

void register_lesson(std::shared_ptr<const Lesson> lesson) {
    registry().add(std::move(lesson));
}

}  // namespace gridstride
