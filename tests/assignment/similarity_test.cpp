// Answers that are alike: neither names nor shipped texts count, and short answers are not compared.
#include "assignment/similarity.h"

#include "test_includes.h"

namespace gridstride {
namespace {

const std::string starter =
    "void main() {\n    for (uint i = first(); i < count; i += step()) y[i] = 0;\n}\n";

/// A text of 11 tokens for each statement.
std::string statements(int count, const std::string& name, const std::string& operation = "*") {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += fmt::format("    {0}[{1}] = x[{1}] {2} {1};\n", name, i, operation);
    return text;
}

bool are_alike_after(const std::string& shipped, const std::string& a, const std::string& b) {
    const SimilarityCheck check({shipped});
    return are_alike(check.find_differing_tokens(a), check.find_differing_tokens(b));
}

TEST(Similarity, IgnoresNamesCommentsAndLayout) {
    const std::string renamed = "// Mine.\n" + statements(5, "total") + "/* end */";
    EXPECT_TRUE(are_alike_after(starter, starter + statements(5, "sum"), starter + renamed));
    EXPECT_FALSE(
        are_alike_after(starter, starter + statements(5, "sum"), starter + statements(5, "sum", "+")));
}

TEST(Similarity, IgnoresShippedTexts) {
    EXPECT_THAT(SimilarityCheck({starter}).find_differing_tokens(starter), IsEmpty());
    const std::string answer = starter + statements(5, "sum");
    EXPECT_FALSE(are_alike_after(answer, answer, answer));
}

TEST(Similarity, DoesNotCompareShortAnswers) {
    const std::string three = statements(3, "sum"), four = statements(4, "sum");
    EXPECT_LE(SimilarityCheck({}).find_differing_tokens(three).size(), min_differing_tokens);
    EXPECT_GT(SimilarityCheck({}).find_differing_tokens(four).size(), min_differing_tokens);
    EXPECT_FALSE(are_alike_after("", three, three));
    EXPECT_TRUE(are_alike_after("", four, four));
}

}  // namespace
}  // namespace gridstride
