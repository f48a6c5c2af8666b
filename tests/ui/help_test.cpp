// The manual in the window: every page exists, and links and keys navigate between the pages.
#include "ui/help/help.h"
#include "base/text.h"
#include "story/story.h"
#include "test_includes.h"
#include "ui/desktop/actions.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::help_test {

class HelpTest : public DrawnTest {
 protected:
    HelpTest() {
        body_ = [this] { is_open_ = draw_help(help_, screen) && is_open_; };
    }
    HelpView help_;
    bool is_open_ = true;
};

TEST(ManualPages, MatchTheShippedFiles) {
    std::set<std::string> page_names, file_names;
    for (const ManualPage& page : manual_pages())
        page_names.insert(page.name);
    for (const auto& entry : std::filesystem::directory_iterator(data_directory() / "manual"))
        file_names.insert(entry.path().stem());
    EXPECT_EQ(page_names, file_names);
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(GRIDSTRIDE_SOURCE_DIR) / "assets/manual"))
        EXPECT_EQ(file_names.count(entry.path().stem()), 1u) << entry.path();
}

TEST(ManualPages, ListTheKeysOfTheWindow) {
    const gridstride::Page page =
        parse_page(read_file(data_directory() / "manual/command_line.md", 1 << 20), "");
    std::set<std::string> documented_keys, action_keys;
    for (const Block& block : page.blocks) {
        const auto* const table = std::get_if<TableBlock>(&block);
        if (!table || table->header.front().front().text != "Key") continue;
        for (const std::vector<Spans>& row : table->rows)
            for (const Span& span : row.front())
                if (span.code) documented_keys.insert(span.text);
    }
    for (const Action& action : all_actions())
        for (const std::string_view key : split(action.keys, ','))
            if (!trim(key).empty()) action_keys.insert(std::string(trim(key)));
    EXPECT_EQ(documented_keys, action_keys);
}

TEST_F(HelpTest, DrawsEveryPage) {
    for (const ManualPage& page : manual_pages()) {
        click(std::string("help.page.") + page.name);
        frames();
        EXPECT_EQ(help_.name, page.name);
        EXPECT_EQ(help_.problem, "");
        ASSERT_TRUE(help_.page.has_value());
        EXPECT_GT(help_.page->blocks.size(), 2u) << page.name;
    }
    EXPECT_TRUE(is_open_);
}

TEST_F(HelpTest, ALinkOpensItsPage) {
    help_.name = "measuring";
    frames();
    EXPECT_EQ(widget_value("help.link.1"), "Concepts");
    focus("help.link.1");
    press(Key::enter);
    frames();
    EXPECT_EQ(help_.name, "concepts");
    EXPECT_EQ(help_.heading, "") << "the heading of concepts.md#bound was found";
}

TEST_F(HelpTest, MissingPageShowsAnError) {
    help_.name = "no_such_page";
    frames();
    EXPECT_THAT(widget_value("help.problem"), HasSubstr("no_such_page.md"));
    click("help.page.peers");
    frames();
    EXPECT_EQ(help_.problem, "");
}

TEST_F(HelpTest, EscapeAndCloseCloseIt) {
    frames();
    press(Key::escape);
    EXPECT_FALSE(is_open_);
    is_open_ = true;
    click("help.close");
    EXPECT_FALSE(is_open_);
}

}  // namespace gridstride::ui::help_test
