// Tests the texts of the course as a whole: how long each lesson takes.
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "story/story.h"
#include "test_includes.h"

namespace gridstride::course_texts_test {

struct CourseText {
    std::string file;
    StoryHead head;
    std::string text;  ///< without front matter and comments
};

std::string remove_front_matter(const std::string& text) {
    const std::size_t end = text.find("\n---\n", 3);
    return text.starts_with("---\n") && end != std::string::npos ? text.substr(end + 5) : text;
}

std::string remove_comments(std::string text) {
    for (std::size_t at = text.find("<!--"); at != std::string::npos; at = text.find("<!--", at)) {
        const std::size_t end = text.find("-->", at);
        text.erase(at, end == std::string::npos ? end : end + 3 - at);
    }
    return text;
}

/// Returns the English stories in the order of the course. A lesson may have several.
std::vector<CourseText> read_course() {
    std::vector<CourseText> all;
    for (const Lesson* lesson : all_lessons())
        for (const std::filesystem::path& file : story_files(*lesson)) {
            if (!file.filename().string().ends_with(".en.md")) continue;
            all.push_back({lesson->id + "/" + file.filename().string(), read_story_file(file).head,
                           remove_comments(remove_front_matter(read_file(file)))});
        }
    std::ranges::sort(all, {}, [](const CourseText& one) {
        return std::tuple(one.head.chapter_position, one.head.position, one.file);
    });
    return all;
}

/// Calls visit(line, word) for each line; `word` is that of the fence around it, or empty outside of fences.
/// The lines of the fences themselves are left out.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
    std::optional<std::string_view> fence;
    for (const std::string_view line : split(text, '\n')) {
        if (fence && line == "```")
            fence.reset();
        else if (!fence && line.starts_with("```"))
            fence = line.substr(3, line.find(' ') - 3);
        else if (!fence)
            visit(line, std::string_view());
        else
            visit(line, fence->empty() ? "code" : *fence);
    }
}

struct Length {
    std::size_t words = 0, questions = 0, exercises = 0;
    std::size_t minutes() const {
        return static_cast<std::size_t>(
            std::ceil(static_cast<double>(words) / 130 + static_cast<double>(questions + 7 * exercises)));
    }
};
Length measure_length(const std::string& text) {
    Length length;
    for_each_line(text, [&](std::string_view line, std::string_view fence) {
        if (!fence.empty()) return;
        for (const std::string_view word : split(line, ' '))
            if (!trim(word).empty()) ++length.words;
    });
    for (const std::string_view line : split(text, '\n')) {
        if (line == "```predict") ++length.questions;
        if (line == "```make" || line.starts_with("```make ")) ++length.exercises;
    }
    return length;
}

TEST(CourseTexts, CountsWordsOutsideOfFences) {
    const Length length =
        measure_length("# A title\n\nTwo words.\n\n```predict\nid: q\n```\n\n```make x\n```\n\nOne more\n");
    EXPECT_EQ(length.words, 7U);
    EXPECT_EQ(length.questions, 1U);
    EXPECT_EQ(length.exercises, 1U);
    EXPECT_EQ(length.minutes(), 9U) << "7 / 130 + 1 + 7, rounded up";
    EXPECT_EQ(remove_comments("a <!-- id: x --> b"), "a  b");
    EXPECT_EQ(remove_front_matter("---\nplace: 2\n---\n# T\n"), "# T\n");
}

TEST(CourseTexts, TakeAsLongAsTheyClaim) {
    for (const CourseText& story : read_course()) {
        const Length length = measure_length(story.text);
        EXPECT_EQ(story.head.minutes, length.minutes())
            << story.file << ": " << length.words << " words / 130 + " << length.questions
            << " questions + 7 * " << length.exercises << " exercises, rounded up";
        EXPECT_LE(length.minutes(), 45U) << story.file;
        EXPECT_LE(length.words, 2800U) << story.file;
    }
}

}  // namespace gridstride::course_texts_test
