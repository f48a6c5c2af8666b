#include "ui/text/code_text.h"

#include "test_includes.h"

namespace gridstride::ui::code_text_test {

TEST(CodeText, FindsLinesAndOffsets) {
    const CodeText text("ab\n\ncé");
    ASSERT_EQ(text.line_count(), 3U);
    EXPECT_EQ(text.line(0), "ab");
    EXPECT_EQ(text.line(1), "");
    EXPECT_EQ(text.line(2), "cé");
    EXPECT_EQ(text.line_of(0), 0U);
    EXPECT_EQ(text.line_of(2), 0U) << "the line break belongs to its line";
    EXPECT_EQ(text.line_of(3), 1U);
    EXPECT_EQ(text.line_of(text.text().size()), 2U);
    EXPECT_EQ(text.column_of(text.text().size()), 2U) << "é is two bytes and one column";
    EXPECT_EQ(text.offset_at(2, 2), text.text().size());
    EXPECT_EQ(text.offset_at(0, 99), 2U);
    EXPECT_EQ(CodeText("").line_count(), 1U);
}

TEST(CodeText, OffsetsAndColumnsAgreeEverywhere) {
    const CodeText text("\tint a; // ≥ 2\n    x\ty\n\n}");
    for (std::size_t offset = 0; offset <= text.text().size(); ++offset) {
        if ((static_cast<unsigned char>(text.text()[offset]) & 0xC0U) == 0x80U) continue;
        EXPECT_EQ(text.offset_at(text.line_of(offset), text.column_of(offset)), offset);
    }
}

TEST(CodeText, TabsAlignToMultiplesOfFour) {
    const CodeText text("a\tb");
    EXPECT_EQ(text.column_of(2), 4U);
    EXPECT_EQ(text.offset_at(0, 2), 1U) << "nearer to the start of the tab";
    EXPECT_EQ(text.offset_at(0, 3), 2U) << "nearer to the end of the tab";
}

struct Edit {
    const char* name;
    std::string before;
    std::size_t caret;
    std::function<void(CodeText&)> edit;
    std::string after;
};
constexpr std::size_t end_of_text = std::string::npos;

TEST(CodeText, EditingKeysChangeTheText) {
    const auto enter = [](CodeText& text) { text.new_line(); };
    const auto brace = [](CodeText& text) { text.insert_closing_brace(); };
    const auto tab = [](CodeText& text) { text.indent(); };
    const auto back = [](CodeText& text) { text.erase_before(false); };
    for (const Edit& row :
         {Edit{"Enter keeps the indentation", "    int a;", end_of_text, enter, "    int a;\n    "},
          {"Enter behind a brace indents", "    if (a) {", end_of_text, enter, "    if (a) {\n        "},
          {"a brace directly after it closes the block", "    if (a) {\n        ", end_of_text, brace,
           "    if (a) {\n    }"},
          {"Enter copies only the indentation before the caret", "        ab", 4, enter, "    \n        ab"},
          {"a brace closes its own block", "void main() {\n    for (;;) {\n    }\n    ", end_of_text, brace,
           "void main() {\n    for (;;) {\n    }\n}"},
          {"Tab inserts spaces", "ab", 1, tab, "a   b"},
          {"Backspace erases one level of indentation", "        a", 8, back, "    a"},
          {"Backspace erases a letter", "    a", 5, back, "    "},
          {"Backspace erases all bytes of a letter", "é", 2, back, ""}}) {
        SCOPED_TRACE(row.name);
        CodeText text(row.before);
        text.set_caret(std::min(row.caret, row.before.size()), false);
        row.edit(text);
        EXPECT_EQ(text.text(), row.after);
    }
}

TEST(CodeText, TabIndentsSelectedLines) {
    CodeText lines("a\n\nb\nc");
    lines.set_caret(0, false);
    lines.set_caret(4, true);
    lines.indent();
    EXPECT_EQ(lines.text(), "    a\n\n    b\nc");
    lines.unindent();
    EXPECT_EQ(lines.text(), "a\n\nb\nc");
    EXPECT_TRUE(lines.undo());
    EXPECT_EQ(lines.text(), "    a\n\n    b\nc");
}

TEST(CodeText, ArrowsKeepTheirColumnAndSelect) {
    CodeText text("long line\na\nlong line");
    text.set_caret(6, false);
    text.move(Motion::down, false);
    EXPECT_EQ(text.caret(), 11U);
    text.move(Motion::down, false);
    EXPECT_EQ(text.column_of(text.caret()), 6U);
    text.move(Motion::word_left, true);
    EXPECT_EQ(text.selected(), "l");
    text.move(Motion::right, false);
    EXPECT_FALSE(text.has_selection());
    text.select_all();
    EXPECT_EQ(text.selected(), text.text());
}

TEST(CodeText, HomeGoesToTheCodeThenToTheStart) {
    CodeText text("    a");
    text.set_caret(5, false);
    for (const std::size_t caret : {4U, 0U, 4U}) {
        text.move(Motion::line_start, false);
        EXPECT_EQ(text.caret(), caret);
    }
}

TEST(CodeText, UndoRevertsATypedWordAtOnce) {
    CodeText text("x");
    text.set_caret(1, false);
    for (const char* letter : {"a", "b", "é"})
        text.insert(letter);
    text.set_caret(0, false);
    text.insert("c");
    EXPECT_EQ(text.text(), "cxabé");
    EXPECT_TRUE(text.undo());
    EXPECT_EQ(text.text(), "xabé");
    EXPECT_TRUE(text.undo());
    EXPECT_EQ(text.text(), "x");
    EXPECT_FALSE(text.undo());
    EXPECT_TRUE(text.redo());
    EXPECT_TRUE(text.redo());
    EXPECT_EQ(text.text(), "cxabé");
    EXPECT_FALSE(text.redo());
}

TEST(CodeText, UndoAndRedoRestoreTheDocument) {
    CodeText text("one");
    const std::uint64_t first = text.document();
    text.insert("typed ");
    EXPECT_EQ(text.document(), first);
    text.replace_all("two");
    const std::uint64_t second = text.document();
    EXPECT_NE(second, first);
    text.insert("typed ");
    EXPECT_TRUE(text.undo());
    EXPECT_EQ(text.document(), second);
    EXPECT_TRUE(text.undo());
    EXPECT_EQ(text.document(), first);
    EXPECT_TRUE(text.redo());
    EXPECT_EQ(text.document(), second);
    EXPECT_TRUE(text.undo());
    text.replace_all("three");
    EXPECT_NE(text.document(), first);
    EXPECT_NE(text.document(), second) << "that document is gone";
}

TEST(CodeText, UndoRestoresAReplacedText) {
    CodeText text("one\ntwo");
    text.set_caret(5, false);
    text.replace_all("1\r\n2\r\n3");
    EXPECT_EQ(text.text(), "1\n2\n3");
    EXPECT_EQ(text.line_of(text.caret()), 1U);
    EXPECT_TRUE(text.undo());
    EXPECT_EQ(text.text(), "one\ntwo");
}

TEST(CodeText, TypingReplacesTheSelection) {
    CodeText text("abc");
    text.set_caret(0, false);
    text.set_caret(2, true);
    text.insert("x\ny");
    EXPECT_EQ(text.text(), "x\nyc");
    EXPECT_EQ(text.caret(), 3U);
}

TEST(CodeText, RejectsTextBeyondItsLimit) {
    CodeText text(std::string(CodeText::max_bytes, 'a'));
    text.insert("b");
    EXPECT_EQ(text.text().size(), CodeText::max_bytes);
}

/// The reference: counts each character from the start of the line.
std::size_t count_columns(const CodeText& text, std::size_t offset) {
    std::size_t column = 0;
    for (std::size_t at = text.line_start(text.line_of(offset)); at < offset; ++at) {
        if ((static_cast<unsigned char>(text.text()[at]) & 0xC0U) == 0x80U) continue;
        column = text.text()[at] == '\t' ? column / 4 * 4 + 4 : column + 1;
    }
    return column;
}

TEST(CodeText, ColumnsMatchTheReferenceAfterRandomEdits) {
    std::mt19937 random(7);
    const auto below = [&](std::size_t count) { return random() % count; };
    CodeText text;
    for (int edit = 0; edit < 300; ++edit) {
        std::string inserted_text;
        for (std::size_t i = below(2500); i > 0; --i)
            inserted_text += below(40) == 0 ? "\t" : below(20) == 0 ? "é" : "x";
        if (below(4) == 0) inserted_text.insert(0, "\n");
        if (below(5) == 0) inserted_text += "a\nb\n";
        text.set_caret(below(text.text().size() + 1), false);
        if (edit > 0 && below(3) == 0) text.set_caret(below(text.text().size() + 1), true);
        below(6) == 0 ? static_cast<void>(text.undo()) : text.insert(inserted_text);
        std::size_t widest = 0;
        for (std::size_t line = 0; line < text.line_count(); ++line)
            widest = std::max(widest, count_columns(text, text.line_end(line)));
        ASSERT_EQ(text.columns(), widest) << edit;
        for (int i = 0; i < 3; ++i) {
            std::size_t offset = below(text.text().size() + 1);
            while ((static_cast<unsigned char>(text.text()[offset]) & 0xC0U) == 0x80U)
                --offset;
            ASSERT_EQ(text.column_of(offset), count_columns(text, offset)) << edit;
            ASSERT_EQ(text.offset_at(text.line_of(offset), text.column_of(offset)), offset) << edit;
        }
    }
}

TEST(CodeText, FindsFarColumnsWithoutRecountingTheLine) {
    CodeText text(std::string(4'000'000, 'x'));
    const auto bytes_counted_by = [&](auto query) {
        const std::uint64_t before = text.bytes_counted();
        query();
        return text.bytes_counted() - before;
    };
    EXPECT_LT(bytes_counted_by([&] { EXPECT_EQ(text.column_of(3'999'999), 3'999'999U); }), 5000U);
    EXPECT_LT(bytes_counted_by([&] { EXPECT_EQ(text.offset_at(0, 2'000'001), 2'000'001U); }), 5000U);
    text.set_caret(3'990'000, false);
    EXPECT_LT(bytes_counted_by([&] { text.insert("y"); }), 20'000U)
        << "the count before the edit stays valid";
    EXPECT_EQ(text.columns(), 4'000'001U);
}

}  // namespace gridstride::ui::code_text_test
