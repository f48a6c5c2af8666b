// The manual in the window: every page is there, and links and keys lead from one to the other.
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
        body_ = [this] { stays_ = draw_help(help_, screen) && stays_; };
    }
    HelpView help_;
    bool stays_ = true;
};

TEST(ManualPages, AreThoseThatShip) {
    std::set<std::string> listed, there;
    for (const ManualPage& page : manual_pages())
        listed.insert(page.name);
    for (const auto& entry : std::filesystem::directory_iterator(data_directory() / "manual"))
        there.insert(entry.path().stem());
    EXPECT_EQ(listed, there);
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(GRIDSTRIDE_SOURCE_DIR) / "assets/manual"))
        EXPECT_EQ(there.count(entry.path().stem()), 1u) << entry.path();
}

TEST(ManualPages, NameTheKeysOfTheWindow) {
    const gridstride::Page page =
        parse_page(read_file(data_directory() / "manual/command_line.md", 1 << 20), "");
    std::set<std::string> named, declared;
    for (const Block& block : page.blocks) {
        const auto* const table = std::get_if<TableBlock>(&block);
        if (!table || table->header.front().front().text != "Key") continue;
        for (const std::vector<Spans>& row : table->rows)
            for (const Span& span : row.front())
                if (span.code) named.insert(span.text);
    }
    for (const Action& action : all_actions())
        for (const std::string_view key : split(action.keys, ','))
            if (!trim(key).empty()) declared.insert(std::string(trim(key)));
    EXPECT_EQ(named, declared);
}

TEST_F(HelpTest, EveryPageIsDrawn) {
    for (const ManualPage& page : manual_pages()) {
        click(std::string("help.page.") + page.name);
        frames();
        EXPECT_EQ(help_.name, page.name);
        EXPECT_EQ(help_.problem, "");
        ASSERT_TRUE(help_.page.has_value());
        EXPECT_GT(help_.page->blocks.size(), 2u) << page.name;
    }
    EXPECT_TRUE(stays_);
}

TEST_F(HelpTest, ALinkOpensItsPage) {
    help_.name = "measuring";
    frames();
    EXPECT_EQ(value_of("help.link.1"), "Concepts");
    focus("help.link.1");
    press(Key::enter);
    frames();
    EXPECT_EQ(help_.name, "concepts");
    EXPECT_EQ(help_.heading, "") << "it leads to concepts.md#bound, which is there";
}

TEST_F(HelpTest, AMissingPageSaysSo) {
    help_.name = "no_such_page";
    frames();
    EXPECT_THAT(value_of("help.problem"), HasSubstr("no_such_page.md"));
    click("help.page.peers");
    frames();
    EXPECT_EQ(help_.problem, "");
}

TEST_F(HelpTest, EscapeAndCloseEndIt) {
    frames();
    press(Key::escape);
    EXPECT_FALSE(stays_);
    stays_ = true;
    click("help.close");
    EXPECT_FALSE(stays_);
}

}  // namespace gridstride::ui::help_test
