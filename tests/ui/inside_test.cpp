// The Inside tab by mouse and keyboard: record, step, play, and find a race and its source lines. A selected
// line, lane or cell highlights its accesses. The trace is simulated.
#include "test_includes.h"
#include "ui/learn_frames.h"
#include "ui/panels/panels.h"
#include "ui/trace_case.h"

namespace gridstride::ui::inside_test {

class Inside : public LearnFrames {
 protected:
    Inside() {
        set_story("## One\n\nWords.\n\n## Two\n\nMore words.\n");
        resize_window({1366, 768});
        answer({});  // the step's own run has ended
        click("stage.inside");
    }
    /// The lab answers with this trace, and the window has analyzed it.
    void answer_with(trace::Trace trace, Status status = Status::ok) {
        ASSERT_TRUE(lab_.requests.back().trace_options);
        Report report = answer_to(lab_.requests.back(), status);
        TraceCase::put(std::move(trace), report);
        reply(std::move(report));
        wait_for_trace();
        frames();
    }
    void record(trace::Trace trace) {
        click("inside.record");
        answer_with(std::move(trace));
    }
    void record(TraceCase trace_case = {}) { record(trace_case.make()); }
    /// A trace that covers only a part of its grid.
    static trace::Trace make_partial_trace() {
        trace::Trace part = TraceCase{}.make();
        part.grid = {64};
        return part;
    }
    void go_to(std::size_t step) {
        workspace_.inside.go_to_step(step);
        frames();
    }
    void expect_at(int step, int epoch) {
        EXPECT_EQ(widget_value("inside.where"), fmt::format("step {} of 33 · epoch {}", step, epoch));
    }
    void expect_workgroup(const std::string& number) {
        EXPECT_THAT(widget_value("inside.workgroup"), testing::EndsWith(" " + number));
    }
    void show_workgroup(const std::string& number) {
        click("inside.workgroup");
        set("inside.workgroup.number", number);
        click("inside.workgroup.show");
    }
    static bool line_is_highlighted(const std::string& words) {
        return widget_value(line_id(words)).find("lit") != std::string::npos;
    }
    static std::string line_id(std::string_view words) {
        return "inside.line." + std::to_string(TraceCase::line_with(words));
    }
    std::size_t rows() const { return workspace_.inside.shown->lanes.rows().size(); }
};

const std::string load_line = "sums[lane] = i <";
const std::string level_line = "sums[lane] += sums";

TEST_F(Inside, RecordsOnAPressAndDescribesTheTrace) {
    const std::size_t request_count = lab_.requests.size(), runs = session_.runs().all().size();
    click("inside.record");
    ASSERT_EQ(lab_.requests.size(), request_count + 1);
    EXPECT_TRUE(lab_.requests.back().trace_options);
    EXPECT_FALSE(lab_.requests.back().sampling.measure);
    EXPECT_THAT(window_text(), HasSubstr("Tracing …"));
    answer_with(TraceCase{}.make());
    // Each of 8 workgroups reads and writes 128 numbers, adds 127 pairs with three accesses each, and lane 0
    // makes two more.
    EXPECT_THAT(widget_value("inside.said"), HasSubstrs("5\u2009112", "8 workgroups"));
    EXPECT_EQ(session_.runs().all().size(), runs) << "a trace is not listed as a run";
    EXPECT_NE(find("inside.lanes"), nullptr);
    EXPECT_EQ(widget_value(line_id(load_line)), "2\u2009048, this step");
}

TEST_F(Inside, StoryFoldsToItsRailWhileInsideIsOpen) {
    EXPECT_EQ(find("story.footer"), nullptr);
    EXPECT_NE(find("story.rail"), nullptr);
    EXPECT_EQ(find("bench.run"), nullptr);
    click("stage.all");
    EXPECT_NE(find("bench.run"), nullptr) << "the bench opens as a drawer";
    workspace_.is_drawer_open = false;
    click("stage.picture");
    EXPECT_NE(find("story.footer"), nullptr);
    EXPECT_EQ(find("story.rail"), nullptr);
}

TEST_F(Inside, KeysStepOnlyWhileThePlayerHasTheFocus) {
    record();
    // The rows: load, store and barrier; 7 levels of two loads, a store and a barrier; total and partial sum.
    ASSERT_EQ(rows(), 3U + 7 * 4 + 2);
    expect_at(1, 0);
    EXPECT_FALSE(is_key_used(Key::right)) << "the story has the key";
    click("inside.next");
    expect_at(2, 0);
    EXPECT_TRUE(is_key_used(Key::right));
    press(Key::right);
    press(Key::right);
    expect_at(4, 1);
    press(Key::end);
    expect_at(33, 8);
    press(Key::left);
    click("inside.previous");
    expect_at(31, 7);
    press(Key::home);
    expect_at(1, 0);
    set("inside.seek", "12");
    expect_at(12, 3);
    const Rect bar = widget_rect("inside.seek");
    drag({bar.min.x + 8, bar.centre().y}, {bar.max.x - 2, bar.centre().y});
    expect_at(33, 8);
}

TEST_F(Inside, SpacePlaysAndPausesAtTheChosenSpeed) {
    record();
    focus_widget("inside.seek");
    frames();
    press(Key::space);
    EXPECT_EQ(widget_value("inside.play"), "Pause");
    EXPECT_LE(widgets_redraw_delay(), 0.5) << "the window schedules a frame for the next step";
    frames(90);  // a second and a half
    EXPECT_EQ(workspace_.inside.step, 3U);
    press(Key::space);
    frames(60);
    EXPECT_EQ(workspace_.inside.step, 3U);
    EXPECT_EQ(widget_value("inside.play"), "Play");
    click("inside.speed");
    EXPECT_EQ(widget_value("inside.speed"), "2×");
    click("inside.play");
    frames(90);
    EXPECT_EQ(workspace_.inside.step, 9U);
    workspace_.inside.go_to_step(rows() - 2);
    frames(60);
    EXPECT_EQ(workspace_.inside.step, rows() - 1);
    EXPECT_FALSE(workspace_.inside.is_playing) << "playback stops at the last step";
}

TEST_F(Inside, FindsARaceAndHighlightsItsLines) {
    record({.first_barrier = false});
    EXPECT_THAT(widget_value("inside.finding.0.said"), HasSubstr("✗"));
    EXPECT_THAT(window_text(), HasSubstr("✗ write sums"));
    click("inside.finding.0");
    EXPECT_THAT(widget_value("inside.step"), HasSubstrs("sums[", "barrier"));
    EXPECT_TRUE(line_is_highlighted(load_line));
    EXPECT_TRUE(line_is_highlighted(level_line));
    EXPECT_FALSE(line_is_highlighted("total += sums[0]"));
    // Only the racing accesses of the line are highlighted.
    const InsideView& view = workspace_.inside;
    const auto records = view.shown->lanes.at(view.shown->lanes.rows()[1]);
    EXPECT_FALSE(view.is_highlighted(records.front()));
    EXPECT_TRUE(view.is_highlighted(records.back()));
}

TEST_F(Inside, ReportsNoRaceWithTheBarrier) {
    record();
    EXPECT_THAT(widget_value("inside.finding.0.said"), Not(HasSubstr("✗")));
    EXPECT_THAT(window_text(), Not(HasSubstr("✗ write sums")));
}

TEST_F(Inside, ClickingALineHighlightsItsAccesses) {
    record();
    click(line_id(level_line));
    EXPECT_EQ(workspace_.inside.step, 3U);
    EXPECT_THAT(widget_value(line_id(level_line)), HasSubstrs("lit", "this step"));
    const InsideView& view = workspace_.inside;
    const auto first_of_row = [&](std::size_t row) {
        return view.shown->lanes.at(view.shown->lanes.rows()[row]).front();
    };
    EXPECT_TRUE(view.is_highlighted(first_of_row(3)));
    EXPECT_FALSE(view.is_highlighted(first_of_row(0)));
    click(line_id(level_line));
    EXPECT_FALSE(view.focus.any()) << "a second click clears the highlight";
}

TEST_F(Inside, ClickingALaneDescribesItsAccess) {
    record();
    const Rect lanes = widget_rect("inside.lanes");
    // In the second row, at the far right, the last lane writes its number.
    click_at({lanes.max.x - 5, lanes.min.y + 18 + 9});
    EXPECT_EQ(workspace_.inside.step, 1U);
    EXPECT_EQ(workspace_.inside.lane, 127U);
    EXPECT_THAT(widget_value("inside.step"), HasSubstr("invocation 127 writes sums[127] = 128"));
    EXPECT_TRUE(is_key_used(Key::down));
    press(Key::down);
    EXPECT_THAT(widget_value("inside.step"), HasSubstr("128 of 128"));
    // In the next row half of the lanes are idle, so the view shows an active lane.
    press(Key::down);
    EXPECT_THAT(widget_value("inside.step"), HasSubstr("invocation 0 reads sums[64] = 65"));
    EXPECT_THAT(widget_value("inside.step"), HasSubstr("invocation 64"));
}

TEST_F(Inside, ClickingACellHighlightsItsAccesses) {
    record();
    const Rect cells = widget_rect("inside.memory");
    click_at(cells.min + glm::vec2(6));
    EXPECT_THAT(widget_value("inside.step"), HasSubstrs("sums[0]", "step 2: invocation 0 writes 1, line"));
    EXPECT_TRUE(line_is_highlighted("total += sums[0]"));
    // The list is limited to the accesses near the step: the seventh level and the load of the total.
    go_to(3 + 6 * 4 + 2);
    EXPECT_THAT(widget_value("inside.step"),
                AllOf(HasSubstr("step 30: invocation 0 writes 8256"), Not(HasSubstr("step 2:"))));
    go_to(0);
    press(Key::right);
    EXPECT_EQ(workspace_.inside.focus.cell, 1U);
    EXPECT_FALSE(line_is_highlighted("total += sums[0]"));
}

TEST_F(Inside, CellsShowTheirValuesAtTheStep) {
    record();
    const auto shows_value = [&](const char* number) {
        for (const DrawnText& text : drawn_texts())
            if (text.text == number && widget_rect("inside.memory").contains(text.rect.centre())) return true;
        return false;
    };
    EXPECT_FALSE(shows_value("32"));
    go_to(1);
    EXPECT_TRUE(shows_value("32"));
    // 1 + 2 + … + 128, after the last level.
    EXPECT_FALSE(shows_value("8256"));
    go_to(3 + 6 * 4 + 2);
    EXPECT_TRUE(shows_value("8256"));
}

TEST_F(Inside, ShowsBankTurnsOrWhyThereAreNone) {
    record();
    go_to(1);
    EXPECT_THAT(widget_value("inside.banks"), HasSubstrs("1 turn", "modelled"));
    trace::Trace unmodelled = TraceCase{}.make();
    unmodelled.banks = 0;
    const std::string reason = unmodelled.banks_note = "A software device has no banks.";
    record(std::move(unmodelled));
    EXPECT_EQ(widget_value("inside.banks"), reason);
}

TEST_F(Inside, ShowsOrRecordsAnotherWorkgroup) {
    record();
    click("inside.workgroup.next");
    expect_workgroup("1");
    go_to(1);
    EXPECT_THAT(widget_value("inside.step"), HasSubstr("writes sums[0] = 129"));
    click("inside.workgroup.previous");
    expect_workgroup("0");
    click("inside.workgroup");
    EXPECT_TRUE(std::ranges::any_of(drawn_texts(), [](const DrawnText& drawn) {
        return drawn.text.starts_with("This device does not report");
    }));
    set("inside.workgroup.number", "7");
    click("inside.workgroup.show");
    expect_workgroup("7");
    record(make_partial_trace());
    show_workgroup("40");
    ASSERT_TRUE(lab_.requests.back().trace_options);
    EXPECT_EQ(lab_.requests.back().trace_options->first_workgroup, 40U);
}

TEST_F(Inside, ShowsAMomentOfAStoryOnceItIsTraced) {
    click("stage.picture");
    open_tab(workspace_, "inside");
    InsideView& view = workspace_.inside;
    view.show_moment(session_, 2, {"", TraceCase::line_with(level_line)}, 3);
    ASSERT_TRUE(lab_.requests.back().trace_options);
    answer_with(TraceCase{}.make());
    expect_workgroup("2");
    // Load, store and barrier, then four rows per level.
    EXPECT_EQ(view.step, 3U + 2 * 4);
    EXPECT_TRUE(line_is_highlighted(level_line));
    const std::size_t request_count = lab_.requests.size();
    view.show_moment(session_, 0, {"", TraceCase::line_with(level_line) - 1}, 99);
    frames();
    EXPECT_EQ(lab_.requests.size(), request_count) << "the trace exists already";
    expect_workgroup("0");
    EXPECT_EQ(view.step, 3U + 6 * 4) << "the nearest line, at its last execution";
    record(make_partial_trace());
    view.show_moment(session_, 40, {"", 1}, 1);
    ASSERT_TRUE(lab_.requests.back().trace_options);
    EXPECT_EQ(lab_.requests.back().trace_options->first_workgroup, 40U);
}

TEST_F(Inside, AsksToRecordAgainForOtherValues) {
    record();
    EXPECT_THAT(widget_value("inside.said"), Not(HasSubstr("trace again")));
    const std::uint64_t size = session_.bench().values()[key::workgroup_size];
    session_.set_value("workgroup_size", size / 2);
    answer({});
    EXPECT_THAT(widget_value("inside.said"), HasSubstr("trace again"));
    session_.set_value("workgroup_size", size);
    answer({});
    EXPECT_THAT(widget_value("inside.said"), Not(HasSubstr("trace again")));
}

TEST_F(Inside, ReportsWhyTracingFailedAndHowMuchIsMissing) {
    trace::Trace none;
    const std::string reason = "uses an image";
    none.reason = "This kernel " + reason;
    record(std::move(none));
    EXPECT_THAT(window_text(), HasSubstrs("This run could not be traced", reason));
    trace::Trace part = TraceCase{}.make();
    part.lost = 1024;
    record(std::move(part));
    EXPECT_THAT(widget_value("inside.said"), HasSubstr("1\u2009024"));
}

TEST_F(Inside, RejectsADamagedTrace) {
    trace::Trace damaged = TraceCase{}.make();
    damaged.sites.resize(2);
    record(std::move(damaged));
    EXPECT_THAT(window_text(), HasSubstr("This run could not be traced"));
    EXPECT_FALSE(workspace_.inside.shown);
}

TEST_F(Inside, ReleasesTheTraceForAnotherLesson) {
    record();
    const std::weak_ptr<const AnalyzedTrace> trace = session_.traces().newest();
    ASSERT_FALSE(trace.expired());
    click("stage.picture");
    open(*find_course_entry("histogram"));
    frames();
    EXPECT_TRUE(trace.expired());
}

TEST_F(Inside, HidesTheTraceWhileAQuestionIsOpen) {
    record();
    set_story(
        "## Asks\n\n```predict\nquestion: How many partial sums?\nvalue: partial\n"
        "guess: partial sums | within 0\nafter: There are {value}.\n```\n");
    frames();
    EXPECT_THAT(window_text(), HasSubstr("Answer the question to see the trace."));
    EXPECT_EQ(find("inside.lanes"), nullptr);
    EXPECT_NE(find("story.footer"), nullptr) << "the story with the question is visible";
}

TEST_F(Inside, ControlsFitEveryWindowSize) {
    record({.first_barrier = false});
    struct Window {
        glm::vec2 size;
        float scale;
    };
    for (const auto& [size, scale] :
         {Window{{960, 540}, 1}, Window{{1280, 720}, 1}, Window{{1366, 768}, 1}, Window{{1600, 1000}, 1},
          Window{{1920, 1080}, 1}, Window{{1920, 1080}, 1.5F}, Window{{1920, 1080}, 2}}) {
        resize_window(size, scale, scale > 1 ? Mode::light : Mode::dark);
        SCOPED_TRACE(std::to_string(static_cast<int>(size.x)) + " at " + std::to_string(scale));
        for (const char* id : {"inside.record", "inside.workgroup", "inside.play", "inside.next",
                               "inside.previous", "inside.seek", "inside.where", "inside.lanes",
                               "inside.memory", "inside.buffer", "inside.banks", "inside.step", "stage.all"})
            EXPECT_TRUE(is_whole(id));
        EXPECT_GT(widget_rect("inside.lanes").height(), 100 * scale);
        EXPECT_GT(widget_rect("inside.seek").width(), 50 * scale);
    }
}

TEST_F(Inside, DrawingCostDependsOnlyOnWhatIsVisible) {
    const auto vertices = [&](TraceCase trace_case) {
        record(trace_case);
        go_to(1);
        return ImGui::GetDrawData()->TotalVtxCount;
    };
    const int few = vertices({.lanes = 1024, .groups = 1, .tiles = 1});
    const int many = vertices({.lanes = 1024, .groups = 1, .tiles = 10});
    ASSERT_GT(session_.traces().newest()->records.size(), std::size_t{64} << 10);
    EXPECT_LT(many, few * 5 / 4);
    // Neighbours share a column of three pixels, so a row is a few runs of one colour.
    EXPECT_LT(many, 40'000);
}

TEST_F(Inside, SharedColumnShowsTheWorstOfItsLanes) {
    // One lane of 1024 races; a column of three pixels covers several lanes.
    record({.lanes = 1024, .groups = 1, .first_barrier = false});
    const InsideView& view = workspace_.inside;
    ASSERT_TRUE(view.shown->row_races[1]);
    const auto colors = [] {
        std::set<ImU32> all;
        const ImDrawData* data = ImGui::GetDrawData();
        for (int i = 0; i < data->CmdListsCount; ++i)
            for (const ImDrawVert& vertex : data->CmdLists[i]->VtxBuffer)
                all.insert(vertex.col);
        return all;
    };
    EXPECT_TRUE(colors().contains(theme().palette().wrong));
}

TEST_F(Inside, TooltipCountsTheLanesOfARequest) {
    trace::Trace trace = TraceCase{}.make();
    trace.ballots = true;
    const std::span<const std::uint32_t> original = std::as_const(*trace.words).as<std::uint32_t>();
    std::vector<std::uint32_t> words(original.begin(), original.end());
    namespace w = trace::words;
    // Bit 31 of a record starts a new request; here every fourth record does.
    for (std::size_t at = std::size_t{w::head} + w::invocation; at < words.size(); at += 4 * w::length)
        words[at] |= 1U << 31;
    trace.words = share(std::span<const std::uint32_t>(words));
    record(std::move(trace));
    const Rect lanes = widget_rect("inside.lanes");
    move_to({lanes.max.x - 5, lanes.min.y + 9});
    frames(60);
    EXPECT_THAT(window_text(), HasSubstr("Subgroup 3 with 4 lanes, epoch 0."));
}

TEST_F(Inside, TabReachesEveryControl) {
    record({.first_barrier = false});
    const std::set<std::string> kinds{"button", "slider", "lanes", "cells", "line", "list"};
    std::set<std::string> expected_ids, reached_ids;
    for (const WidgetRect& widget : widget_map())
        if (widget.id.starts_with("inside.") && kinds.contains(widget.kind)) expected_ids.insert(widget.id);
    // These are disabled at the first step and in the first workgroup.
    for (const char* id : {"inside.first", "inside.previous", "inside.workgroup.previous"})
        expected_ids.erase(id);
    ASSERT_GT(expected_ids.size(), 15U);
    for (int i = 0; i < 80; ++i) {
        press(Key::tab);
        for (const std::string& id : expected_ids)
            if (has_keyboard(id)) reached_ids.insert(id);
    }
    EXPECT_EQ(reached_ids, expected_ids);
}

TEST_F(Inside, ArrowsScrollALongLineAndKeepItsNumber) {
    record();
    resize_window({960, 540});
    const std::string number = std::to_string(TraceCase::line_with(load_line));
    const auto left_of_number = [&] {
        for (const DrawnText& text : drawn_texts())
            if (text.text == number) return text.rect.min.x;
        return -1.0F;
    };
    focus_widget(line_id(load_line));
    frames();
    const float before = left_of_number();
    EXPECT_THAT(window_text(), Not(HasSubstr("numbers[i]"))) << "the end of the line";
    for (int i = 0; i < 5; ++i)
        press(Key::right);
    EXPECT_THAT(window_text(), HasSubstr("numbers[i]"));
    EXPECT_EQ(left_of_number(), before);
    EXPECT_EQ(workspace_.inside.step, 0U) << "the player has its keys only while it has the focus";
    for (int i = 0; i < 5; ++i)
        press(Key::left);
    EXPECT_THAT(window_text(), Not(HasSubstr("numbers[i]")));
}

TEST_F(Inside, StatusTextFitsNarrowWindows) {
    record();
    for (const float width : {960.0F, 1280.0F, 1920.0F}) {
        resize_window({width, 540});
        const Rect place = widget_rect("inside.said");
        for (const DrawnText& text : drawn_texts()) {
            if (!place.contains(text.rect.centre())) continue;
            EXPECT_THAT(text.text, Not(HasSubstr("…"))) << width;
        }
    }
}

TEST_F(Inside, TooltipShowsBothDimensions) {
    TraceCase trace_case;
    trace::Trace trace = trace_case.make();
    trace.workgroup = {16, 8};
    record(std::move(trace));
    const Rect lanes = widget_rect("inside.lanes");
    move_to({lanes.max.x - 5, lanes.min.y + 9});
    frames(60);
    EXPECT_THAT(window_text(), HasSubstr("(15, 7) reads numbers[127] = 128"));
}

}  // namespace gridstride::ui::inside_test
