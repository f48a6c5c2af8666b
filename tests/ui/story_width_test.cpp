// The code and the tables of every shipped story fit in the story panel of a small laptop: no line of code
// wraps, and no table becomes a list.
#include "test_includes.h"
#include "ui/learn_frames.h"
#include "ui/text/rich_text.h"

namespace gridstride::ui::story_width_test {

class StoryWidth : public LearnFrames {
 protected:
    /// The width of a box of code in the story panel, in pixels.
    float code_width() {
        for (std::size_t step = 0; step < session_.story().steps.size(); ++step) {
            session_.go_to_step(step);
            frames();
            for (const WidgetRect& widget : widget_map())
                if (widget.kind == "code" && widget.id.starts_with("story."))
                    return widget.max.x - widget.min.x;
        }
        throw std::runtime_error("no step shows code");
    }
};

TEST_F(StoryWidth, NoCodeWrapsAndNoTableBecomesAList) {
    resize_window({1366, 768});
    const float width = code_width();
    const std::size_t columns = code_columns(width);
    std::vector<std::string> problems;
    std::size_t lines = 0, tables = 0;
    for (const Lesson* lesson : all_lessons())
        for (const StoryFile& file : story_files(*lesson)) {
            const Story story = read_story_file(file.path);
            for (const StoryStep& step : story.steps)
                for (const Block& block : step.blocks) {
                    const std::string place = fmt::format("{}, step \"{}\": ", story.file, step.title);
                    std::string code;
                    if (const auto* kernel = std::get_if<KernelBlock>(&block))
                        code = kernel_excerpt(*lesson, story, step, *kernel);
                    if (const auto* text = std::get_if<CodeBlock>(&block)) code = text->text;
                    for (const std::string_view line : split(code, '\n')) {
                        ++lines;
                        if (const std::size_t needed = characters(line); needed > columns)
                            problems.push_back(
                                fmt::format("{}{} > {} columns: {}", place, needed, columns, line));
                    }
                    const auto* table = std::get_if<TableBlock>(&block);
                    tables += table ? 1 : 0;
                    if (table && lay_out_table(*table, width).widths.empty())
                        problems.push_back(
                            fmt::format("{}a table of {} columns is too wide", place, table->header.size()));
                }
        }
    EXPECT_GT(lines, 1500U);
    EXPECT_GT(tables, 20U);
    EXPECT_THAT(problems, IsEmpty()) << join(problems, "\n");
}

}  // namespace gridstride::ui::story_width_test
