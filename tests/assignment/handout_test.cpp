// A handout has all of a story, and loads nothing.
#include "assignment/handout.h"

#include "assignment/html_page.h"
#include "base/text.h"
#include "test_includes.h"

namespace gridstride {
namespace {

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// Returns what a reader sees of a page.
std::string visible_text(std::string_view html) {
    std::string text;
    bool in_tag = false;
    for (const char c : html) {
        if (c == '<') in_tag = true;
        if (!in_tag) text += c;
        if (c == '>') in_tag = false;
    }
    for (const auto& [entity, character] :
         {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
        text = replace_all(text, entity, character);
    return text;
}

std::string plain_text(const std::string& markdown) {
    std::string plain;
    for (const Span& span : parse_inline(markdown))
        plain += span.text;
    return plain;
}

std::string write_reduction() {
    const CourseEntry& entry = *find_course_entry("reduction");
    return format_handout(entry, load_story(*entry.lesson, "en"), [](const Plot& plot) { return plot.id; });
}

TEST(Handout, ContainsEveryStepQuestionAndExercise) {
    for (const CourseEntry& entry : course()) {
        // Other tests have registered lessons whose folders are gone.
        if (!entry.lesson->folder.empty() && !std::filesystem::exists(entry.lesson->folder)) continue;
        const Story story = load_story(*entry.lesson, "en", entry.story);
        const std::string page = format_handout(entry, story, {});
        const std::size_t last_page = page.find("<h2>Recorded answers");
        const std::string text = visible_text(page.substr(0, last_page));
        const std::string answers = visible_text(page.substr(std::min(last_page, page.size())));
        std::size_t questions = 0;
        for (const StoryStep& step : story.steps) {
            EXPECT_THAT(text, HasSubstr(step.title)) << entry.id;
            for (const std::size_t block : question_blocks(step)) {
                const PredictBlock& question = get_question(step, block);
                EXPECT_THAT(text, HasSubstr(plain_text(question.question))) << entry.id;
                for (const PredictChoice& choice : question.choices)
                    EXPECT_THAT(text, HasSubstr(plain_text(choice.label))) << entry.id;
                for (const PredictItem& item : question.items)
                    EXPECT_THAT(text, HasSubstr(plain_text(item.label))) << entry.id;
                for (const PredictMark& mark : question.marks)
                    EXPECT_THAT(text, HasSubstr(plain_text(mark.label))) << entry.id;
                EXPECT_THAT(answers, HasSubstr(fmt::format("Question {}: {}", ++questions, step.title)));
            }
            const MakeBlock* const make = find_make_block(step);
            for (const MakeRequirement& requirement :
                 make ? make->requirements : std::vector<MakeRequirement>())
                EXPECT_THAT(text, HasSubstr(plain_text(requirement.sentence))) << entry.id;
        }
        EXPECT_THAT(page, Not(AnyOf(HasSubstr("src=\"http"), HasSubstr("href="), HasSubstr("url("))));
    }
}

TEST(Handout, NamesTheDevicesOfTheRecordedAnswers) {
    const std::string page = write_reduction();
    EXPECT_THAT(page.substr(page.find("<h2>Recorded answers")),
                Mentions("NVIDIA H200", "llvmpipe", "more time: all invocations want the same address"));
}

TEST(Handout, PutsPicturesAfterAQuestionIntoTheAnswers) {
    const std::string page = write_reduction();
    const std::size_t answers = page.find("<h2>Recorded answers");
    EXPECT_LT(page.find(encode_base64("numbers")), answers);
    EXPECT_GT(page.find(encode_base64("partial_sums")), answers);
    EXPECT_THAT(page.substr(0, answers), Mentions("Partial sums, one per workgroup"));
}

TEST(Handout, EscapesTheTextsOfAStory) {
    const CourseEntry& entry = *find_course_entry("reduction");
    const std::string hostile = "<script>\"'&\x1b";
    const Story story{
        .file = "story.fr.md",
        .title = hostile,
        .steps = {
            {.title = hostile,
             .id = hostile,
             .blocks = {
                 CodeBlock{hostile}, Paragraph{{{.text = hostile}}},
                 TableBlock{{{{hostile}}}, {{{{hostile}}}}}, PlotBlock{.plots = {hostile}},
                 PredictBlock{.id = hostile, .question = hostile, .guess = PredictGuess{.unit = hostile}}}}}};
    const std::string page = format_handout(entry, story, {});
    EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>")), Not(HasSubstr("\x1b")), HasSubstr("lang=\"fr\"")));
    EXPECT_THAT(page, HasSubstr("default-src 'none'; img-src data:; style-src 'unsafe-inline'"));
}

TEST(Base64, MatchesTheStandard) {  // RFC 4648, section 10
    EXPECT_EQ(encode_base64(""), "");
    EXPECT_EQ(encode_base64("f"), "Zg==");
    EXPECT_EQ(encode_base64("fooba"), "Zm9vYmE=");
    EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(encode_base64("\xff\xfe"), "//4=");
}

}  // namespace
}  // namespace gridstride
