// Tests the texts of the course as a whole: how long each lesson takes, and that its terms are introduced
// before they are used.
#include <cmath>
#include <regex>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "story/glossary.h"
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
        for (const StoryFile& file : story_files(*lesson))
            if (file.language == "en")
                all.push_back({course_entry_id(*lesson, file.name), read_story_file(file.path).head,
                               remove_comments(remove_front_matter(read_file(file.path)))});
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

/// Returns the part of a line that students read as text: nothing of code and settings.
std::string readable_text(std::string_view line, std::string_view fence) {
    if (fence.empty()) return std::string(line.starts_with('#') ? "" : line);
    if (fence != "predict" && fence != "make") return {};
    const std::string_view keyword = line.substr(0, line.find(':'));
    for (const std::string_view shown :
         {"question", "choice", "why", "only if", "else", "after", "guess", "near", "item", "mark", "hint"})
        if (keyword == shown) return std::string(line.substr(std::min(keyword.size() + 1, line.size())));
    return {};
}

/// Returns the readable texts of a story in their order. The lines of a paragraph are one text.
std::vector<std::string> readable_texts(std::string_view story) {
    std::vector<std::string> texts(1);
    for_each_line(story, [&](std::string_view line, std::string_view fence) {
        const std::string text = readable_text(line, fence);
        if (fence.empty() && !text.empty()) {
            texts.back() += text + ' ';
        } else {
            texts.push_back(text);
            texts.emplace_back();
        }
    });
    return texts;
}

/// Replaces each match by spaces.
std::string blank_out(std::string text, const std::regex& what) {
    for (std::smatch match; std::regex_search(text, match, what);)
        text.replace(static_cast<std::size_t>(match.position()), static_cast<std::size_t>(match.length()),
                     std::string(static_cast<std::size_t>(match.length()), ' '));
    return text;
}

struct TermUse {
    std::size_t position;
    std::string term;
    bool is_link;
};
/// Returns the terms of the glossary that a text links to or names, in their order. Names are headings of the
/// glossary, as whole words; "workgroup memory" does not count as a use of "workgroup".
std::vector<TermUse> find_terms(std::string text, const std::vector<Term>& terms) {
    static const std::regex code("`[^`]*`"), link(R"(\[([^\]]*)\]\((term(?::([^)]*))?|[^)]*)\))");
    text = blank_out(std::move(text), code);
    std::vector<TermUse> uses;
    for (std::smatch match; std::regex_search(text, match, link);) {
        const auto position = static_cast<std::size_t>(match.position());
        const std::string target = match[2], name = match[3].matched ? match[3] : match[1];
        if (const Term* const term = target.starts_with("term") ? find_term(terms, name) : nullptr)
            uses.push_back({position, term->name, true});
        // Other links stay as words.
        const auto length = static_cast<std::size_t>(match.length());
        std::string words = target.starts_with("term") ? std::string() : std::string(match[1]);
        words.resize(length, ' ');
        text.replace(position, length, words);
    }
    std::vector<const Term*> terms_by_length;
    for (const Term& term : terms)
        terms_by_length.push_back(&term);
    std::ranges::stable_sort(terms_by_length, std::greater(),
                             [](const Term* term) { return term->name.size(); });
    text = to_lower(text);
    const auto is_part_of_word = [&](std::size_t at) {
        return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 ||
                                    text[at] == '_' || text[at] == '-');
    };
    for (const Term* const term : terms_by_length) {
        const std::string name = to_lower(term->name);
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
            if ((at > 0 && is_part_of_word(at - 1)) || is_part_of_word(at + name.size())) continue;
            uses.push_back({at, term->name, false});
            text.replace(at, name.size(), name.size(), ' ');
        }
    }
    std::ranges::stable_sort(uses, {}, &TermUse::position);
    return uses;
}

TEST(CourseTexts, FindLinkedAndPlainTerms) {
    const std::vector<Term> terms =
        parse_glossary("# G\n\n## workgroup\n\nA group.\n\n## workgroup memory\n\nMemory.\n", "g.md");
    const auto found = [&](const std::string& text) {
        std::vector<std::string> names;
        for (const TermUse& use : find_terms(text, terms))
            names.push_back(use.term + (use.is_link ? " linked" : ""));
        return names;
    };
    EXPECT_THAT(found("A [workgroup](term) has [some](term:workgroup memory)."),
                ElementsAre("workgroup linked", "workgroup memory linked"));
    EXPECT_THAT(found("Workgroup memory of a workgroup"), ElementsAre("workgroup memory", "workgroup"));
    EXPECT_THAT(found("`workgroup` workgroup_size my-workgroup workgroups"), IsEmpty());
    EXPECT_THAT(found("a [workgroup](page.md)"), ElementsAre("workgroup"));
    EXPECT_EQ(readable_text("choice: a workgroup | below 1 | It.", "predict"),
              " a workgroup | below 1 | It.");
    EXPECT_EQ(readable_text("run: workgroup = 1", "predict"), "");
    EXPECT_EQ(readable_text("## The workgroup", ""), "");
    std::vector<std::string> texts = readable_texts("One\ntwo.\n\nThree.\n```predict\nwhy: four\n```\nfive");
    std::erase(texts, "");
    EXPECT_THAT(texts, ElementsAre("One two. ", "Three. ", " four", "five "));
}

/// Removes the names of lessons, such as *Histogram*, which are not terms.
std::string remove_lesson_titles(std::string text) {
    for (const CourseEntry& entry : course()) {
        const std::string title = "*" + entry.title + "*";
        for (std::size_t at = text.find(title); at != std::string::npos; at = text.find(title))
            text.erase(at, title.size());
    }
    return text;
}

TEST(CourseTexts, UseNoTermBeforeItIsIntroduced) {
    std::set<std::string> introduced;
    for (const CourseText& story : read_course()) {
        std::set<std::string> early;
        for (const std::string& text : readable_texts(story.text))
            for (const TermUse& use : find_terms(remove_lesson_titles(text), glossary()))
                if (use.is_link)
                    introduced.insert(use.term);
                else if (!introduced.contains(use.term))
                    early.insert(use.term);
        EXPECT_THAT(early, IsEmpty()) << story.file << ": link the first use of each: [term](term)";
    }
}

}  // namespace gridstride::course_texts_test
