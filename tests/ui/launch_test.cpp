// The Launch tab by mouse and keyboard: rotation, and navigation from the grid to an invocation and back.
#include "test_includes.h"
#include "ui/launch/launch_view.h"
#include "ui/learn_frames.h"

namespace gridstride::ui::launch_test {

class LaunchBoxesView : public DrawnTest {
 protected:
    LaunchBoxesView() {
        body_ = [this] { draw_launch(view_, prepared_, 260); };
    }
    static Dispatch make_launch(const char* label, const Extent& domain, const Extent& grid,
                                const Extent& workgroup) {
        Dispatch launch;
        launch.label = label;
        launch.workgroup = launch.tile = workgroup;
        launch.grid = grid;
        launch.domain = domain;
        return launch;
    }
    void show(const Extent& domain, const Extent& grid, const Extent& workgroup) {
        show({make_launch("mark each", domain, grid, workgroup)});
    }
    void show(const std::vector<Dispatch>& launches) {
        auto prepared = std::make_shared<PreparedExperiment>();
        prepared->limits.subgroup_size = 8;
        for (const Dispatch& launch : launches)
            prepared->plan.steps.emplace_back(launch);
        prepared_ = std::move(prepared);
        frame();
    }
    void click(const std::string& id) {
        DrawnTest::click(id);
        frame();
    }
    static Rect boxes() { return widget_rect("launch.boxes"); }
    void click_at(glm::vec2 position) {
        DrawnTest::click_at(position);
        frame();
    }
    void drag(glm::vec2 by) {
        const glm::vec2 from = boxes().centre();
        move_to(from);
        ui_.mouse_down = true;
        frame();
        for (int i = 1; i <= 10; ++i)
            move_to(from + by * (static_cast<float>(i) / 10));
        ui_.mouse_down = false;
        frames(2);
    }
    void press(Key key) {
        DrawnTest::press(key);
        frame();
    }
    void enter(const std::string& id, const std::string& value) {
        set(id, value);
        focus(id);
        press(Key::enter);
    }
    /// The text beside the boxes.
    static std::string description() { return widget_value("launch.said"); }

    LaunchView view_;
    std::shared_ptr<const PreparedExperiment> prepared_;
};

TEST_F(LaunchBoxesView, DraggingRotatesAndFitResets) {
    show({80, 48}, {5, 3}, {16, 16});
    EXPECT_EQ(find("launch.fit"), nullptr);
    const ViewRotation before = view_.turn;
    drag({60, 25});
    // The front follows the mouse to the right and down.
    EXPECT_LT(view_.turn.around_y, before.around_y);
    EXPECT_GT(view_.turn.around_x, before.around_x);
    EXPECT_EQ(view_.level, LaunchLevel::grid) << "a drag is not a click";
    click("launch.fit");
    EXPECT_EQ(view_.turn, before);
    drag({-40, 0});
    click_at(boxes().min + glm::vec2(3));
    EXPECT_NE(view_.turn, before) << "a single click beside the boxes does nothing";
    click_at(boxes().min + glm::vec2(3));
    EXPECT_EQ(view_.turn, before) << "a double click resets the rotation";
}

TEST_F(LaunchBoxesView, ArrowKeysRotateWhileFocused) {
    show({80, 48}, {5, 3}, {16, 16});
    const ViewRotation before = view_.turn;
    press(Key::right);
    EXPECT_EQ(view_.turn, before);
    focus("launch.boxes");
    press(Key::right);
    press(Key::down);
    EXPECT_LT(view_.turn.around_y, before.around_y);
    EXPECT_GT(view_.turn.around_x, before.around_x);
    EXPECT_TRUE(is_key_used(Key::left)) << "the story does not use the keys";
    press(Key::home);
    EXPECT_EQ(view_.turn, before);
}

TEST_F(LaunchBoxesView, ClicksOpenAWorkgroupThenAnInvocation) {
    show({80, 48}, {5, 3}, {3, 3});
    EXPECT_EQ(widget_value("launch.boxes"), "15 boxes");
    click_at(boxes().centre());
    EXPECT_EQ(view_.level, LaunchLevel::workgroup);
    EXPECT_EQ(view_.workgroup, (Index3{2, 1, 0})) << "the workgroup in the middle";
    EXPECT_EQ(widget_value("launch.workgroup.number"), "2, 1");
    EXPECT_EQ(widget_value("launch.boxes"), "9 boxes");
    click_at(boxes().centre());
    EXPECT_EQ(view_.level, LaunchLevel::invocation);
    EXPECT_EQ(view_.invocation, (Index3{1, 1, 0}));
    EXPECT_EQ(widget_value("launch.boxes"), "8 boxes") << "the lanes of its subgroup";
    // 27 x 16 tiles of 3 x 3 over a grid of 5 x 3: workgroup (2, 1) takes 5 x 5 of them.
    EXPECT_THAT(description(), HasSubstrs("(1, 1)", "(2, 1)", "lane 4", "(7, 4)"));
    EXPECT_THAT(widget_value("launch.pass.0"), HasSubstrs("25", "(7, 4)"));
    EXPECT_THAT(widget_value("launch.pass.1"), HasSubstrs("25", "(22, 4)"));
    click("launch.level.grid");
    EXPECT_EQ(view_.level, LaunchLevel::grid);
    EXPECT_EQ(view_.workgroup, (Index3{2, 1, 0})) << "the workgroup stays selected";
}

TEST_F(LaunchBoxesView, KeyboardReachesEveryLevel) {
    show({1000}, {8}, {128});
    EXPECT_THAT(description(), HasSubstr("0 to 127"));
    enter("launch.workgroup.number", "7");
    EXPECT_THAT(description(), HasSubstrs("896 to 999", "24"));
    focus("launch.boxes");
    press(Key::enter);
    EXPECT_EQ(view_.level, LaunchLevel::workgroup);
    enter("launch.invocation.number", "104");
    focus("launch.boxes");
    press(Key::enter);
    EXPECT_EQ(view_.level, LaunchLevel::invocation);
    EXPECT_THAT(widget_value("launch.pass.0"), HasSubstrs("1", "no element"));
    click("launch.invocation.previous");
    EXPECT_THAT(widget_value("launch.pass.0"), HasSubstrs("1", "999"));
    click("launch.workgroup.previous");
    EXPECT_THAT(widget_value("launch.pass.0"), HasSubstrs("1", "871"));
    enter("launch.workgroup.number", "8");
    EXPECT_EQ(widget_value("launch.workgroup.number"), "6") << "there is no workgroup 8";
}

TEST_F(LaunchBoxesView, MergedBoxesAreLabelledAndCanBeOpened) {
    show({65535, 3}, {65535, 3}, {1, 1});
    EXPECT_THAT(widget_value("launch.merged"), HasSubstr("512"));
    EXPECT_EQ(widget_value("launch.boxes"), "384 boxes");
    click_at(boxes().centre());
    EXPECT_EQ(view_.level, LaunchLevel::grid);
    EXPECT_EQ(widget_value("launch.boxes"), "512 boxes");
    EXPECT_EQ(view_.workgroup[1], 1U);
    EXPECT_EQ(view_.workgroup[0] % 512, 0U) << "the first workgroup of the box is selected";
    EXPECT_EQ(find("launch.merged"), nullptr);
    click("launch.out");
    EXPECT_EQ(widget_value("launch.boxes"), "384 boxes");
    EXPECT_EQ(find("launch.out"), nullptr);
}

TEST_F(LaunchBoxesView, LargeGridDrawsFewBoxes) {
    const std::vector<Extent> grids = {
        {65535, 3}, {std::uint64_t{1} << 31}, {65535, 65535}, {65535, 65535, 65535}, {1, 1, 65535}};
    for (const Extent& grid : grids) {
        show(grid, grid, {1, grid.y > 0 ? 1U : 0U, grid.z > 0 ? 1U : 0U});
        for (int i = 0; i < 5; ++i)
            drag({70, 30 - 15 * i});
        // A box shows at most three faces of eight vertices each, smooth edges included; the rest is text.
        EXPECT_LT(ImGui::GetDrawData()->TotalVtxCount, 2048 * 3 * 8 + 8000) << text_of(grid);
        EXPECT_LE(view_.boxes.solid.count, 2048U);
    }
}

TEST_F(LaunchBoxesView, ShowsASingleInvocation) {
    show({1}, {1}, {1});
    EXPECT_EQ(widget_value("launch.boxes"), "1 box");
    EXPECT_THAT(description(), HasSubstr("element 0"));
    click_at(boxes().centre());
    click_at(boxes().centre());
    EXPECT_EQ(view_.level, LaunchLevel::invocation);
    EXPECT_THAT(description(), HasSubstr("lane 0 of subgroup 0"));
    EXPECT_THAT(widget_value("launch.pass.0"), HasSubstrs("1", "0"));
}

TEST_F(LaunchBoxesView, SelectionStaysWhileItExists) {
    show({1024}, {8}, {128});
    enter("launch.workgroup.number", "5");
    show({1024}, {16}, {64});
    EXPECT_EQ(widget_value("launch.workgroup.number"), "5");
    show({1024}, {4}, {256});
    EXPECT_EQ(widget_value("launch.workgroup.number"), "0");
}

TEST_F(LaunchBoxesView, LaunchIsSelectedByItsName) {
    const Dispatch first = make_launch("sum of each workgroup", {256}, {4}, {64}),
                   second = make_launch("sum of the sums", {4}, {1}, {8});
    show({first, second});
    EXPECT_EQ(widget_value("launch.of"), first.label);
    EXPECT_EQ(widget_value("launch.boxes"), "4 boxes");
    set("launch.of", second.label);
    frame();
    EXPECT_THAT(description(), HasSubstrs("0 to 3", "4 slots"));
    // The plan of another experiment may have only one launch.
    show({first});
    EXPECT_EQ(find("launch.of"), nullptr);
    EXPECT_EQ(widget_value("launch.boxes"), "4 boxes");
}

class LaunchTab : public LearnFrames {};

TEST_F(LaunchTab, ShowsTheLaunchOfTheBench) {
    set_story("## One\n\nWords.\n");
    resize_window({1366, 768});
    answer({});
    click("stage.launch");
    EXPECT_THAT(window_text(), HasSubstrs("workgroups of", "computed", "element"));
    for (const glm::vec2& window : {glm::vec2(960, 540), glm::vec2(1920, 1080)}) {
        resize_window(window);
        const Rect boxes = widget_rect("launch.boxes");
        EXPECT_TRUE((Rect{{0, 0}, window}.contains(boxes)));
        EXPECT_TRUE(find("launch.level.invocation")->is_whole);
    }
}

}  // namespace gridstride::ui::launch_test
