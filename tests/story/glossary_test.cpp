#include "story/glossary.h"

#include "base/text.h"
#include "test_includes.h"

namespace gridstride::glossary_test {

std::string glossary_complaint(const std::string& markdown) {
    return message_of<StoryError>([&] { parse_glossary(markdown, "glossary.md"); });
}

TEST(Glossary, ReadsATermUnderEachHeading) {
    const std::vector<Term> terms = parse_glossary(
        "# Glossary\n\nFor writers.\n\n## lane\n\nOne of\n{subgroup_size}.\n\n## Other\nWords.",
        "glossary.md");
    ASSERT_EQ(terms.size(), 2u);
    EXPECT_EQ(terms[0].name, "lane");
    EXPECT_EQ(terms[0].meaning, "One of {subgroup_size}.");
    EXPECT_EQ(terms[1].meaning, "Words.");
    EXPECT_THAT(glossary_complaint("## a\n\n## b\n\nwords\n"), Mentions("glossary.md:1", "sentences"));
    EXPECT_THAT(glossary_complaint("## a\nb\n## A\nc\n"), HasSubstrs("glossary.md:3: ", "already"));
    EXPECT_THAT(glossary_complaint("## a\n{subgroup}\n"),
                HasSubstrs("glossary.md:1: a: {subgroup}", "subgroup_size"));
}

TEST(Glossary, ShippedGlossaryDefinesTheTermsOfTheCourse) {
    for (const std::string_view name :
         split("invocation,workgroup,grid,kernel,launch,subgroup,lane,register,multiprocessor,"
               "workgroup memory,global memory,barrier,atomic,race,coalescing,divergence,occupancy,"
               "latency,bandwidth,ceiling,partial sum,grid-stride loop,reduction tree,staging,"
               "timestamp,median,interval,sector,cache,queue,descriptor,push constant,"
               "specialisation constant",
               ','))
        EXPECT_NE(find_term(glossary(), name), nullptr) << name;
}

TEST(Glossary, FindsATermByItsInflectedForms) {
    const std::vector<Term> terms = parse_glossary("## invocation\na\n## latency\nb\n## bus\nc\n", "g");
    for (const char* form : {"invocation", "Invocations", "INVOCATION"})
        EXPECT_EQ(find_term(terms, form), &terms[0]) << form;
    EXPECT_EQ(find_term(terms, "latencies"), &terms[1]);
    EXPECT_EQ(find_term(terms, "bus"), &terms[2]);
    EXPECT_EQ(find_term(terms, "invocated"), nullptr);
    EXPECT_EQ(find_term(terms, ""), nullptr);
}

TEST(Glossary, FindsATermByItsSynonyms) {
    const std::vector<Term> terms =
        parse_glossary("## lane\na\n\n## workgroup\nAlso called: block, thread block\nb\n", "g");
    EXPECT_EQ(terms[1].meaning, "b") << "the meaning excludes the synonyms";
    EXPECT_EQ(find_term(terms, "Thread Blocks"), &terms[1]);
    EXPECT_THAT(glossary_complaint("## workgroup\nAlso called: block\nb\n## block\nc\n"),
                HasSubstrs("glossary.md:4: ", "already"));
    EXPECT_EQ(find_term(terms, "thread"), nullptr) << "a part of a synonym is not a term";
    for (const std::string_view word :
         split("warp,block,thread,grid,scale,roofline,tensor core,SIMT,occupancy,"
               "logsumexp,shared memory,bank conflict,scan,__syncthreads",
               ','))
        EXPECT_NE(find_term(glossary(), word), nullptr) << word;
}

TEST(Glossary, FillsInTheNumbersOfTheDevice) {
    const Term lane{
        .name = "lane",
        .meaning = "It is one of {subgroup_size}. There are {multiprocessors} places. Both count."};
    Limits device;
    device.subgroup_size = 8;
    EXPECT_THAT(meaning_for_device(lane, &device), Mentions(8, "Both")) << "it omits the unknown number";
    device.multiprocessors = 132;
    EXPECT_THAT(meaning_for_device(lane, &device), Mentions(8, 132));
    for (const Term& term : glossary())
        EXPECT_THAT(meaning_for_device(term, nullptr), AllOf(Not(HasSubstr("{")), Not(IsEmpty())))
            << term.name;
}

}  // namespace gridstride::glossary_test
