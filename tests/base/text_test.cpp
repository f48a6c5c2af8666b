#include "base/text.h"

#include "test_includes.h"

namespace gridstride::text_test {

TEST(Text, TrimsSplitsAndLowersCase) {
    EXPECT_EQ(trim(" a b\t\r"), "a b");
    EXPECT_EQ(trim(" \t"), "");
    EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
    EXPECT_THAT(split("", ','), ElementsAre(""));
    EXPECT_EQ(to_lower("ÄbC.PNG"), "Äbc.png");
}

TEST(Text, RemovesSpacesWithinNumbers) {
    EXPECT_EQ(remove_spaces(" 1 024\u2009512\u00A00\u202F7 "), "102451207");
    EXPECT_EQ(remove_spaces("1,5"), "1,5");
    EXPECT_EQ(remove_spaces(""), "");
}

TEST(Text, ParsesNumbersOnlyIfTheWholeTextIsOne) {
    EXPECT_EQ(parse_number<double>("2.5"), 2.5);
    EXPECT_EQ(parse_number<unsigned>("7"), 7u);
    for (const char* text : {"", " 7", "7 ", "7x", "-7", "99999999999"})
        EXPECT_EQ(parse_number<unsigned>(text), std::nullopt) << text;
}

TEST(Text, CountsCharactersNotBytes) {
    EXPECT_EQ(characters("µs …"), 4u);
    EXPECT_EQ(first_characters("µs", 1), "µ");
    EXPECT_EQ(first_characters("µs", 0), "");
    EXPECT_EQ(first_characters("µs", 9), "µs");
}

TEST(Text, WrapsBetweenWords) {
    EXPECT_THAT(wrap_words("the quick brown fox", 9), ElementsAre("the quick", "brown fox"));
    EXPECT_THAT(wrap_words("µµµ µµ", 6), ElementsAre("µµµ µµ"));
    EXPECT_THAT(wrap_words("unbreakable as", 4), ElementsAre("unbreakable", "as"));
    EXPECT_THAT(wrap_words("", 4), ElementsAre(""));
}

TEST(Printable, KeepsValidUtf8) {
    EXPECT_EQ(printable("é µ – 𝛼"), "é µ – 𝛼");
}

TEST(Printable, ReplacesControlCharactersAndInvalidUtf8) {
    EXPECT_EQ(printable(std::string_view("a\0b\n\x7F", 5)), "a?b??");
    EXPECT_EQ(printable("caf\xE9"), "caf?");           // Latin-1
    EXPECT_EQ(printable("\xC0\xAF"), "??");            // overlong
    EXPECT_EQ(printable("\xE0\x80\xAF"), "???");       // overlong
    EXPECT_EQ(printable("\xED\xA0\x80"), "???");       // a surrogate
    EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????");  // above U+10FFFF
    EXPECT_EQ(printable("\xF0\x9D\x9B"), "???");       // cut short
    EXPECT_EQ(printable("\xF4\x8F\xBF\xBF"), "\xF4\x8F\xBF\xBF");
}

TEST(Printable, ReplacesBidirectionalControls) {
    EXPECT_EQ(printable("a\u202Eb\u2066c\u200Fd\u061Ce\u2028f\u0085g"), "a?b?c?d?e?f?g");
}

TEST(EscapeControls, EscapesTerminalControls) {
    EXPECT_EQ(escape_controls("two\nlines\tand µ – 𝛼 \u200B"), "two\nlines\tand µ – 𝛼 \u200B");
    EXPECT_EQ(escape_controls("a,b\r\n\r"), "a,b\r\n\\u000d");
    EXPECT_EQ(escape_controls("\x1B[2J\r\b\x7F"), "\\u001b[2J\\u000d\\u0008\\u007f");
    EXPECT_EQ(escape_controls("\u009B31m"), "\\u009b31m");  // CSI as one character
    EXPECT_EQ(escape_controls(std::string_view("\0", 1)), "\\u0000");
    EXPECT_EQ(escape_controls("\x9B"
                              "31m"),
              "\\x9b31m");  // the same in Latin-1
    for (const unsigned code :
         {0x202AU, 0x202BU, 0x202CU, 0x202DU, 0x202EU, 0x2066U, 0x2067U, 0x2068U, 0x2069U}) {
        const std::string utf8 = {static_cast<char>(0xE0 | (code >> 12)),
                                  static_cast<char>(0x80 | (code >> 6 & 0x3F)),
                                  static_cast<char>(0x80 | (code & 0x3F))};
        EXPECT_TRUE(has_controls(utf8));
        EXPECT_EQ(escape_controls("a" + utf8), fmt::format("a\\u{:04x}", code));
    }
    EXPECT_FALSE(has_controls("two\nlines\tand µ – … 𝛼 \u0627"));
    EXPECT_TRUE(has_controls("\u009B"));
    EXPECT_TRUE(has_controls("\x1B"));
    EXPECT_FALSE(has_controls("cut short \xE2\x80"));
}

TEST(QuotedText, CutsBetweenCharacters) {
    EXPECT_EQ(quote_text("abc"), "\"abc\"");
    std::string many;
    for (int i = 0; i < 100; ++i)
        many += "é";
    const std::string text = quote_text(many);
    EXPECT_LT(text.size(), 70u);
    EXPECT_TRUE(text.ends_with("é…\"")) << text;
}

TEST(QuotedPath, IsNotShortened) {
    const std::string name(200, 'x');
    EXPECT_EQ(quote_path("/tmp/" + name), "\"/tmp/" + name + "\"");
}

TEST(EditDistance, CountsATranspositionOnce) {
    EXPECT_EQ(edit_distance("titel", "title"), 1u);
    EXPECT_EQ(edit_distance("titel", "tile"), 2u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("ca", "abc"), 3u) << "no edit within a swap";
}

}  // namespace gridstride::text_test
