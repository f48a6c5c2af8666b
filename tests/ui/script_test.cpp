#include "ui/drive/script.h"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include "test_includes.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::script_test {

using nlohmann::json;

std::string parse_error(const std::string& text) {
    return message_of<FileError>([&] { parse_script(text, "test.json"); });
}

TEST(ScriptParser, ReadsEveryKindOfStep) {
    const auto script = parse_script(R"({"steps":[{"click":"a"},{"hover":"a"},{"set":"a","value":128},
        {"drag":"a","from":0,"to":1,"seconds":2},{"wheel":"a","by":-1},{"key":"Ctrl+S"},{"type":"é"},{"wait":"idle"},
        {"wait":0.5},{"screenshot":"a.png"},{"expect":{"status":"ok"}},{"patience":9},{"samples":3}]})",
                                     "test.json");
    ASSERT_EQ(script.size(), 13U);
    EXPECT_EQ(script[2].value, "128");
    EXPECT_EQ(script[12].samples, 3U);
    EXPECT_EQ(script[3].seconds, 2);
    EXPECT_TRUE(script[5].press.modifiers.ctrl);
    EXPECT_EQ(script[0].name, R"(step 1 {"click":"a"})");
    EXPECT_EQ(parse_script("[]", "test.json").size(), 0U);
}

TEST(ScriptParser, ErrorsNameTheStepAndTheReason) {
    EXPECT_THAT(parse_error("{"), HasSubstrs("test.json", "not JSON"));
    EXPECT_THAT(parse_error("{}"), HasSubstr("array of steps"));
    EXPECT_THAT(parse_error(R"([{"click":"a"},{"clik":"a"}])"), HasSubstrs("step 2", "none of click"));
    EXPECT_THAT(parse_error(R"([{"click":3}])"), HasSubstr("string in quotes"));
    EXPECT_THAT(parse_error(R"([{"click":"a","at":3}])"), HasSubstr("\"at\" is not a member"));
    EXPECT_THAT(parse_error(R"([{"set":"a"}])"), HasSubstr("needs \"value\""));
    EXPECT_THAT(parse_error(R"([{"drag":"a","from":0,"to":1.5}])"), HasSubstr("from 0 to 1"));
    EXPECT_THAT(parse_error(R"([{"key":"Hyper+Q"}])"), HasSubstr("is not a key"));
    EXPECT_THAT(parse_error(R"([{"wait":"ready"}])"), HasSubstr("idle"));
    EXPECT_THAT(parse_error(R"([{"samples":0}])"), HasSubstr("from 1 to 10000"));
    EXPECT_THAT(parse_error(R"([7])"), HasSubstr("step 1 7"));
}

TEST(ScriptParser, KnowsKeys) {
    EXPECT_EQ(parse_key_press("F5")->key, Key::f5);
    EXPECT_EQ(parse_key_press("Page Up")->key, Key::page_up);
    EXPECT_EQ(parse_key_press("Ctrl++")->key, Key::plus);
    EXPECT_TRUE(parse_key_press("Ctrl++")->modifiers.ctrl);
    EXPECT_EQ(parse_key_press("+")->key, Key::plus);
    EXPECT_EQ(parse_key_press("Ctrl+Shift+Left")->modifiers, (Modifiers{.ctrl = true, .shift = true}));
    EXPECT_FALSE(parse_key_press("Ctrl+"));
    EXPECT_FALSE(parse_key_press(""));
}

TEST(ScriptDifference, ComparesTheExpectedMembers) {
    const json state = {{"status", "ok"}, {"run", {{"kernel_ns", 12.5}, {"samples", 3}}}, {"list", {1, 2}}};
    EXPECT_EQ(find_mismatch({{"status", "ok"}}, state), "");
    EXPECT_EQ(find_mismatch({{"status", "~o"}, {"run", {{"samples", 3}}}}, state), "");
    EXPECT_EQ(find_mismatch({{"run", {{"kernel_ns", 12.5000001}}}}, state), "");
    EXPECT_EQ(find_mismatch({{"list", {1, 2}}}, state), "");
    EXPECT_EQ(find_mismatch({{"status", "failed"}}, state), R"(status is "ok", not "failed")");
    EXPECT_THAT(find_mismatch({{"run", {{"samples", 4}}}}, state), HasSubstr("run.samples is 3"));
    EXPECT_THAT(find_mismatch({{"list", {1}}}, state), HasSubstr("list is [1,2]"));
    EXPECT_THAT(find_mismatch({{"stats", 1}}, state), HasSubstrs("no stats", "status"));
    EXPECT_THAT(find_mismatch({{"status", "~bad"}}, state), HasSubstr("does not contain"));
}

class ScriptPlay : public testing::Test {
 protected:
    ScriptPlay()
        : file_(std::filesystem::temp_directory_path() / ("script" + std::to_string(getpid()) + ".json")) {}
    ~ScriptPlay() override { std::filesystem::remove(file_); }

    /// Plays the script on a small page and returns the failure.
    std::string play(const json& script) {
        std::ofstream(file_) << script;
        ScriptPlayer player(file_);
        const ScriptHost host{[this] { return ++idle_polls_ > 3; },
                              [this] {
                                  return json{{"presses", presses_},
                                              {"typed", typed_},
                                              {"variant", options_[index_].label},
                                              {"position", position_}};
                              },
                              [this](const std::string& path) { shots_.push_back(path); }};
        UiFrames ui;
        const auto start = std::chrono::steady_clock::now();
        while (!player.is_finished() && std::chrono::steady_clock::now() - start < std::chrono::minutes(5)) {
            ui.frame([this] { page(); }, [&] { player.feed_input(); });
            player.after_frame(host);
            const double due_s = std::min(0.05, player.seconds_until_due());
            std::this_thread::sleep_for(std::chrono::duration<double>(due_s));
        }
        EXPECT_TRUE(player.is_finished());
        EXPECT_GT(player.seconds_until_due(), 0);
        return player.failure();
    }

    void page() {
        if (button("run", "Run")) ++presses_;
        choice("variant", "Variant", options_, &index_);
        const SliderResult result = slider("size", "Size", "64", "", &position_, 10);
        if (result.was_text_entered) typed_ = result.text;
        if (is_key_pressed_with(Key::s, {.ctrl = true})) presses_ += 10;
        begin_panel("panel", {0, 300}, {300, 100}, IM_COL32_BLACK);
        gap(900);
        if (button("far", "Far")) presses_ += 100;
        end_panel();
    }

    std::filesystem::path file_;
    std::vector<Option> options_{{"first", ""}, {"second", ""}};
    std::size_t index_ = 0;
    float position_ = 0.5F;
    int presses_ = 0, idle_polls_ = 0;
    std::string typed_;
    std::vector<std::string> shots_;
};

TEST_F(ScriptPlay, DrivesRealWidgets) {
    const json script = {{"steps",
                          {{{"click", "run"}},
                           {{"expect", {{"presses", 1}}}},
                           {{"key", "Ctrl+S"}},
                           {{"expect", {{"presses", 11}}}},
                           {{"click", "far"}},
                           {{"expect", {{"presses", 111}}}},
                           {{"set", "variant"}, {"value", "sec"}},
                           {{"expect", {{"variant", "second"}}}},
                           {{"set", "size"}, {"value", 96}},
                           {{"expect", {{"typed", "96"}}}},
                           {{"click", "size.value"}},
                           {{"type", "128"}},
                           {{"key", "Enter"}},
                           {{"expect", {{"typed", "128"}}}},
                           {{"drag", "size"}, {"from", 0.5}, {"to", 0.25}, {"seconds", 0.05}},
                           {{"wait", "idle"}},
                           {{"screenshot", "shot.png"}}}}};
    EXPECT_EQ(play(script), "");
    EXPECT_NEAR(position_, 0.25, 0.01);
    EXPECT_THAT(shots_, ElementsAre("shot.png"));
}

TEST_F(ScriptPlay, NamesTheFailingStep) {
    EXPECT_THAT(play({{{"click", "run"}}, {{"set", "run"}, {"value", 1}}}),
                HasSubstrs("step 2", "has no value to set"));
}

TEST_F(ScriptPlay, SuggestsSimilarIds) {
    EXPECT_THAT(play({{{"patience", 0.1}}, {{"click", "varian"}}}),
                HasSubstrs("step 2", "no widget", "variant"));
}

TEST_F(ScriptPlay, FailsWhenItsPatienceEnds) {
    idle_polls_ = -1'000'000;  // busy
    EXPECT_THAT(play({{{"patience", 0.25}}, {{"wait", "idle"}}}),
                HasSubstrs("step 2", "still busy after 0.25 s"));
    EXPECT_THAT(play({{{"patience", 0.1}}, {{"expect", {{"presses", 7}}}}}), HasSubstr("presses is 0"));
}

TEST_F(ScriptPlay, SleepsWhileItWaits) {
    std::ofstream(file_) << R"([{"wait":0.2}])";
    ScriptPlayer player(file_);
    const ScriptHost host{[] { return true; }, [] { return json::object(); }, [](const std::string&) {}};
    EXPECT_EQ(player.seconds_until_due(), 0);
    player.after_frame(host);
    player.after_frame(host);
    EXPECT_GT(player.seconds_until_due(), 0.1);
    EXPECT_LE(player.seconds_until_due(), 0.2);
}

TEST(ScriptPlayer, RejectsAMissingFile) {
    EXPECT_THROW(ScriptPlayer("/nowhere/script.json"), FileError);
}

}  // namespace gridstride::ui::script_test
