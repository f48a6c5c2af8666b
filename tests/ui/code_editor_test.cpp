#include "ui/text/code_editor.h"

#include "test_includes.h"
#include "ui/ui_frame.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui::code_editor_test {

class CodeEditorTest : public DrawnTest {
 protected:
    CodeEditorTest() {
        body_ = [this] {
            changed_ = editor_.draw("code", size_, marks_) || changed_;
            if (button("after", "After")) pressed_ = true;
        };
    }
    void focus() {
        click("code");
        frames(2);
    }
    void type(const std::string& text) {
        DrawnTest::type(text);
        frames(2);
    }
    /// Fills the editor with `lines` equal lines.
    void fill(int lines, const char* line) {
        std::string text;
        for (int i = 0; i < lines; ++i)
            text += line;
        editor_.text().replace_all(text);
    }
    std::size_t caret_line() { return editor_.text().line_of(editor_.text().caret()); }

    CodeEditor editor_{"void main() {\n}\n"};
    CodeMarks marks_;
    glm::vec2 size_{380, 300};
    bool changed_ = false, pressed_ = false;
};

TEST_F(CodeEditorTest, TakesTypedTextAfterAClick) {
    type("x");
    EXPECT_FALSE(changed_) << "nothing is typed into an editor without the keyboard";
    focus();
    ASSERT_TRUE(editor_.is_focused());
    press(Key::home, {.ctrl = true});
    type("int a;\n");
    EXPECT_EQ(editor_.text().text(), "int a;\nvoid main() {\n}\n");
    EXPECT_TRUE(changed_);
    press(Key::z, {.ctrl = true});
    press(Key::z, {.ctrl = true});
    EXPECT_EQ(editor_.text().text(), "void main() {\n}\n");
}

TEST_F(CodeEditorTest, UsesItsKeysBeforeShortcuts) {
    frames(2);
    EXPECT_FALSE(is_key_used(Key::right));
    focus();
    for (const Key key :
         {Key::left, Key::right, Key::page_up, Key::page_down, Key::escape, Key::a, Key::enter})
        EXPECT_TRUE(is_key_used(key));
    EXPECT_FALSE(is_key_used(Key::f5));
    press(Key::enter, {.ctrl = true});
    EXPECT_FALSE(changed_) << "Ctrl+Enter runs";
}

TEST_F(CodeEditorTest, TabIndentsUntilEscapeLeavesTheEditor) {
    focus();
    press(Key::home, {.ctrl = true});
    press(Key::tab);
    frames(2);
    EXPECT_EQ(editor_.text().line(0), "    void main() {");
    EXPECT_TRUE(editor_.is_focused());
    press(Key::escape);
    frames(2);
    EXPECT_FALSE(editor_.is_focused());
    EXPECT_FALSE(is_key_used(Key::escape));
    press(Key::tab);
    press(Key::enter);
    frames(2);
    EXPECT_TRUE(pressed_) << "Tab moves on to the next widget";
}

TEST_F(CodeEditorTest, AScriptSetsTheWholeText) {
    frames(2);
    request_value("code", "a\nb");
    frames(1);
    EXPECT_EQ(editor_.text().text(), "a\nb");
    EXPECT_TRUE(changed_);
    EXPECT_EQ(ui_.find("code")->value, "a\nb");
}

TEST_F(CodeEditorTest, GoesToALine) {
    fill(500, "    line\n");
    frames(2);
    editor_.go_to_line(400);
    frames(3);
    EXPECT_TRUE(editor_.is_focused());
    EXPECT_EQ(caret_line(), 400U);
    type("x");
    EXPECT_EQ(editor_.text().line(400), "    xline");
}

TEST_F(CodeEditorTest, CaretStaysInViewWhenTheEditorShrinks) {
    fill(40, "line\n");
    editor_.go_to_line(12);
    frames(3);
    marks_ = {{12, DiagnosticLevel::error}};
    const auto is_in_view = [&] {
        // A mark is in the widget map only while its line is visible.
        frames(3);
        const WidgetRect* const mark = ui_.find("code.mark.13");
        return mark && mark->max.y <= ui_.find("code")->max.y;
    };
    ASSERT_TRUE(is_in_view());
    size_.y = 120;
    EXPECT_TRUE(is_in_view());
}

TEST_F(CodeEditorTest, HidesMarkerLines) {
    CodeText text("first\n// [build u32] ELEMENT=uint\n    // [tree]\nsecond\n    // [/tree]\n// [0, 1]\n");
    VisibleLines visible(text);
    ASSERT_EQ(visible.rows(), 4u) << "first, second, an author's own comment and the empty last line";
    EXPECT_EQ(visible.line_of(1), 3u);
    EXPECT_EQ(visible.row_of(3), 1u);
    EXPECT_TRUE(visible.hides_before(1));
    EXPECT_TRUE(visible.hides_before(2));
    EXPECT_FALSE(visible.hides_before(3));
    text.set_caret(text.line_start(2), false);
    visible.update(text);
    EXPECT_EQ(visible.rows(), 5u) << "the caret's line is visible";
    EXPECT_EQ(visible.row_of(2), 1u);
    text.set_caret(0, false);
    text.insert("x\n// [more]\n");
    text.set_caret(0, false);
    visible.update(text);
    EXPECT_EQ(visible.line_of(1), 2u);
}

TEST_F(CodeEditorTest, CaretSkipsHiddenLines) {
    editor_.text().replace_all("first\n// [tree]\n// [more]\nsecond\n// [/tree]\nthird");
    editor_.go_to_line(0);
    frames(2);
    for (const auto& [key, line] :
         {std::pair{Key::down, 3U}, {Key::left, 0U}, {Key::right, 3U}, {Key::page_down, 5U}, {Key::up, 3U}}) {
        press(key);
        EXPECT_EQ(caret_line(), line);
        EXPECT_TRUE(key != Key::left || editor_.text().caret() == 5U)
            << "after the last character of the line";
    }
    // The click is on the second row, which shows the second visible line.
    const WidgetRect* const code = ui_.find("code");
    editor_.text().set_caret(0, false);
    const float row = ui_.theme().line_height(TextStyle::mono);
    click_at({code->min.x + 120, code->min.y + 8 + 1.5F * row});
    EXPECT_EQ(caret_line(), 3u);
}

TEST_F(CodeEditorTest, MarkerLineStaysVisibleWhileTyping) {
    editor_.text().replace_all("first\n");
    editor_.go_to_line(1);
    frames(2);
    type("// [tree]");
    EXPECT_EQ(editor_.text().line(1), "// [tree]");
    press(Key::left);
    type("s");
    EXPECT_EQ(editor_.text().line(1), "// [trees]") << "the caret stays in the line";
}

TEST_F(CodeEditorTest, TypingTakesAtMostLinearTime) {
    marks_ = {{3, DiagnosticLevel::error}};
    focus();
    // The processor time does not depend on other programs.
    const auto time_to_type = [&](int lines) {
        fill(lines,
             "    values[lane] = start + lane < launch.count ? numbers[start + lane] : uint(0);  // ≥ 0\n");
        DrawnTest::type("x");
        const std::clock_t begin = std::clock();
        for (int i = 0; i < 30; ++i)
            DrawnTest::type("x");
        return static_cast<double>(std::clock() - begin);
    };
    constexpr int short_text = 100, times_as_long = 32;
    const double ratio = time_to_type(times_as_long * short_text) / time_to_type(short_text);
    // Quadratic time would take 1,024 times as long.
    EXPECT_LT(ratio, 4.0 * times_as_long);
}

TEST_F(CodeEditorTest, LaysOutOnlyTheVisiblePartOfALongLine) {
    std::string line;
    while (line.size() < CodeText::max_bytes - 100)
        line += "a+";
    editor_ = CodeEditor(line);
    focus();
    const auto columns = static_cast<std::size_t>(380 / char_advance(*theme().font(TextStyle::mono), '0'));
    for (const Key key : {Key::home, Key::end}) {
        press(key, {.ctrl = true});
        frames(2);
        const std::size_t at = editor_.text().caret();
        EXPECT_EQ(at, key == Key::home ? 0U : line.size());
        EXPECT_GT(editor_.bytes_laid_out(), 0U);
        EXPECT_LT(editor_.bytes_laid_out(), columns + 10);
        const std::uint64_t counted_before = editor_.text().bytes_counted();
        frames(1);
        EXPECT_LT(editor_.text().bytes_counted() - counted_before, 20'000U) << "in a frame without an edit";
    }
    type("b");
    EXPECT_EQ(editor_.text().text().size(), line.size() + 1);
    EXPECT_LT(editor_.bytes_laid_out(), columns + 10);
}

TEST_F(CodeEditorTest, LaysOutTheVisiblePartAfterScrolling) {
    // The first line has tabs, wide characters and a long run; the second has many tokens.
    editor_ = CodeEditor("\tint a = 1;  // é≥é\t" + std::string(200, 'x') + "\nint b = a*b*c+4;");
    focus();
    frames(2);
    const std::size_t whole = editor_.bytes_laid_out();
    press(Key::end);
    press(Key::up);
    press(Key::end);
    frames(2);
    EXPECT_GT(editor_.bytes_laid_out(), 20U);
    EXPECT_LT(editor_.bytes_laid_out(), whole + 40);
}

}  // namespace gridstride::ui::code_editor_test
