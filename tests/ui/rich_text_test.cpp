#include "ui/text/rich_text.h"

#include <imgui.h>

#include "test_includes.h"
#include "ui/text/glsl_colours.h"
#include "ui/ui_frame.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui::rich_text_test {

using ColoredText = std::pair<std::string, GlslKind>;

/// Returns the pieces that are not plain, and checks that all pieces together cover the code.
std::vector<ColoredText> find_colored(std::string_view code) {
    std::vector<ColoredText> colored;
    std::size_t at = 0;
    for (const GlslPiece& piece : tokenise_glsl(code)) {
        EXPECT_EQ(piece.offset, at);
        at += piece.length;
        const std::string text(code.substr(piece.offset, piece.length));
        if (piece.kind != GlslKind::plain) {
            EXPECT_EQ(text.find('\n'), std::string::npos);
            colored.emplace_back(text, piece.kind);
        }
    }
    EXPECT_EQ(at, code.size());
    return colored;
}

TEST(GlslColours, ClassifiesWords) {
    EXPECT_THAT(find_colored("for (uint half = size / 2; half > 0; half /= 2) {"),
                ElementsAre(ColoredText("for", GlslKind::keyword), ColoredText("uint", GlslKind::type),
                            ColoredText("2", GlslKind::number), ColoredText("0", GlslKind::number),
                            ColoredText("2", GlslKind::number)));
    EXPECT_THAT(find_colored("  barrier(); forward x2"),
                ElementsAre(ColoredText("barrier", GlslKind::function)));
}

TEST(GlslColours, RecognizesTypes) {
    for (const char* type : {"vec4", "uvec2", "mat4x3", "f16vec2", "image2D", "uint64_t", "void", "u8vec4",
                             "dmat2", "sampler2DArray"})
        EXPECT_THAT(find_colored(type), ElementsAre(ColoredText(type, GlslKind::type)));
    for (const char* other : {"vec", "vector3", "vec44", "mat4x", "sum2", "image", "uinteger"})
        EXPECT_TRUE(find_colored(other).empty()) << other;
}

TEST(GlslColours, RecognizesCommentsAndPreprocessor) {
    EXPECT_THAT(
        find_colored("#define N \\\n 4 // four\n/* a\n# b */ #if 1\nx # y"),
        ElementsAre(ColoredText("#define N \\", GlslKind::preprocessor),
                    ColoredText(" 4 ", GlslKind::preprocessor), ColoredText("// four", GlslKind::comment),
                    ColoredText("/* a", GlslKind::comment), ColoredText("# b */", GlslKind::comment),
                    ColoredText("#if 1", GlslKind::preprocessor)));
    EXPECT_THAT(find_colored("/* never closed\n int"),
                ElementsAre(ColoredText("/* never closed", GlslKind::comment),
                            ColoredText(" int", GlslKind::comment)));
}

TEST(GlslColours, RecognizesNumbers) {
    for (const char* number : {"0x1Fu", "1.0", ".5f", "1e-3", "2.5E+10lf", "42u"})
        EXPECT_THAT(find_colored(number), ElementsAre(ColoredText(number, GlslKind::number)));
    EXPECT_THAT(find_colored("a-1"), ElementsAre(ColoredText("1", GlslKind::number)));
}

TEST(GlslColours, AcceptsAnyText) {
    for (const char* code : {"", "\n", "#", "/", "/*", "\\", ".", "\"", "\xC3\xA9\xF0", "0x", "1e", "\r\n\t"})
        find_colored(code);
}

class RichText : public testing::Test {
 protected:
    RichText() {
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = ImVec2(800, 600);
        io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    }

    /// Returns the height that was drawn.
    static float frame(float width, const std::function<void()>& draw) {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        begin_widgets();
        ImGui::SetNextWindowPos(ImVec2(0, 0));
        ImGui::SetNextWindowSize(ImVec2(width, 600));
        ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
        ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration);
        const float before = ImGui::GetCursorPosY();
        draw();
        const float after = ImGui::GetCursorPosY();
        ImGui::End();
        ImGui::PopStyleVar(2);
        ImGui::Render();
        return after - before;
    }

    UiFrames ui_{Mode::light};
};

std::string remove_spaces(std::string text) {
    std::erase(text, ' ');
    return text;
}

TEST_F(RichText, WrapsWithinTheWidthAndLosesNothing) {
    const Spans spans = {{"In "},
                         {"tree_interleaved", false, false, true},
                         {" the ones that "},
                         {"go on", true},
                         {" are "},
                         {"spread", false, true},
                         {" over: "},
                         {"a += b[lane + half]", false, false, true},
                         {", été, an_identifier_of_great_length_indeed."}};
    std::string all;
    for (const Span& span : spans)
        all += span.text;
    frame(400, [&] {
        for (const float width : {1000.0f, 300.0f, 120.0f, 40.0f, 12.0f, 1.0f}) {
            const TextLayout& layout = get_layout(spans, TextStyle::body, width);
            std::string join;
            int line = 0;
            for (const TextRun& run : layout.runs) {
                join += run.text;
                EXPECT_GE(run.line, line);
                line = run.line;
                if (width >= 40) {
                    EXPECT_LE(run.x + run.width, width + 1) << run.text;
                }
            }
            EXPECT_EQ(remove_spaces(join), remove_spaces(all)) << width;
            EXPECT_EQ(layout.lines, line + 1);
            if (width == 1000) {
                EXPECT_EQ(layout.lines, 1);
            }
        }
    });
}

TEST_F(RichText, BreaksOnlyAtOrdinarySpaces) {
    frame(400, [] {
        const TextLayout glued =
            get_layout({{"aaa"}, {"bbb", true}, {"ccc", false, false, true}, {","}}, TextStyle::body, 1000);
        EXPECT_GT(glued.max_width, glued.width - 1);
        const TextLayout unit = get_layout({{"21.4\u00a0µs"}}, TextStyle::body, 30);
        EXPECT_GT(unit.max_width, get_layout({{"21.4 words"}}, TextStyle::body, 30).max_width);
        EXPECT_EQ(unit.max_width, get_layout({{"21.4 µs"}}, TextStyle::body, 30).max_width)
            << "a number and its unit stay together";
        EXPECT_EQ(get_layout({}, TextStyle::body, 100).lines, 0);
    });
}

TEST_F(RichText, CachesALayoutPerWidth) {
    const Spans spans = {{"Some words that are laid out once and drawn many times."}};
    const auto draw_at_width = [&](float width) {
        const TextRun* runs = nullptr;
        frame(width, [&] {
            draw_spans(spans);
            runs = get_layout(spans, TextStyle::body, ImGui::GetContentRegionAvail().x).runs.data();
        });
        return runs;
    };
    const TextRun* const first_layout = draw_at_width(300);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(draw_at_width(300), first_layout);
    EXPECT_NE(draw_at_width(200), first_layout);
    EXPECT_EQ(draw_at_width(300), first_layout);
}

TEST_F(RichText, NarrowerTextIsTaller) {
    const Spans spans = {{"Each workgroup loads 128 numbers into its own memory."}};
    ListBlock list{1, {spans, spans}};
    TableBlock table{{{{"variant"}}, {{"adds"}}}, {{spans, {{"1 024"}}}, {{{"x"}}}}};
    const std::string code = "void main() { sums[lane] += sums[lane + half]; barrier(); }\n";
    for (const auto& draw : std::vector<std::function<void()>>{
             [&] { draw_spans(spans); }, [&] { draw_list(list); }, [&] { draw_table(table); },
             [&] { draw_code("code", "file.comp", code); }}) {
        const float wide = frame(700, draw), narrow = frame(160, draw);
        EXPECT_GT(wide, 10);
        EXPECT_GT(narrow, wide);
        EXPECT_GT(frame(8, draw), 10) << "a width that is too small for any word";
    }
}

TEST_F(RichText, TablesBreakNeitherWordsNorNumbers) {
    const TableBlock table{{{{"variant"}}, {{"what it does"}}, {{"kernel"}}, {{"numbers"}}},
                           {{{{"tree_interleaved_side_by_side", false, false, true}},
                             {{"neighbours add, 1 048 576 of them"}},
                             {{"51.1 µs"}},
                             {{"1 048 576"}}},
                            {{{"x"}}, {{"no more"}}, {{"1.2 ms"}}, {{"7"}}}}};
    bool was_table = false, was_list = false;
    frame(700, [&] {
        for (float width = 40; width < 700; width += 7) {
            const TableLayout plan = lay_out_table(table, width);
            if (plan.widths.empty()) {
                EXPECT_FALSE(was_table) << "once a table fits, it fits at every larger width";
                was_list = true;
                continue;
            }
            was_table = true;
            float all = 3 * theme().px(12);
            for (std::size_t c = 0; c < 4; ++c) {
                all += plan.widths[c];
                for (const std::vector<Spans>& row : table.rows)
                    EXPECT_LE(get_layout(row[c], TextStyle::note, plan.widths[c]).max_width,
                              plan.widths[c] + 0.5f);
                EXPECT_EQ(get_layout(table.rows[0][c], TextStyle::note, 1e6f).lines, 1);
            }
            EXPECT_LE(all, width + 0.5f);
            EXPECT_EQ(get_layout(table.rows[0][2], TextStyle::note, plan.widths[2]).lines, 1) << "51.1 µs";
            EXPECT_EQ(get_layout(table.rows[0][3], TextStyle::note, plan.widths[3]).lines, 1) << "1 048 576";
        }
    });
    EXPECT_TRUE(was_table && was_list);
}

TEST_F(RichText, ColumnsOfNumbersAreAlignedRight) {
    const auto is_right = [](const char* first, const char* second) {
        const TableBlock table{{Spans{{"head"}}}, {{Spans{{first}}}, {Spans{{second}}}}};
        return static_cast<bool>(lay_out_table(table, 400).right[0]);
    };
    frame(400, [&] {
        EXPECT_TRUE(is_right("1 024", "21.4 µs"));
        EXPECT_FALSE(is_right("1 and 2", "1 024 and 2 048")) << "a range in words";
        EXPECT_FALSE(is_right("2 or more", "3"));
    });
}

TEST_F(RichText, TableThatDoesNotFitBecomesAList) {
    const TableBlock table{{{{"variant"}}, {{"kernel"}}},
                           {{{{"tree_interleaved_side_by_side"}}, {{"51.1 µs"}}}}};
    record_drawn_texts(true);
    frame(230, [&] { draw_table(table); });
    std::vector<std::string> lines;
    for (const DrawnText& text : drawn_texts())
        lines.push_back(text.text);
    record_drawn_texts(false);
    EXPECT_THAT(lines, ElementsAre("tree_interleaved_side_by_side", "kernel: 51.1\u00a0µs"));
}

TEST_F(RichText, DoesNotBreakNumbers) {
    frame(400, [] {
        for (const char* text : {"1 048 576", "21.4 µs", "11.3 %", "63.8 GB/s", "(5 ms)", "0.2 s."})
            EXPECT_GT(get_layout({{text}}, TextStyle::body, 60).max_width,
                      text_size(TextStyle::body, text).x - 1)
                << text;
        const TextLayout sum = get_layout({{"of 1 048 576 numbers"}}, TextStyle::body, 60);
        EXPECT_GT(sum.max_width, text_size(TextStyle::body, "1 048 576").x - 1);
        // Two adjacent numbers may be separated.
        EXPECT_LT(get_layout({{"12 34"}}, TextStyle::body, 60).max_width,
                  text_size(TextStyle::body, "12 34").x - 1);
    });
}

TEST_F(RichText, CodeIsInTheWidgetMap) {
    frame(300, [] { draw_code("story.code.0", "tree.comp", "\tint a;\r\n\n\n"); });
    ASSERT_EQ(widget_map().size(), 1U);
    EXPECT_EQ(widget_map()[0].id, "story.code.0");
    EXPECT_EQ(widget_map()[0].kind, "code");
    EXPECT_EQ(widget_map()[0].value, "tree.comp");
}

TEST_F(RichText, DrawsEmptyBlocks) {
    frame(300, [] {
        draw_spans({});
        draw_spans({{""}});
        draw_list({});
        draw_list({false, {{}}});
        draw_table({});
        draw_table({{}, {{}, {{}}}});
        draw_code("c", "", "");
    });
}

}  // namespace gridstride::ui::rich_text_test
