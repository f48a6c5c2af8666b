#include "base/quote.h"

#include <gtest/gtest.h>

namespace gridstride {
namespace {

TEST(Printable, KeepsValidUtf8) {
    EXPECT_EQ(printable("é µ – 𝛼"), "é µ – 𝛼");
}

TEST(Printable, ReplacesControlCharactersAndWhatIsNoUtf8) {
    EXPECT_EQ(printable(std::string_view("a\0b\n\x7F", 5)), "a?b??");
    EXPECT_EQ(printable("caf\xE9"), "caf?");           // Latin-1
    EXPECT_EQ(printable("\xC0\xAF"), "??");            // overlong
    EXPECT_EQ(printable("\xE0\x80\xAF"), "???");       // overlong
    EXPECT_EQ(printable("\xED\xA0\x80"), "???");       // a surrogate
    EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????");  // above U+10FFFF
    EXPECT_EQ(printable("\xF0\x9D\x9B"), "???");       // cut short
    EXPECT_EQ(printable("\xF4\x8F\xBF\xBF"), "\xF4\x8F\xBF\xBF");
}

TEST(QuotedText, CutsBetweenCharacters) {
    EXPECT_EQ(quoted_text("abc"), "\"abc\"");
    std::string many;
    for (int i = 0; i < 100; ++i)
        many += "é";
    const std::string text = quoted_text(many);
    EXPECT_LT(text.size(), 70u);
    EXPECT_TRUE(text.ends_with("é…\"")) << text;
}

TEST(QuotedPath, IsWhole) {
    const std::string name(200, 'x');
    EXPECT_EQ(quoted_path("/tmp/" + name), "\"/tmp/" + name + "\"");
}

}  // namespace
}  // namespace gridstride
