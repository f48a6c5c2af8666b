// A plot that is drawn from a trace: when the trace is made, and what is shown until then.
#include "test_includes.h"
#include "ui/learn_frames.h"
#include "ui/panels/panels.h"
#include "ui/trace_case.h"

namespace gridstride::ui::trace_picture_test {

const std::string story_with_question =
    "```predict\nquestion: How many?\nvalue: partial_sums\nguess: of them | within 0\n"
    "near: 1 | One is too few.\nafter: It was {value}.\n```\n\n";

class TracePicture : public LearnFrames {
 protected:
    TracePicture() { resize_window({1366, 768}); }
    /// Draws frames and refreshes the plots before each.
    void draw_frames() {
        for (int i = 0; i < 4; ++i) {
            workspace_.refresh_plots();
            frame();
        }
    }
    /// Shows a step with this text and answers its run.
    void set_story_and_run(const std::string& text) {
        set_story("## One\n\n" + text);
        if (!session_.has_open_question()) answer({{"partial_sums", 8}});
        draw_frames();
    }
    bool is_tracing_launch() const { return session_.is_tracing() && lab_.requests.back().trace_options; }
    const WidgetRect* find_plot_widget() const { return find("result.tree"); }
};

TEST_F(TracePicture, IsTracedWhenItLeadsTheStage) {
    set_story_and_run("```plot time_per_variant\n```\n\n```plot tree\n```\n");
    EXPECT_FALSE(is_tracing_launch()) << "another plot leads";
    workspace_.picture = {&session_.entry(), session_.step(), "tree"};
    draw_frames();
    ASSERT_TRUE(is_tracing_launch());
    EXPECT_EQ(find_plot_widget(), nullptr);
    answer_trace(TraceCase{}.make());
    EXPECT_NE(find_plot_widget(), nullptr);
    EXPECT_THAT(window_text(), HasSubstrs("64 of 128 add, in 2 subgroups", "traced"));
    EXPECT_FALSE(is_tracing_launch());
    // The Inside tab shows the same trace.
    open_tab(workspace_, "inside");
    draw_frames();
    EXPECT_FALSE(is_tracing_launch());
    ASSERT_TRUE(workspace_.inside.shown);
    EXPECT_EQ(workspace_.inside.shown->analysis, session_.traces().newest());
}

TEST_F(TracePicture, StaysUntilItIsTracedAgain) {
    set_story_and_run("```plot tree\n```\n");
    answer_trace(TraceCase{}.make());
    session_.set_value("workgroup_size", std::uint64_t{64});
    draw_frames();
    EXPECT_NE(find_plot_widget(), nullptr) << "the plot is faded while the run is pending";
    answer({{"partial_sums", 16}});
    draw_frames();
    ASSERT_TRUE(is_tracing_launch());
    EXPECT_THAT(window_text(), HasSubstr("traced before"));
    EXPECT_NE(find_plot_widget(), nullptr);
    answer_trace(TraceCase{.lanes = 64, .groups = 16}.make());
    EXPECT_THAT(window_text(),
                AllOf(HasSubstr("32 of 64 add, in 1 subgroup"), Not(HasSubstr("traced before"))));
}

TEST_F(TracePicture, IsNotFadedForTheValuesOnTheBench) {
    // Counts the vertices in the colour of stores, which nothing else in the window has.
    const auto count_bright_vertices = [] {
        std::size_t count = 0;
        const ImDrawData* all = ImGui::GetDrawData();
        for (int i = 0; i < all->CmdListsCount; ++i)
            for (const ImDrawVert& vertex : all->CmdLists[i]->VtxBuffer)
                count += vertex.col == theme().color(ColorRole::download) ? 1 : 0;
        return count;
    };
    set_story_and_run("```plot tree\n```\n");
    answer_trace(TraceCase{}.make());
    ASSERT_GT(count_bright_vertices(), 0U);
    session_.set_value("workgroup_size", std::uint64_t{64});
    draw_frames();
    EXPECT_EQ(count_bright_vertices(), 0U) << "the plot belongs to other values";
    answer({{"partial_sums", 16}});
    draw_frames();
    answer_trace(TraceCase{.lanes = 64, .groups = 16}.make());
    // A question hides the results of its values, but the plot before it is traced.
    set_story_and_run("```set\nelements = 2048\n```\n\n```plot tree\n```\n\n" + story_with_question);
    ASSERT_TRUE(session_.has_open_question());
    ASSERT_TRUE(is_tracing_launch());
    answer_trace(TraceCase{}.make());
    draw_frames();
    EXPECT_TRUE(session_.is_stale());
    EXPECT_GT(count_bright_vertices(), 0U);
}

TEST_F(TracePicture, PlotThatAnAnswerRevealsLeads) {
    set_story_and_run("```plot tree\n```\n\n" + story_with_question + "```plot time_per_variant\n```\n");
    answer_trace(TraceCase{}.make());
    EXPECT_NE(find_plot_widget(), nullptr);
    set("story.guess.1", "8");
    click("story.decide");
    answer({{"partial_sums", 8}});
    draw_frames();
    ASSERT_FALSE(session_.has_open_question());
    EXPECT_EQ(find_plot_widget(), nullptr);
    EXPECT_NE(find("result.time_per_variant"), nullptr);
}

TEST_F(TracePicture, ShowsWhyTracingFailed) {
    set_story_and_run("```plot tree\n```\n");
    answer_trace(std::nullopt, Status::lost);
    EXPECT_EQ(find_plot_widget(), nullptr);
    EXPECT_THAT(window_text(), HasSubstr("The device is lost."));
    EXPECT_FALSE(is_tracing_launch()) << "the session does not retry for ever";
    session_.set_value("workgroup_size", std::uint64_t{64});
    lab_.answers.push_back(answer_to(lab_.requests.back(), Status::timed_out));
    draw_frames();
    EXPECT_FALSE(is_tracing_launch());
}

TEST_F(TracePicture, IsHiddenAfterAnOpenQuestion) {
    set_story_and_run(story_with_question + "```plot tree\n```\n");
    ASSERT_TRUE(session_.has_open_question());
    EXPECT_FALSE(is_tracing_launch()) << "the plot comes after the question";
    EXPECT_EQ(lab_.requests.size(), 0U);
    set_story_and_run("```plot tree\n```\n\n" + story_with_question);
    ASSERT_TRUE(session_.has_open_question());
    EXPECT_TRUE(is_tracing_launch()) << "the plot comes before the question";
    answer_trace(TraceCase{}.make());
    EXPECT_NE(find_plot_widget(), nullptr);
    EXPECT_TRUE(session_.has_open_question());
    EXPECT_EQ(session_.runs().all().size(), 0U) << "nothing ran for an answer";
}

TEST_F(TracePicture, TracesEachLaunchOnce) {
    open(*find_course_entry("zero_suppression"));
    workspace_.layout.arrangement = Arrangement::bench;
    set_story("## One\n\n```set\nvariant = compact\nelements = 1024\n```\n\n```plot who\n```\n");
    answer({});
    resize_window({1366, 2000});
    std::vector<std::uint32_t> launches;
    for (draw_frames(); is_tracing_launch() && launches.size() < 10; draw_frames()) {
        launches.push_back(lab_.requests.back().trace_options->launch);
        answer_trace(TraceCase{}.make());
    }
    EXPECT_THAT(launches, ElementsAre(0, 2));
}

}  // namespace gridstride::ui::trace_picture_test
