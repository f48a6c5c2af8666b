// The manual in the window: every page is there, and links and keys lead from one to the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "story/story.h"
#include "ui/desktop/actions.h"
#include "ui/help/help.h"
#include "ui/ui_frame.h"

namespace gridstride::ui {
namespace {

class HelpTest : public testing::Test {
 protected:
    void frames(int count = 3) {
        for (int i = 0; i < count; ++i)
            frames_.frame(body_);
    }

    HelpView help_;
    bool stays_ = true;
    UiFrames frames_;
    std::function<void()> body_ = [this] { stays_ = draw_help(help_, screen) && stays_; };
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
            if (!trimmed(key).empty()) declared.insert(std::string(trimmed(key)));
    EXPECT_EQ(named, declared);
}

TEST_F(HelpTest, EveryPageIsDrawn) {
    for (const ManualPage& page : manual_pages()) {
        frames_.click(std::string("help.page.") + page.name, body_);
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
    const WidgetRect* link = UiFrames::find("help.link.1");
    ASSERT_NE(link, nullptr);
    EXPECT_EQ(link->value, "Concepts");
    // The keyboard reaches it; Enter opens it.
    focus_widget("help.link.1");
    frames();
    frames_.press(Key::enter, body_);
    frames();
    EXPECT_EQ(help_.name, "concepts");
    EXPECT_EQ(help_.heading, "") << "it leads to concepts.md#bound, which is there";
}

TEST_F(HelpTest, AMissingPageSaysSo) {
    help_.name = "no_such_page";
    frames();
    const WidgetRect* problem = UiFrames::find("help.problem");
    ASSERT_NE(problem, nullptr);
    EXPECT_THAT(problem->value, testing::HasSubstr("no_such_page.md"));
    frames_.click("help.page.peers", body_);
    frames();
    EXPECT_EQ(help_.problem, "");
}

TEST_F(HelpTest, EscapeAndCloseEndIt) {
    frames();
    frames_.press(Key::escape, body_);
    EXPECT_FALSE(stays_);
    stays_ = true;
    frames_.click("help.close", body_);
    EXPECT_FALSE(stays_);
}

}  // namespace
}  // namespace gridstride::ui
