// Plots that a step shows below each other, and the highlights that they share.
#include "figures/figures.h"
#include "test_includes.h"
#include "ui/learn_frames.h"
#include "ui/panels/panels.h"

namespace gridstride::ui::stacked_pictures_test {

void add_three_plots(Figures& add, const PreparedExperiment&) {
    const Graph graph{{{.label = "a", .kind = Graph::Kind::input},
                       {.label = "t1 = exp a", .sources = {0}, .group = 0, .highlight_ids = {"t1"}},
                       {.label = "t2 = t1 + 1", .sources = {1}, .group = 0, .highlight_ids = {"t2"}}},
                      {"one kernel when fused"}};
    Figure memory{.x = {.categories = {"exp", "add"}}, .y = {.categories = {"place 0", "place 1"}}};
    memory.boxes = {{0, 0, 0, 0, "t1", 0, "", {"t1"}}, {1, 1, 1, 1, "t2", 0, "", {"t2"}}};
    const Timeline commands{{{"submit 1", {{"exp", ColorRole::kernel, 0, 1000, false, {"t1", "t2"}}}, 1000}}};
    add.plot(Plot{.id = "graph", .title = "The graph", .content = graph, .note = "What is made from what."});
    add.plot(Plot{.id = "memory", .title = "Memory", .content = memory, .note = "A box is a tensor."});
    add.plot(Plot{.id = "commands", .title = "Commands", .content = commands, .note = "To scale."});
}

class StackedPictures : public LearnFrames {
 protected:
    StackedPictures() : lesson_(*find_lesson("reduction")) { lesson_.task.pictures = &add_three_plots; }

    void show(const std::string& text, glm::vec2 size) {
        resize_window(size);
        open(entry_);
        set_story("## One\n\n" + text);
        if (!session_.has_open_question()) answer({{"partial_sums", 8}});
        workspace_.refresh_plots();
        frames();
    }
    std::vector<std::string> shown_plots() const {
        std::vector<std::string> all;
        for (const char* id : {"graph", "memory", "commands"})
            if (find(std::string("result.") + id)) all.emplace_back(id);
        return all;
    }

    Lesson lesson_;
    CourseEntry entry_{.lesson = &lesson_, .id = lesson_.id};
};

TEST_F(StackedPictures, BlockShowsAsManyPlotsAsFit) {
    const std::string together = "```plot graph, memory, commands\n```\n";
    show(together, {1600, 1000});
    EXPECT_THAT(shown_plots(), ElementsAre("graph", "memory", "commands"));
    EXPECT_LT(widget_rect("result.graph").max.y, widget_rect("result.memory").min.y);
    EXPECT_LT(widget_rect("result.memory").max.y, widget_rect("result.commands").min.y);
    EXPECT_THAT(window_text(), HasSubstr("A box is a tensor."));
    const float has_room = widget_rect("result.memory").size().y;
    show(together, {1366, 768});
    EXPECT_THAT(shown_plots(), ElementsAre("graph", "memory", "commands"));
    EXPECT_LT(widget_rect("result.memory").size().y, has_room)
        << "the figure gets the height that the others leave";
    show(together, {960, 540});
    EXPECT_EQ(shown_plots().front(), "graph");
    EXPECT_LT(shown_plots().size(), 3U);
    for (const std::string& id : shown_plots())
        EXPECT_TRUE(find("result." + id)->is_whole) << id;
    // Plots without room are listed by name.
    EXPECT_NE(find("stage.also.more"), nullptr);
}

TEST_F(StackedPictures, SeparateBlocksShowOnePlot) {
    show("```plot graph\n```\n\n```plot memory\n```\n", {1600, 1000});
    EXPECT_THAT(shown_plots(), ElementsAre("graph"));
    EXPECT_EQ(find("stage.also.1")->value, "memory");
}

TEST_F(StackedPictures, NotesDisappearBeforePlots) {
    // As the window shrinks from a height that fits everything, the notes disappear before any plot.
    bool without_notes = false;
    for (float height = 900; height >= 560; height -= 20) {
        show("```plot graph, memory, commands\n```\n", {1366, height});
        const bool notes = window_text().find("A box is a tensor.") != std::string::npos;
        if (!notes && shown_plots().size() == 3) without_notes = true;
        if (shown_plots().size() < 3) break;
        EXPECT_TRUE(find("result.commands")->is_whole) << height;
    }
    EXPECT_TRUE(without_notes);
}

TEST_F(StackedPictures, ChosenPlotLeadsTheRestOfItsBlock) {
    show("```plot graph, memory, commands\n```\n", {1600, 1000});
    workspace_.picture = {&session_.entry(), session_.step(), "memory"};
    frames();
    EXPECT_THAT(shown_plots(), ElementsAre("memory", "commands"));
    EXPECT_EQ(find("stage.also.1")->value, "graph");
}

TEST_F(StackedPictures, HoveringOnePlotHighlightsAll) {
    show("```plot graph, memory, commands\n```\n", {1600, 1000});
    const auto highlighted = [&] {
        std::vector<HighlightIds> all;
        for (const char* id : {"result.graph", "result.memory", "result.commands"})
            all.push_back(workspace_.plot_views[id].highlighted);
        return all;
    };
    move_to(widget_rect("result.graph.node.1").centre());
    frames();
    for (const HighlightIds& highlight_ids : highlighted())
        EXPECT_THAT(highlight_ids, ElementsAre("t1"));
    // This kernel computes both tensors.
    const Rect commands = widget_rect("result.commands");
    move_to({commands.centre().x, commands.min.y + 12});
    frames();
    for (const HighlightIds& highlight_ids : highlighted())
        EXPECT_THAT(highlight_ids, ElementsAre("t1", "t2"));
    move_to({10, 10});
    frames();
    for (const HighlightIds& highlight_ids : highlighted())
        EXPECT_TRUE(highlight_ids.empty());
}

TEST_F(StackedPictures, OpenQuestionHidesLaterPlots) {
    show(
        "```plot graph\n```\n\n```predict\nquestion: How many?\nvalue: partial_sums\nguess: of them | within "
        "0\n"
        "near: 1 | One is too few.\nafter: It was {value}.\n```\n\n```plot graph, memory, commands\n```\n",
        {1600, 1000});
    EXPECT_THAT(shown_plots(), ElementsAre("graph"));
    EXPECT_THAT(window_text(), Not(HasSubstr("place 1")));
    session_.skip_question(*session_.open_question());
    frames();
    workspace_.refresh_plots();
    frames();
    EXPECT_THAT(shown_plots(), ElementsAre("graph", "memory", "commands"));
}

}  // namespace gridstride::ui::stacked_pictures_test
