// Hand-ins: what is written comes back, and nothing else is taken for one. The rows of grades.
#include "assignment/hand_in.h"

#include <nlohmann/json.hpp>

#include "assignment/grading.h"
#include "assignment/report_page.h"
#include "test_includes.h"

namespace gridstride {
namespace {

const KernelKey smallest{"race_condition", "smallest"};

Assignment make_assignment() {
    const ScratchFolder folder;
    write_file(
        folder / "assignment.toml",
        "format = 1\ntitle = \"T\"\n[[lesson]]\nid = \"race_condition\"\nexercises = { smallest = 5 }\n");
    return read_assignment(folder.path());
}

std::string write_hand_in(const std::string& text, const std::string& name = "Zoë") {
    ProgressFile progress;
    progress.kernels[smallest].source.text = text;
    progress.kernels[{"race_condition", "plain"}].source.text = "not asked for";
    progress.story_progress.solved_exercises = {{"D", "race_condition", "smallest"},
                                                {"D", "reduction", "maximum"}};
    progress.story_progress.attempts = {{{"D", "race_condition", "smallest"}, 3},
                                        {{"E", "race_condition", "smallest"}, 1}};
    return format_hand_in(make_assignment(), progress, name, "17", "2026-12-01T10:00:00.000Z");
}

TEST(HandIn, RoundTrips) {
    const HandIn back = parse_hand_in(write_hand_in("void main() {}\r\n"));
    EXPECT_EQ(back.name, "Zoë");
    EXPECT_EQ(back.number, "17");
    EXPECT_EQ(back.when, "2026-12-01T10:00:00.000Z");
    EXPECT_THAT(back.texts, ElementsAre(std::pair(smallest, std::string("void main() {}\n"))));
    EXPECT_THAT(back.solved, ElementsAre(std::pair<std::string, std::string>("race_condition", "smallest")));
    EXPECT_EQ(back.attempts.at({"race_condition", "smallest"}), 4u) << "the sum over both devices";
}

TEST(HandIn, LimitsTextsAndRequiresUtf8) {
    EXPECT_NO_THROW(write_hand_in(std::string(max_answer_bytes, ' ')));
    EXPECT_THAT(message_of<Refusal>([] { write_hand_in(std::string(max_answer_bytes + 1, ' ')); }),
                Mentions("smallest", "64"));
    EXPECT_THAT(message_of<Refusal>([] { write_hand_in("\xff"); }), Mentions("smallest"));
}

TEST(HandIn, RefusesForgedFiles) {
    const auto whole = nlohmann::ordered_json::parse(write_hand_in("text"));
    const auto refused = [&](const auto& change) {
        nlohmann::ordered_json json = whole;
        change(json);
        EXPECT_NE(message_of<FileError>([&] { parse_hand_in(json.dump()); }), not_thrown) << json.dump();
    };
    refused([](auto& json) { json["kind"] = "gridstride progress"; });
    refused([](auto& json) { json["kind"] = 7; });
    refused([](auto& json) { json["schema_version"] = 2; });
    refused([](auto& json) { json["name"] = nullptr; });
    refused([](auto& json) { json["texts"] = "text"; });
    refused([](auto& json) { json["texts"][0]["text"] = "another"; });
    refused([](auto& json) { json["texts"][0]["lesson"] = 1; });
    refused([](auto& json) { json["texts"].push_back(json["texts"][0]); });
    refused([](auto& json) { json["predictions"][0]["choice"] = 0; });
    refused([](auto& json) { json["made"] = std::vector<int>(20'000); });
    refused([](auto& json) { json = json["texts"]; });
    EXPECT_NO_THROW(parse_hand_in(whole.dump()));
}

TEST(HandIn, MakesNamesPrintableAndShort) {
    EXPECT_EQ(parse_hand_in(write_hand_in("x", "a\nb\x1b")).name, "a?b?");
    EXPECT_EQ(parse_hand_in(write_hand_in("x", std::string(1000, 'a'))).name.size(), 100u);
}

TEST(Grades, EscapeFormulasButNotNumbers) {
    for (const std::string start : {"=", "+", "-", "@", "\t", "\r"})
        EXPECT_THAT(format_grade_row({{"name", start + "1"}, {"points", "5"}}),
                    AnyOf(HasSubstr(",'" + start + "1,"), HasSubstr(",?1,")));
    const auto json = grade_row_json({{"points", "5"}});
    EXPECT_EQ(json.at("points"), 5);
    EXPECT_TRUE(json.at("max_points").is_null());
    EXPECT_EQ(json.size(), grade_columns.size());
}

TEST(Grades, EscapeTextsInReportPages) {
    HandIn hand_in{.name = "<b>", .number = "'\"&"};
    hand_in.texts[smallest] = "a < b;\n\tc;\x1b[2J";
    const std::string page =
        format_report_page(make_assignment(), hand_in,
                           {{.row = {{"seed", "12345"}, {"points", "0"}},
                             .problem = "<i>",
                             .requirements = {{.requirement = {.text = "id", .sentence = "fast & right"},
                                               .result = RequirementJudgement::Result::undecided,
                                               .finding = "<u>"}},
                             .picture = "<svg>"}},
                           {});
    EXPECT_THAT(page, HasSubstrs("&lt;b&gt;", "&#39;&quot;&amp;", "a &lt; b;\n\tc;\\u001b", "&lt;i&gt;",
                                 "○ fast &amp; right: undecided<br>&lt;u&gt;", "xml,&lt;svg&gt;"));
    EXPECT_THAT(page, AllOf(Not(HasSubstr("<b>")), Not(HasSubstr("12345"))));
}

}  // namespace
}  // namespace gridstride
