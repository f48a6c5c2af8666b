// A picture that is drawn from a recording: when it is recorded, what stands in its place, what stays.
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
    TracePicture() { look_like({1366, 768}); }
    /// Frames, with newer pictures as they are made.
    void look() {
        for (int i = 0; i < 4; ++i) {
            workspace_.refresh_plots();
            frame();
        }
    }
    /// This step, its run answered.
    void tell_and_run(const std::string& text) {
        tell("## One\n\n" + text);
        if (!session_.has_open_question()) answer({{"partial_sums", 8}});
        look();
    }
    bool records() const { return session_.is_recording() && lab_.requests.back().trace_options; }
    const WidgetRect* drawn() const { return find("result.tree"); }
};

TEST_F(TracePicture, IsRecordedWhenItLeadsTheStage) {
    tell_and_run("```plot time_per_variant\n```\n\n```plot tree\n```\n");
    EXPECT_FALSE(records()) << "another one leads";
    workspace_.picture = {&session_.lesson(), session_.step(), "tree"};
    look();
    ASSERT_TRUE(records());
    EXPECT_EQ(drawn(), nullptr);
    answer_recording(TraceCase{}.make());
    EXPECT_NE(drawn(), nullptr);
    EXPECT_THAT(said(), HasSubstrs("64 of 128 add, in 2 subgroups", "recorded"));
    EXPECT_FALSE(records());
    // The Inside tab shows the very same.
    open_tab(workspace_, "inside");
    look();
    EXPECT_FALSE(records());
    ASSERT_TRUE(workspace_.inside.shown);
    EXPECT_EQ(workspace_.inside.shown->recording, session_.traces().newest());
}

TEST_F(TracePicture, StaysUntilItIsRecordedAnew) {
    tell_and_run("```plot tree\n```\n");
    answer_recording(TraceCase{}.make());
    session_.set_value("workgroup_size", std::uint64_t{64});
    look();
    EXPECT_NE(drawn(), nullptr) << "faded while the run is in the air";
    answer({{"partial_sums", 16}});
    look();
    ASSERT_TRUE(records());
    EXPECT_THAT(said(), HasSubstr("recorded before"));
    EXPECT_NE(drawn(), nullptr);
    answer_recording(TraceCase{.lanes = 64, .groups = 16}.make());
    EXPECT_THAT(said(), AllOf(HasSubstr("32 of 64 add, in 1 subgroup"), Not(HasSubstr("recorded before"))));
}

TEST_F(TracePicture, OfWhatIsOnTheBenchIsNotFaded) {
    // Vertices of what stores, which nothing else in the window looks like.
    const auto bright = [] {
        std::size_t count = 0;
        const ImDrawData* all = ImGui::GetDrawData();
        for (int i = 0; i < all->CmdListsCount; ++i)
            for (const ImDrawVert& vertex : all->CmdLists[i]->VtxBuffer)
                count += vertex.col == theme().color(ColorRole::download) ? 1 : 0;
        return count;
    };
    tell_and_run("```plot tree\n```\n");
    answer_recording(TraceCase{}.make());
    ASSERT_GT(bright(), 0U);
    session_.set_value("workgroup_size", std::uint64_t{64});
    look();
    EXPECT_EQ(bright(), 0U) << "it is of other values";
    answer({{"partial_sums", 16}});
    look();
    answer_recording(TraceCase{.lanes = 64, .groups = 16}.make());
    // A question holds back what its values give, and the picture before it is recorded all the same.
    tell_and_run("```set\nelements = 2048\n```\n\n```plot tree\n```\n\n" + story_with_question);
    ASSERT_TRUE(session_.has_open_question());
    ASSERT_TRUE(records());
    answer_recording(TraceCase{}.make());
    look();
    EXPECT_TRUE(session_.stale());
    EXPECT_GT(bright(), 0U);
}

TEST_F(TracePicture, WhatAnAnswerUncoversLeads) {
    tell_and_run("```plot tree\n```\n\n" + story_with_question + "```plot time_per_variant\n```\n");
    answer_recording(TraceCase{}.make());
    EXPECT_NE(drawn(), nullptr);
    set("story.guess.1", "8");
    click("story.decide");
    answer({{"partial_sums", 8}});
    look();
    ASSERT_FALSE(session_.has_open_question());
    EXPECT_EQ(drawn(), nullptr);
    EXPECT_NE(find("result.time_per_variant"), nullptr);
}

TEST_F(TracePicture, SaysWhyThereIsNone) {
    tell_and_run("```plot tree\n```\n");
    answer_recording(std::nullopt, Status::lost);
    EXPECT_EQ(drawn(), nullptr);
    EXPECT_THAT(said(), HasSubstr("The device is lost."));
    EXPECT_FALSE(records()) << "it is not tried for ever";
    session_.set_value("workgroup_size", std::uint64_t{64});
    lab_.answers.push_back(answer_to(lab_.requests.back(), Status::timed_out));
    look();
    EXPECT_FALSE(records());
}

TEST_F(TracePicture, IsHeldBackLikeAnyOther) {
    tell_and_run(story_with_question + "```plot tree\n```\n");
    ASSERT_TRUE(session_.has_open_question());
    EXPECT_FALSE(records()) << "it comes after the answer";
    EXPECT_EQ(lab_.requests.size(), 0U);
    tell_and_run("```plot tree\n```\n\n" + story_with_question);
    ASSERT_TRUE(session_.has_open_question());
    EXPECT_TRUE(records()) << "it stands before the question";
    answer_recording(TraceCase{}.make());
    EXPECT_NE(drawn(), nullptr);
    EXPECT_TRUE(session_.has_open_question());
    EXPECT_EQ(session_.runs().all().size(), 0U) << "nothing ran for an answer";
}

TEST_F(TracePicture, TwoOfDifferentLaunchesAreRecordedOnceEach) {
    open(*find_lesson("zero_suppression"));
    workspace_.layout.arrangement = Arrangement::bench;
    tell("## One\n\n```set\nvariant = compact\nelements = 1024\n```\n\n```plot who\n```\n");
    answer({});
    look_like({1366, 2000});
    std::vector<std::uint32_t> launches;
    for (look(); records() && launches.size() < 10; look()) {
        launches.push_back(lab_.requests.back().trace_options->launch);
        answer_recording(TraceCase{}.make());
    }
    EXPECT_THAT(launches, ElementsAre(0, 2));
}

}  // namespace gridstride::ui::trace_picture_test
