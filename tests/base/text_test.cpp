#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gridstride {
namespace {

using ::testing::ElementsAre;

TEST(Text, IsTakenApart) {
    EXPECT_EQ(trimmed(" a b\t\r"), "a b");
    EXPECT_EQ(trimmed(" \t"), "");
    EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
    EXPECT_THAT(split("", ','), ElementsAre(""));
    EXPECT_EQ(in_lower_case("ÄbC.PNG"), "Äbc.png");
}

TEST(Text, IsANumberAsAWholeOrNotAtAll) {
    EXPECT_EQ(number_in<double>("2.5"), 2.5);
    EXPECT_EQ(number_in<unsigned>("7"), 7u);
    for (const char* text : {"", " 7", "7 ", "7x", "-7", "99999999999"})
        EXPECT_EQ(number_in<unsigned>(text), std::nullopt) << text;
}

TEST(Text, IsCountedInCharacters) {
    EXPECT_EQ(characters("µs …"), 4u);
    EXPECT_EQ(first_characters("µs", 1), "µ");
    EXPECT_EQ(first_characters("µs", 0), "");
    EXPECT_EQ(first_characters("µs", 9), "µs");
}

TEST(Text, BreaksBetweenWords) {
    EXPECT_THAT(lines_of("the quick brown fox", 9), ElementsAre("the quick", "brown fox"));
    EXPECT_THAT(lines_of("µµµ µµ", 6), ElementsAre("µµµ µµ"));
    EXPECT_THAT(lines_of("unbreakable as", 4), ElementsAre("unbreakable", "as"));
    EXPECT_THAT(lines_of("", 4), ElementsAre(""));
}

}  // namespace
}  // namespace gridstride
