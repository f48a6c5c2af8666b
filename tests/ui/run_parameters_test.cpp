// The parameters that the table of runs shows to distinguish the runs of a lesson.
#include "jobs/fake_lab.h"
#include "present/verdict_text.h"
#include "test_includes.h"
#include "ui/panels/panels.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::run_parameters_test {

Report make_report(const char* lesson, const char* run_id) {
    Report report;
    report.run_id = run_id;
    report.experiment.lesson = lesson;
    report.experiment.variant = find_lesson(lesson)->default_variant;
    report.experiment.values = Values(find_lesson(lesson)->parameters);
    report.status = Status::ok;
    return report;
}

TEST(RunParameters, ListValuesOtherThanDefaultsInTheLessonsOrder) {
    Report report = make_report("histogram", "words");
    EXPECT_EQ(describe_parameters(report), "");
    report.experiment.values.set("range_min", -8.5);
    report.experiment.values.set("seed", std::uint64_t{7});
    report.experiment.values.set("bins", std::uint64_t{256});
    EXPECT_EQ(describe_parameters(report), "bins 256, range_min -8.5, seed 7");
}

TEST(RunParameters, OmitParametersWithTheirOwnColumn) {
    Report report = make_report("reduction", "columns");
    report.experiment.values.set("elements", std::uint64_t{5000});
    report.experiment.values.set("workgroup_size", std::uint64_t{64});
    report.experiment.values.set("workgroup_count", std::uint64_t{3});
    EXPECT_EQ(describe_parameters(report), "");
    report.experiment.values.set("finish",
                                 parse(*find(find_lesson("reduction")->parameters, "finish"), "cpu"));
    EXPECT_EQ(describe_parameters(report), "finish cpu");
}

TEST(RunParameters, NameTheInputFileAndIgnoreUnknownLessons) {
    Report report = make_report("gaussian", "file");
    report.experiment.input.name = "/home/ada/pulses/pulse.wav";
    EXPECT_EQ(describe_parameters(report), "input pulse.wav");
    report.experiment.input.checksum = "0123abcd";
    EXPECT_EQ(describe_parameters(report), "input pulse.wav (0123abcd)");
    report = {};
    report.experiment.lesson = "alchemy";
    EXPECT_EQ(describe_parameters(report), "");
}

/// The table of histogram runs that differ in parameters without a column.
class RunsTable : public testing::Test {
 protected:
    RunsTable() : session_(lab_, "en"), workspace_(session_) {
        workspace_.layout.runs_open() = true;
        session_.open(*find_course_entry("histogram"), 0);
        session_.pump();  // receives the device's limits
    }

    void run(const char* run_id, const std::vector<std::pair<std::string, Value>>& values) {
        for (const auto& [id, value] : values)
            session_.set_value(id, value);
        session_.run();
        Report report = answer_to(lab_.requests.back(), Status::ok);
        report.run_id = run_id;
        lab_.answers.push_back(report);
        session_.pump();
    }
    void frame(float width) {
        ui_.frame([&] { draw_runs_panel(workspace_, {{0, 0}, {width, 300}}); });
    }
    static std::string parameters(int row) {
        return UiFrames::widget_value("runs.row." + std::to_string(row) + ".parameters");
    }

    FakeLab lab_;
    Session session_;
    Workspace workspace_;
    UiFrames ui_;
};

TEST_F(RunsTable, ShowsTheParametersThatDiffer) {
    run("table.1", {{"bins", std::uint64_t{10}}, {"spread", 1.0}, {"range_min", -4.0}, {"range_max", 4.0}});
    frame(1250);
    EXPECT_EQ(parameters(1), "not there") << "all are defaults";
    run("table.2", {{"bins", std::uint64_t{64}}});
    run("table.3", {{"seed", std::uint64_t{7}}});
    frame(1250);
    EXPECT_EQ(parameters(1), "");
    EXPECT_EQ(parameters(2), "bins 64");
    EXPECT_EQ(parameters(3), "bins 64, seed 7");
}

TEST_F(RunsTable, FindsTheLongestParametersOfAnyRun) {
    EXPECT_EQ(session_.runs().longest_parameters(), "");
    session_.open(*find_course_entry("gaussian"), 0);
    run("longest.1", {});
    EXPECT_EQ(session_.runs().longest_parameters(), "");
    for (const double sigma : {0.25, 2.0}) {
        run("longest.2", {{"sigma", sigma}});
        EXPECT_EQ(session_.runs().longest_parameters(), "sigma 0.25");
    }
    EXPECT_EQ(Session(lab_, "en").runs().longest_parameters(), "") << "a new session has no runs yet";
}

}  // namespace gridstride::ui::run_parameters_test
