// Finds lessons by id and version. A newer version is listed before an older one, which saved reports still
// name.

#include "lesson/lesson.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"

namespace gridstride::registry_test {

std::shared_ptr<const Lesson> version_of_gaussian(const std::string& version) {
    Lesson lesson = *find_lesson("gaussian");
    lesson.id = "versioned";
    lesson.title = "Version " + version;
    lesson.version = version;
    return std::make_shared<const Lesson>(std::move(lesson));
}

TEST(Registry, FindsTheNewestVersionByIdAndOlderOnesByExperiment) {
    EXPECT_EQ(find_lesson("versioned"), nullptr);
    const std::size_t before = all_lessons().size();
    register_lesson(version_of_gaussian("1"));
    const Lesson* const first = find_lesson("versioned");
    const Experiment old = default_experiment(*first);
    register_lesson(version_of_gaussian("2"));

    EXPECT_EQ(all_lessons().size(), before + 1);
    EXPECT_EQ(find_lesson("versioned")->title, "Version 2");
    EXPECT_EQ(find_lesson(old), first);
    EXPECT_EQ(find_lesson(old)->title, "Version 1") << "the older version is kept";
    const PreparedExperiment prepared = prepare(old, test::software_device());
    EXPECT_EQ(prepared.lesson, first);
    EXPECT_FALSE(same_settings(old, default_experiment(*find_lesson("versioned"))));
    const std::uint64_t revision = lesson_revision();
    register_lesson(version_of_gaussian("1"));
    EXPECT_EQ(lesson_revision(), revision + 1);
    EXPECT_EQ(find_lesson("versioned"), first) << "a known version becomes the newest again";
    Lesson built_in = *find_lesson("gaussian");
    EXPECT_THROW(register_lesson(std::make_shared<const Lesson>(built_in)), std::invalid_argument);

    Experiment unknown = old;
    unknown.lesson_version = "3";
    EXPECT_EQ(find_lesson(unknown), nullptr);
    EXPECT_THAT(message_of<Refusal>([&] { prepare(unknown, test::software_device()); }),
                Mentions("versioned", "3"));
}

TEST(Registry, BuiltInLessonsHaveNoVersion) {
    for (const std::shared_ptr<const Lesson>& lesson : built_in_lessons()) {
        EXPECT_EQ(lesson->version, "") << lesson->id;
        EXPECT_EQ(find_lesson(default_experiment(*lesson)), find_lesson(lesson->id)) << lesson->id;
    }
}

}  // namespace gridstride::registry_test
